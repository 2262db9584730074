"""Games to learn from: `python training/vampires_games.py SEED SECONDS OUT.npz [NETWORK.npy]`.

The champion's search plays the players of the documents, and in a quarter of the games itself, on bundled and drawn
maps, with chance in the opening. OUT.npz has all positions as the network sees them, and some a few random turns aside,
with the result and what the search thought, both as the mover sees it.
"""

import sys
import time
from random import Random
from typing import Any, NamedTuple

import numpy as np

from noctagon.clock import Clock, TimeControl
from noctagon.games.vampires import engine, engine_network, engine_work, game, kernel
from noctagon.games.vampires.engine_value import STEEPNESS, balance, everybody, humans
from noctagon.games.vampires.evaluation import champion
from noctagon.games.vampires.mapmaker import make_map
from noctagon.games.vampires.maps import bundled_maps
from noctagon.games.vampires.packing import unpack
from noctagon.games.vampires.rules import SPECIES, Species, VampiresRules
from noctagon.games.vampires.state import VampiresState
from noctagon.games.vampires.turn import Turn
from noctagon.jit import Record
from noctagon.player import GameStart, PlayerSpec
from noctagon.players import make_player
from noctagon.search.tree import WIN, Budget

MOST_HOUSES, MOST_GROUPS = 48, 8
"""Positions with more are not learned from."""
DULL = ("deserted", "corridor", "tiny", "giant")
"""Maps with nothing to learn from."""
FOES = (
    *("merge:depth=1", "merge:depth=3", "merge:depth=3"),
    *(f"{name}:time=0.015" for name in ("twilight", "mcts", "mcts", "subgroups", "smart-split", "alphabeta")),
)
FOREIGN = 0.75
"""The share of games against one of them."""
ASIDE = 0.3
"""So often a position some random turns aside is looked at too …"""
ASIDE_NODES = 1000
"""… and so many positions from there."""
LATER = 8
"""What the search thinks so many plies on is told too."""
NOT_SEARCHED, SEARCHED, BESIDE = range(3)
"""Where a position comes from: an opponent's turn, the champion's, or some random turns off the game."""


class Seen(NamedTuple):
    """A position of a game, where it comes from, the ply of the game, and what the mover thought."""

    state: VampiresState
    origin: int
    ply: int
    thought: float


