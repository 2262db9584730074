"""A turn: one or more moves resolved together, in one canonical form whatever the order they came in."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Number
from operator import index
from typing import NamedTuple

from noctagon.core.game import IllegalAction
from noctagon.core.text import quoted

LARGEST = 2**31 - 1


class Move(NamedTuple):
    """So many creatures go from (x, y) to (tx, ty)."""

    x: int
    y: int
    count: int  # type: ignore[assignment] # hides tuple.count, which nobody needs of a move
    tx: int
    ty: int

    def __str__(self) -> str:
        return f"{self.x},{self.y}>{self.tx},{self.ty}:{self.count}"


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
            if move.count < 1:  # it breaks rule 6, and must not hide in another
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
    """Moves in the order they were given; what is not a list of five whole numbers each is refused."""
    try:
        given = list(moves)  # type: ignore[call-overload] # whatever a bot answered
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
    """What to say where half a group was counted with `/`, which gives no whole number even where it could."""
    numbers = move if isinstance(move, list | tuple) else ()
    fraction = next((number for number in numbers if isinstance(number, float)), None)
    return "" if fraction is None else f"; {fraction!r} is none (in Python, // divides whole numbers)"
