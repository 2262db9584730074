"""The champion's search, compiled: expectiminimax by principal variation with a table of positions seen before.

Values are the mover's, from -SCALE to SCALE: the chance to win, or how soon a sure win comes. A random battle has
three outcomes, the average win, the average loss, and, where it is likely enough, that nobody is left; a sum over them
is cut as soon as what is left of it cannot matter (Star1), and never says that a game is decided. Several searchers
may share the table: an entry is two words, the second XORed into the first, so that one torn by a race is not taken
for a true one.
"""

import math

import numpy as np

from noctagon.compiled.intrinsics import now
from noctagon.compiled.jit import Bool, Float, Floats, Int, Ints, Nothing, compiled
from noctagon.games.vampires.champion.prospects import distance
from noctagon.games.vampires.champion.records import (
    ENTRIES,
    FIGHTS,
    PLIES,
    Table,
    Work,
    hashed,
    mixed,
    restore,
    save,
)
from noctagon.games.vampires.champion.turns import list_turns, load_turn, swap
from noctagon.games.vampires.champion.value import DECIDED, SCALE, Evaluation
from noctagon.games.vampires.rules.kernel import (
    GOES_ON,
    Compact,
    CompactTurn,
    arrivals,
    ended,
    find_group,
    find_house,
    is_random,
    odds,
    play,
)
from noctagon.games.vampires.rules.packing import unpack

BEYOND = 1 << 24
"""Beyond every value."""
UPPER, LOWER, EXACT = 1, 2, 3
UNLIKELY = 1e-9
MILLION, MILLIONTH = 1_000_000, 1e-6
OUTCOMES = 3
"""How a battle ends: won, lost, or with nobody left …"""
NOBODY = 0.01
"""… which is looked at only where it is at least so likely."""
FEWEST, WIDER = 4, 4
"""So many turns are tried at the horizon, and so many more with every ply before it."""

# What may be switched off.
REDUCTIONS, NULL_TURNS, KILLERS, EXTENSIONS, NARROWING = 1, 2, 4, 8, 16


@compiled
def ended_value(how: Int, mover: Int, ply: Int) -> Int:
    """A finished game for the mover: how many plies from the root it took."""
    winner = how >> 3
    if winner == 2:
        return 0
    return SCALE - ply if winner == mover else ply - SCALE


@compiled
def spent(w: Work) -> Bool:
    """Whether the search has to end here; called where the actions are tried, for the clock costs something."""
    if w.stop or now() >= w.deadline:
        w.spent = 1
    return w.spent != 0


@compiled
def list_fights(s: Compact, t: CompactTurn, w: Work, ply: Int) -> Int:
    """List the random battles of the turn at hand: how likely somebody survives on either side, and how many then."""
    found = 0
    for i in range(t.n):
        attackers = arrivals(t, i) if t.n > 1 else np.int64(t.moves[i, 2])
        if attackers == 0:
            continue
        cell = np.int64(t.moves[i, 4]) * 256 + t.moves[i, 3]
        humans = 0
        defenders = np.int64(0)
        where = find_group(s, 1 - s.mover, cell)
        if where >= 0:
            defenders = np.int64(s.group_count[1 - s.mover, where])
        else:
            where = find_house(s, cell)
            if where >= 0:
                humans = 1
                defenders = np.int64(s.house_count[where])
        if where >= 0 and is_random(s, attackers, defenders, humans) == 1:
            p = odds(attackers, defenders)
            most = attackers + humans * defenders
            none_won, none_lost = p * (1.0 - p) ** most, (1.0 - p) * p**defenders
            nobody = none_won + none_lost
            if nobody < NOBODY:
                nobody = none_won = none_lost = 0.0
            p_won = p - none_won
            p_lost = 1.0 - nobody - p_won
            won = np.int64(math.floor(p * most * (p / p_won) + 0.5))
            lost = np.int64(math.floor((1.0 - p) * defenders * ((1.0 - p) / p_lost) + 0.5))
            if found < FIGHTS:
                w.fights[ply, found, 0] = np.int64(p_won / MILLIONTH)
                w.fights[ply, found, 1] = MILLION - w.fights[ply, found, 0] - np.int64(nobody / MILLIONTH)
                w.fights[ply, found, 2] = won
                w.fights[ply, found, 3] = -lost
            t.dice[found] = won if p >= 0.5 else -lost
            found += 1
    return min(found, FIGHTS)


@compiled
def set_dice(t: CompactTurn, w: Work, ply: Int, fights: Int, outcome: Int) -> Float:
    """Write one outcome of the battles at hand, of OUTCOMES for each, as dice; how likely it is."""
    probability = 1.0
    for fight in range(fights):
        how = outcome % OUTCOMES
        outcome //= OUTCOMES
        if how == OUTCOMES - 1:
            t.dice[fight] = 0
            probability *= 1.0 - (w.fights[ply, fight, 0] + w.fights[ply, fight, 1]) * MILLIONTH
        else:
            t.dice[fight] = w.fights[ply, fight, 2 + how]
            probability *= w.fights[ply, fight, how] * MILLIONTH
    return probability


