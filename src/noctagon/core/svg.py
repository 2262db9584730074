"""A position as a picture: one self-contained SVG for a notebook, a README, a page.

A game gives its pieces a face with `<symbol id="KIND" viewBox="0 0 100 100">` elements, without other ids.
In them `currentColor` is the owner's colour, and `var(--shade)`, `var(--pale)` and `var(--lamp)` go with it
(see `board.css`); `data-tint` (`warm`, `cool`, `neutral`) fixes a kind's colours, whichever side moves first.
"""

from __future__ import annotations

import math
import re
from functools import cache
from importlib import resources
from itertools import islice
from textwrap import wrap
from typing import TYPE_CHECKING, Literal, NamedTuple

from noctagon.core import board

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from noctagon.core.board import Arrow, Piece, View

Theme = Literal["auto", "light", "dark"]

SVG = "http://www.w3.org/2000/svg"
THEMES = ("auto", "light", "dark")
TINTS = ("warm", "cool", "neutral")

LARGEST_CELL, SMALLEST_CELL = 80, 8
PICTURED_CELL = 22
"""Smallest cell, in pixels, in which symbols can be distinguished; below it, a tile shows only its count."""
CHECKERED_CELL = 14
"""Smallest cell, in pixels, whose colour can be distinguished from its neighbours'."""
BOARD = 1080
"""Maximum width and height of a board in pixels; the cells of larger boards shrink."""
NARROWEST = 360
"""Minimum width of a picture in pixels: the caption needs it."""
PAD = 18
DIGIT, LETTER = 0.68, 0.55
"""Widths of a digit (at most) and of a letter (on average), as fractions of the font size."""

_UNWRITABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Symbol(NamedTuple):
    """A game's picture of a kind of piece: its element, whose id is unique in a page, and its tint."""

    id: str
    element: str
    tint: str


class Frame(NamedTuple):
    """The layout: the size of a cell, the corner of the board, the width of the picture."""

    cell: int
    left: float
    top: float
    width: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        return self.left + x * self.cell, self.top + y * self.cell


class Drawing(NamedTuple):
    """The parts of a picture, for a page that holds many: its size, the symbols it uses, and its elements."""

    width: float
    height: float
    symbols: list[str]
    elements: list[str]
    """From the bottom to the top, without the paper under them; equal things are equal texts."""


def draw(
    view: View, symbols: str = "", *, arrows: Sequence[Arrow] = (), theme: Theme = "auto", title: str = ""
) -> str:
    """Return the position as an SVG document, with `arrows` for a move and `title` as its heading.

    `theme` is `auto` (day or night as the reader's system has it), `light` or `dark`. A piece whose kind has
    no `<symbol>` in `symbols` is a disc with its label. The same arguments always give the same text.
    """
    if theme not in THEMES:
        raise ValueError(f"there is no theme {theme!r}; there are: {', '.join(THEMES)}")
    drawing = take_apart(view, symbols, arrows=arrows, title=title)
    size = {"width": drawing.width, "height": drawing.height}
    parts = [
        tag("title", escape(title or f"{view.game}, {board.status(view)}")),
        tag("desc", escape(describe(view))),
        tag("style", f"\n{stylesheet()}"),
        *drawing.symbols,
        tag("rect", cls="paper", **size, rx=12),
        *drawing.elements,
    ]
    inside = "\n".join(["", *parts, ""])
    box = f"0 0 {number(drawing.width)} {number(drawing.height)}"
    return (
        tag("svg", inside, xmlns=SVG, cls=f"noctagon-board {theme}", role="img", **size, viewBox=box) + "\n"
    )


def take_apart(view: View, symbols: str = "", *, arrows: Sequence[Arrow] = (), title: str = "") -> Drawing:
    """Return the parts that `draw` assembles."""
    faces = read_symbols(symbols, view.game)
    frame = _frame(view, title)
    caption, height = _caption(view, faces, frame)
    heading = escape(_shorten(title, frame.width - 2 * PAD, 17))
    used = {piece.kind for piece in view.pieces} | {name.lower() for name in view.sides}
    elements = [
        *([tag("text", heading, cls="heading", x=PAD, y=PAD + 16)] if title else []),
        *_cells(view, frame),
        *_labels(view, frame),
        *_touched(arrows, frame),
        *(_piece(piece, faces, frame) for piece in view.pieces),
        *(line for arrow in arrows for line in _arrow(arrow, frame)),
        *caption,
    ]
    return Drawing(
        frame.width, height, [face.element for kind, face in faces.items() if kind in used], elements
    )


