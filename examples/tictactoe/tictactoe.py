"""Tic-tac-toe: a whole game for noctagon in one file. Cells are numbered 0 to 8, row by row."""

import noctagon
from noctagon import Actions, BadNotation, Dice, Game, IllegalAction, Piece, Result, Rules, State, View, Wire

RULES = Rules(plies=9)
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class Board(State[int]):
    cells, rules = property(lambda self: self._cells), property(lambda self: self._rules)
    ply, side = property(lambda self: 9 - self.cells.count(".")), property(lambda self: self.ply % 2)
    sides = property(lambda self: ("X", "O"))
    key = property(lambda self: f"{self.cells} {self.rules}".encode())

    def __init__(self, cells: str = "." * 9, rules: Rules = RULES) -> None:
        self._cells, self._rules = cells, rules

    @property
    def result(self) -> Result | None:
        for a, b, c in LINES:
            if self.cells[a] == self.cells[b] == self.cells[c] != ".":
                return Result(0 if self.cells[a] == "x" else 1, "three in a row")
        return Result(None, "full board") if self.ply >= self.rules.plies else None

    def actions(self) -> Actions[int]:
        return Actions(self, [cell for cell in range(9) if self.cells[cell] == "." and not self.result])

    def check(self, action: int) -> None:
        if action not in list(self.actions()):
            raise IllegalAction(f"cell {action!r} is not a free cell of a game that goes on")

    def play(self, action: int, dice: Dice = ()) -> "Board":
        self.check(action)
        return Board(self.cells[:action] + "xo"[self.side] + self.cells[action + 1 :], self.rules)

    def view(self) -> View:
        marks = [(cell, mark) for cell, mark in enumerate(self.cells) if mark != "."]
        pieces = tuple(Piece(cell % 3, cell // 3, mark, "xo".index(mark), 1, mark) for cell, mark in marks)
        end = self.result.describe(self.sides) if self.result else ""
        return View("tictactoe", 3, 3, pieces, self.sides, self.side, self.ply, self.rules.plies, (0, 0), end)


class TicTacToe(Game[int]):
    name, title, about = "tictactoe", "Tic-tac-toe", "Three in a row on nine cells."
    sides, rule_sets, demo = ("X", "O"), {"standard": RULES}, ("alphabeta:depth=9", "random")

    def setups(self) -> dict[str, str]:
        return {"empty": "the empty board"}

    def initial(self, setup: str | None = None, rules: Rules | None = None) -> Board:
        if setup not in (None, "empty"):
            raise noctagon.UnknownName("setup", str(setup), self.setups())
        return Board(rules=rules or RULES)

    def parse_action(self, text: str, state: State[int]) -> int:
        if text not in set("012345678"):
            raise BadNotation(f"{text!r}: a cell is a number from 0 to 8")
        return int(text)

    def format_action(self, action: int) -> str:
        return str(action)

    def parse_position(self, text: str, rules: Rules | None = None) -> Board:
        lead = text.count("x") - text.count("o")
        if len(text) != 9 or set(text) - set("xo.") or lead not in (0, 1):
            raise BadNotation(f"{text!r}: nine of x, o and . with as many x as o, or one more")
        return Board(text, rules or RULES)

    def format_position(self, state: State[int]) -> str:
        return state.cells  # type: ignore[attr-defined,no-any-return]

    def wire(self) -> Wire:
        from tictactoe_wire import TicTacToeWire

        return TicTacToeWire(self)


game = TicTacToe()
