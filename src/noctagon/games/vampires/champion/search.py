"""The champion of Vampires vs Werewolves: its player, and its search as players see it."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

import numpy as np

from noctagon.core.game import Game, NoctagonError, State
from noctagon.games.vampires.champion.evaluation import champion, crop
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Move, Turn
from noctagon.players.options import checked_number
from noctagon.players.searching import EnginePlayer, terms_after
from noctagon.search.tree import DECIDED, INFINITY, WIN, Budget, Finding, Line, Search, Tally, for_side

DEEPEST = 40
"""Maximum depth of a search in plies."""
WIDTH = 16
"""Number of turns tried in every position below the root."""
MOST_TURNS = 64
"""Maximum number of turns tried at the root."""
ALL_FEATURES = 31
"""All techniques that can be switched off (see `search_kernel`), as bits."""
EVEN = WIN / 1000
"""Value below which the chances count as even."""
NO_LIMIT = 1 << 62
AT_ONCE = 1.0
"""Seconds up to which a search runs in the calling thread: Ctrl-C waits for it."""

POLICY = np.array([2.0, 3.0, 1.0, 0.4, 1.5, 2.0, 0.5, 0.05, 0.0, 0.4, 1.5])
"""Weights of the quick guess by which turns are chosen and ordered (see `options.py`)."""


class Engine(Search[Turn]):
    """Expectiminimax in compiled code; with several `threads`, all search the same position and share the table.

    `table` is a record made by `new_table`; it keeps its results from turn to turn.
    """

    def __init__(
        self,
        *,
        table: Any = None,
        threads: int = 1,
        width: int = WIDTH,
        features: int = ALL_FEATURES,
        budget: Budget = Budget(),  # noqa: B008 - immutable
    ) -> None:
        from noctagon.compiled.jit import Record
        from noctagon.games.vampires.champion import network, records, search_kernel
        from noctagon.games.vampires.rules import kernel

        super().__init__(champion, budget=budget)
        self.kernel = search_kernel
        self.evaluation = network.evaluate
        self.weights = champion.weights
        self.table = new_table() if table is None else table
        self.near: tuple[VampiresState, Any] | None = None
        self.works = [Record.new(records.WORK) for _ in range(threads)]
        self.records = [(Record.new(kernel.COMPACT), Record.new(kernel.COMPACT_TURN)) for _ in self.works]
        for number, work in enumerate(self.works):
            nodes = NO_LIMIT if budget.nodes is None else budget.nodes
            work.most_nodes = nodes // threads + (number < nodes % threads)
            work.width, work.features = width, features
            work.killers[:] = -1

    def deepen(self, state: State[Turn], depth: int, step: int = 1) -> Any:
        return super().deepen(state, min(depth, DEEPEST), step)

    def value(
        self, state: State[Turn], depth: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, Line[Turn]]:
        raise NoctagonError("the engine looks at whole positions: search() or deepen()")

    chance_value = value  # type: ignore[assignment]

    def _root_actions(self, state: State[Turn]) -> list[Turn]:
        assert isinstance(state, VampiresState)
        if state.result is not None:
            raise NoctagonError("there is nothing to search: the game is over")
        work = self.works[0]
        packed = self._numbers(state)
        found = self.kernel.root_turns(self.records[0][0], work, packed, POLICY, MOST_TURNS)
        turns = [read_turn(work.turn_n[0], work.turn_moves[0], turn) for turn in range(found)]
        return turns or list(islice(state.candidates(), MOST_TURNS))

    def _numbers(self, state: VampiresState) -> Any:
        """Return the packed crop of a position; kept for the next depth, since on a large board it takes a while."""
        if self.near is None or self.near[0] is not state:
            self.near = state, crop(state)._packed
        return self.near[1]

    def _look(self, state: State[Turn], actions: list[Turn], depth: int) -> tuple[bool, Finding[Turn] | None]:
        assert isinstance(state, VampiresState)
        deadline = self.budget.deadline
        packed = self._numbers(state)
        for work in self.works:
            for number, turn in enumerate(actions[:MOST_TURNS]):
                work.turn_n[0, number] = len(turn)
                for place, (x, y, count, tx, ty) in enumerate(turn):
                    work.turn_moves[0, number, place] = (x + 256 * y, count, tx + 256 * ty)
            work.turn_count[0] = min(len(actions), MOST_TURNS)
            work.stop = 0
        seconds = INFINITY if deadline is None else deadline - time.monotonic()

        def look(thread: int) -> bool:
            return bool(
                self.kernel.look(
                    *self.records[thread],
                    self.works[thread],
                    self.table,
                    self.evaluation,
                    self.weights,
                    POLICY,
                    packed,
                    min(depth + thread % 2, DEEPEST),  # a second thread helps most one ply ahead
                    seconds,
                )
            )

        if len(self.works) == 1 and seconds <= AT_ONCE:
            finished = look(0)
        else:
            with ThreadPoolExecutor(len(self.works)) as pool:
                looks = [pool.submit(look, thread) for thread in range(len(self.works))]
                try:
                    finished = looks[0].result()
                finally:
                    for work in self.works:
                        work.stop = 1
        work = self.works[0]
        self.tally = Tally(
            nodes=sum(int(one.nodes) for one in self.works),
            probes=sum(int(one.probes) for one in self.works),
            hits=sum(int(one.hits) for one in self.works),
        )
        if not work.looked:
            return False, None
        line = tuple(
            read_turn(work.line_n[0], work.line_moves[0], place) for place in range(int(work.lengths[0]))
        )
        best = actions[int(work.best)]
        value = for_side(self._chance(int(work.value)), state.side)
        return finished, Finding(best, value, depth, line or (best,), self.tally.copy())

    def _chance(self, value: int) -> float:
        """Return the kernel's value on the package's scale: a chance between a lost and a won game, or decided."""
        from noctagon.games.vampires.champion import value as scale

        if abs(value) > scale.DECIDED:
            return float(value)
        return max(-DECIDED, min(DECIDED, float(value))) if abs(value) > EVEN else 0.0


def load() -> None:
    """Compile the search, or take it from the cache; called before a clock runs."""
    from noctagon.compiled.jit import prepare

    prepare(
        "the champion of Vampires vs Werewolves",
        "noctagon.games.vampires.champion.search_kernel",
        "noctagon.games.vampires.champion.network",
    )


def new_table() -> Any:
    """Return an empty table whose memory is taken now: page faults while a clock runs would cost a turn's time."""
    from noctagon.compiled.jit import Record
    from noctagon.games.vampires.champion import transposition

    table = Record.new(transposition.TABLE)
    table.entries.fill(0)
    return table


