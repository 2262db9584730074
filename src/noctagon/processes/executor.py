"""Many tasks at once in processes of their own: an executor, and a loop that keeps any executor busy."""

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
from noctagon.processes.system import ending_signals

T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")

MOST_FAILURES = 3
"""Number of killed processes after which a task is given up."""
TICK = 0.2
"""Seconds between two checks for Ctrl-C."""


class WorkersLost(NoctagonError):  # noqa: N818 - what happened, not what was done wrong
    """The end of every process that could do the tasks, whatever they are."""


class ProcessExecutor(Executor):
    """An executor of `count` processes, each a pool of its own: a pool of several breaks with any one of its processes.

    Tasks wait for a free process in the order in which they came. When a process is killed, its task fails with
    `BrokenProcessPool` and the process is replaced.
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
                raise RuntimeError("the executor has been shut down")
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
        """End all processes, whatever they do."""
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
        """Give waiting tasks to free processes."""
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
        for promised, pool, work in begun:  # without the lock: the callback of finished work runs here
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
    """Prepare a process for its tasks: leave Ctrl-C to the parent, and load the rules before any clock runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    for game in games:
        find_game(game).load()


def _end_with_the_parent() -> None:
    """End this process when its parent does, even if the parent is killed."""
    from multiprocessing import connection, parent_process

    if (parent := parent_process()) is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


class Interrupts:
    """The number of times that Ctrl-C was pressed; a signal to end counts twice, since its sender does not wait."""

    def __init__(self) -> None:
        self.count = 0

    def _press(self, number: int, frame: FrameType | None) -> None:
        self.count += 1

    def _insist(self, number: int, frame: FrameType | None) -> None:
        self.count += 2


@contextmanager
def interrupts() -> Iterator[Interrupts]:
    """Count Ctrl-C instead of stopping in the middle of something; a signal that `nohup` ignores stays ignored."""
    pressed = Interrupts()
    if threading.current_thread() is not threading.main_thread():
        yield pressed  # only the main thread receives signals
        return
    before = {signal.SIGINT: signal.signal(signal.SIGINT, pressed._press)}
    for number in ending_signals():
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
    """Perform the tasks that `next_task` returns, as many at once as the executor can, until there are no more.

    `next_task` gets the running tasks and returns None when no other can begin now. `done` is called with each result
    as it comes, in this thread; `look` is called a few times a second with the running tasks and the number of
    presses of Ctrl-C. After one press the running tasks are finished and kept; after a second one, or a signal to
    end, they are not; either way `KeyboardInterrupt` is raised at the end. When a task raises `NoctagonError`, no more
    are begun, the running ones are finished and kept, and the error is raised at the end.
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
    """An attempt at a task, numbered from 1."""

    task: T
    number: int