def describe(view: View, most: int = 40) -> str:
    """Return the position in words, for readers who cannot see the picture."""
    pieces = [
        f"{piece.label} at {view.column_label(piece.x)},{view.row_label(piece.y)}"
        if not view.row_labels
        else f"{piece.label} at {view.row_label(piece.y)}{view.column_label(piece.x)}"
        for piece in islice(view.pieces, most)
    ]
    if len(view.pieces) > most:
        pieces.append(f"and {len(view.pieces) - most} more")
    size = f"{view.rows} rows, {view.columns} columns"
    return f"{board.status(view)}. {size}: {'; '.join(pieces) or 'empty'}."


def escape(text: str) -> str:
    """Return any text as XML; a character that XML cannot hold becomes the replacement character."""
    text = _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


@cache
def stylesheet() -> str:
    """Return the style rules of every board, here and on the page."""
    return resources.files("noctagon.core").joinpath("board.css").read_text(encoding="utf-8")


@cache
def read_symbols(symbols: str, game: str) -> dict[str, Symbol]:
    """Return the `<symbol>` elements of a text by kind, with ids that are unique to the game."""
    found = {}
    for element in re.findall(r"<symbol\b.*?</symbol>", symbols, re.DOTALL):
        head, rest = element.split(">", 1)
        kind = re.search(r'\sid="([^"]*)"', head)
        if kind is None:
            raise ValueError(f"a symbol of {game} has no id: {head}>")
        tint = re.search(r'\sdata-tint="([^"]*)"', head)
        if tint is not None and tint[1] not in TINTS:
            raise ValueError(f"symbol {kind[1]!r} of {game}: there is no tint {tint[1]!r}")
        name = f"noctagon-{re.sub(r'[^A-Za-z0-9_-]', '-', f'{game}-{kind[1]}')}"
        head = head.replace(kind[0], f' id="{name}"')
        found[kind[1]] = Symbol(name, f"{head}>{rest}", tint[1] if tint else "")
    return found


def number(value: float) -> str:
    """Return a coordinate, rounded to a tenth of a pixel, in as few characters as possible."""
    return f"{round(value, 1):.6g}"


def tag(name: str, inside: str = "", /, **attributes: str | float) -> str:
    """Return one element; `cls` is its class, `stroke_width` its `stroke-width`; `inside` is XML already."""
    written = "".join(
        f" {'class' if key == 'cls' else key.replace('_', '-')}="
        f'"{escape(value) if isinstance(value, str) else number(value)}"'
        for key, value in attributes.items()
    )
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def _shorten(text: str, width: float, size: float) -> str:
    """Return the text, or as much of it as fits into a width at a font size."""
    most = max(1, int(width / (size * LETTER)))
    return text if len(text) <= most else text[: most - 1] + "…"


