"""A game of the page: played by the driver, sent to all spectators, steered by those who have a key."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
import traceback
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Literal, cast

import msgspec

from noctagon.core.events import Ended, Event, Played, Rewound, Skipped
from noctagon.core.game import Game, NoctagonError, Result, Side
from noctagon.core.match import Match
from noctagon.core.player import Thought
from noctagon.core.seat import Seat, drive
from noctagon.processes.worker_seat import WorkerSeat
from noctagon.web.messages.tables import (
    ClockView,
    LiveMessage,
    Snapshot,
    TableLine,
    TableState,
    TurnFrame,
)
from noctagon.web.tables.feed import Feed
from noctagon.web.tables.frames import STOPPED, frame_of, result_view, thinking_of
from noctagon.web.tables.seats import Gate, GatedSeat, PersonSeat

Origin = Literal["page", "demo", "server", "tournament"]

SLOWEST_PACE = 60.0
AT_ONCE = 0.05
STATE_SECONDS = 0.1
"""Seconds for which a change of state is held back: most are over with the next turn."""


def encoded(frame: bytes) -> TurnFrame:
    """Return a stand-in for a frame that is JSON already: each is encoded once, for all spectators."""
    return cast("TurnFrame", msgspec.Raw(frame))


def as_text(message: LiveMessage) -> str:
    """Return a message as it crosses a socket."""
    return msgspec.json.encode(message).decode()


class Table(Gate):
    """A game that is played here. `watched` is called when spectators join or leave, `ended` once it is over.

    `ready` waits until a side's player can be started; it calls the function that it is given with the reason first.
    """

    def __init__(
        self,
        match: Match,
        seats: tuple[Seat, Seat],
        *,
        origin: Origin = "page",
        pace: float = 0.0,
        paused: bool = False,
        watched_only: bool = False,
        backlog: int = 256,
        ready: Callable[[Side, Callable[[str], None]], Awaitable[None]] | None = None,
        watched: Callable[[Table], None] = lambda table: None,
        ended: Callable[[Table], None] = lambda table: None,
    ) -> None:
        self.id = secrets.token_urlsafe(9)
        self.match = match
        self.game: Game[Any] = match.game
        self.origin = origin
        self.pace = pace
        self.paused = paused
        self.watched_only = watched_only
        """True if the game pauses while it is not watched."""
        self.seats = (GatedSeat(seats[0], 0, self), GatedSeat(seats[1], 1, self))
        for side in (0, 1):
            if isinstance(seat := seats[side], WorkerSeat):
                seat.hear = partial(self._thinks, side)
        self.humans = (isinstance(seats[0], PersonSeat), isinstance(seats[1], PersonSeat))
        self.key = secrets.token_urlsafe(16)
        """The key of the table's maker, who may stop and steer the game."""
        self.owner = ""
        """The cookie of the browser in which it was made, which needs no key."""
        self.keys = {side: secrets.token_urlsafe(16) for side in (0, 1) if self.humans[side]}
        self.feed = Feed(backlog, changed=self._spectators_changed)
        self.frames: list[bytes] = []
        self.rewound = False
        """True if turns were ever taken back: then a client's number of turns does not say which ones it has."""
        self.waiting: Side | None = None
        self.over = False
        self._ready = ready
        self._reasons: dict[Side, str] = {}
        """The reason why the players of some sides cannot be started yet."""
        self._watched = watched
        self._ended = ended
        self._steps = 0
        self._asked_at = self._turn_at = time.monotonic()
        self._wake = asyncio.Event()
        self._interruptions: list[Callable[[], list[Event]]] = []
        self._driving: asyncio.Task[Any] | None = None
        self._state_timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None

    # Playing.

    def begin(self) -> None:
        self._task = asyncio.create_task(self._play(), name=f"table {self.id}")

    async def _play(self) -> None:
        try:
            while self.match.result is None:
                if not self._interruptions:
                    self._driving = asyncio.create_task(drive(self.match, self.seats, self._listen))
                    await asyncio.wait([self._driving])
                    self._look_for_failure(self._driving)
                while self._interruptions:
                    act = self._interruptions.pop(0)
                    if self.match.result is None:
                        with contextlib.suppress(NoctagonError):
                            self._tell(act())
        finally:
            if self._driving is not None and not self._driving.done():
                self._driving.cancel()
                await asyncio.wait([self._driving])
            self.waiting = None
            await asyncio.gather(*(seat.close() for seat in self.seats), return_exceptions=True)
            self.over = True
            self._ended(self)

    def _look_for_failure(self, driving: asyncio.Task[Any]) -> None:
        """End this game, and no other, if the page itself has failed."""
        if not driving.cancelled() and (error := driving.exception()) is not None:
            traceback.print_exception(error)
            self._tell(self._break_off(f"the page failed: {type(error).__name__}"))

    def _tell(self, events: list[Event]) -> None:
        for event in events:
            self._listen(event)

    def _listen(self, event: Event) -> None:
        match event:
            case Played() | Skipped():
                frame = frame_of(event, len(self.match.turns), self.game)
                self.frames.append(msgspec.json.encode(frame))
                self._turn_at = time.monotonic()
                self.waiting = None
                self._send(LiveMessage(frame=encoded(self.frames[-1])))
            case Rewound():
                self.rewound = True
                del self.frames[len(self.match.turns) :]
                self.waiting = None
                self._send(LiveMessage(rewound=len(self.frames)))
            case Ended(state, result):
                self.waiting = None
                self._send(LiveMessage(end=result_view(result, state.sides)))

    def _send(self, message: LiveMessage) -> None:
        self.feed.tell(as_text(message))

    def _thinks(self, side: Side, thought: Thought) -> None:
        """Show what a player thinks while it is on move."""
        if side == self.waiting:
            self._send(LiveMessage(thinking=thinking_of(thought, side, self.match.state, self.game)))

    def _interrupt(self, act: Callable[[], list[Event]]) -> None:
        """Interrupt the player, do something, and play on unless that ended the game."""
        self._interruptions.append(act)
        if self._driving is not None:
            self._driving.cancel()

    # The gate.

    async def ready(self, side: Side) -> None:
        if self._ready is None:
            return

        def waits(why: str) -> None:
            self._reasons[side] = why
            self._state_changed()

        try:
            await self._ready(side, waits)
        finally:
            if self._reasons.pop(side, ""):
                self._state_changed()

    async def enter(self, side: Side) -> None:
        if not self.humans[side]:
            while not self._may_ask():
                await self._sleep(None)
            self._steps = max(0, self._steps - 1)
        self.waiting = side
        self._asked_at = time.monotonic()
        if not self.frames or self._asked_at - self._turn_at > AT_ONCE:
            self._state_changed()  # else the last turn has shown who is asked now

    async def leave(self, side: Side) -> None:
        while (left := self._turn_at + self.pace - time.monotonic()) > 0 and not self.paused:
            await self._sleep(left)

    def _may_ask(self) -> bool:
        if self._steps:
            return True
        return not self.paused and (not self.watched_only or bool(self.feed.readers))

    async def _sleep(self, seconds: float | None) -> None:
        self._wake.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wake.wait()

    # What those who watch and play may do.

    def set_paused(self, paused: bool) -> None:
        self._check_goes_on()
        self.paused = paused
        self._changed_now()

    def step(self) -> None:
        """Pause the game after one more turn of one of the package's players."""
        self._check_goes_on()
        self.paused = True
        self._steps = 1
        self._changed_now()

    def set_pace(self, pace: float) -> None:
        self._check_goes_on()
        self.pace = pace
        self._changed_now()

    def play(self, side: Side, action: str) -> None:
        """Play a person's turn; raise what is wrong with it and change nothing."""
        self._check_goes_on()
        seat = self._person(side)
        if self.match.state.side != side:
            raise NoctagonError("it is not your turn")
        state = self.match.state
        state.check(self.game.parse_action(action, state))
        seat.give(action)

    def take_back(self, side: Side) -> None:
        """Go back to before the side's last turn."""
        self._check_goes_on()
        if not all(seat.rewinds for seat in self.seats):
            raise NoctagonError("the other player cannot go back")
        mine = [number for number, turn in enumerate(self.match.turns) if turn.side == side]
        if not mine:
            raise NoctagonError("there is no turn of yours to take back")
        self._interrupt(lambda: self.match.rewind(mine[-1]))

    def resign(self, side: Side) -> None:
        self._check_goes_on()
        name = self.match.state.sides[side]
        self._interrupt(lambda: self.match.forfeit(side, "resignation", f"{name} resigned"))

    async def stop(self, detail: str) -> None:
        """End the game now, undecided. Return when all of its processes have ended."""
        if self._task is None:
            self.over = True
            return
        if self.match.result is None:
            self._interrupt(lambda: self._break_off(detail))
        await asyncio.wait([self._task])

    def _break_off(self, detail: str) -> list[Event]:
        """End the game without a winner: in some games waiting would win."""
        self.match.result = Result(None, STOPPED, detail)
        return [Ended(self.match.state, self.match.result)]

    def _check_goes_on(self) -> None:
        if self.match.result is not None:
            raise NoctagonError("the game is over")

    def _person(self, side: Side) -> PersonSeat:
        seat = self.seats[side].inner
        if not isinstance(seat, PersonSeat):
            raise NoctagonError("one of our players sits there")
        return seat

    # The messages to those who watch.

    @property
    def live(self) -> bool:
        return self.match.result is None

    def state(self) -> TableState:
        return TableState(
            paused=self.paused,
            pace=self.pace,
            waiting=self.waiting,
            clock=self._clock(),
            spectators=len(self.feed.readers),
            preparing=next(iter(self._reasons.values()), ""),
        )

    def _clock(self) -> ClockView:
        if self.waiting is None:
            return ClockView(None, None, 0.0)
        seconds = None if self.humans[self.waiting] else self.match.time.turn
        return ClockView(self.waiting, seconds, round(time.monotonic() - self._asked_at, 3))

    def snapshot(self) -> Snapshot:
        match, state = self.match, self.state()
        return Snapshot(
            id=self.id,
            game=self.game.name,
            setup=match.setup,
            rules=msgspec.to_builtins(match.initial.rules),
            players=match.players,
            sides=match.initial.sides,
            time=match.time.turn,
            origin=self.origin,
            live=self.live,
            view=match.initial.view(),
            position=self.game.format_position(match.initial),
            frames=[encoded(frame) for frame in self.frames],
            paused=state.paused,
            pace=state.pace,
            waiting=state.waiting,
            humans=self.humans,
            clock=state.clock,
            spectators=state.spectators,
            preparing=state.preparing,
            seed=match.seed,
            date=match.date,
            result=result_view(match.result, match.initial.sides) if match.result else None,
        )

    def position(self, n: int) -> str:
        """Return the position after `n` turns, as text."""
        if n > len(self.match.turns):
            raise NoctagonError(
                f"{len(self.match.turns)} turns were played, so there is no position after {n}"
            )
        return self.game.format_position(self.match.states[n])

    def line(self) -> TableLine:
        match = self.match
        return TableLine(
            id=self.id,
            game=self.game.name,
            setup=match.setup,
            players=match.players,
            sides=match.initial.sides,
            ply=len(match.turns),
            score=match.state.score(),
            result=result_view(match.result, match.initial.sides) if match.result else None,
            live=self.live,
            origin=self.origin,
            spectators=len(self.feed.readers),
        )

    def greeting(self, after: int | None) -> list[str]:
        """Return the first messages for a client that already has `after` turns: the turns since, or everything."""
        if after is None or self.rewound or after > len(self.frames):
            return [as_text(LiveMessage(snapshot=self.snapshot()))]
        messages = [LiveMessage(frame=encoded(frame)) for frame in self.frames[after:]]
        messages.append(LiveMessage(state=self.state()))
        if self.match.result is not None:
            messages.append(LiveMessage(end=result_view(self.match.result, self.match.initial.sides)))
        return [as_text(message) for message in messages]

    def _spectators_changed(self) -> None:
        self._wake.set()
        self._state_changed()
        self._watched(self)

    def _changed_now(self) -> None:
        self._wake.set()
        self._tell_state()

    def _state_changed(self) -> None:
        """Send the state in a moment, with all changes until then in one message."""
        if self._state_timer is None and self.live:
            self._state_timer = asyncio.get_running_loop().call_later(STATE_SECONDS, self._tell_state)

    def _tell_state(self) -> None:
        if self._state_timer is not None:
            self._state_timer.cancel()
            self._state_timer = None
        if self.live:
            self._send(LiveMessage(state=self.state()))
