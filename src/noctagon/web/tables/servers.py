"""The TCP servers that the page has opened, and those that were opened in the same terminal."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
import traceback
from collections import deque
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

import msgspec

from noctagon.core.events import Ended, Event, Played, Skipped
from noctagon.core.game import Game, NoctagonError
from noctagon.core.match import Match
from noctagon.core.registry import find_game
from noctagon.core.wire import ServerTable, Watcher
from noctagon.processes.worker_pool import Busy
from noctagon.web.messages.servers import ChairView, ServedGame, ServerView, TcpTableState, TcpTableView
from noctagon.web.questions import check_player
from noctagon.web.tables.frames import battles_of, result_view
from noctagon.web.tables.registry import Tables, Unknown
from noctagon.web.tables.seats import HUMAN
from noctagon.web.tables.table import Table
from noctagon.wire.server import AbsentSeat, ServerOptions, TableServer, TcpTable, cheating
from noctagon.wire.tcp import RemoteSeat, TcpWire

P = ParamSpec("P")

TRACE_LINES = 2000
"""Number of the newest lines of a trace that are kept."""
LONGEST_LINE = 240
MOST_RESULTS = 200
FIRST_RESULTS = 20
"""Number of results per server in a list of servers."""


class ServedTable(Table):
    """A game between programs on the network: the page shows it and cannot stop it."""

    def __init__(self, match: Match, **options: Any) -> None:
        super().__init__(match, (AbsentSeat(), AbsentSeat()), origin="server", **options)
        self._ask()

    def hear(self, event: Event) -> None:
        self._listen(event)
        if isinstance(event, Ended):
            self.over = True
            self._ended(self)
        elif self.match.result is None:
            self._ask()

    def _ask(self) -> None:
        """Note that the side to move has just been asked."""
        self.waiting = self.match.state.side
        self._asked_at = time.monotonic()
        self._state_changed()

    def _check_goes_on(self) -> None:
        raise NoctagonError("this game is played over the network: it goes on by itself")

    async def stop(self, detail: str) -> None:
        """Do nothing: the server ends the game."""


def _guarded(
    method: Callable[Concatenate[ShownServer, P], None],
) -> Callable[Concatenate[ShownServer, P], None]:
    """Keep what goes wrong on the page's side from the game."""

    @wraps(method)
    def guarded(shown: ShownServer, /, *arguments: P.args, **options: P.kwargs) -> None:
        try:
            method(shown, *arguments, **options)
        except Exception:
            traceback.print_exc()

    return guarded


