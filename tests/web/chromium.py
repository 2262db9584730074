"""A real browser in front of a real server: what a reader of the page sees, clicks and types."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Route,
    expect,
    sync_playwright,
)
from playwright.sync_api import Page as Tab

from tests.web.page import Page

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--js-flags=--no-opt,--no-maglev"]
"""Flags of the browser: a page that lives for a second is done before its scripts are worth optimising."""
PATIENCE = 60_000
"""Milliseconds: how long something may take before it counts as not happening."""


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium; without one the test is skipped, except where everything has to be checked."""
    if not CHROMIUM.exists() and os.environ.get("NOCTAGON_CI") != "1":
        pytest.skip(f"there is no {CHROMIUM}: install chromium to test the page in a browser")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Reader:
    """Somebody at a browser. `problems` is all that the browser complained about."""

    def __init__(self, browser: Browser, page: Page, **context: Any) -> None:
        options = {"viewport": {"width": 1400, "height": 900}, "reduced_motion": "reduce", **context}
        self.page = page
        self.context: BrowserContext = browser.new_context(**options)
        self.context.set_default_timeout(PATIENCE)
        self.problems: list[str] = []
        self.tab: Tab = self.context.new_page()
        self.tab.on("console", self._heard)
        self.tab.on("pageerror", lambda error: self.problems.append(str(error)))

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.problems.append(f"{message.text} {message.location.get('url', '')}")

    def open(self, path: str = "/") -> None:
        self.tab.goto(f"{self.page.url}/#{path}")

    def sit(self, table: dict[str, Any], *, keys: bool = True) -> None:
        """Open a game, as whoever made it or as somebody who only looks."""
        if keys:
            rights = json.dumps(json.dumps([table]))
            self.context.add_init_script(
                f"try {{ localStorage.setItem('noctagon.rights', {rights}) }} catch {{}}"
            )
        self.tab.goto("about:blank")  # what is kept is read by a page that is opened anew
        self.open(f"/game/{table['id']}")
        expect(self.tab.locator(".game .board")).to_be_visible()

    def see(self, selector: str, **options: Any) -> Locator:
        return self.tab.locator(selector, **options)

    def button(self, name: str, *, exact: bool = False) -> Locator:
        return self.tab.get_by_role("button", name=name, exact=exact)

    def hold(self, pattern: str) -> list[Route]:
        """Requests to such an address wait from now on, until the test lets them `continue_`."""
        held: list[Route] = []
        self.tab.route(pattern, lambda route: held.append(route))
        return held

    def click_cell(self, x: int, y: int) -> None:
        scale = "e => { const m = e.getScreenCTM(); return [m.a, m.d, m.e, m.f]; }"
        board = self.see(".stage .board")
        board.scroll_into_view_if_needed()
        wide, high, left, top = board.evaluate(scale)
        self.tab.mouse.click(left + (x * 100 + 50) * wide, top + (y * 100 + 50) * high)

    def hints(self, *kinds: str) -> list[tuple[int, int]]:
        """The cells that are offered, by what they are offered for."""
        read = (
            "all => all.map(r => [Math.floor(r.x.baseVal.value / 100), Math.floor(r.y.baseVal.value / 100)])"
        )
        selector = ", ".join(f".hint.{kind} > rect" for kind in kinds)
        return [(x, y) for x, y in self.see(selector).evaluate_all(read)]

    def pieces(self) -> set[tuple[int, int, int]]:
        """What stands on the board: x, y, count."""
        read = "all => all.map(g => [g.getAttribute('transform'), g.textContent])"
        found = set()
        for place, count in self.see(".stage .tallies .tally").evaluate_all(read):
            x, y = map(int, re.findall(r"\d+", place))
            found.add((x // 100, y // 100, int(count)))
        return found

    def turn(self, number: int) -> None:
        """Wait until so many turns are known and the last of them is shown."""
        expect(self.see(".controls .where")).to_have_text(f"Turn {number} of {number}")

    def close(self) -> None:
        self.context.close()


def standing(page: Page, table: dict[str, Any], turn: int = -1) -> set[tuple[int, int, int]]:
    """What stands on the board in truth, after so many turns or now."""
    view = page.context.tables.find(table["id"]).match.states[turn].view()
    return {(piece.x, piece.y, piece.count) for piece in view.pieces}


def play(page: Page, table: dict[str, Any], side: int, action: str) -> None:
    """A person's turn, by the API."""
    page.post(
        f"/tables/{table['id']}/turn", {"side": side, "key": table["keys"][str(side)], "action": action}
    )
