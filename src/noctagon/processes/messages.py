"""Messages between a process and its worker: msgpack, each with its length before it.

Every message is one of the structures below. What arrives from a worker, in which a stranger's code may run, is decoded
into these and into the result type of the function that was called; nothing in it is ever imported or executed.
"""

from __future__ import annotations

import msgspec

HEAD = 4
"""Bytes of length before each message."""


class Ask(msgspec.Struct, tag=True):
    """To the worker: call a function, `module:function`, with its arguments in their order."""

    number: int
    function: str
    arguments: msgspec.Raw


class Item(msgspec.Struct, tag=True):
    """From the worker: a value that the function yielded."""

    number: int
    value: msgspec.Raw


class Done(msgspec.Struct, tag=True):
    """From the worker: the value that the function returned."""

    number: int
    value: msgspec.Raw


class Raised(msgspec.Struct, tag=True):
    """From the worker: the function raised an exception.

    `line` says it in a line, with the place in a stranger's code it came from; `log` is the traceback. `refusal` is the
    text of a `NoctagonError`: what was wrong with the arguments.
    """

    number: int
    line: str
    log: str = ""
    refusal: str = ""


Reply = Item | Done | Raised

_asks: msgspec.msgpack.Decoder[Ask] = msgspec.msgpack.Decoder(Ask)
_replies: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def framed(message: Ask | Reply) -> bytes:
    """Return a message as bytes, its length before it."""
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(HEAD, "big") + body


def packed(value: object) -> msgspec.Raw:
    """Return a value as a part of a message."""
    return msgspec.Raw(msgspec.msgpack.encode(value, enc_hook=_plain))


def decode_ask(body: bytes) -> Ask:
    return _asks.decode(body)


def decode_reply(body: bytes) -> Reply:
    return _replies.decode(body)


def _plain(value: object) -> object:
    """Return a value that msgpack does not know as one that it does: NumPy's numbers as such, others as text."""
    item = getattr(value, "item", None)
    return item() if callable(item) else str(value)
