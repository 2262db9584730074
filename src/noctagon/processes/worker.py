"""The worker process, `python -m noctagon.processes.worker GAME…`: it calls our functions for another process.

Calls come in on its input, one after the other, and values go out on its output (`noctagon.processes.messages`). What
the functions print, a stranger's code in them above all, goes to the error stream, never between the messages. The
process ends when its input does: with its parent, however that ends.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import traceback
from collections.abc import Generator, Iterator
from io import FileIO
from pathlib import Path
from typing import BinaryIO, NoReturn

from noctagon.core.game import NoctagonError
from noctagon.core.registry import find_game
from noctagon.core.text import shortened
from noctagon.processes.calls import perform
from noctagon.processes.messages import HEAD, Ask, Done, Item, Raised, Reply, decode_ask, framed, packed

LONGEST_LINE = 500
"""Maximum length of an exception's line, in characters."""
LONGEST_LOG = 10_000
"""Maximum length of a traceback, in characters: no pipe has to carry all that a bot puts into an exception."""


def main() -> None:
    inlet = os.fdopen(os.dup(0), "rb")
    outlet = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # a bot that asks for input gets none
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr] # a bot may be killed while it hangs
    inbox: queue.SimpleQueue[Ask] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(inlet, inbox), daemon=True).start()
    try:
        for name in sys.argv[1:]:
            find_game(name).load()
        _answer_all(inbox, outlet)
    except BaseException:
        traceback.print_exc()
    sys.stderr.flush()
    os._exit(1)  # an ordinary exit would wait for the thread that listens


def _listen(stream: BinaryIO, inbox: queue.SimpleQueue[Ask]) -> None:
    """Pass calls on; at the end of the input end the process, even under a bot that never returns."""
    while True:
        head = stream.read(HEAD)
        if len(head) < HEAD:
            os._exit(0)
        inbox.put(decode_ask(stream.read(int.from_bytes(head, "big"))))


def _answer_all(inbox: queue.SimpleQueue[Ask], outlet: FileIO) -> NoReturn:
    while True:
        for reply in answer(inbox.get()):
            data = memoryview(framed(reply))
            while data:
                data = data[outlet.write(data) or 0 :]


def answer(ask: Ask) -> Iterator[Reply]:
    """Call a function; yield a message for each value it yields, and one for what it returns or raises."""
    try:
        value = perform(ask.function, ask.arguments)
        if isinstance(value, Iterator):
            value = yield from _items(ask.number, value)
        yield Done(ask.number, packed(value))
    except BaseException as error:  # a bot may even raise SystemExit
        refusal = ""
        if isinstance(error, NoctagonError):
            refusal = shortened(_text(error), LONGEST_LOG) or "that cannot be done"
        yield Raised(ask.number, *describe(error), refusal)


def _items(number: int, values: Iterator[object]) -> Generator[Item, None, object]:
    """Yield a message for each value of a generator; return what the generator returns."""
    while True:
        try:
            value = next(values)
        except StopIteration as end:
            return end.value
        yield Item(number, packed(value))


def describe(error: BaseException) -> tuple[str, str]:
    """Return an exception in one line, with the line of a stranger's code it came from, and its traceback.

    The traceback begins in the stranger's code. A `NoctagonError` that passed through no such code is a message to the
    user, as that there is no such option: it has no traceback.
    """
    line = shortened(_text(error), LONGEST_LINE)
    if not isinstance(error, NoctagonError):
        line = f"{type(error).__name__}: {line}" if line else type(error).__name__
    ours = (str(Path(__file__).parent.parent), "<")
    libraries = (sys.prefix, sys.base_prefix)
    frames = traceback.extract_tb(error.__traceback__)
    foreign = [frame for frame in frames if not frame.filename.startswith((*ours, *libraries))]
    if foreign:
        line += f" ({Path(foreign[-1].filename).name}, line {foreign[-1].lineno})"
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename.startswith(ours):
            trace = trace.tb_next
        error = error.with_traceback(trace)
    elif isinstance(error, NoctagonError):
        return line, ""
    return line, shortened("".join(traceback.format_exception(error)), LONGEST_LOG)


def _text(error: BaseException) -> str:
    try:
        return str(error).encode("utf-8", "replace").decode()
    except BaseException:  # a stranger's exception may even fail at that
        return ""


if __name__ == "__main__":
    main()
