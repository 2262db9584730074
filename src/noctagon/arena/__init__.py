"""Many games: tournaments and measured matches, their store, ratings and statistics."""
