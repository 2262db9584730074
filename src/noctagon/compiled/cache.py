"""The folder that keeps machine code between runs: one for exactly these sources, a file for each function.

The folder is keyed by the modules that compile something, by what they import, and by the versions of Numba, NumPy and
Python and the processor. Nothing in it is ever changed: another version has another folder.
"""

import contextlib
import functools
import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numba
import numpy as np
import platformdirs
from llvmlite import binding
from numba.core import config

KEPT_FOLDERS = 4
"""Number of folders kept: this version's and a few before it, for switching between versions."""
IN_USE = 3600.0
"""Seconds since its last use before a folder may be removed: a process may still be writing to it."""

_CHECKSUM = hashlib.sha256().digest_size
_KEY = re.compile(r"[0-9a-f]{16}")
_COMPILES = re.compile(
    r"^from noctagon\.compiled\.jit import .*\b(compiled|entry)\b|^from noctagon\.compiled\.jit import \(",
    re.MULTILINE,
)
_IMPORT = re.compile(r"^from noctagon\.([\w.]+) import (\([^)]*\)|.*)$", re.MULTILINE)


@functools.cache
def folder() -> Path | None:
    """Return the folder for machine code of exactly these sources, or None.

    It is in the user's cache directory (or in `NOCTAGON_CACHE_DIR`); where that cannot be written, in the temporary
    directory; where nothing can be written, there is none.
    """
    key = _source_key()
    for base in _candidates():
        found = base / key
        try:
            base.mkdir(mode=0o700, parents=True, exist_ok=True)
            if hasattr(os, "getuid") and base.stat().st_uid != os.getuid():
                continue  # another user's folder may hold another user's code
            found.mkdir(exist_ok=True)
            with tempfile.TemporaryFile(dir=found):
                os.utime(found)
        except OSError:
            continue
        _prune(base)
        return found
    return None


def read(name: str) -> bytes | None:
    """Return what is kept under a name; None if nothing is, or if it is damaged."""
    where = folder()
    if where is None:
        return None
    try:
        found = (where / name).read_bytes()
    except OSError:
        return None
    checksum, content = found[:_CHECKSUM], found[_CHECKSUM:]
    return content if checksum == hashlib.sha256(content).digest() else None


def keep(name: str, content: bytes) -> None:
    """Keep something under a name, in one step; note in `problems` why it could not be kept."""
    where = folder()
    if where is None:
        problems["no folder can be written; NOCTAGON_CACHE_DIR names one"] = None
        return
    unfinished = where / f".{name}.{os.getpid()}"
    try:
        unfinished.write_bytes(hashlib.sha256(content).digest() + content)
        unfinished.replace(where / name)
    except OSError as error:
        problems[f"{where}: {error.strerror or error}"] = None
        with contextlib.suppress(OSError):
            unfinished.unlink()


problems: dict[str, None] = {}
"""Reasons why something could not be kept, each once."""


@contextlib.contextmanager
def claim(name: str, *, wait: bool) -> Iterator[bool]:
    """Claim a name among all processes that use the folder; yield False if another one holds it and `wait` is off.

    A claim ends with its process, and where a disk knows no locks every process gets every claim: then work may be
    done twice, never wrong.
    """
    descriptor = _claims()
    if descriptor is None:
        yield True
        return
    place = int.from_bytes(hashlib.sha256(name.encode()).digest()[:3], "big")
    held = _lock(descriptor, place, wait=wait)
    try:
        yield held is not False
    finally:
        if held:
            _unlock(descriptor, place)


@functools.cache
def _claims() -> int | None:
    """Open the file whose bytes stand for names; it stays open, since closing it would give up all claims."""
    where = folder()
    with contextlib.suppress(OSError):
        return None if where is None else os.open(where / "claims", os.O_RDWR | os.O_CREAT, 0o600)
    return None


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int, place: int, *, wait: bool) -> bool | None:
        """Lock one byte: True if this process now holds it, False if another one does, None without locks."""
        while True:
            os.lseek(descriptor, place, os.SEEK_SET)
            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            except OSError:
                if not wait:
                    return False
                time.sleep(0.05)  # Windows cannot wait for one byte without a limit
            else:
                return True

    def _unlock(descriptor: int, place: int) -> None:
        os.lseek(descriptor, place, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int, place: int, *, wait: bool) -> bool | None:
        """Lock one byte: True if this process now holds it, False if another one does, None without locks."""
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB), 1, place)
        except (BlockingIOError, PermissionError):
            return False
        except OSError:
            return None
        return True

    def _unlock(descriptor: int, place: int) -> None:
        fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, place)


def _candidates() -> Iterator[Path]:
    if chosen := os.environ.get("NOCTAGON_CACHE_DIR"):
        yield Path(chosen) / "noctagon-kernels"
    home = platformdirs.user_cache_path("noctagon")
    if home.is_absolute():  # without a home directory it is not
        yield home / "kernels"
    with contextlib.suppress(OSError):
        owner = os.getuid() if hasattr(os, "getuid") else "user"
        yield Path(tempfile.gettempdir()) / f"noctagon-{owner}"


def _source_key() -> str:
    """Return a hash of everything machine code depends on."""
    processor = config.CPU_NAME or binding.get_host_cpu_name(), config.CPU_FEATURES
    versions = f"{numba.__version__} {np.__version__} {sys.version} {processor} {config.BOUNDSCHECK} {int(config.OPT)}"
    digest = hashlib.sha256(versions.encode())
    for path in _kernel_sources(Path(__file__).parent.parent):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _kernel_sources(package: Path) -> list[Path]:
    """Return the modules of games and searches that compile something, and the package's modules they import."""
    found = {package / "compiled" / "jit.py", package / "compiled" / "cache.py"}
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
    for found in base.iterdir():
        with contextlib.suppress(OSError):  # another process may prune at the same moment
            if _KEY.fullmatch(found.name) and found.is_dir():
                aged.append((found.stat().st_mtime, found))
    for used, found in sorted(aged, reverse=True)[KEPT_FOLDERS:]:
        if time.time() - used > IN_USE:
            shutil.rmtree(found, ignore_errors=True)
