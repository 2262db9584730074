"""AI Wargame over HTTP: the broker, and both ends of a game played through it."""
