"""Positions in the champion's search, compiled: their hash, and how a turn is taken back."""

import numpy as np

from noctagon.compiled.jit import Int, Nothing, compiled
from noctagon.games.vampires.champion.records import Work
from noctagon.games.vampires.rules.kernel import Compact


@compiled
def mixed(number: Int) -> Int:
    """A number, scattered over 64 bits."""
    z = np.uint64(number)
    z = np.multiply(z ^ (z >> np.uint64(30)), np.uint64(0xBF58476D1CE4E5B9))
    z = np.multiply(z ^ (z >> np.uint64(27)), np.uint64(0x94D049BB133111EB))
    return np.int64(z ^ (z >> np.uint64(31)))


@compiled
def hashed(s: Compact) -> Int:
    """A position's hash, whatever the order of its lists."""
    found = mixed(np.int64(s.plies - s.ply) * 2 + s.mover)
    for i in range(s.houses):
        found ^= mixed((np.int64(s.house_cell[i]) << 34) + (np.int64(s.house_count[i]) << 2) + 1)
    for species in range(2):
        for i in range(s.groups[species]):
            where, count = np.int64(s.group_cell[species, i]), np.int64(s.group_count[species, i])
            found ^= mixed((where << 34) + (count << 2) + 2 + species)
    return found


@compiled
def save(s: Compact, w: Work, ply: Int) -> Nothing:
    """Keep what a turn may change."""
    w.saved[ply, 0], w.saved[ply, 1], w.saved[ply, 2] = s.houses, s.groups[0], s.groups[1]
    at = 4
    for i in range(s.houses):
        w.saved[ply, at], w.saved[ply, at + 1] = s.house_cell[i], s.house_count[i]
        at += 2
    for species in range(2):
        for i in range(s.groups[species]):
            w.saved[ply, at], w.saved[ply, at + 1] = s.group_cell[species, i], s.group_count[species, i]
            at += 2


@compiled
def restore(s: Compact, w: Work, ply: Int) -> Nothing:
    """Back to what was kept: the mover before it, one ply less."""
    s.houses = w.saved[ply, 0]
    at = 4
    for i in range(s.houses):
        s.house_cell[i], s.house_count[i] = w.saved[ply, at], w.saved[ply, at + 1]
        at += 2
    for species in range(2):
        s.groups[species] = w.saved[ply, 1 + species]
        people = np.int64(0)
        for i in range(s.groups[species]):
            s.group_cell[species, i], s.group_count[species, i] = w.saved[ply, at], w.saved[ply, at + 1]
            people += w.saved[ply, at + 1]
            at += 2
        s.people[species] = people
    s.mover = 1 - s.mover
    s.ply -= 1
