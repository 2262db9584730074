"""The turns that SmartScan likes best, and the two caches that spare it work (2019 report, sections 4.1 and 5)."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from noctagon.games.vampires.players.groupmoves import combined, options
from noctagon.games.vampires.players.smartscan import Incentives, SmartScan
from noctagon.games.vampires.rules.turn import Turn

if TYPE_CHECKING:
    from noctagon.games.vampires.rules.ruleset import Cell
    from noctagon.games.vampires.rules.state import VampiresState

COMBINED = 4
"""Of the turns whose parts look best, so many times k are scanned as a whole."""
_PLY = slice(12, 16)
"""Where a position's key holds the number of plies, on which no scan depends."""


class Ranking:
    """The k best turns of any position, for whoever is to move there. Made anew for every turn of a game.

    `boards` is the cache by the whole board; the one by (x, y, n) is each scan's own.
    """

    def __init__(
        self, incentives: Incentives, *, k: int, splits: bool = False, rng: Random | None = None
    ) -> None:
        self.incentives = incentives
        self.k = k
        self.splits = splits
        self.rng = rng
        self.boards: dict[bytes, dict[Turn, float]] = {}
        self.board_looks = self.board_hits = self.unit_looks = self.unit_hits = 0

    def scores(self, state: VampiresState) -> dict[Turn, float]:
        """The k best turns with their scores, best first."""
        key = state.key[: _PLY.start] + state.key[_PLY.stop :]
        self.board_looks += 1
        known = self.boards.get(key)
        if known is not None:
            self.board_hits += 1
            return known
        found = self.boards[key] = self._scan(state)
        return found

    def note(self) -> str:
        """How often the caches helped, in words."""
        units = self.unit_hits / self.unit_looks if self.unit_looks else 0.0
        boards = self.board_hits / self.board_looks if self.board_looks else 0.0
        return (
            f"cache hits: {units:.0%} of {self.unit_looks} units, {boards:.0%} of {self.board_looks} boards"
        )

    def _scan(self, state: VampiresState) -> dict[Turn, float]:
        if state.result is not None:
            return {}
        scan = SmartScan(state, self.incentives)

        def appraise(source: Cell, target: Cell, count: int) -> float:
            others = [cell for cell in state.own if cell != source]
            return scan.unit(source, target, count).score + scan.nearness(target, others)

        choices = options(state, appraise, splits=self.splits)
        if len(choices) == 1:
            turns = [Turn(departure) for _, departure in choices[0]]
        else:
            turns = list(combined(state, choices, COMBINED * self.k))
        if not turns:
            turns = [next(iter(state.candidates("single")))]
        if self.rng is not None and not self.boards:  # ties of the root are broken by the game's seed
            self.rng.shuffle(turns)
        scores = {turn: scan.turn(turn).score for turn in turns}
        best = sorted(scores, key=lambda turn: -scores[turn])[: self.k]
        self.unit_looks += scan.looks
        self.unit_hits += scan.hits
        return {turn: scores[turn] for turn in best}
