"""The first player of the 2019 report: it plays at random."""

from __future__ import annotations

from random import Random
from typing import Any

from noctagon.core.clock import Clock
from noctagon.core.game import IllegalAction, Side, State
from noctagon.core.player import Decision, GameStart, Player
from noctagon.games.vampires.rules.builder import neighbours
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Turn


class RandomGroupPlayer(Player):
    """One group, whole, to any of its up to 8 neighbours, all equally likely; drawn with the game's seed."""

    def __init__(self) -> None:
        self.rng = Random(0)

    def start(self, game: GameStart, side: Side) -> None:
        self.rng = Random(game.seed)

    def choose(self, state: State[Any], clock: Clock) -> Decision[Turn]:
        assert isinstance(state, VampiresState)
        if state.result is not None:
            raise IllegalAction("there is nothing to play: the game is over")
        cell, count = self.rng.choice(list(state.own.items()))
        target = self.rng.choice(neighbours(state, cell))
        return Decision(Turn([(*cell, count, *target)]))
