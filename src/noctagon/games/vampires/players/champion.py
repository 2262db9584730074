"""The champion: the strongest player of Vampires vs Werewolves."""

from __future__ import annotations

from typing import Any

from noctagon.clock import Clock
from noctagon.game import Game, Side, State
from noctagon.games.vampires import engine
from noctagon.games.vampires.evaluation import champion
from noctagon.games.vampires.players.limits import number
from noctagon.player import GameStart
from noctagon.players.searching import TreePlayer, terms_after
from noctagon.search.tree import Budget

WITHOUT_CLOCK = 6
"""How deep it looks where nothing limits it."""
MOST_THREADS = 64


class ChampionPlayer(TreePlayer):
    """Searches whole turns, with splits and chances, as deep as time allows; all of it compiled.

    `width` turns are tried in every position, chosen by a quick guess at what each leads to; a table keeps what
    was found from turn to turn. `threads` search together.
    """

    def __init__(
        self,
        game: Game[Any],
        *,
        depth: int = engine.DEEPEST,
        nodes: int = 0,
        time: float = 0.0,
        width: int = engine.WIDTH,
        threads: int = 1,
    ) -> None:
        super().__init__(game, depth=depth, nodes=nodes, time=time)
        self.width = int(number("champion", "width", width, 1, engine.MOST_TURNS))
        self.threads = int(number("champion", "threads", threads, 1, MOST_THREADS))
        engine.load()
        self.table = engine.new_table()

    def start(self, game: GameStart, side: Side) -> None:
        self.table = engine.new_table()

    def search(self, state: State[Any], budget: Budget) -> engine.Engine:
        return engine.Engine(table=self.table, threads=self.threads, width=self.width, budget=budget)

    def budget(self, clock: Clock) -> Budget:
        self._clocked = clock.seconds is not None
        return super().budget(clock)

    def horizon(self, state: State[Any]) -> int:
        limited = self._clocked or self.nodes or self.time or self.depth < engine.DEEPEST
        return self.depth if limited else WITHOUT_CLOCK

    def explain(self, state: State[Any], action: Any) -> dict[str, float]:
        return terms_after(state, action, champion)
