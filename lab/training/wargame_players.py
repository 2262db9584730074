"""Games of AI Wargame between compiled players, by name; for `wargame_games.py` and `wargame_match.py`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import wargame_kernel

from noctagon.compiled.jit import Record
from noctagon.games.wargame import game
from noctagon.games.wargame.champion import endings
from noctagon.games.wargame.champion.search import new_table, new_work
from noctagon.games.wargame.players import evaluation, search_kernel
from noctagon.games.wargame.rules import kernel
from noctagon.games.wargame.rules.state import WargameState

NO_LIMIT = 1 << 40
DEEPEST = 60
TURTLE_DEPTH = 4


class Player(NamedTuple):
    """The champion's search with one of its heuristics, or (`plain`) alpha-beta, with its nodes for a turn."""

    heuristic: evaluation.Heuristic
    nodes: int
    plain: bool = False
    depths: int = DEEPEST


def named(text: str) -> Player:
    """Return the player of a name: `onslaught@80000` (the champion's search), `alphabeta-e2@170000`, `turtle`."""
    if text == "turtle":
        return Player(evaluation.turtle, NO_LIMIT, True, TURTLE_DEPTH)
    name, _, nodes = text.partition("@")
    plain = name.startswith("alphabeta-")
    return Player(game.evaluations[name.removeprefix("alphabeta-")], int(nodes), plain)


class Ring:
    """The memory of the games: it keeps the tables of positions from game to game."""

    def __init__(self, seed: int = 1) -> None:
        self.position = Record.new(kernel.LAYOUT)
        self.work = new_work()
        self.plain = Record.new(search_kernel.LAYOUT)
        self.tables = new_table(), new_table()
        self.endings = endings.load()
        self.seed = np.array([seed * 7919 + 12345], np.int64)
        self.rows = np.zeros(wargame_kernel.ROW * 400, np.uint8)
        self.values = np.zeros(400, np.int64)
        self.report = np.zeros(3, np.int64)

    def play(
        self,
        start: WargameState,
        attacker: Player,
        defender: Player,
        *,
        random: int = 0,
        until: int = 0,
        learn: bool = False,
    ) -> tuple[bool, Any, Any]:
        """Play a game; return if the attacker won, the positions (28 bytes each) and their values for the attacker."""
        if not learn:
            for table in self.tables:
                table.entries[:] = 0
        kernel.unpack(self.position, np.frombuffer(start.key, np.uint8).copy())
        opponent = attacker if attacker.plain else defender
        attack = evaluation.assault if attacker.plain else attacker.heuristic
        defence = evaluation.champion if defender.plain else defender.heuristic
        count = wargame_kernel.play(
            self.position,
            self.work,
            self.plain,
            *self.tables,
            self.endings.tables,
            self.endings.offsets,
            attack.kernel,
            attack.weights,
            defence.kernel,
            defence.weights,
            opponent.heuristic.kernel,
            opponent.heuristic.weights,
            np.array([attacker.plain, defender.plain], np.int64),
            np.array([attacker.nodes, defender.nodes], np.int64),
            opponent.depths,
            random,
            until,
            int(learn),
            self.seed,
            self.rows,
            self.values,
            self.report,
        )
        rows = self.rows[: count * wargame_kernel.ROW].reshape(count, wargame_kernel.ROW).copy()
        return bool(self.report[wargame_kernel.WON]), rows, self.values[:count].copy()
