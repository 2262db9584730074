"""What the champions of all games share: a table kept from turn to turn, threads, no wish for a certain depth."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from noctagon.core.clock import Clock
from noctagon.core.game import Game, NoctagonError, Side, State
from noctagon.core.player import GameStart
from noctagon.players.searching import TreePlayer
from noctagon.search.tree import Budget

MOST_THREADS = 64


class EnginePlayer(TreePlayer):
    """Searches as deep as its time allows; `threads` search together and share what they find."""

    deepest: int
    without_clock: int
    """How deep it looks where nothing limits it."""

    def __init__(
        self, game: Game[Any], *, depth: int, nodes: int, time: float, threads: int, **others: Any
    ) -> None:
        super().__init__(game, depth=depth, nodes=nodes, time=time, **others)
        if not 1 <= threads <= MOST_THREADS:
            raise NoctagonError(f"{self.name}: threads={threads} should be from 1 to {MOST_THREADS}")
        self.threads = threads
        self.table = self.new_table()
        self.clocked = False

    @abstractmethod
    def new_table(self) -> Any:
        """An empty table of positions seen before."""

    def start(self, game: GameStart, side: Side) -> None:
        self.table = self.new_table()

    def budget(self, clock: Clock) -> Budget:
        self.clocked = clock.seconds is not None
        return super().budget(clock)

    def horizon(self, state: State[Any]) -> int:
        limited = self.nodes or self.time or self.clocked or self.depth < self.deepest
        return self.depth if limited else self.without_clock
