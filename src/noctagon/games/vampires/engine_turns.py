"""The turns worth a search, compiled: what each group may do, combined, the most promising first.

A group steps to a neighbour, stays, or sends parts of itself to two houses; each option is scored by what it
leads to. The options of the groups are combined group by group, keeping the best sums (a beam).
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from noctagon.games.vampires.kernel import SERVER, Compact, CompactTurn, find_group, find_house, odds
from noctagon.games.vampires.prospects import distance
from noctagon.jit import Bool, Float, Floats, Int, Nothing, Record, compiled

PLIES = 48
"""No search goes deeper."""
GROUPS = 8
"""So many groups act in one turn: the largest."""
OPTIONS = 20
"""What one group may do at most."""
TURNS = 48
"""The longest list of turns."""
MOVES = 16
"""The most moves in one of them."""
CONTENT = 4 + 2 * (512 + 2 * 128)
"""How many numbers a position is saved in."""

SPLIT_BELOW = 6
"""With so many groups, nobody splits any more."""
NEAREST = 6
"""Splits are for the so many most promising houses."""

LAYOUT = np.dtype(
    [
        ("nodes", np.int64),
        ("most_nodes", np.int64),
        ("probes", np.int64),
        ("hits", np.int64),
        ("deadline", np.float64),
        ("value", np.int64),
        ("best", np.int32),
        ("looked", np.int32),
        ("age", np.int32),
        ("stop", np.uint8),
        ("spent", np.uint8),
        ("rival", np.int32, 512),
        ("order", np.int32, 128),
        ("promising", np.int32, 16),
        ("option_count", np.int32, GROUPS),
        ("option_parts", np.int32, (GROUPS, OPTIONS)),
        ("option_moves", np.int32, (GROUPS, OPTIONS, 2, 2)),
        ("option_score", np.float64, (GROUPS, OPTIONS)),
        ("beam_count", np.int32, 2),
        ("beam_n", np.int32, (2, TURNS)),
        ("beam_moves", np.int32, (2, TURNS, MOVES, 3)),
        ("beam_score", np.float64, (2, TURNS)),
        ("turn_count", np.int32, PLIES),
        ("turn_n", np.int32, (PLIES, TURNS)),
        ("turn_moves", np.int32, (PLIES, TURNS, MOVES, 3)),
        ("turn_score", np.float64, (PLIES, TURNS)),
        ("saved", np.int32, (PLIES, CONTENT)),
        ("killers", np.int64, PLIES),
        ("lengths", np.int32, PLIES + 1),
        ("lines", np.int32, (PLIES + 1, PLIES)),
        ("fights", np.int32, (PLIES, 4, 3)),
    ],
    align=True,
)

if TYPE_CHECKING:
    Work = Any
else:
    Work = Record(LAYOUT)


@compiled
def rivals(s: Compact, w: Work) -> Nothing:
    """How far from each house the nearest enemy is that can take it."""
    foe = 1 - s.mover
    for i in range(s.houses):
        cell, humans = np.int64(s.house_cell[i]), np.int64(s.house_count[i])
        nearest = 1000
        for j in range(s.groups[foe]):
            if s.group_count[foe, j] >= humans:
                nearest = min(nearest, distance(cell, np.int64(s.group_cell[foe, j])))
        w.rival[i] = nearest


@compiled
def appeal(s: Compact, w: Work, source: Int, cell: Int, count: Int, weights: Floats) -> Float:
    """How good it looks that so many come to a cell from another, in creatures."""
    us = np.int64(s.mover)
    foe = 1 - us
    value = 0.0
    size = np.float64(count)
    i = find_house(s, cell)
    if i >= 0:
        humans = np.int64(s.house_count[i])
        if count >= humans:
            value += weights[0] * humans
            size += humans
        else:
            p = odds(count, humans)
            value += weights[0] * (p * p * (count + humans) - count)
    else:
        i = find_group(s, foe, cell)
        if i >= 0:
            enemy = np.int64(s.group_count[foe, i])
            if 2 * count >= 3 * enemy:
                value += weights[1] * enemy
            elif s.server != SERVER and 2 * enemy >= 3 * count:
                return -10.0 * count
            else:
                p = odds(count, enemy)
                value += weights[2] * (enemy * (1.0 - (1.0 - p) * (1.0 - p)) - count * (1.0 - p * p))
    best = 0.0
    total = 0.0
    for j in range(s.houses):
        house = np.int64(s.house_cell[j])
        humans = np.int64(s.house_count[j])
        if house != cell and humans <= size:
            away = distance(cell, house)
            worth = humans / (away + 1.0)
            if w.rival[j] < away:
                worth *= weights[3]
            best = max(best, worth)
            total += worth
    for j in range(s.groups[foe]):
        where, enemy = np.int64(s.group_cell[foe, j]), np.int64(s.group_count[foe, j])
        away = distance(cell, where)
        if away == 0:
            continue
        if 2 * size >= 3 * enemy:
            best = max(best, weights[4] * enemy / (away + 1.0))
        elif 2 * enemy >= 3 * size and away <= 2:
            value -= size * (weights[5] if away == 1 else weights[6])
    for j in range(s.groups[us]):
        where = np.int64(s.group_cell[us, j])
        if where != source:
            value += weights[7] * s.group_count[us, j] / (distance(cell, where) + 1.0)
    return value + best + 0.1 * total


@compiled
def offer(
    w: Work, group: Int, most: Int, score: Float, parts: Int, n1: Int, to1: Int, n2: Int, to2: Int
) -> Nothing:
    """Put an option into a group's list, which stays sorted and at most so long."""
    count = np.int64(w.option_count[group])
    if count >= most:
        if w.option_score[group, count - 1] >= score:
            return
        count -= 1
    i = count
    while i > 0 and w.option_score[group, i - 1] < score:
        w.option_score[group, i] = w.option_score[group, i - 1]
        w.option_parts[group, i] = w.option_parts[group, i - 1]
        for part in range(2):
            w.option_moves[group, i, part, 0] = w.option_moves[group, i - 1, part, 0]
            w.option_moves[group, i, part, 1] = w.option_moves[group, i - 1, part, 1]
        i -= 1
    w.option_score[group, i] = score
    w.option_parts[group, i] = parts
    w.option_moves[group, i, 0, 0], w.option_moves[group, i, 0, 1] = n1, to1
    w.option_moves[group, i, 1, 0], w.option_moves[group, i, 1, 1] = n2, to2
    w.option_count[group] = count + 1


