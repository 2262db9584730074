"""Keeping workers busy, and what comes back from them: results, and errors in the user's words."""

from __future__ import annotations

import pickle
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from noctagon.arena.workers import work_off
from noctagon.game import NoctagonError, UnknownName


def test_an_error_stops_what_is_to_come_and_keeps_what_is_running() -> None:
    failed = Event()
    waiting = iter(["fails", "runs", "never begun"])
    kept: list[str] = []

    def perform(task: str) -> str:
        if task == "fails":
            raise NoctagonError("the file has changed")
        assert failed.wait(60)
        return f"{task} to its end"

    def next_task(running: Collection[str]) -> str | None:
        return next(waiting) if len(running) < 2 else None

    def look(running: Collection[str], pressed: int) -> None:
        if "fails" not in running:
            failed.set()

    with (
        ThreadPoolExecutor(2) as pool,
        pytest.raises(NoctagonError, match=r"^the file has changed \(in fails\)$"),
    ):
        work_off(pool, perform, next_task, lambda task, result: kept.append(result), look=look)
    assert kept == ["runs to its end"]
    assert next(waiting) == "never begun"


def test_an_unknown_name_can_be_told_by_another_process() -> None:
    error = UnknownName("class of ada.py", "Bot", {"Bot2", "Bob"})
    found = pickle.loads(pickle.dumps(error))
    assert isinstance(found, UnknownName)
    assert str(found) == str(error)
