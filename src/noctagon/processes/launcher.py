"""The launcher: a small process between the referee and a program that plays, which keeps the program within limits.

    python -m noctagon.processes.launcher [--cpu SECONDS] [--memory MIB] [--processes N] [--disk MIB] [--cwd DIR]
                                       [--talk] -- COMMAND…

The command and everything it starts end when the launcher's input ends, which also happens when the referee is killed,
when the command itself ends, and when a limit is passed. What the command prints goes to the error stream, without the
middle where it is long. The launcher reports on its output, a line each: `started PID` or `failed WHY`, and
`ended CODE CPU_SECONDS WHY`. Its exit code is the command's own (for one that was killed 128 plus the signal's number),
or one of those below.

With --talk, input, output and error stream are the command's own. The report comes last on the error stream, after a
zero byte. Everything ends on SIGTERM, or with the referee; SIGUSR1 begins another game, for which the limits are
counted from zero.

`noctagon.processes.launch` is the referee's end of it. Whatever holds for every stranger's program is set here.
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
from typing import NamedTuple

from noctagon.core.limits import PROCESSES, Limits
from noctagon.processes import system as process

OVER_DISK = 120
OVER_PROCESSES = 121
OVER_MEMORY = 122
OVER_CPU = 123
ENDED = 124
"""Exit code after the input ended, or after a signal to end."""
NOT_STARTED = 127
OVER = frozenset({OVER_DISK, OVER_PROCESSES, OVER_MEMORY, OVER_CPU})
"""Exit codes after a limit was passed."""

INPUT, OUTPUT, ERRORS = 0, 1, 2

TICK = 0.2
"""Seconds between two checks of what the command uses."""
LOG_BYTES = 2**17
"""Bytes kept of what a command prints, from the beginning and from the end each."""
LOG_SECONDS = 5.0
"""Time to pass on what was printed before the end, in seconds."""
MIB = 2**20


class Ending(NamedTuple):
    """The exit code of the launcher, and why the command ended."""

    code: int
    why: str


class Usage:
    """The usage of all processes below this one together, compared with the limits."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.own_writing = process.written(os.getpid())
        """Bytes that this process itself has written, which are not the command's."""
        self._cpu_before = 0.0
        self._written_before = self._lost = 0
        self._last_seen: dict[int, int] = {}

    def begin_game(self) -> None:
        """Count from zero from here on."""
        below = process.descendants(os.getpid())
        self._cpu_before = process.cpu_seconds(os.getpid(), below) or 0.0
        self._written_before = self._written(below)

    def check(self) -> Ending | None:
        """Return the verdict on a command that is over a limit, else None."""
        below = process.descendants(os.getpid())
        if len(below) > self.limits.processes:
            return Ending(OVER_PROCESSES, f"it had {len(below)} processes, over {self.limits.processes}")
        return self._judge_cpu(below) or self._judge_memory(below) or self._judge_writing(below)

    def over_cpu(self, used: float) -> Ending:
        return Ending(OVER_CPU, f"it used {used:.1f} s of processor time, over {self.limits.cpu:g}")

    def _judge_cpu(self, below: dict[int, process.Use]) -> Ending | None:
        if self.limits.cpu is None or (all_used := process.cpu_seconds(os.getpid(), below)) is None:
            return None
        used = all_used - self._cpu_before
        return self.over_cpu(used) if used > self.limits.cpu else None

    def _judge_memory(self, below: dict[int, process.Use]) -> Ending | None:
        if self.limits.memory is None:
            return None
        most = self.limits.memory * MIB
        held = sum(found.memory for found in below.values())
        if held > most:
            held = process.shared_out_memory(below) or held
        if held <= most:
            return None
        return Ending(OVER_MEMORY, f"it held {held / MIB:.0f} MiB of memory, over {self.limits.memory:g}")

    def _judge_writing(self, below: Mapping[int, object]) -> Ending | None:
        if self.limits.disk is None:
            return None
        mebibytes = (self._written(below) - self._written_before) / MIB
        if mebibytes <= self.limits.disk:
            return None
        return Ending(OVER_DISK, f"it wrote {mebibytes:.0f} MiB, over {self.limits.disk:g}")

    def _written(self, below: Mapping[int, object]) -> int:
        """Return the bytes written by all processes there are and were.

        A process that collects a child inherits what that wrote. What ended processes wrote and no other has
        inherited is kept here.
        """
        now = {pid: process.written(pid) for pid in below}
        now[os.getpid()] = process.written(os.getpid()) - self.own_writing
        growth = {pid: now[pid] - before for pid, before in self._last_seen.items() if pid in now}
        gone = sum(before for pid, before in self._last_seen.items() if pid not in now)
        self._lost += max(0, gone - sum(growth.values()))
        self._last_seen = now
        return sum(now.values()) + self._lost


