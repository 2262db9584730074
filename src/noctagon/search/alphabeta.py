"""Alpha-beta: minimax that cuts what cannot change the decision (Knuth and Moore, 1975).

`alpha` is the value that the first player is sure of already, `beta` the one that the second is. Once an action
shows that a position lies outside this window, its other actions need no search: a cut. Value and best action are
minimax's; fewer positions are visited, the fewer the better the actions are ordered.

Where chance decides, the average is taken as in minimax: cuts are made below and above such an action, not
inside it (`expectiminimax` does that).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeVar

from noctagon.core.game import State
from noctagon.search.tree import INFINITY, Budget, Line, Search, expected, for_side, worth

A = TypeVar("A")

Bound = Literal["exact", "at least", "at most"]

LISTED_AT_ONCE = 64
"""Number of candidates between two looks at the clock: a generator may list more than there is time for."""


class Entry(NamedTuple):
    """An entry of the transposition table: a searched position's value or a bound on it, and its best line."""

    depth: int
    bound: Bound
    value: float
    line: Line[Any]


class AlphaBeta(Search[A]):
    """Minimax with cuts.

    With `order`, actions that made a cut elsewhere are tried first: at the same ply (killers) or often (history).
    With `table`, a position reached again by another order of actions is not searched again (transpositions).
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
    ) -> None:
        super().__init__(evaluate, candidates=candidates, reward=reward, worth=worth, budget=budget)
        self.order = order
        self.table: dict[bytes, Entry] | None = {} if table else None
        self.killers: dict[int, A] = {}
        self.history: Counter[A] = Counter()

    def value(
        self, state: State[A], depth: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, Line[A]]:
        ended = self.leaf_value(state, depth, ply)
        if ended is not None:
            return ended, ()
        known = None
        if self.table is not None:
            self.tally.probes += 1
            known = self.table.get(state.key)
        if known is not None and known.depth == depth and self._settles(known, alpha, beta):
            self.tally.hits += 1
            self.tally.expanded -= 1
            return known.value, known.line
        best = for_side(-INFINITY, state.side)
        best_line: Line[A] = ()
        lower, upper = alpha, beta
        for action in self._ordered(state, ply, known):
            value, line = self.action_value(state, action, depth, ply, lower, upper)
            if for_side(value, state.side) > for_side(best, state.side):
                best, best_line = value, (action, *line)
            if state.side == 0:
                lower = max(lower, value)
            else:
                upper = min(upper, value)
            if lower >= upper:
                self._cut(action, depth, ply)
                break
        if self.table is not None:
            bound: Bound = "at least" if best >= beta else "at most" if best <= alpha else "exact"
            self.table[state.key] = Entry(depth, bound, best, best_line)
        return best, best_line

    def chance_value(
        self, state: State[A], action: A, depth: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, Line[A]]:
        outcomes = list(state.outcomes(action, brief=True))
        if len(outcomes) == 1:
            return self.value(outcomes[0].state, depth - 1, ply + 1, alpha, beta)
        return expected(
            [
                (probability, self.value(after, depth - 1, ply + 1, -INFINITY, INFINITY)[0])
                for probability, _, after in outcomes
            ]
        ), ()

    @staticmethod
    def _settles(known: Entry, alpha: float, beta: float) -> bool:
        return (
            known.bound == "exact"
            or (known.bound == "at least" and known.value >= beta)
            or (known.bound == "at most" and known.value <= alpha)
        )

    def _ordered(self, state: State[A], ply: int, known: Entry | None) -> Iterable[A]:
        """Return the candidates: the table's best first, then this ply's killer, then by history."""
        if not self.order:
            return self.candidates(state)
        candidates: list[A] = []
        for action in islice(self.candidates(state), self.budget.listed(self.tally.nodes)):
            candidates.append(action)
            if len(candidates) % LISTED_AT_ONCE == 0:
                self.budget.check(self.tally.nodes)
        best = known.line[0] if known is not None and known.line else None
        killer = self.killers.get(ply)
        return sorted(
            candidates, key=lambda action: (action != best, action != killer, -self.history[action])
        )

    def _cut(self, action: A, depth: int, ply: int) -> None:
        self.tally.cuts += 1
        if self.order:
            self.killers[ply] = action
            self.history[action] += depth * depth