def draw_start(rng: Random) -> VampiresState:
    rules = VampiresRules(
        name="server" if rng.random() < 0.12 else "handout", plies=rng.choice((60, 80, 80, 80, 100, 120, 160))
    )
    if rng.random() < 0.25:
        name = rng.choice([name for name in bundled_maps() if name not in DULL])
        return VampiresState.from_map(bundled_maps()[name], rules)
    if rng.random() < 0.15:
        rows, columns = rng.randint(18, 32), rng.randint(18, 32)
        houses = 2 * rng.randint(18, min(54, rows * columns // 12))
    else:
        rows, columns = rng.randint(7, 20), rng.randint(7, 20)
        houses = 2 * rng.randint(max(2, rows * columns // 26), max(3, rows * columns // 10))
    drawn = make_map(
        rng,
        rows=rows,
        columns=columns,
        houses=houses,
        humans=(1, rng.choice((6, 12, 12, 12, 12, 19))),
        start=rng.randint(3, 14),
        symmetric=rng.random() < 0.9,
    )
    return VampiresState.from_map(drawn, rules)


class Game:
    """One game: its positions, and who won."""

    def __init__(self, rng: Random, weights: Any) -> None:
        self.rng, self.weights = rng, weights
        self.tables = [engine.new_table(), engine.new_table()]
        self.seen: list[Seen] = []
        state = draw_start(rng)
        self.side = rng.randrange(2)
        self.foe: Any = None
        self.favourite: Species | None = None
        if rng.random() < FOREIGN:
            self.foe = make_player(PlayerSpec.parse(rng.choice(FOES)), game)
            self.foe.start(GameStart(state, TimeControl(None), rng.randrange(1 << 30)), 1 - self.side)
            self.favourite = SPECIES[SPECIES.index(state.first) ^ self.side]
        nodes = [int(1500 * 2 ** rng.uniform(0, 1.5)) for _ in range(2)]
        opening = rng.randint(0, 12)
        ply = 0
        while state.result is None:
            thought, origin = 0.0, NOT_SEARCHED
            if self.foe is not None and state.side != self.side:
                turn = self.foe.choose(state, Clock(None)).action
            else:
                origin = SEARCHED
                turn, thought = self.look(state, nodes[state.side])
            self.seen.append(Seen(state, origin, ply, thought))
            if rng.random() < ASIDE:
                self.look_aside(state, ply)
            if rng.random() < (0.17 if state.ply < opening else 0.02):
                turn = self.any_turn(state)
            state = state.play(turn, state.roll(turn, rng))
            ply += 1
        self.winner = state.result.winner

    def search(self, state: VampiresState, nodes: int | None = None) -> engine.Engine:
        table, budget = self.tables[state.side], Budget(nodes=nodes)
        search = engine.Engine(table=table, favourite=self.favourite, budget=budget)
        search.weights = self.weights
        return search

    def look(self, state: VampiresState, nodes: int) -> tuple[Turn, float]:
        """The best turn, and what the mover thinks of it, from -1 to 1."""
        *_, found = self.search(state, nodes).deepen(state, engine.DEEPEST)
        value = found.value if state.side == 0 else -found.value
        return found.action, max(-1.0, min(1.0, value / WIN))

    def any_turn(self, state: VampiresState) -> Turn:
        """A random one of those worth a look."""
        return self.rng.choice(self.search(state)._root_actions(state)[:20])

    def look_aside(self, state: VampiresState, ply: int) -> None:
        for _ in range(self.rng.randint(1, 3)):
            turn = self.any_turn(state)
            state = state.play(turn, state.roll(turn, self.rng))
            if state.result is not None:
                return
        self.seen.append(Seen(state, BESIDE, ply, self.look(state, ASIDE_NODES)[1]))

    def result(self, mover: int) -> float:
        return 0.5 if self.winner is None else float(self.winner == mover)

    def thought_later(self, seen: Seen) -> float:
        """What was thought LATER plies after a position, or in the end, as its mover sees it."""
        mover = seen.state.side
        for other in self.seen:
            if other.origin == SEARCHED and other.ply >= seen.ply + LATER:
                return other.thought if other.state.side == mover else -other.thought
        return 2 * self.result(mover) - 1


class Describer:
    """Positions as the network sees them."""

    def __init__(self) -> None:
        self.s, self.w = Record.new(kernel.COMPACT), Record.new(engine_work.WORK)

    def describe(self, state: VampiresState, favourite: Species | None) -> dict[str, Any] | None:
        """Nothing where the network is not asked, or there is no room."""
        s, w, net = self.s, self.w, engine_network
        unpack(s, state._packed)
        us = int(s.mover)
        sizes = int(s.groups[us]), int(s.groups[1 - us])
        if s.houses > MOST_HOUSES or max(sizes) > MOST_GROUPS or not net.is_asked(s):
            return None
        w.favourite = 0 if favourite is None else 1 + SPECIES.index(favourite)
        known = champion.weights[STEEPNESS] * balance(s, w, champion.weights) / everybody(s)
        total = humans(s) + s.people[0] + s.people[1]
        houses = np.zeros((MOST_HOUSES, net.HOUSE), np.float16)
        groups = np.zeros((2, MOST_GROUPS, net.GROUP), np.float16)
        best = net.largest(s, us), net.largest(s, 1 - us)
        for house in range(s.houses):
            net.describe_house(s, w, house, total, *best)
            houses[house] = w.net[: net.HOUSE]
        for side, species in enumerate((us, 1 - us)):
            for i in range(sizes[side]):
                net.describe_group(s, w, species, i, total)
                groups[side, i] = w.net[: net.GROUP]
        net.describe_whole(s, w, total, known if us == 0 else -known)
        whole = np.array(w.net[: net.WHOLE], np.float32)
        return {"houses": houses, "groups": groups, "whole": whole, "count": int(s.houses), "sizes": sizes}


def main(seed: int, seconds: float, out: str, network: str | None = None) -> None:
    engine.load()
    game.load()
    rng, describer = Random(seed), Describer()
    weights = champion.weights
    if network is not None:
        weights = np.concatenate([weights[: STEEPNESS + 1], np.load(network).astype(np.float64)])
    kept: list[dict[str, Any]] = []
    games = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        played = Game(rng, weights)
        games += 1
        for seen in played.seen:
            described = describer.describe(seen.state, played.favourite)
            if described is not None:
                described["origin"], described["now"] = seen.origin, seen.thought
                described["later"] = played.thought_later(seen)
                described["result"] = played.result(seen.state.side)
                described["game"] = seed * 1_000_000 + games
                kept.append(described)
    np.savez_compressed(out, **{name: np.array([one[name] for one in kept]) for name in kept[0]})
    print(f"{games} games, {len(kept)} positions")


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), *sys.argv[3:])
