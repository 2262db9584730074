"""A game that the page has never heard of: it is played, analysed, linked to and drawn all the same."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from tests.test_plugin import PROGRAM
from tests.web.chromium import Reader
from tests.web.page import Page
from tests.web.third_game import installed, served

pytestmark = pytest.mark.xdist_group("page")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("third")
    with served(installed(folder / "site"), folder) as found:
        yield found


def test_it_is_begun_on_the_first_page_and_played_by_clicks_and_by_the_list(
    reader: Reader, page: Page
) -> None:
    reader.open()
    reader.see(".tab", has_text="Tic-tac-toe").click()
    reader.see(".setup select").nth(1).select_option("random")
    reader.button("Start the game").click()
    expect(reader.see(".hint.move")).to_have_count(9)
    reader.click_cell(1, 1)
    expect(reader.see(".hint.chosen")).to_have_count(1)
    reader.click_cell(1, 1)  # a second click is meant
    expect(reader.see(".turns li")).to_have_count(2)
    while not reader.see(".verdict").is_visible():
        known = reader.see(".turns li").count()
        reader.see(".choices button").first.click()
        reader.button("Play this turn").click()
        expect(reader.see(f".turns li:nth-child({known + 1})")).to_be_attached()
        expect(reader.see(".choices button, .verdict:visible").first).to_be_visible()
    expect(reader.see(".turns li").last).to_contain_text("4")


def test_where_its_turns_are_too_many_to_list_one_is_written(reader: Reader, page: Page) -> None:
    def many(route: Route) -> None:
        route.fulfill(json={**route.fetch().json(), "actions": None})

    reader.tab.route("**/api/v1/positions", many)
    reader.sit(page.table(game="tictactoe", players=["human", "human"]))
    written = reader.tab.get_by_label("Your turn, as it is written")
    written.fill("44")
    written.press("Enter")
    expect(reader.see(".turn-panel .error")).to_contain_text("'44'")
    written.fill("4")
    reader.button("Play this turn").click()
    reader.turn(1)
    expect(reader.see(".turns li")).to_contain_text("4")
    reader.problems.clear()  # the browser's own word about the answer 400
    reader.tab.unroute_all(behavior="wait")  # the next turn is being asked for


def test_its_positions_are_written_by_the_server(reader: Reader, page: Page) -> None:
    table = page.table(game="tictactoe", players=["human", "human"])
    page.post(f"/tables/{table['id']}/turn", {"side": 0, "key": table["keys"]["0"], "action": "4"})
    assert page.get(f"/tables/{table['id']}/positions/1") == {"position": "....x...."}
    reader.sit(table)
    reader.turn(1)
    reader.button("Analyse").click()
    expect(reader.see(".analysis .lines li").first).to_be_visible()
    reader.button("Link to this position").click()
    expect(reader.tab.get_by_label("The link")).to_have_value(
        f"{page.url}/#/position/tictactoe/....x....?name=standard&plies=9"
    )


def test_where_nobody_has_anything_the_balance_is_even(reader: Reader, page: Page) -> None:
    reader.sit(page.table(game="tictactoe", players=["human", "human"]))
    widths = reader.see(".balance .share").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect().width)"
    )
    assert widths[0] == pytest.approx(widths[1], abs=1)
    assert widths[0] > 100


def test_its_programs_play_on_a_server_of_the_page(page: Page, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("HONEST", "True"))
    server = page.post("/servers", {"game": "tictactoe", "port": 0, "opponent": "random"})
    assert (server["rules"], server["map"]) == ("standard", "empty")
    subprocess.run([sys.executable, str(program), "127.0.0.1", str(server["port"])], check=True, timeout=60)
    deadline = time.monotonic() + 60
    while not (told := page.get(f"/servers/{server['id']}?after=0"))["over"] and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (told["over"], told["played"]) == ("all games have been played", 1)
    assert told["results"][0]["players"] == ["Grace", "random"]
    assert any("< play 0 0" in line for line in told["trace"])
    [table] = [table for table in page.get("/tables") if table["id"] == told["results"][0]["id"]]
    assert (table["game"], table["origin"]) == ("tictactoe", "server")
