"""Faults that players of Vampires vs Werewolves must never make: `bench/invariants.py [GAMES] [PLAYER …]`.

Every player plays GAMES games against the others, on bundled and random maps, by both rule sets. Counted are:
illegal turns, late turns (every game has a clock; one in 25 is played by the clock alone, from 0.1 s up), crashes,
conservative's avoidable battles, splits by players that do not split, groups beyond a player's limit. `PLAYER` may be
any spec; by default, all that do not ask a person. A battle is avoidable if all groups could move or stay whole without
one, and without the certain death of a group.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from random import Random
from typing import Any

from noctagon.core.clock import Clock
from noctagon.core.game import IllegalAction
from noctagon.core.player import GameStart, PlayerSpec
from noctagon.games.vampires import VampiresState, game
from noctagon.games.vampires.maps.maker import make_map
from noctagon.games.vampires.maps.map import bundled_maps
from noctagon.games.vampires.rules.ruleset import VampiresRules
from noctagon.games.vampires.rules.turn import Turn
from noctagon.players import make_player, player_names

WHOLE = {"conservative", "smart-greedy", "smart", "report-2024"}
"""Players that never split."""
MOST_GROUPS = {"smart-split": 4, "merge": 4, "subgroups": 4, "twilight": 3}
"""Players that never have more groups of their own making."""
QUICK = {
    "conservative": "nodes=80",
    "smart-greedy": "nodes=60",
    "smart": "depth=5,nodes=60",
    "smart-split": "depth=5,nodes=40",
    "merge": "nodes=40",
    "report-2024": "nodes=80",
    "subgroups": "nodes=80",
    "twilight": "nodes=40",
    "mcts": "nodes=15,games=2",
    "minimax": "nodes=20",
    "alphabeta": "nodes=20",
    "expectiminimax": "nodes=20",
}
"""Options that make a game quick; a few games in a hundred are played at full strength by the clock instead."""
LARGEST_LISTED = 5_000
"""Number of turns that are examined to find out if a battle could be avoided."""


def main(games: int, specs: list[str]) -> int:
    game.load()
    started = time.perf_counter()
    bad = 0
    print(
        f"{'player':<16}{'games':>7}{'turns':>9}{'illegal':>9}{'late':>6}{'crash':>7}{'avoidable':>11}{'split':>7}{'groups':>8}"
    )
    with ProcessPoolExecutor(2) as pool:
        for spec in specs:
            others = [name for name in specs if name != spec] or ["random"]
            total: Counter[str] = Counter()
            chunk = 10
            jobs = [
                pool.submit(some_games, spec, others, first, min(chunk, games - first))
                for first in range(0, games, chunk)
            ]
            for job in jobs:
                total += job.result()
            faults = [total[fault] for fault in ("illegal", "late", "crash", "avoidable", "split", "groups")]
            bad += sum(faults)
            row = f"{spec:<16}{total['games']:>7}{total['turns']:>9}"
            print(
                row + "".join(f"{n:>{w}}" for n, w in zip(faults, (9, 6, 7, 11, 7, 8), strict=True)),
                flush=True,
            )
    print(f"{time.perf_counter() - started:.0f} s")
    return bad


def some_games(spec: str, others: list[str], first: int, count: int) -> Counter[str]:
    total: Counter[str] = Counter()
    for number in range(first, first + count):
        total += one_game(spec, others[number % len(others)], number)
    return total


def one_game(spec: str, other: str, number: int) -> Counter[str]:
    rng = Random(number)
    start = opening(rng, number)
    seconds = rng.choice((0.1, 0.2, 0.5)) if number % 25 == 0 else 2.0
    side = number % 2
    full = number % 25 == 0  # by the clock, not by nodes
    players: list[Any] = [None, None]
    for at, name in ((side, spec), (1 - side, other)):
        quick = "" if full or ":" in name else QUICK.get(name, "")
        players[at] = make_player(PlayerSpec.parse(f"{name}:{quick}" if quick else name), game)
        players[at].start(GameStart(start, seed=number), at)
    found: Counter[str] = Counter(games=1)
    state = start
    plies = 0
    while state.result is None and plies < (20 if full else 120):
        plies += 1
        clock = Clock(seconds)
        mine = state.side == side
        try:
            turn = Turn(players[state.side].choose(state, clock).action)
            spent = clock.elapsed()
            state.check(turn)
        except IllegalAction as error:
            found["illegal"] += mine
            print(f"game {number}: {spec}: {error}: {game.format_position(state)}")
            return found
        except Exception as error:
            found["crash"] += mine
            print(f"game {number}: {spec}: {type(error).__name__}: {error}: {game.format_position(state)}")
            return found
        if mine:
            found["turns"] += 1
            found["late"] += spent > seconds
            name = spec.partition(":")[0]
            found["avoidable"] += name == "conservative" and avoidable(state, turn)
            found["split"] += name in WHOLE and splits(state, turn)
            found["groups"] += groups_after(state, turn) > max(MOST_GROUPS.get(name, 10**9), len(state.own))
        state = state.play(turn, state.roll(turn, rng))
    return found


def opening(rng: Random, number: int) -> VampiresState:
    rules = VampiresRules(name=rng.choice(("handout", "server")), plies=rng.choice((40, 120)))
    if number % 3 == 0:
        return VampiresState.from_map(rng.choice(list(bundled_maps().values())), rules)
    rows, columns = rng.randint(1, 14), rng.randint(2, 14)
    if number % 25 == 1:
        rows, columns = 30, 30
    houses = min(100, 2 * rng.randint(0, max(0, rows * columns // 8)), (rows * columns - 2) // 2 * 2)
    humans = (1, rng.choice((3, 9, 19)))
    return VampiresState.from_map(
        make_map(rng, rows=rows, columns=columns, houses=houses, humans=humans), rules
    )


def groups_after(state: VampiresState, turn: Turn) -> int:
    left = dict(state.own)
    for move in turn:
        left[move.x, move.y] -= move.count
    return len({(move.tx, move.ty) for move in turn} | {cell for cell, count in left.items() if count})


def splits(state: VampiresState, turn: Turn) -> bool:
    return any(move.count != state.own[move.x, move.y] for move in turn)


def avoidable(state: VampiresState, turn: Turn) -> bool:
    """Return True if a battle was fought though some turn of whole groups has none, and no certain death."""
    if not state.chances(turn):
        return False
    for other in islice(state.candidates("joint"), LARGEST_LISTED):
        if not state.chances(other):
            after = state.play(other)
            if sum(after.foes.values()) >= sum(state.own.values()):
                return True
    return False


if __name__ == "__main__":
    wanted = sys.argv[2:] or [name for name in player_names(game) if name != "human"]
    sys.exit(1 if main(int(sys.argv[1]) if len(sys.argv) > 1 else 500, wanted) else 0)
