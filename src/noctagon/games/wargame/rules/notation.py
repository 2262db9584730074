"""Actions and positions as text: `C4 C3`; 25 cells row by row, the side to move, the turns played."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from noctagon.core.game import BadNotation
from noctagon.core.text import quoted
from noctagon.games.wargame.rules.units import (
    AI,
    CELLS,
    COLUMNS,
    FULL_HEALTH,
    KIND_LETTERS,
    ROWS,
    SIDE_LETTERS,
    SIDES,
    SIZE,
    cell_name,
    kind_of,
    side_of,
    unit,
    unit_name,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noctagon.core.game import Side

SEPARATORS = " ,.:;-_\t\r\n"
MOST_TURNS = 2**31 - 1
"""The kernel counts turns in 32 bits."""


class Action(NamedTuple):
    """One turn: the unit on `source` acts on `target`; what it does follows from what stands there.

    >>> str(Action(14, 13))
    'C4 C3'
    """

    source: int
    target: int

    def __str__(self) -> str:
        return f"{cell_name(self.source)} {cell_name(self.target)}"


class Position(NamedTuple):
    """The content of a position's text."""

    cells: bytes
    side: Side
    ply: int


def parse_cell(text: str) -> int:
    """Return the number of a cell; raise `BadNotation` for anything else.

    >>> parse_cell("e4")
    24
    """
    row, column = (ROWS.find(text[0].upper()), COLUMNS.find(text[1])) if len(text) == 2 else (-1, -1)
    if row < 0 or column < 0:
        raise BadNotation(f"{quoted(text)} is not a cell: a row A to E, then a column 0 to 4, as in C4")
    return row * SIZE + column


def parse_action(text: str) -> Action:
    """Return the action of two coordinates, in either case; spaces and `,.:;-_` between them do not matter.

    >>> parse_action("c4-C3")
    Action(source=14, target=13)
    """
    marks = "".join(mark for mark in text if mark not in SEPARATORS)
    if len(marks) != 4:
        raise BadNotation(
            f"action {quoted(text)}: two cells are needed, source and target, as in C4 C3 "
            "(the same one twice to self-destruct)"
        )
    cells = []
    for place, name in (("source", marks[:2]), ("target", marks[2:])):
        try:
            cells.append(parse_cell(name))
        except BadNotation as error:
            raise BadNotation(f"action {quoted(text)}: the {place} {error}") from None
    return Action(*cells)


def parse_unit(text: str) -> int:
    """Return the byte of a unit; raise `BadNotation` for anything else.

    >>> unit_name(parse_unit("dA9"))
    'dA9'
    """
    if len(text) != 3:
        raise BadNotation(f"{quoted(text)} is not a unit: side, kind and health, as in dA9")
    side, kind, health = text[0], text[1], text[2]
    if side not in SIDE_LETTERS:
        raise BadNotation(f"{quoted(text)}: unknown side {side!r}; it is a (attacker) or d (defender)")
    if kind not in KIND_LETTERS:
        raise BadNotation(f"{quoted(text)}: unknown unit {kind!r}; there are {', '.join(KIND_LETTERS)}")
    if health not in "123456789":
        raise BadNotation(f"{quoted(text)}: a unit's health is 1 to {FULL_HEALTH}, not {health!r}")
    return unit(SIDE_LETTERS.index(side), KIND_LETTERS.index(kind), int(health))


def parse_position(text: str) -> Position:
    """Read a text: 25 cells row by row (`.` is empty), the side to move (a or d), the turns played."""
    tokens = text.split()
    if len(tokens) != CELLS + 2:
        raise BadNotation(
            f"position: {len(tokens)} tokens, but it has {CELLS + 2}: {CELLS} cells row by row, "
            "the side to move (a or d), the turns played"
        )
    cells = bytearray(CELLS)
    for cell, token in enumerate(tokens[:CELLS]):
        if token != ".":
            try:
                cells[cell] = parse_unit(token)
            except BadNotation as error:
                raise BadNotation(f"position, token {cell + 1} (cell {cell_name(cell)}): {error}") from None
    check_cells(cells)
    letter, turns = tokens[CELLS:]
    if letter not in ("a", "d"):
        raise BadNotation(f"position, token {CELLS + 1}: the side to move is a or d, not {quoted(letter)}")
    if not (turns.isascii() and turns.isdigit() and len(turns) < 20 and int(turns) <= MOST_TURNS):
        raise BadNotation(
            f"position, token {CELLS + 2}: the turns played are a number from 0, not {quoted(turns)}"
        )
    return Position(bytes(cells), 0 if letter == "a" else 1, int(turns))


def format_position(cells: Sequence[int], side: int, ply: int) -> str:
    """Write the text that `parse_position` reads."""
    names = [unit_name(code) if code else "." for code in cells]
    return " ".join([*names, SIDE_LETTERS[side], str(ply)])


def check_cells(cells: Sequence[int]) -> None:
    """Raise `BadNotation` unless 25 unit bytes make a board: nothing but units, one AI a side at most."""
    if len(cells) != CELLS:
        raise BadNotation(f"a board has {CELLS} cells, not {len(cells)}")
    ais: dict[int, int] = {}
    for cell, code in enumerate(cells):
        if code == 0:
            continue
        if not 0 < code < 256 or kind_of(code) >= len(KIND_LETTERS) or not 1 <= code & 15 <= FULL_HEALTH:
            raise BadNotation(f"cell {cell_name(cell)}: {code} is not the byte of a unit")
        if kind_of(code) == AI:
            first = ais.setdefault(side_of(code), cell)
            if first != cell:
                raise BadNotation(
                    f"the {SIDES[side_of(code)]} has two AIs, at {cell_name(first)} and {cell_name(cell)}"
                )
