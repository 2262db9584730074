"""The champion's search, compiled: expectiminimax by principal variation with a table of positions seen before.

Values are the mover's chance to win, from -SCALE to SCALE. A random battle has two outcomes, the average win and
the average loss; a sum over them is cut as soon as what is left of it cannot matter (Star1).
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from noctagon.games.vampires.engine_turns import CONTENT, PLIES, TURNS, Work, list_turns, load_turn
from noctagon.games.vampires.kernel import (
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
from noctagon.games.vampires.packing import unpack
from noctagon.games.vampires.prospects import distance
from noctagon.games.wargame.stopwatch import now
from noctagon.jit import Bool, Float, Floats, Int, Ints, Nothing, Record, compiled

SCALE = 100_000
"""A won game, less the plies to it."""
DECIDED = SCALE - 1000
FAR = 1 << 24
PATIENCE = 255
ENTRIES = 1 << 20
LATE = 64
MOST_FIGHTS = 3
"""More random battles in one turn are settled by what is likelier."""
UPPER, LOWER, EXACT = 1, 2, 3

TABLE = np.dtype([("entries", np.int64, (ENTRIES, 2))])
if TYPE_CHECKING:
    Table = Any
else:
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
    found = np.int64(s.mover) * 0x1234567
    for i in range(s.houses):
        found += mixed((np.int64(s.house_cell[i]) << 34) + (np.int64(s.house_count[i]) << 2) + 1)
    for i in range(s.groups[0]):
        found += mixed((np.int64(s.group_cell[0, i]) << 34) + (np.int64(s.group_count[0, i]) << 2) + 2)
    for i in range(s.groups[1]):
        found += mixed((np.int64(s.group_cell[1, i]) << 34) + (np.int64(s.group_count[1, i]) << 2) + 3)
    left = np.int64(s.plies - s.ply)
    if left < LATE:
        found += mixed(left << 50)
    return mixed(found)


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


@compiled
def evaluate(s: Compact, weights: Floats) -> Int:
    """The Vampires' chance to win, from -SCALE to SCALE: who has how many, and may get how many more."""
    value = np.float64(s.people[0] - s.people[1])
    everybody = 1.0 + s.people[0] + s.people[1]
    for house in range(s.houses):
        cell, humans = np.int64(s.house_cell[house]), np.int64(s.house_count[house])
        everybody += 0.5 * humans
        nearest0 = 1000
        nearest1 = 1000
        for i in range(s.groups[0]):
            if s.group_count[0, i] >= humans:
                nearest0 = min(nearest0, distance(cell, np.int64(s.group_cell[0, i])))
        for i in range(s.groups[1]):
            if s.group_count[1, i] >= humans:
                nearest1 = min(nearest1, distance(cell, np.int64(s.group_cell[1, i])))
        if nearest0 == 1000 and nearest1 == 1000:
            continue
        lead = nearest1 - nearest0 if s.mover == 1 else nearest1 - nearest0 + 1
        near = math.exp(-0.1 * (nearest0 if lead > 0 else nearest1))
        worth = humans * (weights[10] * near + weights[11] * near * near * near * near)
        if -1 <= lead <= 1 and max(nearest0, nearest1) < 1000:
            worth += weights[17] * humans * near
        value += worth if lead > 0 else -worth
    biggest0 = 0
    biggest1 = 0
    for j in range(s.groups[1]):
        biggest1 = max(biggest1, np.int64(s.group_count[1, j]))
    for i in range(s.groups[0]):
        vampires = np.int64(s.group_count[0, i])
        biggest0 = max(biggest0, vampires)
        hunter = 1000
        for j in range(s.groups[1]):
            werewolves = np.int64(s.group_count[1, j])
            if 2 * vampires < 3 * werewolves:
                apart = distance(np.int64(s.group_cell[0, i]), np.int64(s.group_cell[1, j]))
                if 2 * werewolves >= 3 * vampires:
                    hunter = min(hunter, apart)
                else:
                    value += weights[13] * (vampires - werewolves) * math.exp(-0.2 * apart)
        if hunter < 1000:
            value -= weights[12] * vampires * math.exp(-0.5 * hunter)
    for j in range(s.groups[1]):
        werewolves = np.int64(s.group_count[1, j])
        hunter = 1000
        for i in range(s.groups[0]):
            if 2 * np.int64(s.group_count[0, i]) >= 3 * werewolves:
                hunter = min(hunter, distance(np.int64(s.group_cell[0, i]), np.int64(s.group_cell[1, j])))
        if hunter < 1000:
            value += weights[12] * werewolves * math.exp(-0.5 * hunter)
    value += weights[14] * (s.groups[0] - s.groups[1]) + weights[15] * (biggest0 - biggest1)
    return np.int64(DECIDED * math.tanh(weights[16] * value / everybody))


