"""Minimax: search every action of both sides down to the horizon, and take the best for the side to move.

    value(s) = worth(s)                        if the game is over
             = evaluate(s)                     at the horizon
             = max over actions of value       if the first player is to move
             = min over actions of value       if the second is

Where chance decides, the value is the average over its (brief) results. Nothing is cut: the searches that do cut
are tested against this one.
"""

from __future__ import annotations

from typing import TypeVar

from noctagon.core.game import State
from noctagon.search.tree import INFINITY, Line, Search, expected, for_side

A = TypeVar("A")


class Minimax(Search[A]):
    """Search of every action to the full depth; the window is ignored."""

    def value(
        self, state: State[A], depth: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, Line[A]]:
        ended = self.leaf_value(state, depth, ply)
        if ended is not None:
            return ended, ()
        best = for_side(-INFINITY, state.side)
        best_line: Line[A] = ()
        for action in self.candidates(state):
            value, line = self.action_value(state, action, depth, ply, alpha, beta)
            if for_side(value, state.side) > for_side(best, state.side):
                best, best_line = value, (action, *line)
        return best, best_line

    def chance_value(
        self, state: State[A], action: A, depth: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, Line[A]]:
        outcomes = list(state.outcomes(action, brief=True))
        values = [self.value(outcome.state, depth - 1, ply + 1, alpha, beta) for outcome in outcomes]
        line = values[0][1] if len(values) == 1 else ()
        return expected(
            [(outcome.probability, value) for outcome, (value, _) in zip(outcomes, values, strict=True)]
        ), line
