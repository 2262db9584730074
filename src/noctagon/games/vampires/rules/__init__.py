"""The rules of Vampires vs Werewolves: kernel, positions, turns and notation."""
