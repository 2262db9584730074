"""The packed form of a position, and the kernel's entry points that take and return it.

A packed position is: rows, columns, species to move, ply, ply limit, 1 for the server's rules, 1 for the
majority rule, the species that began, the numbers of houses, of vampire and of werewolf groups; then a
(cell, count) pair for each of these in that order, each kind sorted by cell. Its bytes are the identity of a
`VampiresState`; the kernel's records never outlive a call.
"""

import numpy as np

from noctagon.compiled.jit import Int, Ints, Nothing, Rows, compiled, entry
from noctagon.games.vampires.rules.kernel import State, Turn, battles, check, ended, leader, play

HEADER = 11
"""Number of numbers before the content."""


@compiled
def unpack(s: State, packed: Ints) -> Nothing:
    """Fill a record from a packed position."""
    s.rows, s.columns, s.mover, s.ply, s.plies = packed[0], packed[1], packed[2], packed[3], packed[4]
    s.server, s.majority, s.houses = packed[5], packed[6], packed[8]
    at = HEADER
    for i in range(s.houses):
        s.house_cell[i] = packed[at]
        s.house_count[i] = packed[at + 1]
        at += 2
    for species in range(2):
        s.groups[species] = packed[9 + species]
        people = np.int64(0)
        for i in range(s.groups[species]):
            s.group_cell[species, i] = packed[at]
            s.group_count[species, i] = packed[at + 1]
            people += packed[at + 1]
            at += 2
        s.people[species] = people


@compiled
def sort_pairs(packed: Ints, start: Int, n: Int) -> Nothing:
    """Sort n (cell, count) pairs by cell: a shell sort, fast on nearly sorted pairs."""
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap >= 1:
        for i in range(gap, n):
            cell, count = packed[start + 2 * i], packed[start + 2 * i + 1]
            j = i
            while j >= gap and packed[start + 2 * (j - gap)] > cell:
                packed[start + 2 * j] = packed[start + 2 * (j - gap)]
                packed[start + 2 * j + 1] = packed[start + 2 * (j - gap) + 1]
                j -= gap
            packed[start + 2 * j] = cell
            packed[start + 2 * j + 1] = count
        gap //= 3


@compiled
def pack(s: State, first: Int, packed: Ints) -> Int:
    """Write a position in packed form and return its length; `first` is the species that began."""
    packed[0], packed[1], packed[2], packed[3], packed[4] = s.rows, s.columns, s.mover, s.ply, s.plies
    packed[5], packed[6], packed[7], packed[8] = s.server, s.majority, first, s.houses
    at = HEADER
    for i in range(s.houses):
        packed[at] = s.house_cell[i]
        packed[at + 1] = s.house_count[i]
        at += 2
    sort_pairs(packed, HEADER, s.houses)
    for species in range(2):
        packed[9 + species] = s.groups[species]
        start = at
        for i in range(s.groups[species]):
            packed[at] = s.group_cell[species, i]
            packed[at + 1] = s.group_count[species, i]
            at += 2
        sort_pairs(packed, start, s.groups[species])
    return at


@compiled
def write_moves(t: Turn, moves: Rows, n: Int) -> Nothing:
    """Write moves into a turn record with room for them."""
    t.n = n
    for i in range(n):
        for field in range(5):
            t.moves[i, field] = moves[i, field]


@entry
def check_packed(s: State, before: Ints, moves: Rows, n: Int) -> Int:
    """Return the result of `check` for a packed position."""
    unpack(s, before)
    return check(s, moves, n)


@entry
def battles_packed(s: State, t: Turn, before: Ints, moves: Rows, n: Int, found: Rows) -> Int:
    """Return the number of battles listed for a turn, or minus the result of `check`."""
    unpack(s, before)
    broken = check(s, moves, n)
    if broken > 0:
        return -broken
    write_moves(t, moves, n)
    return battles(s, t, found)


@entry
def play_packed(s: State, t: Turn, before: Ints, moves: Rows, n: Int, dice: Ints, after: Ints) -> Int:
    """Play a legal turn with its dice; return the length of the packed position after it."""
    unpack(s, before)
    write_moves(t, moves, n)
    for i in range(len(dice)):
        t.dice[i] = dice[i]
    play(s, t)
    return pack(s, np.int64(before[7]), after)


@entry
def ended_packed(s: State, before: Ints) -> Int:
    """Return the result of `ended` for a packed position."""
    unpack(s, before)
    return ended(s)


@entry
def leader_packed(s: State, before: Ints) -> Int:
    """Return the result of `leader` for a packed position."""
    unpack(s, before)
    return leader(s)
