"""What a served game leaves behind: the live view of the tables, JSON lines, records, the trace."""

from __future__ import annotations

import asyncio
import datetime
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import msgspec
from rich.console import Console
from rich.live import Live
from rich.table import Table as Grid
from rich.text import Text

from noctagon.cli.summary import json_line
from noctagon.cli.watch import describe
from noctagon.core.events import Event
from noctagon.core.game import NoctagonError
from noctagon.core.match import Match
from noctagon.core.text import describe_plies, plain
from noctagon.games.vampires import game
from noctagon.games.vampires.wire.configuration import check_numbers
from noctagon.games.vampires.wire.server import ServerOptions, Table, VampiresServer, cheating

SHOWN = 20
"""How many tables the live view lists."""


class Hall:
    """The server with all that is said and kept about its games."""

    def __init__(self, options: ServerOptions, given: dict[str, Any], *, json: bool) -> None:
        self.options = options
        self.json = json
        self.restart = bool(given.get("restart"))
        self.folder = Path(given["record"]) if given.get("record") else None
        self.played = 0
        self.started = time.monotonic()
        self.console = Console(stderr=json, highlight=False)
        self.rules = str(given.get("rules", "server"))
        self.trace: IO[str] | None = None
        self.server: VampiresServer
        self.shown: Callable[[VampiresServer], Callable[[str], None]] | None = None
        """Shows a server on the page, and takes word of why it is over."""
        try:
            if self.folder is not None:
                self.folder.mkdir(parents=True, exist_ok=True)
            if given.get("trace"):
                name = datetime.datetime.now().strftime("trace_%Y-%m-%d-%H-%M-%S.txt")
                self.trace = Path(name).open("w", encoding="utf-8")  # noqa: SIM115 - closed when serving ends
        except OSError as error:
            raise NoctagonError(f"{error.filename}: {error.strerror}") from error

    async def serve(self) -> None:
        """Serve all tables; with `restart`, again and again."""
        game.load()
        try:
            while True:
                self.server = VampiresServer(
                    msgspec.structs.replace(self.options, seed=self.options.seed + self.played),
                    happened=self.happened,
                    finished=self.finished,
                    log=self.write if self.trace else None,
                )
                self.server.started = self.say_where  # type: ignore[method-assign] # the hook
                told_over = self.shown(self.server) if self.shown else lambda why: None
                live = Live(
                    console=self.console, get_renderable=self.view, refresh_per_second=4, transient=True
                )
                if self.console.is_terminal and not self.json:
                    with live:
                        await self.server.run()
                else:
                    await self.server.run()
                told_over("all games have been played")
                if not self.restart:
                    return
        finally:
            if self.trace is not None:
                self.trace.close()

    async def serve_with_page(self, port: int) -> None:
        """The same, shown on the page, which stays until Ctrl-C: somebody may still look at the last game."""
        from noctagon.cli.page_beside import page_beside

        game.load()
        async with page_beside(port, self.rules) as shown:
            self.shown = shown
            await self.serve()
            print("noctagon: all games have been played; the page stays until Ctrl-C", file=sys.stderr)
            await asyncio.Event().wait()

    def say_where(self) -> None:
        where = f"{self.options.host}:{self.server.port}"
        reach = (
            "" if self.options.host in ("127.0.0.1", "localhost", "::1") else "; other machines can connect"
        )
        print(f"noctagon: listening on {where}{reach}; Ctrl-C stops", file=sys.stderr, flush=True)

    def happened(self, table: Table, event: Event) -> None:
        if self.trace is not None:
            self.write(f"table {table.number + 1} {describe(event, game)}")

    def finished(self, table: Table, match: Match) -> None:
        """A game is over: say so, keep its record."""
        assert match.result is not None
        self.played += 1
        if self.folder is not None:
            stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
            again = f"-{self.played}" if self.restart else ""
            path = self.folder / f"{stamp}-table{table.number + 1}-game{table.games + 1}{again}.json"
            path.write_bytes(match.record().to_json() + b"\n")
        if self.json:
            print(json_line(match), flush=True)
        else:
            names = " against ".join(plain(name) for name in match.players)
            line = f"table {table.number + 1}, game {table.games + 1}: {names}: "
            line += plain(match.result.describe(match.initial.sides))
            self.console.print(f"{line} ({describe_plies(len(match.turns))})", markup=False, soft_wrap=True)
        for side in (0, 1):
            if signs := cheating(match, side):
                print(f"noctagon: {plain(match.players[side])} looks like cheating: {signs}", file=sys.stderr)

    def write(self, line: str) -> None:
        if self.trace is not None and not self.trace.closed:
            self.trace.write(f"{time.monotonic() - self.started:10.3f} {line}\n")
            self.trace.flush()

    def view(self) -> Grid:
        """The tables as they are now."""
        grid = Grid(box=None, header_style="bold", padding=(0, 2, 0, 0))
        for title in ("Table", "Game", "Vampires", "", "Werewolves", "", "Ply", ""):
            grid.add_column(title, justify="right" if title in ("Table", "Game", "", "Ply") else "left")
        for table in self.server.tables[:SHOWN]:
            match = table.match
            if match is None or (match.result is not None and table.games == self.options.games):
                waiting = " and ".join(plain(name) for name in table.names if name)
                done = "finished" if match is not None else "waiting for players"
                grid.add_row(str(table.number + 1), "", Text(waiting), "", "", "", "", done)
                continue
            first, second = match.state.score()
            grid.add_row(
                str(table.number + 1),
                f"{min(table.games + 1, self.options.games)}/{self.options.games}",
                Text(plain(match.players[0])),
                f"{first:g}",
                Text(plain(match.players[1])),
                f"{second:g}",
                str(match.state.ply),
                match.state.sides[match.state.side] if match.result is None else "over",
            )
        if len(self.server.tables) > SHOWN:
            grid.add_row("…", "", f"{len(self.server.tables)} tables in all", "", "", "", "", "")
        return grid


