"""Seats, which answer a match, and the one driver that plays a match out between two of them."""

from __future__ import annotations

import contextlib
import traceback
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, NamedTuple

from noctagon.clock import Clock
from noctagon.game import Game, Result, Side
from noctagon.match import Event, Match, Request
from noctagon.player import Decision, GameStart, PlayerSpec, Resign, Thought, Undo
from noctagon.players import make_player
from noctagon.remote.bot import BotFault, BotProcess

Listener = Callable[[Event], None]


class Answered(NamedTuple):
    """An action, or whatever the player gave for one."""

    action: object
    thought: Thought | None = None


class Missed(NamedTuple):
    """No answer in time."""


class Broke(NamedTuple):
    """The player crashed: in a line, and all there is to say about it."""

    line: str
    log: str = ""


class TakenBack(NamedTuple):
    """A person wants the last turn back."""


class GaveUp(NamedTuple):
    detail: str


Answer = Answered | Missed | Broke | TakenBack | GaveUp


class Seat(ABC):
    """What answers a match: a player of ours, a bot's process, a person."""

    timed = True
    rewinds = True
    """Whether it can go on from an earlier position, having been told of later ones."""
    log = ""
    """What there is to say about a crash, for the author of the player."""

    async def start(self, start: GameStart, side: Side) -> Broke | None:
        """A game begins; tells if the player could not even start."""
        return None

    @abstractmethod
    async def answer(self, request: Request) -> Answer: ...

    async def finish(self, result: Result) -> None:  # noqa: B027 - optional
        """The game is over."""

    async def close(self) -> None:  # noqa: B027 - optional
        """No game will come any more."""


class LocalSeat(Seat):
    """A player of our own, in this process: it keeps to its clock by itself."""

    def __init__(self, player: Any, *, timed: bool = True) -> None:
        self.player = player
        self.timed = timed

    async def start(self, start: GameStart, side: Side) -> Broke | None:
        try:
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

    async def finish(self, result: Result) -> None:
        self.player.finish(result)


class BotSeat(Seat):
    """Somebody's Python class, in a process of its own: whatever it does, only its own game suffers."""

    rewinds = False

    def __init__(self, spec: PlayerSpec, game: Game[Any]) -> None:
        self.game = game
        self.bot = BotProcess(str(spec), game.name)

    async def start(self, start: GameStart, side: Side) -> Broke | None:
        try:
            await self.bot.start(start, side, self.game.format_position(start.state))
        except BotFault as fault:
            self.log = fault.log
            return Broke(str(fault), fault.log)
        return None

    async def answer(self, request: Request) -> Answer:
        try:
            chosen = await self.bot.choose(request, self.game.format_position(request.state))
        except BotFault as fault:
            self.log = fault.log
            return Broke(str(fault), fault.log)
        return Missed() if chosen is None else Answered(chosen.action, chosen.thought)

    async def finish(self, result: Result) -> None:
        self.bot.finish(result)

    async def close(self) -> None:
        await self.bot.close()


def make_seat(spec: PlayerSpec, game: Game[Any]) -> Seat:
    """A seat for a player spec. A file's class always sits in a process of its own."""
    if spec.path:
        return BotSeat(spec, game)
    return LocalSeat(make_player(spec, game), timed=spec.name != "human")


@asynccontextmanager
async def seated(specs: tuple[PlayerSpec, PlayerSpec], game: Game[Any]) -> AsyncIterator[tuple[Seat, Seat]]:
    """Both seats, closed at the end whatever happens."""
    async with AsyncExitStack() as stack:
        seats = [make_seat(spec, game) for spec in specs]
        for seat in seats:
            stack.push_async_callback(seat.close)
        yield seats[0], seats[1]


async def drive(match: Match, seats: tuple[Seat, Seat], listen: Listener = lambda event: None) -> Result:
    """Play a match out: ask the side on move, tell the referee, pass on what happened. The only driver."""

    def tell(events: list[Event]) -> None:
        for event in events:
            listen(event)

    for side in (0, 1):
        if match.result is None and (broke := await seats[side].start(match.start_for(side), side)):
            tell(match.forfeit(side, "crash", f"{match.state.sides[side]} could not start: {broke.line}"))
    while (request := match.request()) is not None:
        side = request.side
        clock = Clock(request.seconds)
        answer = await seats[side].answer(request)
        match answer:
            case Answered(action, thought):
                tell(match.answer(action, clock.elapsed(), thought))
            case Missed():
                tell(match.miss(clock.elapsed()))
            case Broke(line):
                tell(match.forfeit(side, "crash", f"{match.state.sides[side]} crashed: {line}"))
            case GaveUp(detail):
                tell(match.forfeit(side, "resignation", f"{match.state.sides[side]}: {detail}"))
            case TakenBack():
                if seats[1 - side].rewinds and len(match.turns) >= 2:
                    tell(match.rewind(len(match.turns) - 2))
    assert match.result is not None
    for seat in seats:
        with contextlib.suppress(
            Exception
        ):  # the game is over; what a player does with that is its own affair
            await seat.finish(match.result)
    return match.result
