"""The champion's search, compiled: expectiminimax with alpha-beta, going ever deeper.

The search is a negamax: every value is the mover's, from -SCALE to SCALE, a chance to win or the distance of a sure
win. Four known techniques narrow it:

- principal variation search: after the first turn, a turn is only tested against the best so far, with a window of
  width one, and searched in full where it turns out better;
- late turn reductions: turns far down the list are tested less deeply first;
- null turns: where the mover would stand well enough even after passing, the position is cut off (Donninger, 1993);
- narrowing: the closer to the horizon, the fewer turns are tried.

Turns are tried in the order: the best turn of an earlier search (transposition table), the killer turns (that refuted
other positions at this ply), then by a quick guess (`turns.py`). Beyond the horizon the search goes on while the mover
can eat a group for sure.

A random battle has three outcomes here: the average win, the average loss and, where it is likely enough, that nobody
is left. The sum over the outcomes of a turn's battles is cut as soon as the rest cannot matter (Star1: Ballard, 1983);
it never counts as a decided game, for the average stands for better and worse results.
"""

import math

import numpy as np

from noctagon.compiled.intrinsics import now
from noctagon.compiled.jit import Bool, Float, Floats, Int, Ints, Nothing, compiled, entry
from noctagon.games.vampires.champion.prospects import distance
from noctagon.games.vampires.champion.records import BATTLES, PLIES, Work, restore, save
from noctagon.games.vampires.champion.transposition import (
    EXACT,
    LOWER,
    UPPER,
    Table,
    hashed,
    mixed,
    probe,
    settles,
    store,
    stored_value,
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
"""A number larger than every value."""
OUTCOMES = 3
"""Number of outcomes of a battle: won, lost, nobody is left."""
NOBODY = 0.01
"""Smallest probability at which "nobody is left" is an outcome of its own."""
UNLIKELY = 1e-9
"""Probability below which an outcome of all battles is passed over."""
MILLION, MILLIONTH = 1_000_000, 1e-6
FEWEST, WIDER = 4, 4
"""Number of turns tried at the horizon, and how many more with every ply before it."""
NULL_REDUCTION = 3
"""Plies that passing saves: the position after it is searched less deeply."""

REDUCTIONS, NULL_TURNS, KILLERS, EXTENSIONS, NARROWING = 1, 2, 4, 8, 16
"""Bits of `Work.features`: the techniques that can be switched off."""


# Battles.


@compiled
def list_battle(w: Work, ply: Int, battle: Int, attackers: Int, defenders: Int, humans: Int) -> Int:
    """List the average win and the average loss of a battle, and how likely each is; return the likelier one's die."""
    p = odds(attackers, defenders)
    most = attackers + humans * defenders
    # Each attacker survives a win with probability p, each defender a loss of the attackers with 1 - p.
    none_won, none_lost = p * (1.0 - p) ** most, (1.0 - p) * p**defenders
    nobody = none_won + none_lost
    if nobody < NOBODY:
        nobody = none_won = none_lost = 0.0
    p_won = p - none_won
    p_lost = 1.0 - nobody - p_won
    # The averages over the cases in which somebody survives.
    won = np.int64(math.floor(p * most * (p / p_won) + 0.5))
    lost = np.int64(math.floor((1.0 - p) * defenders * ((1.0 - p) / p_lost) + 0.5))
    if battle < BATTLES:
        w.battles[ply, battle, 0] = np.int64(p_won / MILLIONTH)
        w.battles[ply, battle, 1] = MILLION - w.battles[ply, battle, 0] - np.int64(nobody / MILLIONTH)
        w.battles[ply, battle, 2] = won
        w.battles[ply, battle, 3] = -lost
    return won if p >= 0.5 else -lost


@compiled
def list_battles(s: Compact, t: CompactTurn, w: Work, ply: Int) -> Int:
    """List the random battles of the turn at hand, with a likely die for each; return how many are averaged over."""
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
            t.dice[found] = list_battle(w, ply, found, attackers, defenders, humans)
            found += 1
    return min(found, BATTLES)


@compiled
def set_dice(t: CompactTurn, w: Work, ply: Int, battles: Int, outcome: Int) -> Float:
    """Set the dice to one outcome of the listed battles, of OUTCOMES for each; return its probability."""
    probability = 1.0
    for battle in range(battles):
        result = outcome % OUTCOMES
        outcome //= OUTCOMES
        if result == OUTCOMES - 1:
            t.dice[battle] = 0
            probability *= 1.0 - (w.battles[ply, battle, 0] + w.battles[ply, battle, 1]) * MILLIONTH
        else:
            t.dice[battle] = w.battles[ply, battle, 2 + result]
            probability *= w.battles[ply, battle, result] * MILLIONTH
    return probability


# The order in which turns are tried.


@compiled
def signature(w: Work, ply: Int, turn: Int) -> Int:
    """Return 16 bits that tell a position's turns apart."""
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
    """Move the turn of that signature up to a place in its list; return whether it is listed."""
    for turn in range(place, w.turn_count[ply]):
        if signature(w, ply, turn) == wanted:
            for i in range(turn, place, -1):
                swap(w, ply, i)
            return True
    return False


@compiled
def order_turns(s: Compact, w: Work, ply: Int, depth: Int, known: Int, policy: Floats) -> Nothing:
    """List the turns to try: first the one known from the table (a signature, or -1), then the killer turns."""
    width = np.int64(w.width)
    if w.features & NARROWING:
        width = min(width, FEWEST + WIDER * depth)
    list_turns(s, w, ply, width, policy)
    front = 0
    if known >= 0 and bring_forward(w, ply, known, 0):
        front = 1
    if w.features & KILLERS:
        for i in range(2):
            killer = np.int64(w.killers[ply, i])
            if killer != known and bring_forward(w, ply, killer, front):
                front += 1


@compiled
def keep_killer(w: Work, ply: Int, turn: Int) -> Nothing:
    """Keep a turn that refuted a position, to be tried early in others at the same ply."""
    killer = signature(w, ply, turn)
    if killer != w.killers[ply, 0]:
        w.killers[ply, 1] = w.killers[ply, 0]
        w.killers[ply, 0] = killer


# The search.


@compiled
def out_of_budget(w: Work) -> Bool:
    """Return whether the search must end now; asked once for each position whose turns are tried: clocks cost time."""
    if w.stop or now() >= w.deadline:
        w.spent = 1
    return w.spent != 0


@compiled
def ended_value(how: Int, mover: Int, ply: Int) -> Int:
    """Return the mover's value of a finished game: the sooner a win and the later a loss, the better."""
    winner = how >> 3
    if winner == 2:
        return 0
    return SCALE - ply if winner == mover else ply - SCALE


@compiled
def mover_value(s: Compact, w: Work, evaluate: Evaluation, weights: Floats) -> Int:
    """Return the mover's value of a position by the evaluation alone."""
    value = evaluate(s, w, weights)
    return value if s.mover == 0 else -value


@compiled
def can_kill(s: Compact) -> Bool:
    """Return whether a group of the mover stands beside one that it would eat for sure."""
    us = np.int64(s.mover)
    foe = 1 - us
    for i in range(s.groups[us]):
        for j in range(s.groups[foe]):
            beside = distance(np.int64(s.group_cell[us, i]), np.int64(s.group_cell[foe, j])) == 1
            if beside and 2 * np.int64(s.group_count[us, i]) >= 3 * np.int64(s.group_count[foe, j]):
                return True
    return False


@compiled
def may_pass(s: Compact, w: Work, depth: Int, ply: Int, alpha: Int, beta: Int) -> Bool:
    """Return whether a null turn may be tried: never at the root, twice in a row, or where a value must be exact."""
    return (
        w.features & NULL_TURNS != 0
        and ply > 0
        and w.no_null != ply
        and depth >= NULL_REDUCTION
        and beta - alpha == 1
        and -DECIDED < beta < DECIDED
        and s.ply + 1 < s.plies
    )


@compiled
def note(w: Work, ply: Int, turn: Int, goes_on: Bool) -> Nothing:
    """Make a turn the best line at a ply, followed by the best line below it unless chance comes between them."""
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
    """Return a position's value for the mover: exact between alpha and beta, otherwise a bound.

    Once the budget is spent (`w.spent`) the value means nothing. At the root (ply 0) the turns are listed already,
    and the best so far is written to the record as soon as it is known.
    """
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
        return mover_value(s, w, evaluate, weights)
    if out_of_budget(w):
        return 0

    # No loss can come sooner than at this ply, and no win sooner than at the next.
    alpha = max(alpha, ply - SCALE)
    beta = min(beta, SCALE - ply - 1)
    if alpha >= beta:
        return alpha

    key = hashed(s)
    entry = probe(table, w, key)
    known = np.int64(-1)
    if entry != 0:
        known = entry & 0xFFFF
        value = stored_value(entry, ply)
        if ply > 0 and settles(entry, depth, value, alpha, beta):
            return value

    if may_pass(s, w, depth, ply, alpha, beta) and mover_value(s, w, evaluate, weights) >= beta:
        less = NULL_REDUCTION
        s.mover, s.ply, w.no_null = 1 - s.mover, s.ply + 1, ply + 1
        found = -search(s, t, w, table, evaluate, weights, policy, depth - less, ply + 1, -beta, 1 - beta)
        s.mover, s.ply, w.no_null = 1 - s.mover, s.ply - 1, 0
        if w.spent:
            return 0
        if found >= beta:
            return beta

    if ply > 0:
        order_turns(s, w, ply, depth, known, policy)
    save(s, w, ply)
    start = alpha
    best = -BEYOND
    best_turn = 0
    for turn in range(w.turn_count[ply]):
        if ply == 0 and turn > 0 and out_of_budget(w):
            return best
        load_turn(w, t, ply, turn)
        battles = list_battles(s, t, w, ply)
        if battles == 0:
            play(s, t)
            found = alpha
            if turn > 0:
                # Is it better than the best so far at all? Late turns are asked less deeply first.
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
            if turn == 0 or (alpha < found < beta and not w.spent):
                least = found
                found = -search(s, t, w, table, evaluate, weights, policy, depth - 1, ply + 1, -beta, -alpha)
                if ply == 0 and turn > 0 and w.spent:
                    # Better than all before it, though there was no time to find by how much.
                    w.best, w.value = turn, least
                    note(w, ply, turn, False)
            restore(s, w, ply)
        else:
            # Star1: the outcomes still to come are worth between -rest * SCALE and rest * SCALE. Each outcome's
            # window is what would keep the whole sum between alpha and beta.
            total = 0.0
            rest = 1.0
            for outcome in range(OUTCOMES**battles):
                load_turn(w, t, ply, turn)
                list_battles(s, t, w, ply)
                probability = set_dice(t, w, ply, battles, outcome)
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
        if found <= best:
            continue
        best, best_turn = found, turn
        if ply == 0:
            w.best, w.value = turn, found
        if found > alpha:
            alpha = found
            note(w, ply, turn, battles == 0)
        if found >= beta:
            if w.features & KILLERS and battles == 0:
                keep_killer(w, ply, turn)
            break

    if ply > 0:
        bound = LOWER if best >= beta else (EXACT if best > start else UPPER)
        store(table, key, signature(w, ply, best_turn), bound, depth, best, ply)
    return best


@entry
def root_turns(s: Compact, w: Work, packed: Ints, policy: Floats, most: Int) -> Int:
    """List the turns of a position worth a look, at ply 0; return how many."""
    unpack(s, packed)
    return list_turns(s, w, 0, most, policy)


@entry
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
    """Search the turns listed at ply 0 to a depth; return whether there was time for all of them.

    The best so far is `best` of the first `looked`, with its `value`; its line is at ply 0.
    """
    unpack(s, packed)
    w.deadline = now() + seconds
    w.spent = 0
    w.looked = 0
    w.horizon = depth  # nothing is extended beyond it: where many groups meet that would never end
    search(s, t, w, table, evaluate, weights, policy, depth, 0, -BEYOND, BEYOND)
    return w.spent == 0