class ShownServer(Watcher):
    """Follows a server; `shown` is called with a table for every game.

    A fault on the page's side does not reach the games.
    """

    def __init__(
        self,
        server: TableServer,
        *,
        terminal: bool,
        shown: Callable[[ServedTable], None],
        table_options: dict[str, Any],
    ) -> None:
        self.id = secrets.token_urlsafe(6)
        self.server = server
        self.listens = asyncio.Event()
        self.terminal = terminal
        """True if it was opened in a terminal, and is closed there."""
        self.over = ""
        self.lines = 0
        self.played = 0
        self._trace: deque[str] = deque(maxlen=TRACE_LINES)
        self._results: deque[ServedGame] = deque(maxlen=MOST_RESULTS)
        self._tables: dict[int, ServedTable] = {}
        self._orders: dict[int, tuple[int, int]] = {}
        """The chairs of a table as they move in its newest game, also when that is over."""
        self._shown = shown
        self._table_options = table_options
        self._opened = time.monotonic()
        server.watchers.append(self)

    # What the server reports.

    def listening(self, where: str) -> None:
        self.listens.set()

    @_guarded
    def began(self, table: ServerTable, match: Match) -> None:
        assert isinstance(table, TcpTable)
        shown = ServedTable(match, **self._table_options)
        self._tables[table.number] = shown
        self._orders[table.number] = (0, 1) if table.side_of(0) == 0 else (1, 0)
        self.logged(f"{table.title}: {' against '.join(match.players)}")
        self._shown(shown)

    @_guarded
    def happened(self, table: ServerTable, event: Event) -> None:
        assert isinstance(table, TcpTable)
        self.logged(f"{table.title}: {_describe(event, self.server.game)}")
        self._tables[table.number].hear(event)

    @_guarded
    def finished(self, table: ServerTable, match: Match) -> None:
        assert isinstance(table, TcpTable)
        assert match.result is not None
        self.played += 1
        signs = [(match.players[side], cheating(match, side)) for side in (0, 1)]
        self._results.appendleft(
            ServedGame(
                table=table.number + 1,
                game=table.game_number,
                id=self._tables[table.number].id,
                players=match.players,
                plies=len(match.turns),
                result=result_view(match.result, match.initial.sides),
                remark="; ".join(f"{name} looks like cheating: {sign}" for name, sign in signs if sign),
            )
        )

    @_guarded
    def logged(self, line: str) -> None:
        shown = line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…"
        self._trace.append(f"{time.monotonic() - self._opened:9.3f} {shown}")
        self.lines += 1

    # The messages to the page.

    def view(self, after: int | None = None) -> ServerView:
        """Return the server. With `after` it has the lines of its trace after the first `after`, if still kept."""
        options = self.server.options
        new = 0 if after is None else min(len(self._trace), max(0, self.lines - after))
        return ServerView(
            id=self.id,
            host=options.host,
            port=self.server.port,
            map=options.map or next(iter(self.server.game.setups())),
            rules=options.rules.name,
            time=options.time,
            duration=options.duration,
            games=options.games,
            reconnect=options.reconnect,
            lenient=options.lenient,
            opponent=options.opponent,
            terminal=self.terminal,
            over=self.over,
            arriving=self.server.arriving,
            played=self.played,
            tables=[self._table(table) for table in self.server.tables],
            results=list(self._results)[: FIRST_RESULTS if after is None else None],
            lines=self.lines,
            trace=list(self._trace)[len(self._trace) - new :] if new else [],
        )

    def _table(self, table: TcpTable) -> TcpTableView:
        match = table.match
        shown = self._tables.get(table.number)
        state: TcpTableState
        if table.playing:
            state = "playing"
        elif self.over or table.games >= self.server.options.games:
            state = "finished"
        else:
            state = "waiting"
        return TcpTableView(
            number=table.number + 1,
            state=state,
            chairs=[self._chair(table, chair) for chair in self._orders.get(table.number, (0, 1))],
            game=min(table.games + 1, self.server.options.games),
            games=self.server.options.games,
            table=shown.id if shown else None,
            ply=len(match.turns) if match else 0,
            score=match.state.score() if match else (0, 0),
        )

    def _chair(self, table: TcpTable, chair: int) -> ChairView:
        seat, name = table.seats[chair], table.names[chair]
        if isinstance(seat, RemoteSeat):
            return ChairView(name, seat.address, seat.gone is None)
        waits = (
            seat is None and table.seats[1 - chair] is None and chair == 1
        )  # for the player of the other one
        if waits and self.server.options.opponent:
            return ChairView(self.server.options.opponent, "", True)
        return ChairView(name, "", seat is not None)


def check_opponent(game: str, spec: str) -> str:
    """Return the spec of one of the package's players, for the other chair; runs in a worker process."""
    checked = check_player(find_game(game), spec)
    if checked == HUMAN:
        raise NoctagonError("a person cannot sit at a server's table; start a game on the first page")
    return checked


def _describe(event: Event, game: Game[Any]) -> str:
    match event:
        case Played(side, before, action, _, _, after, turn):
            battles = [f"{one.text}: {one.odds:.0%}, {one.detail}" for one in battles_of(event)]
            line = f"{after.ply}. {before.sides[side]} {game.format_action(action)} ({turn.seconds:.2f} s)"
            return "; ".join([line, *battles])
        case Skipped(side, _, after, turn):
            return f"{after.ply}. {after.sides[side]}: turn lost, {turn.skipped}"
        case Ended(state, result):
            return result.describe(state.sides)
        case _:
            return "turns were taken back"


