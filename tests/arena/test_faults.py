"""Bots that hang, flood, fork, fill the disk: each is ended and reported, nobody else notices, nothing is left."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest

from noctagon.arena.bout import Bout, Entrant, Finished
from noctagon.core.clock import TimeControl
from noctagon.core.limits import Limits
from noctagon.core.registry import find_game
from noctagon.processes.executor import ProcessExecutor, run_all

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere best effort"),
    pytest.mark.xdist_group("faults"),
]

HOSTILE = Path(__file__).parent.parent / "bots" / "hostile.py"
GOOD = HOSTILE.with_name("broken.py")
LIMITS = Limits(cpu=20, memory=1000, processes=30, disk=16)
DEADLINE = 30.0
VAMPIRES = find_game("vampires")

DEEDS = {
    "Flood": ("crash", r"it wrote \d+ MiB, over 16"),
    "Fork": ("crash", r"it had \d+ processes, over 30"),
    "Fill": ("crash", r"it wrote \d+ MiB, over 16"),
    "Hoard": ("crash", r"it held \d+ MiB of memory, over 1000"),
    "Leave": ("crash|disconnected", "it ended with exit code 3"),
}
"""What each is ended for, and what is said about it."""
SILENT = ("Hang", "Ignore")
FORMS = ("class", "command")


def spec(kind: str, form: str, folder: Path) -> str:
    if form == "class":
        return f"{HOSTILE}:{kind}:folder={folder}"
    return f"cmd:{sys.executable} {HOSTILE} {kind} {folder}"


def bout(slot: str, first: Entrant, second: Entrant, *, plies: int = 6, seconds: float = 20.0) -> Bout:
    rules = VAMPIRES.make_rules(plies=plies)
    return Bout(
        slot=slot,
        round=1,
        game="vampires",
        entrants=(first, second),
        setup="deserted",
        position=VAMPIRES.format_position(VAMPIRES.initial("deserted", rules)),
        rules=msgspec.to_builtins(rules),
        time=TimeControl(turn=seconds),
        seed=1,
    )


def play(task: Bout) -> Finished:
    return task.play()


def left(mark: str) -> list[str]:
    """The processes that were started with this mark in their environment, by whomever: nobody gets rid of it."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if mark.encode() in (entry / "environ").read_bytes():
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                found.append(f"{entry.name} {words}")
        except OSError:  # no process, or one that is just ending
            continue
    return [process for process in found if "resource_tracker" not in process]


def by_deadline(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + DEADLINE
    while not (held := holds()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return held


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> str:
    """A mark that all processes carry which are started in this test."""
    text = f"faults-{uuid4()}"
    monkeypatch.setenv("NOCTAGON_TEST_MARK", text)
    return text


def tournament(folder: Path) -> list[Bout]:
    """Each hostile bot against one of ours, in turn as the first and as the second; games of ours in between."""
    ours = [Entrant("random", "random"), Entrant("greedy", "greedy")]
    bouts = []
    for number, (kind, form) in enumerate(product([*DEEDS, *SILENT], FORMS)):
        hostile = Entrant(f"{kind} {form}", spec(kind, form, folder), limits=LIMITS)
        pair = [hostile, ours[0]] if number % 2 else [ours[0], hostile]
        plies, seconds = (4, 1.0) if kind in SILENT else (6, 30.0)
        bouts.append(bout(f"{kind} {form}", pair[0], pair[1], plies=plies, seconds=seconds))
        if number % 4 == 0:
            bouts.append(bout(f"fair {number}", ours[0], ours[1], plies=40))
    good = Entrant("good", f"{GOOD}:Good", limits=LIMITS)
    return [*bouts, bout("fair good", good, ours[0])]


def test_whatever_a_bot_does_the_tournament_goes_on(tmp_path: Path, mark: str) -> None:
    bouts = tournament(tmp_path)
    waiting = iter(bouts)
    games: dict[str, Finished] = {}

    def done(task: Bout, game: Finished) -> None:
        assert task.slot not in games
        games[task.slot] = game

    with ProcessExecutor(2, ["vampires"]) as workers:
        run_all(
            workers,
            play,
            lambda running: next(waiting, None) if len(running) < 2 else None,
            done,
        )
    assert by_deadline(lambda: not left(mark)), left(mark)
    assert set(games) == {task.slot for task in bouts}
    for game in games.values():
        side = next((at for at in (0, 1) if game.players[at] not in ("random", "greedy", "good")), None)
        if side is None:
            assert game.reason in ("ply limit", "elimination"), game
            assert (game.late, game.illegal, game.logs) == ((0, 0), (0, 0), ("", ""))
            continue
        kind = game.players[side].split()[0]
        if kind in SILENT:
            assert game.late[side] == game.turns[side] == 2, game
        else:
            reason, detail = DEEDS[kind]
            assert game.winner == 1 - side
            assert re.fullmatch(reason, game.reason), game
            assert re.search(detail, game.detail), game
            assert game.fault == side
        assert len(game.logs[side]) < 50_000
        assert game.late[1 - side] == game.illegal[1 - side] == 0


@pytest.mark.parametrize(
    ("fault", "said"), [("illegal", "it is ply 0\n"), ("late", "it is ply 0\n"), ("none", "")]
)
def test_what_a_bot_printed_is_kept_of_a_game_in_which_it_failed(fault: str, said: str) -> None:
    chatty = Entrant("chatty", f"{GOOD}:Chatty:fault={fault}", limits=LIMITS)
    seconds = 0.5 if fault == "late" else 20.0
    game = bout("1", chatty, Entrant("random", "random"), plies=4, seconds=seconds).play()
    assert game.logs == (said, ""), game


ARENA = """
import sys
import msgspec
from noctagon.arena.bout import Bout
from noctagon.processes.executor import ProcessExecutor

if __name__ == "__main__":
    with ProcessExecutor(1, ["vampires"]) as workers:
        future = workers.submit(Bout.play, msgspec.json.decode(sys.stdin.buffer.read(), type=Bout))
        try:
            future.result()
        except Exception as error:
            print(type(error).__name__, flush=True)
"""


@pytest.mark.parametrize("victim", ["worker", "arena"])
def test_bots_end_with_whoever_plays_their_game(tmp_path: Path, mark: str, victim: str) -> None:
    entrants = [Entrant(form, spec("Ignore", form, tmp_path), limits=LIMITS) for form in FORMS]
    task = bout("1", entrants[0], entrants[1], seconds=30)
    script = tmp_path / "arena.py"
    script.write_text(ARENA)
    with subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as arena:
        assert arena.stdin is not None
        assert arena.stdout is not None
        arena.stdin.write(msgspec.json.encode(task))
        arena.stdin.close()
        sleeper = "import time; time.sleep"
        assert by_deadline(lambda: any(sleeper in process for process in left(mark))), left(mark)
        assert by_deadline(lambda: sum("processes.launcher" in process for process in left(mark)) == 2)
        if victim == "arena":
            arena.kill()
        else:
            workers = [process for process in left(mark) if "spawn_main" in process]
            assert len(workers) == 1
            os.kill(int(workers[0].split()[0]), signal.SIGKILL)
            assert arena.stdout.read() == b"BrokenProcessPool\n"
    assert by_deadline(lambda: not left(mark)), left(mark)
