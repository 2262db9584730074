"""The champion's learned evaluation, compiled: a small neural network over houses, groups and the whole board.

A board holds any number of houses and groups in no order, so the network is a deep set (Zaheer et al., 2017): every
house and every group is described by a few numbers, as the mover sees it, and goes through a layer shared by its kind;
the results are summed, apart for houses, own groups and enemies. Two more layers take the sums and a description of
the whole position. All layers are rectified linear (negative sums become 0).

The output is added to the weighted sum of `value.py`: the network learned only the correction to it. How it was
trained is described in lab/training/README.md.

The weights are one row: those of `value.py`, then for each layer a row for each input, and the biases.
"""

import math

import numpy as np

from noctagon.compiled.jit import Bool, Float, Floats, Int, Ints, Nothing, compiled, entry
from noctagon.compiled.real_layers import add, dense
from noctagon.games.vampires.champion.prospects import distance
from noctagon.games.vampires.champion.records import RACERS, Work
from noctagon.games.vampires.champion.value import (
    DECIDED,
    FAR,
    HUNT_FADE,
    SLOW_FADE,
    SOON_FADE,
    STEEPNESS,
    balance,
    everybody,
    humans,
    is_harvest,
    nearest,
    scattered,
)
from noctagon.games.vampires.rules.kernel import SERVER, Compact
from noctagon.games.vampires.rules.packing import unpack

HOUSE, GROUP, WHOLE = 16, 20, 28
"""Number of inputs that describe a house, a group, the whole position."""
HIDDEN, LAST, FINAL = 32, 32, 16
"""Number of outputs of the layer of a house or a group, and of the two last layers."""
POOLED = 4 * HIDDEN + WHOLE
"""Number of inputs of the two last layers: houses, houses by size, own groups, enemies, the whole position."""
IN, MID, OUT, POOL = 0, 32, 64, 96
"""Places in `Work.net` of a description, of a layer's outputs, of the last but one layer's outputs, of the sums."""
SIZE = (HOUSE + 1) * HIDDEN + (GROUP + 1) * HIDDEN + (POOLED + 1) * LAST + (LAST + 1) * FINAL + FINAL + 1
"""Number of weights of a network."""

FEW = 40
"""Number of creatures below which, with no houses left, a position is unlike any in training."""

MID_FADE = np.exp(-0.2 * np.arange(1024))
RACE_FADE = np.exp(-0.04 * np.arange(1024))


@compiled
def fade(away: Int) -> Float:
    """Return a distance as an input: from 1 for nearest down to 0 for nobody."""
    return MID_FADE[away] if away < FAR else 0.0


@compiled
def fade_fast(away: Int) -> Float:
    """Return a distance as an input that tells near from nearest."""
    return HUNT_FADE[away] if away < 256 else 0.0


@compiled
def fade_slowly(away: Int) -> Float:
    """Return a distance as an input that tells far from farther."""
    return SLOW_FADE[away] if away < 256 else 0.0


@compiled
def within(value: Float, most: Float) -> Float:
    """Return a value cut off at plus and minus `most`."""
    return max(-most, min(most, value))


@compiled
def largest(s: Compact, species: Int) -> Float:
    """Return the size of a species' largest group, at least 1."""
    found = np.int64(1)
    for i in range(s.groups[species]):
        found = max(found, np.int64(s.group_count[species, i]))
    return np.float64(found)


@compiled
def describe_house(
    s: Compact, w: Work, house: Int, total: Float, our_best: Float, their_best: Float
) -> Nothing:
    """Describe a house: its size, the distance of those who can take it and of anybody, and who wins it in the race.

    Distances and race are left in the record by `balance`, which must have run; so in the other descriptions.
    """
    us = np.int64(s.mover)
    cell, inside = np.int64(s.house_cell[house]), np.int64(s.house_count[house])
    ours, theirs = Int(w.reach[us, house]), Int(w.reach[1 - us, house])
    lead = np.float64(min(theirs, 12) - min(ours, 12))
    x = w.net
    x[0] = 8.0 * inside / total
    x[1], x[2] = fade(ours), fade_fast(ours)
    x[3], x[4] = fade(theirs), fade_fast(theirs)
    x[5] = within(0.25 * lead, 1.0)
    x[6] = 0.0 if ours >= FAR and theirs >= FAR else 1.0 if ours <= theirs else -1.0
    x[7], x[8] = fade(nearest(s, us, cell)), fade(nearest(s, 1 - us, cell))
    x[9], x[10] = min(2.0, inside / our_best), min(2.0, inside / their_best)
    for k in range(11, 15):
        x[k] = 0.0
    taker = np.int64(w.race_taken[house])
    if taker:
        when = np.int64(w.race_when[house])
        k = 11 if taker - 1 == us else 13
        x[k], x[k + 1] = RACE_FADE[when], SOON_FADE[when]
    x[15] = 1.0 if abs(lead) <= 1.0 and ours < FAR and theirs < FAR else 0.0


