"""A quick evaluation, compiled: who has more, who will get which house, who hunts whom."""

import numpy as np

from noctagon.compiled.jit import Float, Floats, Int, Ints, compiled
from noctagon.games.vampires.rules.kernel import State
from noctagon.games.vampires.rules.packing import unpack


@compiled
def distance(a: Int, b: Int) -> Int:
    """How many turns from cell to cell."""
    return max(abs((a & 255) - (b & 255)), abs((a >> 8) - (b >> 8)))


@compiled
def prospects(s: State, weights: Floats) -> Float:
    """What the Vampires have and may get, less what the Werewolves have and may get, in creatures.

    Each house counts for whoever can be there first in sufficient number, and the less the farther it is;
    each group counts for the enemy group that can hunt it down. Weights: a house's worth, its fading with
    distance, a prey's worth, its fading with distance, the cost of being spread out.
    """
    value = np.float64(s.people[0] - s.people[1])
    for house in range(s.houses):
        cell = np.int64(s.house_cell[house])
        nearest0 = 1000
        nearest1 = 1000
        for i in range(s.groups[0]):
            if s.group_count[0, i] >= s.house_count[house]:
                nearest0 = min(nearest0, distance(cell, np.int64(s.group_cell[0, i])))
        for i in range(s.groups[1]):
            if s.group_count[1, i] >= s.house_count[house]:
                nearest1 = min(nearest1, distance(cell, np.int64(s.group_cell[1, i])))
        worth = weights[0] * s.house_count[house]
        lead = nearest1 - nearest0 if s.mover == 1 else nearest1 - nearest0 + 1
        if nearest0 < 1000 and lead > 0:
            value += worth * weights[1] ** nearest0
        elif nearest1 < 1000 and lead <= 0:
            value -= worth * weights[1] ** nearest1
    for i in range(s.groups[0]):
        for j in range(s.groups[1]):
            vampires = np.int64(s.group_count[0, i])
            werewolves = np.int64(s.group_count[1, j])
            apart = distance(np.int64(s.group_cell[0, i]), np.int64(s.group_cell[1, j]))
            if 2 * vampires >= 3 * werewolves:
                value += weights[2] * werewolves * weights[3] ** apart
            elif 2 * werewolves >= 3 * vampires:
                value -= weights[2] * vampires * weights[3] ** apart
    return value - weights[4] * (s.groups[0] - s.groups[1])


@compiled
def prospects_packed(s: State, before: Ints, weights: Floats) -> Float:
    unpack(s, before)
    return prospects(s, weights)
