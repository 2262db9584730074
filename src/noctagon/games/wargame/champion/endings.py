"""The tables of endings (both AIs and at most one unit more): loaded from the package, or solved again.

    tables = endings.load()
    tables.lookup(state)  # as `endings_kernel.lookup`

They ship because to solve them takes seven seconds, which nobody should wait for; `noctagon prove wargame --endings`
solves them again and compares, and `python -m lab endings` writes the file.
"""

from __future__ import annotations

import lzma
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from noctagon.games.wargame.rules import units
from noctagon.games.wargame.rules.state import scratch

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from noctagon.games.wargame.rules.state import WargameState

PAIR = "AA"
"""The name of the table of two AIs alone."""
THIRDS = ("aV", "aF", "aP", "dT", "dF", "dP")
"""The third units a game can come down to: those of the opening position."""
NAMES = (PAIR, *THIRDS)
"""The tables, in the order in which the file holds them."""

FILE = files("noctagon.games.wargame.champion").joinpath("endings.xz")


class Endings(NamedTuple):
    """Tables in memory as compiled code takes them: one array of bytes, and where in it each table begins."""

    tables: Any
    offsets: Any
    names: tuple[str, ...]

    def lookup(self, state: WargameState) -> int | None:
        """Return n if the attacker wins in n plies, -n if the defender does, 0 if neither can force it, None
        if unknown.

        The tables leave the turn limit out.
        """
        kernel = _kernel()
        d = scratch()
        d.put(state.key)
        found = int(kernel.lookup(d.record, self.tables, self.offsets))
        return None if found == kernel.UNKNOWN else found


@cache
def load() -> Endings:
    """Return the tables that ship with the package."""
    content = lzma.decompress(FILE.read_bytes())
    found, begin = {}, 0
    for name in NAMES:
        found[name] = content[begin : begin + positions(name)]
        begin += positions(name)
    return gather(found)


def gather(found: dict[str, bytes]) -> Endings:
    """Lay tables out one after the other."""
    import numpy as np

    kernel = _kernel()
    if PAIR not in found:
        found = {}
    offsets = np.full(kernel.OFFSETS, kernel.ABSENT, np.int64)
    end = 0
    for name, table in found.items():
        offsets[number(name)] = end
        end += len(table)
    tables = np.zeros(max(end, 1), np.uint8)
    for name, table in found.items():
        begin = int(offsets[number(name)])
        tables[begin : begin + len(table)] = np.frombuffer(table, np.uint8)
    return Endings(tables, offsets, tuple(found))


def number(name: str) -> int:
    """Return a third unit's `side << 3 | kind`, which is its table's place in `offsets`."""
    if name == PAIR:
        return units.AI
    return units.SIDE_LETTERS.index(name[0]) << 3 | units.KIND_LETTERS.index(name[1])


def positions(name: str) -> int:
    """Return the number of bytes of a table."""
    kernel = _kernel()
    return int(kernel.PAIR_POSITIONS if name == PAIR else kernel.TRIPLE_POSITIONS)


def solve(decided: Callable[[str, int, int], None] = lambda name, plies, count: None) -> dict[str, bytes]:
    """Work out all tables by retrograde analysis.

    `decided` gets a table's name, a number of plies and how many positions are decided in exactly that number.
    """
    found: dict[str, bytes] = {}
    for name in NAMES:
        found[name] = work_out(name, found.get(PAIR, b""), decided)
    return found


def work_out(
    name: str, pairs: bytes, decided: Callable[[str, int, int], None] = lambda name, plies, count: None
) -> bytes:
    """Work out a table by retrograde analysis; one of three units needs that of the two AIs."""
    import numpy as np

    retrograde = _retrograde()
    record = scratch().record
    kind = number(name)
    size = positions(name)
    if name == PAIR:
        found = gather({PAIR: bytes(size)})
        longest = 0
    else:
        found = gather({PAIR: pairs, name: bytes(size)})
        exits = np.zeros(size, np.uint8)
        changed = np.zeros(retrograde.BLOCKS, np.int64)
        longest = retrograde.find_exits(record, found.tables, found.offsets, exits, kind)
    for plies in range(1, retrograde.FAR_OFF):
        if name == PAIR:
            count = retrograde.sweep_pairs(record, found.tables, found.offsets, plies)
        else:
            count = retrograde.sweep_triples(
                record, found.tables, found.offsets, exits, changed, kind, plies, plies <= longest + 1
            )
        decided(name, plies, int(count))
        if count == 0 and plies > longest:
            return bytes(found.tables[found.offsets[kind] :])
    raise AssertionError(f"{name}: an ending longer than a byte can tell")


def _kernel() -> ModuleType:
    from noctagon.games.wargame.champion import endings_kernel

    return endings_kernel


def _retrograde() -> ModuleType:
    from noctagon.compiled.jit import prepare

    prepare("the AI Wargame endings", "noctagon.games.wargame.champion.retrograde_kernel")
    from noctagon.games.wargame.champion import retrograde_kernel

    return retrograde_kernel
