"""The standing ladder: all shipped players on all bundled maps, as a page of the documentation."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from noctagon.arena.ledger import Ledger
from noctagon.arena.plan import Plan, PlayerPlan
from noctagon.arena.standings import Row, Standings
from noctagon.arena.statistics import signed
from noctagon.arena.store.store import Store
from noctagon.core.registry import find_game, game_names
from noctagon.players import player_names

SECONDS = 0.05
"""Time for a turn, in seconds."""
PLIES = 60
"""Length of a game with dice; a game without dice keeps its own limit, which decides who wins."""
ROUNDS = 5
"""Rounds of the Swiss tournament: players of about equal strength meet, and their games say most about the order."""
OPENINGS = 12
"""Openings of each pairing where there are no dice."""
LEFT_OUT = ("human",)

ABOUT = """\
All shipped players against each other, each with its usual options, as `noctagon players` lists them. A pairing plays
on every map, or from every opening, as both sides. It is a Swiss tournament: players with about equal points meet, so
not every two players meet.

`python -m lab ladder` plays the games that are missing and writes this page. Elo is Bradley–Terry with the advantage of
moving first; its error is the half width of a 95 % interval ([statistics.md](statistics.md)). A player that wins almost
all games is rated by few losses, so the errors at both ends are large."""


def ladder(
    game: Annotated[
        list[str] | None, typer.Option("--game", help="Only this game; may be repeated.", show_default=False)
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The page.")] = Path("docs/ladder.md"),
    store: Annotated[str, typer.Option(metavar="FILE|URL", help="Where the games are kept.")] = "ladder.db",
    report: Annotated[
        bool, typer.Option("--report", help="Play nothing: write the page from the stored games.")
    ] = False,
) -> None:
    """Play the standing ladder of all shipped players on all bundled maps, and write its page.

    It takes hours. Every finished game is kept at once: after Ctrl-C the same command continues.
    """
    from noctagon.cli.tournament import play_tournament

    plans = [ladder_plan(name) for name in game or game_names()]
    try:
        if not report:
            for plan in plans:
                play_tournament(plan, store, accept=True)
    finally:
        with Store.open(store, create=False) as opened:
            ledgers = [Ledger(plan, opened.finished(plan.name)) for plan in plans]
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(ladder_page(ledgers), encoding="utf-8")
        print(out)


def ladder_plan(name: str) -> Plan:
    """Return the plan of a game's ladder: all its players with their usual options, on all it has."""
    game = find_game(name)
    return Plan(
        name=f"ladder-{name}",
        game=name,
        format="swiss",
        rounds=ROUNDS,
        players=tuple(PlayerPlan(player) for player in player_names(game) if player not in LEFT_OUT),
        openings=0 if game.abilities.random else OPENINGS,
        plies=PLIES if game.abilities.random else None,
        time=SECONDS,
        disqualify=0,
        bonus=(),
    )


def ladder_page(ledgers: Sequence[Ledger]) -> str:
    """Return the page made from the games that have been played."""
    lines = ["# The ladder", "", ABOUT]
    for ledger in ledgers:
        lines += _section(ledger)
    return "\n".join(lines) + "\n"


def _section(ledger: Ledger) -> list[str]:
    game, plan = find_game(ledger.plan.game), ledger.plan
    standings = ledger.standings()
    dates = sorted(played.date[:10] for played in ledger.finished)
    where = f"{len(ledger.starts)} {'openings of 4 plies' if plan.openings else 'maps'}"
    played = (
        f"{len(ledger.games)} of {ledger.expected} games in {plan.rounds} rounds on {where}, {plan.time:g} s a turn, "
        f"{plan.plies or game.make_rules().plies} plies at most; "
        f"{_days(dates)}, noctagon {version('noctagon')}, Python {platform.python_version()}, "
        f"{platform.system()} {platform.machine()} with {os.cpu_count()} cores."
    )
    lines = ["", f"## {game.title}", "", played, ""]
    sides = [f"as {side}" for side in game.sides]
    columns = ["", "player", "Elo", "games", "points", *sides, "s/turn", "late"]
    lines += [_row(columns), _row(["--:", "---", *["--:"] * 7])]
    rows = sorted(
        standings.rows, key=lambda row: -row.elo
    )  # not by points: who was drawn well has more of them
    lines += [_row([str(place), *_cells(row, standings)]) for place, row in enumerate(rows, 1)]
    advantage = standings.ratings.side_advantage
    lines += ["", f"Moving first is worth {signed(advantage[0])} ± {advantage[1]:.0f} Elo.", ""]
    names = [row.name for row in rows]
    lines += ["Points in a hundred of the player in the row against the one in the column:", ""]
    lines += [
        _row(["", *(str(number) for number in range(1, len(names) + 1))]),
        _row(["---", *["--:"] * len(names)]),
    ]
    for number, name in enumerate(names, 1):
        lines.append(_row([f"{number} {name}", *(_against(standings, name, other) for other in names)]))
    return lines


def _cells(row: Row, standings: Standings) -> list[str]:
    sides = standings.by_side.get(row.name)
    shares = [f"{100 * side.mean:.0f} %" if side.pairs else "" for side in sides] if sides else ["", ""]
    return [
        f"`{row.name}`",
        f"{signed(row.elo)} ± {row.error:.0f}",
        str(row.games),
        f"{100 * (row.wins + row.draws / 2) / max(1, row.games):.1f} %",
        *shares,
        f"{row.seconds_per_turn:.3f}",
        str(row.late or ""),
    ]


def _against(standings: Standings, name: str, other: str) -> str:
    cell = standings.cells.get((name, other))
    return f"{100 * cell.points / cell.games:.0f}" if cell is not None and cell.games else ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _days(dates: Sequence[str]) -> str:
    if not dates:
        return "not begun"
    return dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
