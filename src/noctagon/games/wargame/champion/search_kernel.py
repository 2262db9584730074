"""The champion's search, compiled: principal variation search over a table of positions seen before.

Values are the mover's (negamax). A won game is worth `MATE` less the plies to it, and a value beyond `DECIDED` is
a proof: nothing that leaves moves out can bring one forth.

Three records go from call to call: the position, the searcher's own `Work`, and the `Table` (`table_kernel`),
which several searchers may share; and the tables of endings (`endings_kernel`), which say how a position of three
units ends, turn limit and all.
"""

from noctagon.compiled.intrinsics import borrowed, fetch, lowest, now, size
from noctagon.compiled.jit import Bool, Bytes, Float, Int, Ints, Longs, Nothing, compiled, entry
from noctagon.games.wargame.champion.endings_kernel import verdict
from noctagon.games.wargame.champion.ordering_kernel import (
    KILLERS,
    LOSSY,
    NARROW,
    NULL_MOVE,
    QUIET_CUT,
    REDUCTIONS,
    SYMMETRY,
    TABLE,
    Work,
    arrange,
    note,
    pick,
    prefer,
    reward,
)
from noctagon.games.wargame.champion.table_kernel import (
    EXACT,
    HASH,
    LOWER,
    UPPER,
    Table,
    action_in,
    bound_in,
    depth_in,
    hashed,
    key_of,
    mirror,
    place_of,
    probe,
    store,
    value_in,
)
from noctagon.games.wargame.players.evaluation_kernel import ai_of
from noctagon.games.wargame.players.search_kernel import Evaluation
from noctagon.games.wargame.rules import units
from noctagon.games.wargame.rules.kernel import DEFENDER_DOWN, GOES_ON, State, make, outcome, unmake
from noctagon.games.wargame.rules.tables import AROUND, BESIDE, DAMAGE

MATE = 1_000_000
DECIDED = MATE - 1000
"""Least size of a value that stands for a forced win, and counts its plies."""
FAR = 1 << 24
LATE = 3
"""Depth up to which a null move is tried before the actions are listed; deeper, they are listed while the
table's entry is fetched.
"""
LONGEST_ENDING = 28
"""No ending of three units takes longer to win, the turn limit's own ply counted."""
PATIENCE = 256
"""Number of positions between two looks at the clock."""


@compiled
def ring(w: Work) -> Bool:
    """Return True once the search has to end, by its nodes, its clock or the `stop` flag."""
    if w.stop or w.nodes >= w.most_nodes or now() >= w.deadline:
        w.spent = 1
    w.alarm = min(w.nodes + PATIENCE, w.most_nodes)
    return w.spent != 0


@compiled
def ended_value(stands: Int, side: Int, ply: Int) -> Int:
    """Return a finished game's value for the mover: the nearer to the root, the larger."""
    won = stands == DEFENDER_DOWN
    return MATE - ply if won == (side == units.ATTACKER) else ply - MATE


@compiled
def in_danger(s: State) -> Bool:
    """Return True if the enemy could destroy the mover's AI if it were to act now."""
    side = Int(s.side)
    enemy = Int(s.army[side ^ 1])
    ai = ai_of(s, side)
    health = Int(s.cells[ai]) & 15
    if health <= units.BLAST and Int(AROUND[ai]) & enemy:
        return True
    strikers = Int(BESIDE[ai]) & enemy
    while strikers:
        kind = Int(s.cells[lowest(strikers)]) >> 4 & 7
        strikers &= strikers - 1
        if DAMAGE[kind << 3 | units.AI] >= health:
            return True
    return False


@compiled
def quiet(
    s: State, w: Work, evaluate: Evaluation, weights: Ints, depth: Int, ply: Int, alpha: Int, beta: Int
) -> Int:
    """Search the attacks that pay until none is left (quiescence search); an AI in danger may use any action
    that helps.
    """
    if w.nodes >= w.alarm and ring(w):
        return 0
    w.nodes += 1
    w.lengths[ply] = 0
    side = Int(s.side)
    stands = outcome(s)
    if stands != GOES_ON:
        return ended_value(stands, side, ply)
    danger = depth > 0 and in_danger(s)
    best = ply - MATE
    if not danger:
        value = evaluate(s, weights)
        best = value if side == units.ATTACKER else -value
        if depth == 0 or best >= beta:
            return best
        alpha = max(alpha, best)
    count = arrange(s, w, ply, not danger)
    for i in range(count):
        action = pick(w, ply, i, count)
        if not danger and w.scores[ply, i] < 0:
            break
        make(s, action >> 5, action & 31)
        found = -quiet(s, w, evaluate, weights, depth - 1, ply + 1, -beta, -alpha)
        unmake(s)
        if w.spent:
            return 0
        if found > best:
            best = found
            if found > alpha:
                alpha = found
                note(w, ply, action)
                if found >= beta:
                    break
    return best


