"""Compiled code: how functions are compiled, and the machine operations that Numba lacks."""
