"""The store of tournaments and games: SQLite or PostgreSQL."""
