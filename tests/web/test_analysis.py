"""Analyses: computed while somebody listens, a few at once, the others told their place in the queue."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from noctagon.processes import system as process
from noctagon.processes.worker_pool import WorkerPool
from noctagon.web.messages.positions import AnalysisUpdate
from tests.web.page import Page, Stream, assert_is, running

START = "dA9 dT9 dF9 . . dT9 dP9 . . . dF9 . . . aP9 . . . aF9 aV9 . . aP9 aV9 aA9 a 0"
MATE = "dA1 aV9 . . . . . . . . . . . . . . . . . . . . . . aA9 a 0"


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with running(analyses=1, queue=1) as found:
        yield found


def ask(page: Page, **given: Any) -> str:
    made = page.post("/analysis", {"game": "wargame", "position": START, "time": 0.5, **given})
    return f"/analysis/{made['id']}"


def told(live: Stream) -> list[dict[str, Any]]:
    """All that is told until it is done, without places in the queue."""
    messages: list[dict[str, Any]] = []
    while not messages or not messages[-1]["done"]:
        message = live.next()
        assert "error" not in message
        if "queue" not in message:
            assert_is(AnalysisUpdate, message)
            messages.append(message)
    return messages


def begun(live: Stream) -> None:
    """Wait until it is being computed: the one before may not have ended yet."""
    while "lines" not in live.next():
        pass


@pytest.mark.parametrize(
    "given",
    [{}, {"game": "vampires", "position": "5x5 H2,2:3 H1,1:2 V0,0:4 W4,4:4 V 0"}, {"player": "alphabeta"}],
)
def test_the_best_moves_with_lines_and_reasons(page: Page, given: dict[str, Any]) -> None:
    with page.socket(ask(page, lines=2, **given)) as live:
        last = told(live)[-1]
        assert live.reason() == 1000
    best = last["lines"][0]
    assert best["line"][0] == best["action"]
    assert len(best["arrows"]) >= 1
    assert best["text"]
    assert last["depth"] >= 1


def test_a_win_is_told_in_words(page: Page) -> None:
    with page.socket(ask(page, position=MATE)) as live:
        best = told(live)[-1]["lines"][0]
    assert (best["action"], best["text"]) == ("A1 A0", "wins in 1")


def test_who_waits_is_told_the_place_and_then_served(page: Page) -> None:
    ways = [ask(page, time=time) for time in (30, 0.2, 0.2)]
    with page.socket(ways[0]) as first:
        begun(first)
        with page.socket(ways[1]) as second:
            assert second.next() == {"queue": 1}
            with page.socket(ways[2]) as third:
                assert "too much" in third.next()["error"]
            first.opened.close()
            assert told(second)[-1]["done"]


def watched(workers: WorkerPool, when: Callable[[], bool]) -> threading.Event:
    """Set when the number of busy processes is as wanted; looked at whenever a place is given back."""
    reached = threading.Event()
    give = workers._give_place

    def noticing() -> None:
        give()
        if when():
            reached.set()

    workers._give_place = noticing  # type: ignore[method-assign] # to look at it
    return reached


def test_when_the_socket_closes_the_process_ends(page: Page) -> None:
    pool = page.context.analysis_pool
    with page.socket(ask(page, time=60)) as live:
        begun(live)
        (worker,) = pool._busy
        ended = watched(pool, lambda: not pool._busy)
    assert ended.wait(30)
    assert not worker.alive


def test_a_process_that_dies_breaks_only_its_own_analysis(page: Page) -> None:
    with page.socket(ask(page, time=60)) as live:
        begun(live)
        (worker,) = page.context.analysis_pool._busy
        process.end_tree(worker.pid)
        while "error" not in (message := live.next()):
            pass
        assert message["error"] == "the analysis broke down"
    with page.socket(ask(page, time=0.2)) as live:
        assert told(live)


def test_an_analysis_is_watched_once(page: Page) -> None:
    way = ask(page, time=0.2)
    with page.socket(way) as live:
        told(live)
    with page.socket(way) as live:
        assert live.reason() == 4004


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"position": "rubbish"}, ""),
        ({"position": ". " * 24 + "dA9 a 0"}, "over"),
        ({"player": "random"}, "does not look ahead"),
        ({"player": "cmd:ls"}, "not one of our players"),
        ({"player": "human"}, ""),
        ({"time": 3000}, "at most"),
        ({"rules": "none"}, "rule set"),
    ],
)
def test_what_cannot_be_analysed_is_said_at_once(page: Page, given: dict[str, Any], words: str) -> None:
    status, sentence = page.refusal("/analysis", {"game": "wargame", "position": START, **given})
    assert status == 400
    assert words in sentence
