"""`noctagon study`: play the games that settle the claims of a file, and write the report; where `ladder` moved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from noctagon.studies.study import Study
    from noctagon.studies.work import ResultsFile

MOVED = ("vampires", "wargame", "champions")
"""Studies of the project's own documents, which were commands of the package once."""
GAMES = typer.Option(help="Games for each pairing, in pairs.", show_default=False)
QUICK = typer.Option("--quick", help="Play very few short games into files of their own, for a first look.")
JOBS = typer.Option(help="Number of processes.")
ONLY = typer.Option(metavar="SECTION", help="Play for this section only.", show_default=False)
REPORT = typer.Option("--report", help="Play nothing: write the report from the kept games.")
FRESH = typer.Option("--fresh", help="Throw the kept games away first.")


def study(
    file: Annotated[
        Path | None, typer.Argument(help="The claims, as a TOML file.", show_default=False, metavar="FILE")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where the report and the kept games go; by default FILE-study.",
            show_default=False,
        ),
    ] = None,
    games: Annotated[int | None, GAMES] = None,
    quick: Annotated[bool, QUICK] = False,
    jobs: Annotated[int, JOBS] = 2,
    only: Annotated[str, ONLY] = "",
    report: Annotated[bool, REPORT] = False,
    fresh: Annotated[bool, FRESH] = False,
    example: Annotated[bool, typer.Option("--example", help="Print a file to begin with.")] = False,
) -> None:
    """Play the games that settle the claims of a file, and write a report with tables, plots and verdicts.

    Every finished game is kept at once: after Ctrl-C the same command continues.
    """
    from noctagon.core.game import NoctagonError
    from noctagon.studies.file import EXAMPLE, read_study

    if example:
        print(EXAMPLE, end="")
        return
    if file is None:
        raise NoctagonError(
            "say which file states the claims; noctagon study --example > claims.toml is a beginning"
        )
    if str(file) in MOVED and not file.exists():
        raise NoctagonError(
            f"the study of {file} has moved: in a checkout of the repository run `python -m lab study {file}`"
        )
    check_options(games=games, jobs=jobs, only=only, report=report, fresh=fresh)
    found = read_study(file, games=games, quick=quick)
    found.chosen(only)
    folder = out or Path(f"{file.stem}-study")
    store = open_store(found, folder / f"{found.name}.jsonl", report=report, fresh=fresh)
    if not report:
        play(found, store, only, jobs)
    words = " ".join(
        [
            "noctagon study",
            file.name,
            *(["--quick"] if quick else []),
            *([f"--games {games}"] if games else []),
        ]
    )
    for path in found.write(store, folder, written_by=f"`{words}`")[:2]:
        print(path)


def check_options(*, games: int | None, jobs: int, only: str, report: bool, fresh: bool) -> None:
    """Raise `NoctagonError` for options that make no sense, alone or together."""
    from noctagon.core.game import NoctagonError

    if games is not None and games < 2:
        raise NoctagonError(f"--games {games}: a pair of games is the least that is played")
    if not 1 <= jobs <= 256:
        raise NoctagonError(f"--jobs {jobs}: 1 to 256 processes play")
    if report and fresh:
        raise NoctagonError("--report writes from the games that --fresh throws away: take one of them")
    if fresh and only:
        raise NoctagonError("--fresh throws the games of all sections away: leave out --only")


def open_store(found: Study, data: Path, *, report: bool, fresh: bool) -> ResultsFile:
    """Open the file of kept games; a report needs some."""
    from noctagon.core.game import NoctagonError
    from noctagon.studies.work import ResultsFile

    if fresh:
        data.unlink(missing_ok=True)
    store = ResultsFile(data, found.name, found.work)
    if report and not store.results:
        raise NoctagonError(f"{data}: no games are kept to write from; without --report they are played")
    return store


def play(found: Study, store: ResultsFile, only: str, jobs: int) -> None:
    """Do what is left to do, under a progress bar on a terminal."""
    import signal
    import sys

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from noctagon.core.registry import find_game
    from noctagon.studies.work import do_all

    for game in found.about_games:
        find_game(game).load()  # once, so that no two processes compile
    found.check_maps()
    tasks = found.tasks(only)
    schedule = found.schedule(store)
    done = sum(task in store.results for task in tasks)
    console = Console(stderr=True)
    if edited := found.edited(tasks, store):
        console.print(
            f"{', '.join(edited)}: the program has changed; games of its earlier versions do not count"
        )
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
    )
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would ignore it
    try:
        with progress:
            bar = progress.add_task("playing", total=len(tasks), completed=done)
            do_all(
                tasks,
                store,
                jobs=jobs,
                games=found.about_games,
                done=lambda: progress.advance(bar),
                wanted=schedule.wants,
            )
    except KeyboardInterrupt:
        left = sum(task not in store.results and schedule.wants(task) for task in tasks)
        print(
            f"noctagon: interrupted; {len(tasks) - left} of {len(tasks)} are kept in {store.path}, "
            "and the same command continues from there",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None


def ladder() -> None:
    """Say where the ladder of all shipped players is played: `python -m lab ladder`, in a checkout."""
    from noctagon.core.game import NoctagonError

    raise NoctagonError("the ladder has moved: in a checkout of the repository run `python -m lab ladder`")