@compiled
def can_wait(s: State) -> Bool:
    """Return True if the mover has a Virus or Tech with a free cell beside it: it is never forced to spoil
    its position.
    """
    free = ~(Int(s.army[0]) | Int(s.army[1])) & (1 << 25) - 1
    nimble = Int(s.army[Int(s.side)]) & Int(s.nimble)
    while nimble:
        if Int(BESIDE[lowest(nimble)]) & free:
            return True
        nimble &= nimble - 1
    return False


@compiled
def reach(w: Work, depth: Int) -> Int:
    """Return the distance in plies at which the turn limit may make a difference to a search of this depth."""
    return depth + max(Int(w.quiet), LONGEST_ENDING)


@compiled
def key_at(s: State, w: Work, ply: Int, depth: Int) -> Int:
    """Return the table's key of the position at a ply, searched to this depth."""
    left = Int(s.plies) - Int(s.ply)
    straight, mirrored = w.hashes[ply, 0], w.hashes[ply, 1]
    return key_of(straight, mirrored, Int(s.side), left, reach(w, depth), w.uses & SYMMETRY, w.uses & LOSSY)


@compiled
def advance(s: State, w: Work, t: Table, ply: Int, action: Int, depth: Int) -> Nothing:
    """Play an action, and note the hashes of the position it leads to, which is to be searched to this depth."""
    source = action >> 5
    target = action & 31
    here = source << 8 | Int(s.cells[source])
    there = target << 8 | Int(s.cells[target])
    make(s, source, target)
    if source == target:
        w.hashes[ply + 1, 0] = hashed(s, 0)
        w.hashes[ply + 1, 1] = hashed(s, 1)
    else:
        now_here = source << 8 | Int(s.cells[source])
        now_there = target << 8 | Int(s.cells[target])
        for way in range(2):
            changed = HASH[here, way] ^ HASH[there, way] ^ HASH[now_here, way] ^ HASH[now_there, way]
            w.hashes[ply + 1, way] = w.hashes[ply, way] ^ changed
    if depth > 0 and w.uses & TABLE:
        fetch(t.entries, place_of(key_at(s, w, ply + 1, depth)))


