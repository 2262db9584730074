"""Targeted turns and the race for the houses, as Twilight (source 003) uses them in place of all turns.

A house has priority when the side to move can capture it before the opponent; the most pressing house is the one
where the difference between the two distances is smallest.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice
from typing import NamedTuple

from noctagon.games.vampires.rules.ruleset import Cell, distance, neighbours, towards
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Departure, Move, Turn, compatible, list_departures

FAR = 1000
"""Distance of a house that no group of a side can take."""
MAX_GROUPS = 3
"""Default maximum number of groups into which a side splits."""
MOST_DEPARTURES = 12
"""Maximum number of departures of a group, splits included."""
MOST_SPLITS = 5
"""Maximum number of splits of a group."""
MOST_PRIORITY = 3
"""Maximum number of priority houses that one group heads for."""
MOST_MOVERS = 5
"""Maximum number of groups that move in one turn: the largest."""
DEPARTURES = {1: MOST_DEPARTURES, 2: 7, 3: 5, 4: 3}
"""Number of departures of each group that are combined, by the number of groups; 2 where there are more."""
MOST_TURNS = 40
"""Maximum number of turns listed."""
MOST_PAIRS = 50_000
"""Maximum number of pairs of house and group compared; on huge boards the other houses do not count."""


class Race(NamedTuple):
    """A house with the distances of the nearest groups that can take it: the mover's and the other side's."""

    cell: Cell
    humans: int
    own: int
    foe: int

    @property
    def lead(self) -> int:
        """Return how many steps nearer the mover is; a tie goes to the mover, who gets there first."""
        return self.foe - self.own


def races(state: VampiresState) -> list[Race]:
    """Return, for each house, the race between the two sides' groups that are large enough to convert it.

    >>> state = VampiresState(
    ...     rows=1, columns=9, humans={(3, 0): 4}, vampires={(0, 0): 4}, werewolves={(8, 0): 9, (4, 0): 3}
    ... )
    >>> races(state)
    [Race(cell=(3, 0), humans=4, own=3, foe=5)]
    """
    own = [(x, y, count) for (x, y), count in state.own.items()]
    foes = [(x, y, count) for (x, y), count in state.foes.items()]
    houses = islice(state.humans.items(), MOST_PAIRS // max(1, len(own) + len(foes)) + 1)
    return [
        Race(cell, humans, nearest(cell, humans, own), nearest(cell, humans, foes)) for cell, humans in houses
    ]


def nearest(cell: Cell, humans: int, groups: list[tuple[int, int, int]]) -> int:
    """Return the distance of the nearest of the groups that can take a house."""
    hx, hy = cell
    best = FAR
    for x, y, count in groups:
        if count >= humans:
            across, down = abs(x - hx), abs(y - hy)
            away = across if across > down else down
            if away < best:
                best = away
    return best


def targeted_turns(state: VampiresState, max_groups: int = MAX_GROUPS) -> list[Turn]:
    """Return a few targeted turns, the most promising first: at most a dozen departures for each group.

    A group heads for the closest priority houses, the closest other house, the closest foe, the closest friend,
    away from the closest foe, or stays; the biggest group alone may split, up to `max_groups` groups in all.
    """
    if state.result is not None:
        return []
    found = sorted(races(state), key=lambda race: (race.lead, race.own))
    priority = [race for race in found if race.lead >= 0 and race.own < FAR]
    others = [race for race in found if race.lead < 0]
    groups = sorted(state.own.items(), key=lambda group: -group[1])[:MOST_MOVERS]
    each = DEPARTURES.get(len(groups), 2)
    ranked: list[list[Departure]] = []
    for number, (cell, count) in enumerate(groups):
        departures = heading(state, cell, count, priority, others)
        if number == 0 and len(state.own) < max_groups:
            splits = splitting(state, cell, count, priority, others)
            departures = departures[: each - min(len(splits), each // 2)]
            departures[1:1] = splits[: each - len(departures)]
        ranked.append(departures[:each])
    turns = combined(state, ranked)
    return turns or list(islice(state.candidates("single"), 1))


def heading(
    state: VampiresState, cell: Cell, count: int, priority: list[Race], others: list[Race]
) -> list[Departure]:
    """Return the departures of a whole group, one for each step towards some target, best first."""
    steps: dict[Cell, None] = {}
    for race in _closest(cell, count, priority, MOST_PRIORITY):
        steps[around_danger(state, cell, count, race.cell)] = None
    foes = sorted(state.foes.items(), key=lambda foe: distance(cell, foe[0]))
    prey = next((foe for foe, size in foes if 2 * count >= 3 * size), None)
    hunter = next((foe for foe, size in foes if size > count), None)
    if prey is not None:
        steps[around_danger(state, cell, count, prey)] = None
    if hunter is not None:
        for step in _away(state, cell, count, hunter):
            steps[step] = None
    for race in _closest(cell, count, others, 1):
        steps[around_danger(state, cell, count, race.cell)] = None
    if foes:
        steps[around_danger(state, cell, count, foes[0][0])] = None
        for step in _away(state, cell, count, foes[0][0]):
            steps[step] = None
    friends = [friend for friend in state.own if friend != cell]
    if friends:
        friend = min(friends, key=lambda friend: distance(cell, friend))
        steps[around_danger(state, cell, count, friend)] = None
    departures: list[Departure] = [(Move(*cell, count, *step),) for step in steps]
    if friends:
        departures.append(())
    return departures


def splitting(
    state: VampiresState, cell: Cell, count: int, priority: list[Race], others: list[Race]
) -> list[Departure]:
    """Return splits of a group towards two houses: just enough to one and the rest to the other, or evened out."""
    goals = [*_closest(cell, count - 1, priority, 4), *_closest(cell, count - 1, others, 1)]
    found: dict[Departure, None] = {}
    for one, other in combinations(goals, 2):
        if one.humans + other.humans > count:
            continue
        step, other_step = (
            around_danger(state, cell, count, one.cell),
            around_danger(state, cell, count, other.cell),
        )
        if step == other_step:
            continue
        half = min(max(one.humans, count // 2), count - other.humans)
        for part in (half, one.humans, count - other.humans):
            found[Move(*cell, part, *step), Move(*cell, count - part, *other_step)] = None
    return list(found)[:MOST_SPLITS]


def around_danger(state: VampiresState, cell: Cell, count: int, goal: Cell) -> Cell:
    """Return the step towards a goal, around a cell too dangerous for the group where that costs no time."""
    straight = towards(cell, goal)
    if straight == goal or not _dangerous(state, straight, count):
        return straight
    away = distance(cell, goal)
    for step in neighbours(state, cell):
        if distance(step, goal) < away and not _dangerous(state, step, count):
            return step
    return straight


def combined(state: VampiresState, ranked: list[list[Departure]]) -> list[Turn]:
    """Return the turns made of one departure for each group, by the sum of their ranks; the empty turn is none."""
    limit = state.rules.cell_limit
    partial: list[tuple[int, Departure]] = [(0, ())]
    for departures in ranked:
        partial = [
            (rank + number, moves + departure)
            for rank, moves in partial
            for number, departure in enumerate(departures)
            if compatible(moves, departure, limit)
        ]
        partial.sort(key=lambda turn: turn[0])
        del partial[4 * MOST_TURNS :]
    return [Turn(moves) for _, moves in partial if moves][:MOST_TURNS]


def every_turn(state: VampiresState) -> Iterator[Turn]:
    """Yield every legal turn, first those in which one group moves whole."""
    if state.result is not None:
        return
    whole = [
        Turn([(*cell, count, *step)]) for cell, count in state.own.items() for step in neighbours(state, cell)
    ]
    yield from whole
    seen = set(whole)
    limit = state.rules.cell_limit
    groups = list(state.own.items())

    def extend(number: int, moves: Departure) -> Iterator[Turn]:
        if number == len(groups):
            if moves and (turn := Turn(moves)) not in seen:
                yield turn
            return
        cell, count = groups[number]
        for departure in list_departures(cell, count, neighbours(state, cell)):
            if compatible(moves, departure, limit):
                yield from extend(number + 1, moves + departure)

    yield from extend(0, ())


def _closest(cell: Cell, count: int, found: list[Race], most: int) -> list[Race]:
    """Return the houses nearest to a group among those it can take; of equally near ones the more pressing first."""
    eatable = [race for race in found if race.humans <= count]
    return sorted(eatable, key=lambda race: distance(cell, race.cell))[:most]


def _away(state: VampiresState, cell: Cell, count: int, foe: Cell) -> list[Cell]:
    """Return the two best steps away from a foe."""
    fx, fy = foe

    def safety(step: Cell) -> tuple[bool, int, int]:
        x, y = step
        return (
            not _dangerous(state, step, count),
            distance(step, foe),
            (x - fx) * (x - fx) + (y - fy) * (y - fy),
        )

    return sorted(neighbours(state, cell), key=safety, reverse=True)[:2]


def _dangerous(state: VampiresState, cell: Cell, count: int) -> bool:
    """Return whether a group would fight at a cell without being sure to win."""
    return state.humans.get(cell, 0) > count or 3 * state.foes.get(cell, 0) > 2 * count
