"""The champion of Vampires vs Werewolves: compiled search, evaluation and network."""
