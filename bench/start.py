"""How soon the page is there, in a real browser: python bench/start.py [--cold] [--runs 3]

Each run starts `noctagon web` in a process of its own, waits until it listens, and opens the page in headless Chromium.
Times are seconds of wall clock since the process was started, except the paint, which is since the address was
entered. With --cold nothing is compiled before; without, one run that is not counted compiles everything. Needs
`pip install '.[dev]'` and /usr/bin/chromium.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any, NamedTuple

from playwright.sync_api import Browser, sync_playwright

CHROMIUM = "/usr/bin/chromium"
WINDOWS = ((1440, 900), (390, 844))
PATIENCE = 600.0
"""Seconds after which a run has failed."""
WATCH = """() => {
    window.shifts = [];
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push(entry.value);
    }).observe({ type: "layout-shift", buffered: true });
}"""
SHIFT = "() => window.shifts.reduce((sum, one) => sum + one, 0)"
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
SENT = """() => performance.getEntries().filter((one) => "encodedBodySize" in one)
    .reduce((sum, one) => sum + one.encodedBodySize, 0)"""


class Start(NamedTuple):
    """One start of the page."""

    answers: float
    """Seconds until the page's address was answered."""
    paint: float
    """Seconds from entering the address to the first contentful paint."""
    demo: float
    """Seconds until a demonstration was on the screen."""
    shift: float
    """The cumulative layout shift until then, all windows of time together."""
    sent: float
    """KB that were sent until then, sockets not counted."""


@contextlib.contextmanager
def started(cache: str) -> Iterator[tuple[str, float]]:
    """Start the command; yield its address and when it was started, and end it."""
    command = [sys.executable, "-m", "noctagon", "web", "--port", "0", "--no-browser"]
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "NOCTAGON_CACHE_DIR": cache},
        )
        try:
            assert process.stderr is not None
            found = (re.search(r"http://\S+/", line) for line in process.stderr)
            url = next(said[0] for said in found if said)
            threading.Thread(target=process.stderr.read, daemon=True).start()  # or the pipe would fill
            yield url, begin
        finally:
            process.terminate()
            process.wait()


def measure(browser: Browser, cache: str, window: tuple[int, int]) -> Start:
    """Start the page on a folder of compiled code, and watch it until its demonstration is there."""
    with started(cache) as (url, begin):
        urllib.request.urlopen(url).close()
        answers = time.perf_counter() - begin
        context = browser.new_context(viewport={"width": window[0], "height": window[1]})
        page = context.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        page.add_init_script(f"({WATCH})()")
        page.goto(url)
        page.wait_for_function(PAINT)
        paint = float(page.evaluate(PAINT)) / 1000
        page.locator(".demo-slot .piece").first.wait_for()
        demo = time.perf_counter() - begin
        page.locator(".setup").wait_for()
        page.wait_for_timeout(1500)  # what moves late counts too
        shift, sent = float(page.evaluate(SHIFT)), float(page.evaluate(SENT)) / 1000
        context.close()
    return Start(answers, paint, demo, shift, sent)


def compile_everything(cache: str) -> None:
    """Start the page once, until it has compiled all it needs."""
    # A version without the question listens when all is compiled.
    with started(cache) as (url, _), contextlib.suppress(urllib.error.HTTPError):
        while not told(f"{url}api/v1/preparation")["ready"]:
            time.sleep(0.5)


def told(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(url) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cold", action="store_true", help="begin each run with nothing compiled")
    parser.add_argument("--runs", type=int, default=3, help="number of runs for each size of window")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        warm = stack.enter_context(tempfile.TemporaryDirectory())
        if not options.cold:
            compile_everything(warm)
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        stack.callback(browser.close)
        print(f"{'cold' if options.cold else 'warm'}: medians of {options.runs} runs")
        print(f"{'window':>10} {'answers':>8} {'paint':>6} {'demo':>7} {'shift':>6} {'sent':>8}")
        for window in WINDOWS:
            runs = []
            for _ in range(options.runs):
                cache = stack.enter_context(tempfile.TemporaryDirectory()) if options.cold else warm
                runs.append(measure(browser, cache, window))
            middle = Start(*(statistics.median(column) for column in zip(*runs, strict=True)))
            print(
                f"{f'{window[0]}×{window[1]}':>10} {middle.answers:7.2f}s {middle.paint:5.2f}s "
                f"{middle.demo:6.1f}s {middle.shift:6.3f} {middle.sent:5.0f} KB"
            )


if __name__ == "__main__":
    main()
