"""Playing over a network, for any game: servers with tables, seats behind connections, checks of programs."""
