"""The command line in this process: as a user types it, without a new interpreter for every command.

Signals, closed streams and other things of a process are tested in processes of their own.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from noctagon.cli import main


class Done(NamedTuple):
    """The exit code of a command, and the text on both of its streams."""

    code: int
    out: str
    err: str


def run(
    *words: str, keys: str = "", cwd: Path | None = None, environment: Mapping[str, str] | None = None
) -> Done:
    """Run `noctagon` with these words and return its exit code and output; `keys` are typed at its prompts."""
    streams = {name: io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for name in ("stdout", "stderr")}
    typed = io.TextIOWrapper(io.BytesIO(keys.encode()), "utf-8")
    with contextlib.ExitStack() as stack:
        stack.enter_context(_signals_kept())
        stack.enter_context(contextlib.chdir(cwd or Path.cwd()))
        stack.enter_context(mock.patch.dict(os.environ, {"COLUMNS": "100", **(environment or {})}))
        stack.enter_context(mock.patch.object(sys, "argv", ["noctagon", *words]))
        for name, stream in {"stdin": typed, **streams}.items():
            stack.enter_context(mock.patch.object(sys, name, stream))
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        finally:
            for stream in streams.values():
                stream.flush()
    out, err = (stream.buffer.getvalue().decode("utf-8", "replace") for stream in streams.values())
    return Done(code, out.replace("\r\n", "\n"), err.replace("\r\n", "\n"))


def noctagon(*words: str, code: int = 0, keys: str = "", cwd: Path | None = None) -> tuple[str, str]:
    """Run a command that exits with `code`, without a traceback of ours, and return what it printed on both streams."""
    done = run(*words, keys=keys, cwd=cwd)
    assert done.code == code, f"exit code {done.code}\n{done.out}\n{done.err}"
    assert "Traceback" not in done.out
    return done.out, done.err


@contextlib.contextmanager
def _signals_kept() -> Iterator[None]:
    """Put back the signal handlers that a command sets for itself."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kinds = [kind for kind in (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", None)) if kind]
    before = {kind: signal.getsignal(kind) for kind in kinds}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
