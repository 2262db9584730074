"""One start of a bot under test, and the server's end of its wire: say, wait for what it says, find the fault."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from collections.abc import Sequence
from types import TracebackType
from typing import Any, NamedTuple, Self

from noctagon.core.game import NoctagonError
from noctagon.games.vampires.wire.packets import FROM_PLAYER, Decoder, Mov, Nme, Packet, PacketError, encode
from noctagon.processes.system import end_group, own_group

HOST = "127.0.0.1"

START_SECONDS = 10.0
"""Seconds from a bot's start to its connection."""
NAME_SECONDS = 3.0
"""Seconds from its connection to its name."""
END_SECONDS = 3.0
"""Seconds from the server's last word to the end of its process."""
STEP = 0.05
"""The pause between packets that the course's server sends apart."""
PIECE = 0.005
"""The pause between pieces of a packet: enough to arrive apart."""
SILENCE = 0.3
"""Seconds of silence that count as no answer."""
LAST_GASP = 1.0
"""Seconds that a process may outlive its connection and still count as ended."""

MOST_LOG = 2000
MOST_READ = 4096
MOST_DISCARDED = 2**20


class Fault(NoctagonError):  # noqa: N818 - it is the bot's
    """A bot's fault: a sentence, the bytes it sent, and the likely cause.

    The packets it had just received, and what it printed, are added where its trial ends.
    """

    def __init__(self, problem: str, *, received: bytes = b"", hint: str = "") -> None:
        super().__init__(problem)
        self.received = received
        self.hint = hint
        self.where = ""
        self.sent: tuple[Packet, ...] = ()
        self.log = ""


class Silence(Fault):
    """No answer at all: neither what the turn would have been nor whether it was legal is known."""


class Answer(NamedTuple):
    """The time that the bot took for one turn of a check."""

    seconds: float
    check: str
    turn: int


