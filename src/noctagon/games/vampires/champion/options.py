"""The options of one group, compiled: step, stay, or split in two, each with a quick guess at its worth.

The guess, in creatures, is a sum of three: what the group meets on the cell (`landing`), who is near it there
(`company`), and what it can get next (`outlook`). It only chooses and orders the turns to search; its weights (the
`policy`) were found by matches.
"""

import numpy as np

from noctagon.compiled.jit import Bool, Float, Floats, Int, Nothing, compiled
from noctagon.games.vampires.champion.prospects import distance, step_towards
from noctagon.games.vampires.champion.records import OPTIONS, RACERS, Work
from noctagon.games.vampires.rules.kernel import SERVER, Compact, find_group, find_house, odds

GOALS = 6
"""Maximum number of goals of a split: the most promising houses and enemies."""
SPLIT_REACH = 3
"""Maximum distance of a goal in steps."""
SPLIT_OPTIONS = 4
"""Maximum number of splits listed for a group."""

SURE_DEATH = 10.0
"""Cost per creature of certain death."""

EATEN, KILLED, FOUGHT, RIVALLED, PREY, BESIDE_HUNTER, NEAR_HUNTER, FRIENDS, SPLIT, SHARED, GOAL = range(11)
"""Places of the weights in the policy."""


@compiled
def find_rivals(s: Compact, w: Work) -> Nothing:
    """Find, for each house, the distance of the nearest enemy that can take it and of the mover's two nearest."""
    us = np.int64(s.mover)
    for i in range(s.houses):
        cell, humans = np.int64(s.house_cell[i]), np.int64(s.house_count[i])
        nearest = 1000
        for j in range(s.groups[1 - us]):
            if s.group_count[1 - us, j] >= humans:
                nearest = min(nearest, distance(cell, np.int64(s.group_cell[1 - us, j])))
        w.rival[i] = nearest
        first = 1000
        second = 1000
        owner = -1
        for j in range(s.groups[us]):
            if s.group_count[us, j] >= humans:
                away = distance(cell, np.int64(s.group_cell[us, j]))
                if away < first:
                    first, second, owner = away, first, j
                elif away < second:
                    second = away
        w.friend[i], w.other_friend[i], w.friend_group[i] = first, second, owner


@compiled
def helpers(s: Compact, cell: Int) -> Int:
    """Return the number of the mover's creatures one step from a cell."""
    us = np.int64(s.mover)
    total = np.int64(0)
    for i in range(s.groups[us]):
        if distance(cell, np.int64(s.group_cell[us, i])) == 1:
            total += np.int64(s.group_count[us, i])
    return total


@compiled
def landing(s: Compact, cell: Int, house: Int, count: Int, policy: Floats) -> Float:
    """Return the worth of what `count` creatures meet on a cell: humans in `house` (or -1), or enemies.

    A target that two groups can only take together is credited to each by its share; `list_turns` takes the credit
    back where they do not come together.
    """
    foe = 1 - s.mover
    if house >= 0:
        humans = np.int64(s.house_count[house])
        if count >= humans:
            return policy[EATEN] * humans
        p = odds(count, humans)
        # Each of all involved survives a win with probability p.
        alone = p * p * (count + humans) - count
        together = helpers(s, cell)
        return policy[EATEN] * (max(alone, humans * count / together) if together >= humans else alone)
    i = find_group(s, foe, cell)
    if i < 0:
        return 0.0
    enemy = np.int64(s.group_count[foe, i])
    if 2 * count >= 3 * enemy:
        return policy[KILLED] * enemy
    together = helpers(s, cell)
    if 2 * together >= 3 * enemy:
        return policy[KILLED] * enemy * count / together
    if s.server != SERVER and 2 * enemy >= 3 * count:
        return -SURE_DEATH * count
    p = odds(count, enemy)
    return policy[FOUGHT] * (enemy * (1.0 - (1.0 - p) * (1.0 - p)) - count * (1.0 - p * p))


