"""Noctagon: a ring for game-playing AIs."""
