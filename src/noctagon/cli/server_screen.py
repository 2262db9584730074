"""Output of `noctagon serve`: the live view of the tables, lines a game or a turn, records, the trace."""

from __future__ import annotations

import asyncio
import datetime
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

from rich.console import Console
from rich.live import Live
from rich.table import Table as Grid
from rich.text import Text

from noctagon.arena.bout import finished_game
from noctagon.cli.recording import Recorder
from noctagon.cli.summary import json_line
from noctagon.cli.watch import describe
from noctagon.core.events import Event
from noctagon.core.game import NoctagonError
from noctagon.core.match import Match
from noctagon.core.text import describe_plies, plain
from noctagon.core.wire import Server, ServerTable, Watcher, Wire
from noctagon.wire.server import TableServer

SHOWN = 20
"""Maximum number of tables in the live view."""


class ServerScreen(Watcher):
    """Runs a server, says what happens on it and keeps its games and its trace.

    The `recorder` has to be open while the server runs.
    """

    def __init__(self, wire: Wire, settings: Mapping[str, Any], *, json: bool) -> None:
        self.wire = wire
        self.game = wire.game
        self.settings = dict(settings)
        record, store = self.settings.pop("record", None), self.settings.pop("store", None)
        self.recorder = Recorder(record, store, folders=True)
        self.json = json
        self.restart = bool(settings.get("restart"))
        self.played = 0
        self.started = time.monotonic()
        self.console = Console(stderr=json, highlight=False)
        self.server = self._make_server()
        self.trace: IO[str] | None = None
        try:
            if settings.get("trace"):
                name = datetime.datetime.now().strftime("trace_%Y-%m-%d-%H-%M-%S.txt")
                self.trace = Path(name).open("w", encoding="utf-8")  # noqa: SIM115 - closed when serving ends
        except OSError as error:
            raise NoctagonError(f"{error.filename}: {error.strerror}") from error

    def _make_server(self) -> Server:
        """Make the server, or the next one, which throws other dice than the one before."""
        settings = dict(self.settings)
        if "seed" in settings:
            settings["seed"] += self.played
        server = self.wire.server(settings)
        server.watchers.append(self)
        return server

    async def serve(self, show: Callable[[TableServer], Callable[[str], None]] | None = None) -> None:
        """Serve all games; with `restart`, again and again. `show` shows a server on the page."""
        try:
            while True:
                over = None
                if show is not None and isinstance(self.server, TableServer):
                    over = show(self.server)
                if isinstance(self.server, TableServer) and self.console.is_terminal and not self.json:
                    with Live(
                        console=self.console, get_renderable=self.view, refresh_per_second=4, transient=True
                    ):
                        await self.server.run()
                else:
                    await self.server.run()
                if over is not None:
                    over("all games have been played")
                if not self.restart:
                    return
                self.server = self._make_server()
        finally:
            if self.trace is not None:
                self.trace.close()

    async def serve_with_page(self, port: int) -> None:
        """Serve, and show the tables on the page, which stays until Ctrl-C: the last game may still be looked at."""
        from noctagon.cli.web import page_beside

        async with page_beside(port) as show:
            await self.serve(show)
            print("noctagon: all games have been played; the page stays until Ctrl-C", file=sys.stderr)
            await asyncio.Event().wait()

    # What the server reports.

    def listening(self, where: str) -> None:
        print(f"noctagon: {where}; Ctrl-C stops", file=sys.stderr, flush=True)

    def happened(self, table: ServerTable, event: Event) -> None:
        if self.trace is not None:
            self.logged(f"{table.title} {describe(event, self.game)}")
        if self.server.turn_by_turn and not self.json:
            print(f"{table.title}: {describe(event, self.game)}", flush=True)

    def finished(self, table: ServerTable, match: Match) -> None:
        """Say how a game ended, and keep it."""
        assert match.result is not None
        self.played += 1
        if self.recorder.keeps:
            self.recorder.keep(finished_game(match.record(), match.states), table.game_name)
        if self.json:
            print(json_line(match), flush=True)
        elif not self.server.turn_by_turn:
            names = " against ".join(plain(name) for name in match.players)
            line = f"{table.title}, game {table.game_number}: {names}: "
            line += plain(match.result.describe(match.initial.sides))
            self.console.print(f"{line} ({describe_plies(len(match.turns))})", markup=False, soft_wrap=True)

    def remarked(self, text: str) -> None:
        print(f"noctagon: {text}", file=sys.stderr)

    def logged(self, line: str) -> None:
        if self.trace is not None and not self.trace.closed:
            self.trace.write(f"{time.monotonic() - self.started:10.3f} {line}\n")
            self.trace.flush()

    def view(self) -> Grid:
        """Return the tables as they are now."""
        assert isinstance(self.server, TableServer)
        games, tables = self.server.options.games, self.server.tables
        first_side, second_side = self.game.sides
        grid = Grid(box=None, header_style="bold", padding=(0, 2, 0, 0))
        for title in ("Table", "Game", first_side, "", second_side, "", "Ply", ""):
            grid.add_column(title, justify="right" if title in ("Table", "Game", "", "Ply") else "left")
        for table in tables[:SHOWN]:
            match = table.match
            if match is None or (match.result is not None and table.games == games):
                waiting = " and ".join(plain(name) for name in table.names if name)
                done = "finished" if match is not None else "waiting for players"
                grid.add_row(str(table.number + 1), "", Text(waiting), "", "", "", "", done)
                continue
            first, second = match.state.score()
            grid.add_row(
                str(table.number + 1),
                f"{min(table.games + 1, games)}/{games}",
                Text(plain(match.players[0])),
                f"{first:g}",
                Text(plain(match.players[1])),
                f"{second:g}",
                str(match.state.ply),
                match.state.sides[match.state.side] if match.result is None else "over",
            )
        if len(tables) > SHOWN:
            grid.add_row("…", "", f"{len(tables)} tables in all", "", "", "", "", "")
        return grid
