"""A tournament on the terminal: the table so far, the running games, the time that is left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Sequence
from types import TracebackType
from typing import NamedTuple

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from noctagon.arena.bout import Bout, Finished
from noctagon.arena.faults import faults_by_player, how_often, kind_of, last_of
from noctagon.arena.ledger import Ledger
from noctagon.arena.run import Run
from noctagon.arena.standings import Row, Standings
from noctagon.arena.statistics import signed

REFRESH = 1.0
"""Minimum seconds between two updates of the table; a table that is slow to make is updated less often."""
MOST_ROWS = 30
WIDE = 1000
"""Width where the output is a file or a pipe, whose lines need no folding."""
LINES_EVERY = 10.0
"""Seconds between two lines where there is no terminal."""


def say(message: str) -> None:
    """Print a message beside the table."""
    print(f"noctagon: {message}", file=sys.stderr)


class TournamentScreen:
    """The display of a running tournament: a live table on a terminal, a line now and then elsewhere."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.console = Console(stderr=True)
        self.live: Live | None = None
        self.began = time.monotonic()
        self.before = len(run.games)
        """Number of games that had been played before, which say nothing about the speed."""
        self.since: dict[str, float] = {}
        self._standings: Standings | None = None
        self._next_table = 0.0
        self._next_line = 0.0

    def __enter__(self) -> TournamentScreen:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def preparing(self) -> None:
        say("compiling what the players need, once") if self.console.is_terminal else None

    def look(self, running: Collection[Bout], presses: int) -> None:
        """Show the running games; `presses` counts Ctrl-C."""
        now = time.monotonic()
        if not self.since and not self.live:
            self.began = now
        self.since = {bout.slot: self.since.get(bout.slot, now) for bout in running}
        if not self.console.is_terminal:
            if now >= self._next_line:
                self._next_line = now + LINES_EVERY
                say(self._pace(presses))
            return
        if self.live is None:
            self.live = Live(console=self.console, auto_refresh=False, transient=True)
            self.live.start()
        if now >= self._next_table:
            started = time.monotonic()
            self._standings = self.run.standings()
            self._next_table = now + max(REFRESH, 20 * (time.monotonic() - started))
        self.live.update(self._picture(running, presses, now), refresh=True)

    def stop(self) -> None:
        """Remove the live table."""
        if self.live is not None:
            self.live.stop()
            self.live = None

    def _picture(self, running: Collection[Bout], presses: int, now: float) -> RenderableType:
        done, expected = len(self.run.games), max(1, self.run.expected)
        title = Text.assemble((self.run.plan.name, "bold"), f"  {about(self.run)}")
        bar = Table.grid(padding=(0, 2))
        bar.add_row(ProgressBar(total=expected, completed=done, width=40), self._pace(presses))
        playing = Table.grid(padding=(0, 2))
        for bout in running:
            first, second = (entrant.name for entrant in bout.entrants)
            seconds = now - self.since.get(bout.slot, now)
            playing.add_row(
                Text("▶", "green"), Text(f"{first} – {second}"), Text(bout.setup, "dim"), f"{seconds:.0f} s"
            )
        width = self.console.width
        table = standings_table(self._standings, width, most=MOST_ROWS) if self._standings else Text("")
        return Group(title, bar, Text(""), table, Text(""), playing)

    def _pace(self, presses: int) -> str:
        done, expected = len(self.run.games), self.run.expected
        here, seconds = done - self.before, time.monotonic() - self.began
        pace = f"{done} of {expected} games"
        if here >= 2 and seconds > 0:
            left = (expected - done) * seconds / here
            pace += f", {60 * here / seconds:.0f} a minute, {duration(left)} left"
        if presses:
            pace += "; finishing the running games (Ctrl-C again stops now)"
        return pace


def about(ledger: Ledger) -> str:
    """Describe what is played, in a few words."""
    plan = ledger.plan
    starts = len(ledger.starts)
    what = f"{starts} {'opening' if plan.openings else 'map'}{'s'[: starts != 1]}"
    return f"{plan.game}, {plan.format}, {len(ledger.names)} players, {what}"


