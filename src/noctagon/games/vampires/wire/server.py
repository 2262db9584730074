"""The game server: players connect by TCP, are paired as they come, and play at tables, many at once.

The event loop only moves bytes and asks the referee: a turn costs it well under a millisecond. Players of ours that
sit at a table (`opponent`) run in worker processes.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from noctagon.core.clock import TimeControl
from noctagon.core.events import Event
from noctagon.core.game import NoctagonError
from noctagon.core.match import Match, Request
from noctagon.core.player import PlayerSpec
from noctagon.core.seat import Absent, Answer, Seat, drive
from noctagon.games.vampires import VampiresGame, VampiresState, game
from noctagon.games.vampires.rules.ruleset import SERVER, VampiresRules
from noctagon.games.vampires.wire.connection import Gone, PlayerConnection
from noctagon.games.vampires.wire.packets import Bye
from noctagon.games.vampires.wire.seat import WireSeat
from noctagon.players import find_player
from noctagon.players.options import read_options
from noctagon.processes.command import command_seat
from noctagon.processes.ports import cannot_listen
from noctagon.processes.worker_seat import WorkerSeat

NAME_SECONDS = 10.0
"""How long a connection may stay without a name."""
CLOSE_SECONDS = 1.0
"""How long the end waits for connections to close: a player may never read what it was sent."""


class ServerOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What can be set about a server; the names are those of the command's options."""

    host: str = "127.0.0.1"
    port: int = 5555
    map: str = ""
    rules: VampiresRules = SERVER
    time: float = 2.0
    duration: float | None = 300.0
    games: int = 1
    tables: int = 1
    reconnect: bool = False
    lenient: bool = False
    solo: bool = False
    opponent: str = ""
    seed: int = 0


class AbsentSeat(Seat):
    """Nobody: a lone player is always on move."""

    async def answer(self, request: Request) -> Answer:
        return Absent()


