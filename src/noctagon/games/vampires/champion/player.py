"""The champion: the strongest player of Vampires vs Werewolves."""

from __future__ import annotations

from typing import Any

from noctagon.core.game import Game, State
from noctagon.games.vampires.champion import search as engine
from noctagon.games.vampires.champion.evaluation import champion
from noctagon.games.vampires.players.limits import number
from noctagon.players.engine import EnginePlayer
from noctagon.players.searching import terms_after
from noctagon.search.tree import Budget


class ChampionPlayer(EnginePlayer):
    """Searches whole turns, with splits and chances, as deep as time allows; all of it compiled.

    `width` turns are tried in every position, chosen by a quick guess at what each leads to; a table keeps what
    was found from turn to turn. `threads` search together.
    """

    deepest = engine.DEEPEST
    without_clock = 6
    chances = True

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
        engine.load()
        super().__init__(game, depth=depth, nodes=nodes, time=time, threads=threads)
        self.width = int(number("champion", "width", width, 1, engine.MOST_TURNS))

    def new_table(self) -> Any:
        return engine.new_table()

    def search(self, state: State[Any], budget: Budget) -> engine.Engine:
        return engine.Engine(table=self.table, threads=self.threads, width=self.width, budget=budget)

    def explain(self, state: State[Any], action: Any) -> dict[str, float]:
        return terms_after(state, action, champion)
