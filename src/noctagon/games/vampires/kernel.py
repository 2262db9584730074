"""The rules of Vampires vs Werewolves, compiled: legality, battles, the end of the game, random play.

A position is one record. Cells are numbered `y * 256 + x`; species 0 are the Vampires, 1 the Werewolves.
Houses and groups are lists in no particular order; `pack` and `unpack` turn a record into the canonical
bytes of a `State` (sorted content) and back. The layout of those bytes is `state.py`'s affair only through
these two.

Moves are rows of a table: source cell, count, target cell. Dice are one number per random battle, in the
order in which the turn's targets first appear: n > 0, that many attackers hold the cell; n < 0, that many
defenders remain; 0, nobody.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from noctagon.jit import Bytes, Float, Int, Ints, Nothing, Record, Seed, Table, compiled

UNROLLED = -(2**31)
"""A die that has not been rolled yet: `play` rolls it with its generator."""

SERVER = 1
"""The rule set of the course's server (0: the handout)."""

OVER, EMPTY_TURN, NOT_OWN, TOO_MANY, NOT_NEIGHBOUR, SOURCE_AND_TARGET, ZERO, ARRIVALS = 8, 1, 2, 3, 4, 5, 6, 7


def layout(houses: int, groups: int) -> np.dtype[Any]:
    """The fields of a position with room for so many houses, and groups a side."""
    return np.dtype(
        [
            ("rows", np.int32),
            ("columns", np.int32),
            ("mover", np.int32),
            ("ply", np.int32),
            ("plies", np.int32),
            ("server", np.int32),
            ("majority", np.int32),
            ("first", np.int32),
            ("houses", np.int32),
            ("groups", np.int32, 2),
            ("people", np.int32, 2),
            ("house_cell", np.int32, houses),
            ("house_count", np.int32, houses),
            ("group_cell", np.int32, (2, groups)),
            ("group_count", np.int32, (2, groups)),
        ]
    )


COMPACT = layout(512, 128)
FULL = layout(255 * 255, 255 * 255)

if TYPE_CHECKING:
    State = Any
    Compact = Any
else:
    State = Record(COMPACT, FULL)
    Compact = Record(COMPACT)


@compiled
def next_random(seed: Seed) -> Float:
    """A number in [0, 1): splitmix64."""
    seed[0] += np.uint64(0x9E3779B97F4A7C15)
    z = seed[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.float64(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@compiled
def odds(attackers: Int, defenders: Int) -> Float:
    """The probability P that the attackers win a random battle."""
    if attackers == defenders:
        return 0.5
    if attackers < defenders:
        return attackers / (2.0 * defenders)
    return attackers / defenders - 0.5


@compiled
def survivors(count: Int, p: Float, seed: Seed) -> Int:
    alive = 0
    for _ in range(count):
        if next_random(seed) < p:
            alive += 1
    return alive


@compiled
def fight(attackers: Int, defenders: Int, humans: Int, seed: Seed) -> Int:
    """Roll one random battle; `humans` is 1 where the defenders are humans."""
    p = odds(attackers, defenders)
    if next_random(seed) < p:
        return survivors(attackers + humans * defenders, p, seed)
    return -survivors(defenders, 1.0 - p, seed)


@compiled
def find_group(s: State, species: Int, cell: Int) -> Int:
    for i in range(s.groups[species]):
        if s.group_cell[species, i] == cell:
            return i
    return -1


@compiled
def find_house(s: State, cell: Int) -> Int:
    for i in range(s.houses):
        if s.house_cell[i] == cell:
            return i
    return -1


@compiled
def drop_group(s: State, species: Int, i: Int) -> Nothing:
    last = s.groups[species] - 1
    s.group_cell[species, i] = s.group_cell[species, last]
    s.group_count[species, i] = s.group_count[species, last]
    s.groups[species] = last


@compiled
def drop_house(s: State, i: Int) -> Nothing:
    last = s.houses - 1
    s.house_cell[i] = s.house_cell[last]
    s.house_count[i] = s.house_count[last]
    s.houses = last


@compiled
def settle(s: State, species: Int, cell: Int, count: Int) -> Nothing:
    """Put that many on a cell where the species has no group yet; under the server's rules counts wrap."""
    if s.server == SERVER:
        count = count & 255
    if count > 0:
        i = s.groups[species]
        s.group_cell[species, i] = cell
        s.group_count[species, i] = count
        s.groups[species] = i + 1
        s.people[species] += count


@compiled
def is_random(s: State, attackers: Int, defenders: Int, humans: Int) -> Int:
    """1 if that meeting is a random battle, 0 if it is certain."""
    if humans == 1:
        return 1 if attackers < defenders else 0
    if 2 * attackers >= 3 * defenders:
        return 0
    if s.server != SERVER and 2 * defenders >= 3 * attackers:
        return 0
    return 1
