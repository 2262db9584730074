"""Start somebody's command for a game, within limits, so that it and all it starts end with the game or with us.

    python -m noctagon.remote.launcher [--cpu SECONDS] [--memory MIB] [--processes N] [--cwd DIR] -- COMMAND…

This is a small process between the referee and the command. The command's output goes to its error stream; on its
output it tells, a line each, `started PID` or `failed WHY`, and `ended CODE CPU_SECONDS WHY`. It ends everything when
its input ends, which also happens when the referee is killed; when the command itself ends; or when a limit is passed.
Its exit code is the command's own (128 and the signal's number for one that was killed), or one of those below.
`launch` is the referee's end of it.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO, TYPE_CHECKING, NamedTuple

from noctagon.remote import process

if TYPE_CHECKING:
    import asyncio
    from pathlib import Path

OVER_PROCESSES = 121
OVER_MEMORY = 122
OVER_CPU = 123
TOLD = 124
"""The input ended, or a signal told the launcher to stop."""
NOT_STARTED = 127

INPUT, OUTPUT, ERRORS = 0, 1, 2

TICK = 0.2
"""Seconds between two looks at what the command uses."""
PROCESSES = 256
RESCAN_SECONDS = 0.5
"""The referee's end looks for new processes of a command no more often than this."""
START_SECONDS = 20.0
END_SECONDS = 10.0
MIB = 2**20


class Limits(NamedTuple):
    """What a command and all it starts may use together: seconds of processor time, MiB, processes, MiB written."""

    cpu: float | None = None
    memory: float | None = None
    processes: int = PROCESSES
    disk: float | None = None


class Verdict(NamedTuple):
    """How it ended."""

    code: int
    why: str


class Supervisor:
    """The launcher's own process, while the command runs. Its events come from a thread and from signals."""

    def __init__(self, limits: Limits, report: Callable[[str], None]) -> None:
        self.limits = limits
        self.report = report
        self.events: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.parent = os.getppid()
        self.code: int | None = None

    def run(self, command: Sequence[str], cwd: str | None = None) -> int:
        """Run the command to its end, or ours; returns the launcher's exit code."""
        process.adopt_orphans()
        self._listen_to_signals()
        try:
            child = subprocess.Popen(
                command,
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=ERRORS,
                stderr=ERRORS,
                preexec_fn=process.preparation(self.limits.cpu),
                **process.own_group(),
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            self.report(f"failed {_why_not(error, command, cwd)}")
            return NOT_STARTED
        self.report(f"started {child.pid}")
        threading.Thread(target=self._await_end_of_input, daemon=True).start()
        if sys.platform == "win32":
            threading.Thread(target=self._await_child, args=(child,), daemon=True).start()
        verdict = self._watch(child.pid)
        used = process.cpu_seconds(os.getpid())
        process.end_tree(child.pid)
        if sys.platform != "win32":
            process.end_descendants(os.getpid())
            child.returncode = 0  # it is collected: nobody need wait for it
            used = process.cpu_seconds(os.getpid(), {})  # all are collected, so that this is exact
        self.report(f"ended {verdict.code} {used or 0.0:.3f} {verdict.why}")
        return verdict.code

    def _watch(self, child: int) -> Verdict:
        next_look = time.monotonic() + TICK
        while True:
            event = ""
            with contextlib.suppress(queue.Empty):
                event = self.events.get(timeout=max(0.0, next_look - time.monotonic()))
            if event == "told" or os.getppid() != self.parent:
                return Verdict(TOLD, "it was ended")
            if sys.platform != "win32":
                self.code = process.collect().ended.get(child, self.code)
            if self.code is not None:
                return self._judge(self.code)
            if time.monotonic() >= next_look:
                if verdict := self._look():
                    return verdict
                next_look = time.monotonic() + TICK

    def _judge(self, code: int) -> Verdict:
        """The verdict on a command that ended by itself."""
        if code >= 0:
            return Verdict(code, f"it ended with exit code {code}")
        if -code == getattr(signal, "SIGXCPU", 0) and self.limits.cpu is not None:
            return self._over_cpu(self.limits.cpu)
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return Verdict(128 - code, f"it was killed by {name}")

    def _look(self) -> Verdict | None:
        """The verdict on what it uses; None while it keeps within the limits."""
        here = os.getpid()
        below = process.descendants(here)
        if len(below) > self.limits.processes:
            return Verdict(OVER_PROCESSES, f"it had {len(below)} processes, over {self.limits.processes}")
        used = process.cpu_seconds(here, below)
        if self.limits.cpu is not None and used is not None and used > self.limits.cpu:
            return self._over_cpu(used)
        if self.limits.memory is not None:
            most = self.limits.memory * MIB
            held = sum(found.memory for found in below.values())
            if held > most:
                held = process.shared_out_memory(below) or held
            if held > most:
                return Verdict(
                    OVER_MEMORY, f"it held {held / MIB:.0f} MiB of memory, over {self.limits.memory:g}"
                )
        return None

    def _over_cpu(self, used: float) -> Verdict:
        return Verdict(OVER_CPU, f"it used {used:.1f} s of processor time, over {self.limits.cpu:g}")

    def _listen_to_signals(self) -> None:
        for name in ("SIGTERM", "SIGINT", "SIGHUP"):
            if (number := getattr(signal, name, None)) is not None:
                signal.signal(number, lambda *_: self.events.put("told"))
        if (number := getattr(signal, "SIGCHLD", None)) is not None:
            signal.signal(number, lambda *_: self.events.put("child"))

    def _await_end_of_input(self) -> None:
        with contextlib.suppress(OSError):
            while os.read(INPUT, 1024):
                pass
        self.events.put("told")

    def _await_child(self, child: subprocess.Popen[bytes]) -> None:
        self.code = child.wait()
        self.events.put("child")


def _why_not(error: Exception, command: Sequence[str], cwd: str | None) -> str:
    if isinstance(error, FileNotFoundError) and cwd is not None and error.filename == cwd:
        return f"there is no folder {cwd}"
    if isinstance(error, FileNotFoundError):
        return f"command not found: {command[0]}"
    if isinstance(error, PermissionError):
        return f"not allowed to run {command[0]}: is it a program?"
    return f"cannot run {command[0]}: {getattr(error, 'strerror', None) or error}"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="noctagon.remote.launcher", usage="%(prog)s [options] -- COMMAND…", allow_abbrev=False
    )
    parser.add_argument("--cpu", type=float, help="seconds of processor time, of all processes together")
    parser.add_argument("--memory", type=float, help="MiB of memory, of all processes together")
    parser.add_argument("--processes", type=int, default=PROCESSES, help="how many there may be")
    parser.add_argument("--cwd", help="the folder to start in")
    arguments = sys.argv[1:]
    at = arguments.index("--") if "--" in arguments else len(arguments)
    options, command = parser.parse_args(arguments[:at]), arguments[at + 1 :]
    if not command:
        parser.error("no command is given after --")

    def report(line: str) -> None:
        with contextlib.suppress(OSError):  # nobody listens any more
            os.write(OUTPUT, " ".join(line.split()).encode("utf-8", "replace") + b"\n")

    limits = Limits(options.cpu, options.memory, options.processes)
    code = Supervisor(limits, report).run(command, options.cwd)
    os._exit(code)  # the thread that waits for the end of input is not to be waited for


