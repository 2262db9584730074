"""`noctagon tournament`: run tournaments, show their tables, write their reports."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noctagon.cli.commands import Group
from noctagon.cli.recording import RECORD, Recorder

if TYPE_CHECKING:
    from noctagon.arena.ledger import Ledger
    from noctagon.arena.plan import Plan
    from noctagon.arena.store.store import Store, StoredPlan

SEVERAL = ("--players", "--maps")
"""Options that take all values up to the next option."""


class TournamentGroup(Group):
    """The commands of `noctagon tournament`; anything else is what `run` is to play."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            near = get_close_matches(args[0], self.commands, n=2, cutoff=0.5)
            if near and not Path(args[0]).suffix and not Path(args[0]).exists():
                ctx.fail(f"there is no command and no file {args[0]!r}; did you mean {' or '.join(near)}?")
            args = ["run", *args]
        return super().parse_args(ctx, one_each(args))


def one_each(args: list[str]) -> list[str]:
    """Give each value of an option with several an option of its own.

    >>> one_each(["--players", "a", "b", "--time", "1"])
    ['--players', 'a', '--players', 'b', '--time', '1']
    """
    separate: list[str] = []
    option = ""
    for word in args:
        if word.startswith("--"):
            option = word if word in SEVERAL else ""
            separate += [] if option else [word]
        elif option:
            separate += [option, word]
        else:
            separate.append(word)
    return separate


app = typer.Typer(
    cls=TournamentGroup,
    help=(
        "Run a tournament from a file or from flags, resume it, show its table, write its report.\n\n"
        "noctagon tournament FILE.toml, or --players A B … --maps all, is short for noctagon tournament run, whose "
        "--help has all options."
    ),
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

STORE = typer.Option(
    "--store",
    metavar="FILE|URL",
    help="Where games are kept: an SQLite file, or postgresql://…; by default noctagon.db in this folder.",
    show_default=False,
)
NAME = typer.Argument(
    metavar="[NAME]", help="Which tournament of the store; by default the last.", show_default=False
)


@app.command("run")
def run(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE.toml]", help="The tournament's file (docs/tournaments.md).", show_default=False
        ),
    ] = None,
    players: Annotated[
        list[str] | None,
        typer.Option(
            "--players", metavar="A B …", help="Who plays: specs as for noctagon play.", show_default=False
        ),
    ] = None,
    game: Annotated[
        str | None, typer.Option(help="Which game; by default vampires.", show_default=False)
    ] = None,
    maps: Annotated[
        list[str] | None,
        typer.Option(
            "--maps", metavar="A B …", help="Maps, also as A,B,…; or all (the default).", show_default=False
        ),
    ] = None,
    format: Annotated[  # noqa: A002 - the option's name
        str | None,
        typer.Option(
            help="round-robin (the default), gauntlet (the first against the others), swiss, knockout, or one that "
            "is installed: noctagon tournament formats.",
            show_default=False,
        ),
    ] = None,
    openings: Annotated[
        int | None,
        typer.Option(
            help="Number of random openings from each map, instead of the map itself.", show_default=False
        ),
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(help="How often each pairing meets; rounds of a Swiss.", show_default=False)
    ] = None,
    time: Annotated[float | None, typer.Option(help="Seconds for a turn.", show_default=False)] = None,
    plies: Annotated[
        int | None, typer.Option(help="Maximum number of turns in a game.", show_default=False)
    ] = None,
    rules: Annotated[
        str | None, typer.Option(metavar="NAME", help="The rule set.", show_default=False)
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="The same seed, the same dice; by default 1.", show_default=False)
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="What it is called in the store.", show_default=False)
    ] = None,
    concurrency: Annotated[
        int | None,
        typer.Option(help="Number of games at once; by default as the cores allow.", show_default=False),
    ] = None,
    record: Annotated[str | None, RECORD] = None,
    store: Annotated[str | None, STORE] = None,
    cluster: Annotated[
        str,
        typer.Option(
            metavar="tcp://HOST:PORT", help="Play on a Dask cluster (docs/cluster.md).", show_default=False
        ),
    ] = "",
    accept_changes: Annotated[
        bool,
        typer.Option("--accept-changes", help="Play games again whose players or conditions have changed."),
    ] = False,
) -> None:
    """Play a tournament, or go on with it: noctagon tournament FILE.toml, or --players a b c --maps all.

    Options override the file. Every game is kept as soon as it ends: Ctrl-C finishes the running games and stops,
    pressed again it stops at once, and the same command goes on later.
    """
    import msgspec

    from noctagon.arena.plan import make_plan, read_file, split_maps
    from noctagon.core.game import NoctagonError

    if file is None and not players:
        raise NoctagonError(
            "name a FILE.toml, or players: noctagon tournament --players greedy random --maps duel"
        )
    if players and len(players) == 1 and "," in players[0]:
        raise NoctagonError(
            f"--players {players[0]} is one player: between players there are blanks, as in --players greedy random"
        )
    options = {
        "name": name,
        "game": game,
        "format": format,
        "players": players,
        "maps": [name for words in maps for name in split_maps(words)] if maps else None,
        "openings": openings,
        "rounds": rounds,
        "time": time,
        "plies": plies,
        "rules": rules,
        "seed": seed,
        "concurrency": concurrency,
    }
    given = {option: value for option, value in options.items() if value is not None}
    plan = make_plan({**(read_file(file) if file else {}), **given}, str(file or "tournament"))
    if not plan.name:
        plan = msgspec.structs.replace(plan, name=_quick_name(plan))
    play_tournament(plan, store, cluster, record=record, accept=accept_changes)


