"""Minimax and alpha-beta for AI Wargame: the searches of `noctagon.search`, with the looking done by the kernel."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from noctagon.core.game import NoctagonError, State
from noctagon.games.wargame.rules.notation import Action
from noctagon.games.wargame.rules.state import scratch
from noctagon.search.tree import INFINITY, Budget, Finding, Line, OutOfBudget, Search, Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from noctagon.games.wargame.players.evaluation import Heuristic

DEEPEST = 100
"""No search looks further ahead; the kernel has room for a little more."""
AT_ONCE = 4
"""Looks up to this depth are over before anybody could press Ctrl-C."""
NO_LIMIT = 1 << 62


class KernelSearch(Search[Action]):
    """A search in which each depth is one compiled call.

    With `prune` it is alpha-beta, without it plain minimax. With `order`, the action that last made a cut at
    the same ply is tried first, then attacks, those that destroy first; self-destructions are always last.
    With `literal`, the heuristic values finished games too, as the course's e0 does; otherwise a game won
    sooner is worth more than one won later, and a game over by the turn limit is lost for the attacker.
    `candidates` lists the actions of the root; below it all are searched.
    """

    def __init__(
        self,
        heuristic: Heuristic,
        *,
        prune: bool = True,
        order: bool = True,
        literal: bool = False,
        candidates: Callable[[Any], Iterable[Action]] | None = None,
        budget: Budget = Budget(),  # noqa: B008 - immutable
    ) -> None:
        from noctagon.compiled.jit import Record
        from noctagon.games.wargame.players import search_kernel

        super().__init__(heuristic, candidates=candidates, budget=budget)
        self.heuristic = heuristic
        self.kernel = search_kernel
        self.position: Any = Record.new(scratch().kernel.LAYOUT)
        self.work: Any = Record.new(search_kernel.LAYOUT)
        self.work.prune, self.work.ordered, self.work.literal = prune, prune and order, literal
        self.work.most_nodes = NO_LIMIT if budget.nodes is None else budget.nodes
        self.work.killers[:] = -1

    def deepen(self, state: State[Action], depth: int, step: int = 1) -> Any:
        return super().deepen(state, min(depth, DEEPEST), step)

    def value(
        self, state: State[Action], depth: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, Line[Action]]:
        self._begin(state)
        window = (_whole(alpha), _whole(beta))
        self.kernel.start_clock(self.work, self._seconds())
        found = self.kernel.value(
            self.position, self.work, self.heuristic.kernel, self.heuristic.weights, depth, ply, *window
        )
        self._count()
        if self.work.spent:
            raise OutOfBudget
        return float(found), self._line(ply)

    def chance_value(
        self, state: State[Action], action: Action, depth: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, Line[Action]]:
        return self.value(state.play(action), depth - 1, ply + 1, alpha, beta)

    def _look(
        self, state: State[Action], actions: list[Action], depth: int
    ) -> tuple[bool, Finding[Action] | None]:
        if depth > DEEPEST:
            raise NoctagonError(f"a search looks 1 to {DEEPEST} plies ahead, not {depth}")
        self._begin(state)
        self.work.actions[0, : len(actions)] = [source << 5 | target for source, target in actions]
        finished = self._interruptibly(depth, len(actions))
        self._count()
        if not self.work.looked:
            return False, None
        best = actions[self.work.best]
        return finished, Finding(best, float(self.work.value), depth, self._line(0), self.tally.copy())

    def _interruptibly(self, depth: int, count: int) -> bool:
        """Search one depth; a long search runs in a thread of its own, so that Ctrl-C stops it."""
        arguments = (self.position, self.work, self.heuristic.kernel, self.heuristic.weights, depth, count)
        if depth <= AT_ONCE:
            return bool(self.kernel.look(*arguments, self._seconds()))
        with ThreadPoolExecutor(1) as thread:
            running = thread.submit(self.kernel.look, *arguments, self._seconds())
            try:
                return bool(running.result())
            except BaseException:
                self.stop()
                raise

    def stop(self) -> None:
        """End this search, from whichever thread, within a few positions; it is not to be used again."""
        self.work.stop = 1

    def _begin(self, state: State[Action]) -> None:
        """Set the kernel's record to the position, and what it counts to what has been counted so far."""
        d = scratch()
        d.bytes[:] = state.key
        d.kernel.unpack(self.position, d.key)
        work, tally = self.work, self.tally
        work.nodes, work.expanded, work.cuts = tally.nodes, tally.expanded, tally.cuts
        work.evaluations[:] = 0
        for ply, count in tally.evaluations.items():
            work.evaluations[ply] = count
        work.spent = work.looked = 0

    def _count(self) -> None:
        """Copy the kernel's counts to the tally."""
        work = self.work
        counts = enumerate(work.evaluations.tolist())
        self.tally = Tally(int(work.nodes), int(work.expanded), int(work.cuts))
        self.tally.evaluations.update({ply: count for ply, count in counts if count})

    def _line(self, ply: int) -> Line[Action]:
        codes = self.work.lines[ply, : self.work.lengths[ply]].tolist()
        return tuple(Action(code >> 5, code & 31) for code in codes)

    def _seconds(self) -> float:
        deadline = self.budget.deadline
        return INFINITY if deadline is None else deadline - time.monotonic()


def _whole(bound: float) -> int:
    """Return a bound of the window as the kernel takes it, in whole numbers."""
    if bound in (-INFINITY, INFINITY):
        return NO_LIMIT if bound > 0 else -NO_LIMIT
    if bound != int(bound):
        raise NoctagonError(f"a window of {bound:g} is not one of whole numbers")
    return int(bound)
