"""From the address to the page in a real browser: the one asked for last, its title, what cannot be opened."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.chromium import Reader
from tests.web.page import Page

pytestmark = pytest.mark.xdist_group("page")


def test_a_page_that_comes_late_is_not_shown(reader: Reader, page: Page) -> None:
    table = page.table(game="vampires")
    held = reader.hold(f"**/tables/{table['id']}")
    with reader.tab.expect_request(f"**/tables/{table['id']}"):
        reader.open(f"/game/{table['id']}")
    reader.open("/editor")
    expect(reader.see(".stage.editing .board")).to_be_visible()
    expect(reader.tab).to_have_title("Map editor · Noctagon")
    with reader.tab.expect_event("requestfinished"):
        held[0].continue_()
    reader.tab.evaluate("fetch('/api/v1/games').then(answer => answer.text())")  # it has been read since
    expect(reader.see("main > *")).to_have_count(1)
    expect(reader.see("main .stage.editing .board")).to_be_visible()
    expect(reader.tab).to_have_title("Map editor · Noctagon")
    while page.context.tables.find(table["id"]).feed.readers:  # and it does not listen in secret
        page.get("/tables")
    reader.open("/servers")
    expect(reader.see(".servers h1")).to_be_visible()
    expect(reader.see("main > *")).to_have_count(1)


def test_what_went_wrong_late_is_not_told(reader: Reader) -> None:
    held = reader.hold("**/tables/nothing")
    with reader.tab.expect_request("**/tables/nothing"):
        reader.open("/game/nothing")
    reader.open("/editor")
    expect(reader.see(".stage.editing .board")).to_be_visible()
    with reader.tab.expect_event("requestfinished"):
        held[0].continue_()
    reader.tab.evaluate("fetch('/api/v1/games').then(answer => answer.text())")
    expect(reader.see(".sorry")).to_have_count(0)
    expect(reader.tab).to_have_title("Map editor · Noctagon")
    reader.problems.clear()  # the browser's own word about the answer 404


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("/", "Noctagon"),
        ("/records", "Games · Noctagon"),
        ("/tournaments", "Tournaments · Noctagon"),
        ("/tournament/cup%20100%25", "cup 100% · Noctagon"),
        ("/servers", "Servers · Noctagon"),
        ("/position/vampires/3x3%20V0,0:4%20W2,2:4%20V%200", "A position of vampires · Noctagon"),
        ("/nowhere", "Not here · Noctagon"),
    ],
)
def test_the_tab_bears_the_title_of_the_page(reader: Reader, path: str, title: str) -> None:
    reader.open("/editor")
    expect(reader.tab).to_have_title("Map editor · Noctagon")
    reader.open(path)
    expect(reader.tab).to_have_title(title)
    reader.problems = [problem for problem in reader.problems if "404" not in problem]  # there is no store


def test_a_game_s_tab_bears_the_players(reader: Reader, page: Page) -> None:
    reader.sit(page.table(game="vampires", players=["human", "alphabeta:depth=2"]))
    expect(reader.tab).to_have_title("human – alphabeta · Noctagon")


@pytest.mark.parametrize("path", ["/position/vampires/%2", "/position/vampires/3x3%E2%82", "/tournament/%"])
def test_a_link_that_was_cut_off_is_told(reader: Reader, path: str) -> None:
    reader.open(path)
    expect(reader.see(".sorry")).to_contain_text("This link is not whole.")
    reader.tab.get_by_role("link", name="To the first page").click()
    expect(reader.see(".setup")).to_be_visible()


def test_the_first_link_leads_to_the_content(reader: Reader) -> None:
    reader.open("/editor")
    expect(reader.see(".stage.editing .board")).to_be_visible()
    reader.tab.keyboard.press("Tab")
    expect(reader.tab.get_by_role("link", name="To the content")).to_be_focused()
    reader.tab.keyboard.press("Enter")
    expect(reader.see("main")).to_be_focused()
    expect(reader.see(".stage.editing .board")).to_be_visible()
    assert reader.tab.url.endswith("/#/editor")


@pytest.mark.parametrize("way", ["Try again", "Tournaments", "Play"])
def test_a_page_first_opened_while_the_server_is_away_opens_once_it_is_back(reader: Reader, way: str) -> None:
    reader.open()
    expect(reader.see(".setup")).to_be_visible()
    reader.context.set_offline(True)
    reader.tab.get_by_role("link", name="Tournaments", exact=True).click()
    expect(reader.see(".sorry")).to_contain_text("The server does not answer.")
    expect(reader.tab).to_have_title("No answer · Noctagon")
    again = reader.button("Try again")
    again.click()  # in vain
    expect(again).to_be_enabled()
    reader.context.set_offline(False)
    if way == "Try again":
        again.click()
    else:
        reader.tab.get_by_role("link", name=way, exact=True).click()
    if way == "Play":  # elsewhere and back
        expect(reader.see(".setup")).to_be_visible()
        reader.tab.get_by_role("link", name="Tournaments", exact=True).click()
    expect(reader.see(".tournament h1")).to_have_text("Tournaments")
    assert reader.tab.url.endswith("/#/tournaments")
    reader.problems.clear()  # the browser's own words about the connection


def test_a_game_that_cannot_be_had_now_is_tried_again(reader: Reader, page: Page) -> None:
    table = page.table(game="wargame")
    reader.tab.route(f"**/tables/{table['id']}", lambda route: route.abort())
    reader.open(f"/game/{table['id']}")
    expect(reader.see(".sorry")).to_contain_text("The server does not answer.")
    reader.tab.unroute_all()
    reader.button("Try again").click()
    expect(reader.see(".game .board")).to_be_visible()
    reader.problems.clear()