def _quick_name(plan: Plan) -> str:
    """Return a name made from the plan, so that the same command resumes its tournament."""
    from zlib import crc32

    import msgspec

    return f"quick-{crc32(msgspec.json.encode(msgspec.structs.replace(plan, concurrency=0))):08x}"


def play_tournament(
    plan: Plan, where: str | None, cluster: str = "", *, record: str | None = None, accept: bool = False
) -> None:
    """Play a tournament on the terminal, or go on with it."""
    import shlex
    from contextlib import ExitStack

    from noctagon.arena.run import Run
    from noctagon.arena.running import running_folder
    from noctagon.arena.store.store import Store
    from noctagon.arena.tournament import Tournament
    from noctagon.cli.records import show_command
    from noctagon.cli.tournament_screen import TournamentScreen, final_table, say

    tournament = Tournament(plan)
    with ExitStack() as stack:
        recorder = stack.enter_context(Recorder(record))
        store = stack.enter_context(Store.open(where))
        stack.enter_context(store.playing(plan.name))
        playing = Run(tournament, store)
        for change in playing.resume(accept=accept):
            say(f"changed: {change}")
        if playing.games and not playing.is_over:
            say(f"{len(playing.games)} games have been played already; going on")
        screen = stack.enter_context(TournamentScreen(playing))
        try:
            if not playing.is_over:
                screen.preparing()
                tournament.prepare()
                if cluster:
                    from noctagon.arena.cluster import cluster_executor

                    workers = stack.enter_context(cluster_executor(cluster, [plan.game]))
                    playing.play(workers, slots=workers.slots, look=screen.look, keep=recorder.keep)
                else:
                    playing.play(shown_in=running_folder(where), look=screen.look, keep=recorder.keep)
        except KeyboardInterrupt:
            screen.stop()
            say(f"stopped: {len(playing.games)} games are kept; the same command goes on")
            raise typer.Exit(130) from None
        screen.stop()
        final_table(playing, lambda game: show_command(store, where, plan.name, game))
        at = f" --store {shlex.quote(store.name)}" if where else ""
        called = f"{'-- ' if plan.name.startswith('-') else ''}{shlex.quote(plan.name)}"
        say(f"the page for the class: noctagon tournament report{at} {called}")


