"""The board and the players on a terminal of any width, with or without colour, in ASCII if needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.style import Style
from rich.text import Text

from noctagon.core.board import Arrow, Piece, View, status
from noctagon.core.player import Thought
from noctagon.core.text import describe_nodes, plain
from noctagon.search.tree import describe_score

WARM, COOL, NEUTRAL = (
    Style(color="#ff6f8b", bold=True),
    Style(color="#6fb6ff", bold=True),
    Style(color="#d9bf7f"),
)
KINDS = {"vampires": WARM, "werewolves": COOL, "humans": NEUTRAL}
"""Colours of the kinds and sides that keep theirs whichever moves first; the others go by side."""
CELL, CHECK, TOUCHED = (
    Style(bgcolor="#141b36"),
    Style(bgcolor="#1b2446"),
    Style(bgcolor="#5a4718", underline=True),
)
EMPTY, LEFT = Style(color="#4a5685"), Style(color="#ffd166")
QUIET, USUAL = Style(dim=True), Style()

WIDEST, NARROWEST = 5, 2
BAR = 12


class Glyphs(NamedTuple):
    """The few characters besides letters and digits."""

    empty: str
    left: str
    on_move: str
    full: str
    rest: str
    dash: str
    dot: str


PRETTY = Glyphs("·", "○", "▶", "█", "░", "–", "·")
ASCII = Glyphs(".", "o", ">", "#", "-", "-", "|")


@dataclass(frozen=True)
class SeatLine:
    """The lines about one player: name, score, clock and thought."""

    name: str
    side_name: str
    score: float
    seconds: float = 0.0
    limit: float | None = None
    thought: Thought | None = None
    on_move: bool = False


def draw_board(
    view: View, *, width: int, height: int | None = None, last: Sequence[Arrow] = ()
) -> RenderableType:
    """Return the position in at most `width` columns and `height` lines, with the `last` move marked.

    Cells are as wide as fits; a board that is too large even so is cut to a window around the last move, or
    around the pieces, and a note says what is shown.
    """
    return _Board(view, width, height, tuple(last))


def players_panel(seats: Sequence[SeatLine], *, width: int) -> RenderableType:
    """Return both players in two lines each: name, score and clock; and the thought."""
    return _Players(tuple(seats), width)


def describe_thought(thought: Thought | None, dot: str = "·") -> str:
    """Return what there is of depth, nodes, score and best line, separated by dots."""
    if thought is None:
        return ""
    parts = []
    if thought.depth:
        parts.append(f"depth {thought.depth}")
    if thought.nodes:
        parts.append(describe_nodes(thought.nodes))
    if thought.score is not None:
        parts.append(describe_score(thought.score, chances=thought.chance))
    parts += thought.line
    if thought.note:
        parts.append(thought.note)
    return f" {dot} ".join(parts)


def side_style(name: str, side: int | None) -> Style:
    """Return the colour of a side or a kind: its own, or its owner's."""
    return KINDS.get(name.lower(), NEUTRAL if side is None else (WARM, COOL)[side])


def cell_width(view: View, room: int) -> int:
    """Return the widest cell, from comfortable to bare, that lets all columns in; else one that reads well."""
    longest = max((len(piece.label) for piece in view.pieces), default=1)
    comfortable = max(WIDEST, longest + 1)
    for width in range(comfortable, NARROWEST - 1, -1):
        if width * view.columns <= room:
            return width
    return max(NARROWEST, min(longest + 1, 4, room))


def fit(label: str, width: int) -> str:
    """Return a label that fits a cell: whole, its letters with a shorter count, or with a sign that there is more.

    >>> [fit("V1234", width) for width in (5, 4, 2)]
    ['V1234', 'V1k', 'V+']
    """
    if len(label) <= width:
        return label
    letters = label.rstrip("0123456789")
    count = label[len(letters) :]
    short = f"{letters}{count[:-3]}k"
    return short if len(count) > 3 and len(short) <= width else letters[: width - 1] + "+"


