"""The division into subgroups that the 2024 report proposes in its section 4.2 and leaves to the future.

A group divides among the clusters of houses near it that it can win, with N_k ≥ T_h + T_e for every part: T_h are
enough to convert the cluster, T_e enough to hold out against the enemies near it. The rest goes where the threat is
higher. A group near a large foe does not divide but joins another.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from noctagon.games.vampires.players.report2024 import Group
from noctagon.games.vampires.rules.ruleset import Cell, Content, distance
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.targeted import FAR, Race, races

Kind = Literal["convert", "defend", "merge"]

SPREAD = 2
"""Maximum distance in steps of a cluster's houses from its largest."""
HARVEST = 12
"""Turns over which a division is compared with staying together."""
MOST_CLUSTERS = 40
"""Maximum number of clusters considered: the largest."""


class HouseCluster(NamedTuple):
    """Houses close together that the side to move can reach first."""

    houses: tuple[Race, ...]
    """Houses, the largest first."""
    humans: int
    needed: int
    """T_h: creatures that can convert one house after the other, growing on the way."""


class Subgroup(NamedTuple):
    """Part of a group, or all of it, with its objective."""

    cell: Cell
    units: int
    kind: Kind
    goal: Cell
    houses: tuple[Cell, ...] = ()
    """Houses to convert; the others leave them alone."""
    threat: int = 0
    """T_e at the goal."""

    def __str__(self) -> str:
        return (
            f"{self.kind}: {self.units} from {self.cell[0]},{self.cell[1]} to {self.goal[0]},{self.goal[1]}"
        )


def units_to_convert(houses: list[int]) -> int:
    """Return T_h: the fewest creatures that can take all these houses, the smallest first.

    >>> units_to_convert([2, 5, 6])
    3
    """
    needed = gained = 0
    for humans in sorted(houses):
        needed = max(needed, humans - gained)
        gained += humans
    return needed


def units_to_defend(foes: Content, where: Cell, reach: int) -> int:
    """Return T_e: the fewest that the largest enemy in reach of a place does not beat for sure; 0 without one.

    >>> units_to_defend({(0, 0): 9, (8, 8): 30}, (2, 2), 4)
    7
    """
    largest = max((size for cell, size in foes.items() if distance(cell, where) <= reach), default=0)
    return 2 * largest // 3 + 1 if largest else 0


def clusters(found: list[Race], spread: int = SPREAD) -> list[HouseCluster]:
    """Return the houses that the side to move reaches first, in clusters around the largest."""
    waiting = sorted(
        (race for race in found if race.own <= race.foe and race.own < FAR), key=lambda race: -race.humans
    )
    gathered: list[HouseCluster] = []
    while waiting and len(gathered) < MOST_CLUSTERS:
        centre = waiting[0].cell
        near = [race for race in waiting if distance(race.cell, centre) <= spread]
        waiting = [race for race in waiting if distance(race.cell, centre) > spread]
        counts = [race.humans for race in near]
        gathered.append(HouseCluster(tuple(near), sum(counts), units_to_convert(counts)))
    return gathered


def divide(state: VampiresState, *, near: int, defence: int, most: int, merge_range: int) -> list[Subgroup]:
    """Return the subgroups of the side to move, with their objectives (Algorithm 7).

    A group divides among clusters up to `near` steps away, threatened by enemies up to `defence` steps from them, as
    long as the side has fewer than `most` groups. Groups join when a large enemy is up to `merge_range` steps away.
    """
    joining = {
        cell: friend
        for cell, units in state.own.items()
        if (friend := friend_to_join(state, cell, units, merge_range)) is not None
    }
    tasks = _tasks(state, [cell for cell in state.own if cell not in joining], near, defence, most)
    subgroups = [Subgroup(cell, state.own[cell], "merge", friend) for cell, friend in joining.items()]
    for cell, units in state.own.items():
        if cell in joining:
            continue
        foe = _nearest(state.foes, cell)
        friends = {friend: size for friend, size in state.own.items() if friend != cell}
        if cell in tasks:
            subgroups += _parts(cell, units, tasks[cell])
        elif friends and 2 * units < 3 * state.foes.get(foe, 0):
            subgroups.append(Subgroup(cell, units, "merge", _nearest(friends, cell)))
        else:
            subgroups.append(Subgroup(cell, units, "defend", foe))
    return subgroups


def friend_to_join(state: VampiresState, cell: Cell, units: int, merge_range: int) -> Cell | None:
    """Return the nearest group to join so that a foe that would beat this group alone does not beat both, or None."""
    near = [size for foe, size in state.foes.items() if distance(foe, cell) <= merge_range]
    foe = max(near, default=0)
    if 2 * foe < 3 * units:
        return None
    enough = {
        friend: size for friend, size in state.own.items() if friend != cell and 2 * foe < 3 * (units + size)
    }
    return _nearest(enough, cell) if enough else None


