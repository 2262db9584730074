"""The player that plays anything legal."""

from __future__ import annotations

from random import Random
from typing import Any

from noctagon.core.clock import Clock
from noctagon.core.game import Side, State
from noctagon.core.player import Decision, GameStart, Player


class RandomPlayer(Player):
    """Any legal action, drawn with the game's seed."""

    def __init__(self) -> None:
        self.rng = Random(0)

    def start(self, game: GameStart, side: Side) -> None:
        self.rng = Random(game.seed)

    def choose(self, state: State[Any], clock: Clock) -> Decision[Any]:
        return Decision(state.actions().sample(self.rng))
