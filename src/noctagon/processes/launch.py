"""The referee's end of a launcher: start a program within limits, see what it uses, end it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from noctagon.compiled import ALONE
from noctagon.core.game import NoctagonError
from noctagon.core.limits import USUAL, Limits
from noctagon.processes import system as process
from noctagon.processes.launcher import NOT_STARTED

RESCAN_SECONDS = 0.5
"""Seconds between two searches for new processes of a command."""
START_SECONDS = 20.0
"""Time for a launcher to start its command, in seconds."""
END_SECONDS = 10.0
"""Time for each step of ending a command, in seconds."""
PRINTED = 10_000
"""Bytes kept of the end of what a command prints."""


class Launched(ABC):
    """A command that runs behind a launcher. `reason` says why it ended; it is empty while it runs."""

    def __init__(self, command: Sequence[str], launcher: asyncio.subprocess.Process, pid: int) -> None:
        self.command = tuple(command)
        self.pid = pid
        """The number of the command's process; 0 if it is not known."""
        self.code: int | None = None
        """Its exit code, or the launcher's if that ended it; None while it runs."""
        self.reason = ""
        self._launcher = launcher
        self._used = 0.0
        self._known: list[int] = []
        self._scanned = float("-inf")
        self._end = asyncio.ensure_future(self._await_end())

    @abstractmethod
    async def _report(self) -> str:
        """Wait for the launcher's report on how the command ended; return "" if there is none."""

    @abstractmethod
    def _request_end(self) -> None: ...

    def cpu_seconds(self) -> float:
        """Return the processor time used so far by it and all it started; 0 if it is not known."""
        if self.code is None:
            root = self._launcher.pid
            if time.monotonic() - self._scanned > RESCAN_SECONDS:
                self._known, self._scanned = list(process.descendants(root)), time.monotonic()
            below = {pid: found for pid in self._known if (found := process.use(pid)) is not None}
            self._used = max(self._used, process.cpu_seconds(root, below) or 0.0)
        return self._used

    async def wait(self) -> int:
        """Wait until it has ended, by itself or not; return `code`."""
        return await asyncio.shield(self._end)

    async def end(self, *, grace: float = 0.0) -> None:
        """End it and all it has started, after `grace` seconds in which it may end by itself.

        This returns whatever the command does, if after a while.
        """
        assert self._launcher.stdin is not None
        if not await self._ends_within(grace):
            for step in (self._request_end, self._kill, self._close_pipes):
                step()
                if await self._ends_within(END_SECONDS):
                    break
        self._launcher.stdin.close()

    async def _ends_within(self, seconds: float) -> bool:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.wait()
            return True
        return False

    def _kill(self) -> None:
        for pid in (self.pid, self._launcher.pid):
            if pid:
                process.end_tree(pid)

    def _close_pipes(self) -> None:
        """Close our ends of the pipes: a process that escaped, where the system lets it, may keep the others open."""
        self._launcher._transport.close()  # type: ignore[attr-defined] # there is no public way

    async def _await_end(self) -> int:
        word, _, rest = (await self._report()).strip().partition(" ")
        await self._launcher.wait()
        if word == "ended":
            code, used, self.reason = rest.split(" ", 2)
            self.code, self._used = int(code), max(self._used, float(used))
        else:
            if self.pid:
                process.end_tree(self.pid)  # the launcher was killed and cannot do this
            self.code, self.reason = NOT_STARTED, rest or "its launcher was killed"
        return self.code

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {' '.join(self.command)}: {self.reason or 'running'}>"


class Logged(Launched):
    """A command that prints into a log."""

    async def _report(self) -> str:
        assert self._launcher.stdout is not None
        return (await self._launcher.stdout.read()).decode("utf-8", "replace")

    def _request_end(self) -> None:
        assert self._launcher.stdin is not None
        self._launcher.stdin.close()