@compiled
def step(cell: Int, goal: Int) -> Int:
    dx, dy = (goal & 255) - (cell & 255), (goal >> 8) - (cell >> 8)
    return cell + min(1, max(-1, dx)) + 256 * min(1, max(-1, dy))


@compiled
def splits(s: Compact, w: Work, group: Int, cell: Int, count: Int, staying: Float, weights: Floats) -> Nothing:
    """Offer to split a group: a part for one house, a part for another, in several sizes."""
    most = min(np.int64(w.option_count[group]) + 4, OPTIONS - 1)
    less = staying + weights[8] * count
    chosen = 0
    for i in range(s.houses):
        humans = np.int64(s.house_count[i])
        if humans >= count:
            continue
        worth = humans / (distance(cell, np.int64(s.house_cell[i])) + 1.0)
        if chosen == NEAREST:
            last = np.int64(w.promising[chosen - 1])
            if worth <= s.house_count[last] / (distance(cell, np.int64(s.house_cell[last])) + 1.0):
                continue
            chosen -= 1
        j = chosen
        while j > 0:
            before = np.int64(w.promising[j - 1])
            if s.house_count[before] / (distance(cell, np.int64(s.house_cell[before])) + 1.0) >= worth:
                break
            w.promising[j] = w.promising[j - 1]
            j -= 1
        w.promising[j] = i
        chosen += 1
    for a in range(chosen):
        i = np.int64(w.promising[a])
        humans1, to1 = np.int64(s.house_count[i]), step(cell, np.int64(s.house_cell[i]))
        for b in range(a + 1, chosen):
            j = np.int64(w.promising[b])
            humans2, to2 = np.int64(s.house_count[j]), step(cell, np.int64(s.house_cell[j]))
            if to1 == to2 or humans1 + humans2 > count:
                continue
            part = min(max(humans1, count // 2), count - humans2)
            score = appeal(s, w, cell, to1, part, weights) + appeal(s, w, cell, to2, count - part, weights)
            offer(w, group, most, score - less, 2, part, to1, count - part, to2)
            if part != humans1:
                score = appeal(s, w, cell, to1, humans1, weights)
                score += appeal(s, w, cell, to2, count - humans1, weights)
                offer(w, group, most, score - less, 2, humans1, to1, count - humans1, to2)
            if part != count - humans2:
                score = appeal(s, w, cell, to1, count - humans2, weights)
                score += appeal(s, w, cell, to2, humans2, weights)
                offer(w, group, most, score - less, 2, count - humans2, to1, humans2, to2)


@compiled
def barred(s: Compact, w: Work, side: Int, turn: Int, cell: Int, target: Int, count: Int) -> Bool:
    """Whether the moves of a turn so far forbid one more (rules 5 and 7)."""
    arriving = count
    for i in range(w.beam_n[side, turn]):
        if w.beam_moves[side, turn, i, 0] == target or w.beam_moves[side, turn, i, 2] == cell:
            return True
        if w.beam_moves[side, turn, i, 2] == target:
            arriving += w.beam_moves[side, turn, i, 1]
    return s.server == SERVER and arriving > 255


@compiled
def extend(s: Compact, w: Work, side: Int, turn: Int, group: Int, option: Int, cell: Int) -> Nothing:
    """Add a turn with one option more to the other beam, if it is legal and good enough."""
    parts = np.int64(w.option_parts[group, option])
    if w.beam_n[side, turn] + parts > MOVES:
        return
    for part in range(parts):
        if barred(
            s,
            w,
            side,
            turn,
            cell,
            np.int64(w.option_moves[group, option, part, 1]),
            np.int64(w.option_moves[group, option, part, 0]),
        ):
            return
    other = 1 - side
    score = w.beam_score[side, turn] + w.option_score[group, option]
    count = np.int64(w.beam_count[other])
    if count == TURNS:
        if w.beam_score[other, count - 1] >= score:
            return
        count -= 1
    i = count
    while i > 0 and w.beam_score[other, i - 1] < score:
        w.beam_score[other, i] = w.beam_score[other, i - 1]
        w.beam_n[other, i] = w.beam_n[other, i - 1]
        for move in range(w.beam_n[other, i]):
            for k in range(3):
                w.beam_moves[other, i, move, k] = w.beam_moves[other, i - 1, move, k]
        i -= 1
    n = np.int64(w.beam_n[side, turn])
    for move in range(n):
        for k in range(3):
            w.beam_moves[other, i, move, k] = w.beam_moves[side, turn, move, k]
    for part in range(parts):
        w.beam_moves[other, i, n, 0] = cell
        w.beam_moves[other, i, n, 1] = w.option_moves[group, option, part, 0]
        w.beam_moves[other, i, n, 2] = w.option_moves[group, option, part, 1]
        n += 1
    w.beam_n[other, i] = n
    w.beam_score[other, i] = score
    w.beam_count[other] = count + 1


@compiled
def list_turns(s: Compact, w: Work, ply: Int, most: Int, weights: Floats) -> Int:
    """Write the turns worth a look at a ply, the most promising first; how many."""
    us = np.int64(s.mover)
    rivals(s, w)
    groups = np.int64(s.groups[us])
    for i in range(groups):
        j = i
        while j > 0 and s.group_count[us, np.int64(w.order[j - 1])] < s.group_count[us, i]:
            w.order[j] = w.order[j - 1]
            j -= 1
        w.order[j] = i
    movers = min(groups, GROUPS)
    each = 9 if movers == 1 else 7 if movers == 2 else 5 if movers == 3 else 4 if movers == 4 else 3
    w.beam_count[0] = 1
    w.beam_n[0, 0] = 0
    w.beam_score[0, 0] = 0.0
    side = 0
    for group in range(movers):
        i = np.int64(w.order[group])
        cell, count = np.int64(s.group_cell[us, i]), np.int64(s.group_count[us, i])
        w.option_count[group] = 0
        staying = appeal(s, w, cell, cell, count, weights)
        offer(w, group, OPTIONS, 0.0, 0, 0, 0, 0, 0)
        x, y = cell & 255, cell >> 8
        for ty in range(max(y - 1, 0), min(y + 2, s.rows)):
            for tx in range(max(x - 1, 0), min(x + 2, s.columns)):
                target = ty * 256 + tx
                if target != cell:
                    score = appeal(s, w, cell, target, count, weights) - staying
                    offer(w, group, each, score, 1, count, target, 0, 0)
        if groups < SPLIT_BELOW and count > 1:
            splits(s, w, group, cell, count, staying, weights)
        other = 1 - side
        w.beam_count[other] = 0
        for turn in range(w.beam_count[side]):
            stays = False
            for option in range(w.option_count[group]):
                extend(s, w, side, turn, group, option, cell)
                if w.option_parts[group, option] == 0:
                    stays = True
            if not stays:  # whoever is barred from everything stays
                w.option_parts[group, OPTIONS - 1] = 0
                w.option_score[group, OPTIONS - 1] = -0.5 * count
                extend(s, w, side, turn, group, OPTIONS - 1, cell)
        side = other
    found = 0
    for turn in range(w.beam_count[side]):
        if w.beam_n[side, turn] > 0 and found < most:
            n = np.int64(w.beam_n[side, turn])
            w.turn_n[ply, found] = n
            w.turn_score[ply, found] = w.beam_score[side, turn]
            for move in range(n):
                for k in range(3):
                    w.turn_moves[ply, found, move, k] = w.beam_moves[side, turn, move, k]
            found += 1
    w.turn_count[ply] = found
    return found


@compiled
def load_turn(w: Work, t: CompactTurn, ply: Int, turn: Int) -> Nothing:
    """A listed turn as the rules kernel wants it."""
    n = np.int64(w.turn_n[ply, turn])
    t.n = n
    for move in range(n):
        source, count, target = (
            w.turn_moves[ply, turn, move, 0],
            w.turn_moves[ply, turn, move, 1],
            w.turn_moves[ply, turn, move, 2],
        )
        t.moves[move, 0], t.moves[move, 1], t.moves[move, 2] = source & 255, source >> 8, count
        t.moves[move, 3], t.moves[move, 4] = target & 255, target >> 8
