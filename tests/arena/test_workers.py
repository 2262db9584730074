"""Keeping workers busy, and what comes back from them: results, and errors in the user's words."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from noctagon.core.game import NoctagonError, UnknownName
from noctagon.processes.executor import interrupts, run_all


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
        run_all(pool, perform, next_task, lambda task, result: kept.append(result), look=look)
    assert kept == ["runs to its end"]
    assert next(waiting) == "never begun"


def test_an_unknown_name_can_be_told_by_another_process() -> None:
    error = UnknownName("class of ada.py", "Bot", {"Bot2", "Bob"})
    found = pickle.loads(pickle.dumps(error))
    assert isinstance(found, UnknownName)
    assert str(found) == str(error)


WORK = """
import signal, sys, time
from noctagon.processes.executor import ProcessExecutor, run_all

def look(running, presses):
    print(f"{len(running)} at work", flush=True)

if __name__ == "__main__":
    signal.signal(signal.Signals[sys.argv[1]], signal.SIG_DFL)  # these tests themselves may run under nohup
    with ProcessExecutor(1) as workers:
        try:
            run_all(workers, time.sleep, lambda running: None if running else 600, print, look=look)
        except KeyboardInterrupt:
            print("stopped")
"""


@pytest.mark.skipif(os.name == "nt", reason="a process is told nothing there before it is ended")
@pytest.mark.parametrize("how", ["SIGTERM", "SIGHUP"])
def test_told_to_end_work_stops_at_once_and_leaves_nothing(tmp_path: Path, how: str) -> None:
    script = tmp_path / "work.py"
    script.write_text(WORK)
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, script, how], stdout=pipe, stderr=pipe, text=True) as working:
        assert working.stdout is not None
        assert working.stdout.readline() == "1 at work\n"
        working.send_signal(signal.Signals[how])
        out, err = working.communicate(timeout=60)
    assert out.endswith("stopped\n")
    assert (working.returncode, err) == (0, "")


@pytest.mark.skipif(os.name == "nt", reason="there are no windows that tell a process when they are closed")
def test_with_nohup_a_closed_window_is_no_matter() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupts() as pressed:
            signal.raise_signal(signal.SIGHUP)
        assert pressed.count == 0
    finally:
        signal.signal(signal.SIGHUP, before)