@compiled
def describe_group(s: Compact, w: Work, species: Int, i: Int, total: Float) -> Nothing:
    """Describe a group: its size, hunters, prey, who is near, the distance to the border, and the humans it may eat."""
    foe = 1 - species
    cell, count = np.int64(s.group_cell[species, i]), np.int64(s.group_count[species, i])
    hunter, prey, enemy, friend, house = FAR, FAR, FAR, FAR, FAR
    prey_count, friend_count, food = np.int64(0), np.int64(0), np.int64(0)
    enemy_count, strongest = np.int64(1), np.int64(1)
    for j in range(s.groups[foe]):
        other = np.int64(s.group_count[foe, j])
        away = distance(cell, np.int64(s.group_cell[foe, j]))
        strongest = max(strongest, other)
        if 2 * other >= 3 * count:
            hunter = min(hunter, away)
        if 2 * count >= 3 * other and (away < prey or (away == prey and other > prey_count)):
            prey, prey_count = away, other
        if away < enemy or (away == enemy and other > enemy_count):
            enemy, enemy_count = away, other
    for j in range(s.groups[species]):
        if j != i:
            away = distance(cell, np.int64(s.group_cell[species, j]))
            if away < friend:
                friend, friend_count = away, np.int64(s.group_count[species, j])
    for h in range(s.houses):
        inside = np.int64(s.house_count[h])
        if inside <= count:
            away = distance(cell, np.int64(s.house_cell[h]))
            if away < house or (away == house and inside > food):
                house, food = away, inside
    x = w.net
    x[0] = 4.0 * count / total
    x[1] = min(3.0, count / np.float64(strongest))
    x[2] = min(3.0, count / max(1.0, np.float64(s.people[foe])))
    x[3], x[4] = fade_fast(hunter), fade_slowly(hunter)
    x[5], x[6] = fade_fast(prey), fade_slowly(prey)
    x[7] = 4.0 * prey_count / total
    x[8] = fade_fast(enemy)
    x[9] = within(math.log(count / np.float64(enemy_count)), 1.0) if enemy < FAR else 0.0
    x[10] = x[8] * x[9]
    x[11] = fade_fast(friend)
    x[12] = 4.0 * friend_count / total
    column, row = cell & 255, cell >> 8
    x[13] = 1.0 / (1.0 + min(column, s.columns - 1 - column))
    x[14] = 1.0 / (1.0 + min(row, s.rows - 1 - row))
    goal = np.int64(w.racer_first[species, i]) if i < RACERS else -1
    x[15] = 8.0 * s.house_count[goal] / total if goal >= 0 else 0.0
    x[16] = fade(house)
    x[17] = 8.0 * food / total
    x[18] = min(3.0, w.strength[species, i] / np.float64(strongest))
    x[19] = 1.0 if s.mover == species else 0.0


@compiled
def describe_whole(s: Compact, w: Work, total: Float, known: Float) -> Nothing:
    """Describe the whole position: the hand-made evaluation, creatures now and after the race, turns left, board."""
    us = np.int64(s.mover)
    foe = 1 - us
    ours, theirs = np.float64(s.people[us]), np.float64(s.people[foe])
    our_best, their_best = largest(s, us), largest(s, foe)
    left = np.float64(s.plies - s.ply)
    uneaten = humans(s)
    x = w.net
    x[0], x[1] = known, math.tanh(known)
    x[2], x[3], x[4] = ours / total, theirs / total, uneaten / total
    x[5] = np.sign(ours - theirs) * 10.0 / (10.0 + left)
    x[6] = np.sign(ours - theirs)
    x[7] = within((ours - theirs) / (1.0 + uneaten), 1.0)
    x[8], x[9] = math.exp(-left / 8.0), math.exp(-left / 40.0)
    x[10] = math.log(total) / 6.0
    x[11], x[12] = min(2.0, s.groups[us] / 4.0), min(2.0, s.groups[foe] / 4.0)
    x[13], x[14] = our_best / total, their_best / total
    x[15] = within(math.log(our_best / max(1.0, theirs)), 2.0)
    x[16] = within(math.log(their_best / max(1.0, ours)), 2.0)
    x[17] = within(math.log(max(1.0, ours) / max(1.0, theirs)), 2.0)
    x[18], x[19] = max(s.rows, s.columns) / 20.0, min(s.rows, s.columns) / 20.0
    x[20] = 1.0 if s.server == SERVER else 0.0
    x[21], x[22] = scattered(s, us) / total, scattered(s, foe) / total
    x[23] = min(2.0, s.houses / 16.0)
    ours += w.race_gain[us]
    theirs += w.race_gain[foe]
    x[24], x[25] = ours / total, theirs / total
    x[26] = within(math.log(max(1.0, ours) / max(1.0, theirs)), 2.0)
    x[27] = np.float64((s.plies - s.ply) & 1)


