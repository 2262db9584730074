"""The champion's hand-made evaluation, compiled: a weighted sum of terms for the Vampires, in creatures.

The terms are the creatures each side has, the houses within its reach, what it gains in a race for the houses, what
it can hunt, and how close together it is. The weights were fitted to the results of the champion's games against
itself (docs/champions-log.md); `network.py` adds a learned correction and turns the sum into a chance to win.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from noctagon.compiled.jit import Bool, Float, Floats, Int, Ints, Nothing, Record, compiled, entry
from noctagon.games.vampires.champion.prospects import distance
from noctagon.games.vampires.champion.records import RACERS, Work
from noctagon.games.vampires.rules.kernel import COMPACT, Compact
from noctagon.games.vampires.rules.packing import unpack

SCALE = 1_000_000
"""Value of a won game, before the plies to it are taken off."""
DECIDED = SCALE - 1000
"""Largest value of an undecided game; a larger one is a sure win and tells its distance in plies."""

if TYPE_CHECKING:
    Evaluation = Any
else:
    Evaluation = types.FunctionType(types.int64(Record(COMPACT).types[0], Work.types[0], Floats))

(
    CREATURES,
    AHEAD_LATE,
    SAFE_LEAD,
    HOUSES,
    HOUSES_NEAR,
    RACE,
    RACE_SOON,
    HUNTED,
    CORNERED,
    STALKED,
    STRONGEST,
    SCATTERED,
    STEEPNESS,
) = range(13)
"""Places of the weights."""

FAR = 1000
"""Distance of what cannot be reached."""
MEETING = 2
"""Maximum distance in steps of the friends that count towards a group's strength."""
RACE_STEPS, HARVEST_STEPS = 24, 100
"""Number of houses that the race hands out: usually, and in a harvest."""
HARVEST_HOUSES, HARVEST_CELLS = 40, 26 * 26
"""Number of houses above which, on a board of at least so many cells, a game is a harvest: the race hands out more
houses, disputed ones first, and late gains count nearly as much as early ones."""
PUT_OFF, PUT_OFF_STEPS = 0.3, 12
"""Steps added to a house's distance for each step that the enemy is farther from it, and how many steps count: a
house that nobody disputes can wait."""
LATEST = 1000
"""Latest ply that the race tells apart."""
SLOW_FADE = np.exp(-0.1 * np.arange(256))
"""Share of a house's or prey's worth that is left at each distance in steps."""
FAST_FADE = np.exp(-0.4 * np.arange(256))
HUNT_FADE = np.exp(-0.5 * np.arange(256))
RACE_FADE = np.exp(-0.02 * np.arange(1024))
SOON_FADE = np.exp(-0.15 * np.arange(1024))
"""Share of a race gain's worth that is left after each number of plies."""


@compiled
def is_harvest(s: Compact) -> Bool:
    """Return True if humans are so plentiful that the better eater wins."""
    return s.houses > HARVEST_HOUSES and Int(s.rows) * s.columns >= HARVEST_CELLS


@compiled
def find_strengths(s: Compact, w: Work) -> Nothing:
    """Find each group's strength: its size together with friends a few steps away."""
    for species in range(2):
        for i in range(s.groups[species]):
            strength = np.int64(0)
            cell = np.int64(s.group_cell[species, i])
            for j in range(s.groups[species]):
                if distance(cell, np.int64(s.group_cell[species, j])) <= MEETING:
                    strength += np.int64(s.group_count[species, j])
            w.strength[species, i] = strength


@compiled
def reach(s: Compact, w: Work, species: Int, cell: Int, humans: Int) -> Int:
    """Return the distance of the nearest group that can take a house; meeting friends first costs one step."""
    nearest = FAR
    for i in range(s.groups[species]):
        if w.strength[species, i] >= humans:
            away = distance(cell, np.int64(s.group_cell[species, i]))
            if s.group_count[species, i] < humans:
                away += 1
            nearest = min(nearest, away)
    return nearest


@compiled
def nearest(s: Compact, species: Int, cell: Int) -> Int:
    """Return the distance of a species' nearest group, whatever its size."""
    found = FAR
    for i in range(s.groups[species]):
        found = min(found, distance(cell, np.int64(s.group_cell[species, i])))
    return found


@compiled
def strongest(s: Compact, w: Work, species: Int) -> Int:
    """Return the largest strength of a species' groups."""
    found = np.int64(0)
    for i in range(s.groups[species]):
        found = max(found, np.int64(w.strength[species, i]))
    return found


