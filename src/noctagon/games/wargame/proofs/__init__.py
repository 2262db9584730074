"""Proofs about AI Wargame: forced wins within a number of plies, or none."""
