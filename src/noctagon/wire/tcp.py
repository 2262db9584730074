"""A wire over TCP, for any game: the game adds its protocol, the seat at the end of a connection."""

from __future__ import annotations

import asyncio
import socket
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from noctagon.core.events import Event
from noctagon.core.game import NoctagonError, Result, Rules, Side, State
from noctagon.core.limits import Limits
from noctagon.core.match import Request
from noctagon.core.player import GameStart, PlayerSpec
from noctagon.core.seat import Answer, Broke, Seat
from noctagon.core.wire import Checker, Report, Wire
from noctagon.processes.command import CommandSeat

if TYPE_CHECKING:
    from noctagon.wire.server import TableServer

LOOPBACK = "127.0.0.1"
ARRIVAL_SECONDS = 60.0
"""Seconds that a program may take from its start to its name: some have to be compiled first."""
CONNECT_SECONDS = 10.0
"""Seconds that a server may take to accept a connection."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds before connecting again: doubled after every failure."""


class Gone(Exception):  # noqa: N818 - it says what happened to the program
    """The program at the other end is no longer there."""


class RemoteSeat(Seat):
    """A seat at the end of a program's connection, which may last for several games."""

    rewinds = False
    last = True
    """True if the connection ends with the coming game."""
    address = ""
    """The program's address, for messages."""

    @property
    @abstractmethod
    def gone(self) -> str | None:
        """The reason why the program is no longer there; None while it is."""

    @abstractmethod
    async def named(self, seconds: float) -> str:
        """Wait for the program's name; raises `Gone` where none comes in time."""

    def open(self, start: GameStart, side: Side) -> None:
        """Announce the coming game as soon as the program has a chair, perhaps before there is an opponent."""

    @abstractmethod
    def dismiss(self) -> None:
        """Say goodbye and close the connection."""


class TcpWire(Wire):
    """The wire of a game whose programs connect by TCP."""

    rules: str | None = None
    """The rule set that servers usually play by; None: the game's usual one."""

    @abstractmethod
    def connection(self, arrived: Callable[[RemoteSeat], None], log: Report) -> asyncio.BaseProtocol:
        """Return the server's end of a new connection.

        Once it is made it calls `arrived` with its seat; `log` gets a line for each message.
        """

    def first_position(self, setup: str, rules: Rules) -> State[Any]:
        """Return the position in which served games begin; raises `NoctagonError` where it cannot be played."""
        state = self.game.initial(setup or None, rules)
        self.check_start(state)
        return state

    def seat(self, spec: PlayerSpec, limits: Limits | None = None) -> Seat:
        return TcpCommandSeat(self, spec, limits)

    def server(self, settings: Mapping[str, Any]) -> TableServer:
        from noctagon.wire.server import TableServer, make_options

        return TableServer(self, make_options(self, settings))

    def checker(self) -> Checker:
        from noctagon.wire.checker import GameChecker

        return GameChecker(self)


def _ignore(line: str) -> None:
    """Take no note of a line."""


class TcpCommandSeat(CommandSeat):
    """A program that is started for each game and connects: host and port are its last two arguments."""

    def __init__(self, wire: TcpWire, spec: PlayerSpec, limits: Limits | None = None) -> None:
        super().__init__(spec, limits)
        self.wire = wire
        self.remote: RemoteSeat | None = None

    async def start(self, start: GameStart, side: Side) -> Broke | None:
        await self.close()
        try:
            self.wire.check_start(start.state)
        except NoctagonError as error:
            return Broke(str(error))
        loop = asyncio.get_running_loop()
        arrival: asyncio.Future[RemoteSeat] = loop.create_future()

        def arrived(seat: RemoteSeat) -> None:
            if arrival.done():
                seat.dismiss()
            else:
                arrival.set_result(seat)

        listening = await loop.create_server(lambda: self.wire.connection(arrived, _ignore), LOOPBACK, 0)
        try:
            port = listening.sockets[0].getsockname()[1]
            await self._launch([*self.words, LOOPBACK, str(port)])
            remote = await self._wait_for(arrival)
            await remote.named(ARRIVAL_SECONDS)
        except (Gone, NoctagonError) as error:
            return await self._explain(Broke(str(error)))
        finally:
            listening.close()
        self.remote = remote
        broke = await remote.start(start, side)
        return await self._explain(broke) if broke else None

    async def _wait_for(self, arrival: asyncio.Future[RemoteSeat]) -> RemoteSeat:
        """Wait until the program connects; raises `Gone` where it ends, or takes too long, before it has."""
        assert self.launched is not None
        ended = asyncio.create_task(self.launched.wait())
        try:
            done, _ = await asyncio.wait(
                (arrival, ended), timeout=ARRIVAL_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            ended.cancel()
        if arrival in done:
            return arrival.result()
        raise Gone("ended before it connected" if done else f"did not connect in {ARRIVAL_SECONDS:g} s")

    async def converse(self, request: Request) -> Answer:
        assert self.remote is not None
        return await self.remote.answer(request)

    def observe(self, event: Event) -> None:
        if self.remote is not None:
            self.unasked = self.remote.unasked
            self.remote.observe(event)

    async def finish(self, result: Result) -> None:
        if self.remote is not None:
            await self.remote.finish(result)
        await self._farewell()

    async def close(self) -> None:
        if self.remote is not None:
            await self.remote.close()
            self.remote = None
        await super().close()


class NoServer(NoctagonError):  # noqa: N818 - what there is
    """No server answers at that address."""


async def connect(host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, float]:
    """Connect to a server; also return the seconds that it took: one time there and back. Raises `NoServer`."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            failure: OSError | None = None
            for *_, address in found:
                started = loop.time()
                try:
                    reader, writer = await asyncio.open_connection(str(address[0]), port)
                except OSError as error:
                    failure = failure or error
                    continue
                return reader, writer, loop.time() - started
    except TimeoutError:
        raise NoServer(f"{host}:{port} does not answer") from None
    except (socket.gaierror, UnicodeError):
        raise NoServer(f"there is no host {host!r}") from None
    if failure is None or isinstance(failure, ConnectionRefusedError):
        raise NoServer(f"nobody listens at {host}:{port}: connection refused")
    raise NoServer(f"{host}:{port} cannot be reached: {failure.strerror or failure}")


async def keep_connecting(visit: Callable[[], Awaitable[None]], tell: Report) -> None:
    """Visit a server again whenever a visit ends or fails; never returns."""
    wait = FIRST_WAIT
    while True:
        try:
            await visit()
            wait = FIRST_WAIT
        except NoctagonError as error:
            tell(f"{error}; trying again in {wait:g} s")
        await asyncio.sleep(wait)
        wait = min(2 * wait, LONGEST_WAIT)