BROKER_SETTINGS = {"host", "port", "rules", "plies", "time", "games", "tables", "record"}


async def serve_wargame(given: dict[str, Any], *, json: bool) -> int:
    """The wargame's broker, until its games are played or Ctrl-C; how many were."""
    from noctagon.core.events import Ended
    from noctagon.games.wargame import game as wargame
    from noctagon.games.wargame.rules.state import WargameRules
    from noctagon.games.wargame.wire.broker import PORT, Broker, Refused, serve_broker
    from noctagon.games.wargame.wire.broker import Table as BrokerTable

    for name in given:
        if name not in BROKER_SETTINGS:
            raise NoctagonError(
                f"the wargame's broker has no setting {name!r}; it has {', '.join(sorted(BROKER_SETTINGS))}"
            )
    check_numbers(given)
    rules = wargame.make_rules(given.get("rules"), plies=given.get("plies"))
    assert isinstance(rules, WargameRules)
    folder = Path(given["record"]) if given.get("record") else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    played = 0

    def listen(table: BrokerTable, event: Event | Refused) -> None:
        nonlocal played
        if isinstance(event, Refused):
            print(
                f"noctagon: game {table.name}: refused {plain(event.sent)}: {event.reason}", file=sys.stderr
            )
        elif isinstance(event, Ended):
            played += 1
            match = table.match
            if folder is not None:
                stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
                path = folder / f"{stamp}-{table.name}-{table.number}.json"
                path.write_bytes(match.record().to_json() + b"\n")
            print(json_line(match) if json else f"game {table.name}: {describe(event, wargame)}", flush=True)
        elif not json:
            print(f"game {table.name}: {describe(event, wargame)}", flush=True)

    wargame.load()
    tables = given.get("tables", 1)
    broker = Broker(
        [str(number) for number in range(1, tables + 1)],
        rules=rules,
        turn_seconds=given.get("time"),
        games=tables * given.get("games", 1),
        listen=listen,
    )

    def ready(url: str) -> None:
        games = "game 1" if tables == 1 else f"games 1 to {tables}"
        print(f"noctagon: {games} at {url}/ID; Ctrl-C stops", file=sys.stderr, flush=True)

    host, port = given.get("host", "127.0.0.1"), given.get("port", PORT)
    try:
        await serve_broker(broker, host, port, stop=asyncio.Event(), ready=ready)
    finally:
        broker.stop("the broker was stopped")
    return played
