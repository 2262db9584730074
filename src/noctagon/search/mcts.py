"""Monte Carlo tree search: simulated games show which action is good, most of them where it pays.

Every round walks down the tree built so far, taking at each position the action with the best upper confidence
bound (UCB1: Kocsis and Szepesvári, 2006), its average result plus a bonus for having been tried seldom; where chance
decides, the dice are rolled and each outcome of an action is a position of its own. At the first new position a
simulation estimates the first player's chance to win, and every position on the way is updated with it.

Where there are many actions, a position starts with the most promising and adds more as it is visited more often
(progressive widening: Coulom, 2007).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any, Generic, TypeVar

from noctagon.core.game import Dice, NoctagonError, State
from noctagon.search.tree import DECIDED, WIN, Budget, Finding, Line, OutOfBudget, Tally

A = TypeVar("A")

Simulation = Callable[[Any, Random], float]
"""Estimate of the first player's chance to win from a position, 0 to 1: by a play-out or otherwise."""


def outcome_value(state: State[Any]) -> float:
    """Return a finished game's value for the first player: 1 won, 0 lost, one half drawn."""
    winner = state.adjudicate().winner
    return 0.5 if winner is None else 1.0 - winner


def random_playout(state: State[Any], rng: Random) -> float:
    """Return the result of random actions to the end of the game."""
    while state.result is None:
        action = state.actions().sample(rng)
        state = state.play(action, state.roll(action, rng))
    return outcome_value(state)


@dataclass
class Node(Generic[A]):
    """A position in the tree, with its number of visits and the sum of their results for the first player."""

    state: State[A]
    ply: int
    visits: int = 0
    total: float = 0.0
    branches: list[Branch[A]] = field(default_factory=list)
    untried: Iterator[A] | None = None


@dataclass
class Branch(Generic[A]):
    """An action tried at a position, with its outcomes so far."""

    action: A
    visits: int = 0
    total: float = 0.0
    outcomes: dict[Dice, Node[A]] = field(default_factory=dict)

    @property
    def mean(self) -> float:
        return self.total / self.visits if self.visits else 0.5


class MonteCarlo(Generic[A]):
    """Monte Carlo tree search with chance nodes. A value is the average over simulated games, won ones being WIN.

    `simulate` judges a new position. `exploration` scales the bonus for actions seldom tried. A position with n
    visits tries `width` × n^`widening` of its candidates, in their order. Each round is a node of the budget.
    """

    def __init__(
        self,
        simulate: Simulation = random_playout,
        *,
        candidates: Callable[[Any], Iterable[A]] | None = None,
        budget: Budget = Budget(),  # noqa: B008 - immutable
        rng: Random | None = None,
        exploration: float = 0.5,
        width: float = 4.0,
        widening: float = 0.4,
    ) -> None:
        self.simulate = simulate
        self.candidates: Callable[[Any], Iterable[A]] = candidates or (lambda state: state.candidates())
        self.budget = budget
        self.rng = rng or Random(0)
        self.exploration = exploration
        self.width = width
        self.widening = widening
        self.tally = Tally()

    def improve(self, state: State[A]) -> Iterator[Finding[A]]:
        """Yield the most tried action after 1, 2, 4, 8, … rounds, until the budget ends; for ever without one."""
        if state.result is not None:
            raise NoctagonError("there is nothing to search: the game is over")
        self.tally = Tally()
        root = Node(state, 0)
        pause = 1
        while True:
            try:
                self._round(root)
            except OutOfBudget:
                break
            if root.visits == pause:
                pause *= 2
                yield self._finding(root)
        if not root.branches:  # no time at all: the first candidate, untried
            root.branches.append(Branch(next(iter(self.candidates(state)))))
        yield self._finding(root)

    def _round(self, root: Node[A]) -> None:
        """Walk down the tree, simulate once, and update every position and branch on the way."""
        self.budget.check(root.visits + 1)
        node = root
        path: list[tuple[Node[A], Branch[A]]] = []
        while node.state.result is None and (node.visits or node is root):
            branch = self._select(node)
            dice = node.state.roll(branch.action, self.rng)
            path.append((node, branch))
            if dice not in branch.outcomes:
                after = node.state.play(branch.action, dice)
                branch.outcomes[dice] = Node(after, node.ply + 1)
                self.tally.nodes += 1
            node = branch.outcomes[dice]
        over = node.state.result is not None
        value = outcome_value(node.state) if over else self.simulate(node.state, self.rng)
        self.tally.evaluations[node.ply] += 1
        node.visits += 1
        node.total += value
        for passed, branch in path:
            passed.visits += 1
            passed.total += value
            branch.visits += 1
            branch.total += value

    def _select(self, node: Node[A]) -> Branch[A]:
        """Return the branch with the best upper confidence bound, or a new one if the visits allow it."""
        if node.untried is None:
            node.untried = iter(self.candidates(node.state))
            self.tally.expanded += 1
        allowed = math.ceil(self.width * max(node.visits, 1) ** self.widening)
        if len(node.branches) < allowed:
            for action in islice(node.untried, 1):
                node.branches.append(Branch(action))
                return node.branches[-1]
        if not node.branches:
            raise NoctagonError("there are no candidates in a game that goes on")
        logarithm = math.log(node.visits + 1)

        def bound(branch: Branch[A]) -> float:
            mean = branch.mean if node.state.side == 0 else 1.0 - branch.mean
            return mean + self.exploration * math.sqrt(logarithm / (branch.visits or 1e-9))

        return max(node.branches, key=bound)

    def _finding(self, root: Node[A]) -> Finding[A]:
        best = _most_tried(root)
        value = max(-DECIDED, min(DECIDED, WIN * (2 * best.mean - 1)))  # simulations prove nothing
        line = self._line(root)
        return Finding(best.action, value, len(line), line, self.tally.copy())

    def _line(self, node: Node[A]) -> Line[A]:
        """Return the most tried actions in sequence, through the most frequent outcome of each."""
        line: Line[A] = ()
        while node.branches:
            branch = _most_tried(node)
            line = (*line, branch.action)
            if not branch.outcomes:
                break
            node = max(branch.outcomes.values(), key=lambda after: after.visits)
        return line


def _most_tried(node: Node[A]) -> Branch[A]:
    sign = 1.0 if node.state.side == 0 else -1.0
    return max(node.branches, key=lambda branch: (branch.visits, sign * branch.mean))
