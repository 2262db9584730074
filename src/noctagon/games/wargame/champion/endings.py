"""The tables of endings (both AIs and at most one unit more): built, kept in the user's cache, loaded.

No turn waits for them: `ready` works out what is missing, in seconds a table, before the first.

    tables = endings.ready()
    tables.lookup(state)  # as `endings_kernel.lookup`
"""

from __future__ import annotations

import contextlib
import os
import struct
import sys
import tempfile
import time
import zlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from noctagon.core.game import NoctagonError
from noctagon.games.wargame.rules import units
from noctagon.games.wargame.rules.state import scratch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType

    from noctagon.games.wargame.rules.state import WargameState

PAIR = "AA"
"""The name of the table of two AIs alone."""
THIRDS = ("aV", "aF", "aP", "dT", "dF", "dP")
"""The third units a game can come down to: those of the opening position."""
NAMES = (PAIR, *THIRDS)

VERSION = 1
"""Part of every file: another number is another way to count positions, or other rules."""
MAGIC = b"noctagon endings"
HEADER = struct.Struct("<16sHH2sxxII")
"""Head of a table's file: mark, version, length of the name, name, length of the table, checksum of the
packed bytes.
"""


class Damaged(NoctagonError):  # noqa: N818 - it names what happened
    """A file that does not hold what it should."""


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


def folder() -> Path:
    """Return the folder of the tables: in the user's cache directory, or in `NOCTAGON_CACHE_DIR`."""
    import platformdirs

    if chosen := os.environ.get("NOCTAGON_CACHE_DIR"):
        return Path(chosen) / "noctagon-endings"
    return platformdirs.user_cache_path("noctagon") / "endings"


def path(name: str) -> Path:
    return folder() / f"wargame-{name}.table"


def available() -> tuple[str, ...]:
    """Return the names of the tables that have a file."""
    return tuple(name for name in NAMES if path(name).is_file())


def load() -> Endings:
    """Return the tables that have a file; a damaged file counts as missing."""
    return _load(folder())


def ready() -> Endings:
    """Return all tables; the missing ones are built now, and the error stream says so.

    Without compiled code, or without a folder to keep them in, none is built, and those that exist are
    returned. Processes that start together may all build: each keeps whole files only, and takes those that
    another finished first.
    """
    from numba.core import config

    found = load()
    if len(found.names) == len(NAMES) or config.DISABLE_JIT or not _writable():
        return found
    _retrograde()
    begin = time.monotonic()
    _say("Working out the AI Wargame endings, this one time only …")
    try:
        build(NAMES)
    except NoctagonError as error:  # the disk is full, say: a player plays without
        _say(f" {error}\n")
        return found
    _say(f" done in {time.monotonic() - begin:.0f} s\n")
    return load()


def _writable() -> bool:
    try:
        folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder()):
            return True
    except OSError:
        return False


def _say(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # a closed error stream is no reason to fail
        print(text, end="", file=sys.stderr, flush=True)


@cache
def _load(where: Path) -> Endings:
    found = {}
    for name in NAMES:
        with contextlib.suppress(OSError, Damaged):
            found[name] = read(name)
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


def read(name: str) -> bytes:
    """Return a table from its file; raise `Damaged` if the file is not whole, `OSError` if there is none."""
    file = path(name)
    content = file.read_bytes()
    whole = len(content) >= HEADER.size
    if whole:
        magic, version, size, named, length, checksum = HEADER.unpack_from(content)
        packed = content[HEADER.size :]
        whole = (magic, version, size, named) == (MAGIC, VERSION, HEADER.size, name.encode())
        whole = whole and length == positions(name) and checksum == zlib.crc32(packed)
    if not whole:
        raise Damaged(f"{file} is damaged, or of another version")
    return zlib.decompress(packed)


def write(name: str, table: bytes) -> Path:
    """Keep a table: a reader sees all of its file or nothing of it."""
    file = path(name)
    packed = zlib.compress(table, 6)
    header = HEADER.pack(MAGIC, VERSION, HEADER.size, name.encode(), len(table), zlib.crc32(packed))
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(header + packed)
            Path(temporary).replace(file)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise NoctagonError(f"the endings cannot be kept in {file.parent}: {error}") from None
    return file


def build(
    names: Iterable[str] = NAMES,
    *,
    again: bool = False,
    tell: Callable[[str], None] = lambda text: None,
    decided: Callable[[str, int, int], None] = lambda name, plies, count: None,
) -> list[Path]:
    """Work out the tables that are missing, or all of them `again`, and return the files of all that were
    named.

    `tell` gets a line about each damaged file. `decided` gets a table's name, a number of plies and how many
    positions are decided in exactly that number; 0 plies when the table is finished.
    """
    wanted = list(dict.fromkeys((PAIR, *names)))
    if unknown := [name for name in wanted if name not in NAMES]:
        raise NoctagonError(f"there is no ending {unknown[0]!r}; there are {', '.join(NAMES)}")
    pairs = b""
    for name in wanted:
        table = b"" if again else _read_or_tell(name, tell)
        if not table:
            table = work_out(name, pairs, decided)
            write(name, table)
        decided(name, 0, 0)
        pairs = pairs or table
    _load.cache_clear()
    return [path(name) for name in wanted]


def _read_or_tell(name: str, tell: Callable[[str], None]) -> bytes:
    try:
        return read(name)
    except FileNotFoundError:
        return b""
    except (Damaged, OSError) as error:
        tell(f"{error}: built again")
        return b""


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
    from noctagon.compiled import jit

    with jit.announced("the AI Wargame endings"):
        from noctagon.games.wargame.champion import retrograde_kernel
    return retrograde_kernel