@compiled
def houses_worth(s: Compact, w: Work, weights: Floats) -> Float:
    """Return the houses' worth to the Vampires: each counts for the species that is there first, less with distance."""
    value = 0.0
    for house in range(s.houses):
        cell, humans = np.int64(s.house_cell[house]), np.int64(s.house_count[house])
        ours, theirs = reach(s, w, 0, cell, humans), reach(s, w, 1, cell, humans)
        w.reach[0, house], w.reach[1, house] = ours, theirs
        if ours < FAR or theirs < FAR:
            first = ours <= theirs if s.mover == 0 else ours < theirs
            away = ours if first else theirs
            worth = humans * (weights[HOUSES] * SLOW_FADE[away] + weights[HOUSES_NEAR] * FAST_FADE[away])
            value += worth if first else -worth
    return value


@compiled
def choose_house(s: Compact, w: Work, species: Int, i: Int) -> Nothing:
    """Choose a racer's next house: of those it can take and nobody has, the one with the most humans per step."""
    cell = np.int64(w.racer_cell[species, i])
    count = np.int64(w.racer_count[species, i])
    enough = count + w.racer_friends[species, i]
    goal, steps, most, longest = -1, 0, 0.0, 1.0
    for house in range(s.houses):
        humans = np.int64(s.house_count[house])
        if w.race_taken[house] or humans > enough:
            continue
        away = distance(cell, np.int64(s.house_cell[house]))
        if humans > count:
            away += 1
        takes = away + 0.5 + w.race_wait[species, house]
        if humans * longest > most * takes:  # more humans per step, without a division
            goal, steps, most, longest = house, away, np.float64(humans), takes
    w.racer_goal[species, i] = goal
    if goal >= 0:
        w.racer_arrival[species, i] = w.racer_free[species, i] + 2 * (steps - 1)


@compiled
def begin_race(s: Compact, w: Work) -> Int:
    """Start the race: every group of both sides heads for a house; return the number of houses to hand out."""
    harvest = is_harvest(s)
    for house in range(s.houses):
        w.race_taken[house] = 0
        lead = 0
        if harvest:
            cell = np.int64(s.house_cell[house])
            lead = nearest(s, 1, cell) - nearest(s, 0, cell)
        w.race_wait[0, house] = PUT_OFF * max(0, min(lead, PUT_OFF_STEPS))
        w.race_wait[1, house] = PUT_OFF * max(0, min(-lead, PUT_OFF_STEPS))
    for species in range(2):
        w.race_gain[species] = 0
        for i in range(min(s.groups[species], RACERS)):
            w.racer_cell[species, i] = s.group_cell[species, i]
            w.racer_count[species, i] = s.group_count[species, i]
            w.racer_free[species, i] = 0 if species == s.mover else 1
            w.racer_first[species, i] = -1
            w.racer_friends[species, i] = w.strength[species, i] - s.group_count[species, i]
            choose_house(s, w, species, i)
    return HARVEST_STEPS if harvest else RACE_STEPS


@compiled
def next_house(s: Compact, w: Work) -> Int:
    """Let the racer that arrives first take its house and grow; return the house, or -1 if no racer has one."""
    winner = -1
    runner = 0
    earliest = np.int64(s.plies - s.ply)
    for species in range(2):
        for i in range(min(s.groups[species], RACERS)):
            goal = np.int64(w.racer_goal[species, i])
            if goal >= 0 and w.race_taken[goal]:
                choose_house(s, w, species, i)
            if w.racer_goal[species, i] >= 0 and w.racer_arrival[species, i] < earliest:
                winner, runner, earliest = species, i, np.int64(w.racer_arrival[species, i])
    if winner < 0:
        return -1
    goal = np.int64(w.racer_goal[winner, runner])
    humans = np.int64(s.house_count[goal])
    w.race_taken[goal] = 1 + winner
    w.race_when[goal] = min(earliest, LATEST)
    w.race_gain[winner] += humans
    if w.racer_first[winner, runner] < 0:
        w.racer_first[winner, runner] = goal
    w.racer_cell[winner, runner] = s.house_cell[goal]
    w.racer_count[winner, runner] += humans
    w.racer_free[winner, runner] = earliest + 2
    return goal


