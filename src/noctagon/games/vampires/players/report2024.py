"""The player of the 2024 report: its strongest group, three plies of alpha-beta, the formulas of section 4.1."""

from __future__ import annotations

from typing import Any, cast

from noctagon.core.game import Game, Side, State
from noctagon.core.player import GameStart
from noctagon.games.vampires.players.limits import choice, number
from noctagon.games.vampires.players.report_evaluation import (
    WEIGHTS,
    Constants,
    ReportEvaluation,
    Weights,
    strongest,
)
from noctagon.games.vampires.rules.builder import neighbours
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Move, Turn
from noctagon.players.searching import TreePlayer, average_terms
from noctagon.search.alphabeta import AlphaBeta
from noctagon.search.tree import Budget, Search

OPEN = Constants()
"""The constants the report leaves open: first guesses that no match has shown to be worse than others."""


def strongest_steps(state: VampiresState) -> list[Turn]:
    """Every step of the strongest group, whole: the report's players do not split (its section 7)."""
    group = strongest(state.own)
    if group is None or state.result is not None:
        return []
    cell, count = group
    return [Turn([Move(*cell, count, *target)]) for target in neighbours(state, cell)]


class Report2024Player(TreePlayer):
    """The 2024 report's player: the strongest group, whole, by alpha-beta three plies deep.

    Both sides move their strongest group only. The position at the horizon, and a finished game, is scored by
    `report_evaluation`, from this player's point of view throughout. `weights=algorithm-5` stresses attacks
    while the game is young and houses later, as the report's Algorithm 5 has it; `weights=resource-first` the
    other way round, as its section 5.1.4 says. A random battle counts as the average of its two brief results,
    the average win and the average loss.

    The report gives no numbers for `range_limit`, `optimal_range`, `high`, `low`, `bonus` (C), `penalty` (P)
    and no formula for the distance penalty, here `dispersion` times the average distance of the other groups
    from the strongest. Those here are ours; the few others that were tried did not do better. On boards of up to
    10 cells a side nothing is out of range.
    """

    def __init__(
        self,
        game: Game[Any],
        *,
        depth: int = 3,
        nodes: int = 0,
        time: float = 0.0,
        weights: str = OPEN.weights,
        range_limit: int = OPEN.range_limit,
        optimal_range: int = OPEN.optimal_range,
        high: float = OPEN.high,
        low: float = OPEN.low,
        bonus: float = OPEN.bonus,
        penalty: float = OPEN.penalty,
        dispersion: float = OPEN.dispersion,
    ) -> None:
        super().__init__(game, depth=depth, nodes=nodes, time=time)
        name = self.name
        self.constants = Constants(
            weights=cast("Weights", choice(name, "weights", weights, WEIGHTS)),
            range_limit=int(number(name, "range_limit", range_limit, 1, 255)),
            optimal_range=int(number(name, "optimal_range", optimal_range, 1, 255)),
            high=number(name, "high", high, 0, 1000),
            low=number(name, "low", low, 0, high),
            bonus=number(name, "bonus", bonus, 0, 1000),
            penalty=number(name, "penalty", penalty, 0, 1000),
            dispersion=number(name, "dispersion", dispersion, 0, 1000),
        )
        self.seed = 0

    @property
    def name(self) -> str:
        return "report-2024"

    def start(self, game: GameStart, side: Side) -> None:
        self.seed = game.seed

    def evaluation(self, side: Side) -> ReportEvaluation:
        """The report's score as a side sees it."""
        return ReportEvaluation(side, seed=self.seed, constants=self.constants)

    def candidates(self, state: VampiresState) -> list[Turn]:
        return strongest_steps(state)

    def search(self, state: State[Any], budget: Budget) -> Search[Any]:
        score = self.evaluation(state.side)
        return AlphaBeta(
            score, candidates=self.candidates, worth=lambda ended, ply: score(ended), budget=budget
        )

    def explain(self, state: State[Any], action: Any) -> dict[str, float]:
        evaluation = self.evaluation(state.side)
        return average_terms(state, action, lambda after: evaluation.score(after)._asdict())
