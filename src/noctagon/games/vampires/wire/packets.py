"""The course's packets, bytes to values and back: three letters, then unsigned bytes. No I/O.

    SET rows columns · HUM n (x y)×n · HME x y · MAP n (x y humans vampires werewolves)×n · UPD n (…)×n · END · BYE
    NME t name · MOV n (x y count tx ty)×n

A `Decoder` is fed whatever a socket gives, in pieces of any size, and gives whole packets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from noctagon.core.game import NoctagonError
from noctagon.games.vampires.rules.limits import LARGEST_BYTE

COMMAND = 3


class PacketError(NoctagonError):
    """Bytes that are no packet: which byte of the stream, in which packet, and what was expected."""


class CellContent(NamedTuple):
    """The content of one cell."""

    x: int
    y: int
    humans: int
    vampires: int
    werewolves: int


class Set(NamedTuple):
    rows: int
    columns: int


class Hum(NamedTuple):
    houses: tuple[tuple[int, int], ...]


class Hme(NamedTuple):
    x: int
    y: int


class Map(NamedTuple):
    cells: tuple[CellContent, ...]


class Upd(NamedTuple):
    cells: tuple[CellContent, ...]


class End(NamedTuple):
    pass


class Bye(NamedTuple):
    pass


class Nme(NamedTuple):
    name: bytes


class Mov(NamedTuple):
    """Moves in the order they were sent: x, y, count, target x, target y."""

    moves: tuple[tuple[int, int, int, int, int], ...]


Packet = Set | Hum | Hme | Map | Upd | End | Bye | Nme | Mov

FROM_SERVER = ("SET", "HUM", "HME", "MAP", "UPD", "END", "BYE")
FROM_PLAYER = ("NME", "MOV")

_FIXED = {"SET": 2, "HME": 2, "END": 0, "BYE": 0}
"""Bytes after the letters, where there is no count."""
_ITEM = {"HUM": 2, "MAP": 5, "UPD": 5, "MOV": 5, "NME": 1}
"""Bytes of each of the n things, where there is a count."""


class Decoder:
    """An incremental decoder for one direction.

    >>> decoder = Decoder(FROM_PLAYER)
    >>> decoder.feed(b"NME\\x03Bo")
    []
    >>> decoder.feed(b"bMOV\\x00")
    [Nme(name=b'Bob'), Mov(moves=())]
    """

    def __init__(self, commands: tuple[str, ...]) -> None:
        self.commands = commands
        self.buffer = bytearray()
        self.consumed = 0
        self.packets = 0

    def feed(self, data: bytes) -> list[Packet]:
        """Return the packets that these bytes complete; raise `PacketError` where bytes fit none.

        If whole packets come before the fault, these are returned first and the error is raised by the next
        call.
        """
        self.buffer += data
        found: list[Packet] = []
        try:
            while (packet := self._next()) is not None:
                found.append(packet)
        except PacketError:
            if not found:
                raise
        return found

    @property
    def pending(self) -> bytes:
        """The beginning of a packet that is not complete yet."""
        return bytes(self.buffer)

    def reset(self) -> None:
        """Forget what has not become a packet."""
        self.consumed += len(self.buffer)
        self.buffer.clear()

    def _next(self) -> Packet | None:
        head = bytes(self.buffer[:COMMAND])
        if not any(command.encode().startswith(head) for command in self.commands):
            known = " or ".join(self.commands)
            raise PacketError(
                f"byte {self.consumed}, packet {self.packets + 1}: {show(head)} begins no packet; expected {known}"
            )
        if len(head) < COMMAND:
            return None
        command = head.decode()
        size = COMMAND + _FIXED.get(command, 1)
        if len(self.buffer) < size:
            return None
        if command in _ITEM:
            size += self.buffer[COMMAND] * _ITEM[command]
            if len(self.buffer) < size:
                return None
        body = bytes(self.buffer[COMMAND:size])
        del self.buffer[:size]
        self.consumed += size
        self.packets += 1
        return _read(command, body)


def _read(command: str, body: bytes) -> Packet:
    match command:
        case "SET":
            return Set(*body)
        case "HME":
            return Hme(*body)
        case "END":
            return End()
        case "BYE":
            return Bye()
        case "NME":
            return Nme(body[1:])
        case "HUM":
            return Hum(tuple((x, y) for x, y in _rows(body, 2)))
        case "MAP":
            return Map(tuple(CellContent(*row) for row in _rows(body, 5)))
        case "UPD":
            return Upd(tuple(CellContent(*row) for row in _rows(body, 5)))
        case _:
            return Mov(tuple((x, y, count, tx, ty) for x, y, count, tx, ty in _rows(body, 5)))


def _rows(body: bytes, width: int) -> Iterator[bytes]:
    return (body[at : at + width] for at in range(1, len(body), width))


def encode(packet: Packet) -> bytes:
    """Return a packet's bytes; raise `PacketError` for a number that a byte cannot hold."""
    command = type(packet).__name__.upper().encode()
    match packet:
        case Set() | Hme():
            return command + _bytes(packet, packet)
        case End() | Bye():
            return command
        case Nme(name):
            return command + _bytes([len(name)], "the length of a name") + name
        case Hum(rows) | Map(rows) | Upd(rows) | Mov(rows):
            counted = _bytes([len(rows)], f"the number of things in {command.decode()}")
            return command + counted + b"".join(_bytes(row, row) for row in rows)


def _bytes(numbers: Iterable[int], what: object) -> bytes:
    try:
        return bytes(numbers)
    except ValueError:
        raise PacketError(f"{what}: numbers on the wire are 0 to {LARGEST_BYTE}") from None


def show(data: bytes, most: int = 40) -> str:
    """Write bytes for a reader: as text where they are letters, in hexadecimal otherwise.

    >>> show(b"MOV"), show(b"M\\x01\\xff")
    ("b'MOV'", '4d 01 ff')
    """
    if data and all(32 <= byte < 127 for byte in data):
        return repr(data[:most]) + (" …" if len(data) > most else "")
    return data[:most].hex(" ") + (" …" if len(data) > most else "")
