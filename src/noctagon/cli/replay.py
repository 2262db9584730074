"""`noctagon replay`: watch a recorded game again, on the terminal or as a page that is one file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from noctagon.core.record import Record
    from noctagon.web.messages.records import EvaluatedTurn


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A record, or several, one a line.")],
    game: Annotated[int, typer.Option(min=1, help="Which game of the file.")] = 1,
    ply: Annotated[
        int | None,
        typer.Option(min=0, help="Show only the position after this number of plies.", show_default=False),
    ] = None,
    delay: Annotated[float, typer.Option(min=0, help="Seconds between turns on a terminal.")] = 0.5,
    board: Annotated[bool, typer.Option("--board/--no-board", help="Draw the board.")] = True,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT",
            help="Write the replay as one HTML file that needs nothing else.",
            show_default=False,
        ),
    ] = None,
    evaluate: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="With --html: seconds for which the champion judges every position.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Play a record again, turn by turn, to its end; of a file that is cut off, the records that are whole.

    With --html it becomes one page that any browser opens without a server: board, turns, graphs; with
    --evaluate also who was ahead when, and which turns were mistakes.
    """
    from noctagon.core.game import NoctagonError
    from noctagon.core.record import read_records
    from noctagon.core.text import describe_games

    if evaluate is not None and html is None:
        raise NoctagonError("--evaluate goes with --html OUT: its graph is drawn on the page")
    if evaluate is not None and not 0 < evaluate <= 60:
        raise NoctagonError(f"--evaluate {evaluate:g}: a position takes more than 0 seconds, and at most 60")
    if html is not None and ply is not None:
        raise NoctagonError("--html shows the whole game; leave out --ply")
    if html is not None and html.is_file() and html.suffix.lower() not in (".html", ".htm"):
        raise NoctagonError(
            f"{html} exists already and does not end in .html: is it meant to be overwritten?"
        )
    reading = read_records(file)
    if reading.trouble:
        print(f"noctagon: {reading.trouble}", file=sys.stderr)
    if game > len(reading.records):
        raise NoctagonError(
            f"{file} holds {describe_games(len(reading.records))}, so there is no game {game}"
        )
    record = reading.records[game - 1]
    trouble = reading.trouble
    if html is not None:
        _write(record, html, evaluate)
    elif ply is not None:
        _show_position(record, ply)
    elif doubt := _show(record, delay, board=board):
        trouble = doubt
        print(f"noctagon: {doubt}", file=sys.stderr)
    if len(reading.records) > 1 and ply is None:
        print(f"game {game} of {len(reading.records)}; --game N shows another")
    if trouble:
        raise typer.Exit(1)


def _show_position(record: Record, ply: int) -> None:
    from noctagon.core.game import NoctagonError
    from noctagon.core.registry import find_game
    from noctagon.core.text import describe_plies

    found = find_game(record.game)
    found.load()
    states = list(record.states())
    if ply > len(states) - 1:
        raise NoctagonError(f"the game has {describe_plies(len(states) - 1)}, so there is no ply {ply}")
    print(states[ply])
    print(found.format_position(states[ply]))


def _show(record: Record, delay: float, *, board: bool) -> str:
    """Play a record on the screen; return how its end contradicts its turns, or an empty text."""
    import time

    from noctagon.cli.watch import choose_screen
    from noctagon.core.events import Ended
    from noctagon.core.registry import find_game

    found = find_game(record.game)
    found.load()
    first = last = record.first()
    events = list(
        record.events(first, found)
    )  # all of them, before the first is shown: the record may not hold
    kind = choose_screen(board=board)
    with kind(found, first, record.introduced, record.time.turn, board=board) as screen:
        for event in events:
            screen.listen(event)
            last = event.after
            if screen.live:
                time.sleep(delay)
        if record.result is not None:
            screen.listen(Ended(last, record.result))
    return record.contradiction(last)


def _write(record: Record, out: Path, seconds: float | None) -> None:
    """Write the replay as a page; report its size on stderr."""
    from noctagon.core.game import NoctagonError
    from noctagon.web.records.standalone import html

    if out.is_dir():
        raise NoctagonError(f"{out} is a folder; say which file is to be written, as in {out / 'game.html'}")
    if not out.parent.is_dir():
        raise NoctagonError(f"{out}: there is no folder {out.parent}")
    evaluation = [] if seconds is None else _judged(record, seconds)
    page = html(record, evaluation).encode()
    try:
        out.write_bytes(page)
    except OSError as error:
        raise NoctagonError(f"{out}: {error.strerror or error}") from error
    print(f"wrote {out}, {len(page) / 1000:.0f} kB: open it with any browser")


def _judged(record: Record, seconds: float) -> list[EvaluatedTurn]:
    """Return the champion's evaluation of every position; a bar shows the progress."""
    from rich.console import Console
    from rich.progress import track

    from noctagon.web.records.evaluating import evaluate

    errors = Console(stderr=True)
    return list(
        track(
            evaluate(record, seconds),
            "evaluating",
            total=len(record.turns) + 1,
            console=errors,
            disable=not errors.is_terminal,
            transient=True,
        )
    )
