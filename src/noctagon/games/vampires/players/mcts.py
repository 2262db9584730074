"""Monte Carlo tree search for Vampires vs Werewolves, which section 7 of the 2024 report asks for."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np

from noctagon.core.game import Game, NoctagonError, State
from noctagon.games.vampires.champion.evaluation import PROSPECTS, prospects
from noctagon.games.vampires.rules.state import COMPACT_GROUPS, COMPACT_HOUSES, VampiresState
from noctagon.players.mcts import MctsPlayer as AnyMctsPlayer

STEEPNESS = 6.0
"""Steepness of the logistic function from the lead, as a share of everybody, to a chance to win."""


class MctsPlayer(AnyMctsPlayer):
    """Monte Carlo tree search with chance nodes; groups in the simulated games eat, hunt and flee.

    The document only names the method. This is UCB1 over the sensible turns with progressive widening, dice
    rolled in the tree, and at each new position the average of `games` simulated games of at most `turns`
    turns in which every group takes the house or prey with the most creatures per step (`prospects.py`); one
    that is not over by then is judged by its prospects.
    """

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
        games: int = 8,
        turns: int = 30,
    ) -> None:
        super().__init__(
            game,
            nodes=nodes,
            time=time,
            generator=generator,
            exploration=exploration,
            width=width,
            widening=widening,
        )
        if not 1 <= games <= 10_000:
            raise NoctagonError(f"mcts: games={games} should be from 1 to 10000")
        if not 0 <= turns <= 10_000:
            raise NoctagonError(f"mcts: turns={turns} should be from 0 to 10000")
        self.games = games
        self.turns = turns
        self.weights = np.append(PROSPECTS, STEEPNESS)

    def simulate(self, state: State[Any], rng: Random) -> float:
        assert isinstance(state, VampiresState)
        if len(state.humans) > COMPACT_HOUSES or max(len(state.own), len(state.foes)) >= COMPACT_GROUPS:
            everybody = 1.0 + sum(state.score()) + 0.5 * sum(state.humans.values())
            return 1.0 / (1.0 + math.exp(-STEEPNESS * prospects(state) / everybody))
        from noctagon.games.vampires.champion.prospects import rollouts

        record, turn = state._scratch()
        turn.seed = rng.getrandbits(64)
        vampires = rollouts(record, turn, state._packed, self.games, self.turns, self.weights)
        return float(vampires if state.first == "vampires" else 1.0 - vampires)
