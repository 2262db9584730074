"""The TCP server for any game: programs connect, are paired as they come, and play at tables, many at once.

The event loop only moves bytes and asks the referee: a turn costs it well under a millisecond. Our own
players at a table (`opponent`) run in worker processes.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from random import SystemRandom
from typing import Any

import msgspec

from noctagon.core.clock import TimeControl
from noctagon.core.events import Event
from noctagon.core.game import NoctagonError, Rules
from noctagon.core.match import Match, Request
from noctagon.core.player import PlayerSpec
from noctagon.core.seat import Absent, Answer, Seat, drive
from noctagon.core.text import plain
from noctagon.core.wire import Server, ServerTable
from noctagon.players import find_player
from noctagon.players.options import read_options
from noctagon.processes.ports import cannot_listen
from noctagon.processes.worker_seat import WorkerSeat
from noctagon.wire.tcp import Gone, RemoteSeat, TcpWire

USUAL_SECONDS = 2.0
"""Seconds for a turn, where the game has no usual time."""
NAME_SECONDS = 10.0
"""Seconds that a connection may stay without a name."""
CLOSE_SECONDS = 1.0
"""Seconds that the end waits for connections to close: a player may never read what it was sent."""


class ServerOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a server; the names are those of the command's options."""

    rules: Rules
    host: str = "127.0.0.1"
    port: int = 0
    map: str = ""
    time: float = USUAL_SECONDS
    duration: float | None = None
    games: int = 1
    tables: int = 1
    reconnect: bool = False
    lenient: bool = False
    solo: bool = False
    opponent: str = ""
    seed: int = 0


def make_options(wire: TcpWire, given: Mapping[str, Any]) -> ServerOptions:
    """Return a server's options from settings; the rest is as usual for the game."""
    game = wire.game
    rules = game.make_rules(
        given.get("rules", wire.rules), plies=given.get("plies"), majority=given.get("majority")
    )
    check_numbers(given)
    if given.get("solo") and given.get("opponent"):
        raise NoctagonError("a lone player (solo) has no opponent")
    for name in ("solo", "lenient"):
        if given.get(name) and not game.abilities.skip:
            raise NoctagonError(f"{name} is for games in which a turn can be lost; in {game.name} none can")
    fields = {name: given[name] for name in ServerOptions.__struct_fields__ if name in given}
    usual = {"port": wire.port, "time": game.turn_seconds or USUAL_SECONDS, "duration": game.game_seconds}
    usual["seed"] = SystemRandom().randrange(10**6)
    try:
        options = msgspec.convert({**usual, **fields, "rules": Rules()}, ServerOptions)
    except msgspec.ValidationError as error:
        raise NoctagonError(str(error)) from error
    return msgspec.structs.replace(options, rules=rules)  # a game's own class of rules is never converted


def check_numbers(given: Mapping[str, Any]) -> None:
    """Refuse settings that no server can have."""
    if not 0 < given.get("time", 2.0) < 86400:
        raise NoctagonError(f"a turn takes more than 0 seconds and less than a day, not {given['time']:g}")
    if not given.get("duration", 300.0) > 0:
        raise NoctagonError(f"a game takes more than 0 seconds, not {given['duration']:g}")
    for name, least, most in (("port", 0, 65535), ("games", 1, 10**6), ("tables", 1, 10**4)):
        if not least <= given.get(name, 1) <= most:
            raise NoctagonError(f"{name} is {least} to {most}, not {given[name]}")


class AbsentSeat(Seat):
    """An empty chair: a lone player is always on move."""

    async def answer(self, request: Request) -> Answer:
        return Absent()


