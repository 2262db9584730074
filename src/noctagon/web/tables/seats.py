"""Who sits at a table of the page: a person at a browser, or a player of ours in a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import msgspec

from noctagon.core.clock import Clock
from noctagon.core.events import Event
from noctagon.core.game import Game, NoctagonError, Result, Side
from noctagon.core.limits import Limits
from noctagon.core.match import Request
from noctagon.core.player import GameStart
from noctagon.core.seat import Answer, Answered, Broke, Missed, Seat
from noctagon.processes.calls import Call
from noctagon.processes.launch import Talking, launch_talking
from noctagon.web.messages.tables import Thinking
from noctagon.web.tables import playing
from noctagon.web.workers import Failed, Pipe, command

HUMAN = "human"
START_SECONDS = 60.0
FINISH_SECONDS = 5.0
PLAYER_LIMITS = Limits(cpu=7200.0, memory=3072.0, processes=64, disk=256.0)
"""What one of our players may use in one game."""


class PersonSeat(Seat):
    """Somebody at a browser, who takes the time it takes."""

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
        """The person's action, already found to be legal; it may come a moment before it is asked for."""
        if self._early is not None or (self._asked is not None and self._asked.done()):
            raise NoctagonError("it is not your turn")
        if self._asked is None:
            self._early = Answered(action)
        else:
            self._asked.set_result(Answered(action))

    async def close(self) -> None:
        self._early = None


class HouseSeat(Seat):
    """A player of ours, in a process of its own, which tells what it thinks while it does.

    It is told the whole position every time, so it can go on from an earlier one. `tell` hears its thoughts.
    """

    def __init__(self, spec: str, game: Game[Any], limits: Limits = PLAYER_LIMITS) -> None:
        self.spec = spec
        self.game = game
        self.limits = limits
        self.tell: Callable[[Thinking], None] = lambda thinking: None
        self.pid = 0
        self._launched: Talking | None = None
        self._pipe: Pipe | None = None
        self._begin: Call[int] | None = None

    async def start(self, start: GameStart, side: Side) -> Broke | None:
        self._begin = Call(
            playing.begin,
            game=self.game.name,
            spec=self.spec,
            rules=msgspec.to_builtins(start.state.rules),
            position=self.game.format_position(start.state),
            turn_seconds=start.time.turn,
            total_seconds=start.time.total,
            seed=start.seed,
            side=side,
        )
        return await self._start()

    async def answer(self, request: Request) -> Answer:
        if self._pipe is None and (broke := await self._start()):  # it had to be ended, having missed a turn
            return broke
        clock = Clock()
        call = Call(playing.choose, self.game.format_position(request.state), request.seconds)
        try:
            async with asyncio.timeout(request.seconds):
                chosen = await self._running_pipe().follow(call, self.tell)
            return Answered(chosen.action, chosen.thought, clock.elapsed())
        except TimeoutError:
            await self.close()
            return Missed()
        except (NoctagonError, Failed) as error:
            return await self._broke(error)

    async def finish(self, result: Result) -> None:
        with contextlib.suppress(NoctagonError, Failed, TimeoutError):
            async with asyncio.timeout(FINISH_SECONDS):
                await self._running_pipe().ask(Call(playing.finish, result))

    async def close(self) -> None:
        launched, self._launched, self._pipe = self._launched, None, None
        if launched is not None:
            await launched.end()

    async def _start(self) -> Broke | None:
        try:
            if self._launched is None:
                self._launched = await launch_talking(command(), limits=self.limits)
                self._pipe = Pipe(self._launched.reader, self._launched.writer)
            else:
                self._launched.begin_anew()
            async with asyncio.timeout(START_SECONDS):
                assert self._begin is not None
                self.pid = await self._running_pipe().ask(self._begin)
        except TimeoutError:
            return await self._broke(Failed(f"it was not ready to play after {START_SECONDS:g} s"))
        except (NoctagonError, Failed) as error:
            return await self._broke(error)
        return None

    def _running_pipe(self) -> Pipe:
        if self._pipe is None:
            raise Failed("it has been ended")
        return self._pipe

    async def _broke(self, error: Exception) -> Broke:
        """It is ended; in a line, why."""
        launched = self._launched
        await self.close()
        self.log = str(error)
        told = self.log.strip().splitlines()[-1]
        gone = launched.reason if launched is not None and not isinstance(error, NoctagonError) else ""
        crashed = "Traceback" in self.log
        return Broke(told if crashed or not gone else gone, self.log)


class Gate(ABC):
    """Who decides when a player of ours is asked, and when its answer is shown."""

    @abstractmethod
    async def enter(self, side: Side) -> None:
        """Wait until the side may be asked; from then on its clock runs."""

    @abstractmethod
    async def leave(self, side: Side) -> None:
        """Wait until an answer may be shown."""


class GatedSeat(Seat):
    """A seat behind a gate. What it is doing can be broken off: then what sits in it begins anew."""

    def __init__(self, inner: Seat, side: Side, gate: Gate) -> None:
        self.inner = inner
        self.side = side
        self.gate = gate
        self.timed = inner.timed
        self.rewinds = inner.rewinds
        self._starting: asyncio.Future[Broke | None] | None = None

    async def start(self, start: GameStart, side: Side) -> Broke | None:
        """Begin to start it: the other need not wait until it is there."""
        self._starting = asyncio.ensure_future(self.inner.start(start, side))
        return None

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
            return Answered("", None, max(seconds, late))  # without what it waited at the gate
        return answer

    def say(self, message: str) -> None:
        self.inner.say(message)

    def observe(self, event: Event) -> None:
        self.inner.observe(event)

    async def finish(self, result: Result) -> None:
        self.log = self.inner.log
        await self.inner.finish(result)

    async def close(self) -> None:
        if self._starting is not None:  # a process cannot be ended before it is there
            await asyncio.wait([self._starting])
        await self.inner.close()
