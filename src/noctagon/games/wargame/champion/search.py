"""The champion's search from Python: one compiled call per depth, several at once when there are threads to spare."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

from noctagon.core.game import NoctagonError, State
from noctagon.games.wargame.champion.endings import gather
from noctagon.games.wargame.rules.notation import Action
from noctagon.games.wargame.rules.state import scratch
from noctagon.search.tree import INFINITY, Budget, Finding, Line, Search, Tally, for_side

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from noctagon.games.wargame.champion.endings import Endings
    from noctagon.games.wargame.players.evaluation import Heuristic

DEEPEST = 60
"""No search looks further ahead, attacks apart."""
QUIET = 6
"""Number of attacks that are followed beyond the horizon."""
WINDOW = 40
"""A look begins with a window of this width to either side of the last one's value …"""
FULL_WINDOW = 4
"""… unless it is one of the first, up to this depth."""
NO_LIMIT = 1 << 62
AT_ONCE = 1.0
"""A search that has no more seconds than this needs no thread of its own to be interrupted by Ctrl-C."""
SETTLED = 9
"""A forced win that takes no more plies is made sure of: the search looks again for a shorter one."""
LOSSY = ("null move", "reductions")
"""The techniques that may overlook something, though they never claim a win that is none."""


class Engine(Search[Action]):
    """Principal variation search with a table; `threads` search the same position together and share the
    table.

    `table` is a record made by `new_table`; its entries go on helping in the next turn, which has another
    `age`. `endings` are the tables that decide positions of up to three units. `without` names techniques to
    do without (`ordering_kernel.TECHNIQUES`); without the `LOSSY` ones and with `quiet` 0 a search finds what
    minimax finds. Past the horizon `quiet` more actions are searched, attacks for the most part.
    """

    def __init__(
        self,
        heuristic: Heuristic,
        *,
        table: Any = None,
        endings: Endings | None = None,
        age: int = 0,
        threads: int = 1,
        without: Collection[str] = (),
        quiet: int = QUIET,
        budget: Budget = Budget(),  # noqa: B008 - immutable
    ) -> None:
        from noctagon.compiled.jit import Record
        from noctagon.games.wargame.champion import ordering_kernel
        from noctagon.games.wargame.champion import search_kernel as engine_kernel

        super().__init__(heuristic, budget=budget)
        self.heuristic = heuristic
        self.kernel = engine_kernel
        self.lossy = ordering_kernel.LOSSY
        self.table = new_table() if table is None else table
        self.endings = gather({}) if endings is None else endings
        self.positions = [Record.new(scratch().kernel.LAYOUT) for _ in range(threads)]
        self.works = [new_work(without, quiet) for _ in range(threads)]
        for work in self.works:
            work.most_nodes = NO_LIMIT if budget.nodes is None else budget.nodes // threads
            work.age = age & 63
        self.last_value = 0
        self._stopped = False
        self._pool: ThreadPoolExecutor | None = None

    def search(self, state: State[Action], depth: int) -> Finding[Action]:
        self._begin()
        return super().search(state, depth)

    def deepen(self, state: State[Action], depth: int, step: int = 1) -> Iterator[Finding[Action]]:
        """Search ever deeper, until the budget ends or the game is decided; a long win is searched further
        for a shorter one.
        """
        self._begin()
        for found in super().deepen(state, min(depth, DEEPEST), step):
            yield found
        plies = self.kernel.MATE - abs(int(found.value))
        if 1 < plies <= SETTLED and self.works[0].uses & self.lossy:
            yield from self._settle(state, found, plies)

    def _settle(self, state: State[Action], found: Finding[Action], plies: int) -> Iterator[Finding[Action]]:
        """Leave nothing out for once, to be sure that a decided game cannot be decided sooner."""
        uses = int(self.works[0].uses)
        for work in self.works:
            work.uses &= ~self.lossy
        others = [action for action in self._root_actions(state) if action != found.action]
        finished, best = self._look(state, [found.action, *others], plies)
        if finished and best is not None:
            yield best._replace(depth=max(found.depth, plies))
        for work in self.works:
            work.uses = uses

    def _begin(self) -> None:
        for work in self.works:
            work.nodes = work.probes = work.hits = 0
        self.tally = Tally()

    def stop(self) -> None:
        """End this search, from whichever thread, within a few hundred positions; it is not to be used again."""
        self._stopped = True
        for work in self.works:
            work.stop = 1

    def value(
        self, state: State[Action], depth: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, Line[Action]]:
        raise NoctagonError("the engine looks at whole positions: search() or deepen()")

    chance_value = value  # type: ignore[assignment] # nothing is random in this game

    def _look(
        self, state: State[Action], actions: list[Action], depth: int
    ) -> tuple[bool, Finding[Action] | None]:
        """Search the given actions in a narrow window, and again in an open one if the value lies outside.

        If the budget ends in it, an action that is known to be better than all before it is the best so far.
        """
        known: Finding[Action] | None = None
        far = self.kernel.FAR
        low, high = -far, far
        if depth > FULL_WINDOW:
            width = WINDOW if abs(self.last_value) < self.kernel.DECIDED else 1
            low, high = self.last_value - width, self.last_value + width
        work = self.works[0]
        while True:
            finished = self._look_within(state, actions, depth, low, high)
            value = int(work.value)
            if finished and value <= low and low > -far:
                low = -far
            elif finished and value >= high and high < far:
                high = far
                known = self._found(state, actions, depth)
                actions = [known.action, *(action for action in actions if action != known.action)]
            else:
                break
        if value <= low:
            self._count()
            return False, known
        if finished:
            self.last_value = value
        return finished, self._found(state, actions, depth)

    def _found(self, state: State[Action], actions: list[Action], depth: int) -> Finding[Action]:
        """Return the finding of the last search of these actions."""
        self._count()
        work = self.works[0]
        codes = work.lines[0, : work.lengths[0]].tolist()
        line = tuple(Action(code >> 5, code & 31) for code in codes)
        value = for_side(float(work.value), state.side)
        return Finding(actions[work.best], value, depth, line, self.tally.copy())

    def _count(self) -> None:
        nodes, probes, hits = (
            sum(int(work[count]) for work in self.works) for count in ("nodes", "probes", "hits")
        )
        self.tally = Tally(nodes=nodes, probes=probes, hits=hits)

    def _look_within(
        self, state: State[Action], actions: list[Action], depth: int, alpha: int, beta: int
    ) -> bool:
        """Search the root with all threads; return False if the first of them did not get to its end."""
        deadline = self.budget.deadline
        seconds = INFINITY if deadline is None else deadline - time.monotonic()
        d = scratch()
        d.bytes[:] = state.key
        row = [source << 5 | target for source, target in actions]
        for position, work in zip(self.positions, self.works, strict=True):
            d.kernel.unpack(position, d.key)
            work.actions[0, : len(row)] = row
            work.spent, work.stop = 0, self._stopped
        looks = [
            (
                position,
                work,
                self.table,
                self.endings.tables,
                self.endings.offsets,
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
        if len(looks) == 1 and seconds <= AT_ONCE:
            return bool(self.kernel.look(*looks[0]))
        if self._pool is None:
            self._pool = ThreadPoolExecutor(len(looks))
        running = [self._pool.submit(self.kernel.look, *arguments) for arguments in looks]
        try:
            return bool(running[0].result())
        finally:
            for work in self.works:
                work.stop = 1
            wait(running)


def load() -> None:
    """Compile the search and its evaluations, or take them from the cache; called before a clock runs."""
    from noctagon.compiled.jit import prepare

    names = ("evaluation", "endings", "network", "search")
    prepare("the AI Wargame champion", *(f"noctagon.games.wargame.champion.{name}_kernel" for name in names))


def new_work(without: Collection[str] = (), quiet: int = QUIET) -> Any:
    """Return a searcher's working memory, with all techniques but those named and `quiet` actions past the horizon."""
    from noctagon.compiled.jit import Record
    from noctagon.games.wargame.champion import ordering_kernel

    work = Record.new(ordering_kernel.LAYOUT)
    work.killers[:] = -1
    work.uses = sum(bit for name, bit in ordering_kernel.TECHNIQUES.items() if name not in without)
    work.quiet = quiet
    return work


def new_table() -> Any:
    """Return an empty table; its memory is taken now, since under a running clock that would cost a turn's time."""
    from noctagon.compiled.jit import Record
    from noctagon.games.wargame.champion import table_kernel

    table = Record.new(table_kernel.TABLE)
    table.entries.fill(0)
    return table
