"""The report in a real browser: it asks for nothing, its replays step, and it fits a phone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from noctagon.arena.plan import Plan, PlayerPlan
from noctagon.report import write_report
from tests.arena.games import a_game, standings_of

NAMES = ["ada", "<img src=x onerror=document.title='owned'>", "the team with the very longest name of all 1"]
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = [
    pytest.mark.skipif(
        BROWSER is None and os.environ.get("NOCTAGON_CI") != "1", reason="there is no Chromium here"
    ),
    pytest.mark.xdist_group("browser"),
]


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    games = [
        a_game(players=(one, other), setup=setup, plies=12)
        for one in NAMES
        for other in NAMES
        if one != other
        for setup in ("duel", "trap", NAMES[1])
    ]
    plan = Plan(name="cup", players=tuple(PlayerPlan(spec="greedy", name=name) for name in NAMES))
    folder = tmp_path_factory.mktemp("report")
    page, *_ = write_report(plan, standings_of(plan, NAMES, games), games, lambda game: game.record, folder)
    return page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as started:
        found = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def page(browser: Browser, page_file: Path) -> Iterator[Page]:
    """The page, opened from the disk; afterwards nothing must have been asked for, and nothing have gone wrong."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    opened = context.new_page()
    asked: list[str] = []
    wrong: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("console", lambda message: wrong.append(message.text))
    opened.goto(page_file.as_uri())
    yield opened
    assert asked == [page_file.as_uri()]
    assert wrong == []
    assert opened.title() == "cup"
    context.close()


def test_a_replay_steps_with_keys_buttons_and_slider(page: Page) -> None:
    replay = page.locator("figure.replay").first
    says, board = replay.locator(".says"), replay.locator(".noctagon-board")
    first = board.inner_html()
    assert says.inner_text().startswith("ply 0 of")
    replay.focus()
    replay.press("ArrowRight")
    assert says.inner_text().startswith("ply 1 of")
    assert board.inner_html() != first
    replay.locator(".next").click()
    assert says.inner_text().startswith("ply 2 of")
    replay.locator("input").press("End")
    assert says.inner_text().startswith("ply 12 of")
    assert board.get_attribute("aria-label") == says.inner_text()
    replay.locator("input").press("ArrowLeft")
    assert says.inner_text().startswith("ply 11 of")
    replay.locator(".start").click()
    assert board.inner_html() == first


def test_a_replay_plays_to_the_end_and_pauses(page: Page) -> None:
    page.clock.install()
    replay = page.locator("figure.replay").first
    replay.locator(".play").click()
    assert "Pause" in replay.locator(".play").inner_text()
    page.clock.run_for(3 * 700)
    assert replay.locator(".says").inner_text().startswith("ply 3 of")
    page.clock.run_for(60_000)
    assert replay.locator(".says").inner_text().startswith("ply 12 of")
    assert "Play" in replay.locator(".play").inner_text()


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_nothing_sticks_out_of_the_page(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    sticking = page.evaluate(
        """() => [...document.querySelectorAll(".box")].filter(
            (box) => getComputedStyle(box).overflowX === "visible" && box.scrollWidth > box.clientWidth + 1
        ).map((box) => box.getAttribute("aria-label"))"""
    )
    assert sticking == []


def test_text_can_be_read_by_day_and_by_night(page: Page) -> None:
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for level in (0, 2, 5, 8, 10):
            assert page.evaluate(CONTRAST, level) >= 4.5, (scheme, level)


CONTRAST = """(level) => {
  // The contrast of the text of a cell of a heat map with its ground, as the WCAG computes it.
  const cell = document.createElement("span");
  cell.className = `h${level}`;
  document.querySelector(".box").append(cell);
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const [top, ground] = [cell, cell.parentElement].map((one) => numbers(getComputedStyle(one).backgroundColor));
  const alpha = top[3] ?? 1;
  const mixed = [0, 1, 2].map((channel) => alpha * top[channel] + (1 - alpha) * ground[channel]);
  const light = (colour) => colour.slice(0, 3).map((value) => value / 255)
    .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, channel) => sum + value * [0.2126, 0.7152, 0.0722][channel], 0);
  const [one, other] = [light(mixed), light(numbers(getComputedStyle(cell).color))];
  cell.remove();
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}"""