@compiled
def ended_value(how: Int, mover: Int, ply: Int) -> Int:
    winner = how >> 3
    if winner == 2:
        return 0
    return SCALE - ply if winner == mover else ply - SCALE


@compiled
def spent(w: Work) -> Bool:
    if w.stop or w.nodes >= w.most_nodes or (w.nodes & PATIENCE == 0 and now() >= w.deadline):
        w.spent = 1
    return w.spent != 0


@compiled
def fights(s: Compact, t: CompactTurn, w: Work, ply: Int) -> Int:
    """List the random battles of the turn at hand: attackers, defenders, 1 if these are humans."""
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
            won = np.int64(math.floor(p * (attackers + humans * defenders) + 0.5))
            lost = -np.int64(math.floor((1.0 - p) * defenders + 0.5))
            if found < MOST_FIGHTS:
                w.fights[ply, found, 0] = np.int64(p * 1_000_000)
                w.fights[ply, found, 1] = won
                w.fights[ply, found, 2] = lost
            t.dice[found] = won if p >= 0.5 else lost
            found += 1
    return min(found, MOST_FIGHTS)


@compiled
def note(w: Work, ply: Int, turn: Int) -> Nothing:
    length = np.int64(w.lengths[ply + 1])
    w.lines[ply, 0] = turn
    for i in range(min(length, PLIES - 2)):
        w.lines[ply, i + 1] = w.lines[ply + 1, i]
    w.lengths[ply] = min(length + 1, PLIES - 1)


@compiled
def signature(w: Work, ply: Int, turn: Int) -> Int:
    """A short number that tells the turns of a position apart."""
    found = np.int64(0)
    for move in range(w.turn_n[ply, turn]):
        found += mixed(
            (np.int64(w.turn_moves[ply, turn, move, 0]) << 40)
            + (np.int64(w.turn_moves[ply, turn, move, 1]) << 18)
            + w.turn_moves[ply, turn, move, 2]
        )
    return mixed(found) & 0xFFFF


@compiled
def swap(w: Work, ply: Int, i: Int) -> Nothing:
    """Exchange a turn with the one before it."""
    n = max(np.int64(w.turn_n[ply, i]), np.int64(w.turn_n[ply, i - 1]))
    for move in range(n):
        for k in range(3):
            kept = w.turn_moves[ply, i, move, k]
            w.turn_moves[ply, i, move, k] = w.turn_moves[ply, i - 1, move, k]
            w.turn_moves[ply, i - 1, move, k] = kept
    w.turn_n[ply, i], w.turn_n[ply, i - 1] = w.turn_n[ply, i - 1], w.turn_n[ply, i]
    w.turn_score[ply, i], w.turn_score[ply, i - 1] = w.turn_score[ply, i - 1], w.turn_score[ply, i]


@compiled
def bring_first(w: Work, ply: Int, turn: Int) -> Nothing:
    """Move a turn to the front of its list."""
    for i in range(turn, 0, -1):
        swap(w, ply, i)


