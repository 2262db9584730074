"""`noctagon check-bot`: checks that a bot, in any language, speaks the protocol and keeps the rules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from noctagon.core.wire import CheckResult, Consequence

CONSEQUENCES: dict[Consequence, str] = {
    "loses": "Loses games on the course's server",
    "elsewhere": "Loses games only on some other servers, maps or networks",
    "unclean": "Only unclean, no server minds",
}
"""The consequences of faults, the worst first."""
MARKS = {"passed": ("✓", "green"), "failed": ("✗", "red"), "skipped": ("–", "dim")}


def check_bot(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="COMMAND", help="What starts the bot; host and port are put behind it."),
    ] = None,
    time: Annotated[
        float,
        typer.Option(
            help="Seconds for a turn. The check called time holds the bot to it; "
            "the others wait twice as long and a second more."
        ),
    ] = 2.0,
    turns: Annotated[int, typer.Option(min=1, help="The bot's turns in a game, at most.")] = 20,
    only: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this check; may be repeated.")
    ] = None,
    show_list: Annotated[bool, typer.Option("--list", help="List the checks.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout, nothing else.")] = False,
    game: Annotated[str, typer.Option(metavar="NAME", help="The game that the bot plays.")] = "vampires",
) -> None:
    """Check a bot of Vampires vs Werewolves: noctagon check-bot python3 bot.py."""
    import asyncio
    import signal
    import sys

    from noctagon.core.game import NoctagonError
    from noctagon.core.registry import find_game

    wire = find_game(game).wire()
    checker = wire.checker() if wire is not None else None
    if checker is None:
        raise NoctagonError(f"there are no checks for bots of {game}")
    chosen = checker.choose(only or ())
    if show_list:
        for check in chosen:
            typer.echo(f"{check.name:<17} {check.about}")
        return
    if not command:
        raise NoctagonError("say what starts the bot, for example: noctagon check-bot python3 bot.py")
    if not 0 < time < 3600:
        raise NoctagonError(f"--time {time:g}: a turn takes more than 0 seconds, and less than an hour")
    words = _words(command, game)
    console = _console()

    def tell(verdict: CheckResult) -> None:
        if not json:
            _tell(console, verdict)

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would ignore it
    checking = checker.run(words, only=only or (), seconds=time, turns=turns, listen=tell)
    try:
        verdicts = asyncio.run(checking)
    except KeyboardInterrupt:
        print("noctagon: interrupted", file=sys.stderr)
        raise typer.Exit(130) from None
    if json:
        typer.echo(_json(words, verdicts))
    else:
        console.print()
        for line in _summary(verdicts):
            _print(console, line)
    if any(verdict.outcome != "passed" for verdict in verdicts):
        raise typer.Exit(1)


def _words(command: list[str], game: str) -> list[str]:
    """Return the command's words, also where it came as one; refuse a command that does not exist."""
    import re
    import shlex
    import shutil

    from noctagon.core.game import NoctagonError

    if len(command) == 1 and not Path(command[0]).exists():
        try:
            command = shlex.split(command[0])
        except ValueError as error:
            raise NoctagonError(f"{command[0]}: {error}") from None
    if not command or shutil.which(command[0]) is None:
        name = command[0] if command else ""
        if re.fullmatch(r".+\.py:\w+(:.*)?", name):
            raise NoctagonError(
                f"{name!r} is a class, and check-bot is for programs that connect to a server; "
                f"try a class with: noctagon play {game} {name} random"
            )
        reason = "it may not be run" if Path(name).is_file() else "there is no such command"
        raise NoctagonError(f"{name!r}: {reason}")
    return command


def _tell(console: Console, verdict: CheckResult) -> None:
    """Print one check in a line; a failed one with all that is known about it."""
    mark, style = MARKS[verdict.outcome]
    rest = verdict.note or (verdict.problem if verdict.outcome == "skipped" else "")
    _print(console, f"{mark} {verdict.check:<17} {verdict.about}{f' ({rest})' if rest else ''}", style)
    if verdict.outcome != "failed":
        return
    _print(console, f"    {verdict.problem}", "bold")
    _print(console, f"    {CONSEQUENCES[verdict.consequence].lower()}")
    for number, part in enumerate(verdict.told):
        _print(console, f"    {'  then' if number else 'it got'}   {part.text}")
        _print(console, f"             {part.hex}", "dim")
    if verdict.said is not None:
        _print(console, f"    it said  {verdict.said.text}")
        _print(console, f"             {verdict.said.hex}", "dim")
    for hint in verdict.hints:
        _print(console, f"    hint     {hint}", "yellow")
    if verdict.log:
        _print(console, "    it printed")
        for line in verdict.log.splitlines()[-12:]:
            _print(console, f"             {line}", "dim")


def _summary(verdicts: list[CheckResult]) -> list[str]:
    """Say how many checks passed, what the others lead to, and what to mend first."""
    counts = {kind: sum(verdict.outcome == kind for verdict in verdicts) for kind in MARKS}
    if counts["passed"] == len(verdicts):
        return [f"All {len(verdicts)} checks passed." if len(verdicts) > 1 else "The check passed."]
    left_out = f", {counts['skipped']} left out" if counts["skipped"] else ""
    lines = [f"{counts['passed']} of {len(verdicts)} checks passed, {counts['failed']} failed{left_out}."]
    failed = [verdict for verdict in verdicts if verdict.outcome == "failed"]
    for consequence, says in CONSEQUENCES.items():
        if names := [verdict.check for verdict in failed if verdict.consequence == consequence]:
            lines.append(f"{says}: {', '.join(names)}.")
    first = _first(failed)
    lines.append(f"First: {first.check}: {next(iter(first.hints), first.problem)}.")
    return lines


def _first(failed: list[CheckResult]) -> CheckResult:
    """Return the fault to mend first: the first of those with the worst consequence."""
    order = list(CONSEQUENCES)
    return min(failed, key=lambda verdict: order.index(verdict.consequence))


def _json(words: list[str], verdicts: list[CheckResult]) -> str:
    import msgspec

    failed = [verdict for verdict in verdicts if verdict.outcome == "failed"]
    passed = all(verdict.outcome == "passed" for verdict in verdicts)
    first = _first(failed).check if failed else None
    told = {"command": words, "passed": passed, "first": first, "checks": verdicts}
    return msgspec.json.encode(told).decode()


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False)


def _print(console: Console, text: str, style: str | None = None) -> None:
    """Print a line as it is, without anything from the bot that could move the cursor."""
    from noctagon.core.text import plain

    console.print(plain(text), style=style, markup=False, soft_wrap=True)
