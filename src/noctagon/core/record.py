"""The record of a game: all that is needed to play it again to the same end. JSON, one a file or one a line."""

from __future__ import annotations

import contextlib
import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from noctagon.core.clock import TimeControl
from noctagon.core.events import Played, Skipped
from noctagon.core.game import Game, NoctagonError, Result, Rules, Side, State
from noctagon.core.player import Thought
from noctagon.core.registry import find_game
from noctagon.core.validation import validation_message

VERSION = 1
"""Version of the format: it grows when a reader of the old form would misunderstand the new one, not for new fields."""

LARGEST_FILE = 512 * 2**20
"""Maximum size of a file of records in bytes."""

OFF_THE_BOARD = frozenset(
    {
        "time",
        "time limit",
        "illegal turn",
        "garbage",
        "malformed packet",
        "crash",
        "disconnected",
        "resignation",
        "abandoned",
        "stopped",
    }
)
"""Reasons that end a game which could go on by the board: the referee's and the seats'."""


class TurnRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """One ply: the action as it was sent with its dice, or the reason why the turn was lost."""

    side: Side
    action: str = ""
    dice: tuple[int, ...] = ()
    seconds: float = 0.0
    skipped: str = ""
    thought: Thought | None = None


class Conduct(msgspec.Struct, frozen=True, omit_defaults=True):
    """A side's conduct: late answers, illegal turns, packets out of turn, processor seconds on the opponent's turns."""

    late: int = 0
    illegal: int = 0
    unasked: int = 0
    idle_cpu: float = 0.0


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A whole game. `position` is where it began; `players` are specs, the first mover first."""

    noctagon: int = VERSION
    game: str
    rules: dict[str, Any]
    setup: str
    position: str
    players: tuple[str, str]
    names: tuple[str, str] | msgspec.UnsetType = msgspec.UNSET
    """The names of the players where they differ from the specs, as in a tournament."""
    time: TimeControl
    seed: int
    date: str = ""
    versions: dict[str, str] = {}
    turns: tuple[TurnRecord, ...] = ()
    result: Result | None = None
    conduct: tuple[Conduct, Conduct] = (Conduct(), Conduct())

    def first(self, game: Game[Any] | None = None) -> State[Any]:
        """Return the position in which the game began; give `game` where it is not an installed one."""
        game = game or find_game(self.game)
        return game.parse_position(self.position, self.read_rules(game))

    def states(self, game: Game[Any] | None = None) -> Iterator[State[Any]]:
        """Yield every position of the game, from the first to the last."""
        game = game or find_game(self.game)
        first = self.first(game)
        yield first
        for event in self.events(first, game):
            yield event.after

    def events(self, first: State[Any], game: Game[Any]) -> Iterator[Played | Skipped]:
        """Replay the turns from the first position, each as the referee reported it."""
        before = first
        for number, turn in enumerate(self.turns, 1):
            try:
                event = self._replay(turn, before, game)
            except NoctagonError as error:
                raise NoctagonError(f"the record does not hold at turn {number}: {error}") from error
            yield event
            before = event.after

    @staticmethod
    def _replay(turn: TurnRecord, before: State[Any], game: Game[Any]) -> Played | Skipped:
        if turn.side != before.side:
            given, due = before.sides[turn.side], before.sides[before.side]
            raise NoctagonError(f"it says that the {given} moved, and it was the turn of the {due}")
        if turn.skipped:
            return Skipped(turn.side, before, before.skip(), turn)
        action = game.parse_action(turn.action, before)
        return Played(turn.side, before, *before.resolve(action, turn.dice), turn)

    @property
    def called(self) -> tuple[str, str]:
        """The names of the players; their specs where a record has no names."""
        return self.players if isinstance(self.names, msgspec.UnsetType) else self.names

    @property
    def introduced(self) -> tuple[str, str]:
        """The names of the players, with their specs where these differ."""
        both = zip(self.called, self.players, strict=True)
        first, second = (name if name == spec else f"{name} ({spec})" for name, spec in both)
        return first, second

    def contradiction(self, last: State[Any]) -> str:
        """Return how the stated result contradicts the last position; an empty text if it does not."""
        ended, sides = last.result, last.sides
        if self.result is None or (self.result.winner, self.result.reason) == (
            ended and ended.winner,
            ended and ended.reason,
        ):
            return ""
        if ended is not None:
            return (
                f"by its turns the game ended otherwise ({ended.describe(sides)}) "
                f"than it says ({self.result.describe(sides)})"
            )
        if self.result.reason in OFF_THE_BOARD:
            return ""
        return f"by its {len(self.turns)} turns the game goes on, and it says: {self.result.describe(sides)}"

    def final(self) -> State[Any]:
        """Return the last position of the game."""
        *_, state = self.states()
        return state

    def read_rules(self, game: Game[Any]) -> Rules:
        """Return the rules of the game; raise `NoctagonError` if they are not rules of this kind of game."""
        usual = next(iter(game.rule_sets.values()))
        try:
            return msgspec.convert(self.rules, type(usual))
        except msgspec.ValidationError as error:
            why = validation_message(error, type(usual))
            raise NoctagonError(f"the record's rules are not rules of {game.name}: {why}") from error

    def append_to(self, path: Path) -> None:
        """Add this record to a file of records, on a line of its own, whatever the file ends with."""
        append_record(self.to_json(), path)

    def to_json(self) -> bytes:
        """Return the record as one line of JSON, without a line end."""
        return msgspec.json.encode(self)


def append_record(record: bytes, path: Path) -> None:
    """Add a record, as one line of JSON, to a file of records; on a line of its own, whatever the file ends with."""
    try:
        with path.open("a+b") as file:
            size = file.seek(0, 2)
            if size:
                file.seek(size - 1)
            broken = bool(size) and file.read(1) != b"\n"
            file.write((b"\n" if broken else b"") + record + b"\n")
    except OSError as error:
        raise NoctagonError(f"{path}: the record cannot be written: {error.strerror or error}") from error


class Reading(NamedTuple):
    """The content of a file of records: the records, the original bytes of each, and what is wrong with the file."""

    records: list[Record]
    raw: list[bytes]
    trouble: str = ""


def read_records(path: Path) -> Reading:
    """Return all records of a file, one a line or a single one; of a truncated file, the intact part."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise NoctagonError(f"{path}: larger than {LARGEST_FILE >> 20} MiB, so hardly a file of records")
        content = path.read_bytes()
    except OSError as error:
        raise NoctagonError(f"{path}: {error.strerror or error}") from error
    try:
        found = list(find_records(content))
    except NoctagonError as error:
        raise NoctagonError(f"{path}: {error}") from error
    troubles = [f"line {one.line}: {one.trouble}" for one in found if one.trouble]
    records = [(one.record, content[one.start : one.end]) for one in found if one.record is not None]
    if not records:
        raise NoctagonError(f"{path}, {troubles[0]}")
    trouble = f"{path}, {'; '.join(troubles)}" if troubles else ""
    return Reading([record for record, _ in records], [raw for _, raw in records], trouble)