def duration(seconds: float) -> str:
    """Format a number of seconds.

    >>> duration(42), duration(130), duration(7300)
    ('42 s', '2 min', '2 h 2 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def standings_table(standings: Standings, width: int, *, most: int | None = None) -> Table:
    """Make the ranking for a terminal; empty columns are left out, and on a narrow one the least important."""
    rows = standings.rows[:most]
    columns = [column for column in COLUMNS if column.always or any(column.cell(row) for row in rows)]
    names = max([len(row.name) for row in rows], default=0)
    for spared in SPARED:
        if _room(columns, rows, width) < min(names, NAME):
            columns = [column for column in columns if column.title not in spared]
    room = max(_room(columns, rows, width), LEAST)
    table = Table(box=None, header_style="bold", padding=(0, 1, 0, 0))
    places = ["out" if row.disqualified else str(row.place) if row.played else "" for row in rows]
    table.add_column(
        "", justify="right", style="dim", no_wrap=True, min_width=max(map(len, places), default=0)
    )
    table.add_column("Player", style="bold", overflow="ellipsis", no_wrap=True, max_width=room)
    for column in columns:
        table.add_column(column.title, justify="right", no_wrap=True)
    for place, row in zip(places, rows, strict=True):
        table.add_row(place, Text(row.name), *(column.cell(row) for column in columns), style=_style(row))
    if most is not None and len(standings.rows) > most:
        table.add_row("", Text(f"… and {len(standings.rows) - most} more", "dim"))
    return table


class TableColumn(NamedTuple):
    """A column of the ranking: its title, its cell for a player, and whether it stays where all cells are empty."""

    title: str
    cell: Callable[[Row], str]
    always: bool = True


COLUMNS = (
    TableColumn("Points", lambda row: f"{row.points:g}"),
    TableColumn("Byes", lambda row: f"{row.rested:g}" if row.rested else "", always=False),
    TableColumn("Games", lambda row: str(row.games)),
    TableColumn("+", lambda row: str(row.wins)),
    TableColumn("=", lambda row: str(row.draws)),
    TableColumn("-", lambda row: str(row.losses)),
    TableColumn("Elo", lambda row: f"{signed(row.elo)} ± {row.error:.0f}" if row.games else "", always=False),
    TableColumn("Bonus", lambda row: f"{row.bonus:g}" if row.bonus else "", always=False),
    TableColumn("s/turn", lambda row: f"{row.seconds_per_turn:.2f}" if row.games else "", always=False),
    TableColumn("Late", lambda row: str(row.late or ""), always=False),
    TableColumn("Illegal", lambda row: str(row.illegal or ""), always=False),
    TableColumn("Faults", lambda row: str(row.faults or ""), always=False),
)


SPARED = (
    *({title} for title in ("s/turn", "Bonus", "Games", "Byes", "Late", "Illegal", "Faults", "Elo")),
    {"+", "=", "-"},
)
"""Columns that are left out where there is no room, the first to go first."""
NAME = 16
"""Letters of a player's name for which columns are left out."""
LEAST = 4
"""Letters of a player's name that are shown in any case."""


def _room(columns: list[TableColumn], rows: Sequence[Row], width: int) -> int:
    """Return how many letters of a line are left for a player's name beside its place and these columns."""
    widest = (max([len(column.title), *(len(column.cell(row)) for row in rows)]) for column in columns)
    return width - len("out ") - 1 - sum(cells + 1 for cells in widest)


def _style(row: Row) -> str:
    return "dim" if row.disqualified else "bright_yellow" if row.place == 1 and row.played else ""


def final_table(ledger: Ledger, show: Callable[[Finished], str], *, rules: bool = False) -> None:
    """Print the table and the players that failed, with what `show` says of the last game; with `rules` the rules."""
    console = Console(width=None if sys.stdout.isatty() else WIDE)
    standings = ledger.standings()
    done, expected = len(ledger.games), ledger.expected
    console.print(Text.assemble((ledger.plan.name, "bold"), f"  {about(ledger)}, {done} of {expected} games"))
    console.print()
    console.print(standings_table(standings, console.width))
    failed, fatal = faults_by_player(ledger.finished), ledger.fatal_rows()
    for row in standings.rows:
        if row.name in failed:
            last = fatal.get(row.name, failed[row.name])[-1]
            often = f"{how_often(map(kind_of, failed[row.name]))}, the last time {last_of(last)}"
            what = f"is out: {row.disqualified}" if row.disqualified else often
            console.print(Text(f"{row.name} {what}{show(last)}", "yellow"), soft_wrap=True)
    if rules:
        console.print()
        for sentence in standings.rules:
            console.print(Text(sentence, "dim"))