class Launched:
    """A command that runs, as the referee sees it. `reason` tells why it ended; it is empty while it runs."""

    def __init__(self, command: Sequence[str], launcher: asyncio.subprocess.Process, pid: int) -> None:
        import asyncio  # not at the top: the launcher's process is this module too, and starts without it

        self.command = tuple(command)
        self.pid = pid
        self.code: int | None = None
        """Its exit code, or the launcher's where that ended it; None while it runs."""
        self.reason = ""
        self._launcher = launcher
        self._used = 0.0
        self._known: list[int] = []
        self._scanned = float("-inf")
        self._end = asyncio.ensure_future(self._await_end())

    def cpu_seconds(self) -> float:
        """The processor time that it and all it started have used so far; 0 where the system does not tell."""
        if self.code is None:
            root = self._launcher.pid
            if time.monotonic() - self._scanned > RESCAN_SECONDS:
                self._known, self._scanned = list(process.descendants(root)), time.monotonic()
            below = {pid: found for pid in self._known if (found := process.use(pid)) is not None}
            self._used = max(self._used, process.cpu_seconds(root, below) or 0.0)
        return self._used

    async def wait(self) -> int:
        """Wait until it has ended, by itself or not; returns `code`."""
        import asyncio

        return await asyncio.shield(self._end)

    async def end(self, *, grace: float = 0.0) -> None:
        """End it and all it has started, after so many seconds in which it may do so by itself."""
        import asyncio

        assert self._launcher.stdin is not None
        for seconds, then in ((grace, self._launcher.stdin.close), (END_SECONDS, self._kill)):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self.wait()
                break
            then()
        await self.wait()
        self._launcher.stdin.close()

    def _kill(self) -> None:
        process.end_tree(self.pid)
        process.end_tree(self._launcher.pid)

    async def _await_end(self) -> int:
        assert self._launcher.stdout is not None
        told = (await self._launcher.stdout.read()).decode("utf-8", "replace")
        await self._launcher.wait()
        word, _, rest = told.strip().partition(" ")
        if word == "ended":
            code, used, self.reason = rest.split(" ", 2)
            self.code, self._used = int(code), max(self._used, float(used))
        else:
            process.end_tree(self.pid)  # the launcher was killed; what it would have done is done here
            self.code, self.reason = NOT_STARTED, "its launcher was killed"
        return self.code

    def __repr__(self) -> str:
        return f"<Launched {' '.join(self.command)}: {self.reason or 'running'}>"


async def launch(
    command: Sequence[str],
    *,
    log: Path | IO[bytes],
    memory_mib: float | None = None,
    cpu_seconds: float | None = None,
    processes: int = PROCESSES,
    cwd: Path | str | None = None,
    env: Mapping[str, str] | None = None,
) -> Launched:
    """Start a command; what it prints is added to `log`. Raises `NoctagonError` if it cannot be started."""
    import asyncio
    from pathlib import Path

    from noctagon.game import NoctagonError

    if not command:
        raise NoctagonError("the command is empty")
    arguments = [sys.executable, "-P", "-m", "noctagon.remote.launcher", f"--processes={processes}"]
    for option, value in (("--memory", memory_mib), ("--cpu", cpu_seconds), ("--cwd", cwd)):
        arguments += [] if value is None else [f"{option}={value}"]
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(log.open("ab")) if isinstance(log, Path) else log
            launcher = await asyncio.create_subprocess_exec(
                *arguments,
                "--",
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=file,
                env=env,
                **process.own_group(),
            )
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
    return Launched(command, launcher, int(rest))


if __name__ == "__main__":
    main()
