"""The champion's search, compiled: principal variation search over a table of positions seen before.

Values are the mover's (negamax). A won game is worth `MATE` less the plies to it, so mate distances are exact.
Positions that mirror each other in the A0–E4 diagonal are one: the smaller of the two hashes stands for both.
Near the turn limit the plies that are left are part of a position's hash, for its value depends on them.

Three records go from call to call: the position, the searcher's own `Work`, and the `Table`, which several
searchers may share: an entry is two words, the second XORed into the first, so that one torn by a race is not
taken for a true one.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from noctagon.games.wargame import units
from noctagon.games.wargame.bits import lowest
from noctagon.games.wargame.kernel import (
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
from noctagon.games.wargame.search_kernel import Evaluation
from noctagon.games.wargame.stopwatch import now
from noctagon.games.wargame.tables import AROUND, BESIDE, DAMAGE
from noctagon.jit import Bool, Float, Int, Ints, Nothing, Record, compiled

MATE = 1_000_000
DECIDED = MATE - 1000
"""Beyond this a value tells how many plies a forced win takes."""
FAR = 1 << 24
PATIENCE = 2047
"""The clock is looked at once in so many positions and one."""
ENTRIES = 1 << 22
"""How many positions a table holds: 64 MiB."""
LATE = 64
"""With fewer plies left than this, how many there are makes two positions."""
HISTORY_LIMIT = 1 << 20
AI_DOWN = 1000
"""What a self-destruction is worth that takes the enemy's AI along; any other victim counts 1."""

UPPER, LOWER, EXACT = 1, 2, 3

