"""The command line: one file per command, thin. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import contextlib
import os
import sys
from difflib import get_close_matches
from errno import ENOSPC
from inspect import cleandoc, getdoc
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand

from noctagon.cli import (
    analyse,
    bench,
    check_bot,
    explain,
    games,
    join,
    ladder,
    maps,
    match,
    perft,
    play,
    players,
    prove,
    records,
    replay,
    serve,
    sprt,
    study,
    tournament,
    wargame,
    web,
)
from noctagon.cli.helping import Command, Group
from noctagon.core.game import NoctagonError


class Commands(Group):
    """The commands in the order they are told here; a mistyped one gets the near ones."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            near = get_close_matches(args[0], self.list_commands(ctx), n=2, cutoff=0.5)
            hint = f"; did you mean {' or '.join(near)}?" if near else "; see noctagon --help"
            ctx.fail(f"there is no command {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=Commands,
    name="noctagon",
    help="A ring for game-playing AIs: Vampires vs Werewolves, AI Wargame, and yours.",
    epilog="Begin with: noctagon play",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
PLAYING, COMPETING = "Play and watch", "Compete and measure"
BOTS, INSIGHT = "Bots over a wire", "Understand"

app.command("play", rich_help_panel=PLAYING)(play.play)
app.command("web", rich_help_panel=PLAYING)(web.web)
app.command("replay", rich_help_panel=PLAYING)(replay.replay)
app.command("wargame", rich_help_panel=PLAYING)(wargame.wargame)
app.command("games", rich_help_panel=PLAYING)(games.games)
app.command("players", rich_help_panel=PLAYING)(players.players)
app.add_typer(maps.app, name="maps", rich_help_panel=PLAYING)
app.add_typer(tournament.app, name="tournament", rich_help_panel=COMPETING)
app.command("match", cls=match.Measured, rich_help_panel=COMPETING)(match.match)
app.command("sprt", rich_help_panel=COMPETING)(sprt.sprt)
app.add_typer(records.app, name="records", rich_help_panel=COMPETING)
app.command("ladder", context_settings=ladder.SETTINGS, hidden=True)(ladder.ladder)
app.command("serve", rich_help_panel=BOTS)(serve.serve)
app.command("join", rich_help_panel=BOTS)(join.join)
app.command("check-bot", context_settings=check_bot.SETTINGS, rich_help_panel=BOTS)(check_bot.check_bot)
app.command("explain", rich_help_panel=INSIGHT)(explain.explain)
app.command("analyse", rich_help_panel=INSIGHT)(analyse.analyse)
app.command("prove", rich_help_panel=INSIGHT)(prove.prove)
app.command("study", rich_help_panel=INSIGHT)(study.study)
app.command("perft", rich_help_panel=INSIGHT)(perft.perft)
app.command("bench", rich_help_panel=INSIGHT)(bench.bench)


def _tidy_help(app: typer.Typer) -> None:
    """Let each paragraph of a command's help break where the terminal does, not its docstring; flags show no type."""
    for command in app.registered_commands:
        command.cls = Command if command.cls in (None, TyperCommand) else command.cls
        paragraphs = cleandoc(command.help or getdoc(command.callback) or "").split("\n\n")
        command.help = "\n\n".join(text.replace("\n", " ") for text in paragraphs)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            _tidy_help(group.typer_instance)


_tidy_help(app)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"noctagon {version('noctagon')}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run a command. A user's mistake is one line on the error stream and exit code 2, never a traceback."""
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr] # a replaced stream may lack it
    try:
        try:
            app()
        finally:
            sys.stdout.flush()  # while what goes wrong can still be told
    except NoctagonError as error:
        print(f"noctagon: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            _leave_quietly()
        print(f"noctagon: {_told(error)}", file=sys.stderr)
        sys.exit(1)


def _open_streams() -> None:
    """What is closed (`>&-`) leads nowhere, so that no command has to ask, and no file takes its number."""
    for number, (name, mode) in enumerate({"stdin": "r", "stdout": "w", "stderr": "w"}.items()):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - as long as we run
            if nowhere.fileno() == number:
                os.set_inheritable(number, True)
            setattr(sys, name, nowhere)


def _told(error: OSError) -> str:
    """An error in words; of the output, which has no name, it is found out by the output failing again."""
    try:
        sys.stdout.flush()
    except OSError as again:
        _throw_away_output()
        return f"the output cannot be written: {again.strerror or again}"
    if error.filename is None and error.errno == ENOSPC:  # an output without a buffer has forgotten
        return f"the output, or a file that was being written: {error.strerror}"
    return str(error)


def _leave_quietly() -> NoReturn:
    """The reader, say `head`, has seen enough."""
    _throw_away_output()
    sys.exit(141)


def _throw_away_output() -> None:
    """Let what cannot be written not fail once more when it is closed at the end."""
    with contextlib.suppress(OSError):
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - until the end
