"""A searcher's working memory, and the order in which the champion tries actions; compiled.

`Work` holds the budget, the counts, and for every ply below the root a row of actions with scores, the best
line from there, and the actions that made the last cuts.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from noctagon.compiled.intrinsics import lowest
from noctagon.compiled.jit import Bool, Int, Nothing, Record, compiled
from noctagon.games.wargame.players.evaluation_kernel import BOARD, LEFTMOST, RIGHTMOST
from noctagon.games.wargame.rules import units
from noctagon.games.wargame.rules.kernel import DEPTHS, MOST_ACTIONS, State, targets
from noctagon.games.wargame.rules.tables import AROUND, DAMAGE

HISTORY_LIMIT = 1 << 20
QUIET_CUT = 1 << 21
"""Score of the action that made the last cut but one at its ply; whatever scores less is tried late."""
FIRST = 1 << 30
"""Score of the action that was the best before."""
AI_DOWN = 1000
"""Worth of a self-destruction that takes the enemy's AI along; any other victim counts 1."""

TABLE, NULL_MOVE, REDUCTIONS, CAPTURES_FIRST, KILLERS, NARROW, SYMMETRY = (1 << bit for bit in range(7))
LOSSY = NULL_MOVE | REDUCTIONS
TECHNIQUES = {
    "table": TABLE,
    "null move": NULL_MOVE,
    "reductions": REDUCTIONS,
    "capture order": CAPTURES_FIRST,
    "killers and history": KILLERS,
    "principal variation": NARROW,
    "symmetry": SYMMETRY,
}
"""Techniques that can be switched off, by name: a bit each in `Work.uses`."""

LAYOUT = np.dtype(
    [
        ("nodes", np.int64),
        ("probes", np.int64),
        ("hits", np.int64),
        ("most_nodes", np.int64),
        ("alarm", np.int64),
        ("deadline", np.float64),
        ("value", np.int64),
        ("best", np.int32),
        ("looked", np.int32),
        ("rank", np.int64),
        ("age", np.int32),
        ("quiet", np.int32),
        ("uses", np.int32),
        ("stop", np.uint8),
        ("spent", np.uint8),
        ("killers", np.int32, (DEPTHS + 1, 2)),
        ("history", np.int32, (2, 1024)),
        ("hashes", np.int64, (DEPTHS + 2, 2)),
        ("actions", np.int32, (DEPTHS + 1, MOST_ACTIONS)),
        ("scores", np.int32, (DEPTHS + 1, MOST_ACTIONS)),
        ("lengths", np.int32, DEPTHS + 2),
        ("lines", np.int32, (DEPTHS + 2, DEPTHS + 1)),
    ],
    align=True,
)

if TYPE_CHECKING:
    Work = Any
else:
    Work = Record(LAYOUT)


@compiled
def nearby(cells: Int) -> Int:
    """Return the cells of a set and all cells around them."""
    rows = cells | cells << units.SIZE | cells >> units.SIZE
    return (rows | rows << 1 & ~LEFTMOST | rows >> 1 & ~RIGHTMOST) & BOARD


@compiled
def blast_worth(s: State, source: Int) -> Int:
    """Return what a self-destruction destroys: `AI_DOWN` for the enemy's AI, 0 for nothing."""
    side = Int(s.side)
    struck = Int(AROUND[source]) & Int(s.army[side ^ 1])
    worth = 0
    while struck:
        other = Int(s.cells[lowest(struck)])
        struck &= struck - 1
        if other & 15 <= units.BLAST:
            worth += AI_DOWN if other >> 4 & 7 == units.AI else 1
    return worth


@compiled
def attack_score(s: State, source: Int, target: Int) -> Int:
    """Score an attack by what it deals and takes, highest if it destroys the target."""
    code, other = Int(s.cells[source]), Int(s.cells[target])
    kind, other_kind = code >> 4 & 7, other >> 4 & 7
    dealt = min(DAMAGE[kind << 3 | other_kind], other & 15)
    taken = min(DAMAGE[other_kind << 3 | kind], code & 15)
    # All scores lie in bands, so that one comparison orders them: attacks from 2**24 up, then blasts that
    # destroy something, the two killers, the history, and last what destroys only its own unit.
    score = (1 << 24) + 256 * (2 * dealt - taken)
    if dealt == other & 15:
        score += 1 << 25 if other_kind != units.AI else 1 << 29
    # An attack that also loses the attacker stays in its band; one that loses the own AI is a lost game.
    if taken == code & 15:
        score -= 1 << 14 if kind != units.AI else 1 << 29
    return score