def window(total: int, visible: int, points: Iterable[int]) -> range:
    """Return `visible` rows or columns of a board around the points that matter, or around as many as go in."""
    visible = max(1, min(total, visible))
    points = sorted(set(points)) or [total // 2]
    groups = [[point for point in points if first <= point < first + visible] for first in points]
    best = max(groups, key=len)
    first = (best[0] + best[-1] - visible + 1) // 2
    first = max(0, min(total - visible, first))
    return range(first, first + visible)


class _Board(NamedTuple):
    view: View
    width: int
    height: int | None
    last: tuple[Arrow, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        view, glyphs = self.view, ASCII if options.ascii_only else PRETTY
        margin = max(len(view.row_label(y)) for y in range(view.rows)) + 1
        sources = {(arrow.x, arrow.y) for arrow in self.last}
        touched = sources | {(arrow.tx, arrow.ty) for arrow in self.last}
        wide = cell_width(view, self.width - margin)
        xs, ys = self._windows((self.width - margin) // wide, touched)
        pieces = {(piece.x, piece.y): piece for piece in view.pieces}
        yield _line(" " * margin + self._header(xs, wide), QUIET)
        for y in ys:
            row = _line(f"{view.row_label(y):>{margin - 1}} ", QUIET)
            for x in xs:
                text, style = _cell(pieces.get((x, y)), wide, glyphs, (x, y) in sources)
                ground = TOUCHED if (x, y) in touched else CHECK if (x + y) % 2 else CELL
                row.append(text, style + ground)
            yield row
        if len(xs) < view.columns or len(ys) < view.rows:
            yield _clip(_line(self._note(xs, ys, glyphs), QUIET), self.width, glyphs)
        now = plain(status(view).replace("·", glyphs.dot), options.ascii_only)
        yield _clip(_line(now, Style(bold=bool(view.result))), self.width, glyphs)

    def _windows(self, columns: int, touched: set[tuple[int, int]]) -> tuple[range, range]:
        """Return the columns and rows to show: all, or those around the last move, the sides' pieces, any piece."""
        view = self.view
        owned = {(piece.x, piece.y) for piece in view.pieces if piece.side is not None}
        matter = touched or owned or {(piece.x, piece.y) for piece in view.pieces}
        around = 2 + (columns < view.columns)  # the header, the status, the note
        whole = self.height is None or view.rows + around <= self.height
        rows = view.rows if whole or self.height is None else self.height - 3
        mover = {(piece.x, piece.y) for piece in view.pieces if piece.side == view.side}

        def near(cell: tuple[int, int]) -> tuple[int, bool]:
            seen = [
                abs(x - cell[0]) < columns // 2 and abs(y - cell[1]) < max(rows // 2, 1) for x, y in matter
            ]
            return sum(seen), cell in mover

        x, y = max(sorted(matter), key=near, default=(view.columns // 2, view.rows // 2))
        inside = [cell for cell in matter if abs(cell[0] - x) < columns // 2 and abs(cell[1] - y) < rows // 2]
        xs = window(view.columns, columns, [x, *(cell[0] for cell in inside)])
        return xs, window(view.rows, rows, [y, *(cell[1] for cell in inside)])

    def _header(self, xs: range, wide: int) -> str:
        """Return the columns' labels; only every fifth if they would touch."""
        longest = max(len(self.view.column_label(x)) for x in xs)
        step = 1 if longest < wide else 5
        header = [" "] * (wide * len(xs))
        for place, x in enumerate(xs):
            label = self.view.column_label(x)
            end = wide * (place + 1) - (wide > 3)  # the labels stand over the counts' last digits
            if x % step == 0 and end >= len(label):
                header[end - len(label) : end] = label
        return "".join(header)

    def _note(self, xs: range, ys: range, glyphs: Glyphs) -> str:
        view = self.view
        parts = []
        if len(xs) < view.columns:
            ends = f"{view.column_label(xs[0])}{glyphs.dash}{view.column_label(xs[-1])}"
            parts.append(f"columns {ends} of {view.columns}")
        if len(ys) < view.rows:
            ends = f"{view.row_label(ys[0])}{glyphs.dash}{view.row_label(ys[-1])}"
            parts.append(f"rows {ends} of {view.rows}")
        return ", ".join(parts)


def _cell(piece: Piece | None, wide: int, glyphs: Glyphs, left: bool) -> tuple[str, Style]:
    """Return a cell's text, as wide as the cell, and its colour; a cell that was just left has a mark."""
    space = wide > 3  # a wide cell keeps its last column free
    if piece is None:
        text, style = (glyphs.left, LEFT) if left else (glyphs.empty, EMPTY)
    else:
        text, style = fit(piece.label, wide), side_style(piece.kind, piece.side)
    return text.rjust(wide - space).ljust(wide), style


class _Players(NamedTuple):
    seats: tuple[SeatLine, ...]
    width: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        glyphs = ASCII if options.ascii_only else PRETTY
        most = max(1.0, *(seat.score for seat in self.seats))
        names = [_line(plain(seat.side_name, options.ascii_only)) for seat in self.seats]
        names_width = max(name.cell_len for name in names)
        score_width = max(len(f"{seat.score:g}") for seat in self.seats)
        clock_width = max(len(describe_clock(seat)) for seat in self.seats)
        bar = BAR if self.width >= 60 else 0
        room = max(1, self.width - names_width - score_width - clock_width - bar - 5 - bool(bar))
        for side, (seat, side_name) in enumerate(zip(self.seats, names, strict=True)):
            style = side_style(seat.side_name, side)
            filled = round(bar * max(0.0, seat.score) / most)
            player = _line(plain(seat.name, options.ascii_only), Style(bold=seat.on_move))
            side_name.stylize(style)
            side_name.pad_right(names_width - side_name.cell_len)
            line = _line(f"{glyphs.on_move if seat.on_move else ' '} ", Style(color="yellow", bold=True))
            line.append_text(side_name).append(" ").append_text(_clip(player, room, glyphs, pad=True))
            if bar:
                line.append(" ").append(glyphs.full * filled, style).append(
                    glyphs.rest * (bar - filled), QUIET
                )
            line.append(f" {seat.score:>{score_width}g} ", Style(bold=True))
            line.append(f"{describe_clock(seat):>{clock_width}}", USUAL if seat.on_move else QUIET)
            yield line
            thought = plain(describe_thought(seat.thought, glyphs.dot), options.ascii_only)
            yield _clip(_line(f"  {thought}", QUIET), self.width, glyphs)


def describe_clock(seat: SeatLine) -> str:
    """Return the seconds of this turn, and the limit if there is one."""
    return f"{seat.seconds:.1f} s" if seat.limit is None else f"{seat.seconds:.1f} / {seat.limit:g} s"


def _line(text: str, style: Style = USUAL) -> Text:
    """Return a line that is never wrapped and whose style ends with its text."""
    line = Text(no_wrap=True, overflow="crop")
    return line.append(text, style)


def _clip(line: Text, width: int, glyphs: Glyphs, *, pad: bool = False) -> Text:
    """Return a line cut to a width, in glyphs that the terminal has."""
    line.truncate(max(1, width), overflow="ellipsis" if glyphs is PRETTY else "crop", pad=pad)
    return line


def interrupt(*_: object) -> None:
    """End at once on Ctrl-C, also at a prompt and in a search: asyncio's own handler waits for the next `await`."""
    raise KeyboardInterrupt
