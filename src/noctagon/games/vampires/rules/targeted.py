"""Turns with a target, and the race for the houses: what Twilight (source 003) looks at instead of all turns.

A house is priority when the side to move can capture it before the opponent; the most pressing is the one
where the difference between the two distances is smallest.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice
from typing import NamedTuple

from noctagon.games.vampires.rules.ruleset import Cell, distance, neighbours, towards
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Move, Turn

Departure = tuple[Move, ...]
"""What one group does in a turn: nothing, one move, or several."""

FAR = 1000
"""The distance of a house that no group of a side can take."""
MAX_GROUPS = 3
"""Into how many groups a side may split, unless told otherwise."""
MOST_DEPARTURES = 12
"""A dozen departures for a group, its splits among them."""
MOST_SPLITS = 5
MOST_PRIORITY = 3
"""So many priority houses are headed for by one group."""
MOST_MOVERS = 5
"""So many groups move in one turn: the largest."""
DEPARTURES = {1: MOST_DEPARTURES, 2: 7, 3: 5, 4: 3}
"""How many departures of each group are combined, by the number of groups; 2 where there are more."""
MOST_TURNS = 40
"""The longest list of turns."""
MOST_PAIRS = 50_000
"""So many pairs of house and group are compared; on boards beyond all measure the other houses do not count."""


class Race(NamedTuple):
    """A house, and how far the nearest group that can take it is: the mover's, and the other side's."""

    cell: Cell
    humans: int
    own: int
    foe: int

    @property
    def lead(self) -> int:
        """How much nearer the mover is; a tie is the mover's, who gets there first."""
        return self.foe - self.own


def races(state: VampiresState) -> list[Race]:
    """Who is nearer to each house, among the groups that are enough to convert it.

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
    """How many steps the nearest of the groups that can take a house is away from it."""
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
    """A few turns with a target, the most promising first: at most a dozen departures for each group.

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
    """Where a whole group may go, one departure for each direction that some target gives, best first."""
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
    """Splits of a group in two, towards two houses: just enough to one and the rest to the other, or evened out."""
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
    """The step that leads to a goal, around what the group had better not run into, where that costs no time."""
    straight = towards(cell, goal)
    if straight == goal or not _dangerous(state, straight, count):
        return straight
    away = distance(cell, goal)
    for step in neighbours(state, cell):
        if distance(step, goal) < away and not _dangerous(state, step, count):
            return step
    return straight


def combined(state: VampiresState, ranked: list[list[Departure]]) -> list[Turn]:
    """The turns made of one departure for each group, by the sum of their ranks; the empty turn is none."""
    server = state.rules.name == "server"
    partial: list[tuple[int, Departure]] = [(0, ())]
    for departures in ranked:
        partial = [
            (rank + number, moves + departure)
            for rank, moves in partial
            for number, departure in enumerate(departures)
            if fits(moves, departure, server=server)
        ]
        partial.sort(key=lambda turn: turn[0])
        del partial[4 * MOST_TURNS :]
    return [Turn(moves) for _, moves in partial if moves][:MOST_TURNS]


def fits(moves: Departure, more: Departure, *, server: bool) -> bool:
    """Whether no cell is both a source and a target (rule 5), nor gets more than the server allows (rule 7)."""
    for move in more:
        arriving = move.count
        for other in moves:
            if (other.x == move.tx and other.y == move.ty) or (other.tx == move.x and other.ty == move.y):
                return False
            if other.tx == move.tx and other.ty == move.ty:
                arriving += other.count
        if server and arriving > 255:
            return False
    return True


def every_turn(state: VampiresState) -> Iterator[Turn]:
    """Every legal turn, lazily: first those in which one group moves whole."""
    if state.result is not None:
        return
    whole = [
        Turn([(*cell, count, *step)]) for cell, count in state.own.items() for step in neighbours(state, cell)
    ]
    yield from whole
    seen = set(whole)
    server = state.rules.name == "server"
    groups = list(state.own.items())

    def extend(number: int, moves: Departure) -> Iterator[Turn]:
        if number == len(groups):
            if moves and (turn := Turn(moves)) not in seen:
                yield turn
            return
        cell, count = groups[number]
        for departure in departing(cell, count, neighbours(state, cell)):
            if fits(moves, departure, server=server):
                yield from extend(number + 1, moves + departure)

    yield from extend(0, ())


def departing(cell: Cell, left: int, steps: list[Cell]) -> Iterator[Departure]:
    """All ways in which some, or none, of so many leave a cell for some of these steps."""
    if not steps:
        yield ()
        return
    for leaving in range(left + 1):
        move = (Move(*cell, leaving, *steps[0]),) if leaving else ()
        for others in departing(cell, left - leaving, steps[1:]):
            yield move + others


def _closest(cell: Cell, count: int, found: list[Race], most: int) -> list[Race]:
    """The houses nearest to a group among those it can take; of equally near ones the more pressing first."""
    eatable = [race for race in found if race.humans <= count]
    return sorted(eatable, key=lambda race: distance(cell, race.cell))[:most]


def _away(state: VampiresState, cell: Cell, count: int, foe: Cell) -> list[Cell]:
    """The two best steps away from a foe."""
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
    """Whether a group would fight at a cell without being sure to win."""
    return state.humans.get(cell, 0) > count or 3 * state.foes.get(cell, 0) > 2 * count
