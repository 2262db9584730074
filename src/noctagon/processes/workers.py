"""The parent's end of a worker process: start it, call functions in it, end it.

Whatever runs outside this process and answers calls is started here: a stranger's class and our players with limits,
behind a launcher (`noctagon.processes.launch`); what only computes for us without.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Sequence
from typing import Any, TypeVar

import msgspec

from noctagon.core.game import NoctagonError
from noctagon.core.limits import Limits
from noctagon.processes import system as process
from noctagon.processes.calls import Call
from noctagon.processes.launch import Talking, launch_talking
from noctagon.processes.messages import HEAD, Ask, Done, Item, Raised, Reply, decode_reply, framed

T = TypeVar("T")
R = TypeVar("R")

LARGEST = 4 * 2**20
"""Maximum size of a message from a worker with limits, in bytes."""


class CallRefused(NoctagonError):  # noqa: N818 - what happened to a call
    """The function raised `NoctagonError`: its text is for the user. `line` and `log` are as those of `CallFailed`."""

    def __init__(self, message: str, line: str, log: str) -> None:
        super().__init__(message)
        self.line = line
        self.log = log


class CallFailed(Exception):  # noqa: N818 - what happened to a call
    """The function crashed, its process ended, or its answer cannot be read: `line` in a line, `log` the traceback."""

    def __init__(self, line: str, log: str = "") -> None:
        super().__init__(log or line)
        self.line = line
        self.log = log


class Worker:
    """A worker process, which does one call after the other.

    A call that is given up, as by a deadline, runs on; its answer is dropped when it comes. Only `end` stops it.
    """

    def __init__(self, running: Talking | Direct, largest: int | None = None) -> None:
        self._running = running
        self._largest = largest
        self._number = 0
        self._size: int | None = None
        """The length of a message of which no more than that has been read: the rest may come after a deadline."""

    @classmethod
    async def start(cls, games: Sequence[str] = (), *, limits: Limits | None = None) -> Worker:
        """Start a worker that loads these games first; with limits, whatever it starts ends with it."""
        command = [sys.executable, "-m", "noctagon.processes.worker", *games]
        if limits is None:
            return cls(await Direct.start(command))
        return cls(await launch_talking(command, limits=limits), LARGEST)

    async def ask(self, call: Call[R]) -> R:
        """Return what a function returns."""
        number = self._send(call)
        while isinstance(reply := await self._receive(number), Item):
            pass
        result: R = _decoded(call.decode_result, reply.value)
        return result

    async def follow(self, call: Call[Generator[T, None, R]], heard: Callable[[T], None]) -> R:
        """Return what a generator returns; call `heard` with each value that it yields."""
        number = self._send(call)
        while isinstance(reply := await self._receive(number), Item):
            heard(_decoded(call.decode_item, reply.value))
        result: R = _decoded(call.decode_result, reply.value)
        return result

    async def stream(self, call: Call[Iterator[T]]) -> AsyncGenerator[T]:
        """Yield what a generator yields."""
        number = self._send(call)
        while isinstance(reply := await self._receive(number), Item):
            yield _decoded(call.decode_item, reply.value)

    @property
    def alive(self) -> bool:
        return self._running.code is None

    @property
    def pid(self) -> int:
        """The number of the process; 0 where it is not known."""
        return self._running.pid

    def believe(self, pid: int) -> None:
        """Take over the number that a process behind a launcher reports; a stranger's may name any process."""
        if isinstance(self._running, Talking) and self._running.started(pid):
            self._running.pid = pid

    @property
    def printed(self) -> bytes:
        """The end of what a worker with limits has printed in this game."""
        return bytes(self._running.printed)

    def begin_game(self) -> None:
        """Count the limits, and what is printed, from here on."""
        self._running.begin_game()

    async def end(self) -> None:
        """End the process and all it has started, whatever it computes."""
        await self._running.end()

    def __del__(self) -> None:
        self._running.abandon()

    def _send(self, call: Call[Any]) -> int:
        self._number += 1
        with contextlib.suppress(ConnectionError):  # a dead worker shows when its answer is read
            self._running.writer.write(framed(Ask(self._number, call.function, msgspec.Raw(call.arguments))))
        return self._number

    async def _receive(self, number: int) -> Item | Done:
        """Return the next reply to a call; those to earlier calls are dropped, but an exception counts at any time."""
        while True:
            reply = await self._message()
            if isinstance(reply, Raised):
                if reply.refusal:
                    raise CallRefused(reply.refusal, reply.line, reply.log)
                raise CallFailed(reply.line, reply.log)
            if reply.number == number:
                return reply

    async def _message(self) -> Reply:
        reader = self._running.reader
        try:
            if self._size is None:
                self._size = int.from_bytes(await reader.readexactly(HEAD), "big")
            if self._largest is not None and self._size > self._largest:
                raise CallFailed(f"it sent a message of {self._size} bytes")
            body = await reader.readexactly(self._size)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            await self._running.wait()
            raise CallFailed(self._running.reason) from error
        self._size = None
        return _decoded(decode_reply, body)


class Direct:
    """A worker without a launcher: for our own code, which needs no limits and starts no processes."""

    reason = "a worker process ended"
    printed = b""

    def __init__(self, running: asyncio.subprocess.Process) -> None:
        assert running.stdin is not None
        assert running.stdout is not None
        self.writer = running.stdin
        self.reader = running.stdout
        self.pid = running.pid
        self._running = running

    @classmethod
    async def start(cls, command: Sequence[str]) -> Direct:
        pipe = asyncio.subprocess.PIPE
        return cls(
            await asyncio.create_subprocess_exec(
                *command, stdin=pipe, stdout=pipe, limit=2**20, **process.own_group()
            )
        )

    @property
    def code(self) -> int | None:
        return self._running.returncode

    def begin_game(self) -> None:
        pass

    async def wait(self) -> int:
        return await self._running.wait()

    async def end(self) -> None:
        self.abandon()
        self.writer.close()
        await self.wait()

    def abandon(self) -> None:
        if self.code is None:
            with contextlib.suppress(ProcessLookupError):
                self._running.kill()


def _decoded(decode: Callable[[Any], T], data: bytes | msgspec.Raw) -> T:
    """Decode what came from a worker; it may be anything."""
    try:
        return decode(data)
    except (ValueError, RecursionError) as error:
        raise CallFailed(f"its answer cannot be read: {error}") from error
