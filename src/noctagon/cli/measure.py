"""The measurements behind `noctagon bench`: kernels and their C++ twins, threads, start-up."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

import noctagon
from noctagon.cli.screen import describe_count
from noctagon.core.game import NoctagonError
from noctagon.core.registry import find_game

COMPILER = ["g++", "-O3", "-march=native", "-std=c++17"]

PLAYOUT_START = (
    "10x10 H3,0:5 H1,1:3 H8,1:1 H5,2:2 H3,3:9 H7,3:7 H0,4:4 H4,4:6 H5,5:6 H9,5:4 H2,6:7 H6,6:9 H4,7:2 H1,8:1 "
    "H8,8:3 H6,9:5 V7,5:8 W2,4:8 V 0"
)
"""Where the play-outs begin, here and in the twin: 10×10, 16 houses, 8 against 8."""


class Found(NamedTuple):
    """One line of the table."""

    what: str
    this: str
    other: str
    ratio: str
    aim: str
    met: bool


class Run(NamedTuple):
    """One run of a kernel or of its twin: what it counted (equal in both), how much, and how long it took."""

    counts: tuple[int, ...]
    work: int
    seconds: float


class Contest(NamedTuple):
    """The same work for a kernel and its twin."""

    name: str
    unit: str
    ours: Callable[[], Run]
    twin: str
    arguments: tuple[str, ...]


def contests(*, quick: bool = False) -> list[Contest]:
    """What is measured against C++."""
    depth, playouts = (10, 5_000) if quick else (12, 40_000)
    return [
        Contest("wargame, perft 6", "leaves", lambda: perft(6), "wargame", ("perft", "6")),
        Contest(
            f"wargame, alpha-beta {depth} with e0",
            "nodes",
            lambda: alphabeta(depth),
            "wargame",
            ("alphabeta", str(depth)),
        ),
        Contest(
            f"vampires, {playouts:,} random play-outs",
            "turns",
            lambda: random_playouts(playouts, seed=1),
            "vampires",
            (str(playouts), "1"),
        ),
    ]


def measure_all(*, quick: bool, say: Callable[[str], None]) -> Iterator[Found]:
    """All measurements, one after the other."""
    for name in ("vampires", "wargame"):
        find_game(name).load()
    with tempfile.TemporaryDirectory() as folder:
        for contest in contests(quick=quick):
            say(f"{contest.name} …")
            yield against_twin(contest, Path(folder), rounds=3 if quick else 5)
    say("two threads …")
    yield two_threads("wargame, two threads", lambda: alphabeta(11 if quick else 12))
    yield two_threads("vampires, two threads", lambda: random_playouts(10_000 if quick else 40_000, seed=1))
    say("start-up …")
    yield start_up("noctagon --help", ["--help"], 0.3)
    yield start_up(
        "first answer, warm cache", ["play", "vampires", "greedy", "random", "--json", "--plies", "1"], 1.0
    )
    if not quick:
        with tempfile.TemporaryDirectory() as folder:
            yield start_up(
                "first answer, empty cache",
                ["play", "vampires", "greedy", "random", "--json", "--plies", "1"],
                15.0,
                cache=folder,
            )


def perft(depth: int) -> Run:
    from noctagon.games.wargame.rules.state import desk

    table = desk()
    table.put(find_game("wargame").initial().key)
    started = time.perf_counter()
    leaves = int(table.kernel.perft(table.record, depth))
    return Run((leaves, 0), leaves, time.perf_counter() - started)


def alphabeta(depth: int) -> Run:
    from noctagon.games.wargame.rules.state import desk

    table = desk()
    table.put(find_game("wargame").initial().key)
    started = time.perf_counter()
    value = int(table.kernel.alphabeta(table.record, depth, -(1 << 30), 1 << 30))
    seconds = time.perf_counter() - started
    nodes = int(table.record.nodes)
    return Run((nodes, value), nodes, seconds)


def random_playouts(count: int, *, seed: int) -> Run:
    from noctagon.compiled.jit import Record
    from noctagon.games.vampires.rules import kernel, playout

    packed = find_game("vampires").parse_position(PLAYOUT_START)._packed  # type: ignore[attr-defined]
    state, turn = Record.new(kernel.COMPACT), Record.new(kernel.COMPACT_TURN)
    turn.seed = seed
    people = np.zeros(2, np.int64)
    started = time.perf_counter()
    turns = int(playout.playouts(state, turn, packed, count, people))
    seconds = time.perf_counter() - started
    checksum = 3 * int(people[0]) + int(people[1]) + int(turn.seed) % 2**31
    return Run((turns, checksum), turns, seconds)


def twin_source(name: str) -> Path:
    """The C++ source of a twin: in the installed package, or in the source tree beside it."""
    package = Path(noctagon.__file__).parent
    for folder in (package / "_twins", package.parent.parent / "bench" / "twins"):
        if (folder / f"{name}.cpp").is_file():
            return folder / f"{name}.cpp"
    raise NoctagonError(f"the C++ twin of {name} is not part of this installation")


def build_twin(name: str, folder: Path) -> Path | None:
    """Compile a twin into a folder; None where there is no compiler, or none that works."""
    if shutil.which(COMPILER[0]) is None:
        return None
    program = folder / name
    if not program.exists() and subprocess.run([*COMPILER, "-o", program, twin_source(name)]).returncode:
        return None
    return program


def run_twin(program: Path, arguments: tuple[str, ...]) -> Run:
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    count, value, seconds = done.stdout.split()
    return Run((int(count), int(value)), int(count), float(seconds))


def against_twin(contest: Contest, folder: Path, *, rounds: int) -> Found:
    """Ours and the twin by turns; the best time of each."""
    program = build_twin(contest.twin, folder)
    contest.ours()
    if program is None:
        run = min((contest.ours() for _ in range(rounds)), key=lambda run: run.seconds)
        return Found(contest.name, speed(run, contest.unit), "no g++", "", "0.85", False)
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(contest.ours())
        theirs.append(run_twin(program, contest.arguments))
    if {run.counts for run in ours} != {run.counts for run in theirs}:
        raise NoctagonError(f"{contest.name}: {ours[0].counts} here, {theirs[0].counts} in the twin")
    best, best_twin = (min(runs, key=lambda run: run.seconds) for runs in (ours, theirs))
    ratio = best_twin.seconds / best.seconds
    return Found(
        f"{contest.name}, against C++",
        speed(best, contest.unit),
        speed(best_twin, contest.unit),
        f"{ratio:.2f}",
        "0.85",
        ratio >= 0.85,
    )


def speed(run: Run, unit: str) -> str:
    return f"{describe_count(run.work / run.seconds)} {unit}/s"


def two_threads(what: str, work: Callable[[], Run], rounds: int = 3) -> Found:
    """The same work in two threads at once against one after the other: 2 would be perfect."""
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: work(), range(2)))
        ratios, seconds = [], []
        for _ in range(rounds):
            started = time.perf_counter()
            work()
            work()
            one = time.perf_counter() - started
            started = time.perf_counter()
            list(pool.map(lambda _: work(), range(2)))
            both = time.perf_counter() - started
            ratios.append(one / both)
            seconds.append((both, one))
    best = max(range(rounds), key=lambda i: ratios[i])
    both, one = seconds[best]
    return Found(
        f"{what} against one",
        f"{both:.2f} s",
        f"{one:.2f} s",
        f"{ratios[best]:.2f}",
        "1.8",
        ratios[best] >= 1.8,
    )


def start_up(what: str, words: list[str], aim: float, *, cache: str = "") -> Found:
    """A whole command in a fresh process, from its start to its end."""
    environment = {**os.environ, **({"NOCTAGON_CACHE_DIR": cache} if cache else {})}
    best = float("inf")
    for _ in range(1 if cache else 3):
        started = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "noctagon", *words], env=environment, capture_output=True, check=True
        )
        best = min(best, time.perf_counter() - started)
    return Found(what, f"{best:.2f} s", "", "", f"{aim:g} s", best <= aim)
