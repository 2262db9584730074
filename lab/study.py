"""`python -m lab study`: the studies of the documents' claims, with their data and pages in the repository."""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import Annotated

import typer

from lab.studies import ALL_KINDS, NAMES
from noctagon.cli.study import FRESH, GAMES, JOBS, ONLY, QUICK, REPORT, check_options, open_store, play
from noctagon.core.game import UnknownName
from noctagon.studies.file import read_study

LAB = Path(__file__).parent
DATA = LAB / "data"
DOCS = LAB.parent / "docs"
FOLDERS = {"champions": DOCS}
"""Folders of the pages that are not in docs/studies."""


def study(
    name: Annotated[str, typer.Argument(help="Which study: vampires, wargame or champions.")],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where the page, its pictures and the data go; by default docs, and lab/data for the data.",
            show_default=False,
        ),
    ] = None,
    games: Annotated[int | None, GAMES] = None,
    quick: Annotated[bool, QUICK] = False,
    jobs: Annotated[int, JOBS] = 2,
    only: Annotated[str, ONLY] = "",
    report: Annotated[bool, REPORT] = False,
    fresh: Annotated[bool, FRESH] = False,
    pack: Annotated[
        bool, typer.Option("--pack", help="Compress the data at the end, as they are committed.")
    ] = False,
) -> None:
    """Play the games that settle what the documents claim, and write the page with tables and plots.

    Every finished game is kept at once: after Ctrl-C the same command continues.
    """
    if name not in NAMES:
        raise UnknownName("study", name, NAMES)
    check_options(games=games, jobs=jobs, only=only, report=report, fresh=fresh)
    found = read_study(LAB / "studies" / f"{name}.toml", games=games, quick=quick, kinds=ALL_KINDS)
    found.chosen(only)
    data = (out or DATA) / f"{found.name}.jsonl"
    if not data.exists() and not fresh:
        unpack(data)
    store = open_store(found, data, report=report, fresh=fresh)
    if not report:
        play(found, store, only, jobs)
    words = [
        f"python -m lab study {name}",
        *(["--quick"] if quick else []),
        *([f"--games {games}"] if games else []),
    ]
    folder = out or FOLDERS.get(name, DOCS / "studies")
    print(found.write(store, folder, written_by=f"`{' '.join(words)}`", page=out is not None)[0])
    if pack:
        data.with_suffix(".jsonl.xz").write_bytes(
            lzma.compress(data.read_bytes(), preset=9 | lzma.PRESET_EXTREME)
        )


def unpack(data: Path) -> None:
    """Write a study's data from the compressed file in the repository, if there is one."""
    packed = DATA / f"{data.name}.xz"
    if packed.exists():
        data.parent.mkdir(parents=True, exist_ok=True)
        data.write_bytes(lzma.decompress(packed.read_bytes()))
