"""Searching any game: one algorithm a file."""
