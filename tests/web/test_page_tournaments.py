"""Tournaments in a real browser: the standings as they grow, the crosstable, the last boards, a game by a click."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from playwright.sync_api import Browser, expect

from noctagon.arena.bout import Finished
from noctagon.arena.running import RunningGame, running_folder
from noctagon.arena.store.store import Store
from noctagon.web import tournaments
from noctagon.web.settings import Settings
from tests.web.arena import HOSTILE, a_bout, plan, played, save
from tests.web.chromium import Reader
from tests.web.page import Page, running

pytestmark = pytest.mark.xdist_group("page")

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LONG = "a_bot_with_a_name_of_34_characters"


class Played(NamedTuple):
    page: Page
    store: Path
    games: list[Finished]


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    folder = tmp_path_factory.mktemp("arena")
    games = played(folder / "played.db", plan())
    where = folder / "games.db"
    with Store.open(where) as store:
        save(store, plan())
        save(store, plan("not/begun %"))
        for game in games[:4]:
            store.add(game, "spring")
    tournaments.FRESH = tournaments.REST = 0.0
    try:
        with running(Settings(store=str(where))) as page:
            yield Played(page, where, games)
    finally:
        tournaments.FRESH, tournaments.REST = 1.0, 8.0


@pytest.fixture
def reader(browser: Browser, arena: Played) -> Iterator[Reader]:
    found = Reader(browser, arena.page)
    yield found
    found.close()
    assert found.problems == []


def test_the_standings_grow_while_another_program_plays(reader: Reader, arena: Played) -> None:
    reader.open("/tournaments")
    spring = reader.see(".rows a").filter(has_text="spring")
    expect(spring).to_contain_text(" leads · ")
    spring.click()
    expect(reader.see("h1")).to_have_text("spring")
    expect(reader.see(".progress-text")).to_contain_text("4 of 12 games")
    expect(reader.see(".last-boards .board")).to_have_count(4)
    with Store.open(arena.store) as store:
        for game in arena.games[4:]:
            store.add(game, "spring")
    expect(reader.see(".progress-text")).to_have_text("12 of 12 games, it is over")
    expect(reader.see(".last-boards .board")).to_have_count(12)
    expect(reader.see(".last-boards figure").first).to_have_attribute("data-game", "12")
    expect(reader.see(".ranking").first.locator("tbody th")).to_have_count(3)
    expect(reader.see(".heat").first.locator("tbody td.self")).to_have_count(3)
    expect(reader.see(".ranking .dot")).to_have_count(3)
    reader.open("/tournaments")
    expect(spring).to_contain_text(" won · ")


def test_the_list_leaves_the_focus_where_it_is(reader: Reader, arena: Played) -> None:
    reader.tab.clock.install()
    reader.open("/tournaments")
    spring = reader.see(".rows a").filter(has_text="spring")
    spring.focus()
    with Store.open(arena.store) as store:
        save(store, plan("later"))
    reader.tab.clock.fast_forward(3000)
    expect(reader.see(".rows a").filter(has_text="later")).to_be_visible()
    expect(spring).to_be_focused()


def test_names_are_text(reader: Reader) -> None:
    reader.open("/tournament/spring")
    expect(reader.see(".ranking").first.locator("th", has_text=HOSTILE)).to_be_visible()
    assert reader.see("[onmouseover]").count() == 0


def test_a_knockout_shows_its_bracket(reader: Reader, arena: Played) -> None:
    with Store.open(arena.store) as store:
        save(store, plan("cup", format="knockout"))
    reader.open("/tournament/cup")
    bracket = reader.see(".bracket.tree")
    expect(bracket.locator("h3")).to_have_text(["Semi-finals"])
    expect(bracket.locator(".tie")).to_have_count(2)
    expect(bracket.locator(".won")).to_have_text(["greedy"])
    expect(bracket.locator(".name", has_text=HOSTILE)).to_be_visible()
    expect(reader.see(".about").first).to_contain_text(" · knockout · ")


@pytest.mark.parametrize("width", [1000, 1280])
def test_names_have_room(browser: Browser, arena: Played, width: int) -> None:
    reader = Reader(browser, arena.page, viewport={"width": width, "height": 900})
    reader.open("/tournament/spring")
    part = "cell => cell.offsetWidth / cell.closest('.box').clientWidth"
    assert reader.see("thead .text").first.evaluate(part) > 0.25
    assert reader.see(".picture").first.evaluate(part) > 0.18
    assert reader.see(".box").first.evaluate("box => box.scrollWidth <= box.clientWidth")
    reader.close()


def test_numbers_are_seen_beside_a_long_name(reader: Reader, arena: Played, tmp_path: Path) -> None:
    wordy = plan("wordy", players=["greedy", {"spec": "random", "name": LONG}], maps=["tiny"], plies=2)
    with Store.open(arena.store) as store:
        save(store, wordy)
        for game in played(tmp_path / "wordy.db", wordy):
            store.add(game, wordy.name)
    reader.open("/tournament/wordy")
    tables = reader.see(".box:has(.ranking)")
    for width in (320, 390, 1280):
        reader.tab.set_viewport_size({"width": width, "height": 844})
        expect(tables).to_have_count(2)
        assert tables.evaluate_all("all => all.every(box => box.scrollWidth <= box.clientWidth)")


def test_an_elo_of_nothing_has_no_sign(reader: Reader) -> None:
    reader.open("/tournaments")
    script = "async () => [12.4, -7, -0.2].map((await import('/static/js/strips.js')).signed)"
    assert reader.tab.evaluate(script) == ["+12", "−7", "0"]


def test_a_game_opens_on_a_click(reader: Reader) -> None:
    reader.open("/tournament/spring")
    newest = reader.see(".last-boards figure").first
    number = newest.get_attribute("data-game")
    newest.locator("a").click()
    expect(reader.tab).to_have_url(f"{reader.page.url}/#/replay/{number}")


def test_a_tournament_that_has_not_begun(reader: Reader) -> None:
    reader.open("/tournaments")
    reader.see(".rows a").filter(has_text="not/begun %").click()
    expect(reader.see("h1")).to_have_text("not/begun %")
    expect(reader.see(".progress-text")).to_have_text("0 of 12 games, not begun yet")
    for cells, count in (
        (".place", 3),
        ("td.elo", 3),
        (".ranking .dot", 0),
    ):  # nobody is first, nobody has an Elo
        expect(reader.see(cells)).to_have_text([""] * count)
    expect(reader.see(".heat")).to_have_count(0)


def test_a_server_that_does_not_answer_is_told_and_asked_again(browser: Browser, arena: Played) -> None:
    reader = Reader(browser, arena.page)
    reader.open("/tournament/spring")
    expect(reader.see(".ranking").first).to_be_visible()
    reader.context.set_offline(True)
    expect(reader.see(".banner")).to_contain_text("The server does not answer")
    expect(reader.see(".ranking").first).to_be_visible()
    reader.context.set_offline(False)
    expect(reader.see(".banner")).to_be_hidden()
    reader.close()


def test_what_is_not_there_is_told(browser: Browser, arena: Played) -> None:
    reader = Reader(browser, arena.page)
    reader.open("/tournament/nothing")
    expect(reader.see("[role=alert]")).to_have_text("there is no such tournament in this store")
    reader.close()


def test_on_a_phone_by_night(browser: Browser, arena: Played) -> None:
    reader = Reader(browser, arena.page, color_scheme="dark", **PHONE)
    reader.open("/tournament/spring")
    expect(reader.see(".last-boards .board").first).to_be_visible()
    assert reader.tab.evaluate("document.documentElement.scrollWidth") <= 390
    assert reader.problems == []
    reader.close()


def test_without_a_store_the_page_says_how_to_get_one(browser: Browser) -> None:
    with running() as page:
        reader = Reader(browser, page)
        reader.open("/tournaments")
        expect(reader.see(".empty pre")).to_contain_text("noctagon tournament")
        expect(reader.see(".empty")).to_contain_text("if the page has the same store")
        reader.close()


def test_running_games_are_small_boards(reader: Reader, arena: Played) -> None:
    folder = running_folder(arena.store)
    assert folder is not None
    folder.mkdir()
    bout = a_bout()
    shown = RunningGame(
        tournament="spring",
        slot="1/greedy/random/duel",
        game=bout.game,
        players=("greedy", HOSTILE),
        setup=bout.setup,
        rules=bout.rules,
        position=bout.position,
        turn_seconds=2.0,
        since="2026-11-15T12:00:00+00:00",
    )
    (folder / "one.json").write_bytes(msgspec.json.encode(shown))
    reader.open("/tournament/spring")
    boards = reader.see(".running-boards .small-board")
    expect(boards).to_have_count(1)
    expect(boards.first).to_contain_text(HOSTILE)
    (folder / "one.json").unlink()
    expect(boards).to_have_count(0)
    folder.rmdir()
