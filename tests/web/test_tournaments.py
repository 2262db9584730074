"""Tournaments on the page: read from the store while another program plays into it, and only sent when they change."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from noctagon.arena.bout import Finished
from noctagon.arena.ledger import Ledger
from noctagon.arena.plan import Plan
from noctagon.arena.store.store import Store
from noctagon.web import tournaments
from noctagon.web.messages.tournaments import LastBoard, TournamentLine, TournamentView
from noctagon.web.pace import Span, pace
from noctagon.web.settings import Settings
from tests.arena.games import a_game
from tests.web.arena import HOSTILE, ledger, plan, played, save
from tests.web.page import Page, assert_is, running


class Played(NamedTuple):
    """A page over a store, the plan in it, and the games that are still to come."""

    page: Page
    store: Path
    plan: Plan
    games: list[Finished]


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> list[Finished]:
    return played(tmp_path_factory.mktemp("played") / "games.db", plan())


@pytest.fixture
def arena(tmp_path: Path, games: list[Finished], monkeypatch: pytest.MonkeyPatch) -> Iterator[Played]:
    monkeypatch.setattr(tournaments, "FRESH", 0.0)
    monkeypatch.setattr(tournaments, "REST", 0.0)
    where = tmp_path / "games.db"
    with Store.open(where) as store:
        save(store, plan())
    with running(Settings(store=str(where))) as page:
        yield Played(page, where, plan(), games)


def look(page: Page, name: str = "spring") -> Any:
    told = page.get(f"/tournaments/{name}")
    assert_is(TournamentView, told)
    return told


def test_the_table_grows_with_the_games(arena: Played) -> None:
    page, games = arena.page, arena.games
    told = look(page)
    assert told["progress"] == {
        "played": 0,
        "expected": 12,
        "playing": False,
        "per_minute": None,
        "left": None,
    }
    assert (told["cells"], told["games"], len(told["rows"])) == ([], [], 3)
    with Store.open(arena.store) as store:
        for game in games[:5]:
            store.add(game, "spring")
        told = look(page)
        assert (told["progress"]["played"], told["progress"]["playing"]) == (5, True)
        for game in games[5:]:
            store.add(game, "spring")
        told = look(page)
        standings = ledger(store, arena.plan).standings()
    assert (told["progress"]["played"], told["progress"]["playing"]) == (12, False)
    assert [row["name"] for row in told["rows"]] == [row.name for row in standings.rows]
    assert [row["points"] for row in told["rows"]] == [row.points for row in standings.rows]
    assert [row["elo"] for row in told["rows"]] == [row.elo for row in standings.rows]
    names = [row["name"] for row in told["rows"]]
    cells = {(names[row], names[column]): (points, games) for row, column, points, games in told["cells"]}
    assert cells == {pair: tuple(cell) for pair, cell in standings.cells.items()}
    assert [setup for setup, _ in told["by_map"]] == ["duel", "tiny"]
    assert all(score["games"] == 4 for row in told["rows"] for score in row["sides"])
    assert told["games"][0]["id"] == 12
    assert HOSTILE in names


def test_the_time_left_is_told_by_the_pace_since_it_was_resumed(arena: Played) -> None:
    now = datetime.datetime.now(datetime.UTC)
    ago = [3600, 3595, 3590, 3585, 20, 15, 10, 5]  # seconds: an hour's pause after four games
    with Store.open(arena.store) as store:
        for game, seconds in zip(arena.games, ago, strict=False):
            date = (now - datetime.timedelta(seconds=seconds)).isoformat()
            store.add(msgspec.structs.replace(game, date=date, seconds=(3.0, 2.0)), "spring")
    assert look(arena.page)["progress"] == {
        "played": 8,
        "expected": 12,
        "playing": True,
        "per_minute": 12.0,
        "left": 20.0,
    }


def test_the_pace_of_games_at_once_is_told_when_they_have_only_begun_and_later() -> None:
    start = datetime.datetime(2026, 11, 15, tzinfo=datetime.UTC)
    minute = datetime.timedelta(minutes=1)
    spans = [
        Span(start + n // 4 * minute, start + (n // 4 + 1) * minute) for n in range(40)
    ]  # four at a time
    assert pace(spans[:4], whole=True) == pytest.approx(4 / 60)
    assert pace(spans, whole=True) == pytest.approx(4 / 60)
    assert pace(spans[3:], whole=False) == pytest.approx(4 / 60)
    assert pace(spans[:2], whole=True) is None


def test_what_has_not_changed_is_not_sent_again(arena: Played) -> None:
    page = arena.page
    for path in ("/tournaments", "/tournaments/spring", "/boards?tournament=spring"):
        first = page.client.get(path)
        again = page.client.get(path, headers={"if-none-match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        with Store.open(arena.store) as store:
            store.add(arena.games.pop(), "spring")
        assert page.client.get(path, headers={"if-none-match": first.headers["etag"]}).status_code == 200


def test_a_knockout_has_its_bracket_before_the_first_game(arena: Played) -> None:
    with Store.open(arena.store) as store:
        save(store, plan("cup", format="knockout"))
    told = look(arena.page, "cup")
    assert told["plan"]["format_title"] == "knockout"
    assert told["diagram"]["name"] == "bracket"
    (pairs,) = [column["pairings"] for column in told["diagram"]["rounds"]]
    assert [(pair["first"], pair["second"], pair["winner"], pair["note"]) for pair in pairs] == [
        ("greedy", "", "greedy", ""),
        ("random", HOSTILE, None, "to be played"),
    ]


def test_all_tournaments_are_listed(arena: Played) -> None:
    with Store.open(arena.store) as store:
        store.add(arena.games[0], "spring")
        save(store, plan("a/b ?#%", format="gauntlet"))
        store.save_plan("strange", "no-such-game", b'{"game":"no-such-game","players":[]}')
        store.save_plan("broken", "vampires", b'{"shape":1}')
    told = arena.page.get("/tournaments")
    for one in told:
        assert_is(TournamentLine, one)
    assert [one["name"] for one in told] == ["broken", "strange", "a/b ?#%", "spring"]
    assert (told[3]["played"], told[3]["expected"], told[3]["playing"]) == (1, 12, True)
    assert told[0]["trouble"]
    assert told[1]["trouble"]
    assert look(arena.page, "a%2Fb%20%3F%23%25")["plan"]["format"] == "gauntlet"
    assert arena.page.client.get("/tournaments/broken").status_code == 400


def test_whoever_has_no_game_that_counts_is_not_rated_and_does_not_lead(arena: Played) -> None:
    two = plan("struck", players=["greedy", "random"], rounds=2)
    assert [row["elo"] for row in look(arena.page)["rows"]] == [None] * 3
    with Store.open(arena.store) as store:
        save(store, two)
        for place in Ledger(two).fixtures.values():
            players = (place.first, place.second)
            winner = int(place.first == "random")
            store.add(a_game(slot=place.slot, players=players, winner=winner, reason="crash"), "struck")
        store.add(arena.games[0], "spring")
    greedy, random = look(arena.page, "struck")["rows"]
    assert random["disqualified"]
    assert (greedy["games"], greedy["elo"], greedy["error"]) == (0, None, None)
    leaders = {one["name"]: one["leader"] for one in arena.page.get("/tournaments")}
    assert leaders == {"struck": "", "spring": look(arena.page)["rows"][0]["name"]}


def test_the_last_positions_of_new_games(arena: Played) -> None:
    with Store.open(arena.store) as store:
        for game in arena.games[:6]:
            store.add(game, "spring")
    boards = arena.page.get("/boards?tournament=spring&limit=4")
    for board in boards:
        assert_is(LastBoard, board)
    assert [board["game"]["id"] for board in boards] == [6, 5, 4, 3]
    assert boards[0]["view"]["ply"] == arena.games[5].plies
    assert [board["game"]["id"] for board in arena.page.get("/boards?tournament=spring&after=5")] == [6]
    assert arena.page.get("/boards?tournament=spring&after=6") == []
    assert arena.page.get("/boards?tournament=none") == []
    assert arena.page.client.get("/boards?tournament=spring&limit=1000").status_code == 422


def test_many_who_ask_at_once_are_told_the_same(arena: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournaments, "FRESH", 60.0)
    first = look(arena.page)
    with Store.open(arena.store) as store:
        store.add(arena.games[0], "spring")
    assert look(arena.page) == first


def test_what_is_not_there(arena: Played) -> None:
    assert arena.page.client.get("/tournaments/nothing").status_code == 404


def test_a_page_without_a_store() -> None:
    with running() as page:
        assert page.get("/tournaments") == []
        answer = page.client.get("/tournaments/spring")
        assert (answer.status_code, "--store" in answer.json()["error"]) == (404, True)


def test_the_store_of_the_folder_is_found_when_it_is_made(tmp_path: Path, games: list[Finished]) -> None:
    where = tmp_path / "noctagon.db"
    with running(Settings(later_store=str(where))) as page:
        assert page.get("/tournaments") == []
        assert page.get("/records")["store"] is False
        assert not where.exists()
        with Store.open(where) as store:
            save(store, plan())
            store.add(games[0], "spring")
        assert [told["name"] for told in page.get("/tournaments")] == ["spring"]
        kept = page.get("/records")
        assert (kept["store"], len(kept["records"])) == (True, 1)
        assert page.get(f"/records/{kept['records'][0]['id']}")["game"] == "vampires"


def test_a_store_that_comes_later(tmp_path: Path) -> None:
    with running(Settings(store=str(tmp_path / "later.db"))) as page:
        assert page.get("/tournaments") == []
        assert page.client.get("/tournaments/spring").status_code == 404
