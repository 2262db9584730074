"""The plain searcher that plays every game."""

from __future__ import annotations

import time as system_time
from collections.abc import Iterator
from typing import Any

from noctagon.clock import Clock
from noctagon.game import Game, NoctagonError, State
from noctagon.player import Decision, Searcher, Thought
from noctagon.players.options import find_evaluation, find_generator
from noctagon.search.alphabeta import AlphaBeta, for_side

KEPT_BACK = 0.1
"""The share of the clock that is not used for thinking, for whatever comes in between."""


class AlphaBetaPlayer(Searcher):
    """Alpha-beta over the game's candidates, deeper and deeper until `depth`, `nodes` or the time is used up."""

    def __init__(
        self,
        game: Game[Any],
        *,
        depth: int = 3,
        nodes: int = 0,
        time: float = 0.0,
        evaluation: str = "",
        generator: str = "",
    ) -> None:
        if depth < 1:
            raise NoctagonError(f"alphabeta looks at least 1 ply ahead, not {depth}")
        if nodes < 0 or time < 0:
            raise NoctagonError("alphabeta: nodes and time are 0 (no limit) or more")
        self.game = game
        self.depth = depth
        self.nodes = nodes
        self.time = time
        self.evaluate = find_evaluation(game, evaluation)
        self.generator = find_generator(game, generator)

    def think(self, state: State[Any], clock: Clock) -> Iterator[Decision[Any]]:
        budget = min(clock.remaining() * (1 - KEPT_BACK), self.time or float("inf"))
        search = AlphaBeta(
            self.evaluate,
            generator=self.generator,
            nodes=self.nodes or None,
            deadline=None if budget == float("inf") else system_time.monotonic() + budget,
        )
        for found in search.deepen(state, self.depth):
            thought = Thought(
                depth=found.depth,
                nodes=found.nodes,
                evaluations=found.evaluations,
                score=for_side(found.value, state.side),
                line=tuple(map(self.game.format_action, found.line)),
                seconds=clock.elapsed(),
            )
            yield Decision(found.action, thought)
