"""The report of a tournament: a self-contained page, tables for a spreadsheet, and records of games."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from noctagon.arena.bout import Finished
from noctagon.arena.plan import Plan
from noctagon.core.game import NoctagonError
from noctagon.report.incidents import find_incidents, to_keep
from noctagon.report.page import entrants_of, make_page, mark_of
from noctagon.report.replays import Kept, ReadRecord, file_name, liveliest
from noctagon.report.sheets import crosstable_sheet, games_sheet, standings_sheet, write_sheet

if TYPE_CHECKING:
    from noctagon.arena.formats import Diagram
    from noctagon.arena.standings import Standings

__all__ = ["free_folder", "write_report"]

HEAD = 1 << 16
"""Bytes of a page that are enough to see which tournament it belongs to."""


def write_report(
    plan: Plan,
    standings: Standings,
    games: Sequence[Finished],
    read_record: ReadRecord,
    target: Path,
    *,
    expected: int | None = None,
    diagram: Diagram | None = None,
) -> list[Path]:
    """Write the report; return the paths of all files, the page first.

    `target` is a folder (the page is its `index.html`), or the page itself if it ends in `.html`: then the names of all
    files beside it begin with its name, so that several reports share a folder. `expected` is how many games there
    will be in all; where there are fewer yet, the page says so. `diagram` is the format's picture, such as a bracket.
    `read_record` gives the bytes of a game's record. A page that is not an earlier report of the same tournament is
    left as it is: `NoctagonError`.
    """
    if target.suffix.lower() in (".html", ".htm"):
        page, prefix = target, f"{target.stem}-"
    else:
        page, prefix = target / "index.html", ""
    if not _is_free(page, plan):
        other = re.search(r'<meta name="tournament" content="(.*?)">', _head(page))
        held = (
            f"the report of {unquote(other[1])!r}" if other else "not known to be a report of this tournament"
        )
        raise NoctagonError(f"{page} is {held}: name another folder with --out, or remove it")
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
            diagram=diagram,
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


def free_folder(plan: Plan) -> Path:
    """Return a folder for the report of a tournament: its name, with a number if another's report is there."""
    name = re.sub(r"[^\w.-]+", "-", plan.name).strip("-.") or "tournament"
    folder = Path(f"{name}-report")
    number = 1
    while not _is_free(folder / "index.html", plan):
        number += 1
        folder = Path(f"{name}-report-{number}")
    return folder


def _is_free(page: Path, plan: Plan) -> bool:
    """Return whether there is no page, or an earlier report of the same tournament."""
    return not page.is_file() or mark_of(plan) in _head(page)


def _head(page: Path) -> str:
    try:
        with page.open("rb") as file:
            return file.read(HEAD).decode("utf-8", "replace")
    except OSError as error:
        raise NoctagonError(f"{page}: {error.strerror or error}") from error


def _keep(games: Iterable[Finished], read_record: ReadRecord) -> list[Kept]:
    """Return the games that have a record, with it."""
    return [Kept(game, file_name(game), record) for game in games if (record := read_record(game))]


def _replace(path: Path, content: bytes) -> None:
    """Write a file; an old one stays until the new one is complete."""
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(content)
    part.replace(path)
