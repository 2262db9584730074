"""The parts of process handling that depend on the operating system: groups, limits, locks, family trees, usage.

Complete on Linux, best effort elsewhere: there a process's own group is ended with it, and its usage is not known.
Nothing heavy is imported here, since the launcher has to start quickly.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Collection
from typing import IO, Any, NamedTuple

PROC = "/proc"
BEYOND = 1 << 30
"""Offset of the byte that is locked on Windows, where no program can read it: beyond the end of all our files."""

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def own_group() -> dict[str, Any]:
    """Return arguments that start a process in a group of its own, which can be ended as a whole."""
    if sys.platform == "win32":
        return {"creationflags": 0x00000200}  # CREATE_NEW_PROCESS_GROUP
    return {"start_new_session": True}


def end_group(pid: int) -> None:
    """End a process that was started with `own_group`, and its children; ignore one that has ended already."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            os.kill(pid, signal.SIGTERM)
        else:
            os.killpg(pid, signal.SIGKILL)


def end_tree(pid: int) -> None:
    """End a process and everything it has started, as far as the system knows that."""
    if sys.platform == "win32":
        import subprocess

        with contextlib.suppress(OSError):
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(pid)], capture_output=True, check=False)
    else:
        end_group(pid)


class Use(NamedTuple):
    """The parent and the usage of a process, by the system's books.

    `cpu` is in seconds; `children_cpu` is that of the children it has collected, and of theirs; `memory` is in bytes.
    """

    parent: int
    cpu: float
    children_cpu: float
    memory: int


def use(pid: int) -> Use | None:
    """Return the usage of a process; None if it has ended or the system does not say."""
    try:
        with open(f"{PROC}/{pid}/stat", "rb") as file:  # noqa: PTH123 - hundreds of times a second
            stat = file.read()
    except OSError:
        return None
    fields = stat[stat.rindex(b")") + 2 :].split()  # the name before it may contain anything
    tick, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    return Use(
        parent=int(fields[1]),
        cpu=(int(fields[11]) + int(fields[12])) / tick,
        children_cpu=(int(fields[13]) + int(fields[14])) / tick,
        memory=int(fields[21]) * page,
    )


def descendants(pid: int) -> dict[int, Use]:
    """Return the usage of every process below one; an ended one counts until it is collected."""
    try:
        all_pids = [int(name) for name in os.listdir(PROC) if name.isdigit()]  # noqa: PTH208 - as above
    except OSError:
        return {}
    uses = {other: found for other in all_pids if (found := use(other)) is not None}
    children: dict[int, list[int]] = {}
    for other, found in uses.items():
        children.setdefault(found.parent, []).append(other)
    below: dict[int, Use] = {}
    waiting = [pid]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in below:  # a number may be reused during the reading, which could make a ring
                below[child] = uses[child]
                waiting.append(child)
    return below


def cpu_seconds(pid: int, below: dict[int, Use] | None = None) -> float | None:
    """Return the processor time of everything ever started below a process, itself excluded; None if not known."""
    own = use(pid)
    if own is None:
        return None
    below = descendants(pid) if below is None else below
    return own.children_cpu + sum(found.cpu + found.children_cpu for found in below.values())


def shared_out_memory(pids: Collection[int]) -> int | None:
    """Return the memory of processes in bytes, shared memory counted once; None if it is not known.

    Slower than `Use.memory`, in which every process counts all that it shares.
    """
    total = 0
    told = False
    for pid in pids:
        with contextlib.suppress(OSError), open(f"{PROC}/{pid}/smaps_rollup", "rb") as file:  # noqa: PTH123
            for line in file:
                if line.startswith(b"Pss:"):
                    total += int(line.split()[1]) * 1024
                    told = True
    return total if told else None


