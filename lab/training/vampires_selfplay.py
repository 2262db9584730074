"""Games to learn from: `python lab/training/vampires_selfplay.py SEED SECONDS OUT.npz [NETWORK.npy]`.

Games of tree search against itself and sometimes against other players, on bundled and drawn maps, with chance in the
opening. Of each game some positions are kept as the network sees them, with the result and the search's value.
"""

import sys
import time
from random import Random
from typing import Any

import numpy as np
from vampires_tree import TreeSearch

from noctagon.compiled.jit import Record
from noctagon.core.clock import Clock, TimeControl
from noctagon.core.player import GameStart, PlayerSpec
from noctagon.games.vampires import game
from noctagon.games.vampires.champion import network as engine_network
from noctagon.games.vampires.champion import records as engine_work
from noctagon.games.vampires.champion.evaluation import champion
from noctagon.games.vampires.champion.value import STEEPNESS, balance, everybody, humans
from noctagon.games.vampires.maps.maker import make_map
from noctagon.games.vampires.maps.map import bundled_maps
from noctagon.games.vampires.rules import kernel
from noctagon.games.vampires.rules.packing import unpack
from noctagon.games.vampires.rules.ruleset import VampiresRules
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Turn
from noctagon.players import make_player

MOST_HOUSES, MOST_GROUPS = 112, 8
"""Positions with more are not learned from."""
KEPT = 45
"""Maximum number of positions kept of a game."""
DULL = ("deserted", "corridor", "tiny", "giant")
"""Maps from which there is nothing to learn."""
FOES = (
    *("merge:depth=1", "merge:depth=3", "merge:depth=3", "merge:depth=3"),
    *(f"{name}:time=0.02" for name in ("twilight", "mcts", "subgroups", "smart-split", "alphabeta")),
)
FOREIGN = 0.35
"""Share of the games against one of them."""


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
    """One game: its positions, the search's value of each for the Vampires, and the winner."""

    def __init__(self, rng: Random, search: TreeSearch) -> None:
        state = draw_start(rng)
        walks = [rng.choice((150, 300, 600)) for _ in range(2)]
        foe: Any = None
        foreign = rng.randrange(2)
        if rng.random() < FOREIGN:
            foe = make_player(PlayerSpec.parse(rng.choice(FOES)), game)
            foe.start(GameStart(state, TimeControl(None), rng.randrange(1 << 30)), foreign)
        opening = rng.randint(0, 12)
        self.positions: list[VampiresState] = []
        self.thoughts: list[float | None] = []
        while state.result is None:
            thought: float | None = None
            turn: Turn
            if state.ply < opening and rng.random() < 0.15:
                turn = state.actions().sample(rng)
            elif foe is not None and state.side == foreign:
                turn = foe.choose(state, Clock(None)).action
            else:
                turns, visits, value = search.look(state, walks[state.side])
                curious = state.ply < opening or rng.random() < 0.03
                turn = rng.choices(turns, visits)[0] if curious else turns[visits.index(max(visits))]
                thought = value if state.species == "vampires" else -value
            self.positions.append(state)
            self.thoughts.append(thought)
            state = state.play(turn, state.roll(turn, rng))
        winner = state.result.winner
        self.result = 0.0 if winner is None else 1.0 if state.sides[winner] == "Vampires" else -1.0
        later = self.result
        for place in reversed(
            range(len(self.thoughts))
        ):  # a position that was not searched gets the value of the next one
            later = self.thoughts[place] = later if self.thoughts[place] is None else self.thoughts[place]


class Describer:
    """Turns positions into the network's inputs."""

    def __init__(self) -> None:
        self.s, self.w = Record.new(kernel.COMPACT), Record.new(engine_work.WORK)

    def describe(self, state: VampiresState) -> dict[str, Any] | None:
        s, w, net = self.s, self.w, engine_network
        unpack(s, state._packed)
        us = int(s.mover)
        sizes = int(s.groups[us]), int(s.groups[1 - us])
        if s.houses > MOST_HOUSES or max(sizes) > MOST_GROUPS:
            return None
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
    game.load()
    rng = Random(seed)
    weights = champion.weights
    if network is not None:
        weights = np.concatenate([weights[: STEEPNESS + 1], np.load(network).astype(np.float64)])
    search, describer = TreeSearch(weights), Describer()
    kept: list[dict[str, Any]] = []
    games = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        played = Game(rng, search)
        games += 1
        for place in rng.sample(range(len(played.positions)), min(KEPT, len(played.positions))):
            state = played.positions[place]
            described = describer.describe(state)
            if described is not None:
                sign = 1.0 if state.species == "vampires" else -1.0
                described["result"] = (1.0 + sign * played.result) / 2.0
                described["thought"] = (1.0 + sign * (played.thoughts[place] or 0.0)) / 2.0
                described["game"] = seed * 1_000_000 + games
                kept.append(described)
    np.savez_compressed(out, **{name: np.array([one[name] for one in kept]) for name in kept[0]})
    print(f"{games} games, {len(kept)} positions")


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), *sys.argv[3:])
