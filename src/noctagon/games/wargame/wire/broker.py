"""The wargame's broker: two programs play by posting their moves to a game's address and polling it for the other's.

    POST /game/ID   {"from":{"row":2,"col":4},"to":{"row":1,"col":4},"turn":1}   {"success":true,"data":<the same>}
    GET  /game/ID                                                      {"success":true,"data":null | <the last move>}

`turn` counts the turns played, this one included. Everything else is answered `{"success":false,"error":…}`:

- 400, it is not a move at all; 404, there is no such game; 409, it is not the turn to be played, or the game is over.
- 422, the move is illegal. It is counted, reported to the listener and noted in the record, and the same turn may be
  posted again: behind a program may sit a person, who is asked again. A program that does not put it right (the
  course's does not look) has lost by the illegal turn once its time is up, the game is given up or the server stops.

A move that is posted again after a lost answer is answered as before and not played twice. Once a game is over its
last move stays readable; when turn 1 is posted after that, a new game begins. A GET after the end also carries the
result, in the header `Noctagon-Result`, since the moves do not show every end, such as a lost connection.
"""

from __future__ import annotations

import asyncio
import datetime
import re
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

import msgspec

from noctagon.core.clock import TimeControl
from noctagon.core.events import Event
from noctagon.core.game import IllegalAction, NoctagonError, Side
from noctagon.core.match import Match
from noctagon.core.player import Thought
from noctagon.core.record import Record
from noctagon.core.wire import ServerTable
from noctagon.games.wargame import Action, WargameRules, game
from noctagon.games.wargame.rules.units import SIZE
from noctagon.games.wargame.wire.http import (
    ROUNDS,
    USUAL,
    ConnectionLimits,
    HttpRequest,
    Response,
    failure,
    serving,
)
from noctagon.processes.deadline import catch_up

IDLE_SECONDS = 1800.0
"""Seconds without a move after which a game is given up, and its address is free for the next."""
LINGER_SECONDS = 5.0
"""Seconds that the broker stays after the last game, so that its last move can be fetched."""
TICK = 0.2
"""Seconds between two looks at the games' clocks."""
KEPT = 1000
"""Maximum number of finished games that are kept; a listener hears of all."""
NOTED = 5
"""Maximum number of refused moves of a turn that are kept word for word."""

CORS = (
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Allow-Methods", "GET, POST, OPTIONS"),
    ("Access-Control-Allow-Headers", "Content-Type, Accept, *"),
    ("Cache-Control", "no-store"),
)

_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_PATH = re.compile(r"/game/([^/]+)/?")


class Coordinate(msgspec.Struct, frozen=True):
    """A cell as the broker's programs name it."""

    row: int
    col: int


class PostedMove(msgspec.Struct, frozen=True, kw_only=True):
    """A move in the form in which it is posted.

    >>> PostedMove.read(b'{"from":{"row":2,"col":4},"to":{"row":1,"col":4},"turn":1}').action()
    Action(source=14, target=9)
    """

    source: Coordinate = msgspec.field(name="from")
    target: Coordinate = msgspec.field(name="to")
    turn: int

    @classmethod
    def of(cls, action: Action, turn: int) -> PostedMove:
        source, target = (Coordinate(*divmod(cell, SIZE)) for cell in action)
        return cls(source=source, target=target, turn=turn)

    @classmethod
    def read(cls, body: bytes) -> PostedMove:
        """Read the move from a body; raise `NoctagonError` if there is none. Unknown fields are ignored."""
        try:
            body.decode()
            return _decoder.decode(body)
        except UnicodeDecodeError:
            raise NoctagonError("the body is not a move: it is not UTF-8") from None
        except RecursionError:
            raise NoctagonError("the body is not a move: it is nested too deeply") from None
        except msgspec.DecodeError as error:
            raise NoctagonError(f"the body is not a move: {error}; write it as {EXAMPLE}") from None

    def to_json(self) -> bytes:
        return msgspec.json.encode(self)

    def action(self) -> Action:
        """Return the action on the board; raise `IllegalAction` if its cells are not on it."""
        for name, place in (("from", self.source), ("to", self.target)):
            if not (0 <= place.row < SIZE and 0 <= place.col < SIZE):
                raise IllegalAction(
                    f'"{name}" is not on the board: row {brief(place.row)}, col {brief(place.col)}; '
                    f"both are 0 to {SIZE - 1}: rule 1",
                    rule=1,
                )
        return Action(self.source.row * SIZE + self.source.col, self.target.row * SIZE + self.target.col)


EXAMPLE = '{"from":{"row":2,"col":4},"to":{"row":1,"col":4},"turn":1}'
_decoder = msgspec.json.Decoder(PostedMove)


def brief(number: int) -> str:
    """Shorten a number of any size for a message."""
    return str(number) if abs(number) < 10**9 else "beyond counting"


class Refused(NamedTuple):
    """A move was not played: what was posted, and why not."""

    side: Side
    sent: str
    reason: str


