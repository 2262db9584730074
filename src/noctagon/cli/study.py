"""`noctagon study`: play the games behind a claim, and write the page about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from noctagon.studies.study import Plan, Study
    from noctagon.studies.work import Store


def study(
    game: Annotated[str, typer.Argument(help="Which study: vampires, wargame or champions.")],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where the page, its pictures and the data go; by default docs/studies, or docs for the champions.",
            show_default=False,
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            help="So many games for every claim, in pairs; by default about 200.", show_default=False
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Very few short games, to see how it works; pages of their own.")
    ] = False,
    jobs: Annotated[int, typer.Option(help="So many processes.")] = 2,
    only: Annotated[
        str, typer.Option(metavar="SECTION", help="Play for this section only.", show_default=False)
    ] = "",
    report: Annotated[
        bool, typer.Option("--report", help="Play nothing: write the page from the data there are.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Throw the data away first.")] = False,
) -> None:
    """Play the games that settle what the documents claim, and write a page with tables and plots.

    Every finished game is kept at once, in GAME.jsonl beside the page: Ctrl-C loses nothing, and the same
    command goes on where it stopped.
    """
    from noctagon.core.game import NoctagonError
    from noctagon.studies.plots import check_matplotlib
    from noctagon.studies.studies import find_study
    from noctagon.studies.study import QUICK
    from noctagon.studies.work import Store

    found = find_study(game)
    games = found.games if games is None else games
    out = Path(found.folder) if out is None else out
    if games < 2:
        raise NoctagonError(f"--games {games}: a pair of games is the least that is played")
    if not 1 <= jobs <= 256:
        raise NoctagonError(f"--jobs {jobs}: 1 to 256 processes play")
    if report and fresh:
        raise NoctagonError("--report writes from the data that --fresh throws away: take one of them")
    if fresh and only:
        raise NoctagonError("--fresh throws the data of all sections away: leave out --only")
    found.chosen(only)
    if not report:
        check_matplotlib()
    if quick:
        games = 2
        found = found._replace(name=f"{found.name}{QUICK}")
    plan = found.plan(games, quick=quick)
    data = out / f"{found.name}.jsonl"
    if fresh:
        data.unlink(missing_ok=True)
    store = Store(data, found.name)
    if report and not store.results:
        raise NoctagonError(f"{data}: there are no data to write from; without --report they are gathered")
    if not report:
        _play(found, plan, store, only, jobs)
    print(found.write(plan, store, out))


def _play(found: Study, plan: Plan, store: Store, only: str, jobs: int) -> None:
    """Do what is left to do, under a progress bar on a terminal."""
    import signal
    import sys

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from noctagon.core.registry import find_game
    from noctagon.studies.work import do_all

    for game in found.about_games:
        find_game(game).load()  # once, so that no two processes compile
    tasks = found.tasks(plan, only)
    schedule = found.schedule(plan, store)
    done = sum(task in store.results for task in tasks)
    console = Console(stderr=True)
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
            "and the same command goes on from there",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None
