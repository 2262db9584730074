"""The server's end of one player's connection: its name, then its turns, one question and at most one answer
each.

Real clients send packets in any pieces, names whose stated length is wrong, and answers that come too late;
all of it is accepted. Packets without a question are dropped, whole packets at a time, as soon as they
arrive; so a connection never holds more than the beginning of one packet and the answer to one question.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from noctagon.games.vampires.wire.packets import (
    FROM_PLAYER,
    Decoder,
    Mov,
    Nme,
    Packet,
    PacketError,
    encode,
    show,
)
from noctagon.processes.deadline import catch_up, wait_until
from noctagon.wire.tcp import Gone

Log = Callable[[str], None]

NAME_GRACE = 0.5
"""Seconds after which a name that is shorter than its stated length is accepted."""

FLOOD = 500
"""Number of packets out of turn after which the connection is closed: decoding them would keep other games waiting."""

Moves = tuple[tuple[int, int, int, int, int], ...]


class Reply(NamedTuple):
    """An answer to a question: the moves, and how many seconds after the question they came."""

    moves: Moves
    seconds: float


class PlayerConnection(asyncio.Protocol):
    """One player. `name` and `ask` are the only things to wait for."""

    def __init__(self, arrived: Callable[[PlayerConnection], None], log: Log = lambda line: None) -> None:
        self.arrived = arrived
        self.log = log
        self.name = ""
        self.address = ""
        self.late = 0
        """Answers that came after their time."""
        self.unasked = 0
        """Number of packets that came without a question."""
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._decoder = Decoder(FROM_PLAYER)
        self._named: asyncio.Future[str] = self._loop.create_future()
        self._deaf = False
        """Between the name and the first question, bytes mean nothing."""
        self._gone: str | None = None
        self._owed = 0
        """Questions less answers: what comes next may answer an earlier question."""
        self._asked_at = 0.0
        self._answer: asyncio.Future[Reply] | None = None
        self._held: Reply | None = None
        self._legal: Callable[[Moves], bool] = lambda moves: True
        self._grace: asyncio.TimerHandle | None = None

    # Calls of the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        peer = transport.get_extra_info("peername")
        self.address = f"{peer[0]}:{peer[1]}" if peer else "?"
        self.log("connected")
        self.arrived(self)

    def data_received(self, data: bytes) -> None:
        if self._deaf or self._gone is not None:
            return
        try:
            while packets := self._decoder.feed(data):
                data = b""
                for packet in packets:
                    self._take(packet)
                    if self.unasked > FLOOD:
                        self._leave(f"sent {FLOOD} packets that nobody had asked for")
                        self.close()
                    if self._deaf or self._gone is not None:
                        return
        except PacketError as error:
            self._malformed(error)
            return
        if not self._named.done() and len(self._decoder.pending) > 3:
            if self._grace is not None:
                self._grace.cancel()
            self._grace = self._loop.call_later(NAME_GRACE, self._take_short_name)

    def eof_received(self) -> bool:
        return False  # a player that stops sending has nothing more to say

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave(f"lost the connection ({exc})" if exc else "disconnected")

    # What the referee does.

    async def named(self, seconds: float) -> str:
        """Return the player's name; raise `Gone` if none comes in time."""
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.shield(self._named)
        except TimeoutError:
            self._leave(f"gave no name in {seconds:g} s")
            self.close()
        raise Gone(self._gone)

    def send(self, *packets: Packet) -> None:
        """Send packets in one write."""
        for packet in packets:
            self.log(f"> {describe(packet)}")
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"".join(map(encode, packets)))

    async def ask(
        self, question: list[Packet], seconds: float | None, legal: Callable[[Moves], bool]
    ) -> Reply | None:
        """Send the question and wait for the answer; None if none came in time.

        What has arrived before, also while this process was busy, is read first: it is no answer to this question. So
        is what has arrived when the time is over: it came in time, if this process was not there to see it.
        While an earlier answer is still owed, the first one that comes may be that: an illegal one is dropped, a
        legal one is held, and taken at the deadline unless another comes before. Raises `Gone` if the player is
        gone, `PacketError` if it sends what is no packet.
        """
        await catch_up()
        if self._gone is not None:
            raise Gone(self._gone)
        self._deaf = False
        self._held = None
        self._legal = legal
        answer = self._answer = self._loop.create_future()
        self.send(*question)
        self._owed += 1
        self._asked_at = self._loop.time()
        try:
            if await wait_until(None if seconds is None else self._asked_at + seconds, answer):
                reply: Reply = answer.result()
                return reply if seconds is None else reply._replace(seconds=min(seconds, reply.seconds))
        finally:
            self._answer = None
        if self._held is None or seconds is None:
            return None
        self._owed -= 1
        return self._held._replace(seconds=seconds)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    @property
    def gone(self) -> str | None:
        """The reason why the player is no longer there; None while it is."""
        return self._gone

    # In between.

    def _take(self, packet: Packet) -> None:
        self.log(f"< {describe(packet)}")
        match packet:
            case Nme(name) if not self._named.done():
                self._name(name)
            case Mov(moves):
                self._moves(moves)
            case _:
                self.unasked += 1

    def _name(self, name: bytes) -> None:
        if self._grace is not None:
            self._grace.cancel()
        self._decoder.reset()
        self._deaf = True
        self.name = "".join(chr(byte) if 32 <= byte < 127 else "?" for byte in name) or "nameless"
        self._named.set_result(self.name)

    def _take_short_name(self) -> None:
        if not self._named.done() and self._gone is None:
            self._name(self._decoder.pending[4:])

    def _moves(self, moves: Moves) -> None:
        if self._answer is None or self._answer.done():
            self.late += self._owed > 0
            self.unasked += self._owed == 0
            self._owed = max(0, self._owed - 1)
            return
        reply = Reply(moves, self._loop.time() - self._asked_at)
        if self._owed == 1:
            self._owed = 0
            self._answer.set_result(reply)
        elif self._held is not None or not self._legal(moves):
            self._owed -= 1  # the one before, or this one, answers an earlier question
            self.late += 1
            if self._held is not None and (self._owed == 1 or self._legal(moves)):
                self._owed -= 1
                self._answer.set_result(reply)
        else:
            self._held = reply

    def _malformed(self, error: PacketError) -> None:
        self.log(f"! {error}")
        self._decoder.reset()
        if self._answer is not None and not self._answer.done():
            self._owed = max(0, self._owed - 1)
            self._answer.set_exception(error)
        elif not self._named.done():
            self._leave(f"did not give a name: {error}")
            self.close()
        else:
            self.unasked += 1

    def _leave(self, why: str) -> None:
        if self._gone is None:
            self._gone = why
            self.log(why)
        if self._grace is not None:
            self._grace.cancel()
        if not self._named.done():
            self._named.set_exception(Gone(why))
            self._named.exception()  # the name may never be asked for
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(Gone(why))


def describe(packet: Packet) -> str:
    """Return a packet's letters and numbers, for a log."""
    command = type(packet).__name__.upper()
    match packet:
        case Nme(name):
            return f"{command} {show(name)}"
        case Mov(rows):
            return f"{command} {len(rows)} " + " ".join(map(str, rows))
        case _ if packet and isinstance(packet[0], tuple):
            return f"{command} {len(packet[0])} " + " ".join(str(tuple(row)) for row in packet[0])
        case _:
            return f"{command} " + " ".join(map(str, packet))
