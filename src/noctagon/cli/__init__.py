"""The command line: one file per command, thin. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import contextlib
import os
import sys
from errno import ENOSPC
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from noctagon.cli.commands import Commands
from noctagon.core.game import NoctagonError

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
            sys.stdout.flush()  # while an error can still be reported
    except NoctagonError as error:
        print(f"noctagon: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            _leave_quietly()
        print(f"noctagon: {_describe_error(error)}", file=sys.stderr)
        sys.exit(1)


def _open_streams() -> None:
    """Open closed streams (`>&-`) on nothing, so that no command has to ask and no file takes their number."""
    for number, (name, mode) in enumerate({"stdin": "r", "stdout": "w", "stderr": "w"}.items()):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - as long as we run
            if nowhere.fileno() == number:
                os.set_inheritable(number, True)
            setattr(sys, name, nowhere)


def _describe_error(error: OSError) -> str:
    """Return an error in words; a failing output, which has no name, is recognised by failing again."""
    try:
        sys.stdout.flush()
    except OSError as again:
        _throw_away_output()
        return f"the output cannot be written: {again.strerror or again}"
    if error.filename is None and error.errno == ENOSPC:  # an output without a buffer has forgotten
        return f"the output, or a file that was being written: {error.strerror}"
    return str(error)


def _leave_quietly() -> NoReturn:
    """Exit after the reader, say `head`, has closed the pipe."""
    _throw_away_output()
    sys.exit(141)


def _throw_away_output() -> None:
    """Replace an output that cannot be written, so that it does not fail again when it is closed."""
    with contextlib.suppress(OSError):
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - until the end