@compiled
def search(
    s: Compact,
    t: CompactTurn,
    w: Work,
    table: Table,
    weights: Floats,
    width: Int,
    depth: Int,
    ply: Int,
    alpha: Int,
    beta: Int,
) -> Int:
    """A position's value for the mover, exact between alpha and beta; meaningless once the budget is spent."""
    w.nodes += 1
    w.lengths[ply] = 0
    how = ended(s)
    if how != GOES_ON:
        return ended_value(how, np.int64(s.mover), ply)
    if depth <= 0 or ply >= PLIES - 2:
        value = evaluate(s, weights)
        return value if s.mover == 0 else -value
    if spent(w):
        return 0
    key = hashed(s)
    place = key & ENTRIES - 1
    first = -1
    w.probes += 1
    data = table.entries[place, 1]
    if table.entries[place, 0] ^ data == key and data != 0:
        w.hits += 1
        first = data & 0xFFFF
        value = (data >> 32) - (1 << 20)
        bound = data >> 16 & 3
        if data >> 18 & 63 >= depth and ply > 0:
            if bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha):
                return value
    count = list_turns(s, w, ply, width if ply else TURNS, weights)
    if first >= 0:
        for turn in range(count):
            if signature(w, ply, turn) == first:
                bring_first(w, ply, turn)
                break
    save(s, w, ply)
    start = alpha
    best = -FAR
    best_turn = 0
    for turn in range(count):
        load_turn(w, t, ply, turn)
        battles = fights(s, t, w, ply)
        if battles == 0:
            play(s, t)
            if turn == 0:
                found = -search(s, t, w, table, weights, width, depth - 1, ply + 1, -beta, -alpha)
            else:
                less = 1 if depth >= 3 and turn >= 6 else 0
                found = -search(s, t, w, table, weights, width, depth - 1 - less, ply + 1, -alpha - 1, -alpha)
                if found > alpha and (less or found < beta):
                    found = -search(s, t, w, table, weights, width, depth - 1, ply + 1, -beta, -alpha)
            restore(s, w, ply)
        else:
            total = 0.0
            rest = 1.0
            for outcome in range(1 << battles):
                load_turn(w, t, ply, turn)
                fights(s, t, w, ply)
                probability = 1.0
                for battle in range(battles):
                    p = w.fights[ply, battle, 0] / 1_000_000
                    if outcome >> battle & 1:
                        t.dice[battle] = w.fights[ply, battle, 2]
                        probability *= 1.0 - p
                    else:
                        t.dice[battle] = w.fights[ply, battle, 1]
                        probability *= p
                if probability < 1e-9:
                    continue
                rest -= probability
                low = max(-SCALE - 1.0, (alpha - total - rest * SCALE) / probability)
                high = min(SCALE + 1.0, (beta - total + rest * SCALE) / probability)
                if low >= high:
                    break
                play(s, t)
                value = -search(
                    s,
                    t,
                    w,
                    table,
                    weights,
                    width,
                    depth - 1,
                    ply + 1,
                    -np.int64(math.ceil(high)),
                    -np.int64(math.floor(low)),
                )
                restore(s, w, ply)
                if w.spent:
                    return 0
                total += probability * value
                if total + rest * SCALE <= alpha:
                    total += rest * SCALE
                    break
                if total - rest * SCALE >= beta:
                    total -= rest * SCALE
                    break
            found = np.int64(math.floor(total + 0.5))
            w.lengths[ply + 1] = 0
        if w.spent:
            return 0
        if found > best:
            best = found
            best_turn = turn
            if found > alpha:
                alpha = found
                note(w, ply, turn)
                if found >= beta:
                    break
    bound = LOWER if best >= beta else (EXACT if best > start else UPPER)
    data = signature(w, ply, best_turn) | bound << 16 | depth << 18 | best + (1 << 20) << 32
    table.entries[place, 0] = key ^ data
    table.entries[place, 1] = data
    if ply == 0:
        w.best = best_turn
        w.value = best
    return best


@compiled
def think(
    s: Compact,
    t: CompactTurn,
    w: Work,
    table: Table,
    packed: Ints,
    weights: Floats,
    width: Int,
    depth: Int,
    seconds: Float,
) -> Bool:
    """One look at a position so many plies deep; whether there was time for it. The best turn is moved to `best`."""
    unpack(s, packed)
    w.deadline = now() + seconds
    w.spent = 0
    search(s, t, w, table, weights, width, depth, 0, -FAR, FAR)
    return w.spent == 0
