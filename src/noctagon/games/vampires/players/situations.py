"""Twelve test situations with what a sensible player does in each, after the conclusion of the 2019 report."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from noctagon.core.clock import Clock
from noctagon.core.game import Game
from noctagon.core.player import GameStart, PlayerSpec
from noctagon.games.vampires.rules.notation import parse_position
from noctagon.games.vampires.rules.ruleset import Cell, distance
from noctagon.games.vampires.rules.turn import Turn
from noctagon.players import make_player

if TYPE_CHECKING:
    from noctagon.games.vampires.rules.state import VampiresState

Units = dict[Cell, int]


class Situation(NamedTuple):
    """A position, what a sensible player does there, and why; `sensible` tests a turn."""

    name: str
    position: str
    wanted: str
    why: str
    sensible: Callable[[VampiresState, Turn], bool]

    @property
    def state(self) -> VampiresState:
        return parse_position(self.position)


def situations_met(
    spec: str, game: Game[Turn], *, seconds: float | None = 2.0, seed: int = 0
) -> dict[str, bool]:
    """Return, for every situation, whether a player does what is sensible."""
    met = {}
    for situation in SITUATIONS:
        state = situation.state
        player = make_player(PlayerSpec.parse(spec), game)
        player.start(GameStart(state, seed=seed), state.side)
        turn = Turn(player.choose(state, Clock(seconds)).action)
        met[situation.name] = situation.sensible(state, turn)
    return met


# Tests of a turn.


def units_after(state: VampiresState, turn: Turn) -> Units:
    """Return the mover's units after a turn but before any battle; those that stay included."""
    units = dict(state.own)
    for move in turn:
        units[move.x, move.y] -= move.count
    for move in turn:
        units[move.tx, move.ty] = units.get((move.tx, move.ty), 0) + move.count
    return {cell: count for cell, count in units.items() if count}


def takes(cell: Cell) -> Callable[[VampiresState, Turn], bool]:
    """Return a test that the content of a cell is eaten for sure."""

    def sensible(state: VampiresState, turn: Turn) -> bool:
        count = units_after(state, turn).get(cell, 0)
        needed = state.humans.get(cell, 0) + 1.5 * state.foes.get(cell, 0)
        return count > 0 and count >= needed

    return sensible


def approaches(cell: Cell) -> Callable[[VampiresState, Turn], bool]:
    """Return a test that the nearest unit comes nearer to a cell."""

    def sensible(state: VampiresState, turn: Turn) -> bool:
        before = min(distance(unit, cell) for unit in state.own)
        return min(distance(unit, cell) for unit in units_after(state, turn)) < before

    return sensible


def is_safe(state: VampiresState, turn: Turn) -> bool:
    """Return whether no unit ends within a step of an enemy that can eat it for sure."""
    return not any(
        distance(unit, foe) <= 1 and 2 * enemies >= 3 * (count + state.humans.get(unit, 0))
        for unit, count in units_after(state, turn).items()
        for foe, enemies in state.foes.items()
    )


def is_sure(state: VampiresState, turn: Turn) -> bool:
    """Return whether nothing is left to chance."""
    return not state.chances(turn)


def _both(
    one: Callable[[VampiresState, Turn], bool], other: Callable[[VampiresState, Turn], bool]
) -> Callable[[VampiresState, Turn], bool]:
    return lambda state, turn: one(state, turn) and other(state, turn)


def _spread(units: Units) -> int:
    return sum(distance(one, other) for one in units for other in units)


def _comes_closer(state: VampiresState, turn: Turn) -> bool:
    return _spread(units_after(state, turn)) < _spread(dict(state.own))


def _keeps_its_distance(state: VampiresState, turn: Turn) -> bool:
    def nearest(units: Units) -> int:
        return min(distance(unit, foe) for unit in units for foe in state.foes)

    return nearest(units_after(state, turn)) >= min(nearest(dict(state.own)), 3)


SITUATIONS = (
    Situation(
        "meal",
        "7x9 H2,3:4 H7,3:3 V3,3:6 W8,6:6 V 0",
        "eats the house next to it",
        "Four more for nothing, now: whatever comes next comes to ten instead of six.",
        takes((2, 3)),
    ),
    Situation(
        "dispute",
        "5x9 H0,2:5 H4,2:5 V2,2:6 W6,2:6 V 0",
        "goes for the disputed house first",
        "The house at its back will still be there; the one in the middle is the enemy's if it turns away.",
        approaches((4, 2)),
    ),
    Situation(
        "bait",
        "5x9 H4,2:2 H1,2:4 V3,2:8 W5,2:20 V 0",
        "leaves the house that a much bigger enemy watches",
        "Two humans are no price for being eaten by twenty on the next turn.",
        is_safe,
    ),
    Situation(
        "prey",
        "7x7 H0,6:3 V3,3:9 W4,4:5 W6,0:7 V 10",
        "eats the enemy group next to it",
        "Five enemies less without a loss, and a group that will not stand there a second time.",
        takes((4, 4)),
    ),
    Situation(
        "two houses",
        "5x13 H2,2:4 H6,2:4 H11,2:6 V4,2:9 W12,0:8 V 0",
        "splits in two for two houses",
        "Both houses are sure, the enemy is far: one group for both comes two turns late to the second.",
        lambda state, turn: len(units_after(state, turn)) == 2,
    ),
    Situation(
        "apart",
        "7x9 V1,1:7 V7,1:7 W4,6:11 V 60",
        "comes together when no humans are left",
        "Each half is prey to eleven; all fourteen are not.",
        _both(_comes_closer, is_safe),
    ),
    Situation(
        "ahead",
        "7x9 V3,3:11 W6,3:10 V 150",
        "keeps away when slightly ahead at the end",
        "The larger population wins at the limit; a battle would put that to chance.",
        _both(_keeps_its_distance, is_sure),
    ),
    Situation(
        "split foe",
        "7x11 V3,3:12 W6,3:4 W10,6:4 W0,0:9 V 80",
        "goes for the smallest and nearest enemy group",
        "Four that are three steps away can be eaten for sure; the others are farther or more.",
        approaches((6, 3)),
    ),
    Situation(
        "sure before unsure",
        "5x9 H3,2:6 H5,2:4 V4,2:5 W8,0:6 V 0",
        "eats the small sure house, not the big unsure one",
        "Five against six humans win in 42 of 100 cases and lose people even then; after the sure four, six are sure.",
        _both(takes((5, 2)), is_sure),
    ),
    Situation(
        "hunted",
        "7x9 H8,0:3 V4,3:6 W3,3:12 V 20",
        "gets out of the reach of a hunter",
        "Six that end a turn beside twelve are eaten.",
        is_safe,
    ),
    Situation(
        "no chase",
        "7x11 H2,3:6 H1,1:5 V4,3:12 W8,3:5 V 30",
        "goes for the houses, not after a group that only runs",
        "An enemy four steps away is as quick as we are; the houses do not run.",
        lambda state, turn: approaches((2, 3))(state, turn) or approaches((1, 1))(state, turn),
    ),
    Situation(
        "united",
        "7x7 V2,2:8 V4,2:8 W3,5:14 V 90",
        "becomes one group before a big enemy comes",
        "Fourteen eat eight and then the other eight; against sixteen they have no good battle.",
        lambda state, turn: len(units_after(state, turn)) == 1,
    ),
)
"""The report's dozen situations."""
