"""Players that think beside the event loop, for games over a network: their seats, and the time they may take.

Our own players sit in a thread, a file's class in a worker process. The event loop goes on listening while they think,
and can give up a thought that is no longer wanted.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from noctagon.core.clock import Clock
from noctagon.core.game import Game, NoctagonError, Result, Side
from noctagon.core.match import Request
from noctagon.core.player import Decision, GameStart, PlayerSpec, Resign, Searcher
from noctagon.core.seat import Answer, Answered, Broke, GaveUp, Malformed, Missed, Seat
from noctagon.players import make_player
from noctagon.processes.deadline import cancel, wait_until
from noctagon.processes.worker_seat import FINISH_SECONDS, WorkerSeat

T = TypeVar("T")

INFINITY = float("inf")

OVERRUN = 0.02
"""Seconds that a player may exceed its clock before its best decision so far is taken."""

REPLACE_SECONDS = 0.05
"""Seconds after which a player that was given up is replaced; making one may take as long as a turn's reserve."""

WARM_UP_SECONDS = 0.5
"""Seconds that a player may think about the position it is warmed up with."""


def thinking_seat(spec: PlayerSpec, game: Game[Any]) -> Seat:
    """Return a seat for a player spec that never blocks the event loop."""
    if spec.command:
        raise NoctagonError(f"{spec}: a program joins by itself; start it with the server's host and port")
    if spec.path:
        return WorkerSeat(spec, game)
    if spec.name == "human":
        raise NoctagonError("human: a person cannot join a server; see noctagon play")
    return ThreadSeat(partial(make_player, spec, game))


async def warm_up(seat: Seat, start: GameStart) -> None:
    """Let a player begin a game and think a moment, so that nothing is imported or compiled on its clock."""
    state = start.state
    broke: Answer | None = await seat.start(start, state.side)
    if broke is None:
        seconds = min(start.time.turn or WARM_UP_SECONDS, WARM_UP_SECONDS)
        broke = await seat.answer(Request(state.side, state, seconds))
    if isinstance(broke, Broke):
        raise NoctagonError(
            "\n".join(filter(None, (f"the player crashed: {broke.line}", broke.log.rstrip())))
        )


class Taken(NamedTuple, Generic[T]):
    """The action that a player is taken to play, or None, and the fault of its answer."""

    action: T | None
    trouble: str = ""
    broke: bool = False
    """True if the player crashed, and has to begin again."""


def take_answer(
    seat: Seat, thought: asyncio.Future[Answer], read: Callable[[object], T], *, posed: bool = True
) -> Taken[T]:
    """Return a player's answer, or its best so far where it has none that can be played.

    `read` returns the action that an answer means, or raises `NoctagonError`; `posed` tells whether the player has been
    asked at all.
    """
    answer, trouble = _outcome(thought)
    best = seat.so_far() if posed else None
    for candidate in (answer, best):
        if isinstance(candidate, Answered):
            try:
                action = read(candidate.action)
            except NoctagonError as error:
                trouble = trouble or f"the player's turn is not legal: {error}"
            else:
                return Taken(action, trouble, isinstance(answer, Broke))
    return Taken(None, trouble or "the player gave no answer in its time", isinstance(answer, Broke))


def _outcome(thought: asyncio.Future[Answer]) -> tuple[Answer, str]:
    """Return what became of a thought, and what is wrong with it."""
    if not thought.done():
        return Missed(), ""
    error = thought.exception()
    answer = thought.result() if error is None else Broke(f"{type(error).__name__}: {error}")
    match answer:
        case Broke(line, log):
            return answer, "\n".join(filter(None, (f"the player crashed: {line}", log.rstrip())))
        case Malformed(detail):
            return answer, f"the player's turn is not legal: {detail}"
        case Answered() | Missed():
            return answer, ""
        case _:
            return answer, "the player gave up"