class _Task(NamedTuple):
    """A cluster for a group to convert, and the threat there."""

    cluster: HouseCluster
    threat: int

    @property
    def enough(self) -> int:
        """Return T_h + T_e."""
        return self.cluster.needed + self.threat


def _tasks(
    state: VampiresState, cells: list[Cell], near: int, defence: int, most: int
) -> dict[Cell, list[_Task]]:
    """Assign clusters to groups: the most humans per step first, a second one only to a group that can divide."""
    offers: list[tuple[float, int, Cell, HouseCluster]] = []
    found = races(state)
    for cluster in clusters(found):
        for cell in cells:
            if cluster.needed <= state.own[cell]:
                away = max(1, min(distance(cell, house.cell) for house in cluster.houses))
                offers.append((-cluster.humans / away, away, cell, cluster))
    offers.sort()
    tasks: dict[Cell, list[_Task]] = {}
    taken: set[Cell] = set()
    groups = len(state.own)
    for _, away, cell, cluster in offers:
        if cluster.houses[0].cell in taken:
            continue
        task = _Task(cluster, units_to_defend(state.foes, cluster.houses[0].cell, defence))
        given = tasks.get(cell, [])
        if given:
            enough = sum(other.enough for other in given) + task.enough
            if away > near or groups >= most or enough > state.own[cell]:
                continue
            together = harvest(
                [(part.cell, part.units) for part in _parts(cell, state.own[cell], given)], found
            )
            apart = _parts(cell, state.own[cell], [*given, task])
            if harvest([(part.cell, part.units) for part in apart], found) <= together:
                continue
            groups += 1
        tasks[cell] = [*given, task]
        taken.add(cluster.houses[0].cell)
    return tasks


def harvest(groups: list[Group], found: list[Race], turns: int = HARVEST) -> int:
    """Return how many humans some groups convert in a number of turns, each always taking the most humans per step.

    The opponent is assumed to reach every house as early as it can: what it reaches first is lost.

    >>> near, far = Race((2, 0), 2, own=2, foe=9), Race((9, 0), 3, own=9, foe=9)
    >>> harvest([((0, 0), 2)], [near, far]), harvest([((0, 0), 1), ((0, 0), 1)], [near, far])
    (5, 0)
    """
    waiting = [(0, cell, units) for cell, units in groups]
    left = {race.cell: race for race in found}
    converted = 0
    while waiting:
        soonest = min(waiting)
        waiting.remove(soonest)
        elapsed, cell, units = soonest
        best, best_worth, best_time = None, 0.0, 0
        for race in left.values():
            if race.humans <= units:
                away = distance(cell, race.cell) or 1
                if elapsed + away <= turns and elapsed + away <= race.foe and race.humans > best_worth * away:
                    best, best_worth, best_time = race, race.humans / away, elapsed + away
        if best is not None:
            del left[best.cell]
            converted += best.humans
            waiting.append((best_time, best.cell, units + best.humans))
    return converted


def _parts(cell: Cell, units: int, tasks: list[_Task]) -> list[Subgroup]:
    """Return one group divided among its tasks: enough for each, the spare creatures where the threat is."""
    sizes = [units]
    if len(tasks) > 1:
        sizes = [task.enough for task in tasks]
        spread_spare(sizes, [task.threat for task in tasks], units - sum(sizes))
    parts = []
    for task, size in zip(tasks, sizes, strict=True):
        eatable = {house.cell: house.humans for house in task.cluster.houses if house.humans <= size}
        houses = tuple(house.cell for house in task.cluster.houses)
        parts.append(Subgroup(cell, size, "convert", _nearest(eatable, cell), houses, task.threat))
    return parts


def spread_spare(sizes: list[int], threats: list[int], spare: int) -> None:
    """Add spare creatures to the sizes in proportion to the threats, evenly where there are none.

    >>> sizes = [4, 4]; spread_spare(sizes, [3, 1], 5); sizes
    [8, 5]
    """
    if not sizes:
        return
    shares = threats if any(threats) else [1] * len(sizes)
    total = sum(shares)
    given = [spare * share // total for share in shares]
    given[shares.index(max(shares))] += spare - sum(given)
    for number, more in enumerate(given):
        sizes[number] += more


def _nearest(content: Content, cell: Cell) -> Cell:
    """Return the cell of the nearest of some groups; of equally near ones the largest."""
    return min(content, key=lambda other: (distance(other, cell), -content[other]), default=cell)
