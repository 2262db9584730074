"""Maps of Vampires vs Werewolves: bundled, from files, and random."""
