"""The players of AI Wargame: minimax and alpha-beta on the compiled search, the turtle, and the champion."""

from __future__ import annotations

from typing import Any

from noctagon.core.game import Game, Side, State, UnknownName
from noctagon.core.player import GameStart
from noctagon.games.wargame.champion import endings
from noctagon.games.wargame.champion import search as engine
from noctagon.games.wargame.players import evaluation
from noctagon.games.wargame.players.evaluation import Heuristic
from noctagon.games.wargame.players.search import DEEPEST, KernelSearch
from noctagon.games.wargame.rules import units
from noctagon.games.wargame.rules.state import Action, WargameState
from noctagon.players.searching import EnginePlayer, TreePlayer
from noctagon.search.tree import Budget, for_side, worth

SHARE, LEAST = 0.1, 0.1
"""Share of a turn's time that is kept back, and the least number of seconds …"""
MOST = 0.6
"""… but never more than this share: to be late loses the game, and a busy machine may hold a process up."""

ATTACKING = {evaluation.champion: evaluation.assault, evaluation.bulwark: evaluation.onslaught}
"""Evaluations for the attack, by those for the defence."""


class KernelPlayer(TreePlayer):
    """A player that searches with the kernel and one of the game's heuristics."""

    deepest = DEEPEST

    def __init__(self, game: Game[Any], *, depth: int, nodes: int, time: float, heuristic: str) -> None:
        super().__init__(game, depth=depth, nodes=nodes, time=time)
        self.heuristic = find_heuristic(game, heuristic)

    def weighing(self, state: State[Any]) -> Heuristic:
        """Return the evaluation it plays by when it is the side to move."""
        return self.heuristic

    def kept_back(self, seconds: float) -> float:
        return min(MOST * seconds, max(SHARE * seconds, LEAST))

    def explain(self, state: State[Any], action: Any) -> dict[str, float]:
        after = state.play(action)
        assert isinstance(after, WargameState)
        if after.result is not None:
            return {"game over": for_side(worth(after, 1), state.side)}
        terms = self.weighing(state).terms(after)
        return {term: for_side(value, state.side) + 0.0 for term, value in terms.items()}


class MinimaxPlayer(KernelPlayer):
    """Minimax, compiled: every action of both sides, to the full depth.

    With `literal`, finished games are valued by the heuristic alone; otherwise the sooner won the better.
    """

    def __init__(
        self,
        game: Game[Any],
        *,
        depth: int = 4,
        nodes: int = 0,
        time: float = 0.0,
        heuristic: str = "",
        literal: bool = False,
    ) -> None:
        super().__init__(game, depth=depth, nodes=nodes, time=time, heuristic=heuristic)
        self.literal = literal

    def search(self, state: State[Any], budget: Budget) -> KernelSearch:
        return KernelSearch(self.heuristic, prune=False, literal=self.literal, budget=budget)


class AlphaBetaPlayer(KernelPlayer):
    """Alpha-beta, compiled; `order` tries the last cut of the same ply, then attacks, before the rest.

    With `literal`, finished games are valued by the heuristic alone; otherwise the sooner won the better.
    """

    def __init__(
        self,
        game: Game[Any],
        *,
        depth: int = 6,
        nodes: int = 0,
        time: float = 0.0,
        heuristic: str = "",
        order: bool = True,
        literal: bool = False,
    ) -> None:
        super().__init__(game, depth=depth, nodes=nodes, time=time, heuristic=heuristic)
        self.order = order
        self.literal = literal

    def search(self, state: State[Any], budget: Budget) -> KernelSearch:
        return KernelSearch(self.heuristic, order=self.order, literal=self.literal, budget=budget)


class TurtlePlayer(AlphaBetaPlayer):
    """A defender that keeps its AI in the corner behind its Techs and shuffles; as the attacker it plays e2.

    It looks a few plies ahead with a heuristic of its own: nothing is worth as much as staying at home, and all
    it does is to strike and repair what stands beside the wall. For the attacker waiting loses, so there it
    leaves the corner like anybody else.
    """

    def __init__(self, game: Game[Any], *, depth: int = 4, nodes: int = 0, time: float = 0.0) -> None:
        super().__init__(game, depth=depth, nodes=nodes, time=time, heuristic="turtle")

    def start(self, game: GameStart, side: Side) -> None:
        self.heuristic = evaluation.turtle if side == units.DEFENDER else evaluation.e2

    def search(self, state: State[Any], budget: Budget) -> KernelSearch:
        return KernelSearch(self.heuristic, candidates=self.ai_last, budget=budget)

    def ai_last(self, state: WargameState) -> list[Action]:
        """Return all actions, the AI's last, so that of equally good ones the AI's is not taken."""
        return sorted(
            state.candidates(), key=lambda action: units.kind_of(state.cells[action.source]) == units.AI
        )


class ChampionPlayer(EnginePlayer, KernelPlayer):
    """The strongest: principal variation search with a table of what it has seen, which it keeps from turn to turn.

    Forced wins are exact, and so is the turn limit; it knows the endings of three units (`endings`).
    `threads` search together. Its heuristic is a network, `bulwark` as the defender and `onslaught` as the attacker;
    where there are units it has never seen, `champion` and `assault` take their place.
    """

    deepest = engine.DEEPEST
    without_clock = 14

    def __init__(
        self,
        game: Game[Any],
        *,
        depth: int = engine.DEEPEST,
        nodes: int = 0,
        time: float = 0.0,
        heuristic: str = "bulwark",
        threads: int = 1,
    ) -> None:
        engine.load()
        super().__init__(game, depth=depth, nodes=nodes, time=time, heuristic=heuristic, threads=threads)
        self.endings = endings.load()
        self.loaded = [one.weights for one in (self.heuristic, evaluation.onslaught)]  # before the clock runs
        self.last: Heuristic | None = None
        self.turns = 0

    def new_table(self) -> Any:
        return engine.new_table()

    def weighing(self, state: State[Any]) -> Heuristic:
        assert isinstance(state, WargameState)
        found = self.heuristic
        if isinstance(found, evaluation.Network) and not found.knows(state):
            found = evaluation.champion
        return ATTACKING.get(found, found) if state.side == units.ATTACKER else found

    def search(self, state: State[Any], budget: Budget) -> engine.Engine:
        self.turns += 1
        weighing = self.weighing(state)
        if self.last not in (None, weighing):  # what the table holds was weighed otherwise
            self.table = self.new_table()
        self.last = weighing
        return engine.Engine(
            weighing,
            table=self.table,
            endings=self.endings,
            age=self.turns,
            threads=self.threads,
            budget=budget,
        )


def find_heuristic(game: Game[Any], name: str) -> Heuristic:
    """Return one of the game's heuristics by name; by default its first."""
    if name and name not in game.evaluations:
        raise UnknownName(f"evaluation of {game.name}", name, game.evaluations)
    found = game.evaluations[name or next(iter(game.evaluations))]
    assert isinstance(found, Heuristic)
    return found
