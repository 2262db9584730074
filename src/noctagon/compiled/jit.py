"""Compilation by Numba: explicit signatures, a cache of its own, and no GIL.

    from noctagon.compiled.jit import Int, Record, compiled

    State = Record(np.dtype([("ply", np.int32)]))

    @compiled
    def advance(s: State, plies: Int) -> Int: ...

The signature is built from the annotations, so a function is compiled when its module is imported: by
`Game.load()` and nowhere else. A `Record` of several layouts with the same field names compiles the same
source once for each; all but the first are taken from the cache only when `complete()` asks for them. With
`NUMBA_DISABLE_JIT=1` everything runs as plain Python.
"""

import contextlib
import gc
import hashlib
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numba
import numpy as np
import platformdirs
from numba import types
from numba.core import config, event

F = TypeVar("F", bound=Callable[..., Any])

if TYPE_CHECKING:  # without compilation a number is Python's or NumPy's
    Int: TypeAlias = Any
    Float: TypeAlias = Any
    Bool: TypeAlias = Any
    Nothing: TypeAlias = None
    Bytes: TypeAlias = np.ndarray[Any, Any]
    Ints: TypeAlias = np.ndarray[Any, Any]
    Longs: TypeAlias = np.ndarray[Any, Any]
    Floats: TypeAlias = np.ndarray[Any, Any]
    Rows: TypeAlias = np.ndarray[Any, Any]
else:
    Int = types.int64
    Float = types.float64
    Bool = types.boolean
    Nothing = types.void
    Bytes = types.Array(types.uint8, 1, "C")
    Ints = types.Array(types.int32, 1, "C")
    Longs = types.Array(types.int64, 1, "C")
    Floats = types.Array(types.float64, 1, "C")
    Rows = types.Array(types.int32, 2, "C")

_KEY = re.compile(r"[0-9a-f]{16}")
_COMPILES = re.compile(
    r"^from noctagon\.compiled\.jit import .*\bcompiled\b|^from noctagon\.compiled\.jit import \(",
    re.MULTILINE,
)
_IMPORT = re.compile(r"^from noctagon\.([\w.]+) import (\([^)]*\)|.*)$", re.MULTILINE)

KEPT_CACHES = 4
"""Number of cache folders kept: this version's and a few before it, for switching between versions."""
IN_USE = 3600.0
"""Seconds since its last use before a cache folder may be removed: a process may still be writing to it."""


class Record:
    """The type of a kernel's state: one NumPy record, in one layout or several with the same field names."""

    def __init__(self, *layouts: np.dtype[Any]) -> None:
        self.types = [numba.from_dtype(layout) for layout in layouts]

    @staticmethod
    def new(layout: np.dtype[Any]) -> Any:
        """Return an empty record of a layout, for compiled and plain code alike."""
        return np.zeros(1, layout).view(np.recarray)[0]


def compiled(function: F) -> F:
    """Compile a function for the types it is annotated with, or take it from the cache."""
    annotations = dict(function.__annotations__)
    result = annotations.pop("return")
    layouts = max((len(kind.types) for kind in annotations.values() if isinstance(kind, Record)), default=1)
    signatures = [
        result(*(kind.types[layout] if isinstance(kind, Record) else kind for kind in annotations.values()))
        for layout in range(layouts)
    ]
    folder = cache_folder()
    previous = config.CACHE_DIR
    config.CACHE_DIR = str(folder or "")
    try:
        made = numba.njit(signatures[0], cache=folder is not None, nogil=True, error_model="numpy")(function)
    finally:
        config.CACHE_DIR = previous
    if not config.DISABLE_JIT:
        _waiting.extend((made, signature) for signature in signatures[1:])
    return made  # type: ignore[no-any-return]


_waiting: list[tuple[Any, Any]] = []
_completing = threading.Lock()


def complete() -> None:
    """Compile, or take from the cache, every function for its other layouts."""
    with _completing:
        while _waiting:
            function, signature = _waiting[0]  # callees first: they were defined first
            function.disable_compile(False)
            function.compile(signature)
            function.disable_compile()
            del _waiting[0]


