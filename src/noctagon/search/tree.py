"""What the searches here share: what they are given, what they count, and how they go ever deeper.

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
"""A won game is worth this, less the plies it takes: sooner is better."""

DECIDED = WIN - 10_000
"""Beyond this a value is a game won or lost for sure, not an average over chance."""

Line = tuple[A, ...]
"""The best actions of both sides, one after the other."""


def worth(state: State[Any], ply: int) -> float:
    """A finished game as a value: won sooner is better, a draw is nothing."""
    if state.result is None or state.result.winner is None:
        return 0.0
    return WIN - ply if state.result.winner == 0 else ply - WIN


def for_side(value: float, side: Side) -> float:
    """A first player's value as the side sees it."""
    return value if side == 0 else -value


def average(state: State[Any], action: Any, evaluate: Callable[[State[Any]], float]) -> float:
    """What an action is worth one ply ahead: the average over its brief outcomes."""
    outcomes = list(state.outcomes(action, brief=True))
    return expected(
        [
            (probability, worth(after, 1) if after.result is not None else evaluate(after))
            for probability, _, after in outcomes
        ]
    )


def expected(values: list[tuple[float, float]]) -> float:
    """The average over what chance may do, which decides nothing: a few outcomes stand for all, and may all be won."""
    if len(values) == 1:
        return values[0][1]
    return undecided(sum(probability * value for probability, value in values))


def undecided(value: float) -> float:
    """A value that is at most as good as sure."""
    return max(-DECIDED, min(DECIDED, value))


@dataclass
class Tally:
    """What a search has done. Positions below the root are `nodes`; those whose actions it tried are `expanded`.

    `probes` counts how often it asked its table of positions seen before, `hits` how often that spared it a look.
    """

    nodes: int = 0
    expanded: int = 0
    cuts: int = 0
    evaluations: Counter[int] = field(default_factory=Counter)
    """How many positions the search ended at, over or at the horizon, by their depth below the root."""
    probes: int = 0
    hits: int = 0

    @property
    def branching(self) -> float:
        """The average branching factor: nodes below the root per expanded node."""
        return self.nodes / self.expanded if self.expanded else 0.0

    @property
    def table_use(self) -> float | None:
        """The share of questions that the table answered; None where there is no table."""
        return self.hits / self.probes if self.probes else None

    def copy(self) -> Tally:
        return replace(self, evaluations=self.evaluations.copy())


class Finding(NamedTuple, Generic[A]):
    """The best action a search knows, its value for the first player, and what it took to find."""

    action: A
    value: float
    depth: int
    line: Line[A]
    tally: Tally


class OutOfBudget(Exception):  # noqa: N818 - it is no error, and never leaves a search
    pass


class Budget(NamedTuple):
    """How much a search may spend: nodes, and time until a moment of `time.monotonic()`."""

    nodes: int | None = None
    deadline: float | None = None

    @property
    def limited(self) -> bool:
        return self.nodes is not None or self.deadline is not None

    def listed(self, nodes: int) -> int | None:
        """How many candidates are worth listing; None: all.

        One more than there are nodes for: whoever comes to that one knows that not all were looked at.
        """
        return None if self.nodes is None else max(1, self.nodes - nodes) + 1

    def check(self, nodes: int) -> None:
        if self.nodes is not None and nodes > self.nodes:
            raise OutOfBudget
        if self.deadline is not None and time.monotonic() >= self.deadline:
            raise OutOfBudget


class Search(ABC, Generic[A]):
    """A search to a fixed depth, or ever deeper until the budget ends.

    `evaluate` says what a position at the horizon is worth, `worth` what a finished game is worth at a ply
    below the root. `candidates` lists the actions to look at, the most promising first. `reward`, if given,
    is what an action earns on the way (state, action, ply): it is added to whatever the position after it is worth.
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
        """The best action when looking exactly `depth` plies ahead; takes as long as it takes."""
        self.tally = Tally()
        finished, best = self._look(state, self._root_actions(state), depth)
        if best is None or not finished:
            raise NoctagonError("the budget ended before anything was found; deepen() gives what there is")
        return best

    def deepen(self, state: State[A], depth: int, step: int = 1) -> Iterator[Finding[A]]:
        """The best action at depth 1, 1 + `step`, … up to `depth`, each as soon as known, until the budget ends."""
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
        """The best `lines` actions, the best first, at ever greater depth up to `depth`, until the budget ends.

        At each depth the best is looked for, then the best of the others, and so on. The list is told anew
        whenever one more is known; those that the latest depth has not reached yet keep their place behind.
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
        if not known:  # no time at all: the first candidate, unseen
            yield [Finding(actions[0], 0.0, 0, (actions[0],), self.tally.copy())]

    def values(self, state: State[A], depth: int) -> dict[A, float]:
        """Every candidate with its exact value, when looking `depth` plies ahead."""
        self.tally = Tally(expanded=1)
        return {
            action: self.action_value(state, action, depth, 0, -INFINITY, INFINITY)[0]
            for action in self._root_actions(state)
        }

    @abstractmethod
    def value(
        self, state: State[A], depth: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, Line[A]]:
        """A position's value `depth` plies further, and the best line; need be exact only inside the window."""

    @abstractmethod
    def chance_value(
        self, state: State[A], action: A, depth: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, Line[A]]:
        """The value of what an action leads to, over all that chance may make of it."""

    def action_value(
        self, state: State[A], action: A, depth: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, Line[A]]:
        """The value of an action: what it earns at once, and the value of what it leads to."""
        if self.reward is None:
            return self.chance_value(state, action, depth, ply, alpha, beta)
        earned = self.reward(state, action, ply)
        value, line = self.chance_value(state, action, depth, ply, alpha - earned, beta - earned)
        return earned + value, line

    def leaf_value(self, state: State[A], depth: int, ply: int) -> float | None:
        """What a position is worth if the search ends at it; None if it goes on. Counts it in any case."""
        self.budget.check(self.tally.nodes + 1)
        self.tally.nodes += 1
        if state.result is not None or depth == 0:
            self.tally.evaluations[ply] += 1
            return self.evaluate(state) if state.result is None else self.worth(state, ply)
        self.tally.expanded += 1
        return None

    def _root_actions(self, state: State[A]) -> list[A]:
        """The candidates; where these are endless, those that a third of the time, or all nodes, are enough for."""
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
        """One look at all actions. If the budget ends in it, the best until then: the first is the last look's best."""
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
"""A larger score is taken for an average over games won and lost: few positions are worth as many points."""


def describe_score(score: float, *, chances: bool = False) -> str:
    """A score as the mover sees it: points, a chance to win, or in how many plies the game is decided.

    `chances` says that it comes from a player whose scores all are chances: nothing for either is then 50%.

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
    """The chance to win that a score stands for, where some games below it are won or lost, or all are `chances`."""
    return (score / WIN + 1) / 2 if chances or abs(score) > MOST_POINTS else None
