"""The players without a search: one plays at random, one looks one ply ahead."""

from __future__ import annotations

from random import Random
from typing import Any

from noctagon.core.clock import Clock
from noctagon.core.game import Game, IllegalAction, Side, State
from noctagon.core.player import Decision, GameStart, Player, Thought
from noctagon.players.options import find_evaluation, find_generator
from noctagon.players.searching import terms_after
from noctagon.search.tree import average, for_side


class RandomPlayer(Player):
    """Any legal action, drawn with the game's seed."""

    def __init__(self) -> None:
        self.rng = Random(0)

    def start(self, game: GameStart, side: Side) -> None:
        self.rng = Random(game.seed)

    def choose(self, state: State[Any], clock: Clock) -> Decision[Any]:
        return Decision(state.actions().sample(self.rng))


class GreedyPlayer(Player):
    """The candidate that looks best right after it is played; ties are broken with the game's seed."""

    def __init__(self, game: Game[Any], *, heuristic: str = "", generator: str = "") -> None:
        self.game = game
        self.evaluate = find_evaluation(game, heuristic)
        self.generator = find_generator(game, generator)
        self.rng = Random(0)

    def start(self, game: GameStart, side: Side) -> None:
        self.rng = Random(game.seed)

    def choose(self, state: State[Any], clock: Clock) -> Decision[Any]:
        best: list[Any] = []
        best_value = -float("inf")
        nodes = 0
        for action in state.candidates(self.generator):
            value = for_side(average(state, action, self.evaluate), state.side)
            nodes += 1
            if value > best_value:
                best, best_value = [action], value
            elif value == best_value:
                best.append(action)
            if nodes % 64 == 0 and clock.remaining() < 0.2 * (clock.seconds or 1.0):
                break  # a generator may be endless
        if not best:
            raise IllegalAction("there is nothing to choose from: the game is over")
        action = self.rng.choice(best)
        thought = Thought(
            depth=1,
            nodes=nodes,
            evaluations={1: nodes},
            score=best_value,
            line=(self.game.format_action(action),),
            seconds=clock.elapsed(),
        )
        return Decision(action, thought)

    def explain(self, state: State[Any], action: Any) -> dict[str, float]:
        """Return the terms of the evaluation right after the action: the whole reason for the choice."""
        return terms_after(state, action, self.evaluate)