class Talking(Launched):
    """A command that reads and answers messages on its input and output."""

    def __init__(self, command: Sequence[str], launcher: asyncio.subprocess.Process) -> None:
        assert launcher.stdin is not None
        assert launcher.stdout is not None
        self.writer = launcher.stdin
        self.reader = launcher.stdout
        self.printed = bytearray()
        """The end of what it printed."""
        super().__init__(command, launcher, 0)

    def begin_game(self) -> None:
        """Count the limits, and what is printed, from here on."""
        self.printed.clear()
        process.send_signal(self._launcher.pid, "SIGUSR1")

    def started(self, pid: int) -> bool:
        """Return whether a process is one of the command's, as far as the system can tell."""
        below = process.descendants(self._launcher.pid)
        return not below or pid in below

    def abandon(self) -> None:
        """End it without waiting for its end."""
        if self._launcher.returncode is None:
            self._request_end()

    async def end(self, *, grace: float = 0.0) -> None:
        reading = asyncio.ensure_future(self._read_to_its_end())
        try:
            await super().end(grace=grace)
        finally:
            reading.cancel()

    async def _read_to_its_end(self) -> None:
        """Read the rest and drop it: asyncio takes a process for ended only when its output has ended."""
        while await self.reader.read(2**16):
            pass

    async def _report(self) -> str:
        assert self._launcher.stderr is not None
        while piece := await self._launcher.stderr.read(2**16):
            self.printed += piece
            del self.printed[:-PRINTED]
        printed, mark, report = self.printed.rpartition(b"\0")
        if not mark:
            return ""
        self.printed = printed
        return report.decode("utf-8", "replace")

    def _request_end(self) -> None:
        if not process.send_signal(self._launcher.pid, "SIGTERM"):
            process.end_tree(self._launcher.pid)


async def launch(
    command: Sequence[str],
    *,
    log: Path | IO[bytes],
    limits: Limits = USUAL,
    cwd: Path | str | None = None,
    env: Mapping[str, str] | None = None,
) -> Logged:
    """Start a command; what it prints is added to `log`. Raises `NoctagonError` if it cannot be started."""
    if not command:
        raise NoctagonError("the command is empty")
    options = [] if cwd is None else [f"--cwd={cwd}"]
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(log.open("ab")) if isinstance(log, Path) else log
            launcher = await _start(options, limits, command, file, env)
        except (OSError, ValueError) as error:
            raise NoctagonError(f"{' '.join(command)}: {error}") from error
    assert launcher.stdin is not None
    assert launcher.stdout is not None
    word = rest = ""
    try:
        async with asyncio.timeout(START_SECONDS):
            word, _, rest = (
                (await launcher.stdout.readline()).decode("utf-8", "replace").strip().partition(" ")
            )
    except TimeoutError:
        rest = f"its launcher was not ready after {START_SECONDS:g} s"
        process.end_tree(launcher.pid)
    finally:
        if word != "started":
            launcher.stdin.close()
    if word != "started":
        await launcher.wait()
        raise NoctagonError(f"{' '.join(command)}: {rest or 'its launcher broke down; the log says more'}")
    return Logged(command, launcher, int(rest))


async def launch_talking(command: Sequence[str], *, limits: Limits = USUAL) -> Talking:
    """Start a command that answers messages; if it cannot be started, it counts as one that has ended."""
    return Talking(command, await _start(["--talk"], limits, command, asyncio.subprocess.PIPE, None))


async def _start(
    options: Sequence[str],
    limits: Limits,
    command: Sequence[str],
    errors: IO[bytes] | int,
    env: Mapping[str, str] | None,
) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "noctagon.processes.launcher"),
        *options,
        *[f"--{name}={value}" for name, value in limits._asdict().items() if value is not None],
        "--",
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=errors,
        env={**(os.environ if env is None else env), ALONE: "1"},  # helpers would count as the program's own
        **process.own_group(),
    )