def _frame(view: View, title: str) -> Frame:
    longest = max(len(view.row_label(y)) for y in range(view.rows))
    cell = max(SMALLEST_CELL, min(LARGEST_CELL, BOARD // max(view.rows, view.columns)))
    margin = PAD + 12 * LETTER * longest + 8
    width = max(NARROWEST, margin + cell * view.columns + margin)
    return Frame(cell, (width - cell * view.columns) / 2, PAD + 22 + (34 if title else 0), width)


def _cells(view: View, frame: Frame) -> Iterator[str]:
    """Yield the board in three elements, however large: a checkered row is one dashed line, as thick as the row.

    Where cells are tiny, checks would be noise: every fifth line, where the labels are, is strong instead.
    """
    cell, (left, top) = frame.cell, frame.at(0, 0)
    width, height = cell * view.columns, cell * view.rows
    yield tag("rect", cls="cells", x=left, y=top, width=width, height=height)
    if cell < CHECKERED_CELL:
        step = label_step(max(view.rows, view.columns))
        yield tag("path", cls="lines faint", d=_lines(view, frame, 1))
        yield tag("path", cls="lines", d=_lines(view, frame, step))
        return
    rows = "".join(
        f"M{number(left + cell * (row % 2))} {number(top + cell * (row + 0.5))}H{number(left + width)}"
        for row in range(view.rows)
        if view.columns > row % 2
    )
    yield tag("path", cls="checks", stroke_width=cell, stroke_dasharray=cell, d=rows)
    yield tag("path", cls="lines", d=_lines(view, frame, 1))


def _lines(view: View, frame: Frame, step: int) -> str:
    """Return the grid's lines as one path: every `step`-th line, and the last."""
    (left, top), (right, bottom) = frame.at(0, 0), frame.at(view.columns, view.rows)
    across = [frame.at(0, row)[1] for row in range(0, view.rows, step)] + [bottom]
    down = [frame.at(column, 0)[0] for column in range(0, view.columns, step)] + [right]
    return "".join(
        [f"M{number(left)} {number(y)}H{number(right)}" for y in across]
        + [f"M{number(x)} {number(top)}V{number(bottom)}" for x in down]
    )


def label_step(count: int) -> int:
    """Return the distance between labels: on a large board only every fifth row or column has one."""
    return 5 if count > 15 else 1


def _labels(view: View, frame: Frame) -> Iterator[str]:
    for column in range(0, view.columns, label_step(view.columns)):
        x, y = frame.at(column + 0.5, 0)
        yield tag("text", escape(view.column_label(column)), cls="label", x=x, y=y - 8)
    for row in range(0, view.rows, label_step(view.rows)):
        x, y = frame.at(0, row + 0.5)
        yield tag("text", escape(view.row_label(row)), cls="label row", x=x - 8, y=y + 4)


def _tint(kind: str, side: int | None, faces: dict[str, Symbol]) -> str:
    """Return a kind's own tint, or its owner's: the first side is warm, the second cool."""
    own = faces[kind].tint if kind in faces else ""
    return own or ("neutral" if side is None else TINTS[side])


def _piece(piece: Piece, faces: dict[str, Symbol], frame: Frame) -> str:
    tint = _tint(piece.kind, piece.side, faces)
    x, y = frame.at(piece.x, piece.y)
    if piece.kind not in faces:
        inside = tag("circle", cls="disc", cx=50, cy=50, r=42) + _inscription(piece.label, 36)
    elif frame.cell < PICTURED_CELL:
        inside = _shape("tile solid", tint, 4, 4, 92, 92) + _inscription(str(piece.count), 62)
    else:
        inside = _shape("tile", tint, 4, 4, 92, 92)
        inside += tag("use", href=f"#{faces[piece.kind].id}", x=15, y=8, width=70, height=70)
        inside += _badge(str(piece.count), tint, max(27, 11.5 * 100 / frame.cell))
    place = f"translate({number(x)} {number(y)}) scale({frame.cell / 100:g})"
    return tag("g", inside, cls=f"piece {tint}", transform=place)


def _shape(cls: str, tint: str, x: float, y: float, width: float, height: float) -> str:
    """Return a box whose shape tells the sides apart without colour: cut corners, round ones, nearly square ones."""
    if tint != "warm":
        rounding = {"cool": 0.5 if cls == "badge" else 0.38, "neutral": 0.12}[tint]
        return tag("rect", cls=cls, x=x, y=y, width=width, height=height, rx=height * rounding)
    cut, right, bottom = height * (0.3 if cls == "badge" else 0.2), x + width, y + height
    corners = (
        *((x + cut, y), (right - cut, y), (right, y + cut), (right, bottom - cut)),
        *((right - cut, bottom), (x + cut, bottom), (x, bottom - cut), (x, y + cut)),
    )
    return tag("polygon", cls=cls, points=" ".join(f"{number(a)},{number(b)}" for a, b in corners))


def _inscription(text: str, size: float) -> str:
    """Return a text in the middle of a cell of 100 by 100, as large as it fits."""
    size = min(size, 74 / (DIGIT * max(1, len(text))))
    return tag("text", escape(text), cls="count", x=50, y=50 + size * 0.36, font_size=size)


def _badge(text: str, tint: str, size: float) -> str:
    """Return a count in the lower right corner of a cell of 100 by 100; five digits still fit."""
    size = min(size, 88 / (DIGIT * len(text)))
    height = size * 1.22
    width = max(height, size * DIGIT * len(text) + size * 0.36)
    middle = {"x": 100 - width / 2, "y": 100 - height / 2 + size * 0.36}
    return _shape("badge", tint, 100 - width, 100 - height, width, height) + tag(
        "text", escape(text), cls="count", **middle, font_size=size
    )


def _touched(arrows: Sequence[Arrow], frame: Frame) -> Iterator[str]:
    """Yield the cells of a move, marked under the pieces."""
    for cell in dict.fromkeys(
        cell for arrow in arrows for cell in ((arrow.x, arrow.y), (arrow.tx, arrow.ty))
    ):
        x, y = frame.at(*cell)
        yield tag("rect", cls="touched", x=x, y=y, width=frame.cell, height=frame.cell)


def _arrow(arrow: Arrow, frame: Frame) -> Iterator[str]:
    """Yield an arrow between two cells, its text at the tail; a ring where both are one cell."""
    cell = frame.cell
    x, y = frame.at(arrow.x + 0.5, arrow.y + 0.5)
    dx, dy = (arrow.tx - arrow.x) * cell, (arrow.ty - arrow.y) * cell
    length = math.hypot(dx, dy)
    if not length:
        corner = {"x": x - cell / 2, "y": y - cell / 2, "rx": cell / 6}
        yield tag("rect", cls="ring", **corner, width=cell, height=cell, stroke_width=cell / 12)
        yield from _amount(arrow.text, x, y - cell * 0.5, cell)
        return
    ux, uy = dx / length, dy / length
    start, end = cell * 0.3, length - cell * 0.12
    neck, half, wing = end - cell * 0.24, cell * 0.05, cell * 0.15
    outline = (
        (start, -half),
        (neck, -half),
        (neck, -wing),
        (end, 0),
        (neck, wing),
        (neck, half),
        (start, half),
    )
    points = " ".join(f"{number(x + ux * a - uy * b)},{number(y + uy * a + ux * b)}" for a, b in outline)
    yield tag("polygon", cls="arrow", stroke_width=cell / 24, points=points)
    tail = cell * 0.38
    yield from _amount(arrow.text, x + ux * tail, y + uy * tail, cell)


def _amount(text: str, x: float, y: float, cell: float) -> Iterator[str]:
    if text:
        size = max(min(cell * 0.2, 15), min(11, cell * 0.6))
        height = size * 1.3
        width = max(height, len(text) * DIGIT * size + size * 0.5)
        box = {"x": x - width / 2, "y": y - height / 2, "width": width, "height": height, "rx": height / 2}
        yield tag("rect", cls="amount", stroke_width=cell / 24, **box)
        yield tag("text", escape(text), cls="amount-text", x=x, y=y + size * 0.36, font_size=size)


def _caption(view: View, faces: dict[str, Symbol], frame: Frame) -> tuple[list[str], float]:
    """Return the caption and the height where it ends: the sides with their scores and shares, the ply."""
    inner = frame.width - 2 * PAD
    y = frame.top + frame.cell * view.rows + 16
    lines = []
    first, second = view.score
    if first >= 0 and second >= 0 and first + second > 0:
        share = inner * first / (first + second)
        for side, x, width in ((0, float(PAD), share), (1, PAD + share, inner - share)):
            tint = _tint(view.sides[side].lower(), side, faces)
            lines.append(tag("rect", cls=f"share {tint}", x=x, y=y, width=width, height=4))
    y += 30
    lines += [_side(view, side, PAD + side * inner / 2, y, inner / 2, faces) for side in (0, 1)]
    y += 28
    now = view.result or f"{view.sides[view.side]} to move"
    style = "status result" if view.result else "status"
    for line in wrap(f"{now} · ply {view.ply} of {view.limit}", int(inner / (13 * LETTER))):
        lines.append(tag("text", escape(line), cls=style, x=PAD, y=y))
        y += 19
    return lines, y + PAD - 19


def _side(view: View, side: int, x: float, y: float, width: float, faces: dict[str, Symbol]) -> str:
    """Return one side's part of the caption: a chip, its name, its score; a pointer when it is to move."""
    kind, score = view.sides[side].lower(), f"{view.score[side]:g}"
    tint = _tint(kind, side, faces)
    if kind in faces:
        inside = tag("use", href=f"#{faces[kind].id}", x=x, y=y - 17, width=22, height=22)
    else:
        inside = _shape("chip", tint, x + 1, y - 15, 20, 20)
    name = escape(_shorten(view.sides[side], width - 50 - len(score) * 14 * DIGIT, 14))
    inside += tag("text", f"{name} {tag('tspan', score, cls='score')}", cls="name", x=x + 30, y=y)
    on_move = view.side == side and not view.result
    if on_move:
        inside += tag("path", cls="pointer", d=f"M{number(x - 11)} {number(y - 11)}l7 5-7 5z")
    return tag("g", inside, cls=f"{tint} on-move" if on_move else tint)