@compiled
def company(s: Compact, source: Int, cell: Int, size: Int, policy: Floats) -> Float:
    """Return the worth of who is near a group of that size on a cell: hunters cost, friends help a little."""
    us = np.int64(s.mover)
    foe = 1 - us
    value = 0.0
    for j in range(s.groups[foe]):
        if 2 * np.int64(s.group_count[foe, j]) >= 3 * size:
            away = distance(cell, np.int64(s.group_cell[foe, j]))
            if 0 < away <= 2:
                value -= size * (policy[BESIDE_HUNTER] if away == 1 else policy[NEAR_HUNTER])
    for j in range(s.groups[us]):
        where = np.int64(s.group_cell[us, j])
        if where != source:
            value += policy[FRIENDS] * s.group_count[us, j] / (distance(cell, where) + 1.0)
    return value


@compiled
def outlook(s: Compact, w: Work, source: Int, cell: Int, size: Int, policy: Floats) -> Float:
    """Return the worth of what a group may get next from a cell: the best catch per step, and a little for the rest.

    A house that an enemy or another own group reaches earlier counts less; the one the group wins in the race, more.
    """
    us = np.int64(s.mover)
    foe = 1 - us
    group = find_group(s, us, source)
    goal = w.racer_first[us, group] if group < RACERS else -1
    best = 0.0
    total = 0.0
    for j in range(s.houses):
        humans = np.int64(s.house_count[j])
        if humans <= size and s.house_cell[j] != cell:
            away = distance(cell, np.int64(s.house_cell[j]))
            worth = humans / (away + 1.0)
            if w.rival[j] < away:
                worth *= policy[RIVALLED]
            owner = np.int64(w.friend_group[j])
            friend = np.int64(w.friend[j])
            if owner == group:
                friend = np.int64(w.other_friend[j])
            if friend <= away:
                worth *= policy[SHARED]
            if j == goal:
                worth *= policy[GOAL]
            best = max(best, worth)
            total += worth
    for j in range(s.groups[foe]):
        enemy = np.int64(s.group_count[foe, j])
        if 2 * size >= 3 * enemy and s.group_cell[foe, j] != cell:
            away = distance(cell, np.int64(s.group_cell[foe, j]))
            best = max(best, policy[PREY] * enemy / (away + 1.0))
    return best + 0.1 * total


@compiled
def appeal(s: Compact, w: Work, source: Int, cell: Int, count: Int, policy: Floats) -> Float:
    """Return the guessed worth, in creatures, of moving a group from one cell to another."""
    size = count
    house = find_house(s, cell)
    if house >= 0 and s.house_count[house] <= count:
        size += np.int64(s.house_count[house])
    value = landing(s, cell, house, count, policy) + company(s, source, cell, size, policy)
    return value + outlook(s, w, source, cell, size, policy)


@compiled
def offer(
    w: Work, group: Int, most: Int, score: Float, parts: Int, n1: Int, to1: Int, n2: Int, to2: Int
) -> Nothing:
    """Insert an option into a group's sorted list of at most `most`; it has 0, 1 or 2 parts (count, target)."""
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
def add_goal(w: Work, chosen: Int, cell: Int, needed: Int, worth: Float) -> Int:
    """Insert a goal into the sorted list of the most promising; return the list's length."""
    if chosen == GOALS:
        if worth <= w.goal_worth[chosen - 1]:
            return chosen
        chosen -= 1
    i = chosen
    while i > 0 and w.goal_worth[i - 1] < worth:
        w.goals[i, 0], w.goals[i, 1] = w.goals[i - 1, 0], w.goals[i - 1, 1]
        w.goal_worth[i] = w.goal_worth[i - 1]
        i -= 1
    w.goals[i, 0], w.goals[i, 1] = cell, needed
    w.goal_worth[i] = worth
    return chosen + 1


@compiled
def find_goals(s: Compact, w: Work, cell: Int, count: Int) -> Int:
    """List the houses and enemies that part of a group could take for sure, best first; return their number."""
    foe = 1 - s.mover
    chosen = 0
    for i in range(s.houses):
        humans = np.int64(s.house_count[i])
        where = np.int64(s.house_cell[i])
        if humans < count and distance(cell, where) <= SPLIT_REACH:
            chosen = add_goal(w, chosen, where, humans, humans / (distance(cell, where) + 1.0))
    for i in range(s.groups[foe]):
        enemy = np.int64(s.group_count[foe, i])
        needed = (3 * enemy + 1) // 2
        where = np.int64(s.group_cell[foe, i])
        if needed < count and distance(cell, where) <= SPLIT_REACH:
            chosen = add_goal(w, chosen, where, needed, enemy / (distance(cell, where) + 1.0))
    return chosen


