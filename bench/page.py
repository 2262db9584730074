"""Measure the page in a real browser: `python bench/page.py`.

A step on a board of 30 × 30 cells, in milliseconds of script; 20 live boards, in frames a second; the first view.
Needs `pip install '.[dev]'` and /usr/bin/chromium.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import statistics
import threading
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
from playwright.sync_api import CDPSession, Page, sync_playwright

from noctagon.core.events import Played
from noctagon.core.match import Match
from noctagon.core.registry import find_game
from noctagon.web.page_server import server
from noctagon.web.settings import Settings
from noctagon.web.tables.frames import frame_of

CHROMIUM = "/usr/bin/chromium"
STEPS = """async ({ snapshot, frames }) => {
    const [{ GamePage }, { LiveTable }] = await Promise.all(
        ["game", "live"].map((name) => import(`/static/js/${name}.js`)));
    const table = new LiveTable("bench", snapshot);
    const page = await GamePage.make(table);
    document.getElementById("page").replaceChildren(page.element);
    const pause = (ms) => new Promise((done) => setTimeout(done, ms));
    await pause(500);
    const times = [];
    for (const frame of frames) {
        const start = performance.now();
        table.receive({ frame });
        const moving = performance.now();
        await pause(60); // it is on its way
        const arriving = performance.now();
        page.board.settle();
        times.push(moving - start + performance.now() - arriving);
        await pause(20);
    }
    page.close();
    return times;
}"""
BOARDS = """async ({ snapshot, frames, boards, seconds }) => {
    const [{ SmallBoard }, { LiveTable }, { facesOf }] = await Promise.all(
        ["watch", "live", "symbols"].map((name) => import(`/static/js/${name}.js`)));
    const faces = await facesOf(snapshot.game);
    const all = Array.from({ length: boards }, () => new SmallBoard(new LiveTable("bench", snapshot), faces));
    const grid = document.createElement("div");
    grid.style.display = "grid";
    grid.style.gridTemplateColumns = "repeat(5, 1fr)";
    grid.append(...all.map((board) => board.element));
    document.getElementById("page").replaceChildren(grid);
    const turns = all.map((board, number) => setTimeout(() => setInterval(() => {
        const frame = frames[board.table.history.length];
        if (frame) board.table.receive({ frame });
    }, 500), number * 25));
    const gaps = [];
    await new Promise((done) => {
        const start = performance.now();
        let last = start;
        const tick = (now) => {
            gaps.push(now - last);
            last = now;
            if (now - start < seconds * 1000) requestAnimationFrame(tick);
            else done();
        };
        requestAnimationFrame(tick);
    });
    return gaps.slice(1);
}"""


def film(setup: str, plies: int, seed: int = 3) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a game of random turns: a snapshot of its beginning, and the frames that follow."""
    game, rng = find_game("vampires"), Random(seed)
    match = Match(game, setup=setup, seed=seed)
    frames = []
    while match.result is None and len(match.turns) < plies:
        before = match.state
        event = match.answer(before.actions().sample(rng), 0.1)[0]
        assert isinstance(event, Played)
        frames.append(json.loads(msgspec.json.encode(frame_of(event, len(match.turns), game))))
    view = json.loads(msgspec.json.encode(match.initial.view()))
    snapshot: dict[str, Any] = {
        "id": "bench",
        "game": "vampires",
        "setup": setup,
        "rules": {},
        "players": ["random"] * 2,
    }
    snapshot |= {
        "sides": view["sides"],
        "time": 2.0,
        "origin": "page",
        "live": False,
        "view": view,
        "frames": [],
    }
    snapshot |= {"position": "", "paused": False, "pace": 1.0, "waiting": None, "humans": [False, False]}
    snapshot |= {
        "clock": {"side": None, "seconds": None, "elapsed": 0.0},
        "spectators": 1,
        "preparing": "",
        "result": None,
    }
    return snapshot, frames


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """Serve the page on a free port of this machine."""
    listening = socket.create_server(("127.0.0.1", 0))
    started = threading.Event()
    found = server(Settings(port=listening.getsockname()[1]), started=started.set)
    thread = threading.Thread(target=lambda: asyncio.run(found.serve([listening])), daemon=True)
    thread.start()
    started.wait(120)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        found.should_exit = True
        thread.join(60)


def first_view(page: Page, url: str) -> float:
    """Return the milliseconds from the request for the page until its demo game is on the screen."""
    page.goto("about:blank")
    page.goto(f"{url}/")
    page.locator(".small-board .piece").first.wait_for()
    page.locator(".setup").wait_for()
    return float(page.evaluate("() => performance.now()"))


def busy(watch: CDPSession) -> float:
    """Return the seconds that the page's own thread has computed, without waiting for a processor."""
    metrics = {metric["name"]: metric["value"] for metric in watch.send("Performance.getMetrics")["metrics"]}
    return float(metrics["TaskDuration"])


def percentile(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def main() -> None:
    with serving() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        views = [first_view(page, url) for _ in range(4)]
        print(f"first view: {views[0]:.0f} ms cold, {statistics.median(views[1:]):.0f} ms warm")
        page.goto(f"{url}/#/nothing")
        snapshot, frames = film("wilds", 80)
        size = f"{snapshot['view']['rows']} × {snapshot['view']['columns']}"
        times = page.evaluate(STEPS, {"snapshot": snapshot, "frames": frames})
        print(
            f"a step on wilds ({size}, {len(snapshot['view']['pieces'])} pieces), whole page: median "
            f"{statistics.median(times):.2f} ms of script, 95 % under {percentile(times, 0.95):.2f}, "
            f"most {max(times):.2f}"
        )
        snapshot, frames = film("duel", 200)
        watch = page.context.new_cdp_session(page)
        watch.send("Performance.enable", {"timeDomain": "threadTicks"})
        before = busy(watch)
        gaps = page.evaluate(BOARDS, {"snapshot": snapshot, "frames": frames, "boards": 20, "seconds": 8})
        print(
            f"20 live boards, 40 turns a second: {1000 / statistics.mean(gaps):.0f} frames a second, "
            f"the page's thread computes {(busy(watch) - before) / sum(gaps) * 1e5:.0f} % of the time, "
            f"95 % of frames within {percentile(gaps, 0.95):.0f} ms, the slowest {max(gaps):.0f} ms"
        )
        browser.close()


if __name__ == "__main__":
    main()
