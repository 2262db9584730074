"""What the champion's search works with: one record for each thread that searches, and the table they share."""

from typing import TYPE_CHECKING, Any

import numpy as np

from noctagon.compiled.jit import Int, Nothing, Record, compiled
from noctagon.games.vampires.rules.kernel import Compact

PLIES = 48
"""No search goes deeper."""
ACTING = 8
"""So many groups act in one turn at most: the largest."""
OPTIONS = 20
"""What one group may do at most."""
TURNS = 64
"""The longest list of turns."""
MOVES = 2 * ACTING
"""The most moves in one of them."""
HOUSES, GROUPS = 512, 128
"""The kernel's compact record has room for so many houses, and groups a side."""
CONTENT = 4 + 2 * (HOUSES + 2 * GROUPS)
"""In how many numbers a position is saved."""
FIGHTS = 3
"""More random battles in one turn are settled by what is likelier."""
RACERS = 8
"""So many groups a side race for houses in the evaluation."""
ENTRIES = 1 << 20
"""How many positions a table holds: 16 MiB."""

WORK = np.dtype(
    [
        ("nodes", np.int64),
        ("most_nodes", np.int64),
        ("probes", np.int64),
        ("hits", np.int64),
        ("deadline", np.float64),
        ("value", np.int64),
        ("best", np.int32),
        ("looked", np.int32),
        ("width", np.int32),
        ("features", np.int32),
        ("no_null", np.int32),
        ("horizon", np.int32),
        ("stop", np.uint8),
        ("spent", np.uint8),
        ("rival", np.int32, HOUSES),
        ("friend", np.int32, HOUSES),
        ("other_friend", np.int32, HOUSES),
        ("friend_group", np.int32, HOUSES),
        ("order", np.int32, GROUPS),
        ("goals", np.int32, (16, 2)),
        ("goal_worth", np.float64, 16),
        ("goal_step", np.int32, 16),
        ("goal_house", np.int32, 16),
        ("option_count", np.int32, ACTING),
        ("option_parts", np.int32, (ACTING, OPTIONS)),
        ("option_moves", np.int32, (ACTING, OPTIONS, 2, 2)),
        ("option_score", np.float64, (ACTING, OPTIONS)),
        ("beam_count", np.int32, 2),
        ("beam_code", np.int64, (2, TURNS)),
        ("beam_score", np.float64, (2, TURNS)),
        ("turn_count", np.int32, PLIES),
        ("turn_n", np.int32, (PLIES, TURNS)),
        ("turn_moves", np.int32, (PLIES, TURNS, MOVES, 3)),
        ("turn_score", np.float64, (PLIES, TURNS)),
        ("saved", np.int32, (PLIES, CONTENT)),
        ("killers", np.int64, (PLIES, 2)),
        ("lengths", np.int32, PLIES + 1),
        ("line_n", np.int32, (PLIES + 1, PLIES)),
        ("line_moves", np.int32, (PLIES + 1, PLIES, MOVES, 3)),
        ("strength", np.int32, (2, GROUPS)),
        ("reach", np.int32, (2, HOUSES)),
        ("race_taken", np.uint8, HOUSES),
        ("race_when", np.int32, HOUSES),
        ("race_wait", np.float64, (2, HOUSES)),
        ("race_gain", np.int32, 2),
        ("racer_cell", np.int32, (2, RACERS)),
        ("racer_count", np.int32, (2, RACERS)),
        ("racer_goal", np.int32, (2, RACERS)),
        ("racer_friends", np.int32, (2, RACERS)),
        ("racer_first", np.int32, (2, RACERS)),
        ("racer_arrival", np.int32, (2, RACERS)),
        ("racer_free", np.int32, (2, RACERS)),
        ("fights", np.int32, (PLIES, FIGHTS, 4)),
        ("net", np.float64, 256),
    ],
    align=True,
)
"""`stop` is set from outside; `spent` once nothing more may be looked at.

For each ply: the turns to try (`turn_…`, each with its moves as source, count, target), the position before them
(`saved`), the best line found (`line_…`), the random battles of the turn at hand (`fights`). The race tells who takes
each house (1 more than the species), and when; `race_wait` is how well each species can put a house off, `reach` how
far it is from those who can take it. A goal of a split has the first step towards it (`goal_step`), and the house
there, or -1. `net` is the network's desk.
"""

TABLE = np.dtype([("entries", np.int64, (ENTRIES, 2))])

if TYPE_CHECKING:
    Work = Any
    Table = Any
else:
    Work = Record(WORK)
    Table = Record(TABLE)


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