@compiled
def note(w: Work, ply: Int, turn: Int, goes_on: Bool) -> Nothing:
    """The best line at a ply is now this turn, and the best line below it unless chance comes in between."""
    n = np.int64(w.turn_n[ply, turn])
    w.line_n[ply, 0] = n
    for move in range(n):
        for k in range(3):
            w.line_moves[ply, 0, move, k] = w.turn_moves[ply, turn, move, k]
    length = Int(w.lengths[ply + 1]) if goes_on else 0
    for i in range(min(length, PLIES - 2)):
        n = np.int64(w.line_n[ply + 1, i])
        w.line_n[ply, i + 1] = n
        for move in range(n):
            for k in range(3):
                w.line_moves[ply, i + 1, move, k] = w.line_moves[ply + 1, i, move, k]
    w.lengths[ply] = min(length, PLIES - 2) + 1


@compiled
def signature(w: Work, ply: Int, turn: Int) -> Int:
    """A short number that tells the turns of a position apart."""
    found = np.int64(0)
    for move in range(w.turn_n[ply, turn]):
        found ^= mixed(
            (np.int64(w.turn_moves[ply, turn, move, 0]) << 44)
            + (np.int64(w.turn_moves[ply, turn, move, 1]) << 16)
            + w.turn_moves[ply, turn, move, 2]
        )
    return found & 0xFFFF


@compiled
def bring_forward(w: Work, ply: Int, wanted: Int, place: Int) -> Bool:
    """Move the turn of that signature to a place at the front of its list; whether there is one."""
    for turn in range(place, w.turn_count[ply]):
        if signature(w, ply, turn) == wanted:
            for i in range(turn, place, -1):
                swap(w, ply, i)
            return True
    return False


@compiled
def can_kill(s: Compact) -> Bool:
    """Whether the mover has a group beside one that it would eat for sure."""
    us = np.int64(s.mover)
    foe = 1 - us
    for i in range(s.groups[us]):
        for j in range(s.groups[foe]):
            beside = distance(np.int64(s.group_cell[us, i]), np.int64(s.group_cell[foe, j])) == 1
            if beside and 2 * np.int64(s.group_count[us, i]) >= 3 * np.int64(s.group_count[foe, j]):
                return True
    return False


