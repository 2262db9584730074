"""Live games on the page: tables, seats, and the messages that follow a game."""
