"""The process in which questions of the page are computed: `python -m noctagon.web.worker GAME…`.

It is sent calls of our own functions (never by name from outside) and sends back what they return; a generator's
values come one by one. It ends when its input does: with the server, however that ends.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import traceback
from collections.abc import Iterator
from importlib import import_module
from io import FileIO
from typing import Any, BinaryIO

import msgspec

from noctagon.core.game import NoctagonError
from noctagon.core.registry import find_game

HEAD = 4
"""Bytes of length before each message."""


class Call(msgspec.Struct):
    """What is to be computed: `module:function` with keyword arguments. An empty one only warms up."""

    function: str
    arguments: dict[str, Any]


class Told(msgspec.Struct):
    """A value, and whether more will come; or what the user did wrong; or where it crashed."""

    value: Any = None
    more: bool = False
    error: str = ""
    crash: str = ""


def encode(message: Call | Told) -> bytes:
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(HEAD, "big") + body


def main() -> None:
    inlet = os.fdopen(os.dup(0), "rb")
    outlet = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    inbox: queue.SimpleQueue[Call] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(inlet, inbox), daemon=True).start()
    for name in sys.argv[1:]:
        find_game(name).load()
    while True:
        for told in _answers(inbox.get()):
            _write(outlet, encode(told))


def _answers(call: Call) -> Iterator[Told]:
    try:
        if not call.function:
            yield Told(os.getpid())
            return
        module, _, name = call.function.partition(":")
        value = getattr(import_module(module), name)(**call.arguments)
        if isinstance(value, Iterator):
            for item in value:
                yield Told(msgspec.to_builtins(item), more=True)
            value = None
        yield Told(msgspec.to_builtins(value))
    except NoctagonError as error:
        yield Told(error=str(error) or "that cannot be done")
    except Exception:
        yield Told(crash=traceback.format_exc())


def _write(outlet: FileIO, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[outlet.write(view) or 0 :]


def _listen(stream: BinaryIO, inbox: queue.SimpleQueue[Call]) -> None:
    """Pass calls on; at the end of the input end the process, whatever it computes."""
    while True:
        head = stream.read(HEAD)
        if len(head) < HEAD:
            os._exit(0)
        inbox.put(msgspec.msgpack.decode(stream.read(int.from_bytes(head, "big")), type=Call))


if __name__ == "__main__":
    main()
