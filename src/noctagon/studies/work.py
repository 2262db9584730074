"""Doing a study's work: in several processes, each result written down at once, nothing done twice."""

from __future__ import annotations

import datetime
import os
import platform
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Executor
from importlib.metadata import version
from pathlib import Path

import msgspec

from noctagon.core.game import NoctagonError
from noctagon.processes.pool import Workers, run_all
from noctagon.studies.tasks import GameTask, Result, Task, perform

MOST_FAILURES = 3
"""A piece of work in whose company the pool broke so often is given up."""


class Origin(msgspec.Struct, frozen=True, tag="origin"):
    """Where and when a study's data began to be gathered."""

    study: str
    date: str
    noctagon: str
    python: str
    machine: str


class Line(msgspec.Struct, frozen=True, tag="done"):
    """One piece of work and what came of it."""

    task: Task
    result: Result


_decoder = msgspec.json.Decoder(Origin | Line)


class Store:
    """A study's results, as a file of JSON lines that only grows."""

    def __init__(self, path: Path, study: str) -> None:
        self.path = path
        self.study = study
        self.results: dict[Task, Result] = {}
        self.origin: Origin | None = None
        self._read()

    def _read(self) -> None:
        if not self.path.exists():
            return
        lines = self.path.read_bytes().split(b"\n")
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                read = _decoder.decode(line)
            except msgspec.DecodeError as error:
                if number == len(lines):
                    continue  # cut off by an interruption: it is done again
                raise NoctagonError(
                    f"{self.path}, line {number}: not a result of a study: {error}"
                ) from error
            if isinstance(read, Line):
                self.results[read.task] = read.result
            elif read.study != self.study:
                raise NoctagonError(f"{self.path} holds the study of {read.study}, not of {self.study}")
            else:
                self.origin = self.origin or read

    def add(self, task: Task, result: Result) -> None:
        """Write a result down, before anything else is done with it."""
        if self.origin is None:
            self.origin = here(self.study)
            self._append(self.origin)
        self._append(Line(task, result))
        self.results[task] = result

    def _append(self, line: Origin | Line) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as file:
            size = file.seek(0, os.SEEK_END)
            if size:
                file.seek(size - 1)
                if file.read(1) != b"\n":  # drop what was cut off
                    file.seek(0)
                    file.truncate(file.read().rfind(b"\n") + 1)
            file.write(msgspec.json.encode(line) + b"\n")


def here(study: str) -> Origin:
    """This machine, now."""
    return Origin(
        study=study,
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        noctagon=version("noctagon"),
        python=platform.python_version(),
        machine=f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    )


def do_all(
    tasks: Iterable[Task],
    store: Store,
    *,
    jobs: int,
    games: Sequence[str],
    done: Callable[[], None] = lambda: None,
    wanted: Callable[[Task], bool] = lambda task: True,
    executor: Callable[[], Executor] | None = None,
) -> None:
    """Do what has not been done yet. On Ctrl-C what is running is still waited for and kept.

    A task that is no longer `wanted` when its turn comes, since the results so far say enough, is left out.
    """
    todo = deque(task for task in dict.fromkeys(tasks) if task not in store.results)

    def next_task(running: Collection[Task]) -> Task | None:
        while todo and not wanted(todo[0]):
            todo.popleft()
            done()
        return todo.popleft() if todo and has_room(todo[0], running, jobs) else None

    def keep(task: Task, result: Result) -> None:
        store.add(task, result)
        done()

    if todo:
        with executor() if executor is not None else Workers(jobs, games) as workers:
            run_all(workers, perform, next_task, keep)  # type: ignore[misc] # mypy does not infer a union


def has_room(task: Task, running: Collection[Task], jobs: int) -> bool:
    """Whether a task may be begun beside those that run: a game of players with several threads wants to be alone."""
    if any(isinstance(one, GameTask) and one.threaded for one in (task, *running)):
        return not running
    return len(running) < 2 * jobs
