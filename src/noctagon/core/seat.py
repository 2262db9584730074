"""What a seat is, which answers a match; and the one driver that plays a match out between two of them."""

from __future__ import annotations

import asyncio
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

from noctagon.core.clock import Clock
from noctagon.core.events import Event
from noctagon.core.game import Result, Side
from noctagon.core.match import Match, Request
from noctagon.core.player import Decision, GameStart, Resign, Thought, Undo

Listener = Callable[[Event], None]


class Answered(NamedTuple):
    """An action, or whatever the player gave for one; and when, where the seat knows better than the driver."""

    action: object
    thought: Thought | None = None
    seconds: float | None = None


class Missed(NamedTuple):
    """No answer in time; and what became of the player for it."""

    consequence: str = ""


class Broke(NamedTuple):
    """The player crashed, or is gone: in a line, and all there is to say about it."""

    line: str
    log: str = ""
    reason: str = "crash"


class Malformed(NamedTuple):
    """What came was not even an answer."""

    detail: str
    reason: str = "malformed packet"


class Absent(NamedTuple):
    """Nobody plays this side: its turns pass."""


class TakenBack(NamedTuple):
    """A person wants the last turn back."""


class GaveUp(NamedTuple):
    detail: str


Answer = Answered | Missed | Broke | Malformed | Absent | TakenBack | GaveUp


class Seat(ABC):
    """What answers a match: a player of ours, a bot's process, a person."""

    timed = True
    rewinds = True
    """Whether it can go on from an earlier position, having been told of later ones."""
    unasked = 0
    """Packets that came in the last game without being asked for."""
    idle_cpu = 0.0
    """Processor time used in the last game while the other was on move, where that can be seen."""
    log = ""
    """What there is to say about a crash, for the author of the player."""

    async def start(self, start: GameStart, side: Side) -> Broke | None:
        """A game begins; tells if the player could not even start."""
        return None

    @abstractmethod
    async def answer(self, request: Request) -> Answer: ...

    def say(self, message: str) -> None:  # noqa: B027 - optional
        """A word to whoever sits here."""

    def printed(self) -> str:
        """The end of what the player has printed in this game, where that is kept; for its author."""
        return ""

    def observe(self, event: Event) -> None:  # noqa: B027 - optional
        """Something happened in the game, to either side."""

    async def finish(self, result: Result) -> None:  # noqa: B027 - optional
        """The game is over."""

    async def close(self) -> None:  # noqa: B027 - optional
        """No game will come any more."""


class LocalSeat(Seat):
    """A player in this process, which keeps to its clock by itself; `choose` is all that it needs."""

    def __init__(self, player: Any, *, timed: bool = True) -> None:
        self.player = player
        self.timed = timed

    async def start(self, start: GameStart, side: Side) -> Broke | None:
        try:
            if hasattr(self.player, "start"):
                self.player.start(start, side)
        except Exception as error:
            self.log = traceback.format_exc()
            return Broke(f"{type(error).__name__}: {error}", self.log)
        return None

    async def answer(self, request: Request) -> Answer:
        try:
            decision = self.player.choose(request.state, Clock(request.seconds))
        except Undo:
            return TakenBack()
        except Resign as error:
            return GaveUp(str(error))
        except Exception as error:
            self.log = traceback.format_exc()
            return Broke(f"{type(error).__name__}: {error}", self.log)
        if isinstance(decision, Decision):
            return Answered(decision.action, decision.thought)
        return Answered(decision)

    def say(self, message: str) -> None:
        if hasattr(self.player, "say"):
            self.player.say(message)

    async def finish(self, result: Result) -> None:
        if hasattr(self.player, "finish"):
            self.player.finish(result)


async def drive(match: Match, seats: tuple[Seat, Seat], listen: Listener = lambda event: None) -> Result:
    """Play a match out: ask the side on move, tell the referee, pass on what happened. The only driver."""

    def tell(events: list[Event]) -> None:
        for event in events:
            for seat in seats:
                seat.observe(event)
            listen(event)

    for side in (0, 1):
        if match.result is None and (broke := await seats[side].start(match.start_for(side), side)):
            tell(
                match.forfeit(side, broke.reason, f"{match.state.sides[side]} could not start: {broke.line}")
            )
    while (request := match.request()) is not None:
        side = request.side
        clock = Clock(request.seconds)
        answer = await seats[side].answer(request)
        match answer:
            case Answered(action, thought, seconds):
                tell(match.answer(action, clock.elapsed() if seconds is None else seconds, thought))
            case Missed(consequence):
                # Not what passed here: a new start of its process, say, is not the player's time.
                limit = clock.elapsed() if request.seconds is None else request.seconds
                detail = f"no answer in {limit:g} s"
                tell(match.miss(limit, f"{detail}; {consequence}" if consequence else detail))
            case Broke(line, _, reason):
                tell(match.forfeit(side, reason, f"{match.state.sides[side]}: {line}"))
            case Malformed(detail, reason):
                tell(match.refuse(detail, clock.elapsed(), reason))
            case Absent():
                tell(match.skip("nobody plays this side"))
            case GaveUp(detail):
                tell(match.forfeit(side, "resignation", f"{match.state.sides[side]}: {detail}"))
            case TakenBack():
                mine = [number for number, turn in enumerate(match.turns) if turn.side == side]
                if not mine:
                    seats[side].say("There is no turn of yours to take back.")
                elif not seats[1 - side].rewinds:
                    seats[side].say("The other player cannot go back.")
                else:
                    tell(match.rewind(mine[-1]))
    assert match.result is not None
    for side in (0, 1):
        match.unasked[side], match.idle_cpu[side] = seats[side].unasked, seats[side].idle_cpu
    # Both at once; and what a player does with it is its own affair.
    await asyncio.gather(*(seat.finish(match.result) for seat in seats), return_exceptions=True)
    return match.result


def logs_of(match: Match, seats: tuple[Seat, Seat]) -> tuple[str, str]:
    """For the author of a player that broke down, was late or played illegal turns: a traceback, or what it printed."""

    def log_of(side: Side) -> str:
        faulty = match.late[side] or match.illegal[side]
        return seats[side].log or (seats[side].printed() if faulty else "")

    return log_of(0), log_of(1)
