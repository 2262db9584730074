"""Twilight (source 003): expectiminimax over targeted turns, with its utility and its model of the opponent."""

from __future__ import annotations

import time as system_time
from collections.abc import Iterable
from itertools import islice
from typing import Any

import msgspec

from noctagon.core.clock import Clock
from noctagon.core.game import Game, NoctagonError, Side, State
from noctagon.core.player import GameStart, Thought
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.targeted import FAR, MAX_GROUPS, races, targeted_turns
from noctagon.games.vampires.rules.turn import Turn
from noctagon.players.options import checked_number
from noctagon.players.searching import TreePlayer, average_terms
from noctagon.search.expectiminimax import Expectiminimax
from noctagon.search.tree import Budget, Finding, OutOfBudget, Search, for_side

METHODS = ("all", "splits", "joint", "single", "targeted")
"""Move generators by `action_method` 0 to 4, from all moves to targeted ones."""
WITHOUT_HUMANS = 2
"""Plies by which the depth grows once no humans are left."""
MOST_ACTIONS = 100_000
"""Maximum number of actions searched in one position."""
MOST_TO_SPLIT = 200
"""Number of creatures above which method 1 moves groups whole: splits in all sizes are too many to list."""


def utility(state: VampiresState) -> float:
    """Return 2(g − v) + (gh − vh): creatures, and the humans that each side can capture before the other.

    Once one side is 1.5 times as many, the first term is g or −v. Here g is the first player.
    """
    creatures, humans = utility_terms(state)
    return creatures + humans


def utility_terms(state: VampiresState) -> tuple[float, float]:
    """Return the two terms of the utility of a position that is not terminal.

    The second never exceeds the humans left, nor the first the larger side: so the utility is at most
    g + h, at least −(v + h), and g + h can only shrink as the game goes on.
    """
    first, second = state.score()
    creatures = 2 * (first - second)
    if 2 * first >= 3 * second:
        creatures = first
    elif 2 * second >= 3 * first:
        creatures = -second
    humans = 0.0
    for race in races(state):
        if race.own <= race.foe:
            humans += race.humans if race.own < FAR else 0
        else:
            humans -= race.humans
    return creatures, for_side(humans, state.side)


def terminal_utility(state: VampiresState, ply: int = 0) -> float:
    """Return ±(g + v + h + 1) for the winner of a finished game, 0 for a draw.

    A win without losses is worth more than every position that could still be reached without
    it, as g + h never grows. A win after heavy losses may be worth less, which keeps Twilight out of battles.
    """
    if state.result is None or state.result.winner is None:
        return 0.0
    return for_side(everybody(state) + 1.0, state.result.winner)


def everybody(state: VampiresState) -> float:
    """Return the number of creatures and humans on the board: g + v + h."""
    return sum(state.score()) + sum(state.humans.values())


class TwilightPlayer(TreePlayer):
    """Twilight: expectiminimax with alpha-beta, four plies of targeted turns, at most three groups.

    `action_method` is a number from 0 to 4, or a move generator's name: all, splits, joint, single, targeted.
    With targeted turns each side splits only up to a number of groups: `max_groups` here, and for the opponent
    the most groups it has been seen with. Without humans the depth grows by two. `merged=false` looks at every
    single result of a random battle instead of the average win and the average loss (of up to 256).

    The source names the kinds of targets, not how many of each: up to three priority houses, five splits and a
    dozen departures a group are our choice (`targeted.py`).
    """

    def __init__(
        self,
        game: Game[Any],
        *,
        max_depth: int = 4,
        action_method: str = "4",
        max_groups: int = MAX_GROUPS,
        nodes: int = 0,
        time: float = 0.0,
        merged: bool = True,
    ) -> None:
        super().__init__(
            game,
            depth=int(checked_number("twilight", "max_depth", max_depth, 1, 100)),
            nodes=nodes,
            time=time,
        )
        self.max_groups = int(checked_number("twilight", "max_groups", max_groups, 1, 50))
        self.method = _method(str(action_method))
        self.merged = merged
        self.seen = 1

    def start(self, game: GameStart, side: Side) -> None:
        self.seen = 1

    def horizon(self, state: State[Any]) -> int:
        assert isinstance(state, VampiresState)
        return self.depth if state.humans else self.depth + WITHOUT_HUMANS

    def search(self, state: State[Any], budget: Budget) -> Search[Any]:
        assert isinstance(state, VampiresState)
        self.seen = max(self.seen, len(state.foes))
        mover, most = state.side, everybody(state) + 1.0

        def candidates(position: VampiresState) -> Iterable[Turn]:
            if self.method == "targeted":
                return targeted_turns(position, self.max_groups if position.side == mover else self.seen)
            return self.listed(position, budget)

        return Expectiminimax(
            utility,
            candidates=candidates,
            worth=terminal_utility,
            budget=budget,
            merged=self.merged,
            bounds=(-most, most),
        )

    def listed(self, state: VampiresState, budget: Budget) -> Iterable[Turn]:
        """Yield the actions of one of the plain methods while there is time to list them."""
        method = self.method
        if method == "splits" and sum(state.own.values()) > MOST_TO_SPLIT:
            method = "joint"
        for turn in islice(state.candidates(method), MOST_ACTIONS):
            yield turn
            if budget.deadline is not None and system_time.monotonic() > budget.deadline:
                raise OutOfBudget

    def thought(self, state: State[Any], found: Finding[Any], clock: Clock) -> Thought:
        groups = "1 group" if self.seen == 1 else f"{self.seen} groups"
        note = f"assumes that the opponent has at most {groups}"
        return msgspec.structs.replace(super().thought(state, found, clock), note=note)

    def explain(self, state: State[Any], action: Any) -> dict[str, float]:
        def tell(after: VampiresState) -> dict[str, float]:
            if after.result is not None:
                return {"end": for_side(terminal_utility(after), state.side)}
            creatures, humans = utility_terms(after)
            return {"creatures": for_side(creatures, state.side), "humans": for_side(humans, state.side)}

        return average_terms(state, action, tell)


def _method(text: str) -> str:
    """Return the generator for an `action_method`, given by number or by name."""
    if text.isdecimal() and len(text) < 5 and int(text) < len(METHODS):
        return METHODS[int(text)]
    if text not in METHODS:
        raise NoctagonError(
            f"twilight: action_method={text} should be 0 to {len(METHODS) - 1}, or {', '.join(METHODS)}"
        )
    return text
