"""The pictures of the page in docs/images, taken anew by `python -m tests.web.pictures [NAME ...]`; look at them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, expect

from tests.web.chromium import Reader, chromium, play
from tests.web.page import Page, running

IMAGES = Path(__file__).parents[2] / "docs" / "images"
WIDE = {"viewport": {"width": 1400, "height": 900}}
NIGHT: dict[str, Any] = {"color_scheme": "dark"}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "has_touch": True,
    "is_mobile": True,
}
STEPS = ("C4 B4", "B4 A4", "D4 C4", "C4 B4", "E3 D3", "D3 C3")
"""Turns of an attacker who wants to meet somebody."""


def home(browser: Browser, page: Page) -> Reader:
    """A demonstration that has got somewhere."""
    reader = Reader(browser, page, **WIDE, **NIGHT)
    reader.open()
    expect(reader.see(".small-board .status")).to_contain_text("Turn 11")
    return reader


def vampires(browser: Browser, page: Page) -> Reader:
    """Two players, just after a battle whose outcome was open."""
    reader = Reader(browser, page, **WIDE, **NIGHT)
    reader.sit(_open_battle(page))
    expect(reader.see(".stage .battle").first).to_be_visible()
    return reader


def _open_battle(page: Page) -> dict[str, Any]:
    """A game that stands still after a battle; not every game has one early."""
    for seed in range(40):
        players = ["champion", "twilight"]
        table = page.table(game="vampires", setup="crumbs", players=players, time=0.3, paused=True, seed=seed)
        with page.socket(f"/tables/{table['id']}/live") as live:
            for _ in range(24):
                page.post(f"/tables/{table['id']}/step", {"key": table["key"]})
                if any(battle["odds"] < 1 for battle in live.until("frame")["battles"]):
                    return table
        page.client.delete(f"/tables/{table['id']}", params={"key": table["key"]})
    raise AssertionError("nobody takes a risk")


def wargame(browser: Browser, page: Page) -> Reader:
    """A person before an attack."""
    table = page.table(game="wargame", players=["human", "champion"], time=1, seed=1)
    reader = Reader(browser, page, **WIDE)
    reader.sit(table)
    for number, step in enumerate(STEPS):
        expect(reader.see(".turns li")).to_have_count(2 * number)
        expect(reader.see(".hint.source").first).to_be_attached()
        asked = page.post("/positions", {"game": "wargame", "position": _now(page, table)})
        attacks = [action for action in asked["actions"] if action["kind"] == "attack"]
        if attacks:
            x, y, tx, ty, _ = attacks[0]["arrows"][0]
            reader.click_cell(x, y)
            reader.click_cell(tx, ty)
            break
        play(page, table, 0, step)
    return reader


def phone(browser: Browser, page: Page) -> Reader:
    """A group is chosen: where it can go, with the odds."""
    table = page.table(game="vampires", setup="duel", players=["human", "champion"], time=1, seed=1)
    reader = Reader(browser, page, **PHONE, **NIGHT)
    reader.sit(table)
    play(page, table, 0, "8,6>7,7:8")
    reader.turn(2)
    expect(reader.see(".hint.source").first).to_be_attached()
    reader.click_cell(7, 7)
    expect(reader.see(".hint.sure").first).to_be_attached()
    reader.tab.evaluate("scrollTo(0, 0)")
    return reader


def replay(browser: Browser, page: Page) -> Reader:
    """A recorded game at its worst mistake, and what the champion would have done."""
    players = ["champion", "merge:depth=3"]
    table = page.table(game="vampires", setup="crumbs", players=players, time=0.15, seed=5)
    reader = Reader(browser, page, viewport={"width": 1440, "height": 1290})
    reader.sit(table)
    expect(reader.see(".verdict")).to_be_visible(timeout=240_000)
    reader.button("Find the mistakes").click()
    expect(reader.see(".replay .board")).to_be_visible()
    reader.button("Find the mistakes").click()
    expect(reader.button("Again")).to_be_visible(timeout=240_000)
    reader.see(".evaluation .mark.blunder, .evaluation .mark").first.press("Enter")
    reader.button("Analyse").click()
    expect(reader.see(".analysis .why")).to_contain_text("Why")
    expect(reader.see(".search-state")).not_to_contain_text("…")
    return reader


def editor(browser: Browser, page: Page) -> Reader:
    """A map of ours, as if it had been drawn."""
    reader = Reader(browser, page, viewport={"width": 1400, "height": 1120})
    reader.open("/editor")
    expect(reader.see(".stage.editing .board")).to_be_visible()
    reader.tab.get_by_label("Begin with a bundled map").select_option("ring")
    expect(reader.see(".stage .piece").nth(10)).to_be_attached()
    return reader


def _now(page: Page, table: dict[str, Any]) -> str:
    turns = len(page.get(f"/tables/{table['id']}")["frames"])
    position: str = page.get(f"/tables/{table['id']}/positions/{turns}")["position"]
    return position


PICTURES: tuple[Callable[[Browser, Page], Reader], ...] = (home, vampires, wargame, phone, replay, editor)


def main() -> None:
    with running() as page, chromium() as browser:
        for picture in [one for one in PICTURES if one.__name__ in (sys.argv[1:] or one.__name__)]:
            reader = picture(browser, page)
            reader.tab.wait_for_timeout(700)  # everything has arrived and is drawn
            reader.tab.screenshot(path=IMAGES / f"page-{picture.__name__}.png")
            reader.close()


if __name__ == "__main__":
    main()
