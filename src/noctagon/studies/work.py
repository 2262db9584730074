"""A study's work: in several processes, each result written to a file at once, nothing done twice."""

from __future__ import annotations

import datetime
import os
import platform
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Executor
from functools import reduce
from importlib.metadata import version
from operator import or_
from pathlib import Path

import msgspec

from noctagon.core.game import NoctagonError
from noctagon.processes.executor import ProcessExecutor, run_all
from noctagon.studies.tasks import GameResult, GameTask, Task, TaskResult, perform

Work = tuple[type[Task], type[TaskResult]]
"""A kind of task and the kind of its result."""


class Origin(msgspec.Struct, frozen=True, tag="origin"):
    """The place and date at which a study's data were begun."""

    study: str
    date: str
    noctagon: str
    python: str
    machine: str


class StoredResult(msgspec.Struct, frozen=True, tag="done"):
    """A task and its result, encoded; `ResultsFile` knows the kinds of tasks."""

    task: msgspec.Raw
    result: msgspec.Raw


_decoder = msgspec.json.Decoder(Origin | StoredResult)


class ResultsFile:
    """A study's results: a file of JSON lines that only grows."""

    def __init__(self, path: Path, study: str, work: Sequence[Work] = ()) -> None:
        self.path = path
        self.study = study
        self.results: dict[Task, TaskResult] = {}
        self.origin: Origin | None = None
        kinds = [(GameTask, GameResult), *work]
        self._task: msgspec.json.Decoder[Task] = msgspec.json.Decoder(
            reduce(or_, (kind[0] for kind in kinds))
        )
        self._result: msgspec.json.Decoder[TaskResult] = msgspec.json.Decoder(
            reduce(or_, (kind[1] for kind in kinds))
        )
        if path.exists():
            self._read(path.read_bytes().split(b"\n"))

    def _read(self, lines: Sequence[bytes]) -> None:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                read = _decoder.decode(line)
                if isinstance(read, StoredResult):
                    self.results[self._task.decode(read.task)] = self._result.decode(read.result)
                    continue
            except msgspec.DecodeError as error:
                if number == len(lines):
                    continue  # cut off by an interruption: it is done again
                raise NoctagonError(
                    f"{self.path}, line {number}: not a result of a study: {error}"
                ) from error
            if read.study != self.study:
                raise NoctagonError(f"{self.path} holds the study of {read.study}, not of {self.study}")
            self.origin = self.origin or read

    def add(self, task: Task, result: TaskResult) -> None:
        """Write a result to the file, before anything else is done with it."""
        if self.origin is None:
            self.origin = here(self.study)
            self._append(self.origin)
        encode = msgspec.json.encode
        self._append(StoredResult(msgspec.Raw(encode(task)), msgspec.Raw(encode(result))))
        self.results[task] = result

    def _append(self, line: Origin | StoredResult) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as file:
            size = file.seek(0, os.SEEK_END)
            if size:
                file.seek(size - 1)
                if file.read(1) != b"\n":  # the last line was cut off: it goes
                    file.seek(0)
                    file.truncate(file.read().rfind(b"\n") + 1)
            file.write(msgspec.json.encode(line) + b"\n")


def here(study: str) -> Origin:
    """Describe this machine and today's date."""
    return Origin(
        study=study,
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        noctagon=version("noctagon"),
        python=platform.python_version(),
        machine=f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    )


def do_all(
    tasks: Iterable[Task],
    store: ResultsFile,
    *,
    jobs: int,
    games: Sequence[str],
    done: Callable[[], None] = lambda: None,
    wanted: Callable[[Task], bool] = lambda task: True,
    executor: Callable[[], Executor] | None = None,
) -> None:
    """Perform the tasks that have no result yet. After Ctrl-C running tasks are still waited for and kept.

    A task that is no longer `wanted` when its turn comes, because the results so far decide, is left out.
    """
    todo = deque(task for task in dict.fromkeys(tasks) if task not in store.results)

    def next_task(running: Collection[Task]) -> Task | None:
        while todo and not wanted(todo[0]):
            todo.popleft()
            done()
        return todo.popleft() if todo and has_room(todo[0], running, jobs) else None

    def keep(task: Task, result: TaskResult) -> None:
        store.add(task, result)
        done()

    if todo:
        with executor() if executor is not None else ProcessExecutor(jobs, games) as workers:
            run_all(workers, perform, next_task, keep)


def has_room(task: Task, running: Collection[Task], jobs: int) -> bool:
    """Return whether a task may begin beside those that run: a game of players with several threads runs alone."""
    if any(one.threaded for one in (task, *running)):
        return not running
    return len(running) < 2 * jobs
