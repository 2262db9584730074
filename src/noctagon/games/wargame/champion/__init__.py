"""The champion of AI Wargame: compiled search, networks and endgame tables."""
