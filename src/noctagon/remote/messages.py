"""What passes through the pipe between the referee's process and a bot's: length-prefixed msgpack."""

from __future__ import annotations

from typing import Any

import msgspec

from noctagon.player import Thought

HEAD = 4
"""Bytes of length before each message."""
LARGEST = 64 * 2**20


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
    pass


class Chosen(msgspec.Struct, tag=True):
    number: int
    action: str
    thought: Thought


class Failed(msgspec.Struct, tag=True):
    """The bot raised an exception: in a line, and the whole of it."""

    line: str
    traceback: str


ToBot = Begin | Choose | Finish
FromBot = Ready | Chosen | Failed

_to_bot: msgspec.msgpack.Decoder[ToBot] = msgspec.msgpack.Decoder(ToBot)
_from_bot: msgspec.msgpack.Decoder[FromBot] = msgspec.msgpack.Decoder(FromBot)


def encode(message: ToBot | FromBot) -> bytes:
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(HEAD, "big") + body


def decode_to_bot(body: bytes) -> ToBot:
    return _to_bot.decode(body)


def decode_from_bot(body: bytes) -> FromBot:
    return _from_bot.decode(body)