DRAWN = "drawn"
"""Name in records of a map that was drawn."""
MOST_OPEN = 8
MOST_TABLES = 64
"""Maximum number of tables of all open servers together."""
MOST_HOUSE = 8
"""Maximum number of tables with one of the package's players: each takes a process of a few hundred MB."""
MOST_OVER = 8
"""Number of closed servers whose results are kept."""


class Servers:
    """Opens servers, shows their games, closes them."""

    def __init__(self, tables: Tables) -> None:
        self.registry = tables
        self._servers: dict[str, ShownServer] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def listed(self) -> list[ShownServer]:
        """Return all servers, the newest first, those that are open before the others."""
        newest = list(reversed(self._servers.values()))
        return [one for over in (False, True) for one in newest if bool(one.over) is over]

    def find(self, id: str) -> ShownServer:  # noqa: A002 - what it is called everywhere
        if id not in self._servers:
            raise Unknown("there is no such server here, or it was cleared away")
        return self._servers[id]

    def adopt(self, server: TableServer, *, terminal: bool = True) -> ShownServer:
        """Show a server that runs elsewhere, as in the terminal."""
        shown = ShownServer(
            server,
            terminal=terminal,
            shown=self.registry.add,
            table_options={
                "backlog": self.registry.limits.backlog,
                "watched": self.registry.watch,
                "ended": self.registry.ended,
            },
        )
        self._servers[shown.id] = shown
        return shown

    async def open(self, wire: TcpWire, options: ServerOptions, *, position: str = "") -> ShownServer:
        """Open a server, on a drawn map with its `position`. Return when it listens; raise what prevents it."""
        here = [one for one in self._servers.values() if not one.over]
        if len(here) >= MOST_OPEN:
            raise Busy(f"{len(here)} servers are open already; close one of them first")
        tables = sum(one.server.options.tables for one in here)
        if tables + options.tables > MOST_TABLES:
            raise Busy(f"the open servers have {tables} tables already, and {MOST_TABLES} is the most")
        house = sum(one.server.options.tables for one in here if one.server.options.opponent)
        if options.opponent and house + options.tables > MOST_HOUSE:
            raise Busy(f"our players sit at {house} tables already, and {MOST_HOUSE} is the most")
        server = TableServer(wire, options)
        if position:
            server.initial = wire.game.parse_position(position, options.rules)
            server.options = msgspec.structs.replace(options, map=DRAWN)
        shown = self.adopt(server, terminal=False)
        task = asyncio.create_task(self._run(shown), name=f"server {shown.id}")
        self._tasks[shown.id] = task
        waiting = asyncio.ensure_future(shown.listens.wait())
        await asyncio.wait([task, waiting], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if not shown.listens.is_set():
            del self._servers[shown.id]
            raise NoctagonError(shown.over)
        return shown

    async def close_one(self, id: str) -> None:  # noqa: A002
        """Close a server; its games end as they stand. A server that is closed already is removed from the list."""
        shown = self.find(id)
        if shown.terminal and not shown.over:
            raise NoctagonError("this server was opened in a terminal: Ctrl-C there closes it")
        if shown.over:
            del self._servers[id]
            return
        task = self._tasks[id]
        task.cancel()
        await asyncio.wait([task])

    async def close(self) -> None:
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, shown: ShownServer) -> None:
        over = "all games have been played"
        try:
            await shown.server.run()
        except asyncio.CancelledError:
            over = "closed"
        except NoctagonError as error:
            over = str(error)
        except Exception as error:
            traceback.print_exc()
            over = f"it broke down: {type(error).__name__}"
        finally:
            shown.over = over
            self._tasks.pop(shown.id, None)
            for old in [one.id for one in self._servers.values() if one.over][:-MOST_OVER]:
                with contextlib.suppress(KeyError):
                    del self._servers[old]