@app.command("show")
def show(name: Annotated[str, NAME] = "", store: Annotated[str | None, STORE] = None) -> None:
    """Show the table of a tournament, also while it is played."""
    from noctagon.arena.store.store import Store
    from noctagon.cli.records import show_command
    from noctagon.cli.tournament_screen import final_table

    with Store.open(store, create=False) as opened:
        ledger = read_ledger(opened, name)
        final_table(ledger, lambda game: show_command(opened, store, ledger.plan.name, game), rules=True)


@app.command("list")
def list_all(store: Annotated[str | None, STORE] = None) -> None:
    """List the tournaments of a store."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from noctagon.arena.store.store import Store
    from noctagon.core.game import NoctagonError

    with Store.open(store, create=False) as opened:
        table = Table(
            "Tournament", "Game", "Format", "Players", "Games", "Begun", box=None, header_style="bold"
        )
        found = opened.plans()
        for stored in found:
            try:
                ledger = _ledger(opened, stored)
            except NoctagonError:
                table.add_row(Text(stored.name), stored.game, "cannot be read", "", "", stored.date[:10])
                continue
            played = f"{len(ledger.games)} of {ledger.expected}"
            table.add_row(
                Text(stored.name),
                stored.game,
                ledger.plan.format,
                str(len(ledger.names)),
                played,
                stored.date[:10],
            )
    if found:
        Console().print(table)
    else:
        print("No tournaments yet. To begin: noctagon tournament --players greedy random --maps duel")


@app.command("formats")
def formats() -> None:
    """List the tournament formats, with their options and defaults: --format NAME:option=value,…"""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from noctagon.arena.formats import find_format, format_names
    from noctagon.core.game import NoctagonError
    from noctagon.players.options import option_defaults

    table = Table("Format", "Who meets whom, and its options", box=None, header_style="bold")
    for name in format_names():
        try:
            kind = find_format(name)
        except NoctagonError as error:
            table.add_row(Text(name, "bold"), Text(str(error), "red"))
            continue
        about = Text(kind.about)
        for option, default in option_defaults(kind).items():
            about.append(f"\n{option}={default}", "dim")
        table.add_row(Text(name, "bold"), about)
    Console().print(table)


@app.command("report")
def report(
    name: Annotated[str, NAME] = "",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FOLDER", help="Where it goes; by default NAME-report.", show_default=False
        ),
    ] = None,
    store: Annotated[str | None, STORE] = None,
) -> None:
    """Write one HTML page that needs nothing else, and CSV files: ranking, crosstable, maps, the liveliest games."""
    from noctagon.arena.store.store import Store
    from noctagon.report import free_folder, write_report

    with Store.open(store, create=False) as opened:
        ledger = read_ledger(opened, name)
        plan = ledger.plan
        standings = ledger.standings()
        written = write_report(
            plan,
            standings,
            ledger.finished,
            lambda game: opened.record(plan.name, game.slot, game.key),
            out or free_folder(plan),
            expected=ledger.expected,
            diagram=ledger.diagram(),
        )
    for path in written:
        print(path)


def read_ledger(store: Store, name: str) -> Ledger:
    """Return the ledger of a tournament of the store, by name; of the last one without a name."""
    from noctagon.core.game import NoctagonError, UnknownName

    plans = {stored.name: stored for stored in store.plans()}
    if not plans:
        raise NoctagonError("there is no tournament in this store yet")
    if name and name not in plans:
        raise UnknownName("tournament", name, plans)
    return _ledger(store, plans[name] if name else list(plans.values())[-1])


def _ledger(store: Store, stored: StoredPlan) -> Ledger:
    from noctagon.arena.ledger import Ledger
    from noctagon.arena.plan import stored_plan

    return Ledger(stored_plan(stored.name, stored.plan), store.finished(stored.name))
