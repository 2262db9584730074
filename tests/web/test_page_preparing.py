"""The first minute in a real browser: the page stands, says what is compiled, and nothing moves when a game arrives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from noctagon.web import preparing
from tests.web.chromium import Reader
from tests.web.compiling import SlowPreparation
from tests.web.page import Page, running

pytestmark = pytest.mark.xdist_group("page")

WINDOWS = [(1440, 900), (1366, 768), (1920, 1080), (390, 844)]
SHIFTS = """() => {
    window.shifts = [];
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.shifts.push(entry.value);
    }).observe({ type: "layout-shift", buffered: true });
}"""
PLACES = [".hero h1", ".hero .lead", ".demo-slot", ".new-game"]


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SlowPreparation:
    monkeypatch.setattr(preparing, "PATIENCE", 0.0)
    return SlowPreparation(tmp_path)


@pytest.fixture
def page(slow: SlowPreparation) -> Iterator[Page]:
    with running(preparation=slow) as found:
        yield found


def boxes(reader: Reader) -> list[Any]:
    """Where the parts of the first page are."""
    return [reader.see(place).bounding_box() for place in PLACES]


def row(reader: Reader, what: str) -> Locator:
    return reader.see(".preparing li", has_text=what)


@pytest.mark.parametrize(("width", "height"), WINDOWS)
def test_nothing_moves_when_the_first_game_arrives(
    browser: Browser, page: Page, slow: SlowPreparation, width: int, height: int
) -> None:
    reader = Reader(browser, page, viewport={"width": width, "height": height})
    reader.tab.add_init_script(f"({SHIFTS})()")
    reader.open()
    expect(reader.see(".setup")).to_be_visible()
    expect(reader.see(".demo-slot .preparing")).to_be_visible()
    before = boxes(reader)
    page.wait_for(slow.release("vampires", "rules"))
    expect(reader.see(".demo-slot .board")).to_be_visible()
    assert boxes(reader) == before
    page.wait_for(slow.release_all())
    expect(reader.see(".preparing")).to_be_hidden()
    assert boxes(reader) == before
    assert sum(reader.tab.evaluate("() => window.shifts")) < 0.01
    assert reader.problems == []
    reader.close()


def test_what_is_compiled_is_shown_until_it_is_ready(
    reader: Reader, page: Page, slow: SlowPreparation
) -> None:
    reader.open()
    expect(reader.see(".preparing li")).to_have_count(4)
    rules = row(reader, "the rules of AI Wargame")
    expect(rules.locator("small")).to_contain_text("4 of 10 functions")
    expect(rules.locator("progress")).to_have_attribute("value", "4")
    expect(row(reader, "the champion of AI Wargame").locator("small")).to_have_text("waits for its turn")
    expect(reader.see(".preparing")).to_contain_text("this one time only")
    page.wait_for(slow.release("wargame", "rules"))
    expect(rules).to_have_count(0)
    expect(reader.see(".demo-slot .board")).to_be_visible()
    expect(reader.see("body > .preparing")).to_be_visible()
    page.wait_for(slow.release_all())
    expect(reader.see(".preparing")).to_be_hidden()


def test_pictures_of_maps_come_when_the_rules_are_ready(
    reader: Reader, page: Page, slow: SlowPreparation
) -> None:
    reader.open()
    expect(reader.see(".maps img[src]")).to_have_count(0)
    expect(reader.see(".maps img").first).to_be_attached()
    page.wait_for(slow.release_all())
    expect(reader.see(".maps img:not([src])")).to_have_count(0)


def test_a_game_against_the_champion_begins_before_it_is_ready(
    reader: Reader, page: Page, slow: SlowPreparation
) -> None:
    page.wait_for(slow.release("wargame", "rules"))
    table = page.table(game="wargame", players=["champion", "human"], time=0.1)
    reader.sit(table)
    expect(reader.see(".turn-wait")).to_contain_text(
        "The champion of AI Wargame is being compiled, this one time only."
    )
    expect(row(reader, "the champion of AI Wargame")).to_be_visible()
    page.wait_for(slow.release("wargame", "champion"))
    expect(reader.see(".turn-panel")).to_contain_text("Your turn")
    reader.turn(1)


def test_a_game_that_is_asked_for_too_early_begins_by_itself(
    reader: Reader, page: Page, slow: SlowPreparation
) -> None:
    reader.open()
    reader.button("Play AI Wargame").click()
    expect(reader.see(".pitch")).to_contain_text("The game begins as soon as its rules are compiled.")
    page.wait_for(slow.release("wargame", "rules"))
    expect(reader.see(".game .board")).to_be_visible()


def test_a_request_that_came_too_early_is_sent_again(
    reader: Reader, page: Page, slow: SlowPreparation
) -> None:
    with reader.tab.expect_response(lambda response: response.status == 503):
        reader.open("/editor")
    page.wait_for(slow.release_all())
    expect(reader.see(".editor")).to_be_visible()
    early = "Failed to load resource: the server responded with a status of 503"  # in the browser's own words
    assert all(problem.startswith(early) for problem in reader.problems)
    reader.problems.clear()
