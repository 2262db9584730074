"""What passes through the pipe between the referee's process and a bot's: length-prefixed msgpack."""

from __future__ import annotations

from typing import Any

import msgspec

from noctagon.core.player import Thought

HEAD = 4
"""Bytes of length before each message."""
LARGEST = 4 * 2**20


class Begin(msgspec.Struct, tag=True):
    """Load the bot and start a game."""

    game: str
    spec: str
    rules: dict[str, Any]
    position: str
    turn_seconds: float | None
    total_seconds: float | None
    seed: int
    side: int


class Choose(msgspec.Struct, tag=True):
    number: int
    position: str
    seconds: float | None


class Finish(msgspec.Struct, tag=True):
    """The game is over; there may be another."""

    winner: int | None
    reason: str
    detail: str


class Ready(msgspec.Struct, tag=True):
    """The bot can play; the number of its process, and whether it wants to hear how a game ends."""

    pid: int
    finishes: bool


class Chosen(msgspec.Struct, tag=True):
    number: int
    action: str
    thought: Thought


class Garbage(msgspec.Struct, tag=True):
    """What the bot answered is no action; its text, and why it is none, where the game can tell."""

    number: int
    answer: str
    why: str = ""


class Finished(msgspec.Struct, tag=True):
    """The bot has heard how the game ended, and has done what it wanted to do then."""


class Failed(msgspec.Struct, tag=True):
    """The bot raised an exception: in a line, and the whole of it."""

    line: str
    traceback: str


ToBot = Begin | Choose | Finish
FromBot = Ready | Chosen | Garbage | Finished | Failed

_to_bot: msgspec.msgpack.Decoder[ToBot] = msgspec.msgpack.Decoder(ToBot)
_from_bot: msgspec.msgpack.Decoder[FromBot] = msgspec.msgpack.Decoder(FromBot)


def encode(message: ToBot | FromBot) -> bytes:
    body = msgspec.msgpack.encode(message, enc_hook=_plain)
    return len(body).to_bytes(HEAD, "big") + body


def _plain(value: object) -> object:
    """A bot's number may be NumPy's; anything else is told as it prints."""
    item = getattr(value, "item", None)
    return item() if callable(item) else str(value)


def decode_to_bot(body: bytes) -> ToBot:
    return _to_bot.decode(body)


def decode_from_bot(body: bytes) -> FromBot:
    return _from_bot.decode(body)
