"""The commands of the lab: `python -m lab`, from a checkout of the repository."""

from __future__ import annotations

import sys

import typer

from lab.endings import endings
from lab.ladder import ladder
from lab.mutants import mutants
from lab.replay_check import replay_check
from lab.study import study
from noctagon.core.game import NoctagonError

app = typer.Typer(
    name="lab",
    help="Measurements behind the documentation, for those who develop Noctagon.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


app.command("study")(study)
app.command("ladder")(ladder)
app.command("replay-check")(replay_check)
app.command("endings")(endings)
app.command("mutants")(mutants)


def main() -> None:
    """Run a command; a mistake is one line on the error stream and exit code 2."""
    try:
        app()
    except NoctagonError as error:
        print(f"lab: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
