"""The limits of Vampires vs Werewolves, in a module of its own: the kernels' cache is keyed by all they import."""

MOST_CREATURES = 999_999_999
"""Maximum number of creatures on a grid. No turn makes creatures, so play never exceeds it."""
LARGEST_BYTE = 255
"""Largest number in a packet or a map file of the course, whose numbers are one byte: a size, a count, a length."""
LARGEST_SIDE = LARGEST_BYTE
"""Maximum number of rows and of columns."""
CELL_LIMIT = LARGEST_BYTE
"""Maximum number of creatures on a cell under the server's rules; a count beyond it wraps, as a byte does."""