def read_turn(counts: Any, moves: Any, place: int) -> Turn:
    """Read a turn from the search's record."""
    return Turn(
        Move(source & 255, source >> 8, count, target & 255, target >> 8)
        for source, count, target in moves[place, : counts[place]].tolist()
    )


class ChampionPlayer(EnginePlayer):
    """Searches whole turns, with splits and chances, as deep as time allows; all of it compiled.

    `width` turns are tried in every position, chosen by a quick guess at what each leads to; a table keeps its
    results from turn to turn. `threads` search together.
    """

    deepest = DEEPEST
    without_clock = 6
    chances = True

    def __init__(
        self,
        game: Game[Any],
        *,
        depth: int = DEEPEST,
        nodes: int = 0,
        time: float = 0.0,
        width: int = WIDTH,
        threads: int = 1,
    ) -> None:
        load()
        super().__init__(game, depth=depth, nodes=nodes, time=time, threads=threads)
        self.width = int(checked_number("champion", "width", width, 1, MOST_TURNS))

    def new_table(self) -> Any:
        return new_table()

    def search(self, state: State[Any], budget: Budget) -> Engine:
        return Engine(table=self.table, threads=self.threads, width=self.width, budget=budget)

    def explain(self, state: State[Any], action: Any) -> dict[str, float]:
        return terms_after(state, action, champion)