class Found(NamedTuple):
    """A record within a text: its bounds, its line, what is wrong with it; `record` is None if nothing can be read."""

    start: int
    end: int
    line: int
    record: Record | None
    trouble: str = ""


def find_records(content: bytes) -> Iterator[Found]:
    """Yield all records of a text, one a line or a single one; of a truncated record, the intact part."""
    whole = content.removeprefix(BOM_UTF8).strip()
    if not whole:
        raise NoctagonError("the file is empty")
    single = None
    with contextlib.suppress(NoctagonError):
        single = decode(whole)
    if single is not None:
        start = content.index(whole)
        yield Found(start, start + len(whole), 1, single)
        return
    at = 0
    for number, line in enumerate(content.split(b"\n"), 1):
        text = line.removeprefix(BOM_UTF8)  # files that begin with one may have been concatenated
        at += len(line) - len(text)
        for start, end in _pieces(text):
            yield _found(text[start:end], at + start, number)
        at += len(text) + 1


def _found(piece: bytes, start: int, line: int) -> Found:
    end = start + len(piece)
    try:
        return Found(start, end, line, decode(piece))
    except NoctagonError as error:
        record = rescue(piece)
        if record is None:
            return Found(start, end, line, None, str(error))
        trouble = f"cut off after {len(piece)} bytes; {len(record.turns)} turns are whole"
        return Found(start, end, line, record, trouble)


def _pieces(line: bytes) -> list[tuple[int, int]]:
    """Return the bounds of the records on a line: several where one was truncated and the next was added behind it."""
    starts = [0, *(found.start() for found in re.finditer(rb'\{"noctagon":\d', line) if found.start() > 0)]
    pieces = zip(starts, [*starts[1:], len(line)], strict=True)
    return [(start, end) for start, end in pieces if line[start:end].strip()]


def decode(content: bytes) -> Record:
    """Return a record from its JSON; unknown fields, from a later version, are ignored."""
    try:
        record = msgspec.json.decode(content, type=Record)
    except msgspec.ValidationError as error:
        raise NoctagonError(f"not a record of a game: {validation_message(error, Record)}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise NoctagonError(f"not a record of a game: {error}") from error
    if record.noctagon > VERSION:
        raise NoctagonError(
            f"it is a record of version {record.noctagon}; this noctagon reads up to {VERSION}: install a newer one"
        )
    return record


def rescue(line: bytes) -> Record | None:
    """Return the intact turns of a truncated record; None if it is not truncated, or if even its head is not intact."""
    text = line.decode("utf-8", "ignore")
    with contextlib.suppress(json.JSONDecodeError, RecursionError):
        json.loads(text)
        return None
    head, found, tail = text.partition('"turns":[')
    if not found:
        return None
    turns: list[Any] = []
    decoder = json.JSONDecoder()
    at = 0
    while True:
        try:
            turn, at = decoder.raw_decode(tail, at)
        except (json.JSONDecodeError, RecursionError):
            break
        turns.append(turn)
        if tail[at : at + 1] != ",":
            break
        at += 1
    try:
        whole = {**json.loads(head.rstrip().rstrip(",") + "}"), "turns": turns}
        record = msgspec.convert(whole, Record, str_keys=True)
        return record if record.noctagon <= VERSION else None
    except (json.JSONDecodeError, msgspec.ValidationError, RecursionError):
        return None
