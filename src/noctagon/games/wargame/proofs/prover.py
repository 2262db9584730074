"""The prover from Python: a forced win within a number of plies, or none; one compiled call for each number.

    found = prove(state, side=0, plies=5)
    found.won, found.line

The question is if a side can force the game to end by a destroyed AI, as its winner. The turn limit is no
such end: it only cuts the number of plies that are left to do it in.
"""

from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, NamedTuple

from noctagon.core.game import NoctagonError, Side
from noctagon.games.wargame.rules import units
from noctagon.games.wargame.rules.notation import Action
from noctagon.games.wargame.rules.state import scratch

if TYPE_CHECKING:
    from collections.abc import Callable

    from noctagon.games.wargame.rules.state import WargameState

MOST_PLIES = 60
MEMORY = 1.0
"""Default size of the table, in gibibytes."""
LEAST_MEMORY, MOST_MEMORY = 0.001, 256.0
CROWDED, GROWTH = 16, 16
"""A table is made 16 times as large once it is 1/16 full: the next 2 plies need 6 times as much."""
POLL = 0.1
"""Seconds between two looks at the prover's progress."""
NO_LIMIT = 1 << 30


class Proof(NamedTuple):
    """A finding: a forced win in exactly `plies`, with a line of best play; or none within `plies`.

    `refuted` is the largest number of plies within which there is surely no forced win: `plies` if there is
    none at all, one less if there is one. If the search was stopped it may be less; a win is then one within
    `plies`, and there is no line. `entries` is the number of positions the table has room for, `kept` the
    number it holds.
    """

    won: bool
    plies: int
    line: tuple[Action, ...]
    refuted: int
    nodes: int
    seconds: float
    entries: int
    kept: int


