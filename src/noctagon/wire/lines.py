"""A seat at the end of a TCP connection over which lines of text go, for any game."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from noctagon.core.seat import Answer, Answered, Broke, Missed
from noctagon.core.text import quoted
from noctagon.core.wire import Report
from noctagon.processes.deadline import wait_until
from noctagon.wire.tcp import Gone, RemoteSeat

LONGEST_LINE = 4096
"""Maximum length of a program's line, in bytes."""
FLOOD = 500
"""Maximum number of lines out of turn in a game, after which the connection is closed."""


class LineSeat(asyncio.Protocol, RemoteSeat):
    """The server's end of a connection. A program's first line is its name; then it answers each question
    with a line.

    A game's own seat derives from this one: its `answer` calls `ask`, its `finish` may send the result.
    """

    goodbye = "bye"

    def __init__(self, arrived: Callable[[RemoteSeat], None], log: Report) -> None:
        self._arrived = arrived
        self._log = log
        self._transport: asyncio.Transport | None = None
        self._loop = asyncio.get_running_loop()
        self._pending = b""
        self._gone: str | None = None
        self._name: asyncio.Future[str] = self._loop.create_future()
        self._reply: asyncio.Future[str] | None = None
        self._wanted = ""
        self._unfit = ""
        """The last line that came instead of a reply."""

    @property
    def gone(self) -> str | None:
        return self._gone

    async def named(self, seconds: float) -> str:
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.shield(self._name)
        except TimeoutError:
            self._leave(f"gave no name in {seconds:g} s")
            raise Gone(self._gone) from None

    def send(self, line: str) -> None:
        """Send a line."""
        self._log(f"> {line}")
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(f"{line}\n".encode())

    async def ask(self, question: str, *, reply: str, seconds: float | None) -> Answer:
        """Send a question and return what follows the words `reply` in the first line that begins with them.

        Other lines are counted as out of turn: where the words hold the number of the turn, an answer that comes
        too late is never taken for the next one.
        """
        answer = self._reply = self._loop.create_future()
        self._wanted, self._unfit = reply, ""
        asked_at = self._loop.time()
        self.send(question)
        try:
            if self._gone is not None:
                raise Gone(self._gone)
            if not await wait_until(None if seconds is None else asked_at + seconds, answer):
                return Missed(f"it sent {quoted(self._unfit)} where {reply} … was due" if self._unfit else "")
            line = answer.result()
        except Gone as gone:
            return Broke(str(gone), reason="disconnected")
        finally:
            self._reply = None
        took = self._loop.time() - asked_at
        return Answered(
            line.removeprefix(reply).strip(), seconds=took if seconds is None else min(took, seconds)
        )

    def dismiss(self) -> None:
        self.send(self.goodbye)
        if self._transport is not None:
            self._transport.close()

    async def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    # What the network reports.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        peer = transport.get_extra_info("peername")
        self.address = f"{peer[0]}:{peer[1]}" if peer else "?"
        self._log("connected")
        self._arrived(self)

    def data_received(self, data: bytes) -> None:
        *lines, self._pending = (self._pending + data).split(b"\n")
        for line in lines:
            if self._gone is None:
                self._take(line.decode("utf-8", "replace").strip())
        if len(self._pending) > LONGEST_LINE:
            self._leave(f"sent a line of more than {LONGEST_LINE} bytes")

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave(f"lost the connection ({exc})" if exc else "disconnected")

    def _take(self, line: str) -> None:
        self._log(f"< {line}")
        if not self._name.done():
            self._name.set_result(line or "nameless")
        elif self._reply is not None and not self._reply.done() and line.startswith(self._wanted):
            self._reply.set_result(line)
        else:
            self._unfit = line
            self.unasked += 1
            if self.unasked > FLOOD:
                self._leave(f"sent {FLOOD} lines out of turn")

    def _leave(self, why: str) -> None:
        """Note why the program is gone, and end the connection."""
        if self._gone is not None:
            return
        self._gone = why
        self._log(why)
        if self._transport is not None:
            self._transport.close()
        for awaited in (self._name, self._reply):
            if awaited is not None and not awaited.done():
                awaited.set_exception(Gone(why))
        if self._name.done() and not self._name.cancelled():
            self._name.exception()  # it may never be asked for