class TcpTable(ServerTable):
    """Two seats and the games between them, sides swapped from one to the next."""

    def __init__(self, number: int, server: TableServer) -> None:
        self.number = number
        self.title = f"table {number + 1}"
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

    @property
    def game_number(self) -> int:
        return self.games + 1

    @property
    def game_name(self) -> str:
        return f"table{self.number + 1}-game{self.games + 1}"

    def side_of(self, chair: int) -> int:
        """Return the side of a chair in the coming game: they swap."""
        return chair ^ (self.games % 2)

    def free_chair(self, name: str) -> int | None:
        """Return the chair for a newcomer: its own from the game before, else the one of the first side."""
        free = [chair for chair in (0, 1) if self._is_free(chair)]
        own = [chair for chair in free if self.games and self.names[chair] == name]
        return min(own or free, key=self.side_of, default=None)

    def _is_free(self, chair: int) -> bool:
        if self.playing:
            return False
        seat = self.seats[chair]
        return seat is None or (isinstance(seat, RemoteSeat) and seat.gone is not None)

    def sit(self, chair: int, seat: Seat, name: str) -> None:
        """Take a chair; a player on the wire gets the board at once."""
        self.seats[chair] = seat
        self.names[chair] = name
        if isinstance(seat, RemoteSeat):
            seat.open(self._next_match().start_for(0), self.side_of(chair))  # type: ignore[arg-type] # 0 or 1
        if not any(self._is_free(other) for other in (0, 1)):
            self._filled.set()

    def _next_match(self) -> Match:
        options = self.server.options
        order = (0, 1) if self.games % 2 == 0 else (1, 0)
        return Match(
            self.server.game,
            self.server.initial,
            setup=options.map,
            players=(self.names[order[0]], self.names[order[1]]),
            time=TimeControl(turn=options.time, total=options.duration),
            seed=options.seed + 1000 * self.number + self.games // 2,
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            lenient=options.lenient,
        )

    async def play(self) -> None:
        """Play all games of this table."""
        options = self.server.options
        try:
            while self.games < options.games:
                await self._filled.wait()
                self.playing = True
                seats = self._in_order()
                self._set_last(seats, last=options.reconnect or self.games == options.games - 1)
                self.match = self._next_match()
                for watcher in self.server.watchers:
                    watcher.began(self, self.match)
                try:
                    await drive(self.match, seats, self._listen)
                finally:
                    stopped = self.match.result is None
                    if stopped:
                        for event in self.match.stop("stopped", "the server was stopped"):
                            self._listen(event)
                    self._finished(self.match)  # before any farewell: the record must not be lost
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
        """Return the seats as they move in the coming game."""
        one, other = self.seats
        assert one is not None
        assert other is not None
        return (one, other) if self.games % 2 == 0 else (other, one)

    @staticmethod
    def _set_last(seats: tuple[Seat, Seat], *, last: bool) -> None:
        """Note on the seats if their connections end with the coming game."""
        for seat in seats:
            if isinstance(seat, RemoteSeat):
                seat.last = last

    @staticmethod
    def _somebody_left(seats: tuple[Seat, Seat]) -> bool:
        """Return True if a player has left who was to play on; the other gets a farewell."""
        wired = [seat for seat in seats if isinstance(seat, RemoteSeat) and not seat.last]
        if all(seat.gone is None for seat in wired):
            return False
        for seat in wired:
            seat.dismiss()
        return True

    async def _say_farewell(self, match: Match, seats: tuple[Seat, Seat]) -> None:
        """Send the players the end of the game: the server is being stopped."""
        assert match.result is not None
        self._set_last(seats, last=True)
        for seat in seats:
            with contextlib.suppress(Exception):
                await seat.finish(match.result)

    def _free_the_lost(self) -> None:
        """After a game: chairs of players that left, or were sent away, are free again; the others play on."""
        for chair, seat in enumerate(self.seats):
            if isinstance(seat, RemoteSeat) and seat.last:
                self.seats[chair] = None
        if any(self._is_free(chair) for chair in (0, 1)):
            self._filled.clear()
        self.server.chairs_changed()

    def _listen(self, event: Event) -> None:
        for watcher in self.server.watchers:
            watcher.happened(self, event)

    def _finished(self, match: Match) -> None:
        for watcher in self.server.watchers:
            watcher.finished(self, match)
        for side in (0, 1):
            if signs := cheating(match, side):
                remark = f"{plain(match.players[side])} looks like cheating: {signs}"
                for watcher in self.server.watchers:
                    watcher.remarked(remark)


