"""Benchmarks of Vampires vs Werewolves: random play-outs from one position."""

from __future__ import annotations

import time

from noctagon.core.game import Benchmark, BenchmarkRun
from noctagon.games.vampires.rules.notation import parse_position

START = (
    "10x10 H3,0:5 H1,1:3 H8,1:1 H5,2:2 H3,3:9 H7,3:7 H0,4:4 H4,4:6 H5,5:6 H9,5:4 H2,6:7 H6,6:9 H4,7:2 H1,8:1 "
    "H8,8:3 H6,9:5 V7,5:8 W2,4:8 V 0"
)
"""First position of the play-outs, here and in the C++ twin: 10×10, 16 houses, 8 against 8."""


def benchmarks(*, quick: bool = False) -> list[Benchmark]:
    """Return the benchmarks: one with a twin in C++, and one for two threads."""
    count = 5_000 if quick else 40_000
    return [
        Benchmark(
            f"vampires, {count:,} random play-outs",
            "turns",
            lambda: random_playouts(count, seed=1),
            ("vampires", str(count), "1"),
        ),
        Benchmark(
            "vampires, two threads", "turns", lambda: random_playouts(10_000 if quick else 40_000, seed=1)
        ),
    ]


def random_playouts(count: int, *, seed: int) -> BenchmarkRun:
    """Play `count` games from `START` to their ends by random turns."""
    import numpy as np

    from noctagon.compiled.jit import Record
    from noctagon.games.vampires.rules import kernel, playout

    packed = parse_position(START)._packed
    state, turn = Record.new(kernel.COMPACT), Record.new(kernel.COMPACT_TURN)
    turn.seed = seed
    people = np.zeros(2, np.int64)
    started = time.perf_counter()
    turns = int(playout.playouts(state, turn, packed, count, people))
    seconds = time.perf_counter() - started
    checksum = 3 * int(people[0]) + int(people[1]) + int(turn.seed) % 2**31
    return BenchmarkRun((turns, checksum), turns, seconds)
