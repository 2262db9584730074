"""The byte of a unit, and the two tables of the rules.

Nothing here is compiled, but the kernel is built on these numbers: `noctagon.compiled.jit` keys its cache by
them too. A unit's byte is `side << 7 | kind << 4 | health`; an empty cell is 0 (a unit has at least 1
health). Cells are numbered row by row: A0 is 0, A4 is 4, E4 is 24.
"""

from __future__ import annotations

ATTACKER, DEFENDER = 0, 1
AI, VIRUS, TECH, FIREWALL, PROGRAM = range(5)

SIDES = ("Attacker", "Defender")
SIDE_LETTERS = "ad"
KINDS = ("AI", "Virus", "Tech", "Firewall", "Program")
KIND_LETTERS = "AVTFP"

SIZE = 5
"""Rows, and columns, of the board."""
CELLS = SIZE * SIZE
ROWS = "ABCDE"
COLUMNS = "01234"

FULL_HEALTH = 9
BLAST = 2
"""The damage of a self-destruction to each of the 8 neighbours."""

DAMAGE = (
    (3, 3, 3, 1, 3),
    (9, 1, 6, 1, 6),
    (1, 6, 1, 1, 1),
    (1, 1, 1, 1, 1),
    (3, 3, 3, 1, 3),
)
"""Damage by the kind that strikes (row) and the kind that is struck (column)."""

REPAIR = (
    (0, 1, 1, 0, 0),
    (0, 0, 0, 0, 0),
    (3, 0, 0, 3, 3),
    (0, 0, 0, 0, 0),
    (0, 0, 0, 0, 0),
)
"""Health gained by the kind that repairs (row) and the kind that is repaired (column)."""

START = "dA9 dT9 dF9 . . dT9 dP9 . . . dF9 . . . aP9 . . . aF9 aV9 . . aP9 aV9 aA9 a 0"


def unit(side: int, kind: int, health: int) -> int:
    """Return the byte of a unit."""
    return side << 7 | kind << 4 | health


def side_of(code: int) -> int:
    return code >> 7


def kind_of(code: int) -> int:
    return code >> 4 & 7


def health_of(code: int) -> int:
    return code & 15


def unit_name(code: int) -> str:
    """Return a unit's short text: `dA9` is the defender's AI with 9 health."""
    return f"{SIDE_LETTERS[side_of(code)]}{KIND_LETTERS[kind_of(code)]}{health_of(code)}"


def cell_name(cell: int) -> str:
    """Return the name of a cell: `A0` for 0, `E4` for 24."""
    return ROWS[cell // SIZE] + COLUMNS[cell % SIZE]
