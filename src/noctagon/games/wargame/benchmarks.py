"""The benchmarks of AI Wargame: counting and searching from the opening."""

from __future__ import annotations

import time

from noctagon.core.game import Benchmark, BenchmarkRun
from noctagon.games.wargame.rules import units
from noctagon.games.wargame.rules.notation import parse_position
from noctagon.games.wargame.rules.state import WargameState, scratch

INFINITE = 1 << 30


def benchmarks(*, quick: bool = False) -> list[Benchmark]:
    """Return the benchmarks: two with a twin in C++, and one for two threads."""
    depth = 10 if quick else 12
    return [
        Benchmark("wargame, perft 6", "leaves", lambda: perft(6), ("wargame", "perft", "6")),
        Benchmark(
            f"wargame, alpha-beta {depth} with e0",
            "nodes",
            lambda: alphabeta(depth),
            ("wargame", "alphabeta", str(depth)),
        ),
        Benchmark("wargame, two threads", "nodes", lambda: alphabeta(11 if quick else 12)),
    ]


def perft(depth: int) -> BenchmarkRun:
    """Count the sequences of `depth` actions from the opening."""
    table = scratch()
    table.put(opening())
    started = time.perf_counter()
    leaves = int(table.kernel.perft(table.record, depth))
    return BenchmarkRun((leaves, 0), leaves, time.perf_counter() - started)


def alphabeta(depth: int) -> BenchmarkRun:
    """Search the opening to a depth with plain alpha-beta and e0."""
    table = scratch()
    table.put(opening())
    started = time.perf_counter()
    value = int(table.kernel.alphabeta(table.record, depth, -INFINITE, INFINITE))
    seconds = time.perf_counter() - started
    nodes = int(table.record.nodes)
    return BenchmarkRun((nodes, value), nodes, seconds)


def opening() -> bytes:
    """Return the key of the opening position."""
    cells, side, ply = parse_position(units.START)
    return WargameState(cells, side=side, ply=ply).key
