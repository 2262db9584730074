"""`noctagon ladder`: all our players against each other, and the page about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def ladder(
    game: Annotated[
        list[str] | None, typer.Option("--game", help="Only this game; may be repeated.", show_default=False)
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The page.")] = Path("docs/ladder.md"),
    store: Annotated[str, typer.Option(metavar="FILE|URL", help="Where the games are kept.")] = "ladder.db",
    report: Annotated[
        bool, typer.Option("--report", help="Play nothing: write the page from the games there are.")
    ] = False,
) -> None:
    """Play the standing ladder of all our players on all bundled maps, and write it down.

    It takes hours. Every finished game is kept at once; Ctrl-C and the same command again go on where it was.
    """
    from noctagon.arena.ladder import ladder_page, ladder_plan
    from noctagon.arena.ledger import Ledger
    from noctagon.arena.store.store import Store
    from noctagon.cli.tournament import play_tournament
    from noctagon.core.registry import game_names

    plans = [ladder_plan(name) for name in game or game_names()]
    try:
        if not report:
            for plan in plans:
                play_tournament(plan, store, accept=True)
    finally:
        with Store.open(store, create=False) as opened:
            ledgers = [Ledger(plan, opened.finished(plan.name)) for plan in plans]
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(ladder_page(ledgers, "noctagon ladder"), encoding="utf-8")
        print(out)
