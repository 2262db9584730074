"""Known answers, found by other implementations, not computed here: perft, and plain minimax by e0."""

from __future__ import annotations

from typing import NamedTuple


class Middle(NamedTuple):
    """A position in the middle of a game: how it came about, how it reads, how many sequences follow it."""

    moves: str
    position: str
    perft: tuple[int, ...]


class Minimax(NamedTuple):
    """A plain minimax by e0: after which moves, how deep; its value, best actions, evaluations by depth."""

    moves: str
    depth: int
    value: int
    best: str
    evaluations: dict[int, int]


INITIAL_PERFT = (12, 132, 1507, 18738, 218976, 2768258, 32049146)

MOVES1 = "D3D2 C0C1 D2D1 B0C0 D1C1 A2B2 E3D3 C0B0 D1C1 B0C0"
MOVES2 = "D3C3 A2B2 E2D2 B1C1 C3B3 B2B3 D4D3 A1B1 E3E2 C1C2 B3B2 B1A1 C4B4 C2D2 D3C3 B0B1 C3C4"
MOVES3 = (
    "D3C3 C0C1 E2E1 A2B2 C3B3 B0C0 C4B4 C1C2 E1E0 B2B3 B4A4 C2D2 "
    "B3B2 B2B3 B3B2 A1A2 B3B2 A0B0 B3B2 B2B3 E0D0 C0C1 D4C4 A2B2"
)

MIDDLES = (
    Middle(
        MOVES1,
        "dA9 dT9 . . . . dP9 dF9 . . dT9 dF7 . . aP9 . aF7 . aV9 aV9 . . aP9 . aA9 a 10",
        (15, 197, 2597, 33455, 428453),
    ),
    Middle(
        MOVES2,
        "dA9 dT9 . . . . dT9 dF7 aF7 aP9 dF9 . dP6 . aV9 . . aP6 . . . . aV9 . aA9 d 17",
        (15, 212, 2871, 38581, 507104),
    ),
    Middle(
        MOVES3,
        ". . dT9 . aP9 dA9 dP9 dF5 aF2 . . dT9 . . aV9 aP9 . dF9 . . . . . aV9 aA9 a 24",
        (15, 225, 2913, 41898, 511918),
    ),
)

MINIMAX = (
    Minimax("", 1, 0, "C4B4 C4C3 D3C3 D3D2 E2D2 E2E1", {1: 12}),
    Minimax("", 2, 0, "C4B4 C4C3 D3C3 D3D2 E2D2 E2E1", {1: 1, 2: 132}),
    Minimax("", 3, 0, "C4B4 C4C3 D3C3 D3D2 E2D2 E2E1", {1: 1, 2: 11, 3: 1507}),
    Minimax("", 4, 0, "C4B4 C4C3 D3C3 D3D2 E2D2 E2E1", {1: 1, 2: 11, 3: 121, 4: 18738}),
    Minimax(MOVES1, 1, 0, "C4B4 C4C3 D1C1 D3C3 D3D2 D3E3 E2D2 E2E1 E4E3", {1: 15}),
    Minimax(MOVES1, 2, 0, "C4B4 C4C3 D1C1 D3C3 D3D2 D3E3 E2D2 E2E1 E4E3", {1: 1, 2: 197}),
    Minimax(MOVES1, 3, 0, "C4B4 C4C3 D1C1 D3C3 D3D2 D3E3 E2D2 E2E1 E4E3", {1: 1, 2: 14, 3: 2597}),
    Minimax(MOVES1, 4, 0, "C4B4 C4C3 D1C1 D3C3 D3D2 D3E3 E2D2 E2E1 E4E3", {1: 1, 2: 14, 3: 183, 4: 33455}),
    Minimax(MOVES2, 1, 0, "A0B0 A1A2 B1B0 B1C1 B1B2 B2B3 C0D0 C0C1 C2D2", {1: 15}),
    Minimax(MOVES2, 2, 0, "A0B0 A1A2 B1B0 B1C1 B1B2 B2B3 C0D0 C0C1 C2D2", {1: 1, 2: 212}),
    Minimax(MOVES2, 3, 0, "A0B0 A1A2 B1B0 B1C1 B1B2 B2B3 C0D0 C0C1 C2D2", {1: 1, 2: 14, 3: 2871}),
    Minimax(MOVES2, 4, 0, "B1C1 C2D2", {1: 1, 2: 14, 3: 198, 4: 38581}),
    Minimax(MOVES3, 1, 0, "A4A3 B3B2 C4B4 C4C3 C4D4 D0C0 E3D3 E3E2 E4D4", {1: 15}),
    Minimax(MOVES3, 2, 0, "A4A3 C4B4 C4C3 C4D4 D0C0 E3D3 E3E2 E4D4", {1: 1, 2: 225}),
    Minimax(MOVES3, 3, 0, "A4A3 C4B4 C4C3 C4D4 D0C0 E3D3 E3E2 E4D4", {1: 1, 2: 14, 3: 2913}),
    Minimax(
        MOVES3, 4, -3, "A4A3 B3B2 B3B3 C4B4 C4C3 C4D4 D0C0 E3D3 E3E2 E4D4", {1: 1, 2: 14, 3: 211, 4: 41898}
    ),
)
