"""The champion of Vampires vs Werewolves, measured: `python bench/vampires_engine.py [--seconds 0.5] [--fuzz 10000]`.

Nodes a second and the depth reached, by the size of the map, by houses and by groups; what each technique is worth
(nodes to a fixed depth without it); what a second thread is worth; the memory and the time that the largest position
takes. With `--fuzz N`, N random positions of both rule sets instead, with bounds checks on and a kernel cache of
its own: every answer legal, every line playable, no node and no second more than allowed.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from noctagon.core.clock import Clock
from noctagon.core.player import GameStart, PlayerSpec
from noctagon.games.vampires import VampiresState, game
from noctagon.games.vampires.champion.evaluation import crop
from noctagon.games.vampires.champion.search import ALL_FEATURES, DEEPEST, MOST_TURNS, Engine, load, new_table
from noctagon.games.vampires.maps.map import bundled_maps
from noctagon.games.vampires.rules.ruleset import SPECIES, VampiresRules
from noctagon.players import make_player
from noctagon.search.tree import WIN, Budget, Finding

SIZES = ((5, 10), (10, 10), (15, 15), (30, 30), (60, 60), (255, 255))
HOUSES = (0, 4, 8, 16, 32, 100, 300)
GROUPS = (1, 2, 3, 4, 6, 8, 16, 40)
COLUMNS = f"{'depth':>6}{'nodes':>12}{'nodes/s':>12}{'table':>8}"
CHECKED = "NUMBA_BOUNDSCHECK"


def position(
    rng: Random, *, rows: int, columns: int, houses: int, groups: int, **options: Any
) -> VampiresState:
    """Return a random position of that size and content."""
    spots = rng.sample(range(rows * columns), houses + 2 * groups)
    cells = [(spot % columns, spot // columns) for spot in spots]
    most = options.pop("most", 20)

    def content(first: int, count: int) -> dict[tuple[int, int], int]:
        return {cell: rng.randint(1, most) for cell in cells[first : first + count]}

    return VampiresState(
        rows=rows,
        columns=columns,
        humans=content(0, houses),
        vampires=content(houses, groups),
        werewolves=content(houses + groups, groups),
        **options,
    )


def timed(state: VampiresState, seconds: float, **options: Any) -> tuple[Finding[Any], float]:
    """Return the last finding of a search of this many seconds, and the processor seconds that it had."""
    engine = Engine(table=warm_table(), budget=Budget(deadline=time.monotonic() + seconds), **options)
    began = time.process_time()
    *_, last = engine.deepen(state, DEEPEST)
    return last._replace(tally=engine.tally), time.process_time() - began


def warm_table() -> Any:
    """Return a table whose memory has been touched, so that no page is fetched while the clock runs."""
    table = new_table()
    table.entries[:] = 0
    return table


def told(name: str, state: VampiresState, seconds: float, **options: Any) -> None:
    last, spent = timed(state, seconds, **options)
    nodes, use = last.tally.nodes, last.tally.table_use or 0.0
    print(f"{name:<28}{last.depth:>6}{nodes:>12,}{nodes / max(spent, 1e-9):>12,.0f}{use:>8.0%}", flush=True)


def growth(seconds: float) -> None:
    """Print how the cost grows: three tables, in each of which one thing grows."""
    print(f"{seconds:g} s each; nodes a second are per second of processor time\n")
    print(f"{'map':<28}{COLUMNS}")
    for name, found in bundled_maps().items():
        told(name, VampiresState.from_map(found), seconds)
    print(f"\n{'8 houses, 2 groups a side':<28}{COLUMNS}")
    for rows, columns in SIZES:
        state = position(Random(1), rows=rows, columns=columns, houses=8, groups=2)
        told(f"{rows} × {columns}", state, seconds)
    print(f"\n{'20 × 20, 2 groups a side':<28}{COLUMNS}")
    for houses in HOUSES:
        state = position(Random(2), rows=20, columns=20, houses=houses, groups=2)
        told(f"{houses} houses", state, seconds)
    print(f"\n{'20 × 20, 16 houses':<28}{COLUMNS}")
    for groups in GROUPS:
        state = position(Random(3), rows=20, columns=20, houses=16, groups=groups)
        told(f"{groups} group{'s' * (groups > 1)} a side", state, seconds)
    print(f"\n{'threads':<28}{COLUMNS}")
    for threads in (1, 2):
        told(f"{threads}", game.initial(), seconds, threads=threads)
    print()


def samples(count: int) -> list[VampiresState]:
    """Return positions on the bundled maps after a few random plies."""
    rng = Random(4)
    found = []
    for one in (*bundled_maps().values(),) * count:
        state = VampiresState.from_map(one)
        for _ in range(rng.randrange(8)):
            turn = state.actions().sample(rng)
            after = state.play(turn, state.roll(turn, rng))
            if after.result is None:
                state = after
        found.append(state)
    return found[:count]


def techniques(depth: int) -> None:
    """Print how many more nodes a search to a depth takes without each technique."""
    from noctagon.games.vampires.champion import search_kernel

    switches = {
        "late turns reduced": search_kernel.REDUCTIONS,
        "null turns": search_kernel.NULL_TURNS,
        "killer turns": search_kernel.KILLERS,
        "extensions for battles": search_kernel.EXTENSIONS,
        "narrowing": search_kernel.NARROWING,
    }
    states = samples(12)

    def nodes(features: int) -> int:
        total = 0
        for state in states:
            engine = Engine(features=features)
            for _ in engine.deepen(state, depth):
                pass
            total += engine.tally.nodes
        return total

    full = nodes(ALL_FEATURES)
    print(f"nodes to depth {depth}, {len(states)} positions\n")
    print(f"{'all techniques':<36}{full:>12,}")
    for name, bit in switches.items():
        count = nodes(ALL_FEATURES & ~bit)
        print(f"{'without ' + name:<36}{count:>12,}{count / full:>8.2f}×", flush=True)
    count = nodes(0)
    print(f"{'without any of them':<36}{count:>12,}{count / full:>8.2f}×\n")


def largest(seconds: float) -> None:
    """Print the time and the peak memory of a turn in the largest position that must be answered."""
    state = position(
        Random(5), rows=255, columns=255, houses=300, groups=40, rules=VampiresRules(name="server")
    )
    for options in ("", "threads=2"):
        player = make_player(PlayerSpec.parse(f"champion:{options}" if options else "champion"), game)
        player.start(GameStart(state), state.side)
        clock = Clock(seconds)
        decided = player.choose(state, clock)
        state.check(decided.action)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"255 × 255, 300 houses, 40 groups a side {options or 'threads=1'}: depth {decided.thought.depth},"
            f" {decided.thought.nodes:,} nodes, {clock.elapsed():.3f} s of {seconds:g} s, at most {peak:.0f} MB",
            flush=True,
        )


def any_position(rng: Random) -> VampiresState:
    """Return a position of an unfinished game: small and crowded, or large, or full of creatures."""
    from tests.vampires.positions import random_position

    if rng.random() < 0.5:
        return random_position(rng, largest=rng.choice((4, 7, 12)))
    rules = VampiresRules(
        name=rng.choice(("handout", "server")),
        plies=rng.choice((1, 9, 200, 1000)),
        majority=rng.random() < 0.1,
    )
    while True:
        rows, columns = rng.choice(((255, 255), (rng.randint(1, 255), rng.randint(1, 255)), (12, 12)))
        houses, groups = rng.choice((0, 1, 8, 60, 300, 600)), rng.choice((1, 2, 3, 4, 9, 40, 130))
        if houses + 2 * groups > rows * columns:
            continue
        most = rng.choice((3, 30, 255) if rules.name == "server" else (3, 30, 3_000, 1_000_000))
        state = position(
            rng,
            rows=rows,
            columns=columns,
            houses=houses,
            groups=groups,
            most=most,
            to_move=rng.choice(SPECIES),
            first=rng.choice(SPECIES),
            ply=rng.randrange(rules.plies),
            rules=rules,
        )
        if state.result is None:
            return state


def fuzz(count: int, seed: int) -> int:
    """Search random positions with random options; return the number of faulty answers."""
    table = new_table()
    faults: Counter[str] = Counter()
    began = time.perf_counter()
    for number in range(seed, seed + count):
        rng = Random(number)
        state = any_position(rng)
        nodes = rng.choice((1, 2, 30, 100, 300))
        options: dict[str, Any] = {
            "threads": 2 if rng.random() < 0.05 else 1,
            "width": rng.choice((1, 2, 5, 16, 16, MOST_TURNS)),
            "features": rng.choice((ALL_FEATURES, ALL_FEATURES, 0, rng.randrange(ALL_FEATURES))),
        }
        seconds = rng.choice((0.02, 0.05)) if rng.random() < 0.05 else None
        deadline = None if seconds is None else time.monotonic() + seconds / 2  # as much as players keep back
        engine = Engine(table=table, budget=Budget(None if seconds else nodes, deadline), **options)
        busy = time.process_time()
        try:
            findings = list(engine.deepen(state, rng.choice((1, 4, DEEPEST))))
            late = seconds is not None and time.process_time() - busy > seconds * options["threads"]
            for found in findings:
                state.check(found.action)
                check_line(state, found, rng)
        except Exception as error:
            faults[type(error).__name__] += 1
            print(
                f"{number}: {type(error).__name__}: {error}: {options}, {nodes} nodes: {described_briefly(state)}"
            )
            continue
        last = findings[-1]
        wrong = {
            "too many nodes": seconds is None and engine.tally.nodes > nodes,
            "late": late,
            "no value": abs(last.value) > WIN,
        }
        for fault in (name for name, happened in wrong.items() if happened):
            faults[fault] += 1
            if faults[fault] <= 10:
                print(f"{number}: {fault}: {last.value}, {engine.tally.nodes} of {nodes} nodes, {options}")
                print(f"    {described_briefly(state)}", flush=True)
        if (number + 1 - seed) % 1000 == 0:
            print(f"{number + 1 - seed:,} positions, {time.perf_counter() - began:.0f} s", flush=True)
    checks = "on" if os.environ.get(CHECKED) == "1" else "off"
    print(f"{count:,} random positions, bounds checks {checks}: {dict(faults) or 'no fault'}")
    return faults.total()


def check_line(state: VampiresState, found: Finding[Any], rng: Random) -> None:
    """Check that every turn of a line is legal, and that none follows a turn that chance decides."""
    after = crop(state)
    for number, turn in enumerate(found.line, 1):
        after.check(turn)
        if after.chances(turn) and number < len(found.line):
            raise AssertionError(f"the line goes on after a random battle: {found.line}")
        after = after.play(turn, after.roll(turn, rng))


def described_briefly(state: VampiresState) -> str:
    text = game.format_position(state)
    return f"{text if len(text) < 300 else text[:300] + '…'} ({state.rules})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--depth", type=int, default=6, help="for what each technique is worth")
    parser.add_argument("--only", choices=("growth", "techniques", "largest"))
    parser.add_argument("--fuzz", type=int, default=0, metavar="COUNT")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first random position")
    given = parser.parse_args()
    if given.fuzz and os.environ.get(CHECKED) != "1":
        with tempfile.TemporaryDirectory() as folder:
            checked = {**os.environ, CHECKED: "1", "NOCTAGON_CACHE_DIR": folder}
            return subprocess.run([sys.executable, *sys.argv], env=checked, check=False).returncode
    game.load()
    load()
    if given.fuzz:
        return 1 if fuzz(given.fuzz, given.seed) else 0
    if given.only in (None, "largest"):  # first, for the memory is that of the whole process
        largest(given.seconds)
        print()
    if given.only in (None, "growth"):
        growth(given.seconds)
    if given.only in (None, "techniques"):
        techniques(given.depth)
    return 0


if __name__ == "__main__":
    sys.exit(main())