class Table:
    """Two seats and the games between them, sides swapped from one to the next."""

    def __init__(self, number: int, server: VampiresServer) -> None:
        self.number = number
        self.server = server
        self.seats: list[Seat | None] = [None, None]
        """By who sat down first."""
        self.names = ["", ""]
        self.games = 0
        """Finished ones."""
        self.match: Match | None = None
        self.task: asyncio.Task[None] | None = None
        self.playing = False
        self._filled = asyncio.Event()

    def side_of(self, chair: int) -> int:
        """Which side a chair has in the coming game: they swap."""
        return chair ^ (self.games % 2)

    def free_chair(self, name: str) -> int | None:
        """The chair for a newcomer: its own from the game before, else the one of the Vampires."""
        free = [chair for chair in (0, 1) if self._is_free(chair)]
        own = [chair for chair in free if self.games and self.names[chair] == name]
        return min(own or free, key=self.side_of, default=None)

    def _is_free(self, chair: int) -> bool:
        if self.playing:
            return False
        seat = self.seats[chair]
        return seat is None or (isinstance(seat, WireSeat) and seat.connection.gone is not None)

    def sit(self, chair: int, seat: Seat, name: str) -> None:
        """Take a chair; a player on the wire is told the board at once."""
        self.seats[chair] = seat
        self.names[chair] = name
        if isinstance(seat, WireSeat):
            seat.open(self._next_match().start_for(0), self.side_of(chair))  # type: ignore[arg-type] # 0 or 1
        if not any(self._is_free(other) for other in (0, 1)):
            self._filled.set()

    def _next_match(self) -> Match:
        options = self.server.options
        order = (0, 1) if self.games % 2 == 0 else (1, 0)
        return Match(
            game,
            self.server.initial,
            setup=options.map,
            players=(self.names[order[0]], self.names[order[1]]),
            time=TimeControl(turn=options.time, total=options.duration),
            seed=options.seed + 1000 * self.number + self.games // 2,
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            lenient=options.lenient,
        )

    async def play(self) -> None:
        """All games of this table."""
        options = self.server.options
        try:
            while self.games < options.games:
                await self._filled.wait()
                self.playing = True
                seats = self._in_order()
                self._set_last(seats, last=options.reconnect or self.games == options.games - 1)
                self.match = self._next_match()
                self.server.began(self, self.match)
                try:
                    await drive(self.match, seats, self._listen)
                finally:
                    stopped = self.match.result is None
                    if stopped:
                        for event in self.match.stop("stopped", "the server was stopped"):
                            self._listen(event)
                    self.server.finished(self, self.match)  # before any farewell: nothing is to be lost
                    if stopped:
                        await self._say_farewell(self.match, seats)
                self.games += 1
                self.playing = False
                if not options.reconnect and self._somebody_left(seats):
                    self.games = options.games  # the rest of this pair's games will not be played
                self._free_the_lost()
        finally:
            for seat in self.seats:
                if seat is not None:
                    await seat.close()

    def _in_order(self) -> tuple[Seat, Seat]:
        """The seats as they move in the coming game."""
        one, other = self.seats
        assert one is not None
        assert other is not None
        return (one, other) if self.games % 2 == 0 else (other, one)

    @staticmethod
    def _set_last(seats: tuple[Seat, Seat], *, last: bool) -> None:
        """Whether the connections end with the coming END."""
        for seat in seats:
            if isinstance(seat, WireSeat):
                seat.last = last

    @staticmethod
    def _somebody_left(seats: tuple[Seat, Seat]) -> bool:
        """Whether a player is gone who was to play on; the other is told goodbye."""
        wired = [seat for seat in seats if isinstance(seat, WireSeat) and not seat.last]
        if all(seat.connection.gone is None for seat in wired):
            return False
        for seat in wired:
            seat.connection.send(Bye())
        return True

    async def _say_farewell(self, match: Match, seats: tuple[Seat, Seat]) -> None:
        """The server is being stopped: the players are told that the game is over."""
        assert match.result is not None
        self._set_last(seats, last=True)
        for seat in seats:
            with contextlib.suppress(Exception):
                await seat.finish(match.result)

    def _free_the_lost(self) -> None:
        """After a game: chairs of players that left, or were sent away, are free again; the others play on."""
        for chair, seat in enumerate(self.seats):
            if isinstance(seat, WireSeat) and seat.last:
                self.seats[chair] = None
        if any(self._is_free(chair) for chair in (0, 1)):
            self._filled.clear()
        self.server.chairs_changed()

    def _listen(self, event: Event) -> None:
        self.server.happened(self, event)


