"""Processes that compute what the page asks for: the event loop itself never does."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import msgspec

from noctagon.core.game import NoctagonError
from noctagon.processes import system as process
from noctagon.processes.calls import Call, process_number
from noctagon.web.worker import HEAD, Ask, Crashed, Done, Item, Refused, Reply, encode

T = TypeVar("T")
R = TypeVar("R")

_decoder: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


class Busy(NoctagonError):  # noqa: N818 - what is told to somebody who comes too late
    """There is too much to do already."""


class Failed(Exception):  # noqa: N818 - what happened to the process
    """A process broke down or took too long: its last words."""


class Pipe:
    """Calls go in, values come out: our end of `noctagon.web.worker`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def ask(self, call: Call[R]) -> R:
        """Return what a function returns."""
        self._send(call)
        result: R = call.decode_result((await self._receive()).value)
        return result

    async def stream(self, call: Call[Iterator[T]]) -> AsyncGenerator[T]:
        """Yield what a generator yields."""
        self._send(call)
        while isinstance(reply := await self._receive(), Item):
            yield call.decode_item(reply.value)

    async def follow(self, call: Call[Generator[T, None, R]], heard: Callable[[T], None]) -> R:
        """Return what a generator returns; call `heard` with each value that it yields."""
        self._send(call)
        while isinstance(reply := await self._receive(), Item):
            heard(call.decode_item(reply.value))
        result: R = call.decode_result(reply.value)
        return result

    def _send(self, call: Call[Any]) -> None:
        self._writer.write(encode(Ask(call.function, msgspec.Raw(call.arguments))))

    async def _receive(self) -> Item | Done:
        try:
            head = await self._reader.readexactly(HEAD)
            body = await self._reader.readexactly(int.from_bytes(head, "big"))
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise Failed("a worker process ended") from error
        match _decoder.decode(body):
            case Refused(why):
                raise NoctagonError(why)
            case Crashed(traceback):
                raise Failed(traceback)
            case reply:
                return reply


class Worker(Pipe):
    """One process. What it is asked can be broken off only by ending it."""

    def __init__(self, running: asyncio.subprocess.Process) -> None:
        assert running.stdin is not None
        assert running.stdout is not None
        self.running = running
        super().__init__(running.stdout, running.stdin)

    @classmethod
    async def start(cls, games: Sequence[str]) -> Worker:
        return cls(
            await asyncio.create_subprocess_exec(
                *command(games),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=2**20,
                **process.own_group(),
            )
        )

    @property
    def alive(self) -> bool:
        return self.running.returncode is None

    async def end(self) -> None:
        if self.alive:
            with contextlib.suppress(ProcessLookupError):
                self.running.kill()
        self._writer.close()
        await self.running.wait()


def command(games: Sequence[str] = ()) -> list[str]:
    """What starts a worker process that has loaded these games."""
    return [sys.executable, "-m", "noctagon.web.worker", *games]


class Place:
    """Somebody's place in the queue for a process."""

    def __init__(self, moved: Callable[[int], None]) -> None:
        self.moved = moved
        """Called with the number of those before, whenever that changes."""
        self.given: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class Workers:
    """So many processes, started when they are needed; who finds all of them busy waits in a queue, if it has room."""

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
        return len(self._queue)

    async def warm_up(self) -> None:
        """Start a process before anybody asks."""
        with contextlib.suppress(Failed, Busy):
            await self.ask(Call(process_number), seconds=120.0)

    async def ask(self, call: Call[R], *, seconds: float) -> R:
        """Return what a function returns; raise `Failed` if it takes longer than `seconds`."""
        async with self._taken_worker(seconds) as worker:
            return await worker.ask(call)

    async def stream(
        self,
        call: Call[Iterator[T]],
        *,
        seconds: float | None = None,
        moved: Callable[[int], None] = lambda before: None,
    ) -> AsyncGenerator[T]:
        """Yield what a generator yields, as it comes. If the caller stops early, the process is ended."""
        async with self._taken_worker(seconds, moved) as worker:
            async for value in worker.stream(call):
                yield value

    @asynccontextmanager
    async def _taken_worker(
        self, seconds: float | None, moved: Callable[[int], None] = lambda before: None
    ) -> AsyncIterator[Worker]:
        """Wait for a process and keep it for one call; one that did not come to the end of it is ended."""
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
            raise Failed(f"nothing was found in {seconds:g} s") from error
        finally:
            try:
                if worker is not None:
                    self._busy.discard(worker)
                    if whole and worker.alive and not self._closed:
                        self._idle.append(worker)
                    else:
                        await asyncio.shield(worker.end())
            finally:  # whoever is cancelled may be cancelled again while it tidies up
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
                self._tell_places()
            elif place.given.done() and not place.given.cancelled():
                self._give_place()
            raise

    def _give_place(self) -> None:
        """Whoever waits longest is next."""
        while self._queue:
            place = self._queue.popleft()
            if not place.given.done():
                place.given.set_result(None)
                self._tell_places()
                return
        self._taken -= 1

    def _tell_places(self) -> None:
        for number, place in enumerate(self._queue, 1):
            place.moved(number)
