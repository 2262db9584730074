"""The champion of AI Wargame, measured: `python bench/wargame_engine.py [--seconds 2] [--fuzz 10000]`.

Nodes a second and the depths reached, with nothing left out and with all techniques; what each technique is worth
(nodes to depth 10 without it); what a second thread is worth. With `--fuzz N`, N random positions instead, with
bounds checks on and a kernel cache of its own.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent.parent))

from noctagon.games.wargame import WargameState, game
from noctagon.games.wargame.champion.search import DEEPEST, LOSSY, Engine, new_table
from noctagon.games.wargame.players import evaluation
from noctagon.search.tree import Budget, Finding

POSITIONS = {
    "start": "start",
    "middle 1": ". . dT9 . aP9 dA9 dP9 dF5 aF2 . . dT9 . . aV9 aP9 . dF9 . . . . . aV9 aA9 a 24",
    "middle 2": "dA9 dT9 . . . dT9 . dF9 . . . dP9 aV9 dF9 aP9 . . aF9 . . . aP9 aV9 . aA9 d 13",
    "middle 3": "dA9 . dT6 . . . dT9 dF4 aP5 . dF9 . aV7 . . . aP9 . aF8 . . . . . aA9 a 36",
}


def timed(state: WargameState, seconds: float, **options: object) -> tuple[Finding, float]:
    """Return the last finding of a search of this many seconds, and the processor seconds that it had."""
    budget = Budget(deadline=time.monotonic() + seconds)
    engine = Engine(evaluation.champion, budget=budget, **options)  # type: ignore[arg-type]
    began = time.process_time()
    *_, last = engine.deepen(state, DEEPEST)
    return last._replace(tally=engine.tally), time.process_time() - began


def speed(seconds: float) -> None:
    print(f"{seconds:g} s each; nodes a second are per second of processor time\n")
    print(f"{'position':<12}{'techniques':<14}{'depth':>6}{'nodes':>14}{'nodes/s':>14}{'table':>8}")
    for name, text in POSITIONS.items():
        for which, without in (("lossless", LOSSY), ("all", ())):
            last, spent = timed(game.initial(text), seconds, without=without, table=warm_table())
            use = last.tally.table_use or 0.0
            rate = last.tally.nodes / spent
            print(f"{name:<12}{which:<14}{last.depth:>6}{last.tally.nodes:>14,}{rate:>14,.0f}{use:>8.0%}")
    print()


def warm_table() -> object:
    """Return a table whose memory has been touched, so that no page is fetched while the clock runs."""
    table = new_table()
    table.entries[:] = 0
    return table


def techniques(depth: int) -> None:
    """Print how many more nodes a search to a depth takes without each technique."""
    from noctagon.games.wargame.champion.ordering_kernel import TECHNIQUES

    def nodes(*without: str) -> int:
        total = 0
        for text in POSITIONS.values():
            engine = Engine(evaluation.champion, without=without)
            for _ in engine.deepen(game.initial(text), depth):
                pass
            total += engine.tally.nodes
        return total

    full = nodes()
    print(f"nodes to depth {depth}, all positions\n")
    print(f"{'all techniques':<30}{full:>14,}")
    for name in TECHNIQUES:
        count = nodes(name)
        print(f"{'without ' + name:<30}{count:>14,}{count / full:>8.2f}×")
    print()


def threads(seconds: float) -> None:
    print(f"threads, {seconds:g} s each\n")
    for count in (1, 2):
        for name, text in POSITIONS.items():
            last, _ = timed(game.initial(text), seconds, threads=count, table=warm_table())
            print(
                f"{count} thread{'s' * (count > 1):<4}{name:<12} depth {last.depth:>3} {last.tally.nodes:>14,} nodes"
            )
    print()


def fuzz(count: int) -> None:
    """Search random positions of all kinds with random options; every answer has to be legal."""
    from tests.wargame.positions import artificial

    rng = Random(count)
    table = new_table()
    looked = 0
    while looked < count:
        rules = game.make_rules(rng.choice(["document", "engine"]), plies=rng.choice([1, 9, 40, 100, 1000]))
        state = game.initial(artificial(rng) if rng.random() < 0.5 else None, rules)
        for _ in range(rng.randint(0, 60)):
            if state.result is None and rng.random() < 0.95:
                state = state.play(rng.choice(list(state.actions())))
        if state.result is not None:
            continue
        engine = Engine(
            rng.choice(list(game.evaluations.values())),
            table=table,
            age=looked,
            threads=rng.choice([1, 1, 1, 2]),
            quiet=rng.choice([0, 6]),
            without=rng.choice([(), LOSSY]),
            budget=Budget(nodes=rng.choice([1, 30, 500, 3000])),
        )
        for found in engine.deepen(state, rng.choice([1, 4, DEEPEST])):
            assert found.action in state.actions(), (state, found)
            after = state
            for action in found.line:
                after = after.play(action)
        looked += 1
    print(f"{looked:,} random positions: every answer legal, every line playable")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--depth", type=int, default=10, help="for what each technique is worth")
    parser.add_argument("--fuzz", type=int, default=0, metavar="COUNT")
    given = parser.parse_args()
    if given.fuzz and os.environ.get("NUMBA_BOUNDSCHECK") != "1":
        with tempfile.TemporaryDirectory() as folder:
            checked = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NOCTAGON_CACHE_DIR": folder}
            raise SystemExit(subprocess.run([sys.executable, *sys.argv], env=checked, check=False).returncode)
    game.load()
    if given.fuzz:
        fuzz(given.fuzz)
        return
    for _ in Engine(evaluation.champion).deepen(game.initial(), 4):
        pass
    speed(given.seconds)
    techniques(given.depth)
    threads(given.seconds)


if __name__ == "__main__":
    main()
