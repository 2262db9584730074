"""A table of positions seen before, compiled: what a search found out about each, for one searcher or several.

Positions that mirror each other in the A0–E4 diagonal are one: the smaller of their two hashes stands for both.
What is true of a position may depend on how many plies are left: where a search, or a table of endings, looks as far
as the turn limit, their number is part of the hash, and their eights otherwise, for that much the champion's
evaluation knows of them.

An entry is two words, the second XORed into the first, so that one torn by a race is not taken for a true one.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from noctagon.compiled.intrinsics import lowest
from noctagon.compiled.jit import Int, Nothing, Record, compiled
from noctagon.games.wargame.players.evaluation_kernel import FAR_OFF
from noctagon.games.wargame.rules.kernel import State

ENTRIES = 1 << 22
"""Number of positions that a table holds (64 MiB)."""
UPPER, LOWER, EXACT = 1, 2, 3
NEAR = 128
"""More plies than any search looks ahead."""

_draw = np.random.default_rng(20231203)
MIRROR = np.array([cell % 5 * 5 + cell // 5 for cell in range(32)], np.int64)
HASH = np.zeros((32 * 256, 2), np.int64)
for _place in range(25 * 256):
    if _place & 15:
        HASH[_place, 0] = _draw.integers(-(2**63), 2**63 - 1)
# Column 1 hashes the mirror image, so that both hashes of a position are kept up to date side by side.
for _place in range(25 * 256):
    HASH[_place, 1] = HASH[MIRROR[_place >> 8] << 8 | _place & 255, 0]
HASH_SIDE = np.int64(_draw.integers(-(2**63), 2**63 - 1))
HASH_LOSSY = np.int64(_draw.integers(-(2**63), 2**63 - 1))
HASH_LIMIT_FIRST = np.int64(_draw.integers(-(2**63), 2**63 - 1))
HASH_LEFT = _draw.integers(-(2**63), 2**63 - 1, NEAR, np.int64)
HASH_EIGHTS = _draw.integers(-(2**63), 2**63 - 1, FAR_OFF + 1, np.int64)

TABLE = np.dtype([("entries", np.int64, (ENTRIES, 2))])

if TYPE_CHECKING:
    Table = Any
else:
    Table = Record(TABLE)


@compiled
def hashed(s: State, way: Int) -> Int:
    """Return the hash of a position's cells (way 0), or of its mirror image's (1)."""
    found = HASH_LIMIT_FIRST if s.limit_first else np.int64(0)
    everybody = Int(s.army[0]) | Int(s.army[1])
    while everybody:
        cell = lowest(everybody)
        everybody &= everybody - 1
        found ^= HASH[cell << 8 | Int(s.cells[cell]), way]
    return found


@compiled
def key_of(straight: Int, mirrored: Int, side: Int, left: Int, reach: Int, symmetric: Int, lossy: Int) -> Int:
    """Return a position's key in the table, for a search that looks `reach` plies ahead; its lowest bit says:
    mirrored.

    The results of a `lossy` search have keys of their own, for a search that must leave nothing out cannot
    rely on them.
    """
    key = straight
    flipped = 0
    if symmetric and mirrored < straight:
        key = mirrored
        flipped = 1
    if side:
        key ^= HASH_SIDE
    if lossy:
        key ^= HASH_LOSSY
    # The turn limit is within the search: results hold for exactly this number of plies left.
    if left <= reach:
        key ^= HASH_LEFT[left]
    else:
        key ^= HASH_EIGHTS[min(left >> 3, FAR_OFF)]
    # The lowest bit tells if the entry's action has to be mirrored before it is played.
    return key & ~1 | flipped


@compiled
def mirror(action: Int) -> Int:
    return MIRROR[action >> 5] << 5 | MIRROR[action & 31]


@compiled
def place_of(key: Int) -> Int:
    """Return the first place of a position; the second is beside it."""
    return (key >> 1) & ENTRIES - 1


@compiled
def probe(t: Table, key: Int) -> Int:
    """Return the table's entry for a position, 0 if there is none. Bits: action 10, depth 7, bound 2, age 6,
    value 22.
    """
    place = place_of(key)
    data = t.entries[place, 1]
    if t.entries[place, 0] ^ data == key >> 1:
        return data
    place ^= 1
    data = t.entries[place, 1]
    if t.entries[place, 0] ^ data == key >> 1:
        return data
    return 0


@compiled
def action_in(data: Int) -> Int:
    return data & 1023


@compiled
def depth_in(data: Int) -> Int:
    return data >> 10 & 127


@compiled
def bound_in(data: Int) -> Int:
    return data >> 17 & 3


@compiled
def value_in(data: Int) -> Int:
    return (data >> 25) - (1 << 21)


@compiled
def store(t: Table, key: Int, age: Int, depth: Int, bound: Int, value: Int, action: Int) -> Nothing:
    """Keep what was found: in place of itself, of an older search, or of the shallower of two."""
    place = place_of(key)
    one, two = t.entries[place, 1], t.entries[place ^ 1, 1]
    if t.entries[place, 0] ^ one != key >> 1:
        if t.entries[place ^ 1, 0] ^ two == key >> 1:
            place ^= 1
        else:
            # Entries of the present search (256 more) outlive all older ones, whatever their depth.
            keep_one = (one >> 10 & 127) + (256 if one >> 19 & 63 == age else 0)
            keep_two = (two >> 10 & 127) + (256 if two >> 19 & 63 == age else 0)
            if keep_two < keep_one:
                place ^= 1
    data = action | depth << 10 | bound << 17 | age << 19 | value + (1 << 21) << 25
    t.entries[place, 0] = key >> 1 ^ data
    t.entries[place, 1] = data
