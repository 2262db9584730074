"""Base classes of the players that search: their budget, their thoughts, their explanations."""

from __future__ import annotations

import time as system_time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from noctagon.core.clock import Clock
from noctagon.core.game import Evaluation, Game, NoctagonError, Side, State
from noctagon.core.player import Decision, GameStart, Searcher, Thought
from noctagon.search.tree import Budget, Finding, Search, for_side, worth

KEPT_BACK, LEAST, MOST = 0.1, 0.03, 0.5
"""Time left unused as a margin: a share of it, a minimum in seconds, a maximum share."""


def average_terms(
    state: State[Any], action: Any, tell: Callable[[Any], Mapping[str, float]]
) -> dict[str, float]:
    """Return the terms that `tell` gives for the positions after an action, averaged over its outcomes."""
    terms: dict[str, float] = {}
    for probability, _, after in state.outcomes(action, brief=True):
        for name, value in tell(after).items():
            terms[name] = terms.get(name, 0.0) + probability * value
    return terms


def terms_after(state: State[Any], action: Any, evaluate: Evaluation) -> dict[str, float]:
    """Return an evaluation's terms for the mover after an action, averaged over its outcomes.

    An evaluation without `terms` is one term; games that end with the action are another.
    """

    def tell(after: State[Any]) -> dict[str, float]:
        if after.result is not None:
            parts = {"game over": worth(after, 1)}
        elif (terms := getattr(evaluate, "terms", None)) is not None:
            parts = terms(after)
        else:
            parts = {"evaluation": evaluate(after)}
        return {name: for_side(value, state.side) for name, value in parts.items()}

    return average_terms(state, action, tell)


class SearchPlayer(Searcher):
    """A player that searches within `nodes` and `time`, and reports its search."""

    def __init__(self, game: Game[Any], *, nodes: int = 0, time: float = 0.0) -> None:
        if nodes < 0:
            raise NoctagonError(f"{self.name}: nodes={nodes} should be 0 (no limit) or more")
        if not 0 <= time < float("inf"):
            raise NoctagonError(f"{self.name}: time={time:g} should be 0 (no limit) or more seconds")
        self.game = game
        self.nodes = nodes
        self.time = time

    @property
    def name(self) -> str:
        """Return the player's name in messages."""
        return type(self).__name__.removesuffix("Player").lower()

    def kept_back(self, seconds: float) -> float:
        """Return the seconds to leave unused of those left."""
        return min(MOST * seconds, max(KEPT_BACK * seconds, LEAST))

    def budget(self, clock: Clock) -> Budget:
        """Return the budget of this turn."""
        left = clock.remaining()
        seconds = self.time or float("inf")
        if left < float("inf"):
            seconds = min(seconds, left - self.kept_back(left))
        deadline = None if seconds == float("inf") else system_time.monotonic() + seconds
        return Budget(self.nodes or None, deadline)

    def thought(self, state: State[Any], found: Finding[Any], clock: Clock) -> Thought:
        """Return a finding as a thought."""
        return Thought(
            depth=found.depth,
            nodes=found.tally.nodes,
            expanded=found.tally.expanded,
            cuts=found.tally.cuts,
            evaluations=dict(found.tally.evaluations),
            score=for_side(found.value, state.side) if found.depth else None,
            chance=self.chances,
            line=tuple(map(self.game.format_action, found.line)),
            seconds=clock.elapsed(),
            table=found.tally.table_use,
        )


class TreePlayer(SearchPlayer):
    """Searches deeper and deeper until `depth`, `nodes` or the time is used up; a subclass chooses the search."""

    step = 1
    """Plies by which each search is deeper than the one before."""
    deepest: int | None = None
    """Maximum depth in plies, or None for no maximum."""

    def __init__(self, game: Game[Any], *, depth: int, nodes: int = 0, time: float = 0.0) -> None:
        super().__init__(game, nodes=nodes, time=time)
        if depth < 1:
            raise NoctagonError(f"{self.name}: depth={depth} is too small; it looks at least 1 ply ahead")
        if self.deepest is not None and depth > self.deepest:
            raise NoctagonError(
                f"{self.name}: depth={depth} is too large; it looks 1 to {self.deepest} plies ahead"
            )
        self.depth = depth

    @abstractmethod
    def search(self, state: State[Any], budget: Budget) -> Search[Any]:
        """Return the search for this turn."""

    def horizon(self, state: State[Any]) -> int:
        """Return the maximum depth for this position in plies."""
        return self.depth

    def think(self, state: State[Any], clock: Clock) -> Iterator[Decision[Any]]:
        search = self.search(state, self.budget(clock))
        found: Finding[Any] | None = None
        for found in search.deepen(state, self.horizon(state), self.step):
            yield Decision(found.action, self.thought(state, found, clock))
        if found is not None and search.tally.nodes > found.tally.nodes:
            # The last depth was not finished and found nothing better, but its nodes count.
            found = found._replace(tally=search.tally)
            yield Decision(found.action, self.thought(state, found, clock))

    def analyse(self, state: State[Any], clock: Clock, lines: int) -> Iterator[list[Decision[Any]]]:
        """Yield the best `lines` actions at ever greater depth, each with its score and line."""
        search = self.search(state, self.budget(clock))
        for ranking in search.analyse(state, self.horizon(state), lines, self.step):
            yield [Decision(found.action, self.thought(state, found, clock)) for found in ranking]


MOST_THREADS = 64
"""Maximum number of threads of a search."""


class EnginePlayer(TreePlayer):
    """Searches as deep as its time allows, with `threads` that share their results."""

    deepest: int
    without_clock: int
    """Depth in plies where nothing else limits the search."""

    def __init__(
        self, game: Game[Any], *, depth: int, nodes: int, time: float, threads: int, **others: Any
    ) -> None:
        super().__init__(game, depth=depth, nodes=nodes, time=time, **others)
        if not 1 <= threads <= MOST_THREADS:
            raise NoctagonError(f"{self.name}: threads={threads} should be from 1 to {MOST_THREADS}")
        self.threads = threads
        self.table = self.new_table()
        self.clocked = False

    @abstractmethod
    def new_table(self) -> Any:
        """Return an empty transposition table."""

    def start(self, game: GameStart, side: Side) -> None:
        self.table = self.new_table()

    def budget(self, clock: Clock) -> Budget:
        self.clocked = clock.seconds is not None
        return super().budget(clock)

    def horizon(self, state: State[Any]) -> int:
        limited = self.nodes or self.time or self.clocked or self.depth < self.deepest
        return self.depth if limited else self.without_clock
