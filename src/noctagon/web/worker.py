"""The process in which questions of the page are computed: `python -m noctagon.web.worker GAME…`.

It reads calls of our own functions (`noctagon.processes.calls`) and sends back what they return; a generator's values
come one by one. It ends when its input does: with the server, however that ends.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import traceback
from collections.abc import Generator, Iterator
from io import FileIO
from typing import BinaryIO

import msgspec

from noctagon.core.game import NoctagonError
from noctagon.core.registry import find_game
from noctagon.processes.calls import perform

HEAD = 4
"""Bytes of length before each message."""


class Ask(msgspec.Struct, tag=True):
    """Call a function, `module:function`, with arguments by their names."""

    function: str
    arguments: msgspec.Raw


class Item(msgspec.Struct, tag=True):
    """One value of a generator."""

    value: msgspec.Raw


class Done(msgspec.Struct, tag=True):
    """The function returned this value."""

    value: msgspec.Raw


class Refused(msgspec.Struct, tag=True):
    """The function raised `NoctagonError`: what was wrong with its arguments."""

    error: str


class Crashed(msgspec.Struct, tag=True):
    """The function raised another exception."""

    traceback: str


Reply = Item | Done | Refused | Crashed


def encode(message: Ask | Reply) -> bytes:
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(HEAD, "big") + body


def main() -> None:
    inlet = os.fdopen(os.dup(0), "rb")
    outlet = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    inbox: queue.SimpleQueue[Ask] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(inlet, inbox), daemon=True).start()
    for name in sys.argv[1:]:
        find_game(name).load()
    while True:
        for reply in _answer(inbox.get()):
            _write(outlet, encode(reply))


def _answer(asked: Ask) -> Iterator[Reply]:
    try:
        value = perform(asked.function, asked.arguments)
        if isinstance(value, Iterator):
            value = yield from _items(value)
        yield Done(_packed(value))
    except NoctagonError as error:
        yield Refused(str(error) or "that cannot be done")
    except Exception:
        yield Crashed(traceback.format_exc())


def _items(values: Iterator[object]) -> Generator[Item, None, object]:
    """Yield the values of a generator as messages; return what the generator returns."""
    while True:
        try:
            value = next(values)
        except StopIteration as end:
            return end.value
        yield Item(_packed(value))


def _packed(value: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.msgpack.encode(value))


def _write(outlet: FileIO, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[outlet.write(view) or 0 :]


def _listen(stream: BinaryIO, inbox: queue.SimpleQueue[Ask]) -> None:
    """Pass calls on; at the end of the input end the process, whatever it computes."""
    while True:
        head = stream.read(HEAD)
        if len(head) < HEAD:
            os._exit(0)
        inbox.put(msgspec.msgpack.decode(stream.read(int.from_bytes(head, "big")), type=Ask))


if __name__ == "__main__":
    main()
