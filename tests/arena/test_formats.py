"""A tournament format of another package: played, resumed, shown and reported without a change to noctagon."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from noctagon.arena import formats
from noctagon.arena.plan import make_plan
from noctagon.arena.store.store import Store
from noctagon.cli import app
from noctagon.cli.tournament import read_ledger
from noctagon.core.game import NoctagonError
from noctagon.web import standing
from tests.arena.pages import Page

EXAMPLE = Path(__file__).parents[2] / "examples" / "king_of_the_hill"
RUN = [
    *("--players", "random", "greedy", "merge:depth=1", "--maps", "duel", "--plies", "12", "--time", "2"),
    *("--format", "king-of-the-hill", "--name", "hill"),
]


def noctagon(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["tournament", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def install(folder: Path, entry_points: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a package's entry points known, as its installation would."""
    metadata = folder / "hill-1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: hill\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(f"[noctagon.formats]\n{entry_points}\n")
    monkeypatch.syspath_prepend(str(folder))
    formats._installed.cache_clear()


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(EXAMPLE))
    install(tmp_path / "site", "king-of-the-hill = king_of_the_hill:KingOfTheHill", monkeypatch)
    yield tmp_path
    formats._installed.cache_clear()


def test_a_format_from_another_package(installed: Path) -> None:
    shown = noctagon("run", *RUN)
    assert "king-of-the-hill, 3 players, 1 map, 4 of 4 games" in shown
    with Store.open("noctagon.db", create=False) as store:
        ledger = read_ledger(store, "hill")
        assert ledger.is_over
        assert [row.tie_breaks[0] for row in ledger.standings().rows] == [2, 1, 0]
        best = ledger.standings().rows[0].name
    assert noctagon("run", *RUN) == shown  # resumed: nothing is left to play
    assert "The order is by the last challenge" in noctagon("show", "hill")
    assert "king-of-the-hill" in noctagon("list")

    noctagon("report", "hill")
    page = Page((installed / "hill-report" / "index.html").read_text("utf-8"))
    assert "3 players in a king of the hill (2 rounds) of Vampires vs Werewolves" in page.text
    assert "The hill From left to right the challenges" in page.text
    assert "Challenge 1 random 0 greedy 2" in page.text
    assert {"Last as king", "Points"} < {cell for row in page.rows for cell in row}
    assert "#hill" in page.all("href")

    told = standing.tournament("noctagon.db", "hill", "")
    assert told is not None
    assert told.body is not None
    assert best.encode() in told.body
    assert b"king-of-the-hill" in told.body
    standing._stores.pop("noctagon.db").close()


def test_formats_are_listed_with_their_options(installed: Path) -> None:
    listed = " ".join(noctagon("formats").split())
    for words in (
        "round-robin Every player meets every other",
        "swiss",
        "gauntlet",
        "replays=2",
        "needed=0.5",
    ):
        assert words in listed


def test_options_of_a_format(installed: Path) -> None:
    plan = make_plan({"format": "king-of-the-hill:needed=0.75"}, "test")
    made = formats.make_format(plan, ["a", "b"], 2)
    assert vars(made)["needed"] == 0.75
    for text, why in {
        "king-of-the-hill:lives=2": "test: format king-of-the-hill has no option 'lives'",
        "king-of-the-hill:names=2": "test: format king-of-the-hill has no option 'names'",
        "king-of-the-hill:needed=half": "test: format king-of-the-hill: needed=half should be a number",
        "king-of-the-hil": "test: unknown format 'king-of-the-hil'; did you mean king-of-the-hill",
    }.items():
        with pytest.raises(NoctagonError, match=f"^{why}"):
            make_plan({"format": text}, "test")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("import nowhere", "the format 'broken' is installed but cannot be imported: ModuleNotFoundError"),
        ("kind = 5", "the entry point of the format 'broken' is not a subclass of Format"),
        (
            "from noctagon.arena.formats import Format\nclass kind(Format): title = 'broken'",
            "the format 'broken' is installed but has no phrase",
        ),
    ],
)
def test_a_broken_format_takes_none_of_the_others_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, why: str
) -> None:
    (tmp_path / "broken_format.py").write_text(content)
    monkeypatch.delitem(sys.modules, "broken_format", raising=False)
    install(tmp_path, "broken = broken_format:kind", monkeypatch)
    try:
        assert formats.format_names()[-1] == "broken"
        assert make_plan({"format": "swiss"}, "test").format == "swiss"
        with pytest.raises(NoctagonError, match=why):
            make_plan({"format": "broken"}, "test")
        assert "the format 'broken'" in " ".join(noctagon("formats").split())
    finally:
        formats._installed.cache_clear()
