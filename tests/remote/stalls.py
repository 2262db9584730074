"""A process that is stopped and goes on later, without waiting for it: for the tests of deadlines."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class StallingLoop(asyncio.SelectorEventLoop):
    """An event loop whose process seems to have been stopped: its clock jumps, and what came meanwhile lies unread."""

    stopped = 0.0

    def time(self) -> float:
        return super().time() + self.stopped


def stall(seconds: float) -> None:
    """Let this time pass at once. What was sent just before lies in the sockets, and all timers are due."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, StallingLoop)
    loop.stopped += seconds


def run(whole: Coroutine[Any, Any, T]) -> T:
    """Run a test in a loop that can stall."""
    with asyncio.Runner(loop_factory=StallingLoop) as runner:
        return runner.run(whole)