class BrokerTable(ServerTable):
    """One address and the game that is played there."""

    def __init__(self, name: str, number: int, match: Match, now: float) -> None:
        self.name = name
        self.title = f"game {name}"
        self.number = number
        """Number of the game at this address, from 1."""
        self.match = match
        self.last: bytes | None = None
        """The last move, as it was posted."""
        self.move: PostedMove | None = None
        self.since = now
        """Time of the last move."""
        self.refused: list[str] = []
        """Faults of the moves posted for the present turn."""

    @property
    def game_number(self) -> int:
        return self.number

    @property
    def game_name(self) -> str:
        return f"{self.name}-{self.number}"

    @property
    def broken_off(self) -> bool:
        """True if the game ended otherwise than on the board: on time, or because a player left."""
        return self.match.result is not None and self.match.state.result is None


Listener = Callable[[BrokerTable, Event | Refused], None]


class Broker:
    """Games by id, without I/O: the answers to each GET and POST.

    `clock` returns seconds. The rules are compiled with the first position: call the game's `load` before,
    where that is to be announced.

    >>> broker = Broker(["1"])
    >>> broker.get("1").body
    b'{"success":true,"data":null}'
    >>> broker.post("1", b'{"from":{"row":2,"col":4},"to":{"row":2,"col":3},"turn":1}').status
    200
    """

    def __init__(
        self,
        ids: Iterable[str] = ("1",),
        *,
        rules: WargameRules | None = None,
        turn_seconds: float | None = None,
        games: int | None = None,
        new_ids: int = 0,
        idle_seconds: float = IDLE_SECONDS,
        players: tuple[str, str] = ("remote", "remote"),
        listen: Listener = lambda table, event: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open games at `ids`, `games` of them in all; `new_ids` is how many addresses may be made by being used."""
        self.rules = rules
        self.turn_seconds = turn_seconds
        self.games = games
        self.new_ids = new_ids
        self.idle_seconds = idle_seconds
        self.players = players
        self.listen = listen
        self.clock = clock
        self.begun = 0
        self.ended = 0
        self._finished: deque[Record] = deque(maxlen=KEPT)
        self.tables: dict[str, BrokerTable] = {}
        for name in ids:
            if not _ID.fullmatch(name):
                raise NoctagonError(f"{name!r} is no id of a game: letters, digits, - and _, at most 64")
            self.tables[name] = self._table(name, 1)

    def get(self, name: str) -> Response:
        """Return the last move of a game."""
        table = self._find(name)
        if table is None:
            return failure(404, "invalid server id")
        result = table.match.result
        told = () if result is None else (("Noctagon-Result", _line(result.describe(game.sides))),)
        stale = (
            table.broken_off and table.match.state.ply == 1
        )  # it would be taken for the first move of a new game
        return Response(200, success(None if stale else table.last), told)

    def post(self, name: str, body: bytes) -> Response:
        """Play a move."""
        table = self._find(name)
        if table is None:
            return failure(404, "invalid server id")
        try:
            move = PostedMove.read(body)
        except NoctagonError as error:
            return failure(400, str(error))
        if move == table.move and not table.broken_off:
            return Response(200, success(body))
        if table.match.result is not None and move.turn == 1 and self._may_begin():
            table = self.tables[name] = self._table(name, table.number + 1)
        result = table.match.result
        expected = table.match.state.ply + 1
        if result is not None:
            return failure(409, f"the game is over: {result.describe(game.sides)}")
        if move.turn != expected:
            table.match.unasked[1 - move.turn % 2] += 1
            return failure(409, f"turn {brief(move.turn)} was posted, but turn {expected} is to be played")
        if not table.match.turns and not table.refused and not self._may_begin():
            return failure(409, f"all {self.games} games of this broker have begun already")
        return self._play(table, move, body)

    def expire(self) -> None:
        """End the games whose time is up; call it every now and then."""
        now = self.clock()
        for name, table in list(self.tables.items()):
            match, elapsed = table.match, now - table.since
            if table.last is None and not table.refused:
                continue
            limited = self.turn_seconds is not None and bool(match.turns)
            if match.result is None and limited and elapsed > (self.turn_seconds or 0.0):
                self._tell(table, self._blame(table) or match.miss(elapsed))
            elif elapsed > self.idle_seconds:
                self._give_up(table, "abandoned", f"no move came for {elapsed:.0f} s")
                if self._may_begin():
                    self.tables[name] = self._table(name, table.number + 1)

    def stop(self, detail: str) -> None:
        """End all games that have begun, by how they stand."""
        for table in self.tables.values():
            self._give_up(table, "stopped", detail)

    def records(self) -> list[Record]:
        """Return the records of the finished games that are kept, then those of the games being played."""
        running = (table.match for table in self.tables.values() if table.match.result is None)
        return [*self._finished, *(match.record() for match in running if match.turns)]

    @property
    def finished(self) -> bool:
        """True once all games that may be played have been."""
        return self.games is not None and self.ended >= self.games

    def _find(self, name: str) -> BrokerTable | None:
        if name not in self.tables and self.new_ids > 0 and _ID.fullmatch(name):
            self.new_ids -= 1
            self.tables[name] = self._table(name, 1)
        return self.tables.get(name)

    def _table(self, name: str, number: int) -> BrokerTable:
        limit = TimeControl(turn=self.turn_seconds)
        match = Match(game, game.initial(None, self.rules), players=self.players, time=limit)
        return BrokerTable(name, number, match, self.clock())

    def _may_begin(self) -> bool:
        return self.games is None or self.begun < self.games

    def _play(self, table: BrokerTable, move: PostedMove, body: bytes) -> Response:
        match, now = table.match, self.clock()
        side = match.state.side
        if not match.turns and not table.refused:
            self.begun += 1
            match.date = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        seconds = now - table.since if match.turns else 0.0  # the first player may have come at any time
        note = Thought(note="refused before: " + " · ".join(table.refused)) if table.refused else None
        late = self.turn_seconds is not None and seconds > self.turn_seconds
        try:
            action = move.action()
            if late:
                match.state.check(action)  # an illegal move is refused, whenever it comes
                events = match.miss(seconds, f"answered after {seconds:.2f} s of {self.turn_seconds:g}")
            else:
                events = match.play(str(action), seconds, note)
        except IllegalAction as error:
            match.illegal[side] += 1
            if not match.turns:
                table.since = now
            table.refused = [*table.refused, str(error)][-NOTED:]
            self.listen(table, Refused(side, body.decode(), str(error)))
            return failure(422, f"illegal move: {error}")
        if match.state.ply == move.turn:  # else it came too late
            table.last, table.move, table.since, table.refused = body, move, now, []
        self._tell(table, events)
        if table.move != move:
            assert match.result is not None
            return failure(409, f"the game is over: {match.result.describe(game.sides)}")
        return Response(200, success(body))

    def _blame(self, table: BrokerTable) -> list[Event]:
        """End a game in which a refused move was never put right; do nothing where there is none."""
        if not table.refused:
            return []
        side = table.match.state.side
        return table.match.forfeit(side, "illegal turn", f"{game.sides[side]}: {table.refused[-1]}")

    def _give_up(self, table: BrokerTable, reason: str, detail: str) -> None:
        if table.match.result is None and (table.match.turns or table.refused):
            self._tell(table, self._blame(table) or table.match.stop(reason, detail))

    def _tell(self, table: BrokerTable, events: list[Event]) -> None:
        if table.match.result is not None:
            self.ended += 1
            self._finished.append(table.match.record())
        for event in events:
            self.listen(table, event)


class Endpoint(Protocol):
    """Answers for the games behind an HTTP address: a `Broker`, or one side's `Relay`."""

    def get(self, name: str) -> Response: ...

    def post(self, name: str, body: bytes) -> Response: ...


def success(data: bytes | None) -> bytes:
    """Return a successful answer around data that is JSON already."""
    return b'{"success":true,"data":' + (data or b"null").strip() + b"}"


def respond(endpoint: Endpoint, request: HttpRequest) -> Response:
    """Answer an HTTP request from the games of an endpoint."""
    if request.method == "OPTIONS":
        return Response(204)
    found = _PATH.fullmatch(request.path)
    if found is None:
        return failure(404, "there is nothing at this path; a game is at /game/ID")
    match request.method:
        case "GET":
            return endpoint.get(found[1])
        case "POST":
            return endpoint.post(found[1], request.body)
    refusal = failure(405, f"{request.method[:20]} is not done here: GET reads the last move, POST plays one")
    return refusal._replace(headers=(("Allow", "GET, POST, OPTIONS"),))


def _line(text: str) -> str:
    """Return a text in the form that a header can hold."""
    return " ".join(text.split())


async def serve_broker(
    broker: Broker,
    *,
    port: int,
    host: str = "127.0.0.1",
    stop: asyncio.Event,
    ready: Callable[[str], None] = lambda url: None,
    linger: float = LINGER_SECONDS,
    limits: ConnectionLimits = USUAL,
) -> None:
    """Serve until all games are over or `stop` is set; games that still run are then ended as stopped.

    `ready` gets the address under which the games are: `http://127.0.0.1:8001/game`.
    """
    loop = asyncio.get_running_loop()
    async with serving(
        lambda request: respond(broker, request), host, port, headers=CORS, limits=limits
    ) as at:
        ready(f"http://{f'[{at[0]}]' if ':' in at[0] else at[0]}:{at[1]}/game")
        over: float | None = None
        while not stop.is_set() and (over is None or loop.time() < over + linger):
            try:
                async with asyncio.timeout(TICK):
                    await stop.wait()
            except TimeoutError:
                await catch_up(ROUNDS)
                broker.expire()
            if over is None and broker.finished:
                over = loop.time()
        broker.stop("the broker was stopped")
