"""The tree searchers that play every game: minimax, alpha-beta and expectiminimax."""

from __future__ import annotations

from typing import Any

from noctagon.core.game import Game, State
from noctagon.players.options import find_evaluation, find_generator
from noctagon.players.searching import TreePlayer, terms_after
from noctagon.search.alphabeta import AlphaBeta
from noctagon.search.expectiminimax import Expectiminimax
from noctagon.search.minimax import Minimax
from noctagon.search.tree import Budget, Search


class EvaluatingPlayer(TreePlayer):
    """A tree searcher with one of the game's evaluations at the horizon and one of its move generators."""

    def __init__(
        self,
        game: Game[Any],
        *,
        depth: int = 3,
        nodes: int = 0,
        time: float = 0.0,
        heuristic: str = "",
        generator: str = "",
    ) -> None:
        super().__init__(game, depth=depth, nodes=nodes, time=time)
        self.evaluate = find_evaluation(game, heuristic)
        self.generator = find_generator(game, generator)

    def candidates(self, state: State[Any]) -> Any:
        return state.candidates(self.generator)

    def explain(self, state: State[Any], action: Any) -> dict[str, float]:
        """Return the terms of the evaluation right after the action; the search itself decides deeper."""
        return terms_after(state, action, self.evaluate)


class MinimaxPlayer(EvaluatingPlayer):
    """Minimax: every candidate of both sides, to the full depth."""

    def search(self, state: State[Any], budget: Budget) -> Search[Any]:
        return Minimax(self.evaluate, candidates=self.candidates, budget=budget)


class AlphaBetaPlayer(EvaluatingPlayer):
    """Alpha-beta over the game's candidates; `order` and `table` can be switched off."""

    def __init__(
        self,
        game: Game[Any],
        *,
        depth: int = 3,
        nodes: int = 0,
        time: float = 0.0,
        heuristic: str = "",
        generator: str = "",
        order: bool = True,
        table: bool = True,
    ) -> None:
        super().__init__(game, depth=depth, nodes=nodes, time=time, heuristic=heuristic, generator=generator)
        self.order = order
        self.table = table

    def search(self, state: State[Any], budget: Budget) -> Search[Any]:
        return AlphaBeta(
            self.evaluate, candidates=self.candidates, budget=budget, order=self.order, table=self.table
        )


class ExpectiminimaxPlayer(AlphaBetaPlayer):
    """Alpha-beta that averages over chance; `merged=false` searches every single result."""

    def __init__(
        self,
        game: Game[Any],
        *,
        depth: int = 3,
        nodes: int = 0,
        time: float = 0.0,
        heuristic: str = "",
        generator: str = "",
        order: bool = True,
        table: bool = True,
        merged: bool = True,
    ) -> None:
        super().__init__(
            game,
            depth=depth,
            nodes=nodes,
            time=time,
            heuristic=heuristic,
            generator=generator,
            order=order,
            table=table,
        )
        self.merged = merged

    def search(self, state: State[Any], budget: Budget) -> Search[Any]:
        return Expectiminimax(
            self.evaluate,
            candidates=self.candidates,
            budget=budget,
            order=self.order,
            table=self.table,
            merged=self.merged,
        )