@compiled
def search(
    s: Compact,
    t: CompactTurn,
    w: Work,
    table: Table,
    evaluate: Evaluation,
    weights: Floats,
    policy: Floats,
    depth: Int,
    ply: Int,
    alpha: Int,
    beta: Int,
) -> Int:
    """A position's value for the mover, exact between alpha and beta; meaningless once the budget is spent."""
    if w.nodes >= w.most_nodes:
        w.spent = 1
        return 0
    w.nodes += 1
    w.lengths[ply] = 0
    how = ended(s)
    if how != GOES_ON:
        return ended_value(how, np.int64(s.mover), ply)
    if depth <= 0 and w.features & EXTENSIONS and ply <= w.horizon and can_kill(s):
        depth = 1
    if depth <= 0 or ply >= PLIES - 2:
        value = evaluate(s, w, weights)
        return value if s.mover == 0 else -value
    if spent(w):
        return 0
    alpha = max(alpha, ply - SCALE)
    beta = min(beta, SCALE - ply - 1)
    if alpha >= beta:
        return alpha
    key = hashed(s)
    place = key & ENTRIES - 1
    first = np.int64(-1)
    w.probes += 1
    data = table.entries[place, 1]
    if table.entries[place, 0] ^ data == key and data != 0:
        w.hits += 1
        first = data & 0xFFFF
        value = (data >> 32) - (1 << 22)
        if value > DECIDED:
            value -= ply
        elif value < -DECIDED:
            value += ply
        bound = data >> 16 & 3
        known = data >> 18 & 63 >= depth and ply > 0
        if known and (
            bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)
        ):
            return value
    if (
        w.features & NULL_TURNS
        and ply > 0
        and w.no_null != ply  # never twice in a row
        and depth >= 3
        and beta - alpha == 1
        and -DECIDED < beta < DECIDED
        and s.ply + 1 < s.plies
    ):
        value = evaluate(s, w, weights)
        if s.mover == 1:
            value = -value
        if value >= beta:
            s.mover = 1 - s.mover
            s.ply += 1
            w.no_null = ply + 1
            found = -search(s, t, w, table, evaluate, weights, policy, depth - 3, ply + 1, -beta, 1 - beta)
            w.no_null = 0
            s.ply -= 1
            s.mover = 1 - s.mover
            if w.spent:
                return 0
            if found >= beta:
                return beta
    if ply > 0:
        width = np.int64(w.width)
        if w.features & NARROWING:
            width = min(width, FEWEST + WIDER * depth)
        list_turns(s, w, ply, width, policy)
    count = np.int64(w.turn_count[ply])
    front = 0
    if ply > 0 and first >= 0 and bring_forward(w, ply, first, 0):
        front = 1
    if w.features & KILLERS and ply > 0:
        for i in range(2):
            wanted = np.int64(w.killers[ply, i])
            if wanted != first and bring_forward(w, ply, wanted, front):
                front += 1
    save(s, w, ply)
    start = alpha
    best = -BEYOND
    best_turn = 0
    for turn in range(count):
        if ply == 0 and turn > 0 and spent(w):
            return best
        load_turn(w, t, ply, turn)
        fights = list_fights(s, t, w, ply)
        if fights == 0:
            play(s, t)
            if turn == 0:
                found = -search(s, t, w, table, evaluate, weights, policy, depth - 1, ply + 1, -beta, -alpha)
            else:
                less = 0
                if w.features & REDUCTIONS and depth >= 3 and turn >= 4:
                    less = 1 if turn < 10 else 2
                found = -search(
                    s, t, w, table, evaluate, weights, policy, depth - 1 - less, ply + 1, -alpha - 1, -alpha
                )
                if found > alpha and less:
                    found = -search(
                        s, t, w, table, evaluate, weights, policy, depth - 1, ply + 1, -alpha - 1, -alpha
                    )
                if alpha < found < beta and not w.spent:
                    least = found
                    found = -search(
                        s, t, w, table, evaluate, weights, policy, depth - 1, ply + 1, -beta, -alpha
                    )
                    if ply == 0 and w.spent:  # better than all before it; how much, there was no time to say
                        w.best, w.value = turn, least
                        note(w, ply, turn, False)
            restore(s, w, ply)
        else:
            total = 0.0
            rest = 1.0
            for outcome in range(OUTCOMES**fights):
                load_turn(w, t, ply, turn)
                list_fights(s, t, w, ply)
                probability = set_dice(t, w, ply, fights, outcome)
                if probability < UNLIKELY:
                    continue
                rest -= probability
                low = max(-SCALE - 1.0, (alpha - total - rest * SCALE) / probability)
                high = min(SCALE + 1.0, (beta - total + rest * SCALE) / probability)
                play(s, t)
                lower, upper = np.int64(math.floor(low)), np.int64(math.ceil(high))
                value = -search(s, t, w, table, evaluate, weights, policy, depth - 1, ply + 1, -upper, -lower)
                restore(s, w, ply)
                if w.spent:
                    break
                total += probability * value
                if total + rest * SCALE <= alpha:
                    total += rest * SCALE
                    break
                if total - rest * SCALE >= beta:
                    total -= rest * SCALE
                    break
            found = max(1 - DECIDED, min(DECIDED - 1, np.int64(math.floor(total + 0.5))))
        if w.spent:
            return best
        if ply == 0:
            w.looked = turn + 1
        if found > best:
            best = found
            best_turn = turn
            if ply == 0:
                w.best, w.value = turn, found
            if found > alpha:
                alpha = found
                note(w, ply, turn, fights == 0)
                if found >= beta:
                    if w.features & KILLERS and fights == 0:
                        mark = signature(w, ply, turn)
                        if mark != w.killers[ply, 0]:
                            w.killers[ply, 1] = w.killers[ply, 0]
                            w.killers[ply, 0] = mark
                    break
    kept = best
    if best > DECIDED:
        kept += ply
    elif best < -DECIDED:
        kept -= ply
    bound = LOWER if best >= beta else (EXACT if best > start else UPPER)
    data = signature(w, ply, best_turn) | bound << 16 | depth << 18 | kept + (1 << 22) << 32
    if ply > 0:
        table.entries[place, 0] = key ^ data
        table.entries[place, 1] = data
    return best


@compiled
def root_turns(s: Compact, w: Work, packed: Ints, policy: Floats, most: Int) -> Int:
    """List the turns of a position worth a look, at ply 0; how many."""
    unpack(s, packed)
    return list_turns(s, w, 0, most, policy)


@compiled
def look(
    s: Compact,
    t: CompactTurn,
    w: Work,
    table: Table,
    evaluate: Evaluation,
    weights: Floats,
    policy: Floats,
    packed: Ints,
    depth: Int,
    seconds: Float,
) -> Bool:
    """One look, so many plies deep, at the turns listed at ply 0; whether there was time for all of them.

    The best so far is `best` of the `looked` first, with its `value`; its line is at ply 0.
    """
    unpack(s, packed)
    w.deadline = now() + seconds
    w.spent = 0
    w.looked = 0
    w.horizon = depth  # beyond it nothing is extended: where many groups meet it would never end
    search(s, t, w, table, evaluate, weights, policy, depth, 0, -BEYOND, BEYOND)
    return w.spent == 0
