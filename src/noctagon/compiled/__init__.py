"""Compiled code: how functions are compiled, and the machine operations that Numba lacks."""

ALONE = "NOCTAGON_COMPILES_ALONE"
"""An environment variable: a process that has it starts no others to help it compile."""
