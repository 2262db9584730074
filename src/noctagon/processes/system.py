"""What is special to one operating system about processes: groups, limits, locks, who belongs to whom, what they use.

Full on Linux, best effort elsewhere: there a process's own group is ended with it, and its use is not seen.
Nothing heavy is imported here: the launcher, which must start quickly, lives on it.
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
"""Windows lets nobody read the byte that is locked: it is one that no file of ours has."""

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def own_group() -> dict[str, Any]:
    """Arguments for starting a process in a group of its own, so that all of it can be ended together."""
    if sys.platform == "win32":
        return {"creationflags": 0x00000200}  # CREATE_NEW_PROCESS_GROUP
    return {"start_new_session": True}


def end_group(pid: int) -> None:
    """End a process that was started so, and its children; one that is gone already is no matter."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            os.kill(pid, signal.SIGTERM)
        else:
            os.killpg(pid, signal.SIGKILL)


def end_tree(pid: int) -> None:
    """End a process and what it has started, as far as the system tells."""
    if sys.platform == "win32":
        import subprocess

        with contextlib.suppress(OSError):
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(pid)], capture_output=True, check=False)
    else:
        end_group(pid)


class Use(NamedTuple):
    """What the system tells of one process: its parent, and what it has used.

    `cpu` is in seconds; `children_cpu` is that of the children it has seen end, and of theirs; `memory` is in bytes.
    """

    parent: int
    cpu: float
    children_cpu: float
    memory: int


def use(pid: int) -> Use | None:
    """What a process has used; None if it is gone or the system does not tell."""
    try:
        with open(f"{PROC}/{pid}/stat", "rb") as file:  # noqa: PTH123 - hundreds of times a second
            stat = file.read()
    except OSError:
        return None
    fields = stat[stat.rindex(b")") + 2 :].split()  # the name before may hold anything
    tick, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    return Use(
        parent=int(fields[1]),
        cpu=(int(fields[11]) + int(fields[12])) / tick,
        children_cpu=(int(fields[13]) + int(fields[14])) / tick,
        memory=int(fields[21]) * page,
    )


def descendants(pid: int) -> dict[int, Use]:
    """The processes below one, and what each has used; those that are ending count until they are collected."""
    try:
        everybody = [int(name) for name in os.listdir(PROC) if name.isdigit()]  # noqa: PTH208 - as above
    except OSError:
        return {}
    uses = {other: found for other in everybody if (found := use(other)) is not None}
    children: dict[int, list[int]] = {}
    for other, found in uses.items():
        children.setdefault(found.parent, []).append(other)
    below: dict[int, Use] = {}
    waiting = [pid]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in below:  # numbers are used again, so that a reading in pieces might hold a ring
                below[child] = uses[child]
                waiting.append(child)
    return below


def cpu_seconds(pid: int, below: dict[int, Use] | None = None) -> float | None:
    """The processor time of all that was ever started below a process, itself left out; None where it is not told."""
    own = use(pid)
    if own is None:
        return None
    below = descendants(pid) if below is None else below
    return own.children_cpu + sum(found.cpu + found.children_cpu for found in below.values())


def shared_out_memory(pids: Collection[int]) -> int | None:
    """The memory of processes in bytes, what several share counted once; None where that is not told.

    Slower than `Use.memory`, in which each process counts all that it shares.
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
    """How many bytes a process, and those of its children that it has collected, wrote; 0 where that is not told.

    Whatever it writes counts, to a file, a pipe or a terminal; of what it maps into memory, what reaches the disk.
    """
    most = 0
    with contextlib.suppress(OSError), open(f"{PROC}/{pid}/io", "rb") as file:  # noqa: PTH123 - as above
        for line in file:
            if line.startswith((b"wchar:", b"write_bytes:")):
                most = max(most, int(line.split()[1]))
    return most


def adopt_orphans() -> None:
    """Become the parent of whatever is left alone below this process, however it tries to get away."""
    prctl = _prctl()
    if prctl is not None:
        prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def preparation(cpu_limit: float | None, file_limit: float | None = None) -> Callable[[], None] | None:
    """What a new process is to do before it becomes somebody's command; None where nothing can be done.

    It is killed when its parent ends, has its seconds of processor time and the bytes of each file it writes limited
    as a second line of defence, writes no core files, and is the first to go when the machine runs out of memory.
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
            if os.getppid() != parent:  # it ended before we asked
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


def tell(pid: int, name: str) -> bool:
    """Send a process a signal by its name; False where there is no such signal, or no such process any more."""
    if (number := getattr(signal, name, None)) is None or sys.platform == "win32":
        return False
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def told_to_end() -> tuple[signal.Signals, ...]:
    """The signals by which a system tells a process to end: the machine is shut down, its window was closed."""
    return tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


def lock(file: IO[bytes]) -> bool:
    """Lock a file until it is closed or the process ends; False where another program has done so."""
    if sys.platform == "win32":
        import msvcrt

        file.seek(BEYOND)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
    else:
        import fcntl

        with contextlib.suppress(OSError):  # a disk that knows no locks: nobody is kept from going on
            try:
                fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
    return True


def end_descendants(pid: int, *, seconds: float = 5.0) -> bool:
    """End everything below this very process and collect it; tells whether nothing is left."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        _strike(pid)
        if not collect().left:
            return True
        time.sleep(0.005)
    return False


def _strike(pid: int) -> None:
    """Stop all there are until no new ones appear, so that none escapes by starting another; then kill them."""
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
    """Children that have ended, with their exit codes as `subprocess` tells them; whether there are others left."""

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
    """The kernel's switchboard for one process; Linux has it."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        import ctypes

        found: Callable[..., int] = ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):
        return None
    return found