_draw = np.random.default_rng(20231203)
HASH = _draw.integers(-(2**63), 2**63 - 1, 25 * 256, np.int64)
HASH_SIDE = np.int64(_draw.integers(-(2**63), 2**63 - 1))
HASH_LEFT = _draw.integers(-(2**63), 2**63 - 1, LATE, np.int64)
MIRROR = np.array([cell % 5 * 5 + cell // 5 for cell in range(25)], np.int64)

LAYOUT = np.dtype(
    [
        ("nodes", np.int64),
        ("probes", np.int64),
        ("hits", np.int64),
        ("most_nodes", np.int64),
        ("deadline", np.float64),
        ("value", np.int64),
        ("best", np.int32),
        ("looked", np.int32),
        ("age", np.int32),
        ("quiet", np.int32),
        ("stop", np.uint8),
        ("spent", np.uint8),
        ("reductions", np.uint8),
        ("null_moves", np.uint8),
        ("killers", np.int32, (DEPTHS + 1, 2)),
        ("history", np.int32, (2, 1024)),
        ("actions", np.int32, (DEPTHS + 1, MOST_ACTIONS)),
        ("scores", np.int32, (DEPTHS + 1, MOST_ACTIONS)),
        ("lengths", np.int32, DEPTHS + 2),
        ("lines", np.int32, (DEPTHS + 2, DEPTHS + 1)),
    ],
    align=True,
)
TABLE = np.dtype([("entries", np.int64, (ENTRIES, 2))])

if TYPE_CHECKING:
    Work = Any
    Table = Any
else:
    Work = Record(LAYOUT)
    Table = Record(TABLE)


@compiled
def hashed(s: State) -> Int:
    """A position's hash, times two, plus 1 if it is its mirror image's."""
    straight = mirrored = np.int64(0)
    own = Int(s.army[0]) | Int(s.army[1])
    while own:
        cell = lowest(own)
        own &= own - 1
        code = Int(s.cells[cell])
        straight ^= HASH[cell << 8 | code]
        mirrored ^= HASH[MIRROR[cell] << 8 | code]
    found = min(straight, mirrored)
    if s.side:
        found ^= HASH_SIDE
    left = Int(s.plies) - Int(s.ply)
    if left < LATE:
        found ^= HASH_LEFT[left]
    return found & ~1 | (1 if mirrored < straight else 0)


@compiled
def mirror(action: Int) -> Int:
    return MIRROR[action >> 5] << 5 | MIRROR[action & 31]


@compiled
def probe(t: Table, key: Int) -> Int:
    """What the table knows of a position; 0 if nothing. Bits: action 10, depth 7, bound 2, age 6, value 22."""
    place = (key >> 1) & ENTRIES - 1
    data = t.entries[place, 1]
    if t.entries[place, 0] ^ data == key >> 1:
        return data
    place ^= 1
    data = t.entries[place, 1]
    if t.entries[place, 0] ^ data == key >> 1:
        return data
    return 0


@compiled
def store(t: Table, key: Int, age: Int, depth: Int, bound: Int, value: Int, action: Int) -> Nothing:
    """Keep what was found: in place of itself, of an older search, or of the shallower of two."""
    place = (key >> 1) & ENTRIES - 1
    one, two = t.entries[place, 1], t.entries[place ^ 1, 1]
    if t.entries[place, 0] ^ one != key >> 1:
        if t.entries[place ^ 1, 0] ^ two == key >> 1:
            place ^= 1
        else:
            keep_one = (one >> 10 & 127) + (256 if one >> 19 & 63 == age else 0)
            keep_two = (two >> 10 & 127) + (256 if two >> 19 & 63 == age else 0)
            if keep_two < keep_one:
                place ^= 1
    if action == 0:
        old = t.entries[place, 1]
        if t.entries[place, 0] ^ old == key >> 1:
            action = old & 1023
    data = action | depth << 10 | bound << 17 | age << 19 | value + (1 << 21) << 25
    t.entries[place, 0] = key >> 1 ^ data
    t.entries[place, 1] = data


@compiled
def spent(w: Work) -> Bool:
    """Whether the search has to end here."""
    if w.stop or w.nodes >= w.most_nodes or (w.nodes & PATIENCE == 0 and now() >= w.deadline):
        w.spent = 1
    return w.spent != 0


@compiled
def blast_worth(s: State, source: Int) -> Int:
    """What a self-destruction destroys: an enemy's AI is everything; 0 if nobody."""
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
def arrange(s: State, w: Work, ply: Int, first: Int, attacks_only: Bool) -> Int:
    """Write the actions at a ply with a score each, the larger the sooner to be tried; how many there are.

    First the action that was best before (`first`), then what destroys the enemy's AI, attacks by what they deal
    and take, blasts that destroy somebody, the last cuts of this ply, and the rest by their history of cuts.
    """
    side = Int(s.side)
    enemy = Int(s.army[side ^ 1])
    own = Int(s.army[side])
    count = 0
    sources = own
    while sources:
        source = lowest(sources)
        sources &= sources - 1
        code = Int(s.cells[source])
        kind = code >> 4 & 7
        reach = targets(s, source)
        if attacks_only:
            reach &= enemy
        while reach:
            target = lowest(reach)
            reach &= reach - 1
            action = source << 5 | target
            score = Int(w.history[side, action])
            if action == first:
                score = 1 << 30
            elif enemy >> target & 1:
                other = Int(s.cells[target])
                other_kind = other >> 4 & 7
                dealt = min(DAMAGE[kind << 3 | other_kind], other & 15)
                taken = min(DAMAGE[other_kind << 3 | kind], code & 15)
                score = (1 << 24) + 256 * (2 * dealt - taken)
                if dealt == other & 15:
                    score += 1 << 25 if other_kind != units.AI else 1 << 29
                if taken == code & 15:
                    score -= 1 << 14 if kind != units.AI else 1 << 29
            elif action == Int(w.killers[ply, 0]):
                score = 1 << 22
            elif action == Int(w.killers[ply, 1]):
                score = 1 << 21
            w.actions[ply, count] = action
            w.scores[ply, count] = score
            count += 1
        worth = blast_worth(s, source)
        if worth or not attacks_only:
            action = source * 33
            score = -(1 << 22)
            if action == first:
                score = 1 << 30
            elif worth >= AI_DOWN:
                score = 1 << 29
            elif kind == units.AI:
                score = -(1 << 30)
            elif worth:
                score = 1 << 23
            w.actions[ply, count] = action
            w.scores[ply, count] = score
            count += 1
    return count


@compiled
def pick(w: Work, ply: Int, i: Int, count: Int) -> Int:
    """Bring the best of the actions from i on to place i."""
    best = i
    for j in range(i + 1, count):
        if w.scores[ply, j] > w.scores[ply, best]:
            best = j
    action, score = w.actions[ply, best], w.scores[ply, best]
    w.actions[ply, best], w.scores[ply, best] = w.actions[ply, i], w.scores[ply, i]
    w.actions[ply, i], w.scores[ply, i] = action, score
    return Int(action)


@compiled
def ended_value(stands: Int, side: Int, ply: Int) -> Int:
    """A finished game for the mover: how many plies from the root it took."""
    won = stands == DEFENDER_DOWN
    return MATE - ply if won == (side == units.ATTACKER) else ply - MATE


@compiled
def quiet(
    s: State, w: Work, evaluate: Evaluation, weights: Ints, depth: Int, ply: Int, alpha: Int, beta: Int
) -> Int:
    """What a position is worth once the attacks that pay are over."""
    w.nodes += 1
    w.lengths[ply] = 0
    side = Int(s.side)
    stands = outcome(s)
    if stands != GOES_ON:
        return ended_value(stands, side, ply)
    value = evaluate(s, weights)
    best = value if side == units.ATTACKER else -value
    if depth == 0 or best >= beta or ply >= DEPTHS - 2:
        return best
    alpha = max(alpha, best)
    count = arrange(s, w, ply, -1, True)
    for i in range(count):
        action = pick(w, ply, i, count)
        if w.scores[ply, i] < 0:
            break
        make(s, action >> 5, action & 31)
        found = -quiet(s, w, evaluate, weights, depth - 1, ply + 1, -beta, -alpha)
        unmake(s)
        if found > best:
            best = found
            if found > alpha:
                alpha = found
                if found >= beta:
                    break
    return best


@compiled
def note(w: Work, ply: Int, action: Int) -> Nothing:
    """The best line at a ply is now this action and the best line below it."""
    length = Int(w.lengths[ply + 1])
    w.lines[ply, 0] = action
    for i in range(length):
        w.lines[ply, i + 1] = w.lines[ply + 1, i]
    w.lengths[ply] = length + 1


@compiled
def can_wait(s: State) -> Bool:
    """Whether the mover has a Virus or Tech with a free cell beside it: it is never forced to spoil its position."""
    free = ~(Int(s.army[0]) | Int(s.army[1])) & (1 << 25) - 1
    nimble = Int(s.army[Int(s.side)]) & Int(s.nimble)
    while nimble:
        if Int(BESIDE[lowest(nimble)]) & free:
            return True
        nimble &= nimble - 1
    return False


@compiled
def reward(w: Work, side: Int, ply: Int, action: Int, depth: Int) -> Nothing:
    """Remember a quiet action that made a cut."""
    if w.killers[ply, 0] != action:
        w.killers[ply, 1] = w.killers[ply, 0]
        w.killers[ply, 0] = action
    w.history[side, action] += depth * depth
    if w.history[side, action] > HISTORY_LIMIT:
        for i in range(1024):
            w.history[side, i] //= 2


@compiled
def search(
    s: State,
    w: Work,
    t: Table,
    evaluate: Evaluation,
    weights: Ints,
    depth: Int,
    ply: Int,
    alpha: Int,
    beta: Int,
    null: Bool,
) -> Int:
    """A position's value for the mover, exact between alpha and beta. Meaningless once the budget is spent."""
    if depth <= 0:
        return quiet(s, w, evaluate, weights, Int(w.quiet), ply, alpha, beta)
    if spent(w):
        return 0
    w.nodes += 1
    w.lengths[ply] = 0
    side = Int(s.side)
    stands = outcome(s)
    if stands != GOES_ON:
        return ended_value(stands, side, ply)
    alpha = max(alpha, ply - MATE)
    beta = min(beta, MATE - ply - 1)
    if alpha >= beta:
        return alpha
    pv = beta - alpha > 1
    whole = hashed(s)
    flipped = whole & 1
    w.probes += 1
    known = probe(t, whole)
    first = -1
    if known:
        w.hits += 1
        first = known & 1023
        if flipped:
            first = mirror(first)
        value = (known >> 25) - (1 << 21)
        if value > DECIDED:
            value -= ply
        elif value < -DECIDED:
            value += ply
        bound = known >> 17 & 3
        if not pv and Int(known >> 10 & 127) >= depth:
            if bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha):
                return value
    if (
        not pv
        and null
        and w.null_moves
        and depth >= 3
        and beta < DECIDED
        and s.ply + 1 < s.plies
        and can_wait(s)
    ):
        static = evaluate(s, weights)
        if side != units.ATTACKER:
            static = -static
        if static >= beta:
            s.side = side ^ 1
            s.ply += 1
            reduction = 3 + depth // 6
            found = -search(s, w, t, evaluate, weights, depth - reduction, ply + 1, -beta, 1 - beta, False)
            s.ply -= 1
            s.side = side
            if w.spent:
                return 0
            if found >= beta:
                return beta if found > DECIDED else found
    enemy = Int(s.army[side ^ 1])
    count = arrange(s, w, ply, first, False)
    best = -FAR
    best_action = 0
    start = alpha
    for i in range(count):
        action = pick(w, ply, i, count)
        attack = enemy >> (action & 31) & 1
        make(s, action >> 5, action & 31)
        if i == 0:
            found = -search(s, w, t, evaluate, weights, depth - 1, ply + 1, -beta, -alpha, True)
        else:
            less = 0
            if w.reductions and depth >= 3 and i >= 3 and not attack and w.scores[ply, i] < 1 << 21:
                less = 1 + (1 if i >= 8 else 0) + (1 if depth >= 8 and i >= 5 else 0)
                if pv and less > 1:
                    less -= 1
            found = -search(s, w, t, evaluate, weights, depth - 1 - less, ply + 1, -alpha - 1, -alpha, True)
            if found > alpha and less:
                found = -search(s, w, t, evaluate, weights, depth - 1, ply + 1, -alpha - 1, -alpha, True)
            if alpha < found < beta:
                found = -search(s, w, t, evaluate, weights, depth - 1, ply + 1, -beta, -alpha, True)
        unmake(s)
        if w.spent:
            return 0
        if found > best:
            best = found
            best_action = action
            if found > alpha:
                alpha = found
                note(w, ply, action)
                if found >= beta:
                    if not attack:
                        reward(w, side, ply, action, depth)
                    break
    kept = best
    if best > DECIDED:
        kept += ply
    elif best < -DECIDED:
        kept -= ply
    bound = LOWER if best >= beta else (EXACT if best > start else UPPER)
    store(t, whole, Int(w.age), depth, bound, kept, mirror(best_action) if flipped else best_action)
    return best


@compiled
def look(
    s: State,
    w: Work,
    t: Table,
    evaluate: Evaluation,
    weights: Ints,
    depth: Int,
    count: Int,
    alpha: Int,
    beta: Int,
    seconds: Float,
) -> Bool:
    """Look at the root's actions, the first `count` of row 0, in the given window; whether there was time for all."""
    w.deadline = now() + seconds
    w.looked = 0
    w.value = -FAR
    for i in range(count):
        action = Int(w.actions[0, i])
        make(s, action >> 5, action & 31)
        if i == 0:
            found = -search(s, w, t, evaluate, weights, depth - 1, 1, -beta, -alpha, True)
        else:
            found = -search(s, w, t, evaluate, weights, depth - 1, 1, -alpha - 1, -alpha, True)
            if alpha < found < beta:
                found = -search(s, w, t, evaluate, weights, depth - 1, 1, -beta, -alpha, True)
        unmake(s)
        if w.spent:
            return False
        w.looked += 1
        if found > w.value:
            w.value = found
            w.best = i
            note(w, 0, action)
            alpha = max(alpha, found)
            if found >= beta:
                break
    return True
