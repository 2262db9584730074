"""A pool of worker processes that compute for an event loop, which never computes itself."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

from noctagon.core.game import NoctagonError
from noctagon.processes.calls import Call, process_number
from noctagon.processes.workers import CallFailed, Worker

T = TypeVar("T")
R = TypeVar("R")

WARM_UP_SECONDS = 120.0


class Busy(NoctagonError):  # noqa: N818 - the state of a pool
    """There is too much to do already."""


class Place:
    """A caller's place in the queue for a process."""

    def __init__(self, moved: Callable[[int], None]) -> None:
        self.moved = moved
        """Called with the place's number in the queue, the first being 1, whenever it changes."""
        self.given: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class WorkerPool:
    """Up to `count` processes, started when they are needed. When all are busy, up to `queue` callers wait."""

    def __init__(self, count: int, games: Sequence[str], *, queue: int) -> None:
        self.count = count
        self.games = tuple(games)
        self.most_waiting = queue
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._taken = 0
        self._queue: deque[Place] = deque()
        self._closed = False

    @property
    def waiting(self) -> int:
        """The number of callers in the queue."""
        return len(self._queue)

    async def warm_up(self, call: Call[object] | None = None) -> None:
        """Start a process before the first call; let it do something already, if a call is given."""
        with contextlib.suppress(CallFailed, Busy):
            await self.ask(call or Call(process_number), seconds=WARM_UP_SECONDS)

    async def ask(self, call: Call[R], *, seconds: float) -> R:
        """Return what a function returns; raise `CallFailed` if it takes longer than `seconds`."""
        async with self._reserved_worker(seconds) as worker:
            return await worker.ask(call)

    async def stream(
        self,
        call: Call[Iterator[T]],
        *,
        seconds: float | None = None,
        moved: Callable[[int], None] = lambda before: None,
    ) -> AsyncGenerator[T]:
        """Yield what a generator yields, as it comes. If the caller stops early, the process is ended."""
        async with self._reserved_worker(seconds, moved) as worker:
            async for value in worker.stream(call):
                yield value

    @asynccontextmanager
    async def _reserved_worker(
        self, seconds: float | None, moved: Callable[[int], None] = lambda before: None
    ) -> AsyncIterator[Worker]:
        """Wait for a process and reserve it for one call; end it if the call did not come to its end."""
        await self._take_place(moved)
        worker: Worker | None = None
        whole = False
        try:
            worker = await self._worker()
            async with asyncio.timeout(seconds):
                yield worker
            whole = True
        except NoctagonError:
            whole = True
            raise
        except TimeoutError as error:
            raise CallFailed(f"nothing was found in {seconds:g} s") from error
        finally:
            try:
                if worker is not None:
                    self._busy.discard(worker)
                    if whole and worker.alive and not self._closed:
                        self._idle.append(worker)
                    else:
                        await asyncio.shield(worker.end())
            finally:  # a caller that was cancelled may be cancelled again during the cleanup
                self._give_place()

    async def close(self) -> None:
        self._closed = True
        workers = [*self._idle, *self._busy]
        self._idle.clear()
        await asyncio.gather(*(worker.end() for worker in workers), return_exceptions=True)

    async def _worker(self) -> Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                break
        else:
            worker = await Worker.start(self.games)
        self._busy.add(worker)
        return worker

    async def _take_place(self, moved: Callable[[int], None]) -> None:
        if self._closed:
            raise Busy("the server is being stopped")
        if self._taken < self.count:
            self._taken += 1
            return
        if len(self._queue) >= self.most_waiting:
            raise Busy("too much is being computed already; try again in a moment")
        place = Place(moved)
        self._queue.append(place)
        moved(len(self._queue))
        try:
            await place.given
        except asyncio.CancelledError:
            if place in self._queue:
                self._queue.remove(place)
                self._announce_places()
            elif place.given.done() and not place.given.cancelled():
                self._give_place()
            raise

    def _give_place(self) -> None:
        """Give the place of a process to the caller that has waited longest."""
        while self._queue:
            place = self._queue.popleft()
            if not place.given.done():
                place.given.set_result(None)
                self._announce_places()
                return
        self._taken -= 1

    def _announce_places(self) -> None:
        for number, place in enumerate(self._queue, 1):
            place.moved(number)
