"""The limits of a program that plays a game."""

from __future__ import annotations

from typing import NamedTuple

PROCESSES = 256
"""The usual limit on the number of processes."""


class Limits(NamedTuple):
    """Limits on a program and everything it starts, together, for one game; None stands for no limit."""

    cpu: float | None = None
    """Seconds of processor time."""
    memory: float | None = None
    """MiB of memory held."""
    processes: int = PROCESSES
    disk: float | None = None
    """MiB written."""


USUAL = Limits(cpu=3600.0, memory=4096.0, processes=PROCESSES, disk=1024.0)
"""The limits where no others are given."""