def written(pid: int) -> int:
    """Return the bytes written by a process and by the children it has collected; 0 if that is not known.

    Everything written counts, to a file, a pipe or a terminal; of mapped memory, what reaches the disk.
    """
    most = 0
    with contextlib.suppress(OSError), open(f"{PROC}/{pid}/io", "rb") as file:  # noqa: PTH123 - as above
        for line in file:
            if line.startswith((b"wchar:", b"write_bytes:")):
                most = max(most, int(line.split()[1]))
    return most


def adopt_orphans() -> None:
    """Become the parent of every orphan below this process, so that none can get away."""
    prctl = _prctl()
    if prctl is not None:
        prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def preparation(cpu_limit: float | None, file_limit: float | None = None) -> Callable[[], None] | None:
    """Return a function that a new process calls before it becomes a program; None where nothing can be done.

    The process is then killed when its parent ends, has a limit on its processor time and on the size of each file as a
    second line of defence, writes no core files, and is the first to be killed when the machine runs out of memory.
    """
    if sys.platform == "win32":
        return None
    try:
        import resource
    except ImportError:
        return None
    prctl = _prctl()
    parent = os.getpid()

    def prepare() -> None:
        if prctl is not None:
            prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != parent:  # it ended before this was set
                os._exit(1)
            with contextlib.suppress(OSError), open(f"{PROC}/self/oom_score_adj", "w") as file:  # noqa: PTH123
                file.write("900")
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if cpu_limit is not None:
            lower(resource.RLIMIT_CPU, int(cpu_limit) + 2, int(cpu_limit) + 3)
        if file_limit is not None:
            lower(resource.RLIMIT_FSIZE, int(file_limit), int(file_limit))

    def lower(what: int, soft: int, hard: int) -> None:
        most = resource.getrlimit(what)[1]
        if most == resource.RLIM_INFINITY or hard <= most:
            resource.setrlimit(what, (soft, hard))

    return prepare


def send_signal(pid: int, name: str) -> bool:
    """Send a process a signal by its name; return False if there is no such signal or the process has ended."""
    if (number := getattr(signal, name, None)) is None or sys.platform == "win32":
        return False
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def ending_signals() -> tuple[signal.Signals, ...]:
    """Return the signals by which a system ends a process: at a shutdown, or when its window is closed."""
    return tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


def lock(file: IO[bytes]) -> bool:
    """Lock a file until it is closed or the process ends; return False if another program has locked it."""
    if sys.platform == "win32":
        import msvcrt

        file.seek(BEYOND)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
    else:
        import fcntl

        with contextlib.suppress(OSError):  # a disk without locks keeps nobody out
            try:
                fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
    return True


def end_descendants(pid: int, *, seconds: float = 5.0) -> bool:
    """End and collect everything below this very process; return whether nothing is left."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        _kill_all(pid)
        if not collect().left:
            return True
        time.sleep(0.005)
    return False


def _kill_all(pid: int) -> None:
    """Stop the processes below one until no new ones appear, so that none escapes by starting others; kill them."""
    stopped: set[int] = set()
    for _ in range(100):
        found = set(descendants(pid)) - stopped
        if not found:
            break
        for other in found:
            _signal(other, signal.SIGSTOP)
        stopped |= found
    for other in stopped:
        _signal(other, signal.SIGKILL)


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


class Collected(NamedTuple):
    """The exit codes of children that have ended, as `subprocess` gives them, and whether other children are left."""

    ended: dict[int, int]
    left: bool


def collect() -> Collected:
    """Collect the children of this process that have ended."""
    ended: dict[int, int] = {}
    try:
        while (found := os.waitpid(-1, os.WNOHANG))[0] != 0:
            ended[found[0]] = os.waitstatus_to_exitcode(found[1])
    except ChildProcessError:
        return Collected(ended, left=False)
    return Collected(ended, left=True)


def _prctl() -> Callable[..., int] | None:
    """Return the C library's `prctl`, which changes settings of this process; None where there is none."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        import ctypes

        found: Callable[..., int] = ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):
        return None
    return found
