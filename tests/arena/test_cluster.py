"""Games on other machines: a real scheduler and real workers, of which some are killed, wrong, or not there."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest

from noctagon.arena import cluster as module
from noctagon.arena.bout import Bout, Entrant, Finished
from noctagon.arena.cluster import Cluster, Terms, cluster_executor
from noctagon.core.clock import TimeControl
from noctagon.core.game import NoctagonError
from noctagon.core.registry import find_game
from noctagon.processes.executor import WorkersLost, run_all

pytest.importorskip("distributed")
pytestmark = [pytest.mark.xdist_group("cluster")]

DEADLINE = 60.0
VAMPIRES = find_game("vampires")


class Lab:
    """A scheduler on this machine, and workers that come and go."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stack = ExitStack()
        self._count = 0
        self.scheduler = self._start("dask_scheduler", "--host", "127.0.0.1", "--port", "0")
        self.address = self._told("Scheduler at:")

    def worker(self, *, threads: int = 1, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        options = ["--nthreads", str(threads), "--no-nanny", "--memory-limit", "0", "--host", "127.0.0.1"]
        process = self._start("dask_worker", self.address, *options, env=env)
        self._told("Registered to:")
        return process

    def close(self) -> None:
        self._stack.close()

    def _start(self, tool: str, *words: str, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        self._count += 1
        command = [sys.executable, "-m", f"distributed.cli.{tool}", *words, "--no-dashboard"]
        own = {"DASK_TEMPORARY_DIRECTORY": str(self._folder), **(env or {})}
        with self._log.open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **own})
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process

    @property
    def _log(self) -> Path:
        return self._folder / f"{self._count}.log"

    def _told(self, words: str) -> str:
        """What the one that was started last says after these words."""

        def found() -> list[str]:
            return [line.split()[-1] for line in self._log.read_text().splitlines() if words in line]

        assert by_deadline(lambda: bool(found())), self._log.read_text()
        return found()[0]


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    opened = Lab(tmp_path)
    yield opened
    opened.close()


def by_deadline(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + DEADLINE
    while not (held := holds()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return held


def bout(number: int, first: str = "alphabeta:nodes=3000", second: str = "random", version: str = "") -> Bout:
    rules = VAMPIRES.make_rules(plies=24)
    return Bout(
        slot=f"1/{number}",
        round=1,
        game="vampires",
        entrants=(Entrant("first", first, version), Entrant("second", second)),
        setup="deserted",
        position=VAMPIRES.format_position(VAMPIRES.initial("deserted", rules)),
        rules=msgspec.to_builtins(rules),
        time=TimeControl(turn=60.0),
        seed=number,
    )


def course(game: Finished) -> tuple[Any, ...]:
    """All of a game that must not depend on where, and how fast, it was played."""
    record = msgspec.json.decode(game.record)
    turns = [(turn.get("action"), turn.get("dice")) for turn in record["turns"]]
    return game.slot, game.key, game.winner, game.reason, game.detail, game.plies, turns


def busy(cluster: Cluster) -> set[str]:
    """The workers that have a game."""
    return {worker for worker, tasks in cluster._client.processing().items() if tasks}


def test_a_worker_that_is_killed_loses_no_game_and_plays_none_twice(lab: Lab) -> None:
    workers = [lab.worker(), lab.worker()]
    bouts = [bout(number) for number in range(10)]
    waiting = iter(bouts)
    games: list[Finished] = []
    killed: list[subprocess.Popen[bytes]] = []
    with cluster_executor(lab.address, ["vampires"]) as cluster:
        assert cluster.slots() == 2
        pids = cluster._client.run(os.getpid)

        def done(task: Bout, game: Finished) -> None:
            games.append(game)
            if not killed and (at_work := busy(cluster)):
                pid = pids[at_work.pop()]
                victim = next(process for process in workers if process.pid == pid)
                victim.kill()
                victim.wait()
                killed.append(victim)

        run_all(cluster, Bout.play, lambda running: next(waiting, None) if len(running) < 4 else None, done)
        assert killed
        assert by_deadline(lambda: cluster.slots() == 1)
        lab.worker()
        assert by_deadline(lambda: cluster.slots() == 2)
    assert sorted(map(course, games)) == sorted(course(task.play()) for task in bouts)


def test_what_goes_wrong_on_a_worker_is_told_with_its_name(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lab.worker()
    bot = tmp_path / "bot.py"
    bot.write_text("class Bot:\n    pass\n")
    with cluster_executor(lab.address) as cluster:
        with pytest.raises(NoctagonError, match=r"worker tcp://127.*nowhere.py: No such file"):
            cluster.submit(Bout.play, bout(1, "/nowhere.py:Bot")).result()
        with pytest.raises(NoctagonError, match=r"worker tcp://127.*first is not the program any more"):
            cluster.submit(Bout.play, bout(1, f"{bot}:Bot", version="another")).result()
        slow = cluster.submit(time.sleep, 600)
        cluster.kill()
        assert isinstance(slow.exception(timeout=DEADLINE), CancelledError)
    monkeypatch.setattr(Terms, "here", lambda: Terms("3.9", "0.0"))
    with (
        pytest.raises(
            NoctagonError, match=r"scheduler at tcp://127.* has Python 3.*; this is Python 3.9 and"
        ),
        cluster_executor(lab.address),
    ):
        pass


def test_workers_that_cannot_play_are_refused(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(module, "ARRIVAL_SECONDS", 0.1)
    with pytest.raises(NoctagonError, match="has no workers"), cluster_executor(lab.address):
        pass
    two = lab.worker(threads=2)
    with (
        pytest.raises(NoctagonError, match=r"worker tcp://127.* has 2 threads: .* --nthreads 1"),
        cluster_executor(lab.address),
    ):
        pass
    two.kill()
    two.wait()
    stranger = tmp_path / "noctagon"
    stranger.mkdir()
    (stranger / "__init__.py").touch()
    lab.worker(env={"PYTHONPATH": str(tmp_path)})
    with (
        pytest.raises(
            NoctagonError, match=r"worker tcp://127.* has no noctagon that can play here .*noctagon.arena"
        ),
        cluster_executor(lab.address),
    ):
        pass


def test_without_its_scheduler_everything_stops_with_a_word(lab: Lab) -> None:
    lab.worker()
    waiting = iter([bout(number) for number in range(100)])
    games: list[Finished] = []

    def done(task: Bout, game: Finished) -> None:
        games.append(game)
        if len(games) == 2:
            lab.scheduler.kill()
            lab.scheduler.wait()

    with (
        cluster_executor(lab.address, ["vampires"]) as cluster,
        pytest.raises(WorkersLost, match=r"scheduler at tcp://127.* is gone; .* the same command goes on"),
    ):
        run_all(
            cluster,
            Bout.play,
            lambda running: next(waiting, None) if len(running) < cluster.slots() else None,
            done,
        )
    assert len(games) == 2


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "127.0.0.1:1", "nonsense://x", "tcp://"])
def test_no_scheduler(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CONNECT_SECONDS", 0.3)
    with pytest.raises(NoctagonError, match="no Dask scheduler answers at"), cluster_executor(address):
        pass


def test_no_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(NoctagonError, match=r"pip install 'noctagon\[cluster\]'"),
        cluster_executor("tcp://127.0.0.1:1"),
    ):
        pass
