"""The prospects evaluation and simulated games with a purpose, compiled.

The evaluation counts what each side has and may get; every player can use it. The simulated games (for Monte Carlo
tree search) are cheaper than a search and saner than random play: each group heads for the best catch per step.
"""

import math

import numpy as np

from noctagon.compiled.jit import Float, Floats, Int, Ints, Nothing, compiled, entry
from noctagon.games.vampires.rules.kernel import (
    GOES_ON,
    Compact,
    CompactTurn,
    State,
    ended,
    find_group,
    next_random,
    play,
)
from noctagon.games.vampires.rules.packing import unpack
from noctagon.games.vampires.rules.playout import add_move, any_move, barred, neighbour

WHIM = 0.1
"""Probability that a group steps anywhere, so that no two simulated games are alike."""

PREY = 1.5
"""Worth in humans of an enemy creature that can be beaten for sure."""

NEAR = 2
"""Distance in steps at which a group flees from a hunter."""


# The evaluation.


@compiled
def distance(a: Int, b: Int) -> Int:
    """Return the number of turns from one cell to another: the Chebyshev distance."""
    return max(abs((a & 255) - (b & 255)), abs((a >> 8) - (b >> 8)))


@compiled
def prospects(s: State, weights: Floats) -> Float:
    """Return what the Vampires have and may get, less what the Werewolves have and may get, in creatures.

    Each house counts for the species that can be there first in sufficient number, less with distance; each group
    counts for the enemy group that can hunt it down. Weights: a house's worth, its fading with distance, a prey's
    worth, its fading with distance, the cost of each group.
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


@entry
def prospects_packed(s: State, before: Ints, weights: Floats) -> Float:
    """Return the prospects of a packed position."""
    unpack(s, before)
    return prospects(s, weights)


# Simulated games.


@compiled
def step_towards(cell: Int, goal: Int) -> Int:
    """Return the neighbour of a cell on the way to another."""
    dx, dy = (goal & 255) - (cell & 255), (goal >> 8) - (cell >> 8)
    return cell + min(1, max(-1, dx)) + 256 * min(1, max(-1, dy))


@compiled
def flight(s: Compact, cell: Int, hunter: Int) -> Int:
    """Return the neighbour farthest from a hunter, and of equally far ones the farthest from the border."""
    best, best_value = -1, -1
    for direction in range(9):
        target = neighbour(s, cell, direction)
        if target >= 0:
            x, y = target & 255, target >> 8
            border = min(min(x, s.columns - 1 - x), min(y, s.rows - 1 - y))
            value = 256 * distance(target, hunter) + border
            if value > best_value:
                best, best_value = target, value
    return best


@compiled
def purpose(s: Compact, i: Int) -> Int:
    """Return the cell a group of the mover steps to: from a hunter, to house or prey, to its friends; -1 to stay."""
    us = np.int64(s.mover)
    foe = 1 - us
    cell, count = np.int64(s.group_cell[us, i]), np.int64(s.group_count[us, i])
    goal, best = np.int64(-1), 0.0
    for j in range(s.groups[foe]):
        enemy, size = np.int64(s.group_cell[foe, j]), np.int64(s.group_count[foe, j])
        apart = distance(cell, enemy)
        if 2 * count >= 3 * size:
            value = PREY * size / (apart + 1.0)
            if value > best:
                goal, best = enemy, value
        elif 2 * size >= 3 * count and apart <= NEAR:
            return flight(s, cell, enemy)
    for j in range(s.houses):
        house, humans = np.int64(s.house_cell[j]), np.int64(s.house_count[j])
        if humans <= count:
            value = humans / (distance(cell, house) + 1.0)
            if value > best:
                goal, best = house, value
    if goal < 0:
        nearest = 1000
        for j in range(s.groups[us]):
            friend = np.int64(s.group_cell[us, j])
            if j != i and distance(cell, friend) < nearest:
                goal, nearest = friend, distance(cell, friend)
        if nearest == 1 and i < find_group(s, us, goal):
            return -1  # one waits, the other comes
    return -1 if goal < 0 else step_towards(cell, goal)


@compiled
def purposeful_turn(s: Compact, t: CompactTurn) -> Nothing:
    """Build a turn in which each group follows its purpose, or now and then a whim."""
    t.n = 0
    us = np.int64(s.mover)
    for i in range(s.groups[us]):
        cell, count = np.int64(s.group_cell[us, i]), np.int64(s.group_count[us, i])
        target = purpose(s, i)
        if next_random(t) < WHIM:
            target = neighbour(s, cell, np.int64(next_random(t) * 9.0))
        if target >= 0 and (t.n == 0 or not barred(s, t, cell, target, count)):
            add_move(t, cell, target, count)
    if t.n == 0:
        any_move(s, t)


@compiled
def chance_to_win(s: Compact, weights: Floats) -> Float:
    """Return the Vampires' chance to win, guessed from their prospects: a logistic of the lead's share of everybody."""
    everybody = 1.0 + s.people[0] + s.people[1]
    for i in range(s.houses):
        everybody += 0.5 * s.house_count[i]
    return 1.0 / (1.0 + math.exp(-weights[5] * prospects(s, weights) / everybody))


@entry
def rollouts(s: Compact, t: CompactTurn, packed: Ints, count: Int, turns: Int, weights: Floats) -> Float:
    """Return the Vampires' chance to win: the average of `count` simulated games of at most `turns` turns each."""
    total = 0.0
    for _ in range(count):
        unpack(s, packed)
        left = turns
        how = ended(s)
        while how == GOES_ON and left > 0:
            purposeful_turn(s, t)
            play(s, t)
            left -= 1
            how = ended(s)
        if how == GOES_ON:
            total += chance_to_win(s, weights)
        else:
            winner = how >> 3
            total += 0.5 if winner == 2 else 1.0 - winner
    return total / count
