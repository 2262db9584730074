"""The players that search a tree: how long they may look, and what they tell about it."""

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
"""What is not used of the time left, for whatever comes in between: a share, at least so many seconds, at most half."""


def average_terms(
    state: State[Any], action: Any, tell: Callable[[Any], Mapping[str, float]]
) -> dict[str, float]:
    """What is told of the positions after an action, term by term, on average over what chance may do."""
    terms: dict[str, float] = {}
    for probability, _, after in state.outcomes(action, brief=True):
        for name, value in tell(after).items():
            terms[name] = terms.get(name, 0.0) + probability * value
    return terms


def terms_after(state: State[Any], action: Any, evaluate: Evaluation) -> dict[str, float]:
    """What an evaluation says, term by term, of the position after an action: to the mover, averaged over chance.

    An evaluation that cannot tell its terms is one term; games that chance may end at once are another.
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
    """A player that searches within `nodes` and `time`, and tells what it did."""

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
        """What messages call it."""
        return type(self).__name__.removesuffix("Player").lower()

    def kept_back(self, seconds: float) -> float:
        """How much of the time left is not used."""
        return min(MOST * seconds, max(KEPT_BACK * seconds, LEAST))

    def budget(self, clock: Clock) -> Budget:
        """What may be spent on this turn."""
        left = clock.remaining()
        seconds = self.time or float("inf")
        if left < float("inf"):
            seconds = min(seconds, left - self.kept_back(left))
        deadline = None if seconds == float("inf") else system_time.monotonic() + seconds
        return Budget(self.nodes or None, deadline)

    def thought(self, state: State[Any], found: Finding[Any], clock: Clock) -> Thought:
        """What to tell about a finding."""
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
    """Looks deeper and deeper until `depth`, `nodes` or the time is used up; a subclass says with which search."""

    step = 1
    """By how many plies it looks deeper each time."""
    deepest: int | None = None
    """No search looks further ahead; None: as far as is wished."""

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
        """The search for this turn."""

    def horizon(self, state: State[Any]) -> int:
        """How deep to look at most in this position."""
        return self.depth

    def think(self, state: State[Any], clock: Clock) -> Iterator[Decision[Any]]:
        search = self.search(state, self.budget(clock))
        found: Finding[Any] | None = None
        for found in search.deepen(state, self.horizon(state), self.step):
            yield Decision(found.action, self.thought(state, found, clock))
        if found is not None and search.tally.nodes > found.tally.nodes:
            # The last look found nothing better in the time that was left, but what it cost is to be told.
            found = found._replace(tally=search.tally)
            yield Decision(found.action, self.thought(state, found, clock))

    def analyse(self, state: State[Any], clock: Clock, lines: int) -> Iterator[list[Decision[Any]]]:
        """The best `lines` actions at ever greater depth, each with its score and line."""
        search = self.search(state, self.budget(clock))
        for ranking in search.analyse(state, self.horizon(state), lines, self.step):
            yield [Decision(found.action, self.thought(state, found, clock)) for found in ranking]


MOST_THREADS = 64


class EnginePlayer(TreePlayer):
    """Searches as deep as its time allows; `threads` search together and share what they find."""

    deepest: int
    without_clock: int
    """How deep it looks where nothing limits it."""

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
        """An empty table of positions seen before."""

    def start(self, game: GameStart, side: Side) -> None:
        self.table = self.new_table()

    def budget(self, clock: Clock) -> Budget:
        self.clocked = clock.seconds is not None
        return super().budget(clock)

    def horizon(self, state: State[Any]) -> int:
        limited = self.nodes or self.time or self.clocked or self.depth < self.deepest
        return self.depth if limited else self.without_clock
