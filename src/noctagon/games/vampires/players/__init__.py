"""The players of Vampires vs Werewolves that the source documents describe."""
