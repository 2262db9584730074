"""What is special to one operating system about processes: their own group, and an end that takes children along."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import Any


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