class Prover:
    """A search for a forced win of one side from one position; `stop` ends it from another thread."""

    def __init__(
        self, state: WargameState, *, side: Side, memory: float = MEMORY, bounded: bool = True
    ) -> None:
        """Without `bounded` nothing is left out for being too far to matter: much slower, the same answers."""
        if state.result is not None:
            result = state.result.describe(state.sides)
            raise NoctagonError(f"there is nothing to prove, the game is over: {result}")
        if side not in (0, 1):
            raise NoctagonError(f"a side is 0 or 1, not {side}")
        if not LEAST_MEMORY <= memory <= MOST_MEMORY:
            raise NoctagonError(f"a table takes {LEAST_MEMORY:g} to {MOST_MEMORY:g} GiB, not {memory:g}")
        import numpy as np

        from noctagon.compiled import jit

        jit.prepare("the AI Wargame prover", "noctagon.games.wargame.proofs.prover_kernel")
        from noctagon.games.wargame.proofs import prover_kernel, survival_kernel

        self.kernel = prover_kernel
        self.state = state
        left = state.rules.plies - state.ply
        self.left = left - 1 if state.rules.limit_first else left
        self.most_entries = 1 << math.floor(math.log2(memory * 2**27))
        self.table = np.zeros(min(self.most_entries, prover_kernel.LEAST_SPREAD), np.int64)
        self.notes = jit.Record.new(survival_kernel.LAYOUT)
        self.work = jit.Record.new(prover_kernel.LAYOUT)
        self.work.winner, self.work.bounded = side, bounded
        self.work.killers[:] = -1
        self.position: Any = jit.Record.new(scratch().kernel.LAYOUT)

    @property
    def nodes(self) -> int:
        """Positions looked at so far."""
        return int(self.work.nodes)

    def stop(self) -> None:
        self.work.stop = 1

    def wins(self, plies: int, state: WargameState | None = None) -> bool:
        """Return True if the side has a forced win within this number of plies; False once stopped."""
        d = scratch()
        d.bytes[:] = (state or self.state).key
        d.kernel.unpack(self.position, d.key)
        self.position.plies = NO_LIMIT
        return bool(self.kernel.prove(self.position, self.work, self.notes, self.table, plies))

    def run(self, plies: int, looked: Callable[[int], None] = lambda plies: None) -> Proof:
        """Look for a forced win within 1 or 2 plies, then 2 more, up to `plies`; `looked` gets each number."""
        if not 1 <= plies <= MOST_PLIES:
            raise NoctagonError(f"a proof goes 1 to {MOST_PLIES} plies deep, not {plies}")
        started = time.perf_counter()
        plies = min(plies, self.left)
        refuted = 0
        won = False
        line: tuple[Action, ...] = ()
        for depth in range(2 - plies % 2, plies + 1, 2):
            looked(depth)
            won = self.wins(depth)
            if self.work.stop:
                won = False
                break
            if won:
                plies = depth
                sooner = depth > 1 and self.wins(depth - 1)
                line = self._line(depth - sooner)
                if self.work.stop:
                    line = ()  # how soon, and by which line, is not known any more
                else:
                    plies = depth - sooner
                    refuted = plies - 1
                break
            refuted = depth
            self._grow()
        seconds = time.perf_counter() - started
        size = len(self.table)
        return Proof(won, plies, line, refuted, self.nodes, seconds, size, int(self.work.kept))

    def _grow(self) -> None:
        """Take a larger table if the next look, several times the last, would overfill this one."""
        import numpy as np

        size = len(self.table)
        if size == self.most_entries or self.work.kept * CROWDED < size:
            return
        try:
            larger = np.zeros(min(size * GROWTH, self.most_entries), np.int64)
        except MemoryError:
            raise NoctagonError(f"there is no memory for a table of {size * GROWTH / 2**27:g} GiB") from None
        self.work.kept = self.kernel.spread(self.table, larger)
        self.table = larger

    def _line(self, plies: int) -> tuple[Action, ...]:
        """Return a forced win in exactly `plies`: the winner takes no longer than needed, the loser no less."""
        state = self.state
        line = []
        for left in range(plies - 1, -1, -1):
            for action in state.actions():
                child = state.play(action)
                if state.side == self.work.winner:
                    found = self._ends(child) if left == 0 else self._within(child, left)
                else:
                    found = left == 0 or not self._within(child, left - 1)
                if found:
                    break
            line.append(action)
            state = child
        return tuple(line)

    def _ends(self, state: WargameState) -> bool:
        return state.result is not None and state.result.winner == self.work.winner

    def _within(self, state: WargameState, plies: int) -> bool:
        return self._ends(state) or (state.result is None and plies > 0 and self.wins(plies, state))


def prove(
    state: WargameState,
    *,
    side: Side,
    plies: int,
    memory: float = MEMORY,
    looked: Callable[[int, int], None] = lambda plies, nodes: None,
) -> Proof:
    """Prove that `side` has a forced win within `plies` plies, by the destruction of the enemy's AI, or that
    it has none.

    `looked` is called several times a second with the number of plies in work and the nodes up to then.
    Ctrl-C ends the search within a moment; the proof's `refuted` holds what is known by then.

    >>> from noctagon.games.wargame import WargameState
    >>> state = WargameState.from_units({"A0": "dA9", "C1": "aV9", "E4": "aA9"})
    >>> found = prove(state, side=0, plies=5, memory=0.01)
    >>> found.plies, " ".join(str(action) for action in found.line)
    (3, 'C1 B1 A0 A1 B1 A1')
    """
    prover = Prover(state, side=side, memory=memory)
    at = [0]
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(prover.run, plies, at.append)
        try:
            while wait([running], POLL).not_done:
                looked(at[-1], prover.nodes)
        except KeyboardInterrupt:
            prover.stop()
        return running.result()


def parse_side(text: str) -> Side:
    """Return a side by its name or its letter."""
    for side, name in enumerate(units.SIDES):
        if text and name.lower().startswith(text.lower()):
            return 1 if side else 0
    raise NoctagonError(f"unknown side {text!r}; there are attacker and defender")
