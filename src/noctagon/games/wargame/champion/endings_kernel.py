"""Lookup in the tables of endings, compiled: both AIs and at most one unit more.

A table has one byte for each position: 0 if neither side can force the enemy's AI down, n if the attacker
wins in n plies, `DEFENDER_WINS` + n if the defender does, both sides at their best and without a turn limit.
It holds the positions whose attacker's AI stands on or above the A0–E4 diagonal; the others are mirrored into
it. All tables lie one after the other in one array: `offsets[side << 3 | kind]` is where the table begins
whose third unit is of that side and kind, or `ABSENT`. The two AIs alone are at `PAIR`.
"""

import numpy as np

from noctagon.compiled.intrinsics import lowest
from noctagon.compiled.jit import Bytes, Int, Longs, compiled, entry
from noctagon.games.wargame.rules import units
from noctagon.games.wargame.rules.kernel import BOTH_ALIVE, State

OFFSETS = 16
"""The length of `offsets`."""
PAIR = units.AI
"""Place in `offsets` of the table of the two AIs alone."""
ABSENT = -1
UNKNOWN = 1 << 20
"""Result of `lookup` where there is no table."""
DEFENDER_WINS = 128

PAIR_POSITIONS = 15 * 25 * 2 * 81
TRIPLE_POSITIONS = 15 * 25 * 25 * 2 * 729

MIRROR = np.array([cell % 5 * 5 + cell // 5 for cell in range(25)], np.int64)
_above = [cell for cell in range(25) if cell // 5 <= cell % 5]
TRIANGLE = np.array([_above.index(cell) if cell in _above else -1 for cell in range(25)], np.int64)
"""The cells on or above the diagonal, numbered; -1 for the others."""
ABOVE = np.array(_above, np.int64)


@compiled
def pair_index(attacker: Int, defender: Int, side: Int, attacker_health: Int, defender_health: Int) -> Int:
    """Return the index of a position of two AIs in its table, from their cells, the mover and their health."""
    if TRIANGLE[attacker] < 0:
        attacker = MIRROR[attacker]
        defender = MIRROR[defender]
    block = (TRIANGLE[attacker] * 25 + defender) * 2 + side
    return block * 81 + (attacker_health - 1) * 9 + defender_health - 1


@compiled
def triple_block(attacker: Int, defender: Int, third: Int, side: Int) -> Int:
    """Return the number of the block of 729 positions that differ in health only."""
    if TRIANGLE[attacker] < 0:
        attacker = MIRROR[attacker]
        defender = MIRROR[defender]
        third = MIRROR[third]
    return ((TRIANGLE[attacker] * 25 + defender) * 25 + third) * 2 + side


@compiled
def place(s: State, offsets: Longs) -> Int:
    """Return the index of a position in the tables, if it is not over; ABSENT if they do not have it."""
    if s.alive != BOTH_ALIVE:
        return ABSENT
    attacker = defender = third = 0
    kind = PAIR
    rest = Int(s.army[0]) | Int(s.army[1])
    count = 0
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        count += 1
        code = Int(s.cells[cell])
        if code >> 4 & 7 != units.AI:
            third = cell
            kind = code >> 4
        elif code >> 7:
            defender = cell
        else:
            attacker = cell
    if count > 3 or offsets[kind] < 0:
        return ABSENT
    side = Int(s.side)
    attacker_health = Int(s.cells[attacker]) & 15
    defender_health = Int(s.cells[defender]) & 15
    if count == 2:
        return offsets[kind] + pair_index(attacker, defender, side, attacker_health, defender_health)
    health = (attacker_health * 9 + defender_health) * 9 + (Int(s.cells[third]) & 15) - 91
    return offsets[kind] + triple_block(attacker, defender, third, side) * 729 + health


@entry
def lookup(s: State, tables: Bytes, offsets: Longs) -> Int:
    """Return the end of a position without a turn limit, both sides at their best.

    n > 0: the attacker destroys the defender's AI in n plies; n < 0: the defender wins in -n plies (by the
    attacker's AI, or both, destroyed); 0: neither can force anything; UNKNOWN: more than three units, an AI
    missing, or no such table.
    """
    at = place(s, offsets)
    if at < 0:
        return UNKNOWN
    found = Int(tables[at])
    return found if found < DEFENDER_WINS else DEFENDER_WINS - found


@compiled
def verdict(s: State, tables: Bytes, offsets: Longs) -> Int:
    """Return the end of a position with the turn limit, both sides at their best; 0 if the tables do not know
    it.

    n > 0: the attacker wins in n plies; n < 0: the defender wins in -n plies, perhaps by the limit. A
    position at its limit is over and must not be looked up.
    """
    found = lookup(s, tables, offsets)
    if found == UNKNOWN:
        return 0
    left = Int(s.plies) - Int(s.ply)
    last = left - 1 if s.limit_first else left  # when the defender's AI must be down
    if found > 0:
        return found if found <= last else -left
    return -left if found == 0 else max(found, -left)
