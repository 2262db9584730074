"""A TCP server as the page shows it: its clients, its games as tables, its packets and results."""

from __future__ import annotations

import asyncio
import secrets
import time
import traceback
from collections import deque
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from noctagon.core.events import Ended, Event, Played, Skipped
from noctagon.core.game import Game, NoctagonError
from noctagon.core.match import Match
from noctagon.core.registry import find_game
from noctagon.core.wire import ServerTable, Watcher
from noctagon.web.messages.servers import ChairView, ServedGame, ServerView, TcpTableState, TcpTableView
from noctagon.web.questions import check_player
from noctagon.web.tables.frames import battles_of, result_view
from noctagon.web.tables.seats import HUMAN
from noctagon.web.tables.table import Table
from noctagon.wire.server import AbsentSeat, TableServer, TcpTable, cheating
from noctagon.wire.tcp import RemoteSeat

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


def _guarded(method: Callable[Concatenate[Served, P], None]) -> Callable[Concatenate[Served, P], None]:
    """Keep what goes wrong on the page's side from the game."""

    @wraps(method)
    def guarded(served: Served, /, *arguments: P.args, **options: P.kwargs) -> None:
        try:
            method(served, *arguments, **options)
        except Exception:
            traceback.print_exc()

    return guarded


class Served(Watcher):
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
