"""The champion's transposition table, compiled: the results of earlier searches, found by a hash of the position.

Several threads share the table without locks (Hyatt and Mann, *A lockless transposition-table implementation*, 2002):
an entry is two words, the data and the key XORed with the data, so an entry torn by two writers matches no key.
A new entry always replaces the old one in its slot.

The data of an entry, by bits: 0–15 the signature of the best turn, 16–17 the kind of bound, 18–23 the depth,
32 and above the value plus `OFFSET`. Data 0 is no entry: the kind of bound is never 0.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from noctagon.compiled.jit import Bool, Int, Nothing, Record, compiled
from noctagon.games.vampires.champion.records import Work
from noctagon.games.vampires.champion.value import DECIDED
from noctagon.games.vampires.rules.kernel import Compact

ENTRIES = 1 << 20
"""Number of entries: 16 MiB."""
TABLE = np.dtype([("entries", np.int64, (ENTRIES, 2))])

UPPER, LOWER, EXACT = 1, 2, 3
"""Kinds of bound: the value is at most, at least, or exactly this."""
OFFSET = 1 << 22
"""Offset that makes every value positive."""

if TYPE_CHECKING:
    Table = Any
else:
    Table = Record(TABLE)


@compiled
def mixed(number: Int) -> Int:
    """Return a number scattered over 64 bits: the finaliser of splitmix64."""
    z = np.uint64(number)
    z = np.multiply(z ^ (z >> np.uint64(30)), np.uint64(0xBF58476D1CE4E5B9))
    z = np.multiply(z ^ (z >> np.uint64(27)), np.uint64(0x94D049BB133111EB))
    return np.int64(z ^ (z >> np.uint64(31)))


@compiled
def hashed(s: Compact) -> Int:
    """Return a position's hash, whatever the order of its lists."""
    # Zobrist hashing without its table of random numbers: counts are too many to have one for each.
    found = mixed(np.int64(s.plies - s.ply) * 2 + s.mover)
    for i in range(s.houses):
        found ^= mixed((np.int64(s.house_cell[i]) << 34) + (np.int64(s.house_count[i]) << 2) + 1)
    for species in range(2):
        for i in range(s.groups[species]):
            where, count = np.int64(s.group_cell[species, i]), np.int64(s.group_count[species, i])
            found ^= mixed((where << 34) + (count << 2) + 2 + species)
    return found


@compiled
def probe(table: Table, w: Work, key: Int) -> Int:
    """Return the data of the entry for a key, or 0; count the question."""
    w.probes += 1
    place = key & ENTRIES - 1
    data = table.entries[place, 1]
    if table.entries[place, 0] ^ data != key or data == 0:
        return 0
    w.hits += 1
    return data


@compiled
def stored_value(data: Int, ply: Int) -> Int:
    """Return the value of an entry for a position reached at a ply."""
    value = (data >> 32) - OFFSET
    # A sure win is stored by its distance from the position; the search counts it from the root.
    if value > DECIDED:
        return value - ply
    return value + ply if value < -DECIDED else value


@compiled
def settles(data: Int, depth: Int, value: Int, alpha: Int, beta: Int) -> Bool:
    """Return whether an entry of that value makes a search to a depth unnecessary."""
    if data >> 18 & 63 < depth:
        return False
    bound = data >> 16 & 3
    return bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)


@compiled
def store(table: Table, key: Int, turn: Int, bound: Int, depth: Int, value: Int, ply: Int) -> Nothing:
    """Store the result of a search: the signature of the best turn, and a value of that kind."""
    if value > DECIDED:
        value += ply
    elif value < -DECIDED:
        value -= ply
    data = turn | bound << 16 | depth << 18 | value + OFFSET << 32
    place = key & ENTRIES - 1
    table.entries[place, 0] = key ^ data
    table.entries[place, 1] = data
