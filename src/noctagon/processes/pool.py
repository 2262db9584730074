"""Worker processes, and keeping them busy: what happens to one of them is no matter to the others."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar

from noctagon.core.game import NoctagonError
from noctagon.core.registry import find_game
from noctagon.processes.system import told_to_end

T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")

MOST_FAILURES = 3
"""Work whose process was killed so often is given up."""
TICK = 0.2
"""Seconds between two looks at whether somebody pressed Ctrl-C."""


class WorkersLost(NoctagonError):  # noqa: N818 - what happened, not what was done wrong
    """All who could work are gone, whatever the work was."""


class Workers(Executor):
    """So many worker processes, each a pool of its own: a pool of several breaks with any one of its processes.

    Work waits for a free process in the order in which it came. A process that is killed fails the work it did with
    `BrokenProcessPool` and is replaced.
    """

    def __init__(self, count: int, games: Sequence[str] = ()) -> None:
        self._games = tuple(games)
        self._lock = threading.Lock()
        self._free = [self._pool() for _ in range(count)]
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._busy: set[ProcessPoolExecutor] = set()
        self._closed = False

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        promised: Future[R] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("the workers have been sent home")
            self._waiting.append((promised, partial(fn, *args, **kwargs)))
        self._hand_out()
        return promised

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._lock:
            self._closed = True
            if cancel_futures:
                while self._waiting:
                    self._waiting.popleft()[0].cancel()
            pools = [*self._free, *self._busy]
        for pool in pools:
            pool.shutdown(wait)

    def kill(self) -> None:
        """End all work at once."""
        with self._lock:
            self._closed = True
            self._waiting.clear()
        for process in multiprocessing.active_children():
            process.kill()

    def _pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            1, multiprocessing.get_context("spawn"), initializer=prepare, initargs=(self._games,)
        )

    def _hand_out(self) -> None:
        """Give waiting work to free processes."""
        begun: list[tuple[Future[Any], ProcessPoolExecutor, Future[Any]]] = []
        with self._lock:
            while self._free and self._waiting:
                promised, call = self._waiting.popleft()
                if not promised.set_running_or_notify_cancel():
                    continue
                pool = self._free.pop()
                try:
                    work = pool.submit(call)
                except BrokenProcessPool:  # it was killed while it had nothing to do
                    pool = self._pool()
                    work = pool.submit(call)
                self._busy.add(pool)
                begun.append((promised, pool, work))
        for promised, pool, work in begun:  # without the lock: what is done already is told at once
            work.add_done_callback(partial(self._done, promised, pool))

    def _done(self, promised: Future[Any], pool: ProcessPoolExecutor, work: Future[Any]) -> None:
        error = work.exception()
        broken = isinstance(error, BrokenProcessPool)
        with self._lock:
            self._busy.discard(pool)
            if not self._closed:
                self._free.append(self._pool() if broken else pool)
        if broken:
            pool.shutdown(wait=False)
        if error is not None:
            promised.set_exception(error)
        else:
            promised.set_result(work.result())
        self._hand_out()


def prepare(games: Sequence[str] = ()) -> None:
    """What a worker process does first: leave Ctrl-C to its parent, and load the rules before any clock runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    for game in games:
        find_game(game).load()


def _end_with_the_parent() -> None:
    """A parent that was killed cannot tell its workers to stop."""
    from multiprocessing import connection, parent_process

    if (parent := parent_process()) is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


class Interrupts:
    """How often Ctrl-C has been pressed; to be told to end is as good as twice, since who tells that does not wait."""

    def __init__(self) -> None:
        self.count = 0

    def _press(self, number: int, frame: FrameType | None) -> None:
        self.count += 1

    def _insist(self, number: int, frame: FrameType | None) -> None:
        self.count += 2


@contextmanager
def interrupts() -> Iterator[Interrupts]:
    """Count Ctrl-C instead of stopping in the middle of something; what `nohup` has silenced stays silent."""
    pressed = Interrupts()
    if threading.current_thread() is not threading.main_thread():
        yield pressed  # only the main thread hears of signals
        return
    before = {signal.SIGINT: signal.signal(signal.SIGINT, pressed._press)}
    for number in told_to_end():
        if signal.getsignal(number) is signal.SIG_DFL:
            before[number] = signal.signal(number, pressed._insist)
    try:
        yield pressed
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run_all(
    executor: Executor,
    perform: Callable[[T], R],
    next_task: Callable[[Collection[T]], T | None],
    done: Callable[[T, R], None],
    *,
    look: Callable[[Collection[T], int], None] | None = None,
) -> None:
    """Keep an executor busy with what `next_task` gives, until it has nothing more to give and all is done.

    `next_task` is told what is running and gives None where nothing more can begin now; `done` is told each result as
    it comes, in this thread; `look` is called a few times a second. On Ctrl-C what is running is waited for and
    kept; on the second, or when the process is told to end, it is not. In any case `KeyboardInterrupt` is raised at
    the end. Where a piece of work raises `NoctagonError`, nothing more is begun, what is running is waited for and
    kept, and the error is raised at the end.
    """
    again: deque[_Attempt[T]] = deque()
    running: dict[Future[R], _Attempt[T]] = {}
    failure: NoctagonError | None = None
    with interrupts() as pressed:
        while True:
            tasks = [attempt.task for attempt in running.values()]
            while not pressed.count and failure is None:
                if again:
                    attempt = again.popleft()
                elif (task := next_task(tasks)) is not None:
                    attempt = _Attempt(task, 1)
                else:
                    break
                running[executor.submit(perform, attempt.task)] = attempt
                tasks.append(attempt.task)
            if look is not None:
                look(tasks, pressed.count)
            if not running:
                break
            for future in wait(running, timeout=TICK, return_when=FIRST_COMPLETED).done:
                attempt = running.pop(future)
                try:
                    result = future.result()
                except BrokenProcessPool:
                    if attempt.number == MOST_FAILURES:
                        failure = NoctagonError(
                            f"a worker process died {MOST_FAILURES} times at {attempt.task}"
                        )
                    again.append(_Attempt(attempt.task, attempt.number + 1))
                except WorkersLost:
                    raise
                except NoctagonError as error:
                    failure = failure or NoctagonError(f"{error} (in {attempt.task})")
                else:
                    done(attempt.task, result)
            if pressed.count > 1:
                if (kill := getattr(executor, "kill", None)) is not None:
                    kill()
                break
        if failure is not None:
            raise failure
        if pressed.count:
            raise KeyboardInterrupt


class _Attempt(NamedTuple, Generic[T]):
    """The so-many-th try at a piece of work."""

    task: T
    number: int
