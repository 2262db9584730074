"""Turns and positions of Vampires vs Werewolves as text.

A turn is its moves, each `x,y>tx,ty:count`; without the count all creatures left on the cell go; a compass point
(`4,3>NE`) may stand for the target. Five plain numbers, as on the wire (`4 3 8 5 4`), are read too.

A position is the size, the content, the species to move and the plies played:
`5x10 H2,2:4 V4,3:4 W4,1:4 V 0`, with `first=W` at the end where the Werewolves began.
"""

from __future__ import annotations

import re

from noctagon.core.game import BadNotation, NoctagonError
from noctagon.core.text import quoted, shortened
from noctagon.games.vampires.rules.ruleset import HANDOUT, SPECIES, Species, VampiresRules
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Move, Turn

COMPASS = {
    "N": (0, -1),
    "NE": (1, -1),
    "E": (1, 0),
    "SE": (1, 1),
    "S": (0, 1),
    "SW": (-1, 1),
    "W": (-1, 0),
    "NW": (-1, -1),
}

_MOVE = re.compile(r"(\d+),(\d+)>(?:(\d+),(\d+)|([NSEW]{1,2}))(?::(\d+))?", re.IGNORECASE)
_PIECE = re.compile(r"([HVW])(\d+),(\d+):(\d+)")
_LETTERS: dict[str, Species] = {"V": "vampires", "W": "werewolves"}
_MANY = 9
"""Maximum number of digits of a number."""


def parse_turn(text: str, state: VampiresState) -> Turn:
    """Read a turn; a move without a count takes all creatures left on its source in that position."""
    words = " ".join(text.replace("(", "").replace(")", "").split())
    tidy = re.sub(r" ?([,>:]) ?", r"\1", words)
    if not tidy:  # a turn without a move is well formed; it breaks rule 1
        return Turn()
    if re.fullmatch(r"[\d\s;,]+", tidy):
        numbers = re.findall(r"\d+", tidy)
        if not numbers or len(numbers) % 5:
            raise BadNotation(f"{quoted(text)}: a move in plain numbers is five of them: x y count tx ty")
        if longest := [number for number in numbers if len(number) > _MANY]:
            raise BadNotation(
                f"{quoted(text)}: the number {shortened(longest[0], 40)} is too long to be meant"
            )
        return Turn(map(int, numbers[i : i + 5]) for i in range(0, len(numbers), 5))
    moves: list[Move] = []
    gone: dict[tuple[int, int], int] = {}
    for number, token in enumerate(re.split(r"[\s;]+", tidy), 1):
        found = _MOVE.fullmatch(token)
        if not found or any(len(part or "") > _MANY for part in found.groups()):
            raise BadNotation(
                f"move {number}, {quoted(token)}: write x,y>tx,ty:count (as in 4,3>5,4:8), x,y>NE, or five numbers"
            )
        x, y = int(found[1]), int(found[2])
        if found[5]:
            if found[5].upper() not in COMPASS:
                raise BadNotation(f"move {number}, {quoted(token)}: {found[5]} is no compass point")
            dx, dy = COMPASS[found[5].upper()]
            tx, ty = x + dx, y + dy
        else:
            tx, ty = int(found[3]), int(found[4])
        count = int(found[6]) if found[6] else state.own.get((x, y), 0) - gone.get((x, y), 0)
        gone[x, y] = gone.get((x, y), 0) + count
        moves.append(Move(x, y, count, tx, ty))
    return Turn(moves)


def format_position(state: VampiresState) -> str:
    """Write a position as text."""
    pieces = [
        f"{letter}{x},{y}:{count}"
        for letter, content in zip("HVW", (state.humans, state.vampires, state.werewolves), strict=True)
        for (x, y), count in content.items()
    ]
    parts = [f"{state.rows}x{state.columns}", *pieces, state.species[0].upper(), str(state.ply)]
    return " ".join(parts if state.first == SPECIES[0] else [*parts, "first=W"])


def parse_position(text: str, rules: VampiresRules = HANDOUT) -> VampiresState:
    """Read a position; raise `BadNotation` that names the part that is wrong."""
    tokens = text.split()
    size = re.fullmatch(r"(\d{1,9})x(\d{1,9})", tokens[0]) if tokens else None
    if not size:
        raise BadNotation(f"{quoted(text)}: a position begins with its size, rows x columns, as in 5x10")
    first: Species = "vampires"
    if tokens[-1].startswith("first="):
        if tokens[-1] not in ("first=V", "first=W"):
            raise BadNotation(f"{quoted(tokens[-1])}: the species that began is V or W")
        first = _LETTERS[tokens.pop()[-1]]
    if len(tokens) < 3 or tokens[-2] not in _LETTERS or not re.fullmatch(r"\d{1,9}", tokens[-1]):
        raise BadNotation(
            f"{quoted(text)}: a position ends with the species to move (V or W) and the plies played, as in V 0"
        )
    contents: dict[str, dict[tuple[int, int], int]] = {"H": {}, "V": {}, "W": {}}
    for token in tokens[1:-2]:
        found = _PIECE.fullmatch(token)
        if not found or any(len(part) > _MANY for part in found.groups()):
            raise BadNotation(
                f"{quoted(token)}: what stands on a cell is written H, V or W, then x,y:count, as in H2,2:4"
            )
        content, cell = contents[found[1]], (int(found[2]), int(found[3]))
        if cell in content:
            raise BadNotation(
                f"{quoted(token)}: that cell is already said to hold {found[1]}{cell[0]},{cell[1]}:{content[cell]}"
            )
        content[cell] = int(found[4])
    try:
        return VampiresState(
            rows=int(size[1]),
            columns=int(size[2]),
            humans=contents["H"],
            vampires=contents["V"],
            werewolves=contents["W"],
            to_move=_LETTERS[tokens[-2]],
            first=first,
            ply=int(tokens[-1]),
            rules=rules,
        )
    except NoctagonError as error:
        raise BadNotation(str(error)) from None
