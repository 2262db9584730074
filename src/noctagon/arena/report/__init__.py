"""The report of a tournament: one page that needs nothing but itself, tables for a spreadsheet, games to replay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from noctagon.arena.bout import Finished
from noctagon.arena.plan import Plan
from noctagon.arena.report.incidents import find_incidents, to_keep
from noctagon.arena.report.page import entrants_of, make_page
from noctagon.arena.report.replays import Kept, ReadRecord, file_name, liveliest
from noctagon.arena.report.sheets import crosstable_sheet, games_sheet, standings_sheet, write_sheet
from noctagon.game import NoctagonError

if TYPE_CHECKING:
    from noctagon.arena.schedule import Tie
    from noctagon.arena.standings import Standings

__all__ = ["write_report"]


def write_report(
    plan: Plan,
    standings: Standings,
    games: Sequence[Finished],
    read_record: ReadRecord,
    target: Path,
    *,
    expected: int | None = None,
    rounds: Sequence[Sequence[Tie]] = (),
) -> list[Path]:
    """Write the report; the paths of all that was written, the page first.

    `target` is a folder (the page is its `index.html`), or the page itself if it ends in `.html`: then the names of all
    files beside it begin with its name, so that several reports share a folder. `expected` is how many games there
    will be in all; where there are fewer yet, the page says so. `rounds` are those of a knockout, for its bracket.
    `read_record` gives the bytes of a game's record.
    """
    if target.suffix.lower() in (".html", ".htm"):
        page, prefix = target, f"{target.stem}-"
    else:
        page, prefix = target / "index.html", ""
    records = page.parent / f"{prefix}games"
    sheets = {name: f"{prefix}{name}.csv" for name in ("standings", "crosstable", "games")}
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        found = find_incidents(games)
        lively = _keep(liveliest(standings.counted), read_record)
        failed = _keep(to_keep(found), read_record)
        text = make_page(
            plan,
            standings,
            games,
            lively,
            found=found,
            failed=failed,
            sheets=sheets,
            folder=records.name,
            expected=expected,
            rounds=rounds,
        )
        _replace(page, text.encode("utf-8", "replace"))
        written = [
            page,
            write_sheet(
                page.with_name(sheets["standings"]),
                standings_sheet(standings, entrants_of(plan, standings, games)),
            ),
            write_sheet(page.with_name(sheets["crosstable"]), crosstable_sheet(standings)),
            write_sheet(page.with_name(sheets["games"]), games_sheet(games, standings.counted)),
        ]
        for kept in {one.file: one for one in (*lively, *failed)}.values():
            records.mkdir(exist_ok=True)
            _replace(records / kept.file, kept.record.rstrip() + b"\n")
            written.append(records / kept.file)
    except OSError as error:
        raise NoctagonError(f"{error.filename or target}: {error.strerror or error}") from error
    return written


def _keep(games: Iterable[Finished], read_record: ReadRecord) -> list[Kept]:
    """Games with their records, where they have one."""
    return [Kept(game, file_name(game), record) for game in games if (record := read_record(game))]


def _replace(path: Path, content: bytes) -> None:
    """Write a file; the old one is there until the new one is whole."""
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(content)
    part.replace(path)
