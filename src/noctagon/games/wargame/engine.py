"""The champion's search from Python: one compiled call per depth, several at once when there are threads to spare."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from noctagon.game import NoctagonError, State
from noctagon.games.wargame.notation import Action
from noctagon.games.wargame.state import desk
from noctagon.search.tree import INFINITY, Budget, Finding, Line, Search, Tally, for_side

if TYPE_CHECKING:
    from noctagon.games.wargame.evaluation import Heuristic

DEEPEST = 60
"""No search looks further ahead, attacks apart."""
QUIET = 6
"""So many attacks are followed beyond the horizon."""
WINDOW = 40
"""A look begins with a window of this width around the last one's value."""
NO_LIMIT = 1 << 62
MOST_THREADS = 64


class Engine(Search[Action]):
    """Principal variation search with a table; with `threads`, all look at the same position and share the table.

    `table` is a record made by `new_table`; what it holds goes on helping in the next turn. `reductions` and
    `null_moves` look less deep where little is to be expected; without them the search leaves nothing out.
    """

    def __init__(
        self,
        heuristic: Heuristic,
        *,
        table: Any = None,
        age: int = 0,
        threads: int = 1,
        reductions: bool = True,
        null_moves: bool = True,
        quiet: int = QUIET,
        budget: Budget = Budget(),  # noqa: B008 - immutable
    ) -> None:
        from noctagon.games.wargame import engine_kernel
        from noctagon.jit import Record

        super().__init__(heuristic, budget=budget)
        self.heuristic = heuristic
        self.kernel = engine_kernel
        self.table = new_table() if table is None else table
        self.positions = [Record.new(desk().kernel.LAYOUT) for _ in range(threads)]
        self.works = [Record.new(engine_kernel.LAYOUT) for _ in range(threads)]
        for work in self.works:
            work.killers[:] = -1
            work.most_nodes = NO_LIMIT if budget.nodes is None else budget.nodes
            work.reductions, work.null_moves, work.quiet, work.age = reductions, null_moves, quiet, age & 63
        self.last_value = 0

    def deepen(self, state: State[Action], depth: int, step: int = 1) -> Any:
        return super().deepen(state, min(depth, DEEPEST), step)

    @property
    def hit_rate(self) -> float:
        """How often the table knew the position."""
        probes = sum(int(work.probes) for work in self.works)
        return sum(int(work.hits) for work in self.works) / probes if probes else 0.0

    def value(
        self, state: State[Action], depth: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, Line[Action]]:
        raise NoctagonError("the engine looks at whole positions: search() or deepen()")

    chance_value = value  # type: ignore[assignment] # nothing is random in this game

    def _look(
        self, state: State[Action], actions: list[Action], depth: int
    ) -> tuple[bool, Finding[Action] | None]:
        far = self.kernel.FAR
        window = (-far, far) if depth < 4 else (self.last_value - WINDOW, self.last_value + WINDOW)
        finished = self._look_within(state, actions, depth, *window)
        value = int(self.works[0].value)
        if finished and not window[0] < value < window[1]:
            finished = self._look_within(state, actions, depth, -far, far)
        work = self.works[0]
        nodes = sum(int(one.nodes) for one in self.works)
        self.tally = Tally(nodes=nodes)
        if not work.looked or not finished:
            return False, None
        self.last_value = int(work.value)
        codes = work.lines[0, : work.lengths[0]].tolist()
        line = tuple(Action(code >> 5, code & 31) for code in codes)
        value_for_attacker = for_side(float(work.value), state.side)
        return True, Finding(actions[work.best], value_for_attacker, depth, line, self.tally.copy())

    def _look_within(
        self, state: State[Action], actions: list[Action], depth: int, alpha: int, beta: int
    ) -> bool:
        """One look at the root by all threads; whether the first of them got to the end of it."""
        deadline = self.budget.deadline
        seconds = INFINITY if deadline is None else deadline - time.monotonic()
        d = desk()
        d.bytes[:] = state.key
        row = [source << 5 | target for source, target in actions]
        for position, work in zip(self.positions, self.works, strict=True):
            d.kernel.unpack(position, d.key)
            work.actions[0, : len(row)] = row
            work.spent = work.stop = 0
        with ThreadPoolExecutor(len(self.works)) as pool:
            looks: list[Future[bool]] = [
                pool.submit(
                    self.kernel.look,
                    position,
                    work,
                    self.table,
                    self.heuristic.kernel,
                    self.heuristic.weights,
                    min(depth + number % 2, DEEPEST),  # a helper is of most use one ply ahead
                    len(row),
                    alpha,
                    beta,
                    seconds,
                )
                for number, (position, work) in enumerate(zip(self.positions, self.works, strict=True))
            ]
            try:
                return bool(looks[0].result())
            finally:
                for work in self.works:
                    work.stop = 1


def new_table() -> Any:
    """An empty table; its memory is taken as it fills."""
    from noctagon.games.wargame import engine_kernel
    from noctagon.jit import Record

    return Record.new(engine_kernel.TABLE)
