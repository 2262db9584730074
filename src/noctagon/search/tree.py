"""The base of the tree searches: budget, counts, values, iterative deepening, and scores in words.

The first player maximises, the second minimises; every value is from the first player's point of view.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

from noctagon.core.game import NoctagonError, Side, State

A = TypeVar("A")

INFINITY = float("inf")

WIN = 1_000_000.0
"""Value of a won game, before the plies it takes are taken off: sooner is better."""

DECIDED = WIN - 10_000
"""Largest value of an undecided game; beyond it a game is won or lost for sure."""

Line = tuple[A, ...]
"""The best actions of both sides, one after the other."""


def worth(state: State[Any], ply: int) -> float:
    """Return the value of a finished game: a sooner win is better, a draw is 0."""
    if state.result is None or state.result.winner is None:
        return 0.0
    return WIN - ply if state.result.winner == 0 else ply - WIN


def for_side(value: float, side: Side) -> float:
    """Return a first player's value from a side's point of view."""
    return value if side == 0 else -value


def average(state: State[Any], action: Any, evaluate: Callable[[State[Any]], float]) -> float:
    """Return the value of an action one ply ahead: the average over its brief outcomes."""
    outcomes = list(state.outcomes(action, brief=True))
    return expected(
        [
            (probability, worth(after, 1) if after.result is not None else evaluate(after))
            for probability, _, after in outcomes
        ]
    )


def expected(values: list[tuple[float, float]]) -> float:
    """Return the average of (probability, value) pairs, never a decided value unless there is one outcome.

    A few outcomes stand for all: that all of these are won does not make the game won.
    """
    if len(values) == 1:
        return values[0][1]
    return undecided(sum(probability * value for probability, value in values))


def undecided(value: float) -> float:
    """Return a value limited to those of undecided games."""
    return max(-DECIDED, min(DECIDED, value))


@dataclass
class Tally:
    """The counts of a search: `nodes` are the positions below the root, `expanded` those whose actions were tried.

    `probes` counts the questions to the transposition table, `hits` those that made a search unnecessary.
    """

    nodes: int = 0
    expanded: int = 0
    cuts: int = 0
    evaluations: Counter[int] = field(default_factory=Counter)
    """Number of positions at which the search ended (game over or horizon), by depth below the root."""
    probes: int = 0
    hits: int = 0

    @property
    def branching(self) -> float:
        """Return the average branching factor: nodes below the root per expanded node."""
        return self.nodes / self.expanded if self.expanded else 0.0

    @property
    def table_use(self) -> float | None:
        """Return the share of questions that the table answered, or None without a table."""
        return self.hits / self.probes if self.probes else None

    def copy(self) -> Tally:
        return replace(self, evaluations=self.evaluations.copy())


class Finding(NamedTuple, Generic[A]):
    """The best action a search knows, with its value for the first player, depth, best line and counts."""

    action: A
    value: float
    depth: int
    line: Line[A]
    tally: Tally


class OutOfBudget(Exception):  # noqa: N818 - not an error: it never leaves a search
    """The signal that ends a search whose budget is spent."""


class Budget(NamedTuple):
    """The limits of a search: a number of nodes, and a deadline on the clock of `time.monotonic()`."""

    nodes: int | None = None
    deadline: float | None = None

    @property
    def limited(self) -> bool:
        return self.nodes is not None or self.deadline is not None

    def listed(self, nodes: int) -> int | None:
        """Return how many candidates to list after `nodes` nodes; None for all.

        One more than there are nodes for: a search that reaches it knows that not all were searched.
        """
        return None if self.nodes is None else max(1, self.nodes - nodes) + 1

    def check(self, nodes: int) -> None:
        """Raise `OutOfBudget` if that many nodes, or the present time, exceed the budget."""
        if self.nodes is not None and nodes > self.nodes:
            raise OutOfBudget
        if self.deadline is not None and time.monotonic() >= self.deadline:
            raise OutOfBudget


class Search(ABC, Generic[A]):
    """A search to a fixed depth, or ever deeper until the budget ends.

    `evaluate` gives the value of a position at the horizon, `worth` that of a finished game at a ply
    below the root. `candidates` lists the actions to search, the most promising first. `reward`, if given,
    is what an action earns on the way (state, action, ply): it is added to the value of the position after it.
    """

    def __init__(
        self,
        evaluate: Callable[[Any], float],
        *,
        candidates: Callable[[Any], Iterable[A]] | None = None,
        reward: Callable[[Any, A, int], float] | None = None,
        worth: Callable[[Any, int], float] = worth,
        budget: Budget = Budget(),  # noqa: B008 - immutable
    ) -> None:
        self.evaluate = evaluate
        self.candidates: Callable[[Any], Iterable[A]] = candidates or (lambda state: state.candidates())
        self.reward = reward
        self.worth = worth
        self.budget = budget
        self.tally = Tally()

    def search(self, state: State[A], depth: int) -> Finding[A]:
        """Return the best action when searching exactly `depth` plies ahead."""
        self.tally = Tally()
        finished, best = self._look(state, self._root_actions(state), depth)
        if best is None or not finished:
            raise NoctagonError("the budget ended before anything was found; deepen() gives what there is")
        return best

    def deepen(self, state: State[A], depth: int, step: int = 1) -> Iterator[Finding[A]]:
        """Yield the best action at depth 1, 1 + `step`, … up to `depth`, each once known, until the budget ends."""
        self.tally = Tally()
        actions = self._root_actions(state)
        if self.budget.limited:
            yield Finding(actions[0], 0.0, 0, (actions[0],), Tally())
        finished_depth = 0
        for horizon in range(1, depth + 1, step):
            finished, best = self._look(state, actions, horizon)
            if finished:
                finished_depth = horizon
            if best is not None:
                yield best._replace(depth=finished_depth)
                actions.remove(best.action)
                actions.insert(0, best.action)
            if not finished or (best is not None and abs(best.value) > DECIDED):
                return

    def analyse(self, state: State[A], depth: int, lines: int, step: int = 1) -> Iterator[list[Finding[A]]]:
        """Yield the best `lines` actions, the best first, at ever greater depth up to `depth`, until the budget ends.

        At each depth the best action is searched for, then the best of the others, and so on. A new list is yielded
        whenever one more is known; those that the latest depth has not reached yet keep their place behind it.
        """
        self.tally = Tally()
        actions = self._root_actions(state)
        known: list[Finding[A]] = []
        finished = True
        for horizon in range(1, depth + 1, step):
            found: list[Finding[A]] = []
            left = list(actions)
            older = known
            while left and len(found) < lines and finished:
                finished, best = self._look(state, left, horizon)
                if best is None:
                    break
                found.append(best)
                found.sort(key=lambda one: -for_side(one.value, state.side))
                left.remove(best.action)
                older = [one for one in older if one.action != best.action]
                known = [*found, *older][:lines]
                yield known
            first = [one.action for one in known]
            actions = first + [action for action in actions if action not in first]
            if not finished or all(abs(one.value) > DECIDED for one in known):
                break
        if not known:  # no time at all: the first candidate, unsearched
            yield [Finding(actions[0], 0.0, 0, (actions[0],), self.tally.copy())]

    def values(self, state: State[A], depth: int) -> dict[A, float]:
        """Return every candidate with its exact value when searching `depth` plies ahead."""
        self.tally = Tally(expanded=1)
        return {
            action: self.action_value(state, action, depth, 0, -INFINITY, INFINITY)[0]
            for action in self._root_actions(state)
        }

    @abstractmethod
    def value(
        self, state: State[A], depth: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, Line[A]]:
        """Return a position's value `depth` plies further, exact at least inside the window, and the best line."""

    @abstractmethod
    def chance_value(
        self, state: State[A], action: A, depth: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, Line[A]]:
        """Return the value of what an action leads to, averaged over the outcomes of chance, and the best line."""

    def action_value(
        self, state: State[A], action: A, depth: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, Line[A]]:
        """Return the value of an action, its reward included, and the best line after it."""
        if self.reward is None:
            return self.chance_value(state, action, depth, ply, alpha, beta)
        earned = self.reward(state, action, ply)
        value, line = self.chance_value(state, action, depth, ply, alpha - earned, beta - earned)
        return earned + value, line

    def leaf_value(self, state: State[A], depth: int, ply: int) -> float | None:
        """Count a position, and return its value if the search ends there, or None if it goes on."""
        self.budget.check(self.tally.nodes + 1)
        self.tally.nodes += 1
        if state.result is not None or depth == 0:
            self.tally.evaluations[ply] += 1
            return self.evaluate(state) if state.result is None else self.worth(state, ply)
        self.tally.expanded += 1
        return None

    def _root_actions(self, state: State[A]) -> list[A]:
        """Return the root's candidates; of endless ones those listed in a third of the time, or within the nodes."""
        now = time.monotonic()
        enough = INFINITY if self.budget.deadline is None else now + (self.budget.deadline - now) / 3
        actions = []
        for action in islice(self.candidates(state), self.budget.listed(0)):
            actions.append(action)
            if time.monotonic() > enough:
                break
        if not actions:
            raise NoctagonError("there is nothing to search: the game is over")
        return actions

    def _look(self, state: State[A], actions: list[A], depth: int) -> tuple[bool, Finding[A] | None]:
        """Search all actions to one depth; return whether the budget sufficed, and the best action until then.

        The best action of the previous depth comes first, so an interrupted search is never worse than that.
        """
        self.tally.expanded += 1
        best: Finding[A] | None = None
        alpha, beta = -INFINITY, INFINITY
        for action in actions:
            try:
                value, line = self.action_value(state, action, depth, 0, alpha, beta)
            except OutOfBudget:
                return False, best
            if best is None or for_side(value, state.side) > for_side(best.value, state.side):
                best = Finding(action, value, depth, (action, *line), self.tally)
            if state.side == 0:
                alpha = max(alpha, value)
            else:
                beta = min(beta, value)
        assert best is not None
        return True, best._replace(tally=self.tally.copy())