@compiled
def hunts(best: Float, others: Float) -> Bool:
    """Return whether a group is sure to win against that many others."""
    return 2.0 * best >= 3.0 * others


@compiled
def chance(s: Compact, w: Work, weights: Floats) -> Float:
    """Return the mover's chance to win, as a number whose hyperbolic tangent is from -1 to 1.

    The network is not asked where only the hunt is left (one group could eat all enemies and whomever these may still
    convert): such games were as good as won in training, so it does not know how to finish them. Nor where few are
    left with nothing to eat, nor in a harvest: it was trained on smaller boards with fewer houses.
    """
    us = np.int64(s.mover)
    known = weights[STEEPNESS] * balance(s, w, weights) / everybody(s)
    if us == 1:
        known = -known
    our_best, their_best = largest(s, us), largest(s, 1 - us)
    uneaten = humans(s)
    ours, theirs = s.people[us] + 0.5 * uneaten, s.people[1 - us] + 0.5 * uneaten
    few = s.houses == 0 and s.people[0] + s.people[1] < FEW
    if few or is_harvest(s) or hunts(our_best, theirs) or hunts(their_best, ours):
        return known
    total = uneaten + s.people[0] + s.people[1]
    for o in range(4 * HIDDEN):
        w.net[POOL + o] = 0.0
    at = STEEPNESS + 1
    for house in range(s.houses):
        describe_house(s, w, house, total, our_best, their_best)
        dense(w.net, IN, HOUSE, weights, at, HIDDEN, MID)
        add(w.net, MID, HIDDEN, 1.0, POOL)
        add(w.net, MID, HIDDEN, 8.0 * s.house_count[house] / total, POOL + HIDDEN)
    at += (HOUSE + 1) * HIDDEN
    for side in range(2):
        species = us if side == 0 else 1 - us
        for i in range(s.groups[species]):
            describe_group(s, w, species, i, total)
            dense(w.net, IN, GROUP, weights, at, HIDDEN, MID)
            add(w.net, MID, HIDDEN, 1.0, POOL + (2 + side) * HIDDEN)
    at += (GROUP + 1) * HIDDEN
    describe_whole(s, w, total, known)
    for i in range(WHOLE):
        w.net[POOL + 4 * HIDDEN + i] = w.net[IN + i]
    dense(w.net, POOL, POOLED, weights, at, LAST, OUT)
    at += (POOLED + 1) * LAST
    dense(w.net, OUT, LAST, weights, at, FINAL, MID)
    at += (LAST + 1) * FINAL
    # The output: one weighted sum, without rectification, on top of the hand-made evaluation.
    # The output: one weighted sum, without rectification, on top of the hand-made evaluation.
    value = known + weights[at + FINAL]
    for o in range(FINAL):
        value += w.net[MID + o] * weights[at + o]
    return value


@entry
def evaluate(s: Compact, w: Work, weights: Floats) -> Int:
    """Return the Vampires' chance to win, from -DECIDED to DECIDED."""
    value = np.int64((DECIDED - 1) * math.tanh(chance(s, w, weights)))
    return value if s.mover == 0 else -value


@entry
def learned_packed(s: Compact, w: Work, packed: Ints, weights: Floats) -> Float:
    """Return the balance for the Vampires in creatures, by the hand-made evaluation and the network together."""
    unpack(s, packed)
    value = chance(s, w, weights) * everybody(s) / weights[STEEPNESS]
    return value if s.mover == 0 else -value
