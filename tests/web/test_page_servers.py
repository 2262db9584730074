"""The course's screen in a real browser: a server opened by its form, bots that come, games watched, the trace."""

from __future__ import annotations

import re
import socket

import pytest
from playwright.sync_api import Browser, expect

from tests.web.chromium import Reader
from tests.web.page import Page
from tests.web.test_servers import MARKUP, bots, named

pytestmark = pytest.mark.xdist_group("page")

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture(autouse=True)
def no_servers(page: Page) -> None:
    for server in page.get("/servers"):
        for _ in range(2 if not server["over"] else 1):
            page.client.delete(f"/servers/{server['id']}")


def open_form(reader: Reader, port: str = "0") -> int:
    """Open a server by the form; the port it listens on."""
    reader.open("/servers")
    reader.tab.get_by_label("Port (0").fill(port)
    reader.tab.get_by_role("combobox", name="Map", exact=True).select_option("tiny")
    reader.button("Open the server").click()
    expect(reader.see(".server .address")).to_contain_text("127.0.0.1 port")
    found = re.search(r"port (\d+)", reader.see(".server .address").first.inner_text())
    assert found
    return int(found[1])


def test_the_form_says_when_the_server_will_close(reader: Reader) -> None:
    reader.open("/servers")
    closes = reader.see(".server-form .closes")
    expect(closes).to_contain_text("It closes by itself once 1 pair of programs has played 1 game.")
    reader.tab.get_by_label("Tables at once").fill("12")
    reader.tab.get_by_label("Games of a pair").fill("4")
    reader.tab.get_by_label("House opponent").select_option("greedy")
    expect(closes).to_contain_text("It closes by itself once 12 programs have played 4 games each.")


@pytest.mark.parametrize(
    ("field", "wrong", "told"),
    [
        ("Port (0", "8.5", "Port: a whole number from 0 to 65535"),
        ("Seconds a turn", "0.01", "Seconds a turn: a number from 0.1 to 600"),
        ("Tables at once", "", "Tables at once: a whole number from 1 to 64"),
    ],
)
def test_a_wrong_number_is_told_in_the_forms_words(reader: Reader, field: str, wrong: str, told: str) -> None:
    reader.open("/servers")
    reader.tab.get_by_label(field).fill(wrong)
    reader.button("Open the server").click()
    expect(reader.see(".server-form [role=alert]")).to_have_text(told)
    expect(reader.see(".server")).to_have_count(0)


def test_the_house_sits_at_its_tables(reader: Reader, page: Page) -> None:
    page.post("/servers", {"port": 0, "map": "tiny", "opponent": "greedy"})
    reader.open("/servers")
    expect(reader.see(".chair")).to_have_text(["free", "greedy"])
    expect(reader.see(".server-state")).to_contain_text("Nobody has connected yet")


def test_a_result_names_the_winner(reader: Reader) -> None:
    port = open_form(reader)
    with named(port, b"ada") as ada, named(port, b"bob"):
        expect(reader.see(".tcp-table .board")).to_be_visible()
        ada.close()  # whoever goes away loses
        expect(reader.see(".results .ended")).to_have_text("bob won")
        expect(reader.see(".tcp-table .status")).to_contain_text("(bob) won: ")


def test_a_game_is_served_watched_and_listed(reader: Reader) -> None:
    port = open_form(reader)
    expect(reader.see(".server-state")).to_contain_text("Nobody has connected yet")
    reader.see(".trace-part summary").click()
    with bots(port):
        expect(reader.see(".tcp-table .board")).to_be_visible()
        expect(reader.see(".server-state")).to_contain_text("All games have been played")
    expect(reader.see(".results a")).to_have_count(1)
    expect(reader.see(".trace")).to_contain_text("< MOV")
    reader.see(".results a").click()
    expect(reader.see(".verdict h2")).to_be_visible()


def test_who_has_come_is_shown_as_text(reader: Reader) -> None:
    port = open_form(reader)
    with named(port, MARKUP):
        expect(reader.see(".chair.here")).to_have_text(MARKUP.decode())
        expect(reader.see(".server-state")).to_have_text("1 program connected")
        assert reader.see("img[onerror]").count() == 0
        reader.button("Close the server").click()
        expect(reader.see(".server-state")).to_have_text("Closed")
    reader.button("Remove").click()
    expect(reader.see(".server")).to_have_count(0)
    expect(reader.see(".servers > .empty")).to_be_visible()


def test_a_program_that_calls_itself_human_is_no_person(reader: Reader, page: Page) -> None:
    port = open_form(reader)
    with named(port, b"human"), named(port, b"other"):
        reader.see(".tcp-table .small-board a").click()
        expect(reader.see(".seat .player").first).to_have_text("human")
        expect(reader.see("h1")).to_contain_text("(human) against")


def test_the_map_of_the_editor_is_served(reader: Reader, page: Page) -> None:
    reader.open("/editor")
    expect(reader.see(".stage.editing .board")).to_be_visible()
    reader.tab.get_by_role("link", name="Serve it to bots").click()
    reader.tab.get_by_label("Port (0").fill("0")
    reader.button("Open the server").click()
    expect(reader.see(".server .about")).to_contain_text("drawn · server rules")
    (server,) = page.get("/servers")
    with named(server["port"], b"one"), named(server["port"], b"two"):
        expect(reader.see(".tcp-table .board")).to_be_visible()
        drawn = page.context.tables.listed()[0].match.initial.view()
    assert {(piece.x, piece.y, piece.count) for piece in drawn.pieces} == {(1, 1, 8), (8, 6, 8)}


def test_who_leaves_the_page_frees_what_it_used(reader: Reader, page: Page) -> None:
    port = open_form(reader)
    with named(port, b"one"), named(port, b"two"):
        expect(reader.see(".tcp-table .board")).to_be_visible()
        table = page.context.tables.listed()[0]
        assert len(table.feed.readers) == 1
        reader.open("/editor")
        expect(reader.see(".stage.editing .board")).to_be_visible()
        while table.feed.readers:
            page.get("/servers")
        assert table.live


def test_a_port_that_is_taken_is_told(reader: Reader) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        reader.open("/servers")
        reader.tab.get_by_label("Port (0").fill(str(port))
        reader.button("Open the server").click()
        expect(reader.see(".server-form [role=alert]")).to_contain_text(f"Port {port} is taken")
    reader.problems.clear()  # the browser's own word about the answer 400


def test_on_a_phone_by_night(browser: Browser, page: Page, reader: Reader) -> None:
    server = page.post("/servers", {"port": 0, "map": "ring", "tables": 2})
    phone = Reader(browser, page, color_scheme="dark", **PHONE)
    with named(server["port"], b"a bot with a very long name " * 5), named(server["port"], b"other"):
        phone.open("/servers")
        expect(phone.see(".tcp-table .board")).to_be_visible()
        assert phone.tab.evaluate("document.documentElement.scrollWidth") <= 390
    assert phone.problems == []
    phone.close()


def test_the_narrowest_phone_has_room_for_links_and_boxes(browser: Browser, page: Page) -> None:
    phone = Reader(browser, page, viewport={"width": 320, "height": 700})
    phone.open("/servers")
    expect(phone.see(".switch input")).to_have_count(2)
    ends = "all => all.map(one => one.getBoundingClientRect().right)"
    assert max(phone.see(".head nav a").evaluate_all(ends)) <= 320
    square = "all => all.every(box => box.offsetWidth === box.offsetHeight)"
    assert phone.see(".switch input").evaluate_all(square)
    phone.close()
