"""Seats at a table of the page: a person at a browser, and the gate before every player."""

from __future__ import annotations

import asyncio
import math
import time
from abc import ABC, abstractmethod

from noctagon.core.events import Event
from noctagon.core.game import NoctagonError, Result, Side
from noctagon.core.limits import Limits
from noctagon.core.match import Request
from noctagon.core.player import GameStart
from noctagon.core.seat import Answer, Answered, Broke, Missed, Seat

HUMAN = "human"
PLAYER_LIMITS = Limits(cpu=7200.0, memory=3072.0, processes=64, disk=256.0)
"""Limits of one of our players in one game."""


class PersonSeat(Seat):
    """A person at a browser, without a time limit."""

    timed = False

    def __init__(self) -> None:
        self._asked: asyncio.Future[Answer] | None = None
        self._early: Answered | None = None

    async def answer(self, request: Request) -> Answer:
        if self._early is not None:
            answer, self._early = self._early, None
            return answer
        self._asked = asyncio.get_running_loop().create_future()
        try:
            return await self._asked
        finally:
            self._asked = None

    def give(self, action: str) -> None:
        """Give the person's action, already found to be legal; it may come a moment before the referee asks."""
        if self._early is not None or (self._asked is not None and self._asked.done()):
            raise NoctagonError("it is not your turn")
        if self._asked is None:
            self._early = Answered(action)
        else:
            self._asked.set_result(Answered(action))

    async def close(self) -> None:
        self._early = None


class Gate(ABC):
    """The decision when a player is started and asked, and when its answer is shown."""

    @abstractmethod
    async def ready(self, side: Side) -> None:
        """Wait until the side's player can be started."""

    @abstractmethod
    async def enter(self, side: Side) -> None:
        """Wait until the side may be asked; from then on its clock runs."""

    @abstractmethod
    async def leave(self, side: Side) -> None:
        """Wait until an answer may be shown."""


class GatedSeat(Seat):
    """A seat behind a gate. What its player is doing can be broken off; the player then restarts."""

    def __init__(self, inner: Seat, side: Side, gate: Gate) -> None:
        self.inner = inner
        self.side = side
        self.gate = gate
        self.timed = inner.timed
        self.rewinds = inner.rewinds
        self._starting: asyncio.Future[Broke | None] | None = None
        self._ready = False

    async def start(self, start: GameStart, side: Side) -> Broke | None:
        """Begin to start the player, so that the other one need not wait for it."""
        self._ready = False
        self._starting = asyncio.ensure_future(self._start(start, side))
        return None

    async def _start(self, start: GameStart, side: Side) -> Broke | None:
        await self.gate.ready(self.side)
        self._ready = True
        return await self.inner.start(start, side)

    async def answer(self, request: Request) -> Answer:
        try:
            assert self._starting is not None
            if broke := await asyncio.shield(self._starting):
                return broke
            await self.gate.enter(self.side)
            asked = time.monotonic()
            answer = await self.inner.answer(request)
        except asyncio.CancelledError:
            await self.close()
            raise
        seconds = time.monotonic() - asked
        if isinstance(answer, Answered):
            if self.timed:
                await self.gate.leave(self.side)
            return answer._replace(seconds=seconds if answer.seconds is None else answer.seconds)
        if isinstance(answer, Missed) and request.seconds is not None:
            late = math.nextafter(request.seconds, math.inf)
            return Answered("", None, max(seconds, late))  # the time at the gate is left out
        return answer

    def say(self, message: str) -> None:
        self.inner.say(message)

    def observe(self, event: Event) -> None:
        self.inner.observe(event)

    async def finish(self, result: Result) -> None:
        self.log = self.inner.log
        await self.inner.finish(result)

    async def close(self) -> None:
        if self._starting is not None:  # a process can be ended only once it has started
            if not self._ready:
                self._starting.cancel()
            await asyncio.wait([self._starting])
        await self.inner.close()