@compiled
def race_worth(s: Compact, w: Work, worth: Float, worth_soon: Float) -> Float:
    """Return how much more the Vampires gain if every group keeps taking the best house it can, growing as it goes.

    This greedy race simulates who eats what without a search: groups are few and humans do not move.
    """
    steps = begin_race(s, w)
    harvest = is_harvest(s)
    value = 0.0
    for _ in range(steps):
        house = next_house(s, w)
        if house < 0:
            break
        when = np.int64(w.race_when[house])
        late = RACE_FADE[when // 4 if harvest else when]
        gain = s.house_count[house] * (worth * late + worth_soon * SOON_FADE[when])
        value += gain if w.race_taken[house] == 1 else -gain
    return value


@compiled
def race_goals(s: Compact, w: Work) -> Nothing:
    """Run the race only until every group of the mover has taken its first house, or never will."""
    us = np.int64(s.mover)
    for _ in range(begin_race(s, w)):
        waiting = False
        for i in range(min(s.groups[us], RACERS)):
            waiting |= w.racer_goal[us, i] >= 0 and w.racer_first[us, i] < 0
        if not waiting or next_house(s, w) < 0:
            break


@compiled
def hunt_worth(s: Compact, prey: Int, weights: Floats) -> Float:
    """Return what a species stands to lose to hunters: its groups that an enemy can eat for sure, by distance."""
    value = 0.0
    hunters = 1 - prey
    for i in range(s.groups[prey]):
        cell, count = np.int64(s.group_cell[prey, i]), np.int64(s.group_count[prey, i])
        nearest = FAR
        for j in range(s.groups[hunters]):
            if 2 * np.int64(s.group_count[hunters, j]) >= 3 * count:
                nearest = min(nearest, distance(cell, np.int64(s.group_cell[hunters, j])))
        if nearest < FAR:
            x, y = cell & 255, cell >> 8
            border = min(x, s.columns - 1 - x) + min(y, s.rows - 1 - y)
            close = weights[HUNTED] + weights[CORNERED] / (1.0 + border)
            value += count * (HUNT_FADE[nearest] * close + SLOW_FADE[nearest] * weights[STALKED])
    return value


@compiled
def scattered(s: Compact, species: Int) -> Float:
    """Return the creatures of a species apart from its largest group, each counted more the farther it is."""
    largest = 0
    for i in range(s.groups[species]):
        if s.group_count[species, i] > s.group_count[species, largest]:
            largest = i
    value = 0.0
    for i in range(s.groups[species]):
        away = distance(np.int64(s.group_cell[species, i]), np.int64(s.group_cell[species, largest]))
        value += s.group_count[species, i] * (1.0 - SLOW_FADE[away])
    return value


@compiled
def humans(s: Compact) -> Float:
    """Return the number of humans left."""
    total = 0.0
    for house in range(s.houses):
        total += s.house_count[house]
    return total


@compiled
def everybody(s: Compact) -> Float:
    """Return the number of creatures, humans counted half, plus one."""
    return 1.0 + s.people[0] + s.people[1] + 0.5 * humans(s)


@compiled
def balance(s: Compact, w: Work, weights: Floats) -> Float:
    """Return the weighted sum of all terms for the Vampires, in creatures."""
    ahead = np.float64(s.people[0] - s.people[1])
    value = weights[CREATURES] * ahead
    find_strengths(s, w)
    value += houses_worth(s, w, weights) + race_worth(s, w, weights[RACE], weights[RACE_SOON])
    value += hunt_worth(s, 1, weights) - hunt_worth(s, 0, weights)
    value += weights[STRONGEST] * (strongest(s, w, 0) - strongest(s, w, 1))
    people = s.people[0] + s.people[1]
    apart = scattered(s, 1) - scattered(s, 0)
    # Being scattered is no fault while there are humans to eat.
    value += weights[SCATTERED] * apart * people / (people + 4.0 * humans(s))
    # A lead counts more the closer the end, and more where the humans left cannot turn it.
    lead = weights[AHEAD_LATE] * 10.0 / (10.0 + s.plies - s.ply)
    if abs(ahead) > humans(s):
        lead += weights[SAFE_LEAD]
    return value + everybody(s) * np.sign(ahead) * lead


@entry
def balance_packed(s: Compact, w: Work, packed: Ints, weights: Floats) -> Float:
    """Return the balance of a packed position."""
    unpack(s, packed)
    return balance(s, w, weights)
