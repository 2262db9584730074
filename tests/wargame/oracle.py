"""A second, slow reading of the rules in plain dictionaries, to hold the kernel against.

Written from the rules' text; it shares nothing with the package.
A board is a dictionary from (row, column) to (side, kind, health), side and kind as letters.
"""

from __future__ import annotations

from dataclasses import dataclass

Cell = tuple[int, int]
Unit = tuple[str, str, int]
Turn = tuple[Cell, Cell]

DAMAGE = {
    "A": {"A": 3, "V": 3, "T": 3, "F": 1, "P": 3},
    "V": {"A": 9, "V": 1, "T": 6, "F": 1, "P": 6},
    "T": {"A": 1, "V": 6, "T": 1, "F": 1, "P": 1},
    "F": {"A": 1, "V": 1, "T": 1, "F": 1, "P": 1},
    "P": {"A": 3, "V": 3, "T": 3, "F": 1, "P": 3},
}
REPAIR = {("A", "V"): 1, ("A", "T"): 1, ("T", "A"): 3, ("T", "F"): 3, ("T", "P"): 3}
WAYS = {"a": [(-1, 0), (0, -1)], "d": [(1, 0), (0, 1)]}
CELLS = [(row, column) for row in range(5) for column in range(5)]


@dataclass
class Position:
    board: dict[Cell, Unit]
    side: str
    ply: int = 0
    plies: int = 100
    limit_first: bool = False

    @classmethod
    def read(cls, text: str, plies: int = 100, limit_first: bool = False) -> Position:
        *cells, side, ply = text.split()
        board = {
            cell: (name[0], name[1], int(name[2]))
            for cell, name in zip(CELLS, cells, strict=True)
            if name != "."
        }
        return cls(board, side, int(ply), plies, limit_first)

    def write(self) -> str:
        names = ["{}{}{}".format(*self.board[cell]) if cell in self.board else "." for cell in CELLS]
        return " ".join([*names, self.side, str(self.ply)])

    def has_ai(self, side: str) -> bool:
        return any(owner == side and kind == "A" for owner, kind, _ in self.board.values())

    def winner(self) -> str | None:
        attacker, defender = self.has_ai("a"), self.has_ai("d")
        at_limit = self.ply >= self.plies
        if self.limit_first and at_limit:
            return "d"
        if attacker and not defender:
            return "a"
        if not attacker:
            return "d"
        return "d" if at_limit else None

    def broken_rule(self, source: Cell, target: Cell) -> int:
        """0, or the number of the first rule that an action breaks."""
        if self.winner():
            return 8
        if source not in CELLS or target not in CELLS:
            return 1
        if source not in self.board or self.board[source][0] != self.side:
            return 2
        if source == target:
            return 0
        step = (target[0] - source[0], target[1] - source[1])
        if abs(step[0]) + abs(step[1]) != 1:
            return 3
        side, kind, _ = self.board[source]
        if target not in self.board:
            if kind in "VT":
                return 0
            if self.engaged(source):
                return 4
            return 0 if step in WAYS[side] else 5
        owner, other, health = self.board[target]
        if owner != side:
            return 0
        if (kind, other) not in REPAIR:
            return 6
        return 0 if health < 9 else 7

    def engaged(self, cell: Cell) -> bool:
        side = self.board[cell][0]
        row, column = cell
        beside = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        return any(near in self.board and self.board[near][0] != side for near in beside)

    def legal(self) -> set[Turn]:
        return {
            (source, target) for source in CELLS for target in CELLS if not self.broken_rule(source, target)
        }

    def play(self, source: Cell, target: Cell) -> Position:
        board = dict(self.board)
        side, kind, _ = board[source]
        if source == target:
            del board[source]
            for cell in CELLS:
                if cell in board and max(abs(cell[0] - source[0]), abs(cell[1] - source[1])) == 1:
                    _gain(board, cell, -2)
        elif target not in board:
            board[target] = board.pop(source)
        else:
            owner, other, _ = board[target]
            if owner == side:
                _gain(board, target, REPAIR[kind, other])
            else:
                _gain(board, target, -DAMAGE[kind][other])
                _gain(board, source, -DAMAGE[other][kind])
        return Position(board, "d" if side == "a" else "a", self.ply + 1, self.plies, self.limit_first)

    def e0(self) -> int:
        worth = {"a": 0, "d": 0}
        for side, kind, _ in self.board.values():
            worth[side] += 9999 if kind == "A" else 3
        return worth["a"] - worth["d"]

    def minimax(self, depth: int) -> int:
        if depth == 0 or self.winner():
            return self.e0()
        values = [self.play(*turn).minimax(depth - 1) for turn in self.legal()]
        return max(values) if self.side == "a" else min(values)


def _gain(board: dict[Cell, Unit], cell: Cell, change: int) -> None:
    side, kind, health = board[cell]
    health = min(9, health + change)
    if health <= 0:
        del board[cell]
    else:
        board[cell] = (side, kind, health)
