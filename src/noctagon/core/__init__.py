"""The vocabulary of any game: positions, actions, chance, players, the referee, records. No input or output."""