class Trial:
    """A bot that runs, from its start to its end, however that comes: `async with Trial(…) as trial`."""

    def __init__(self, command: Sequence[str], *, seconds: float, check: str = "", host: str = HOST) -> None:
        self.command = command
        self.seconds = seconds
        self.check = check
        self.host = host
        self.sent: tuple[Packet, ...] = ()
        """The packets that the bot received last."""
        self.answers: list[Answer] = []
        self.decoder = Decoder(FROM_PLAYER)
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the trial
        self._closing = False
        self._said = 0.0
        self._process: asyncio.subprocess.Process
        self._connected: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]]
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter | None = None

    async def __aenter__(self) -> Self:
        self._connected = asyncio.get_running_loop().create_future()
        self._server = await asyncio.start_server(self._accept, HOST, 0)
        port = self._server.sockets[0].getsockname()[1]
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self.command,
                self.host,
                str(port),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=self.log,
                stderr=self.log,
                **own_group(),
            )
        except OSError as error:
            self._server.close()
            self.log.close()
            raise NoctagonError(f"{self.command[0]!r} cannot be started: {error.strerror or error}") from None
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Fault):
            error.sent, error.log = self.sent, self.printed()
        end_group(self._process.pid)
        self._closing = True
        self._server.close()
        if self._connected.done():
            self._writer = self._connected.result()[1]
        await self.close()
        await self._process.wait()
        self.log.close()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._closing or self._connected.done():
            writer.close()
        else:
            self._connected.set_result((reader, writer))

    @property
    def patience(self) -> float:
        """Seconds until an answer is given up: late ones are heard too, so that only one check is about time."""
        return 2 * self.seconds + 1

    # What the server does.

    async def connect(self) -> None:
        """Wait for the bot to connect."""
        ended = asyncio.create_task(self._process.wait())
        waiting: set[asyncio.Future[Any]] = {self._connected, ended}
        await asyncio.wait(waiting, timeout=START_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        ended.cancel()
        if self._connected.done():
            self._reader, self._writer = self._connected.result()
        elif ended.done() and not ended.cancelled():
            raise Fault(f"it ended with exit code {ended.result()} before it connected")
        else:
            raise Fault(f"it has not connected {START_SECONDS:g} s after its start")

    async def say(self, *packets: Packet, piece: int = 0) -> None:
        """Send packets in one write, or in pieces of this many bytes."""
        assert self._writer is not None
        data = b"".join(map(encode, packets))
        self.sent = packets
        size = piece or len(data)
        with contextlib.suppress(ConnectionError):  # it shows when an answer is missed
            for at in range(0, len(data), size):
                if at:
                    await asyncio.sleep(PIECE)
                self._said = asyncio.get_running_loop().time()
                self._writer.write(data[at : at + size])
                await self._writer.drain()

    async def close(self) -> None:
        """Close the connection, without a word."""
        if self._writer is not None:
            self._writer.close()
            with contextlib.suppress(ConnectionError):
                await self._writer.wait_closed()

    # What the bot does.

    async def name(self) -> bytes:
        """Return the bot's NME, which must be well formed and the only packet."""
        got = b""
        try:
            async with asyncio.timeout(NAME_SECONDS):
                while piece := await self._read():
                    got += piece
                    if packets := self.decoder.feed(piece):
                        break
                else:
                    raise Fault(f"{await self._gone()} before its name was complete", received=got)
        except TimeoutError:
            if len(got) > 4:
                raise Fault(
                    f"its NME states a name of {got[3]} bytes, and {len(got) - 4} came", received=got
                ) from None
            raise Fault(
                f"no NME within {NAME_SECONDS:g} s of its connection", received=got, hint=NME_FIRST
            ) from None
        except PacketError as error:
            raise Fault(f"its first packet is no NME: {error}", received=got, hint=NME_FIRST) from None
        if not isinstance(packets[0], Nme):
            raise Fault("its first packet is no NME", received=got, hint=NME_FIRST)
        got += await self.listen(SILENCE)
        name = packets[0].name
        if len(got) > 4 + len(name):
            raise Fault(f"its NME states a name of {len(name)} bytes, and {len(got) - 4} came", received=got)
        if not name.isascii():
            raise Fault("its name is not ASCII", received=got)
        return name

    async def any_name(self) -> None:
        """Wait for a name, however badly formed: only one check is about it."""
        with contextlib.suppress(TimeoutError, PacketError):
            async with asyncio.timeout(NAME_SECONDS):
                while not self.decoder.buffer and not self.decoder.packets:
                    piece = await self._read()
                    if not piece:
                        raise Fault(f"{await self._gone()} before the game began")
                    self.decoder.feed(piece)
        await asyncio.sleep(STEP)  # whatever else it takes for its name

    async def listen(self, seconds: float) -> bytes:
        """Return the bytes that the bot sends in this time; at best none."""
        try:
            async with asyncio.timeout(seconds):
                return await self._read()
        except TimeoutError:
            return b""

    async def expect_silence(self, seconds: float, when: str, hint: str = "") -> None:
        if said := self.decoder.pending + await self.listen(seconds):
            raise Fault(f"it spoke out of turn, {when}", received=said, hint=hint)

    async def forget(self) -> None:
        """Discard what came before the first turn."""
        for _ in range(MOST_DISCARDED // MOST_READ):
            if not await self.listen(PIECE):
                break
        self.decoder.reset()

    async def answer(self, turn: int) -> Mov:
        """Return the MOV that answers the last packets, however late within the checker's patience."""
        got = b""
        try:
            async with asyncio.timeout(self.patience):
                while piece := await self._read():
                    got += piece
                    if packets := self.decoder.feed(piece):
                        break
                else:
                    raise Fault(f"{await self._gone()} where a MOV was due", received=got, hint=GONE)
        except TimeoutError:
            if got:
                came = "1 byte" if len(got) == 1 else f"{len(got)} bytes"
                problem = f"its packet is not complete after {self.patience:g} s: {came} came"
                raise Fault(problem, received=got, hint=INCOMPLETE) from None
            raise Silence(
                f"no answer to turn {turn} within {self.patience:g} s, where a turn has {self.seconds:g} s",
                hint=TOO_SLOW,
            ) from None
        except PacketError as error:
            raise Fault(f"it sent no MOV: {error}", received=got, hint=MOV_FORM) from None
        took = asyncio.get_running_loop().time() - self._said
        if not isinstance(packets[0], Mov):
            raise Fault("it sent NME where a MOV was due", received=got)
        if len(packets) > 1 or self.decoder.pending:
            extra = len(got) - len(encode(packets[0]))
            more = "a byte" if extra == 1 else f"{extra} bytes"
            raise Fault(f"{more} followed its MOV", received=got, hint=MOV_FORM)
        self.answers.append(Answer(took, self.check, turn))
        return packets[0]

    async def end(self) -> int:
        """Return the bot's exit code; it must end, with all its children."""
        try:
            async with asyncio.timeout(END_SECONDS):
                code = await self._process.wait()
        except TimeoutError:
            raise Fault(f"it still runs {END_SECONDS:g} s later") from None
        if await self._left_behind():
            raise Fault(
                "it ended, but a process that it started still runs", hint="end your child processes too"
            )
        return code

    # Behind the scenes.

    async def _read(self) -> bytes:
        """Return the next piece; none once the bot has closed the connection."""
        try:
            return await self._reader.read(MOST_READ)
        except ConnectionError:
            return b""

    async def _gone(self) -> str:
        try:
            async with asyncio.timeout(LAST_GASP):
                return f"it ended with exit code {await self._process.wait()}"
        except TimeoutError:
            return "it closed the connection"

    async def _left_behind(self) -> bool:
        """Return True if the bot's process group still has members a moment after its own end."""
        if not hasattr(os, "killpg"):
            return False
        for _ in range(10):
            try:
                os.killpg(self._process.pid, 0)
            except (ProcessLookupError, PermissionError):
                return False
            await asyncio.sleep(STEP)
        return True

    def printed(self) -> str:
        """Return the end of the bot's output."""
        size = self.log.seek(0, os.SEEK_END)
        self.log.seek(max(0, size - MOST_LOG))
        text: Any = self.log.read()
        return str(text, "utf-8", "replace").strip()


NME_FIRST = "the first thing to say is NME, right after connecting: the server answers it with SET"
MOV_FORM = "a turn is M O V, one byte n, then n times five bytes: x y count tx ty, and nothing else"
TOO_SLOW = "stop thinking before the time for a turn is over; if it does not think, see what it waits for"
GONE = "it crashed, or took something for the end: see what it printed"
INCOMPLETE = f"{MOV_FORM}; is n the number of moves, and is everything flushed?"