class ThreadSeat(Seat):
    """A player in a thread. One that is given up, or overruns, is replaced by a new one and runs out by itself."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._player = make()
        self._thread = _Thread()
        self._started: tuple[GameStart, Side] | None = None
        self._question: _Question | None = None
        self._spent = False
        """True if the player runs out by itself, and another takes its place."""

    async def start(self, start: GameStart, side: Side) -> Broke | None:
        self._started = None
        self._replace()
        self._started = (start, side)
        broke = await self._thread.ask(partial(_start, self._player, start, side))
        self.log = broke.log if broke is not None else self.log
        return broke

    async def answer(self, request: Request) -> Answer:
        self._replace()
        clock = Clock(request.seconds)
        question = self._question = _Question(self._player, request, clock)
        thought = self._thread.ask(question.run)
        started = asyncio.get_running_loop().time()
        try:
            in_time = await wait_until(
                None if request.seconds is None else started + request.seconds + OVERRUN, thought
            )
        except asyncio.CancelledError:
            self._give_up()
            raise
        finally:
            question.wanted = False
        if not in_time:
            self._give_up()
        answer = thought.result() if in_time else Missed()
        self.log = answer.log if isinstance(answer, Broke) else self.log
        if question.latest is None or isinstance(answer, Broke | GaveUp):
            return answer
        return question.latest._replace(seconds=min(clock.elapsed(), request.seconds or INFINITY))

    def so_far(self) -> Answered | None:
        return None if self._question is None else self._question.latest

    async def finish(self, result: Result) -> None:
        self._replace()
        self._thread.run(partial(_finish, self._player, result))

    async def close(self) -> None:
        self._spent = False
        self._thread.stop()

    def _give_up(self) -> None:
        """Leave the player to itself. Another takes its place a moment later: first its best so far has to be sent."""
        self._spent = True
        self._thread.stop()
        asyncio.get_running_loop().call_later(REPLACE_SECONDS, self._replace)

    def _replace(self) -> None:
        """Put a new player in the place of one that was given up."""
        if not self._spent:
            return
        self._spent = False
        self._thread, self._player = _Thread(), self._make()
        if self._started is not None:
            self._thread.run(partial(_start, self._player, *self._started))


def _start(player: Any, start: GameStart, side: Side) -> Broke | None:
    try:
        if hasattr(player, "start"):
            player.start(start, side)
    except Exception as error:
        return Broke(f"{type(error).__name__}: {error}", traceback.format_exc())
    return None


def _finish(player: Any, result: Result) -> None:
    with contextlib.suppress(Exception):  # the game is over: this harms the player alone
        if hasattr(player, "finish"):
            player.finish(result)


class _Question:
    """A question to a player; `latest` is the best answer so far of a searcher."""

    def __init__(self, player: Any, request: Request, clock: Clock) -> None:
        self.player = player
        self.request = request
        self.clock = clock
        self.latest: Answered | None = None
        self.wanted = True

    def run(self) -> Answer:
        try:
            return self._search() if isinstance(self.player, Searcher) else self._choose()
        except Resign as error:
            return GaveUp(str(error))
        except BaseException as error:  # a bot may even raise SystemExit
            return Broke(f"{type(error).__name__}: {error}", traceback.format_exc())

    def _choose(self) -> Answer:
        return _answered(self.player.choose(self.request.state, self.clock))

    def _search(self) -> Answer:
        for decision in self.player.think(self.request.state, self.clock):
            self.latest = _answered(decision)
            if not self.wanted:
                break
        if self.latest is None:
            raise NoctagonError(f"{type(self.player).__name__} found nothing to do")
        return self.latest


def _answered(decision: object) -> Answered:
    return Answered(*decision) if isinstance(decision, Decision) else Answered(decision)


class _Thread:
    """A thread that does one job after another. It ends when it is stopped, or with the process."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="thinking", daemon=True).start()

    def ask(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Run a job that does not raise; return a future for its result."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def deliver(result: T) -> None:
            if not future.done():
                future.set_result(result)

        def job() -> None:
            result = work()
            with contextlib.suppress(RuntimeError):  # the loop is closed, and with it whatever waited
                loop.call_soon_threadsafe(deliver, result)

        self._jobs.put(job)
        return future

    def run(self, work: Callable[[], object]) -> None:
        """Run a job that does not raise, whose result does not matter."""
        self._jobs.put(work)

    def stop(self) -> None:
        self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()


class GameNotifier:
    """Background messages to a player that a game begins or ends; of several only the latest is delivered."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.over: Result | None = None
        self.next: GameStart | None = None
        self.present: GameStart | None = None
        self.fault = ""
        self.playing = False
        self.task: asyncio.Task[None] | None = None

    def begin(self, start: GameStart) -> None:
        self.next = self.present = start
        self._go_on()

    def begin_again(self) -> None:
        """Begin the same game again, after the player broke down."""
        if self.present is not None:
            self.begin(self.present)

    def finish(self, result: Result) -> None:
        self.next = self.present = None
        self.over = result
        self._go_on()

    async def wait(self) -> str:
        """Wait until the player has all messages; return what went wrong with that, or an empty text."""
        if self.task is not None:
            await asyncio.wait({self.task})
        fault, self.fault = self.fault, ""
        return fault

    async def close(self) -> None:
        if self.task is not None:
            await asyncio.wait({self.task}, timeout=FINISH_SECONDS)
        await cancel(self.task)

    def _go_on(self) -> None:
        if self.task is None or self.task.done():
            self.task = asyncio.create_task(self._work())

    async def _work(self) -> None:
        while self.over is not None or self.next is not None:
            over, self.over, start, self.next = self.over, None, self.next, None
            if over is not None and self.playing:
                self.playing = False
                await self.seat.finish(over)
            if start is not None:
                self.playing = True
                if broke := await self.seat.start(start, start.state.side):
                    self.fault = broke.line
