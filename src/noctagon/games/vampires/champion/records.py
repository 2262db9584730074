"""The working memory of the champion's search: one record for each thread that searches.

Compiled code allocates nothing. Everything that a search needs, at every ply it may reach, has its place here.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from noctagon.compiled.jit import Int, Nothing, Record, compiled
from noctagon.games.vampires.rules.kernel import Compact

PLIES = 48
"""Maximum depth of a search in plies, extensions included."""
ACTING = 8
"""Maximum number of groups that move in one turn: the largest."""
OPTIONS = 20
"""Maximum number of options of one group."""
TURNS = 64
"""Maximum number of turns listed for one position."""
MOVES = 2 * ACTING
"""Maximum number of moves in a listed turn: every acting group split in two."""
HOUSES, GROUPS = 512, 128
"""Maximum number of houses, and of groups a side, in the kernel's compact record."""
SAVED = 4 + 2 * (HOUSES + 2 * GROUPS)
"""Length of a saved position in numbers."""
BATTLES = 3
"""Maximum number of random battles of one turn that the search averages over; in more, the likelier side wins."""
RACERS = 8
"""Maximum number of groups a side that race for houses in the evaluation."""

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
        ("saved", np.int32, (PLIES, SAVED)),
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
        ("battles", np.int32, (PLIES, BATTLES, 4)),
        ("net", np.float64, 256),
    ],
    align=True,
)
"""Fields of the working memory.

- The budget: `nodes` of at most `most_nodes`, the `deadline`; `stop` is set from outside, `spent` by the search
  once it must end. `probes` and `hits` count the questions to the transposition table and those it could answer.
- The root: `best` is the best of the first `looked` turns, `value` its value; `horizon` is the depth asked for.
- For each ply: the turns to try (`turn_…`, each move as source, count, target), the position before them (`saved`),
  the best line found (`line_…`), the last two turns that refuted a position (`killers`), and the random battles of
  the turn being tried (`battles`: the chances in millionths that somebody survives a win and a loss, and the average
  survivors of each).
- For listing turns: `order` sorts the groups by size; each group has options, its goals for a split have the first
  step towards them (`goal_step`) and the house on that step, or -1; `beam_…` holds the best combinations.
- For each house: the nearest enemy that can take it (`rival`), the mover's two nearest (`friend`, `other_friend`).
- The race for the houses: `race_taken` is the species that takes a house plus 1, `race_when` the ply; `race_wait` is
  how well each species can put a house off. `reach` is the distance of each species that can take it.
- `net` holds the inputs and sums of the neural network.
"""

if TYPE_CHECKING:
    Work = Any
else:
    Work = Record(WORK)


@compiled
def save(s: Compact, w: Work, ply: Int) -> Nothing:
    """Save the position at a ply, before its turns are tried."""
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
    """Take back a turn: restore the position that was saved at a ply."""
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