class Supervisor:
    """The launcher while the command runs. Its events come from a thread and from signals."""

    def __init__(self, limits: Limits, report: Callable[[str], None], *, talk: bool = False) -> None:
        self.usage = Usage(limits)
        self.report = report
        self.talk = talk
        self.events: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.parent = os.getppid()
        self.code: int | None = None
        self._copying: threading.Thread | None = None

    def run(self, command: Sequence[str], cwd: str | None = None) -> int:
        """Run the command until it ends or is ended; return the launcher's exit code."""
        process.adopt_orphans()
        self._listen_to_signals()
        try:
            child = self._start(command, cwd)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            self.report(f"failed {_why_not(error, command, cwd)}")
            return NOT_STARTED
        if not self.talk:
            self.report(f"started {child.pid}")
            threading.Thread(target=self._await_end_of_input, daemon=True).start()
        if sys.platform == "win32":
            threading.Thread(target=self._await_child, args=(child,), daemon=True).start()
        verdict = self._watch(child.pid)
        used = process.cpu_seconds(os.getpid())
        process.end_tree(child.pid)
        if sys.platform != "win32":
            process.end_descendants(os.getpid())
            child.returncode = 0  # it is collected: there is nothing to wait for
            used = process.cpu_seconds(os.getpid(), {})  # exact, now that all are collected
        if self._copying is not None:
            self._copying.join(LOG_SECONDS)
        self.report(f"ended {verdict.code} {used or 0.0:.3f} {verdict.why}")
        return verdict.code

    def _start(self, command: Sequence[str], cwd: str | None) -> subprocess.Popen[bytes]:
        limits = self.usage.limits
        file_limit = None if limits.disk is None else limits.disk * MIB
        if self.talk:  # it plays several games, and the kernel would add up their processor time
            prepare = process.preparation(None, file_limit)
            return subprocess.Popen(command, cwd=cwd, preexec_fn=prepare, **process.own_group())
        inlet, outlet = os.pipe()
        try:
            child = subprocess.Popen(
                command,
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=outlet,
                stderr=outlet,
                preexec_fn=process.preparation(limits.cpu, file_limit),
                **process.own_group(),
            )
        finally:
            os.close(outlet)
        self._copying = threading.Thread(target=self._copy, args=(inlet,), daemon=True)
        self._copying.start()
        return child

    def _watch(self, child: int) -> Ending:
        next_look = time.monotonic() + TICK
        while True:
            event = ""
            with contextlib.suppress(queue.Empty):
                event = self.events.get(timeout=max(0.0, next_look - time.monotonic()))
            if event == "end" or os.getppid() != self.parent:
                return Ending(ENDED, "it was ended")
            if event == "game":
                self.usage.begin_game()
            if sys.platform != "win32":
                self.code = process.collect().ended.get(child, self.code)
            if self.code is not None:
                return self._judge(self.code)
            if time.monotonic() >= next_look:
                if verdict := self.usage.check():
                    return verdict
                next_look = time.monotonic() + TICK

    def _judge(self, code: int) -> Ending:
        """Return the verdict on a command that ended by itself."""
        if verdict := self.usage.check():  # being over a limit is often why
            return verdict
        if code >= 0:
            return Ending(code, f"it ended with exit code {code}")
        limits = self.usage.limits
        if -code == getattr(signal, "SIGXCPU", 0) and limits.cpu is not None:
            return self.usage.over_cpu(limits.cpu)
        if -code == getattr(signal, "SIGXFSZ", 0) and limits.disk is not None:
            return Ending(OVER_DISK, f"it wrote a file of {limits.disk:g} MiB, which is the most it may")
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return Ending(128 - code, f"it was killed by {name}")

    def _listen_to_signals(self) -> None:
        meanings = {
            "SIGTERM": "end",
            "SIGINT": "end",
            "SIGHUP": "end",
            "SIGUSR1": "game",
            "SIGCHLD": "child",
        }
        for name, event in meanings.items():
            if (number := getattr(signal, name, None)) is not None:
                signal.signal(number, lambda *_, event=event: self.events.put(event))

    def _await_end_of_input(self) -> None:
        with contextlib.suppress(OSError):
            while os.read(INPUT, 1024):
                pass
        self.events.put("end")

    def _await_child(self, child: subprocess.Popen[bytes]) -> None:
        self.code = child.wait()
        self.events.put("child")

    def _copy(self, inlet: int) -> None:
        """Pass on the beginning and the end of what is printed, so that a flood fills no disk."""
        room, left_out, end = LOG_BYTES, 0, bytearray()
        while piece := os.read(inlet, 2**16):
            if room:
                self._log(piece[:room])
                piece, room = piece[room:], max(0, room - len(piece))
            end += piece
            left_out += max(0, len(end) - LOG_BYTES)
            del end[:-LOG_BYTES]
        if left_out:
            self._log(f"\n[… {left_out} bytes are left out here …]\n".encode())
        self._log(bytes(end))

    def _log(self, text: bytes) -> None:
        with contextlib.suppress(OSError):
            while text:
                count = os.write(ERRORS, text)
                self.usage.own_writing += count
                text = text[count:]


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
        prog="noctagon.processes.launcher", usage="%(prog)s [options] -- COMMAND…", allow_abbrev=False
    )
    parser.add_argument("--cpu", type=float, help="seconds of processor time, of all processes together")
    parser.add_argument("--memory", type=float, help="MiB of memory, of all processes together")
    parser.add_argument("--processes", type=int, default=PROCESSES, help="number of processes at once")
    parser.add_argument("--disk", type=float, help="MiB written, by all processes together")
    parser.add_argument("--cwd", help="the folder to start in")
    parser.add_argument("--talk", action="store_true", help="input and output are the command's own")
    arguments = sys.argv[1:]
    at = arguments.index("--") if "--" in arguments else len(arguments)
    options, command = parser.parse_args(arguments[:at]), arguments[at + 1 :]
    if not command:
        parser.error("no command is given after --")

    def report(line: str) -> None:
        data = " ".join(line.split()).encode("utf-8", "replace") + b"\n"
        with contextlib.suppress(OSError):  # the referee has ended
            os.write(*(ERRORS, b"\0" + data) if options.talk else (OUTPUT, data))

    limits = Limits(options.cpu, options.memory, options.processes, options.disk)
    code = Supervisor(limits, report, talk=options.talk).run(command, options.cwd)
    os._exit(code)  # an ordinary exit would wait for the thread that waits for the end of input


if __name__ == "__main__":
    main()