@compiled
def part_appeal(s: Compact, w: Work, source: Int, goal: Int, count: Int, policy: Floats) -> Float:
    """Return the guessed worth of sending part of a group from a cell towards a goal."""
    away = distance(source, np.int64(w.goals[goal, 0]))
    cell = np.int64(w.goal_step[goal])
    value = landing(s, cell, np.int64(w.goal_house[goal]), count, policy)
    value += company(s, source, cell, count, policy)
    return value if away == 1 else value + w.goal_worth[goal] * (away + 1.0) / away


@compiled
def offered(w: Work, group: Int, n1: Int, to1: Int, n2: Int, to2: Int) -> Bool:
    """Return whether a split is in a group's list already: other goals may lie in the same directions."""
    for i in range(w.option_count[group]):
        if w.option_parts[group, i] == 2:
            first, other = (0, 1) if w.option_moves[group, i, 0, 1] == to1 else (1, 0)
            if (
                w.option_moves[group, i, first, 0] == n1
                and w.option_moves[group, i, first, 1] == to1
                and w.option_moves[group, i, other, 0] == n2
                and w.option_moves[group, i, other, 1] == to2
            ):
                return True
    return False


@compiled
def offer_split(
    s: Compact, w: Work, group: Int, most: Int, less: Float, part: Int, a: Int, b: Int, policy: Floats
) -> Nothing:
    """Offer to send part of a group to one goal and the rest to another."""
    i = np.int64(w.order[group])
    cell, count = np.int64(s.group_cell[s.mover, i]), np.int64(s.group_count[s.mover, i])
    score = part_appeal(s, w, cell, a, part, policy) + part_appeal(s, w, cell, b, count - part, policy)
    to1, to2 = np.int64(w.goal_step[a]), np.int64(w.goal_step[b])
    if not offered(w, group, part, to1, count - part, to2):
        offer(w, group, most, score - less, 2, part, to1, count - part, to2)


@compiled
def offer_splits(s: Compact, w: Work, group: Int, staying: Float, policy: Floats) -> Nothing:
    """Offer splits of a group for every pair of goals: in halves, or just enough for one of them."""
    i = np.int64(w.order[group])
    cell, count = np.int64(s.group_cell[s.mover, i]), np.int64(s.group_count[s.mover, i])
    most = min(np.int64(w.option_count[group]) + SPLIT_OPTIONS, OPTIONS - 1)
    less = staying + policy[SPLIT] * count
    goals = find_goals(s, w, cell, count)
    for goal in range(goals):
        w.goal_step[goal] = step_towards(cell, np.int64(w.goals[goal, 0]))
        w.goal_house[goal] = find_house(s, np.int64(w.goal_step[goal]))
    for a in range(goals):
        needed1 = np.int64(w.goals[a, 1])
        for b in range(a + 1, goals):
            needed2 = np.int64(w.goals[b, 1])
            if w.goal_step[a] == w.goal_step[b] or needed1 + needed2 > count:
                continue
            part = min(max(needed1, count // 2), count - needed2)
            offer_split(s, w, group, most, less, part, a, b, policy)
            if part != needed1:
                offer_split(s, w, group, most, less, needed1, a, b, policy)
            if part != count - needed2:
                offer_split(s, w, group, most, less, count - needed2, a, b, policy)


@compiled
def list_options(s: Compact, w: Work, group: Int, each: Int, splits: Bool, policy: Floats) -> Nothing:
    """List the options of a group, the most promising first; scores are relative to staying."""
    i = np.int64(w.order[group])
    cell, count = np.int64(s.group_cell[s.mover, i]), np.int64(s.group_count[s.mover, i])
    w.option_count[group] = 0
    staying = appeal(s, w, cell, cell, count, policy)
    offer(w, group, each, 0.0, 0, 0, 0, 0, 0)
    x, y = Int(cell & 255), Int(cell >> 8)
    for ty in range(max(y - 1, 0), min(y + 2, s.rows)):
        for tx in range(max(x - 1, 0), min(x + 2, s.columns)):
            target = ty * 256 + tx
            if target != cell:
                score = appeal(s, w, cell, target, count, policy) - staying
                offer(w, group, each, score, 1, count, target, 0, 0)
    if splits and count > 1:
        offer_splits(s, w, group, staying, policy)
