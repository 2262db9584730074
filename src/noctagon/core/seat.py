"""Seats, which answer for the players, and the only driver of a match."""

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
    """An action, or what the player gave instead of one; with its seconds where the seat knows them better."""

    action: object
    thought: Thought | None = None
    seconds: float | None = None


class Missed(NamedTuple):
    """No answer in time, and its consequence for the player."""

    consequence: str = ""


class Broke(NamedTuple):
    """A player that crashed or disconnected: the reason in one line, and the full log."""

    line: str
    log: str = ""
    reason: str = "crash"


class Malformed(NamedTuple):
    """A message that is not an answer at all."""

    detail: str
    reason: str = "malformed packet"


class Absent(NamedTuple):
    """A side without a player: its turns are skipped."""


class TakenBack(NamedTuple):
    """A person's request to take the last turn back."""


class GaveUp(NamedTuple):
    """A resignation."""

    detail: str


Answer = Answered | Missed | Broke | Malformed | Absent | TakenBack | GaveUp


class Seat(ABC):
    """The source of one side's answers: a built-in player, a bot's process, a person."""

    timed = True
    rewinds = True
    """True if the player can continue from an earlier position after it has seen later ones."""
    unasked = 0
    """Number of packets in the last game that the referee had not asked for."""
    idle_cpu = 0.0
    """Seconds of processor time used in the last game on the opponent's turns, where they can be measured."""
    log = ""
    """The details of a crash, for the author of the player."""

    async def start(self, start: GameStart, side: Side) -> Broke | None:
        """Begin a game; return the reason if the player could not start."""
        return None

    @abstractmethod
    async def answer(self, request: Request) -> Answer:
        """Answer the referee's question."""

    def so_far(self) -> Answered | None:
        """Return the best answer found yet to the last question, also while the player still thinks about it.

        None where the seat knows of none.
        """
        return None

    def say(self, message: str) -> None:  # noqa: B027 - optional
        """Show a message to the person who plays this side."""

    def printed(self) -> str:
        """Return the end of the player's output in this game, where it is kept, for its author."""
        return ""

    def observe(self, event: Event) -> None:  # noqa: B027 - optional
        """Take note of an event of the game, on either side."""

    async def finish(self, result: Result) -> None:  # noqa: B027 - optional
        """End the game."""

    async def close(self) -> None:  # noqa: B027 - optional
        """Release everything: no further game will be played."""


class LocalSeat(Seat):
    """A player in this process, which watches its own clock; it needs only the method `choose`."""

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
    """Play a match to its end: ask the side on move, give its answer to the referee, report every event."""

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
                # The limit, not the time that passed here: a restart of its process, say, is not the player's time.
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
    # Both at once; what fails in a player's own `finish` does not change the game.
    await asyncio.gather(*(seat.finish(match.result) for seat in seats), return_exceptions=True)
    return match.result


def logs_of(match: Match, seats: tuple[Seat, Seat]) -> tuple[str, str]:
    """Return each player's log for its author: a traceback, or after late and illegal turns the player's output."""

    def log_of(side: Side) -> str:
        faulty = match.late[side] or match.illegal[side]
        return seats[side].log or (seats[side].printed() if faulty else "")

    return log_of(0), log_of(1)
