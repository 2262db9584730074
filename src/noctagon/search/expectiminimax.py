"""Expectiminimax with alpha-beta over chance nodes, for games in which an action may have several outcomes.

    value(action) = sum over outcomes of probability × value(outcome)

Such a sum can be cut when every value lies between known bounds (Star1: Ballard, 1983): as soon as the outcomes
still to come can no longer lift the sum above alpha, or sink it below beta, they need no search. Every outcome is
searched with the window in which it can still matter.

With `merged`, a few outcomes stand for all (`Chance.brief`), which is fast; without it every outcome is searched,
which is exact. In a game without chance both are alpha-beta.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from noctagon.core.game import Chance, State
from noctagon.search.alphabeta import AlphaBeta
from noctagon.search.tree import DECIDED, WIN, Budget, Line, undecided, worth

A = TypeVar("A")


MOST_OUTCOMES = 256
"""Number of outcomes above which an action is merged in any case: there are too many to search."""


def ways(chances: tuple[Chance, ...]) -> int:
    """Return the number of outcomes of an action with these chances."""
    return math.prod(len(chance.results) for chance in chances)


class Expectiminimax(AlphaBeta[A]):
    """Alpha-beta that also cuts among the outcomes of one action.

    `bounds` are the least and the greatest possible value; the tighter they are, the more is cut.
    """

    def __init__(
        self,
        evaluate: Callable[[Any], float],
        *,
        candidates: Callable[[Any], Iterable[A]] | None = None,
        reward: Callable[[Any, A, int], float] | None = None,
        worth: Callable[[Any, int], float] = worth,
        budget: Budget = Budget(),  # noqa: B008 - immutable
        order: bool = True,
        table: bool = True,
        merged: bool = True,
        bounds: tuple[float, float] = (-WIN, WIN),
    ) -> None:
        super().__init__(
            evaluate,
            candidates=candidates,
            reward=reward,
            worth=worth,
            budget=budget,
            order=order,
            table=table,
        )
        self.merged = merged
        self.bounds = bounds

    def chance_value(
        self, state: State[A], action: A, depth: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, Line[A]]:
        merged = self.merged or ways(state.chances(action)) > MOST_OUTCOMES
        outcomes = list(state.outcomes(action, brief=merged))
        if len(outcomes) == 1:
            return self.value(outcomes[0].state, depth - 1, ply + 1, alpha, beta)
        outcomes = [outcome for outcome in outcomes if outcome.probability > 0]
        outcomes.sort(key=lambda outcome: -outcome.probability)
        least, greatest = self.bounds
        total, rest = 0.0, 1.0
        values: list[float] = []
        for probability, _, after in outcomes:
            low = (alpha - total - (rest - probability) * greatest) / probability
            high = (beta - total - (rest - probability) * least) / probability
            if low >= greatest:  # not even the best outcomes from here on are enough
                self.tally.cuts += 1
                return total + rest * greatest, ()
            if high <= least:
                self.tally.cuts += 1
                return total + rest * least, ()
            value, _ = self.value(after, depth - 1, ply + 1, max(low, least), min(high, greatest))
            total += probability * value
            values.append(value)
            rest -= probability
            if least < value <= low:
                self.tally.cuts += 1
                return total + rest * greatest, ()
            if greatest > value >= high:
                self.tally.cuts += 1
                return total + rest * least, ()
        if not merged and (min(values) > DECIDED or max(values) < -DECIDED):
            return total, ()  # decided for every result of the dice
        return undecided(total), ()
