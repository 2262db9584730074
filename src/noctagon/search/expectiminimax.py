"""Expectiminimax with alpha-beta over chance nodes: for games in which an action may turn out in several ways.

    value(action) = sum over outcomes of probability × value(outcome)

Cuts can be made inside such a sum when it is known between which bounds every value lies (Ballard's Star1):
as soon as what is still to come can no longer lift the sum above alpha, or sink it below beta, the rest need
not be looked at. Every outcome is searched with the window in which it can still matter.

`merged` looks at a few outcomes that stand for all (`Chance.brief`), which is quick; without it every outcome
is looked at, which is exact. In a game without chance both are alpha-beta.
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
"""An action that can turn out in more ways is merged all the same: nobody has the time to list them."""


def ways(chances: tuple[Chance, ...]) -> int:
    """In how many ways an action with these chances can turn out."""
    return math.prod(len(chance.results) for chance in chances)


class Expectiminimax(AlphaBeta[A]):
    """Alpha-beta that also cuts among the outcomes of one action.

    `bounds` are the least and the greatest value there can be; the tighter they are, the more is cut.
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
            if low >= greatest:  # not even the best of luck from here on
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
            return total, ()  # whatever the dice say
        return undecided(total), ()
