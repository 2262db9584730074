"""The time of a turn over a network: what counts as in time, and how much of the time is kept back.

A process does not always run when it should: the machine is busy, or the process was stopped. When it runs again, a
turn's time may be over while messages lie unread. One rule holds wherever a clock is answered or kept: what has arrived
is read first (`catch_up`). So an answer that came in time counts, and an answer to a question that is gone is not sent.
"""

from __future__ import annotations

import asyncio
import heapq
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

ROUNDS = 4
"""Number of rounds of the event loop that read what has arrived: the first sees it, each other takes a piece of it."""


async def catch_up(rounds: int = ROUNDS) -> None:
    """Let the event loop read what has arrived."""
    for _ in range(rounds):
        await asyncio.sleep(0)


async def wait_until(deadline: float | None, *awaited: asyncio.Future[Any], rounds: int = ROUNDS) -> bool:
    """Wait for the first of these futures; return False if none is done at the deadline, a time of the event loop.

    What has arrived by then is read before the time counts as over.
    """
    timeout = None if deadline is None else max(0.0, deadline - asyncio.get_running_loop().time())
    done, _ = await asyncio.wait(awaited, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    if not done:
        await catch_up(rounds)
    return any(future.done() for future in awaited)


class WakefulClock:
    """A clock in seconds that stands still while this process does not run, if it is read every `period` seconds.

    >>> times = iter([0.0, 1.0, 9.0])
    >>> clock = WakefulClock(1.0, lambda: next(times))
    >>> clock(), clock()
    (1.0, 2.0)
    """

    def __init__(self, period: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._period = period
        self._clock = clock
        self._read = clock()
        self._away = 0.0

    def __call__(self) -> float:
        now = self._clock()
        if now - self._read > 2 * self._period:
            self._away += now - self._read - self._period
        self._read = now
        return now - self._away


async def cancel(*tasks: asyncio.Future[Any] | None) -> None:
    """Cancel tasks and wait until they have ended."""
    running = [task for task in tasks if task is not None]
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


class Attention:
    """Finds the earliest time at which a message may have arrived, in a process that does not always run.

    `look` is called at least every `HEARTBEAT` seconds by whoever reads the messages.
    """

    HEARTBEAT = 0.05

    def __init__(self) -> None:
        self._looked = asyncio.get_running_loop().time()

    def look(self) -> float:
        """Return the time from which on a message that is found now may have been there; now, but for a stall."""
        now, before = asyncio.get_running_loop().time(), self._looked
        self._looked = now
        return now if now - before <= 1.5 * self.HEARTBEAT else before


class TurnClock(NamedTuple):
    """The times of a turn, as the event loop counts them."""

    ends: float
    """The player's clock runs out."""
    last_call: float
    """The player's best so far is taken, if it has not answered."""
    late: float
    """An answer that is sent now comes too late."""


class Reserve:
    """The part of a turn's time that is kept back from the player, adapted to what is measured.

    It is a fixed share, the connection's delay, and what recent experience tells: how late this process wakes up when
    it has set an alarm, on a busy machine now and then a tenth of a second, and how long after the player's clock its
    answers left. In both the worst are passed over: a process that stalls once in a while plays on as before, and on a
    machine that calms down it is soon as bold as ever.

    An answer that left in time and did not count is another matter: the server's clock, or the network, takes more than
    was kept back. The first such answer adds a share, each further one as much again; those that count take it off.
    """

    LEAST, SHARE, FADE = 0.05, 0.05, 0.9
    ALARMS, ALARMS_PASSED_OVER = 1000, 2
    ANSWERS, ANSWERS_PASSED_OVER = 20, 1

    def __init__(self, turn: float, delay: float = 0.0) -> None:
        self.turn = turn
        self.delay = delay
        self.distrust = 0.0
        """Seconds that are added for answers that left in time and did not count."""
        self._alarms: deque[float] = deque(maxlen=self.ALARMS)
        self._overruns: deque[float] = deque(maxlen=self.ANSWERS)

    @property
    def lateness(self) -> float:
        """The seconds by which this process wakes up late, but for the worst of the recent alarms."""
        return _worst(self._alarms, self.ALARMS_PASSED_OVER)

    @property
    def overrun(self) -> float:
        """The seconds after the player's clock in which answers left, but for the worst of the recent ones."""
        return _worst(self._overruns, self.ANSWERS_PASSED_OVER)

    def woken(self, late: float) -> None:
        """Take note of an alarm to which this process woke up `late` seconds too late."""
        self._alarms.append(late)

    def measured(self, overrun: float) -> None:
        """Take note of an answer that left `overrun` seconds after the player's clock ran out (negative: before)."""
        self._overruns.append(overrun)

    def heard(self) -> None:
        """Take note of an answer that counted."""
        self.distrust *= self.FADE

    def unheard(self) -> None:
        """Take note of an answer that left in time, and came too late for the server."""
        self.distrust = min(self.turn / 2, max(self.SHARE * self.turn, 2 * self.distrust))

    def clock(self, asked_at: float, now: float) -> TurnClock:
        """Share out the time of a turn that was asked for at `asked_at`: at most half of what is left is kept back.

        A turn that is late already has as much time as any: it is of use only where nobody counts.
        """
        late = asked_at + self.turn - self.delay
        end = late if late > now else now + self.turn
        fixed = max(self.LEAST, self.SHARE * self.turn)
        ends = end - fixed - self.distrust - max(self.lateness, self.overrun)
        last_call = end - fixed / 2 - self.distrust - self.lateness
        middle = (now + end) / 2
        return TurnClock(max(ends, middle), max(last_call, (middle + end) / 2), late)


def _worst(seconds: Iterable[float], passed_over: int) -> float:
    """Return the largest of the numbers left when some of the largest are passed over; at least 0."""
    return max(0.0, *heapq.nlargest(passed_over + 1, seconds)[passed_over:], 0.0)