@contextmanager
def announced(what: str) -> Iterator[None]:
    """Report on the error stream when something is compiled, and how long it took; stay silent otherwise."""
    listener = _Progress(what)
    event.register("numba:compile", listener)
    try:
        yield
        if listener.functions:
            complete()  # nothing must be left to compile in the middle of a game
        gc.freeze()  # keeps the collector from walking all of Numba in a turn: 0.1 s
    finally:
        event.unregister("numba:compile", listener)
        listener.close()


class _Progress(event.Listener):  # type: ignore[misc] # numba has no types
    def __init__(self, what: str) -> None:
        self.what = what
        self.functions = 0
        self.started = time.monotonic()

    def on_start(self, event: object) -> None:
        self.functions += 1
        line = f"Compiling {self.what}, this one time only …"
        counted = f"{line} {self.functions}"
        if self.functions == 1:
            self.write(line)
        elif sys.stderr.isatty() and len(counted) < shutil.get_terminal_size().columns:
            self.write(f"\r{counted}")  # on a wrapped line it would start a new one

    def on_end(self, event: object) -> None:
        pass

    def close(self) -> None:
        if self.functions:
            self.write(f" done in {time.monotonic() - self.started:.0f} s\n")

    @staticmethod
    def write(text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # a closed error stream is no reason to fail
            print(text, end="", file=sys.stderr, flush=True)


@cache
def cache_folder() -> Path | None:
    """Return the folder for compiled code of exactly these sources and this Numba, or None.

    It is in the user's cache directory (or in `NOCTAGON_CACHE_DIR`); where that cannot be written, in the temporary
    directory; where nothing can be written, there is none.
    """
    key = _source_key()
    for base in _candidate_folders():
        folder = base / key
        try:
            base.mkdir(mode=0o700, parents=True, exist_ok=True)
            if hasattr(os, "getuid") and base.stat().st_uid != os.getuid():
                continue  # another user's folder may hold another user's code
            folder.mkdir(exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                os.utime(folder)
        except OSError:
            continue
        _prune(base)
        return folder
    return None


def _candidate_folders() -> Iterator[Path]:
    if chosen := os.environ.get("NOCTAGON_CACHE_DIR"):
        yield Path(chosen) / "noctagon-kernels"
    home = platformdirs.user_cache_path("noctagon")
    if home.is_absolute():  # without a home directory it is not
        yield home / "kernels"
    with contextlib.suppress(OSError):
        owner = os.getuid() if hasattr(os, "getuid") else "user"
        yield Path(tempfile.gettempdir()) / f"noctagon-{owner}"


def _source_key() -> str:
    """Return a hash of everything compiled code depends on: Numba itself notices edits in one file only."""
    versions = f"{numba.__version__} {np.__version__} {sys.version} {config.BOUNDSCHECK} {int(config.OPT)}"
    digest = hashlib.sha256(versions.encode())
    for path in _kernel_sources(Path(__file__).parent.parent):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _kernel_sources(package: Path) -> list[Path]:
    """Return the modules of games and searches that compile something, and the package's modules they import."""
    found = {package / "compiled" / "jit.py"}
    waiting = [
        path
        for path in (*package.glob("games/**/*.py"), *package.glob("search/**/*.py"))
        if _COMPILES.search(path.read_text("utf-8"))
    ]
    while waiting:
        path = waiting.pop()
        if path in found or not path.is_file():
            continue
        found.add(path)
        for module, names in _IMPORT.findall(path.read_text("utf-8")):
            where = package.joinpath(*module.split("."))
            waiting.append(where.with_suffix(".py"))
            waiting += [where / f"{name}.py" for name in re.findall(r"\w+", names)]
    return sorted(found)


def _prune(base: Path) -> None:
    """Remove the oldest of the package's cache folders, and nothing else."""
    aged = []
    for folder in base.iterdir():
        with contextlib.suppress(OSError):  # another process may prune at the same moment
            if _KEY.fullmatch(folder.name) and folder.is_dir():
                aged.append((folder.stat().st_mtime, folder))
    for used, folder in sorted(aged, reverse=True)[KEPT_CACHES:]:
        if time.time() - used > IN_USE:
            shutil.rmtree(folder, ignore_errors=True)
