"""Alpha-beta for any game: fixed depth or ever deeper, over the game's candidates, with chance averaged.

The first player maximises, the second minimises. An action that chance has a say in is worth the average of
a few outcomes that stand for all (`State.outcomes(brief=True)`); cuts are made below and above such an action,
not inside it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

from noctagon.game import NoctagonError, Result, Side, State

A = TypeVar("A")

WIN = 1_000_000.0
"""A won game is worth this, less the plies it takes: sooner is better."""


DECIDED = WIN - 10_000
"""Beyond this a value is a game won or lost for sure, not an average over chance."""


class Finding(NamedTuple, Generic[A]):
    """The best action a search knows. `value` is from the first player's point of view."""

    action: A
    value: float
    depth: int
    line: tuple[A, ...]
    nodes: int
    evaluations: dict[int, int]


class OutOfBudget(Exception):  # noqa: N818 - it is no error, and never leaves this module
    pass


class AlphaBeta(Generic[A]):
    """One search at a time; counts what it does. `nodes` and `deadline` stop it wherever it is."""

    def __init__(
        self,
        evaluate: Callable[[State[A]], float],
        *,
        generator: str | None = None,
        nodes: int | None = None,
        deadline: float | None = None,
    ) -> None:
        self.evaluate = evaluate
        self.generator = generator
        self.most_nodes = nodes
        self.deadline = deadline
        self.nodes = 0
        self.evaluations: Counter[int] = Counter()

    def deepen(self, state: State[A], depth: int) -> Iterator[Finding[A]]:
        """The best action at depth 1, 2, … up to `depth`, each as soon as it is known, until the budget ends."""
        actions = self._root_actions(state)
        if self.deadline is not None or self.most_nodes is not None:
            yield Finding(actions[0], 0.0, 0, (actions[0],), 0, {})
        for horizon in range(1, depth + 1):
            finished, best = self._root(state, actions, horizon)
            if best is not None:
                yield best
                actions.remove(best.action)
                actions.insert(0, best.action)
            if not finished or (best is not None and abs(best.value) > DECIDED):
                return

    def _root_actions(self, state: State[A]) -> list[A]:
        """The candidates; where these are endless, those that a third of the time is enough to list."""
        now = time.monotonic()
        enough = float("inf") if self.deadline is None else now + (self.deadline - now) / 3
        actions = []
        for action in state.candidates(self.generator):
            actions.append(action)
            if time.monotonic() > enough:
                break
        if not actions:
            raise NoctagonError("there is nothing to search: the game is over")
        return actions

    def _root(self, state: State[A], actions: list[A], depth: int) -> tuple[bool, Finding[A] | None]:
        """One iteration. If the budget ends in it, what it found until then, if that can be trusted."""
        sign = 1.0 if state.side == 0 else -1.0
        best: Finding[A] | None = None
        alpha, beta = -float("inf"), float("inf")
        for action in actions:
            try:
                value, line = self._action(state, action, depth, 0, alpha, beta)
            except OutOfBudget:
                return False, best
            if best is None or sign * value > sign * best.value:
                best = Finding(action, value, depth, (action, *line), self.nodes, dict(self.evaluations))
            if sign > 0:
                alpha = max(alpha, value)
            else:
                beta = min(beta, value)
        return True, best

    def _node(
        self, state: State[A], depth: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, tuple[A, ...]]:
        """The value of a position searched `depth` plies further, and the best line from it."""
        self._spend()
        if (result := state.result) is not None:
            return worth(result, ply), ()
        if depth == 0:
            self.evaluations[ply] += 1
            return self.evaluate(state), ()
        best_line: tuple[A, ...] = ()
        best = -float("inf") if state.side == 0 else float("inf")
        for action in state.candidates(self.generator):
            value, line = self._action(state, action, depth, ply, alpha, beta)
            if state.side == 0 and value > best:
                best, best_line = value, (action, *line)
                alpha = max(alpha, value)
            elif state.side == 1 and value < best:
                best, best_line = value, (action, *line)
                beta = min(beta, value)
            if beta <= alpha:
                break
        return best, best_line

    def _action(
        self, state: State[A], action: A, depth: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, tuple[A, ...]]:
        outcomes = list(state.outcomes(action, brief=True))
        if len(outcomes) == 1:
            return self._node(outcomes[0].state, depth - 1, ply + 1, alpha, beta)
        average = 0.0
        for outcome in outcomes:
            value, _ = self._node(outcome.state, depth - 1, ply + 1, -float("inf"), float("inf"))
            average += outcome.probability * value
        return average, ()

    def _spend(self) -> None:
        self.nodes += 1
        if self.most_nodes is not None and self.nodes > self.most_nodes:
            raise OutOfBudget
        if self.deadline is not None and time.monotonic() >= self.deadline:
            raise OutOfBudget


def worth(result: Result, ply: int) -> float:
    """A finished game as a value: won sooner is better, a draw is nothing."""
    if result.winner is None:
        return 0.0
    return WIN - ply if result.winner == 0 else ply - WIN


def for_side(value: float, side: Side) -> float:
    """A first player's value as the side sees it."""
    return value if side == 0 else -value


def average(state: State[Any], action: Any, evaluate: Callable[[State[Any]], float]) -> float:
    """What an action is worth one ply ahead: the average over its brief outcomes."""
    return sum(
        outcome.probability
        * (worth(outcome.state.result, 1) if outcome.state.result else evaluate(outcome.state))
        for outcome in state.outcomes(action, brief=True)
    )