MOST_POINTS = WIN / 100
"""Largest score read as points; a larger one is read as an average over games won and lost."""


def describe_score(score: float, *, chances: bool = False) -> str:
    """Describe a mover's score: points, a chance to win, or the plies until the game is decided.

    With `chances` every score is a chance, as some players' are: 0 is then 50%.

    >>> describe_score(3.14159), describe_score(999_997.0), describe_score(-999_998.0)
    ('+3.142', 'wins in 3', 'loses in 2')
    >>> describe_score(600_000.0), describe_score(2.2e-16)
    ('80% to win', '+0')
    >>> describe_score(0.0, chances=True)
    '50% to win'
    >>> describe_score(DECIDED), describe_score(-DECIDED)  # as good as sure is not sure
    ('99% to win', '1% to win')
    """
    if abs(score) > DECIDED:
        return f"{'wins' if score > 0 else 'loses'} in {WIN - abs(score):.0f}"
    chance = chance_of(score, chances=chances)
    return f"{round(score, 6) + 0.0:+.4g}" if chance is None else f"{max(0.01, min(0.99, chance)):.0%} to win"


def chance_of(score: float, *, chances: bool = False) -> float | None:
    """Return the chance to win that a score stands for, or None if it is a score in points."""
    return (score / WIN + 1) / 2 if chances or abs(score) > MOST_POINTS else None
