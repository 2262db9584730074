"""`noctagon bench --cold`: the waits of the first minute, from an empty cache and from a warm one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from noctagon.core.game import NoctagonError

BRIEF = ["--no-board", "--time", "0.05", "--plies", "1"]
TASKS = {
    "noctagon play, to the first move": [["play", *BRIEF]],
    "Vampires, champion's first move": [["play", "vampires", "champion", "random", *BRIEF]],
    "AI Wargame, to the first move": [["play", "wargame", *BRIEF]],
    "AI Wargame, champion's first move": [["play", "wargame", "champion", "random", *BRIEF]],
    "both games and both champions": [
        ["play", "vampires", "champion", "random", *BRIEF],
        ["play", "wargame", "champion", "random", *BRIEF],
    ],
}
"""The commands that are measured, in the order in which they share a cache."""


class Spent(NamedTuple):
    """The seconds of some commands: those of the processor, and those on the clock."""

    processor: float
    clock: float

    def __str__(self) -> str:
        return f"{self.processor:.1f} s, {self.clock:.1f} s"


class Start(NamedTuple):
    """A row of the table: commands from an empty cache, on one core too, and from a warm one."""

    what: str
    cold: Spent
    alone: Spent | None
    warm: Spent


def measure_starts(python: str = sys.executable) -> Iterator[Start]:
    """Measure all tasks with the installation that a Python belongs to."""
    for what, commands in TASKS.items():
        with tempfile.TemporaryDirectory() as folder:
            cold = _spent(python, commands, folder)
            warm = min(_spent(python, commands, folder) for _ in range(3))
        alone = None
        if hasattr(os, "sched_setaffinity"):
            with tempfile.TemporaryDirectory() as folder, _one_core():
                alone = _spent(python, commands, folder)
        yield Start(what, cold, alone, warm)


def install_size(python: str = sys.executable) -> int:
    """Return the megabytes of everything that an installation keeps in its `site-packages`."""
    found = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    files = Path(found.stdout.strip()).rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file() and not file.is_symlink()) // 2**20


def _spent(python: str, commands: list[list[str]], folder: str) -> Spent:
    """Run commands one after the other and add up what they and their children take."""
    environment = {**os.environ, "NOCTAGON_CACHE_DIR": folder, "XDG_CACHE_HOME": folder}
    before, started = _children(), time.perf_counter()
    for words in commands:
        subprocess.run(
            [python, "-m", "noctagon", *words], env=environment, capture_output=True, check=True, cwd=folder
        )
    return Spent(_children() - before, time.perf_counter() - started)


def _children() -> float:
    """Return the processor's seconds of all child processes that have ended."""
    if sys.platform == "win32":
        raise NoctagonError("Windows does not tell a program the processor time of those it started")
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def _one_core() -> Iterator[None]:
    """Let this process and what it starts run on one core only."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
