"""The move generation of the 2019 report (section 2): the moves of each group, and the turns combined from them.

A group goes, whole, to one of its neighbours, or in two parts towards two houses. Every group moves; a turn is
one choice for each group. No group goes to a cell that another leaves: a cell cannot be both source and target.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from noctagon.games.vampires.rules.ruleset import distance, neighbours, towards
from noctagon.games.vampires.rules.turn import Departure, Move, Turn, arrivals

if TYPE_CHECKING:
    from noctagon.games.vampires.rules.ruleset import Cell
    from noctagon.games.vampires.rules.state import VampiresState

MOST_GROUPS = 4
"""Maximum number of groups of a side after splits, by the report."""
SPLIT_DISTANCE = 2
"""Maximum distance in steps of the two houses of a split."""
MOST_MOVING = 8
"""Maximum number of groups that move in a turn; of more, which only odd positions have, the largest that can."""

Options = list[tuple[float, Departure]]
"""The departures of one group, each with its worth, best first."""
Appraise = Callable[["Cell", "Cell", int], float]
"""Worth of a move: of that many creatures from one cell to another."""
Allows = Callable[["Cell", int], bool]
"""Test of whether that many creatures may go to a cell."""


def whole_moves(state: VampiresState, cell: Cell) -> list[Departure]:
    """Return the moves of a whole group to its up to 8 neighbours."""
    count = state.own[cell]
    return [(Move(*cell, count, *target),) for target in neighbours(state, cell)]


def split_moves(state: VampiresState, cell: Cell) -> list[Departure]:
    """Return the splits of a group towards two houses within `SPLIT_DISTANCE`, both of which it takes for sure.

    >>> from noctagon.games.vampires.rules.state import VampiresState
    >>> houses = {(2, 0): 4, (0, 2): 5, (2, 2): 2}
    >>> state = VampiresState(
    ...     rows=3, columns=9, humans=houses, vampires={(0, 0): 8}, werewolves={(8, 2): 4}
    ... )
    >>> [" ".join(map(str, moves)) for moves in split_moves(state, (0, 0))]
    ['0,0>1,0:4 0,0>1,1:4', '0,0>0,1:5 0,0>1,1:3']
    """
    count = state.own[cell]
    eatable = [
        (house, goal)
        for goal, house in _near(state, cell)
        if house < count and distance(cell, goal) <= SPLIT_DISTANCE
    ]
    found: dict[Departure, None] = {}
    for (house1, goal1), (house2, goal2) in combinations(eatable, 2):
        step1, step2 = towards(cell, goal1), towards(cell, goal2)
        if house1 + house2 <= count and step1 != step2:
            part1, part2 = evened_out(count, house1, house2)
            found[Move(*cell, part1, *step1), Move(*cell, part2, *step2)] = None
    return list(found)


def evened_out(count: int, part1: int, part2: int) -> tuple[int, int]:
    """Return two parts of a group: those left over go to the smaller part until both are equal, then evenly.

    >>> evened_out(8, 5, 2), evened_out(8, 4, 2), evened_out(11, 5, 2)
    ((5, 3), (4, 4), (6, 5))
    """
    left = count - part1 - part2
    added = min(left, abs(part1 - part2))
    if part1 < part2:
        part1 += added
    else:
        part2 += added
    left -= added
    return part1 + (left + 1) // 2, part2 + left // 2


def options(
    state: VampiresState,
    appraise: Appraise,
    *,
    splits: bool = False,
    allows: Allows = lambda cell, count: True,
) -> list[Options]:
    """Return the options of each group if all of them move; a group without any stays and is left out.

    A group that stays can be joined, so a group without a way out may open one for another.
    """
    moving = dict.fromkeys(sorted(state.own, key=lambda cell: -state.own[cell]))
    found: dict[Cell, Options] = {}
    for cell in list(moving):
        count = state.own[cell]
        if len(found) == MOST_MOVING:
            del moving[cell]
            continue
        departures = [
            departure
            for departure in whole_moves(state, cell)
            if (departure[0].tx, departure[0].ty) not in moving
            and allows((departure[0].tx, departure[0].ty), count)
        ]
        if not departures:
            del moving[cell]
            continue
        if splits and len(state.own) < MOST_GROUPS:
            departures += [
                departure
                for departure in split_moves(state, cell)
                if not any((move.tx, move.ty) in moving for move in departure)
            ]
        ranked = [
            (sum(appraise(cell, (move.tx, move.ty), move.count) for move in departure), departure)
            for departure in departures
        ]
        ranked.sort(key=lambda option: -option[0])
        found[cell] = ranked
    return list(found.values())


def combined(state: VampiresState, choices: Sequence[Options], most: int) -> Iterator[Turn]:
    """Yield at most `most` legal turns made of one choice for each group, the best sums first."""
    if not choices:
        return
    # Best first (a heap of combinations): from each, one group at a time takes its next worse choice.
    room = MOST_GROUPS - len(state.own)
    start = (0,) * len(choices)
    waiting = [(-sum(ranked[0][0] for ranked in choices), start)]
    seen = {start}
    given = 0
    for _ in range(8 * most):
        if not waiting or given == most:
            return
        worth, picks = heapq.heappop(waiting)
        for group, pick in enumerate(picks):
            ranked = choices[group]
            if pick + 1 < len(ranked):
                following = (*picks[:group], pick + 1, *picks[group + 1 :])
                if following not in seen:
                    seen.add(following)
                    heapq.heappush(waiting, (worth + ranked[pick][0] - ranked[pick + 1][0], following))
        departures = [choices[group][pick][1] for group, pick in enumerate(picks)]
        splits = sum(len(departure) - 1 for departure in departures)
        if (not splits or splits <= room) and fits(state, departures):
            given += 1
            yield Turn([move for departure in departures for move in departure])


def fits(state: VampiresState, departures: Sequence[Departure]) -> bool:
    """Return whether no cell gets more than the rules allow (rule 7)."""
    if sum(state.own.values()) <= state.rules.cell_limit:
        return True
    arriving = arrivals(move for departure in departures for move in departure)
    return max(arriving.values()) <= state.rules.cell_limit


def _near(state: VampiresState, cell: Cell) -> Iterator[tuple[Cell, int]]:
    """Yield the houses in the square around a cell, row by row."""
    x, y = cell
    for cy in range(y - SPLIT_DISTANCE, y + SPLIT_DISTANCE + 1):
        for cx in range(x - SPLIT_DISTANCE, x + SPLIT_DISTANCE + 1):
            if house := state.humans.get((cx, cy)):
                yield (cx, cy), house
