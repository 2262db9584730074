"""Reports to test with, and a reader that looks at a page tag by tag."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec

from noctagon.arena.bout import Finished
from noctagon.arena.plan import Plan, PlayerPlan
from noctagon.arena.standings import Standings
from noctagon.report import write_report
from tests.arena.games import a_game, standings_of

SPECS = ("greedy", "greedy")
VOID = {"meta", "input", "br", "img", "link", "hr"}


class Page(HTMLParser):
    """A page read tag by tag: every element is closed by its own end tag; its texts, links, scripts and tables."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.scripts: list[tuple[str, str]] = []
        self.rows: list[list[str]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert "svg" in self.open  # HTML knows no such thing
        self.attributes.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["script"]:
            self.scripts.append((self.attributes[-1][1].get("type", ""), data))
            return
        self.texts.append(data)
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def row(self, name: str) -> list[str]:
        """The first row that is about somebody."""
        return next(row for row in self.rows if any(cell.startswith(name) for cell in row[:2]))

    def all(self, attribute: str) -> list[str]:
        return [given[attribute] for _, given in self.attributes if attribute in given]


def a_tournament(names: Sequence[str], maps: Sequence[str] = ("duel", "trap")) -> list[Finished]:
    """Everybody against everybody: whoever comes first in the list wins, except as the second side on `trap`."""
    games = []
    for one, other in combinations(names, 2):
        for setup in maps:
            games.append(a_game(players=(one, other), setup=setup, winner=0, specs=SPECS))
            again = 0 if setup == "trap" else 1
            games.append(a_game(players=(other, one), setup=setup, winner=again, specs=SPECS))
    return games


def ranked(names: Sequence[str], games: Sequence[Finished], **options: object) -> tuple[Plan, Standings]:
    players = tuple(PlayerPlan(spec="greedy", name=name) for name in names)
    plan = msgspec.convert({"name": "cup", "time": 0.5, **options}, Plan)
    plan = msgspec.structs.replace(plan, players=players)
    return plan, standings_of(plan, names, games)


def report(
    folder: Path,
    names: Sequence[str],
    games: Sequence[Finished],
    *,
    expected: int | None = None,
    **options: object,
) -> Page:
    plan, standings = ranked(names, games, **options)
    page, *_ = write_report(plan, standings, games, lambda game: game.record, folder, expected=expected)
    return Page(page.read_text("utf-8"))


def sheet(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def films(page: Page) -> list[Any]:
    return [json.loads(text) for kind, text in page.scripts if kind]
