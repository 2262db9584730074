"""The Monte Carlo player for every game."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from noctagon.core.clock import Clock
from noctagon.core.game import Game, NoctagonError, Side, State
from noctagon.core.player import Decision, GameStart
from noctagon.players.options import find_generator
from noctagon.players.searching import SearchPlayer
from noctagon.search.mcts import MonteCarlo, outcome_value, random_playout
from noctagon.search.tree import Budget

ENOUGH = 1000
"""Number of nodes where neither a clock nor an option limits them."""


class MctsPlayer(SearchPlayer):
    """Monte Carlo tree search: simulated games show which action is good; more time, more games."""

    chances = True

    def __init__(
        self,
        game: Game[Any],
        *,
        nodes: int = 0,
        time: float = 0.0,
        generator: str = "",
        exploration: float = 0.5,
        width: float = 4.0,
        widening: float = 0.4,
    ) -> None:
        super().__init__(game, nodes=nodes, time=time)
        for option, value in (("exploration", exploration), ("widening", widening)):
            if not 0 <= value <= 10:
                raise NoctagonError(f"mcts: {option}={value:g} should be from 0 to 10")
        if not 1 <= width <= 1000:
            raise NoctagonError(f"mcts: width={width:g} should be from 1 to 1000")
        self.generator = find_generator(game, generator)
        self.exploration = exploration
        self.width = width
        self.widening = widening
        self.rng = Random(0)

    def start(self, game: GameStart, side: Side) -> None:
        self.rng = Random(game.seed)

    def simulate(self, state: State[Any], rng: Random) -> float:
        """Return the estimated chance of the first player to win from here."""
        return random_playout(state, rng)

    def budget(self, clock: Clock) -> Budget:
        budget = super().budget(clock)
        return budget if budget.limited else Budget(nodes=ENOUGH)

    def search(self, state: State[Any], budget: Budget) -> MonteCarlo[Any]:
        return MonteCarlo(
            self.simulate,
            candidates=lambda position: position.candidates(self.generator),
            budget=budget,
            rng=self.rng,
            exploration=self.exploration,
            width=self.width,
            widening=self.widening,
        )

    def explain(self, state: State[Any], action: Any) -> dict[str, float]:
        """Return the chance to win by simulated games right after the action, averaged over its outcomes."""
        chance = 0.0
        for probability, _, after in state.outcomes(action, brief=True):
            over = after.result is not None
            value = outcome_value(after) if over else self.simulate(after, self.rng)
            chance += probability * (value if state.side == 0 else 1.0 - value)
        return {"chance to win": chance}

    def think(self, state: State[Any], clock: Clock) -> Iterator[Decision[Any]]:
        for found in self.search(state, self.budget(clock)).improve(state):
            yield Decision(found.action, self.thought(state, found, clock))
