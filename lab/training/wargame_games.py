"""Games to learn from: python wargame_games.py OUT.npz SECONDS SEED [ATTACK DEFENCE [NODES TIMES]]

The champion (by the heuristics ATTACK and DEFENCE: `assault champion` at first, then `onslaught bulwark`, one in twelve
attacks still by `assault`) attacks alpha-beta by e2, e1 and e0 and the turtle, and defends against the first two, from
2 to 8 random plies on: with half of NODES a turn (usually 5000) to two and a half times as many, its opponents with
about TIMES as many as it has (usually 2.4, which takes them as long). OUT.npz has for every position the rows
it switches on in the network's table, the game's result, and the search's value.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from noctagon.games.wargame import game
from noctagon.games.wargame.players import evaluation
from noctagon.games.wargame.rules.state import WargameState

game.load()

from wargame_players import DEEPEST, NO_LIMIT, TURTLE_DEPTH, Player, Ring  # noqa: E402

from noctagon.compiled.jit import Record  # noqa: E402
from noctagon.games.wargame.champion import network_kernel  # noqa: E402
from noctagon.games.wargame.rules import kernel  # noqa: E402 - they compile

ATTACK, DEFEND = range(2)
ATTACKS = 0.8
"""Share of the games in which the champion attacks."""
STEADY = 0.08
"""Share of its attacks by the weighted sum, which leads to other positions."""
LISTED = 44
"""Maximum number of rows that a position switches on."""
MOST_VALUE = 32000
"""Least value of a forced win."""


def start(rng: Random) -> WargameState | None:
    """Return a position some random plies into the game, unless it ends there."""
    state = game.initial()
    for _ in range(rng.choice([2, 3, 4, 4, 4, 5, 6, 8])):
        actions = list(state.actions())
        state = state.play(rng.choice([one for one in actions if one.source != one.target] or actions))
        if state.result:
            return None
    return state


def pairing(
    rng: Random, attack: evaluation.Heuristic, defence: evaluation.Heuristic, usual: float, times: float
) -> Any:
    """Return a game's purpose and its players: `usual` nodes for the champion, `times` as many for the opponent."""
    nodes = usual * 2 ** rng.uniform(-1, 1.3)
    others = nodes * times * 2 ** rng.uniform(-0.7, 1.2)
    if rng.random() > ATTACKS:
        weighing = rng.choices((evaluation.e2, evaluation.e1), (0.6, 0.4))[0]
        return DEFEND, Player(weighing, int(others), True), Player(defence, int(nodes))
    attacker = Player(evaluation.assault if rng.random() < STEADY else attack, int(nodes))
    opponents = {evaluation.e2: 0.42, evaluation.e1: 0.4, evaluation.e0: 0.1, evaluation.turtle: 0.08}
    weighing = rng.choices(list(opponents), list(opponents.values()))[0]
    if weighing is evaluation.turtle:
        return ATTACK, attacker, Player(weighing, NO_LIMIT, True, TURTLE_DEPTH)
    faster = {evaluation.e2: 1.0, evaluation.e1: 1.4, evaluation.e0: 1.6}[weighing]
    return ATTACK, attacker, Player(weighing, int(others * faster), True, DEEPEST)


def listed(rows: Any) -> Any:
    """Return the rows that positions switch on, LISTED each, filled up with `ROWS`."""
    record = Record.new(kernel.LAYOUT)
    key = np.zeros(kernel.KEY_BYTES, np.uint8)
    found = np.full((len(rows), LISTED), network_kernel.ROWS, np.uint16)
    for i, row in enumerate(rows):
        key[:26], key[27], key[31] = row[:26], row[26], 100
        kernel.unpack(record, key)
        count = network_kernel.list_rows(record)
        found[i, :count] = record.scratch[:count]
    return found


def main() -> None:
    out, seconds, seed = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    attack, defence = (game.evaluations[name] for name in sys.argv[4:6] or ["assault", "champion"])
    usual, times = map(float, sys.argv[6:8] or [5000, 2.4])
    rng, ring = Random(seed), Ring(seed)
    games: list[dict[str, Any]] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if (state := start(rng)) is None:
            continue
        purpose, attacker, defender = pairing(rng, attack, defence, usual, times)
        random, until = rng.choice([0, 20, 50, 80]), rng.choice([20, 40, 60, 80])
        won, rows, values = ring.play(state, attacker, defender, random=random, until=until, learn=True)
        games.append(
            {
                "rows": listed(rows),
                "origin": rows[:, 27],
                "value": np.clip(values, -MOST_VALUE, MOST_VALUE).astype(np.int16),
                "won": np.full(len(rows), won),
                "purpose": np.full(len(rows), purpose, np.uint8),
                "game": np.full(len(rows), len(games), np.int32),
            }
        )
    columns: Any = {name: np.concatenate([one[name] for one in games]) for name in games[0]}
    np.savez_compressed(out, **columns)
    print(f"{len(games)} games, {sum(len(one['won']) for one in games)} positions")


if __name__ == "__main__":
    main()
