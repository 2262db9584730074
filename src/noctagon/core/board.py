"""The appearance of a position as plain data, from which the terminal, the SVG and the page draw."""

from __future__ import annotations

import msgspec


class Piece(msgspec.Struct, frozen=True):
    """A piece on a cell.

    `kind` names its symbol, `side` its owner (None: no owner), `count` is the number beside it,
    `label` its short text form (`V8`, `dA9`).
    """

    x: int
    y: int
    kind: str
    side: int | None
    count: int
    label: str


class Arrow(msgspec.Struct, frozen=True):
    """A move to draw: from a cell to a cell, with a short text (a count, the damage)."""

    x: int
    y: int
    tx: int
    ty: int
    text: str = ""


class View(msgspec.Struct, frozen=True):
    """One position, ready to be drawn. The first row is the top one."""

    game: str
    rows: int
    columns: int
    pieces: tuple[Piece, ...]
    sides: tuple[str, str]
    side: int
    ply: int
    limit: int
    score: tuple[float, float]
    result: str = ""
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()

    def row_label(self, y: int) -> str:
        return self.row_labels[y] if self.row_labels else str(y)

    def column_label(self, x: int) -> str:
        return self.column_labels[x] if self.column_labels else str(x)


def text(view: View) -> str:
    """Return the board in plain characters with its coordinates, as `print(state)` shows it."""
    cells = {(piece.x, piece.y): piece.label for piece in view.pieces}
    width = max([len(label) for label in cells.values()] + [len(view.column_label(view.columns - 1)), 1])
    margin = max(len(view.row_label(y)) for y in range(view.rows))
    lines = [" " * margin + "".join(f" {view.column_label(x):>{width}}" for x in range(view.columns))]
    lines += [
        f"{view.row_label(y):>{margin}}"
        + "".join(f" {cells.get((x, y), '.'):>{width}}" for x in range(view.columns))
        for y in range(view.rows)
    ]
    lines.append(f"{status(view)}")
    return "\n".join(lines)


def status(view: View) -> str:
    """Return one line with the ply, the score of each side and the side to move."""
    score = ", ".join(f"{name} {points:g}" for name, points in zip(view.sides, view.score, strict=True))
    now = view.result or f"{view.sides[view.side]} to move"
    return f"ply {view.ply} of {view.limit} · {score} · {now}"
