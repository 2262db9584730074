"""The rule sets of Vampires vs Werewolves, the positions they allow, and the geometry of the grid."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Literal

from noctagon.core.game import MOST_PLIES, NoctagonError, Rules
from noctagon.games.vampires.rules.limits import CELL_LIMIT, LARGEST_SIDE, MOST_CREATURES

if TYPE_CHECKING:
    from noctagon.games.vampires.rules.state import VampiresState

Species = Literal["vampires", "werewolves"]
SPECIES: tuple[Species, Species] = ("vampires", "werewolves")

Cell = tuple[int, int]
Content = Mapping[Cell, int]


class VampiresRules(Rules, frozen=True, kw_only=True):
    """The rules of the handout or of the course's server, with the options that both have."""

    name: Literal["handout", "server"] = "handout"
    plies: int = 200
    majority: bool = False

    @property
    def cell_limit(self) -> int:
        """Return the maximum number of creatures that may stand or arrive on a cell (rule 7)."""
        return CELL_LIMIT if self.name == "server" else MOST_CREATURES


HANDOUT = VampiresRules()
SERVER = VampiresRules(name="server")


def whole(number: object) -> int:
    """Return any kind of whole number as an `int`: NumPy's small ones overflow."""
    if not isinstance(number, Integral):
        raise NoctagonError(f"a position is made of whole numbers, not {number!r}")
    return int(number)


def plain_content(content: Content) -> Content:
    """Return content with plain numbers."""
    try:
        return {(whole(x), whole(y)): whole(count) for (x, y), count in content.items()}
    except (AttributeError, TypeError, ValueError) as error:
        if isinstance(error, NoctagonError):
            raise
        raise NoctagonError(f"give the units as in {{(x, y): count}}, not as {content!r}") from None


def check_position(
    rows: int,
    columns: int,
    contents: tuple[Content, Content, Content],
    to_move: str,
    first: str,
    ply: int,
    rules: VampiresRules,
) -> None:
    """Raise an error that says why a position is impossible, if it is."""
    if not isinstance(rules, VampiresRules):
        raise NoctagonError(f"Vampires vs Werewolves is played by VampiresRules, not by {rules!r}")
    if not (1 <= rows <= LARGEST_SIDE and 1 <= columns <= LARGEST_SIDE):
        raise NoctagonError(f"a grid has 1 to {LARGEST_SIDE} rows and columns, not {rows} × {columns}")
    if not 0 <= ply <= MOST_PLIES:
        raise NoctagonError(f"the number of plies played is 0 to {MOST_PLIES}, not {ply}")
    for who in (to_move, first):
        if who not in SPECIES:
            raise NoctagonError(f"{who!r} is no species; there are {' and '.join(SPECIES)}")
    if sum(sum(content.values()) for content in contents) > MOST_CREATURES:
        raise NoctagonError(f"more than {MOST_CREATURES} creatures are too many for one grid")
    taken: dict[Cell, str] = {}
    for kind, content in zip(("humans", *SPECIES), contents, strict=True):
        for (x, y), count in content.items():
            if not (0 <= x < columns and 0 <= y < rows):
                raise NoctagonError(f"{count} {kind} at ({x},{y}): that is off the {rows} × {columns} grid")
            if not 1 <= count <= rules.cell_limit:
                raise NoctagonError(
                    f"({x},{y}) cannot hold {count} {kind}; 1 to {rules.cell_limit} can stand on a cell"
                )
            if (x, y) in taken:
                raise NoctagonError(f"({x},{y}) holds both {taken[x, y]} and {kind}; a cell holds one kind")
            taken[x, y] = kind


def distance(a: Cell, b: Cell) -> int:
    """Return the number of steps from one cell to another: the Chebyshev distance.

    >>> distance((1, 1), (4, 3))
    3
    """
    across, down = abs(a[0] - b[0]), abs(a[1] - b[1])
    return across if across > down else down


def towards(cell: Cell, goal: Cell) -> Cell:
    """Return the neighbour of a cell on the straight way to a goal.

    >>> towards((1, 1), (4, 1))
    (2, 1)
    """
    (x, y), (gx, gy) = cell, goal
    return x + (gx > x) - (gx < x), y + (gy > y) - (gy < y)


def neighbours(state: VampiresState, cell: Cell) -> list[Cell]:
    """Return the up to 8 cells around a cell, row by row."""
    x, y = cell
    rows = range(max(y - 1, 0), min(y + 2, state.rows))
    columns = range(max(x - 1, 0), min(x + 2, state.columns))
    return [(tx, ty) for ty in rows for tx in columns if (tx, ty) != cell]
