"""Many games: schedules, running them, rating, testing, reporting; and the store that keeps them."""
