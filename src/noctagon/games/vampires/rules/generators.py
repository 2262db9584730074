"""Move generators: named ways to list turns for a search, from steps of one group to a short sensible list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from noctagon.core.game import UnknownName
from noctagon.games.vampires.rules.ruleset import neighbours, towards
from noctagon.games.vampires.rules.turn import Departure, Move, Turn, compatible

if TYPE_CHECKING:
    from noctagon.games.vampires.rules.ruleset import Cell
    from noctagon.games.vampires.rules.state import VampiresState

Ranked = tuple[list[tuple[Departure, float]], float]
"""The departures of one group, each with its worth, and the worth of staying if no other is legal."""

MOST_SENSIBLE = 32
"""Maximum number of turns that `sensible` lists."""
MOST_GROUPS = 5
"""Maximum number of groups that `sensible` moves in a turn, and number from which it splits none."""


def generate(state: VampiresState, name: str | None = None) -> Iterable[Turn]:
    """Return the turns of a named generator; none once the game is over."""
    name = name or next(iter(GENERATORS))
    if name not in GENERATORS:
        raise UnknownName("move generator", name, GENERATORS)
    return () if state.result is not None else GENERATORS[name](state)


def single(state: VampiresState) -> Iterator[Turn]:
    """Yield the turns in which one group moves, whole."""
    for cell, count in state.own.items():
        for target in neighbours(state, cell):
            yield Turn([(*cell, count, *target)])


def joint(state: VampiresState) -> Iterator[Turn]:
    """Return the turns in which every group stays or moves, whole."""
    return _combine(state, [[(), *_steps(state, cell)] for cell in state.own])


def splits(state: VampiresState) -> Iterator[Turn]:
    """Return the turns in which every group stays, moves, or splits in two, in all sizes: one part may stay."""
    options: list[list[Departure]] = []
    for cell, count in state.own.items():
        around = neighbours(state, cell)
        parts = [(Move(*cell, some, *target),) for target in around for some in range(1, count)]
        pairs = [
            (Move(*cell, some, *one), Move(*cell, count - some, *other))
            for one, other in combinations(around, 2)
            for some in range(1, count)
        ]
        options.append([(), *_steps(state, cell), *parts, *pairs])
    return _combine(state, options)


def sensible(state: VampiresState) -> list[Turn]:
    """Return a short list, best first: towards houses and prey, away from hunters, split in two where it pays."""
    groups = sorted(state.own.items(), key=lambda group: -group[1])[:MOST_GROUPS]
    rivals = find_rivals(state)
    per_group = {1: 9, 2: 5, 3: 3}.get(len(groups), 2)
    ranked: list[Ranked] = []
    for cell, count in groups:
        staying = appeal(state, rivals, cell, count)
        options: list[tuple[Departure, float]] = [
            ((Move(*cell, count, *target),), appeal(state, rivals, target, count))
            for target in neighbours(state, cell)
        ]
        options.append(((), staying))
        options.sort(key=lambda option: -option[1])
        del options[per_group:]
        if len(state.own) < MOST_GROUPS:
            options += _promising_splits(state, rivals, cell, count)
        ranked.append((options, staying))
    turns: dict[Turn, float] = {}
    _collect(state, ranked, (), 0.0, turns)
    return sorted(turns, key=lambda turn: -turns[turn])[:MOST_SENSIBLE]


def targeted(state: VampiresState) -> Iterable[Turn]:
    """Return turns of at most a dozen departures a group, each towards a target (see `targeted.py`)."""
    from noctagon.games.vampires.rules.targeted import targeted_turns

    return targeted_turns(state)


def every(state: VampiresState) -> Iterable[Turn]:
    """Return every legal turn, whole groups first; there may be astronomically many."""
    from noctagon.games.vampires.rules.targeted import every_turn

    return every_turn(state)


GENERATORS: dict[str, Callable[[VampiresState], Iterable[Turn]]] = {
    "sensible": sensible,
    "single": single,
    "joint": joint,
    "splits": splits,
    "targeted": targeted,
    "all": every,
}


def find_rivals(state: VampiresState) -> dict[Cell, int]:
    """Return the distance of the nearest enemy that can take each house."""
    return {
        (hx, hy): min(
            (max(abs(hx - ex), abs(hy - ey)) for (ex, ey), foe in state.foes.items() if foe >= house),
            default=1000,
        )
        for (hx, hy), house in state.humans.items()
    }


def appeal(state: VampiresState, rivals: dict[Cell, int], cell: Cell, count: int) -> float:
    """Return the guessed worth, in creatures, of having `count` creatures arrive on a cell."""
    x, y = cell
    value = 0.0
    humans = state.humans.get(cell, 0)
    if humans:
        value += 2.0 * humans if count >= humans else -2.0 * count
        count += humans if count >= humans else 0
    best = 0.0
    for (hx, hy), house in state.humans.items():
        if house <= count and (hx, hy) != cell:
            away = max(abs(hx - x), abs(hy - y))
            worth = house / (away + 1.0) * (0.4 if rivals[hx, hy] < away else 1.0)
            best = max(best, worth)
            value += 0.1 * worth
    for (ex, ey), foe in state.foes.items():
        away = max(abs(ex - x), abs(ey - y))
        if 2 * count >= 3 * foe:
            best = max(best, 1.5 * foe / (away + 1.0))
            value += 3.0 * foe if away == 0 else 0.0
        elif 2 * foe >= 3 * count and away <= 2:
            value -= count * (2.0 if away <= 1 else 0.5)
        elif away == 0:
            value += 0.5 * (count - foe)
    for (ox, oy), friends in state.own.items():
        away = max(abs(ox - x), abs(oy - y))
        if away > 0:
            value += 0.2 * friends / (away + 1.0) * (1.0 if not state.humans else 0.2)
    return value + best


def _promising_splits(
    state: VampiresState, rivals: dict[Cell, int], cell: Cell, count: int
) -> list[tuple[Departure, float]]:
    """Return splits towards two houses that both parts can take, with the parts as even as that allows."""
    x, y = cell
    houses = sorted(
        (
            (max(abs(hx - x), abs(hy - y)), house, (hx, hy))
            for (hx, hy), house in state.humans.items()
            if house < count
        ),
        key=lambda found: (found[0], -found[1]),
    )[:6]
    found: dict[Departure, float] = {}
    for (_, house1, goal1), (_, house2, goal2) in combinations(houses, 2):
        spare = count - house1 - house2
        step1, step2 = towards(cell, goal1), towards(cell, goal2)
        if spare < 0 or step1 == step2:
            continue
        part1 = min(max(house1, count // 2), count - house2)
        departure = (Move(*cell, part1, *step1), Move(*cell, count - part1, *step2))
        worth = 0.6 * (appeal(state, rivals, step1, part1) + appeal(state, rivals, step2, count - part1))
        found[departure] = max(worth, found.get(departure, worth))
    return sorted(found.items(), key=lambda option: -option[1])[:3]


def _steps(state: VampiresState, cell: Cell) -> list[Departure]:
    return [(Move(*cell, state.own[cell], *target),) for target in neighbours(state, cell)]


def _combine(state: VampiresState, options: list[list[Departure]]) -> Iterator[Turn]:
    """Yield all legal turns made of one departure a group; the empty turn is not one."""
    limit = state.rules.cell_limit

    def extend(group: int, moves: Departure) -> Iterator[Turn]:
        if group == len(options):
            if moves:
                yield Turn(moves)
            return
        for departure in options[group]:
            if compatible(moves, departure, limit):
                yield from extend(group + 1, moves + departure)

    return extend(0, ())


def _collect(
    state: VampiresState, ranked: list[Ranked], moves: Departure, worth: float, turns: dict[Turn, float]
) -> None:
    """Collect the turns of `_combine` with the sum of their worths; a group with no legal option stays."""
    if not ranked:
        if moves:
            turns[Turn(moves)] = worth
        return
    options, staying = ranked[0]
    legal = [option for option in options if compatible(moves, option[0], state.rules.cell_limit)]
    for departure, value in legal or [((), staying)]:
        _collect(state, ranked[1:], moves + departure, worth + value, turns)
