"""The arena's cost: `python bench/arena.py [overhead] [processes] [store] [--games N] [--rounds N] [--stored N]`.

overhead: the same games, limited by nodes, in a bare loop and in the arena with one process; runs alternate, and the
best of each counts. Times are multiples of the players' thinking time, so that they do not depend on what else the
machine does. Aim: under 5 % more time a game.
processes: the same games in the arena with one process and with two; for comparison, what two bare processes gain on
this machine, and the share of the time in which both of the arena's processes think. Aim: 1.85 times as many games, on
a machine with two idle cores.
store: a store in SQLite with `--stored` finished games; standings and report in a process of their own. Aim: under
10 s and under 500 MB.

The time in which the worker processes start is measured separately: it comes once, not with each game.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from noctagon.arena.bout import Bout, Finished
from noctagon.arena.plan import Plan, make_plan
from noctagon.arena.run import Run
from noctagon.arena.store.store import Store
from noctagon.arena.tournament import Tournament
from noctagon.core.match import Match
from noctagon.core.player import PlayerSpec
from noctagon.core.registry import find_game
from noctagon.core.seat import LocalSeat, drive
from noctagon.players import make_player

PLAYERS = ["champion:nodes=NODES", {"spec": "champion:nodes=NODES,width=12", "name": "narrow"}]
MANY_PLAYERS = 16


class Timed(Run):
    """A run that notes when each game was kept."""

    def __init__(self, tournament: Tournament, store: Store) -> None:
        self.kept: list[float] = []
        self.thought: list[float] = []
        super().__init__(tournament, store)

    def _add(self, game: Finished) -> None:
        super()._add(game)
        self.kept.append(time.perf_counter())
        self.thought.append(sum(game.seconds))


def a_plan(games: int, nodes: int, concurrency: int) -> Plan:
    """Return a plan of games of about the same length between players that do not look at the clock."""
    players = json.loads(json.dumps(PLAYERS).replace("NODES", str(nodes)))
    content = {"name": "bench", "players": players, "maps": "duel", "rounds": games // 2, "time": 600}
    return make_plan({**content, "plies": 40, "concurrency": concurrency, "disqualify": 0}, "bench")


def all_bouts(plan: Plan) -> list[Bout]:
    with tempfile.TemporaryDirectory() as folder, Store.open(f"{folder}/bouts.db") as store:
        run = Run(Tournament(plan), store)
        return list(run.todo)


class Measured(msgspec.Struct):
    """Games that were played: the seconds they took, the thinking time in them, and the seconds before."""

    seconds: float
    thought: float
    start: float = 0.0

    @property
    def ratio(self) -> float:
        return self.seconds / self.thought


def bare(bouts: Sequence[Bout]) -> Measured:
    """Play games one after the other with nothing around them but the driver."""
    game = find_game(bouts[0].game)
    game.load()
    began, thought = time.perf_counter(), 0.0
    for bout in bouts:
        state = game.parse_position(bout.position, msgspec.convert(bout.rules, type(game.make_rules())))
        match = Match(game, state, time=bout.time, seed=bout.seed)
        seats = [LocalSeat(make_player(PlayerSpec.parse(entrant.spec), game)) for entrant in bout.entrants]
        asyncio.run(drive(match, (seats[0], seats[1])))
        thought += sum(match.seconds)
    return Measured(time.perf_counter() - began, thought)


def arena(plan: Plan) -> Measured:
    """Play a tournament; measured from the beginning of the game that was kept first to the end of the last."""
    with tempfile.TemporaryDirectory() as folder, Store.open(f"{folder}/arena.db") as store:
        run = Timed(Tournament(plan), store)
        run.resume()
        run.tournament.prepare()
        began = time.perf_counter()
        run.play()
        first = run.kept[0] - run.thought[0]
        return Measured(run.kept[-1] - first, sum(run.thought), first - began)


def overhead(games: int, nodes: int, rounds: int) -> None:
    plan = a_plan(games, nodes, 1)
    bouts = all_bouts(plan)
    bare(bouts[:1])
    pairs = [(bare(bouts), arena(plan)) for _ in range(rounds)]
    alone = min((one for one, _ in pairs), key=lambda found: found.ratio)
    within = min((two for _, two in pairs), key=lambda found: found.ratio)
    for what, found in (("a bare loop", alone), ("the arena", within)):
        each = found.seconds / games
        show(f"a game in {what}", f"{each:.3f} s, {found.ratio:.3f} × thinking")
    more = within.ratio / alone.ratio - 1
    show("overhead", f"{more:+.1%}", "under 5 %", more < 0.05)
    show("until the first game begins", f"{min(two.start for _, two in pairs):.1f} s, once")


def processes(games: int, nodes: int, rounds: int) -> None:
    one, two = a_plan(games, nodes, 1), a_plan(games, nodes, 2)
    bouts = all_bouts(one)
    halves = bouts[::2], bouts[1::2]
    spawn = multiprocessing.get_context("spawn")
    single, double, alone, beside = [], [], [], []
    with spawn.Pool(2) as pool:
        pool.map(bare, [bouts[:1]] * 4, chunksize=1)
        for _ in range(rounds):
            single.append(arena(one).seconds)
            double.append(arena(two))
            alone.append(pool.apply(bare, (bouts,)).seconds)
            beside.append(max(found.seconds for found in pool.map(bare, halves, chunksize=1)))
    best = min(double, key=lambda found: found.seconds)
    gained = min(single) / best.seconds
    show("two bare processes against one", f"{min(alone) / min(beside):.2f} ×")  # all there is to gain here
    show("of their time two of the arena's think", f"{best.thought / best.seconds / 2:.0%}")
    show("two processes of the arena against one", f"{gained:.2f} ×", "1.85", gained >= 1.85)


def stored(count: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        began = time.perf_counter()
        kept = fill(folder / "noctagon.db", count)
        show("games kept", f"{kept}, {kept / (time.perf_counter() - began):.0f} a second")
        size = (folder / "noctagon.db").stat().st_size
        show("the store", f"{size / 1e6:.0f} MB")
        for what in (["show"], ["report", "--out", "report"]):
            began = time.perf_counter()
            command = [sys.executable, "-m", "noctagon", "tournament", *what]
            with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
                _, status, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            assert process.returncode == 0, what
            seconds, memory = time.perf_counter() - began, memory_of(used)
            show(f"tournament {what[0]}", f"{seconds:.1f} s", "under 10 s", seconds < 10)
            show("  its memory", f"{memory / 1e6:.0f} MB", "under 500 MB", memory < 500e6)


def memory_of(used: resource.struct_rusage) -> int:
    """Return a process's peak memory in bytes."""
    return used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def fill(where: Path, count: int) -> int:
    """Fill a store with a tournament of at least this many finished games: results are random, records real."""
    rng = Random(1)
    maps = ["deserted", "duel", "tiny"]
    games_a_round = MANY_PLAYERS * (MANY_PLAYERS - 1) * len(maps)
    players = [
        {"spec": f"alphabeta:depth={depth + 1}", "name": f"bot{depth}"} for depth in range(MANY_PLAYERS)
    ]
    content = {"name": "large", "players": players, "maps": maps, "rounds": -(-count // games_a_round)}
    plan = make_plan({**content, "plies": 30, "disqualify": 0}, "bench")
    examples: dict[str, list[Finished]] = {}
    with Store.open(where) as store:
        run = Run(Tournament(plan), store)
        run.resume()
        bouts = list(run.todo)
        for bout in bouts:
            if bout.setup not in examples:
                examples[bout.setup] = [quick(bout, seed).play() for seed in range(10)]
            example = rng.choice(examples[bout.setup])
            names = (bout.entrants[0].name, bout.entrants[1].name)
            better = int(names[0][3:]) - int(names[1][3:]) + rng.gauss(0, 6)
            winner = None if abs(better) < 0.5 else int(better < 0)
            store.add(with_result(bout, example, winner), plan.name)
    return len(bouts)


def quick(bout: Bout, seed: int) -> Bout:
    """Return the same game between two players that answer at once."""
    players = [
        msgspec.structs.replace(bout.entrants[side], spec=("greedy", "random")[side]) for side in (0, 1)
    ]
    return msgspec.structs.replace(bout, entrants=(players[0], players[1]), seed=seed)


def with_result(bout: Bout, example: Finished, winner: int | None) -> Finished:
    return msgspec.structs.replace(
        example,
        slot=bout.slot,
        key=bout.key,
        round=bout.round,
        players=(bout.entrants[0].name, bout.entrants[1].name),
        specs=(bout.entrants[0].spec, bout.entrants[1].spec),
        versions=(bout.entrants[0].version, bout.entrants[1].version),
        seed=bout.seed,
        winner=winner,
    )


def show(what: str, found: str, aim: str = "", met: bool | None = None) -> None:
    mark = "" if met is None else f"   aim {aim} {'✓' if met else '–'}"
    print(f"{what:42}{found:>24}{mark}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="*", choices=["overhead", "processes", "store", []], default=[])
    parser.add_argument("--games", type=int, default=24, help="games of a run, an even number")
    parser.add_argument(
        "--nodes", type=int, default=20_000, help="what a turn costs: games are to take about 1 s"
    )
    parser.add_argument("--rounds", type=int, default=3, help="runs, of which the best counts")
    parser.add_argument("--stored", type=int, default=100_000, help="games in the store")
    options: Any = parser.parse_args()
    for what in options.what or ["overhead", "processes", "store"]:
        if what == "store":
            stored(options.stored)
        else:
            {"overhead": overhead, "processes": processes}[what](options.games, options.nodes, options.rounds)


if __name__ == "__main__":
    main()
