"""Hints for the author of a bot: the likely cause of an illegal turn, and packets in readable form."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from noctagon.core.game import IllegalAction
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.wire.packets import (
    COMMAND,
    FROM_PLAYER,
    CellContent,
    Decoder,
    Hme,
    Hum,
    Map,
    Mov,
    Nme,
    Packet,
    PacketError,
    Set,
    Upd,
    show,
)

Moves = tuple[tuple[int, int, int, int, int], ...]

HEAD, MOVE = COMMAND + 1, 5

BYTE_ORDER = "byte order: x is the column and comes first, y is the row (only SET has the rows first)"
FIELD_ORDER = "byte order: a move is x y count tx ty; the count stands between the two cells"
STALE = (
    "it would have been legal a turn ago: apply UPD, which tells your own last turn as well, to your board"
)
OTHER_SPECIES = "you moved the other species: yours is the one on the MAP cell that HME names"
AT_THE_EDGE = "SET gives the rows first, then the columns; x goes from 0 to columns − 1, y from 0 to rows − 1"

BY_RULE = {
    1: "MOV 0 is no turn: at least one group must move: rule 1",
    2: "move only from cells that hold your own species, by the board that MAP and every UPD give: rule 2",
    3: "you moved more than the cell holds; all moves from one cell are added up: rule 3",
    4: "a step goes to one of the 8 neighbours and stays on the grid: rule 4",
    5: "you moved from or to a cell that is both source and target: rule 5; who stays is not moved at all",
    6: "each move takes at least one creature along: rule 6",
    7: "more than 255 would arrive on one cell, which a byte cannot tell",
}

_REREADINGS: tuple[tuple[str, Callable[[tuple[int, ...]], tuple[int, ...]]], ...] = (
    (BYTE_ORDER, lambda move: (move[1], move[0], move[2], move[4], move[3])),
    (FIELD_ORDER, lambda move: (move[0], move[1], move[4], move[2], move[3])),
    (FIELD_ORDER, lambda move: (move[1], move[2], move[0], move[3], move[4])),
)


def diagnose(
    state: VampiresState, moves: Moves, error: IllegalAction, before: VampiresState | None = None
) -> str:
    """Return the likeliest reason for these illegal moves; `before` is the position that the bot saw a turn ago."""
    if moves:
        for hint, reread in _REREADINGS:
            if _legal(state, map(reread, moves)):
                return hint
        if before is not None and _legal(before, moves):
            return STALE
    if error.rule == 2 and any((x, y) in state.foes for x, y, *_ in moves):
        return OTHER_SPECIES
    if error.rule == 4 and any(tx >= state.columns or ty >= state.rows for *_, tx, ty in moves):
        return AT_THE_EDGE
    return BY_RULE.get(error.rule or 0, "")


def _legal(state: VampiresState, moves: Iterable[tuple[int, ...]]) -> bool:
    try:
        state.check(moves)
    except IllegalAction:
        return False
    return True


def describe(packet: Packet, most: int = 8) -> str:
    """Describe a packet in words.

    >>> describe(Mov(((3, 2, 4, 4, 2),)))
    'MOV 1: 4 from (3,2) to (4,2)'
    """
    match packet:
        case Set(rows, columns):
            return f"SET {rows} rows, {columns} columns"
        case Hme(x, y):
            return f"HME ({x},{y})"
        case Nme(name):
            return f"NME {len(name)}: {name!r}"
        case Hum(houses):
            return _counted("HUM", [f"({x},{y})" for x, y in houses], most)
        case Map(cells) | Upd(cells):
            return _counted(type(packet).__name__.upper(), [_cell(cell) for cell in cells], most)
        case Mov(moves):
            told = [f"{count} from ({x},{y}) to ({tx},{ty})" for x, y, count, tx, ty in moves]
            return _counted("MOV", told, most)
        case _:
            return type(packet).__name__.upper()


def _cell(cell: CellContent) -> str:
    kinds = zip(("humans", "vampires", "werewolves"), cell[2:], strict=True)
    held = " and ".join(f"{count} {kind}" for kind, count in kinds if count)
    return f"({cell.x},{cell.y}) {held or 'empty'}"


def _counted(command: str, things: list[str], most: int) -> str:
    rest = [f"… {len(things) - most} more"] if len(things) > most else []
    return f"{command} {len(things)}" + (": " if things else "") + ", ".join([*things[:most], *rest])


def describe_bytes(data: bytes, most: int = 48) -> str:
    """Describe bytes as a player's packets, as far as they are packets.

    >>> describe_bytes(b"MOV\\x00NME\\x05Bo")
    'MOV 0; NME 5, of which 2 of 5 bytes came'
    >>> describe_bytes(b"MOV\\x00XYZ"), describe_bytes(b"M")
    ("MOV 0; b'XYZ', which is no packet", 'the first byte of a packet')
    """
    decoder = Decoder(FROM_PLAYER)
    told: list[str] = []
    try:
        for byte in data[:most]:
            told += map(describe, decoder.feed(bytes([byte])))
    except PacketError:
        return "; ".join([*told, f"{show(data[decoder.consumed :])}, which is no packet"])
    if len(data) > most:
        told.append("…")
    elif len(rest := decoder.pending) > HEAD:
        size = rest[COMMAND] * (1 if rest.startswith(b"NME") else MOVE)
        told.append(
            f"{rest[:COMMAND].decode()} {rest[COMMAND]}, of which {len(rest) - HEAD} of {size} bytes came"
        )
    elif rest:
        told.append(f"the first {'byte' if len(rest) == 1 else f'{len(rest)} bytes'} of a packet")
    return "; ".join(told)


def dump(data: bytes, most: int = 48) -> str:
    """Write bytes in hexadecimal.

    >>> dump(b"MOV\\x01\\x00\\xff")
    '4d 4f 56 01 00 ff'
    """
    return data[:most].hex(" ") + (f" … ({len(data)} bytes)" if len(data) > most else "")
