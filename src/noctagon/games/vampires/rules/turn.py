"""Moves and turns: a turn is one or more moves resolved together, kept in one canonical form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from numbers import Number
from operator import index
from typing import NamedTuple

from noctagon.core.game import IllegalAction
from noctagon.core.text import quoted

LARGEST = 2**31 - 1
"""Largest number in a move: the kernel's integers have 32 bits."""


class Move(NamedTuple):
    """A move of `count` creatures from (x, y) to (tx, ty)."""

    x: int
    y: int
    count: int  # type: ignore[assignment] # hides tuple.count, which a move does not need
    tx: int
    ty: int

    def __str__(self) -> str:
        return f"{self.x},{self.y}>{self.tx},{self.ty}:{self.count}"


Departure = tuple[Move, ...]
"""The moves of one group in a turn: none, one, or several."""


class Turn(tuple[Move, ...]):
    """The moves of a turn, sorted, with moves between the same two cells merged into one.

    >>> Turn([(4, 3, 2, 5, 4), (1, 1, 1, 1, 2), (4, 3, 6, 5, 4)])
    Turn('1,1>1,2:1 4,3>5,4:8')
    """

    __slots__ = ()

    def __new__(cls, moves: Iterable[Iterable[int]] = ()) -> Turn:
        if isinstance(moves, Turn):
            return moves
        merged: dict[tuple[int, int, int, int], Move] = {}
        unmergeable: list[Move] = []
        for move in read_moves(moves):
            way = (move.x, move.y, move.tx, move.ty)
            if move.count < 1:  # it breaks rule 6; merged, that would not show
                unmergeable.append(move)
            elif way in merged:
                count = merged[way].count + move.count
                if count > LARGEST:
                    raise IllegalAction(f"{count} creatures from {move.x},{move.y} are out of all bounds")
                merged[way] = move._replace(count=count)
            else:
                merged[way] = move
        return super().__new__(cls, sorted([*merged.values(), *unmergeable]))

    def __str__(self) -> str:
        return " ".join(map(str, self))

    def __repr__(self) -> str:
        return f"Turn({str(self)!r})"


def read_moves(moves: object) -> list[Move]:
    """Return moves in the given order; raise `IllegalAction` for anything but lists of five whole numbers."""
    try:
        given = list(moves)  # type: ignore[call-overload] # any answer of a bot
    except TypeError:
        raise IllegalAction(f"a turn is a list of moves, not {quoted(moves)}") from None
    if len(given) == len(Move._fields) and all(isinstance(number, Number) for number in given):
        raise IllegalAction(f"that is one move; a turn is a list of moves: [{quoted(moves)}]")
    read = []
    for number, move in enumerate(given, 1):
        try:
            x, y, count, tx, ty = map(index, move)
        except (TypeError, ValueError):
            raise IllegalAction(
                f"move {number} is {quoted(move)}; a move is five whole numbers: x, y, count, target x, target y"
                f"{_fraction_hint(move)}"
            ) from None
        if max(map(abs, (x, y, count, tx, ty))) > LARGEST:
            raise IllegalAction(f"move {number} has a number that is out of all bounds: {quoted(move)}")
        read.append(Move(x, y, count, tx, ty))
    return read


def _fraction_hint(move: object) -> str:
    """Return a hint for a count made with `/`, which never gives a whole number in Python."""
    numbers = move if isinstance(move, list | tuple) else ()
    fraction = next((number for number in numbers if isinstance(number, float)), None)
    return "" if fraction is None else f"; {fraction!r} is none (in Python, // divides whole numbers)"


def arrivals(moves: Iterable[Move]) -> dict[tuple[int, int], int]:
    """Return the number of creatures that arrive on each target."""
    arriving: dict[tuple[int, int], int] = {}
    for move in moves:
        arriving[move.tx, move.ty] = arriving.get((move.tx, move.ty), 0) + move.count
    return arriving


def compatible(moves: Departure, more: Departure, limit: int) -> bool:
    """Return whether `more` can join the moves of a turn (rule 5; rule 7 with at most `limit` arriving on a cell)."""
    for move in more:
        arriving = move.count
        for other in moves:
            if (other.x == move.tx and other.y == move.ty) or (other.tx == move.x and other.ty == move.y):
                return False
            if other.tx == move.tx and other.ty == move.ty:
                arriving += other.count
        if arriving > limit:
            return False
    return True


def list_departures(
    cell: tuple[int, int], count: int, targets: Sequence[tuple[int, int]]
) -> Iterator[Departure]:
    """Yield every way in which some or none of a group's creatures leave for some of the targets."""
    if not targets:
        yield ()
        return
    for leaving in range(count + 1):
        move = (Move(*cell, leaving, *targets[0]),) if leaving else ()
        for others in list_departures(cell, count - leaving, targets[1:]):
            yield move + others