@compiled
def search(
    s: State,
    w: Work,
    t: Table,
    endings: Bytes,
    offsets: Longs,
    evaluate: Evaluation,
    weights: Ints,
    depth: Int,
    ply: Int,
    alpha: Int,
    beta: Int,
    may_pass: Int,
) -> Int:
    """Return a position's value for the mover, exact between alpha and beta; meaningless once the budget is
    spent.

    With `may_pass` a null move is allowed: a mover that may do nothing and still stands above beta is cut
    off.
    """
    if depth <= 0:
        return quiet(s, w, evaluate, weights, Int(w.quiet), ply, alpha, beta)
    if w.nodes >= w.alarm and ring(w):
        return 0
    w.nodes += 1
    w.lengths[ply] = 0
    side = Int(s.side)
    stands = outcome(s)
    if stands != GOES_ON:
        return ended_value(stands, side, ply)
    if size(Int(s.army[0]) | Int(s.army[1])) <= 3:
        plies = verdict(s, endings, offsets)
        if plies:
            worth = MATE - ply - abs(plies)
            return worth if (plies > 0) == (side == units.ATTACKER) else -worth
    pv = beta - alpha > 1 and w.uses & NARROW != 0
    # Nothing here can beat a win that is already found nearer to the root.
    alpha = max(alpha, ply - MATE)
    beta = min(beta, MATE - ply - 1)
    if alpha >= beta:
        return alpha
    uses = Int(w.uses)
    left = Int(s.plies) - Int(s.ply)
    first = -1
    whole = Int(0)
    count = Int(0)
    # Near the leaves the actions are listed first: that hides the time the table's entry takes to come from memory.
    if depth < LATE:
        count = arrange(s, w, ply, False)
    # The entry of an equally deep search may decide at once; that of a shallower one names the action to try first.
    if uses & TABLE:
        whole = key_at(s, w, ply, depth)
        w.probes += 1
        known = probe(t, whole)
        if known:
            first = action_in(known)
            if whole & 1:
                first = mirror(first)
            value = value_in(known)
            if value > DECIDED:
                value -= ply
            elif value < -DECIDED:
                value += ply
            bound = bound_in(known)
            deep = depth_in(known)
            # An entry that looked as far as the turn limit is of no use where the limit comes sooner, unless its key
            # counts the turns that are left.
            timely = reach(w, deep) < left or reach(w, depth) >= left
            tells = (
                bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)
            )
            if not pv and deep >= depth and timely and tells:
                w.hits += 1
                return value
    # Null move: if the mover stands above beta even after doing nothing, an action of its own will hold that as well.
    # Not where it has no harmless move: then to pass is better than anything it may really do (zugzwang).
    passes = may_pass != 0 and uses & NULL_MOVE != 0 and not pv and depth >= LATE and left > 1
    if passes and -DECIDED < beta < DECIDED and can_wait(s):
        static = evaluate(s, weights)
        if side != units.ATTACKER:
            static = -static
        if static >= beta:
            s.side = side ^ 1
            s.ply += 1
            w.hashes[ply + 1, 0] = w.hashes[ply, 0]
            w.hashes[ply + 1, 1] = w.hashes[ply, 1]
            less = 3 + depth // 6
            found = -search(
                s, w, t, endings, offsets, evaluate, weights, depth - less, ply + 1, -beta, 1 - beta, Int(0)
            )
            s.ply -= 1
            s.side = side
            if w.spent:
                return 0
            if found >= beta:
                return beta if found > DECIDED else found
    enemy = Int(s.army[side ^ 1])
    if depth >= LATE:
        count = arrange(s, w, ply, False)
    if first >= 0:
        prefer(w, ply, count, first)
    best = -FAR
    best_action = 0
    start = alpha
    for i in range(count):
        action = pick(w, ply, i, count)
        attack = enemy >> (action & 31) & 1
        full = depth - 1
        advance(s, w, t, ply, action, full)
        # Principal variation search: the first action sets the mark, the others only have to be shown to stay below
        # it, in a window without width and, far down the list, at less depth. One that does not is searched again.
        if i == 0:
            found = -search(
                s, w, t, endings, offsets, evaluate, weights, full, ply + 1, -beta, -alpha, Int(1)
            )
        else:
            less = 0
            if uses & REDUCTIONS and depth >= 3 and i >= 3 and not attack and w.scores[ply, i] < QUIET_CUT:
                less = 1 + (1 if i >= 8 else 0) + (1 if depth >= 8 and i >= 5 else 0)
                if pv and less > 1:
                    less -= 1
            low = -alpha - 1 if uses & NARROW else -beta
            found = -search(
                s, w, t, endings, offsets, evaluate, weights, full - less, ply + 1, low, -alpha, Int(1)
            )
            if found > alpha and less:
                found = -search(
                    s, w, t, endings, offsets, evaluate, weights, full, ply + 1, low, -alpha, Int(1)
                )
            if alpha < found < beta and uses & NARROW:
                found = -search(
                    s, w, t, endings, offsets, evaluate, weights, full, ply + 1, -beta, -alpha, Int(1)
                )
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
                    if not attack and uses & KILLERS:
                        reward(w, side, ply, action, depth)
                    break
    # A win is stored with its distance from here, since the position may be met again at another ply.
    if uses & TABLE:
        kept = best
        if best > DECIDED:
            kept += ply
        elif best < -DECIDED:
            kept -= ply
        bound = LOWER if best >= beta else (EXACT if best > start else UPPER)
        if whole & 1:
            best_action = mirror(best_action)
        store(t, whole, Int(w.age), depth, bound, kept, best_action)
    return best


@entry
def look(
    s: State,
    w: Work,
    t: Table,
    endings: Bytes,
    offsets: Longs,
    evaluate: Evaluation,
    weights: Ints,
    depth: Int,
    count: Int,
    alpha: Int,
    beta: Int,
    seconds: Float,
) -> Bool:
    """Search the root's actions, the first `count` of row 0, in the window; return True if there was time for all.

    `looked` is the number there was time for, `best` the place of the best one in the row, `value` its value. An
    action that turned out better than those before it is the best even if there was no time to find out by how much.
    """
    endings, offsets, weights = borrowed(endings), borrowed(offsets), borrowed(weights)
    w.deadline = now() + seconds
    w.alarm = min(w.nodes, w.most_nodes)
    w.looked = 0
    w.best = -1
    w.value = -FAR
    w.hashes[0, 0] = hashed(s, 0)
    w.hashes[0, 1] = hashed(s, 1)
    for i in range(count):
        action = Int(w.actions[0, i])
        advance(s, w, t, 0, action, depth - 1)
        if i == 0 or not w.uses & NARROW:
            found = -search(
                s, w, t, endings, offsets, evaluate, weights, depth - 1, Int(1), -beta, -alpha, Int(1)
            )
        else:
            found = -search(
                s, w, t, endings, offsets, evaluate, weights, depth - 1, Int(1), -alpha - 1, -alpha, Int(1)
            )
            if not w.spent and alpha < found < beta:
                bound = found
                found = -search(
                    s, w, t, endings, offsets, evaluate, weights, depth - 1, Int(1), -beta, -alpha, Int(1)
                )
                if w.spent:
                    w.value = bound
                    w.best = i
                    w.lengths[1] = 0
                    note(w, 0, action)
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