@compiled
def ranked(score: Int, place: Int) -> Int:
    """Pack a score and its place into one number, larger for the larger score or the earlier place."""
    return score << 8 | 255 - place


@compiled
def arrange(s: State, w: Work, ply: Int, attacks_only: Bool) -> Int:
    """Write the actions at a ply with a score each and return their number; higher scores are tried sooner.

    First what destroys the enemy's AI, then attacks by what they deal and take, blasts that destroy a unit,
    the last cuts of this ply, and the rest by their history of cuts. `rank` names the very first.
    """
    side = Int(s.side)
    enemy = Int(s.army[side ^ 1])
    near = nearby(enemy)
    sources = Int(s.army[side])
    # A unit that is not near an enemy can neither strike nor catch one in its blast.
    if attacks_only:
        sources &= near
    killer, other_killer = Int(w.killers[ply, 0]), Int(w.killers[ply, 1])
    count = 0
    most = -(1 << 62)
    while sources:
        source = lowest(sources)
        sources &= sources - 1
        kind = Int(s.cells[source]) >> 4 & 7
        reach = targets(s, source)
        if attacks_only:
            reach &= enemy
        while reach:
            target = lowest(reach)
            reach &= reach - 1
            action = source << 5 | target
            score = Int(w.history[side, action])
            if enemy >> target & 1 and w.uses & CAPTURES_FIRST:
                score = attack_score(s, source, target)
            elif action == killer:
                score = 1 << 22
            elif action == other_killer:
                score = QUIET_CUT
            w.actions[ply, count] = action
            w.scores[ply, count] = score
            most = max(most, ranked(score, count))
            count += 1
        # Most self-destructions reach no enemy; looking up `near` is cheaper than finding that out.
        worth = blast_worth(s, source) if near >> source & 1 else Int(0)
        if worth or not attacks_only:
            score = -(1 << 22)
            if worth >= AI_DOWN:
                score = 1 << 29
            elif kind == units.AI:
                # Blowing up the own AI loses: it is only tried when nothing else is left.
                score = -(1 << 30)
            elif worth:
                score = 1 << 23
            w.actions[ply, count] = source * 33
            w.scores[ply, count] = score
            most = max(most, ranked(score, count))
            count += 1
    w.rank = most
    return count


@compiled
def prefer(w: Work, ply: Int, count: Int, first: Int) -> Nothing:
    """Have the action tried first that was the best before."""
    for i in range(count):
        if w.actions[ply, i] == first:
            w.scores[ply, i] = FIRST
            w.rank = ranked(Int(FIRST), i)
            break


@compiled
def pick(w: Work, ply: Int, i: Int, count: Int) -> Int:
    """Bring the best of the actions from i on to place i; of equals, the first. Place 0 goes to the one in `rank`."""
    most = Int(w.rank)
    if i:
        most = ranked(Int(w.scores[ply, i]), i)
        for j in range(i + 1, count):
            most = max(most, ranked(Int(w.scores[ply, j]), j))
    place = 255 - (most & 255)
    action, score = w.actions[ply, place], w.scores[ply, place]
    w.actions[ply, place], w.scores[ply, place] = w.actions[ply, i], w.scores[ply, i]
    w.actions[ply, i], w.scores[ply, i] = action, score
    return Int(action)


@compiled
def note(w: Work, ply: Int, action: Int) -> Nothing:
    """Make this action, followed by the best line below it, the best line at a ply."""
    length = Int(w.lengths[ply + 1])
    w.lines[ply, 0] = action
    for i in range(length):
        w.lines[ply, i + 1] = w.lines[ply + 1, i]
    w.lengths[ply] = length + 1


@compiled
def reward(w: Work, side: Int, ply: Int, action: Int, depth: Int) -> Nothing:
    """Remember a quiet action that made a cut."""
    if w.killers[ply, 0] != action:
        w.killers[ply, 1] = w.killers[ply, 0]
        w.killers[ply, 0] = action
    # A cut high in the tree saves more, hence the square of the depth.
    w.history[side, action] += depth * depth
    if w.history[side, action] > HISTORY_LIMIT:
        # Halving keeps the order and lets old cuts fade.
        for i in range(1024):
            w.history[side, i] //= 2
