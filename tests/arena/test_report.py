"""The report: one page without a request, tables that read back the same, and nothing a stranger wrote comes alive."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from urllib.parse import unquote

import msgspec
import pytest

from noctagon.arena.ledger import Ledger
from noctagon.arena.meetings import Fixture
from noctagon.arena.store.store import Store
from noctagon.cli import tournament
from noctagon.core.game import NoctagonError
from noctagon.report import charts, free_folder, write_report
from noctagon.report.incidents import end_of
from noctagon.report.markup import element, named, plain
from noctagon.report.sheets import harmless
from tests.arena.games import a_game, a_record
from tests.arena.pages import Page, a_tournament, ranked, report, sheet
from tests.arena.test_ledger import better_letter_wins, plan, played

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><!-- <script>",
    "two\nlines\tand\x00\x1b[31m more",
    "x" * 500,
    "\N{RIGHT-TO-LEFT OVERRIDE}moor",
    "שלום",
    "👩‍👩‍👧‍👦 & 'sons'",
    "=HYPERLINK(0)",
    "",
]


def test_the_page_asks_for_nothing_and_its_files_are_there(tmp_path: Path) -> None:
    names = ["ada", "bob", "cyd"]
    page = report(tmp_path / "out", names, a_tournament(names))
    links = page.all("href")
    assert not page.all("src")
    for link in links:
        if link.startswith("#"):
            assert link[1:] in page.all("id")
        else:
            assert (tmp_path / "out" / unquote(link)).is_file()
    assert {"standings.csv", "crosstable.csv", "games.csv"} <= set(links)
    text = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert not re.search(r"https?:|//[a-z]|@import|url\(", re.sub(r"^// .*$", "", text, flags=re.MULTILINE))
    (policy,) = (given["content"] for _, given in page.attributes if given.get("http-equiv"))
    assert policy.startswith("default-src 'none'")


def test_the_page_tells_who_won_and_what_was_played(tmp_path: Path) -> None:
    names = ["ada", "bob", "cyd"]
    page = report(tmp_path, names, a_tournament(names))
    assert "3 players in a round robin of Vampires vs Werewolves , on 2 maps ( duel and trap )" in page.text
    assert "500 ms a turn. 12 games played, 15 November 2026" in page.text
    assert [cell for cell in page.row("ada") if cell][:6] == ["1", "adagreedy", "6", "+3", "8", "6"]
    assert "A game won is 1 point" in page.text
    assert "not over" not in page.text
    medals = [given["class"] for tag, given in page.attributes if tag == "li" and "class" in given]
    assert medals == ["gold", "silver", "bronze"]


def test_the_crosstable_has_the_numbers_in_its_cells(tmp_path: Path) -> None:
    names = ["ada", "bob", "cyd"]
    games = [*a_tournament(names), a_game(players=("ada", "bob"), winner=None)]
    page = report(tmp_path, names, games)
    table = [row for row in page.rows if row[0] in ("1. ada", "2. bob", "3. cyd") and len(row) == 4]
    assert table[:3] == [
        ["1. ada", "", "3½of 5", "3of 4"],
        ["2. bob", "1½of 5", "", "3of 4"],
        ["3. cyd", "1of 4", "1of 4", ""],
    ]
    assert ["1. ada", "90", "50"] in [row for row in page.rows if len(row) == 3]


def test_every_side_and_map_is_told(tmp_path: Path) -> None:
    names = ["ada", "bob"]
    page = report(tmp_path, names, a_tournament(names))
    assert ["duel", "", "50 %", "0 %", "50 %", "2"] in page.rows
    assert ["trap", "", "100 %", "0 %", "0 %", "2"] in page.rows
    assert "Vampires (first to move) won 75 % of 4 games, Werewolves 25 %" in page.text
    assert ["ada", "", "100 %", "50 %"] in page.rows
    assert ["bob", "", "50 %", "0 %"] in page.rows


def test_names_logs_and_details_of_strangers_stay_text(tmp_path: Path) -> None:
    games = a_tournament(HOSTILE, maps=["duel"])
    for text in HOSTILE[:-1]:
        bad = a_game(
            players=(HOSTILE[0], text if text != HOSTILE[0] else HOSTILE[1]),
            setup=text,
            winner=0,
            reason="crash",
            detail=text,
            logs=("", text),
            specs=(text, f"cmd:{text}"),
            versions=(text, text),
        )
        games += [bad, bad]
    page = report(tmp_path / "out", HOSTILE, games, name=HOSTILE[0])
    tags = {tag for tag, _ in page.attributes}
    assert "img" not in tags
    assert not [name for _, given in page.attributes for name in given if name.startswith("on")]
    assert [kind for kind, _ in page.scripts].count("") == 1
    assert {kind for kind, _ in page.scripts} == {"", "application/json"}
    assert "<script>alert(1)</script>" in page.text
    assert '"><img src=x onerror=alert(1)>' in page.text
    assert "two lines and[31m more" in page.text
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in "".join(cell for row in page.rows for cell in row)
    assert "x" * 400 not in " ".join(page.rows[1])
    assert all(
        path.suffix == ".jsonl" and path.name.isascii() for path in (tmp_path / "out" / "games").iterdir()
    )


def test_a_shortened_name_keeps_both_ends_and_tells_the_rest() -> None:
    name = "the long name of a team of students, 1"
    assert named(name, 20) == f'<bdi title="{name}">the long name…nts, 1</bdi>'
    assert named(name[:20], 20) == "<bdi>the long name of a t</bdi>"
    assert plain(" \n ") == "(no name)"
    assert element("a", "b", title='"<') == '<a title="&quot;&lt;">b</a>'


def test_the_sheets_read_back_as_the_same_numbers(tmp_path: Path) -> None:
    names = ["ada", "bob", "-cyd"]
    games = [*a_tournament(names), a_game(players=("ada", "bob"), winner=None, swing=0.1234, late=(1, 2))]
    plan, standings = ranked(names, games)
    written = write_report(plan, standings, games, lambda game: game.record, tmp_path)
    assert [path.name for path in written[:4]] == [
        "index.html",
        "standings.csv",
        "crosstable.csv",
        "games.csv",
    ]
    head, *rows = sheet(tmp_path / "standings.csv")
    for row, cells in zip(standings.rows, rows, strict=True):
        told = dict(zip(head, cells, strict=True))
        assert told["player"].lstrip("'") == row.name
        assert (int(told["place"]), float(told["points"])) == (row.place, row.points)
        assert (float(told["elo"]), float(told["error"])) == (row.elo, row.error)
        assert [float(told[name]) for name in standings.tie_break_names] == list(row.tie_breaks)
    head, *rows = sheet(tmp_path / "crosstable.csv")
    for cells in rows:
        for column, cell in list(zip(head, cells, strict=True))[2:5]:
            met = standings.cells.get((cells[1].lstrip("'"), column.lstrip("'")))
            assert (float(cell) if cell else None) == (met.points if met else None)
    head, *rows = sheet(tmp_path / "games.csv")
    assert len(rows) == len(games)
    last = dict(zip(head, rows[-1], strict=True))
    assert (last["winner"], last["points first"], last["swing"], last["late second"], last["counts"]) == (
        *("draw", "0.5", "0.1234", "2", "yes"),
    )


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "|cmd", "%0", "\u200b=1", "＝1"]
)
def test_no_cell_is_a_formula(text: str) -> None:
    assert harmless(text).startswith("'")
    assert harmless("ada - bob") == "ada - bob"


def test_a_disqualified_players_table_has_holes_not_errors(tmp_path: Path) -> None:
    names = ["ada", "bob", "eve"]
    log = "\n".join(f"line {number} <b>" for number in range(100))
    games = a_tournament(["ada", "bob"])
    games += [
        a_game(
            players=("ada", "eve"),
            winner=0,
            reason="crash",
            detail="KeyError: <i>",
            logs=("", log),
            illegal=(0, 3),
        )
        for _ in range(4)
    ]
    page = report(tmp_path, names, games)
    assert page.row("eve")[0] == "out"
    assert "Disqualified: crashed 3 times in a row" in page.text
    assert "4 games lost (crash) and 12 illegal turns." in page.text
    assert "4 games of disqualified players do not count." in page.text
    assert "line 99 <b>" in page.text
    assert "line 0 <b>" not in page.text
    assert "KeyError: <i>" in page.text
    assert [given for tag, given in page.attributes if tag == "i"] == [{}] * 6  # places only
    games_file = dict.fromkeys(cells[-1] for cells in sheet(tmp_path / "games.csv")[1:])
    assert list(games_file) == ["yes", "no"]


def test_who_has_not_played_has_no_place(tmp_path: Path) -> None:
    page = report(tmp_path, ["ada", "bob", "cyd"], [a_game(players=("ada", "bob"))], expected=6)
    assert [page.row(name)[0] for name in ("ada", "bob", "cyd")] == ["1", "2", ""]
    assert ["cyd", "·", "·", ""] in page.rows


def test_well_behaved_players_are_said_to_be(tmp_path: Path) -> None:
    page = report(tmp_path, ["ada", "bob"], a_tournament(["ada", "bob"]))
    assert "All behaved." in page.text
    slow = a_game(late=(2, 0))
    page = report(tmp_path, ["ada", "bob"], [slow])
    assert "Nobody lost a game by a crash, on time or by nonsense." in page.text
    assert ["ada", "", "500 ms", "750 ms", "2", "0", "0"] in page.rows


@pytest.mark.parametrize(
    ("names", "games", "expected", "said"),
    [
        (["ada", "bob"], 0, None, "No game has been played yet."),
        (["ada", "bob"], 0, 4, "This tournament is not over: 0 of 4 games have been played."),
        (["ada", "bob"], 1, 4, "This tournament is not over: 1 of 4 games have been played."),
        (["ada"], 0, None, "1 player in a round robin"),
        ([], 0, None, "0 players in a round robin"),
        (["ada", "bob", "cyd", "dan"], 1, 12, "Standings so far"),
    ],
)
def test_a_tournament_that_is_not_over_is_told_kindly(
    tmp_path: Path, names: list[str], games: int, expected: int | None, said: str
) -> None:
    page = report(tmp_path, names, a_tournament(names)[:games], expected=expected)
    assert said in page.text
    assert "podium" not in page.all("class")
    assert len(sheet(tmp_path / "standings.csv")) == 1 + len(names)
    assert len(sheet(tmp_path / "games.csv")) == 1 + games


def test_many_players_stay_in_a_box_of_their_own_and_very_many_in_the_file(tmp_path: Path) -> None:
    names = [f"a player with a long name {number}" for number in range(60)]
    games = [a_game(players=pair, record=b"") for pair in combinations(names, 2)]
    page = report(tmp_path, names, games)
    assert "box throng" in page.all("class")
    assert len([row for row in page.rows if len(row) == 61]) == 61
    assert (tmp_path / "index.html").stat().st_size < 1_000_000
    crowd = [f"{number}" for number in range(101)]
    page = report(tmp_path, crowd, [a_game(players=("0", "1"), record=b"")])
    assert "101 players are too many to show here: see crosstable.csv ." in page.text


def test_two_reports_share_a_folder(tmp_path: Path) -> None:
    games = a_tournament(["ada", "bob"])
    plan, standings = ranked(["ada", "bob"], games)
    for name in ("one #1.html", "two.html"):
        page, *others = write_report(plan, standings, games, lambda game: game.record, tmp_path / name)
        assert page == tmp_path / name
        assert all(path.is_file() for path in others)
        assert "games" not in [path.parent.name for path in others]
    assert len(list(tmp_path.glob("*.csv"))) == 6
    links = [
        link for link in Page((tmp_path / "one #1.html").read_text("utf-8")).all("href") if link[0] != "#"
    ]
    assert links
    for link in links:
        assert re.fullmatch(r"[\w./%-]+", link)
        assert (tmp_path / unquote(link)).is_file()
    assert not list(tmp_path.rglob("*.part"))


def test_no_report_is_written_over_that_of_another_tournament(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def write(name: str, out: Path | None = None) -> Path:
        plan, standings = ranked(["ada"], [], name=name)
        page, *_ = write_report(plan, standings, [], lambda game: b"", out or free_folder(plan))
        return page

    names = ["Gruppe A/1", "Gruppe A 1", "<A & B>", "A  B", "...", "///"]
    pages = [write(name) for name in names]
    assert [str(page.parent) for page in pages] == [
        "Gruppe-A-1-report",
        "Gruppe-A-1-report-2",
        "A-B-report",
        "A-B-report-2",
        "tournament-report",
        "tournament-report-2",
    ]
    assert [write(name) for name in names] == pages, "its own is written anew"
    with pytest.raises(NoctagonError, match=r"index.html is the report of 'Gruppe A/1': name another folder"):
        write("Gruppe A 1", pages[0].parent)
    Path("site").mkdir()
    Path("site/index.html").write_text("<title>Gruppe A 1</title>")
    with pytest.raises(NoctagonError, match="is not known to be a report of this tournament"):
        write("Gruppe A 1", Path("site"))


def test_what_cannot_be_written_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    plan, standings = ranked(["ada"], [])
    with pytest.raises(NoctagonError, match="taken"):
        write_report(plan, standings, [], lambda game: b"", tmp_path / "taken" / "out")


def test_a_game_that_is_not_installed_still_has_its_tables(tmp_path: Path) -> None:
    record = msgspec.structs.replace(a_record(), game="chess").to_json()
    page = report(tmp_path, ["ada", "bob"], [a_game(game="chess", record=record)], game="chess")
    assert "a round robin of chess" in page.text
    assert "It cannot be shown here: unknown game" in page.text
    assert "First (first to move) won 100 %" in page.text


def test_the_end_of_a_log_is_what_is_shown() -> None:
    assert end_of("one\n\x1b[31mtwo\x1b[0m") == "one\ntwo"
    assert end_of("\n".join(str(number) for number in range(99))).startswith("…\n69\n")
    assert len(end_of("x" * 10**6)) < 5000


def test_a_rating_scale_holds_all_dots_and_round_numbers() -> None:
    scale = charts.rating_scale([(100.0, 50.0), (-900.0, 5000.0), (float("nan"), float("nan"))])
    assert scale.low < -1300
    assert scale.high < 600
    assert 0.0 in scale.ticks
    assert charts.rating_scale([]).ticks == (-100.0, -50.0, 0.0, 50.0, 100.0)
    strip = charts.rating_strip(scale, 100.0, 50.0, "ada")
    assert strip.count('class="error"') == 3  # the bar and its two ends
    assert charts.rating_strip(scale, -900.0, 5000.0, "bob").count('class="error"') == 1


@pytest.mark.parametrize("format", ["round-robin", "gauntlet", "swiss", "knockout"])
def test_every_format_has_its_page(tmp_path: Path, format: str) -> None:  # noqa: A002 - the field's name
    names = ["ada", "bob", "cyd", "dan", "eve"]
    games = [a_game(players=("ada", "bob")), a_game(players=("ada", "cyd"), round=2, winner=None)]
    page = report(tmp_path, names, games, format=format)
    assert (
        f"5 players in a {format.replace('-', ' ').replace('swiss', 'Swiss tournament')} (2 rounds)"
        in page.text
    )
    table = [row for row in page.rows if len(row) == 6 and row[0].endswith(" ada")]
    assert {cell for cell in table[0][1:] if cell not in ("", "·")} == {"1of 1", "½of 1"}


def write_bracket(folder: Path, ledger: Ledger) -> Page:
    """The report of a knockout, by the command."""
    where = folder / f"{len(ledger.games)}.db"
    with Store.open(where) as store:
        store.save_plan(ledger.plan.name, ledger.plan.game, msgspec.json.encode(ledger.plan))
        for game in ledger.finished:
            store.add(game, ledger.plan.name)
    tournament.report(out=folder, store=str(where))
    return Page((folder / "index.html").read_text("utf-8"))


def test_a_knockout_has_its_bracket(tmp_path: Path) -> None:
    def winner(place: Fixture) -> int | None:
        if place.slot.startswith("1/") and "replay" not in place.slot:
            return 0  # whoever moves first: the meeting is drawn
        return None if {place.first, place.second} == {"b", "c"} else better_letter_wins(place)

    page = write_bracket(tmp_path, played(plan("knockout", 5), winner))
    assert "#bracket" in page.all("href")
    told = page.text[page.text.index("The bracket") : page.text.index("Each dot is")]
    assert "Quarter-finals a bye d 1 2 e 1 0 drawn once, then decided" in told
    assert "Semi-finals a 2 d 0 b 1 1 1 c 1 1 1 drawn 3 times: the better seed goes on" in told
    assert "Final a 2 b 0" in told
    assert page.all("class").count("won") == 7  # three byes and four meetings


def test_the_bracket_of_a_knockout_that_is_not_over_and_of_one_with_a_player_that_is_out(
    tmp_path: Path,
) -> None:
    found = plan("knockout", 4, disqualify=2)
    over = played(found, faults="d")
    assert "a 2 d 0 d is disqualified" in write_bracket(tmp_path, over).text
    begun = write_bracket(tmp_path, Ledger(found, over.finished[:2]))
    assert "b c to be played" in begun.text
    assert "Final" not in begun.text
    assert "bracket" not in report(tmp_path / "cup", ["a", "b"], a_tournament(["a", "b"])).all("id")
