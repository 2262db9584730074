"""Servers that do what a script says, and a seat that is easy to follow: for the tests of our client."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest

from noctagon.core.match import Request
from noctagon.core.seat import Answer, Answered, Broke, Seat
from noctagon.games.vampires import VampiresState
from noctagon.games.vampires.wire.gameview import plain_turn
from noctagon.games.vampires.wire.packets import (
    FROM_PLAYER,
    CellContent,
    Decoder,
    Hme,
    Hum,
    Map,
    Mov,
    Packet,
    Set,
    encode,
)

CELLS = (CellContent(0, 0, 0, 8, 0), CellContent(2, 2, 3, 0, 0), CellContent(4, 3, 0, 0, 7))
HOMES = {"vampires": Hme(0, 0), "werewolves": Hme(4, 3)}


def opening(species: str = "vampires") -> tuple[Packet, ...]:
    return Set(4, 5), Hum(((2, 2),)), HOMES[species], Map(CELLS)


class Peer:
    """A server's end of the connection, for a script."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.decoder = Decoder(FROM_PLAYER)
        self.inbox: list[Packet] = []

    async def receive(self) -> Packet | None:
        """The next packet of the client; None when it has gone."""
        while not self.inbox:
            data = await asyncio.wait_for(self.reader.read(65536), 10)
            if not data:
                return None
            self.inbox += self.decoder.feed(data)
        return self.inbox.pop(0)

    async def moves(self) -> tuple[tuple[int, ...], ...]:
        packet = await self.receive()
        assert isinstance(packet, Mov)
        return packet.moves

    async def send(self, *packets: Packet, pieces: int = 0) -> None:
        """Packets in one write, or in pieces of so many bytes."""
        data = b"".join(map(encode, packets))
        for at in range(0, len(data), pieces or len(data)):
            self.writer.write(data[at : at + (pieces or len(data))])
            await self.writer.drain()
            if pieces:
                await asyncio.sleep(0)

    async def expect_silence(self, seconds: float = 0.05) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(seconds):
                raise AssertionError(await self.receive())


Script = Callable[[Peer], Coroutine[Any, Any, None]]


class Simple(Seat):
    """Plays the plain turn, or what `reply` gives; notes what it was told."""

    def __init__(self, reply: Callable[[VampiresState], Any] | None = None) -> None:
        self.reply = reply or (lambda state: Answered(plain_turn(state)))
        self.states: list[VampiresState] = []
        self.seconds: list[float] = []
        self.told: list[str] = []

    async def start(self, start: Any, side: int) -> Broke | None:
        self.told.append(f"start {start.state.species}")
        return None

    async def answer(self, request: Request) -> Answer:
        assert isinstance(request.state, VampiresState)
        assert request.seconds is not None
        self.states.append(request.state)
        self.seconds.append(request.seconds)
        reply = self.reply(request.state)
        return await reply if asyncio.iscoroutine(reply) else reply

    async def finish(self, result: Any) -> None:
        self.told.append("finish")


@contextlib.asynccontextmanager
async def serving(script: Script) -> AsyncIterator[int]:
    """A server that does what the script says with every client, and closes; fails if the script does."""
    tasks: list[asyncio.Task[None]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.append(asyncio.create_task(script(Peer(reader, writer))))
        try:
            await asyncio.wait(tasks)
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]
        await asyncio.wait_for(asyncio.gather(*tasks), 10)