class TableServer(Server):
    """Listens, seats those who come, and lets the tables play."""

    def __init__(self, wire: TcpWire, options: ServerOptions) -> None:
        super().__init__()
        self.wire = wire
        self.game = wire.game
        self.options = options
        self.game.load()
        if self.game.abilities.compiled:
            from noctagon.compiled import jit

            jit.complete()  # a turn of many moves needs the larger layout, and no table waits for another's
        self.initial = wire.first_position(options.map, options.rules)
        if options.opponent:
            self._opponent()  # a wrong one is reported now, not when the first program has come
        self.tables: list[TcpTable] = []
        self.port = options.port
        self._welcoming: set[asyncio.Task[None]] = set()
        self._chairs_changed = asyncio.Event()
        self._numbers = iter(range(1, 10**9))

    async def run(self) -> None:
        """Serve until every table has played its games, or until cancelled: then the games end in order."""
        loop = asyncio.get_running_loop()
        options = self.options
        self.tables = [TcpTable(number, self) for number in range(options.tables)]
        try:
            listening = await loop.create_server(self._connection, options.host, options.port)
        except OSError as error:
            raise cannot_listen(options.host, options.port, error) from error
        self.port = listening.sockets[0].getsockname()[1]
        playing = [asyncio.create_task(table.play()) for table in self.tables]
        gc.collect()
        gc.freeze()  # what compiling left behind is no garbage: walking it would keep a turn waiting
        local = options.host in ("127.0.0.1", "localhost", "::1")
        where = f"listening on {options.host}:{self.port}{'' if local else '; other machines can connect'}"
        for watcher in self.watchers:
            watcher.listening(where)
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
            task.result()  # an internal error must not be hidden

    def chairs_changed(self) -> None:
        """Let waiting players look for a chair again, since a game is over."""
        self._chairs_changed.set()

    @property
    def arriving(self) -> int:
        """Number of connections that have no chair yet."""
        return len(self._welcoming)

    def _connection(self) -> asyncio.BaseProtocol:
        number = next(self._numbers)
        return self.wire.connection(self._arrived, lambda line: self._log(f"player {number} {line}"))

    def _log(self, line: str) -> None:
        for watcher in self.watchers:
            watcher.logged(line)

    def _arrived(self, seat: RemoteSeat) -> None:
        task = asyncio.get_running_loop().create_task(self._welcome(seat))
        self._welcoming.add(task)
        task.add_done_callback(self._welcoming.discard)

    async def _welcome(self, seat: RemoteSeat) -> None:
        """Give a newcomer a chair; without one it is dismissed, also when the server ends."""
        has_chair = False
        try:
            with contextlib.suppress(Gone):
                has_chair = await self._seat(seat)
        finally:
            if not has_chair and seat.gone is None:
                seat.dismiss()

    async def _seat(self, seat: RemoteSeat) -> bool:
        """Wait for a newcomer's name, and for a chair while one may become free; return True if it got one."""
        name = await seat.named(NAME_SECONDS)
        while seat.gone is None:
            for table, chair in self._free_chairs(name):
                self._complete(table, chair)
                table.sit(chair, seat, name)
                return True
            if not self.options.reconnect or all(table.games >= self.options.games for table in self.tables):
                break
            self._chairs_changed.clear()  # a game is about to end, and its chairs to be free
            await self._chairs_changed.wait()
        return False

    def _free_chairs(self, name: str) -> Iterator[tuple[TcpTable, int]]:
        """Yield free chairs, best first: at a table with a waiting player, then the first empty table."""
        tables = [table for table in self.tables if table.games < self.options.games]
        waiting = [table for table in tables if sum(not table._is_free(chair) for chair in (0, 1)) == 1]
        for table in (*waiting, *tables):
            chair = table.free_chair(name)
            if chair is not None:
                yield table, chair

    def _complete(self, table: TcpTable, chair: int) -> None:
        """Fill the other chair, where only one player is to come: leave it empty, or give it to one of our players."""
        other = 1 - chair
        if table.seats[other] is not None:
            return
        if self.options.solo:
            table.sit(other, AbsentSeat(), "nobody")
        elif self.options.opponent:
            table.sit(other, self._opponent(), self.options.opponent)

    def _opponent(self) -> Seat:
        """Return the opponent's seat, which leaves the event loop alone: in a process of its own."""
        spec = PlayerSpec.parse(self.options.opponent)
        if spec.command:
            return self.wire.seat(spec)
        if spec.name == "human" and not spec.path:
            raise NoctagonError("a person cannot sit at a server's table; use noctagon play")
        if not spec.path:
            read_options(spec.name, find_player(spec.name, self.game), spec.options)
        return WorkerSeat(spec, self.game)


def cheating(match: Match, side: int) -> str:
    """Describe what looks like cheating in a side's behaviour, or return nothing."""
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
