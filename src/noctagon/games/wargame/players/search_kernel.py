"""Minimax and alpha-beta over the rules kernel, compiled: one call looks one depth further.

The same function is both: with `prune` the window closes and cuts are made, without it nothing is left out.
What is counted, and when, is what `noctagon.search.tree` counts; the tests hold the two against each other.

A search works on the position's record and on one of its own, `Work`: what it may spend, what it has counted,
and for every ply below the root a row of actions, the best line from there, and the last action that cut.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from noctagon.compiled.intrinsics import lowest, now
from noctagon.compiled.jit import Bool, Float, Int, Ints, Nothing, Record, compiled, entry
from noctagon.games.wargame.players.evaluation_kernel import WIN
from noctagon.games.wargame.rules import units
from noctagon.games.wargame.rules.kernel import (
    DEFENDER_DOWN,
    DEPTHS,
    GOES_ON,
    MOST_ACTIONS,
    State,
    make,
    outcome,
    targets,
    unmake,
)
from noctagon.games.wargame.rules.tables import DAMAGE

FAR = 1 << 40
"""More than any value."""
PATIENCE = 1024
"""Number of positions between two looks at the clock."""

LAYOUT = np.dtype(
    [
        ("nodes", np.int64),
        ("expanded", np.int64),
        ("cuts", np.int64),
        ("most_nodes", np.int64),
        ("deadline", np.float64),
        ("value", np.int64),
        ("looked", np.int32),
        ("best", np.int32),
        ("prune", np.uint8),
        ("ordered", np.uint8),
        ("literal", np.uint8),
        ("stop", np.uint8),
        ("spent", np.uint8),
        ("evaluations", np.int64, DEPTHS + 1),
        ("killers", np.int32, DEPTHS + 1),
        ("actions", np.int32, (DEPTHS + 1, MOST_ACTIONS)),
        ("lengths", np.int32, DEPTHS + 2),
        ("lines", np.int32, (DEPTHS + 2, DEPTHS + 1)),
    ],
    align=True,
)

if TYPE_CHECKING:
    Work = Any
    Evaluation = Any
else:
    Work = Record(LAYOUT)
    Evaluation = types.FunctionType(Int(State.types[0], Ints))


@compiled
def over_budget(w: Work) -> Bool:
    """Return True once the search has to end: by the nodes, by the clock, or by the `stop` flag."""
    late = w.nodes % PATIENCE == 0 and now() >= w.deadline
    if late or w.nodes >= w.most_nodes or w.stop:
        w.spent = 1
    return w.spent != 0


@compiled
def arrange(s: State, w: Work, ply: Int) -> Int:
    """Write the actions at a ply, as `source << 5 | target`, the most promising first; returns their number.

    Self-destructions come last. When `ordered`, the action that last made a cut at this ply is first, then come
    the attacks: those that destroy their target, then the others.
    """
    own = Int(s.army[Int(s.side)])
    enemy = Int(s.army[Int(s.side) ^ 1])
    killer = Int(w.killers[ply]) if w.ordered else -1
    first = 0  # where the next destroying attack goes
    attacks = 0  # where the next other attack goes
    count = 0
    sources = own
    while sources:
        source = lowest(sources)
        sources &= sources - 1
        kind = Int(s.cells[source]) >> 4 & 7
        reach = targets(s, source)
        while reach:
            target = lowest(reach)
            reach &= reach - 1
            action = source << 5 | target
            if w.ordered and enemy >> target & 1:
                w.actions[ply, count] = w.actions[ply, attacks]
                other = Int(s.cells[target])
                if DAMAGE[kind << 3 | other >> 4 & 7] >= other & 15:
                    w.actions[ply, attacks] = w.actions[ply, first]
                    w.actions[ply, first] = action
                    first += 1
                else:
                    w.actions[ply, attacks] = action
                attacks += 1
            else:
                w.actions[ply, count] = action
            count += 1
    for i in range(count):
        if w.actions[ply, i] == killer:
            for j in range(i, 0, -1):
                w.actions[ply, j] = w.actions[ply, j - 1]
            w.actions[ply, 0] = killer
            break
    sources = own
    while sources:
        source = lowest(sources)
        sources &= sources - 1
        w.actions[ply, count] = source * 33
        count += 1
    return count


@entry
def start_clock(w: Work, seconds: Float) -> Nothing:
    """Start the clock with this many seconds."""
    w.deadline = now() + seconds


@compiled
def note(w: Work, ply: Int, action: Int) -> Nothing:
    """Make this action, followed by the best line below it, the best line at a ply."""
    length = Int(w.lengths[ply + 1])
    w.lines[ply, 0] = action
    for i in range(length):
        w.lines[ply, i + 1] = w.lines[ply + 1, i]
    w.lengths[ply] = length + 1


@entry
def value(
    s: State, w: Work, evaluate: Evaluation, weights: Ints, depth: Int, ply: Int, alpha: Int, beta: Int
) -> Int:
    """Return a position's value `depth` plies further, for the attacker, who maximises; exact between alpha
    and beta.

    It is meaningless once the budget is `spent`.
    """
    if over_budget(w):
        return 0
    w.nodes += 1
    w.lengths[ply] = 0
    stands = outcome(s)
    if stands != GOES_ON or depth == 0:
        w.evaluations[ply] += 1
        if stands == GOES_ON or w.literal:
            return evaluate(s, weights)
        return WIN - ply if stands == DEFENDER_DOWN else ply - WIN
    w.expanded += 1
    side = Int(s.side)
    best = -FAR if side == units.ATTACKER else FAR
    count = arrange(s, w, ply)
    for i in range(count):
        action = Int(w.actions[ply, i])
        make(s, action >> 5, action & 31)
        found = value(s, w, evaluate, weights, depth - 1, ply + 1, alpha, beta)
        unmake(s)
        if w.spent:
            return 0
        if found > best if side == units.ATTACKER else found < best:
            best = found
            note(w, ply, action)
        if w.prune:
            if side == units.ATTACKER:
                alpha = max(alpha, found)
            else:
                beta = min(beta, found)
            if alpha >= beta:
                w.cuts += 1
                w.killers[ply] = action
                return best
    return best


@entry
def look(
    s: State, w: Work, evaluate: Evaluation, weights: Ints, depth: Int, count: Int, seconds: Float
) -> Bool:
    """Look at the first `count` actions of row 0, the root's, `depth` plies deep; return whether time sufficed.

    `looked` is how many there was time for, `best` the place of the best one in the row, `value` its value.
    """
    start_clock(w, seconds)
    w.expanded += 1
    w.looked = 0
    side = Int(s.side)
    best = -FAR if side == units.ATTACKER else FAR
    alpha = -FAR
    beta = FAR
    for i in range(count):
        action = Int(w.actions[0, i])
        make(s, action >> 5, action & 31)
        found = value(s, w, evaluate, weights, depth - 1, 1, alpha, beta)
        unmake(s)
        if w.spent:
            return False
        w.looked += 1
        if found > best if side == units.ATTACKER else found < best:
            best = found
            w.best = i
            w.value = found
            note(w, 0, action)
        if w.prune:
            if side == units.ATTACKER:
                alpha = max(alpha, found)
            else:
                beta = min(beta, found)
    return True