class VampiresServer:
    """Listens, seats those who come, and lets the tables play.

    `happened` and `finished` are called with every event and after every game; `log` gets a line per packet.
    """

    def __init__(
        self,
        options: ServerOptions,
        *,
        happened: Callable[[Table, Event], None] = lambda table, event: None,
        finished: Callable[[Table, Match], None] = lambda table, match: None,
        log: Callable[[str], None] | None = None,
    ) -> None:
        self.options = options
        self.happened = happened
        self.finished = finished
        self.log = log
        self.initial = _check_map(game, options)
        if options.opponent:
            _opponent(options.opponent)  # a wrong one is told now, not when somebody has come
        self.tables: list[Table] = []
        self.port = options.port
        self._welcoming: set[asyncio.Task[None]] = set()
        self._chairs_changed = asyncio.Event()
        self._numbers = iter(range(1, 10**9))

    async def run(self) -> None:
        """Serve until every table has played its games, or until cancelled: then the games end in order."""
        loop = asyncio.get_running_loop()
        options = self.options
        self.tables = [Table(number, self) for number in range(options.tables)]
        try:
            listening = await loop.create_server(self._connection, options.host, options.port)
        except OSError as error:
            raise cannot_listen(options.host, options.port, error) from error
        self.port = listening.sockets[0].getsockname()[1]
        playing = [asyncio.create_task(table.play()) for table in self.tables]
        gc.collect()
        gc.freeze()  # what compiling left behind is no garbage: walking it would keep a turn waiting
        self.started()
        try:
            await asyncio.wait(playing)
        finally:
            listening.close()
            for task in (*playing, *self._welcoming):
                task.cancel()
            await asyncio.gather(*playing, *self._welcoming, return_exceptions=True)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await listening.wait_closed()
            gc.unfreeze()
        for task in playing:
            task.result()  # a mistake of ours is not to be hidden

    def chairs_changed(self) -> None:
        """A game is over: those who wait may look for a chair again."""
        self._chairs_changed.set()

    def started(self) -> None:
        """Hook: the server listens, on `port`."""

    def began(self, table: Table, match: Match) -> None:
        """Hook: a game begins at a table."""

    @property
    def arriving(self) -> int:
        """How many have connected and have no chair yet."""
        return len(self._welcoming)

    def _connection(self) -> PlayerConnection:
        number = next(self._numbers)
        log = self.log
        if log is None:
            return PlayerConnection(self._arrived)
        return PlayerConnection(self._arrived, lambda line: log(f"player {number} {line}"))

    def _arrived(self, connection: PlayerConnection) -> None:
        task = asyncio.get_running_loop().create_task(self._welcome(connection))
        self._welcoming.add(task)
        task.add_done_callback(self._welcoming.discard)

    async def _welcome(self, connection: PlayerConnection) -> None:
        """Give a newcomer a chair; without one it is told goodbye, also when the server ends."""
        has_chair = False
        try:
            with contextlib.suppress(Gone):
                has_chair = await self._seat(connection)
        finally:
            if not has_chair and connection.gone is None:
                connection.send(Bye())
                connection.close()

    async def _seat(self, connection: PlayerConnection) -> bool:
        """Wait for a newcomer's name, and for a chair while one may become free; tells whether it got one."""
        name = await connection.named(NAME_SECONDS)
        while connection.gone is None:
            for table, chair in self._free_chairs(name):
                self._complete(table, chair)
                table.sit(chair, WireSeat(connection), name)
                return True
            if not self.options.reconnect or all(table.games >= self.options.games for table in self.tables):
                break
            self._chairs_changed.clear()  # a game is about to end, and its chairs to be free
            await self._chairs_changed.wait()
        return False

    def _free_chairs(self, name: str) -> Iterator[tuple[Table, int]]:
        """Free chairs, best first: where somebody waits, then the first empty table."""
        tables = [table for table in self.tables if table.games < self.options.games]
        waiting = [table for table in tables if sum(not table._is_free(chair) for chair in (0, 1)) == 1]
        for table in (*waiting, *tables):
            chair = table.free_chair(name)
            if chair is not None:
                yield table, chair

    def _complete(self, table: Table, chair: int) -> None:
        """Where only one player is to come, the other chair is taken by nobody, or by one of ours."""
        other = 1 - chair
        if table.seats[other] is not None:
            return
        if self.options.solo:
            table.sit(other, AbsentSeat(), "nobody")
        elif self.options.opponent:
            table.sit(other, _opponent(self.options.opponent), self.options.opponent)


def _opponent(text: str) -> Seat:
    """A seat for one of ours, or for somebody's, that leaves the event loop alone: in a process of its own."""
    spec = PlayerSpec.parse(text)
    if spec.command:
        return command_seat(spec, game)
    if spec.name == "human" and not spec.path:
        raise NoctagonError("a person cannot sit at a server's table; use noctagon play")
    if not spec.path:
        read_options(spec.name, find_player(spec.name, game), spec.options)
    return WorkerSeat(spec, game)


def _check_map(game: VampiresGame, options: ServerOptions) -> VampiresState:
    """The first position; a map that does not fit on the wire is refused."""
    from noctagon.games.vampires.maps.map import bundled_maps, find_map

    found = find_map(options.map) if options.map else next(iter(bundled_maps().values()))
    if found.wire_fault:
        raise NoctagonError(f"the map {found.name} cannot be served: {found.wire_fault}")
    return game.initial(options.map or None, options.rules)


def cheating(match: Match, side: int) -> str:
    """What looks like cheating in how a side behaved, or nothing."""
    conduct: Any = match.conduct[side]
    signs = []
    if conduct.unasked:
        signs.append(f"{conduct.unasked} packets out of turn")
    other = match.seconds[1 - side]
    if conduct.idle_cpu > max(1.0, 0.25 * other):
        signs.append(
            f"{conduct.idle_cpu:.1f} s of processor time while the other was on move ({other:.1f} s)"
        )
    return ", ".join(signs)
