"""Seats for players by their specs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from noctagon.core.game import Game, NoctagonError, Side, State
from noctagon.core.limits import Limits
from noctagon.core.match import Request
from noctagon.core.player import GameStart, PlayerSpec
from noctagon.core.registry import wired_games
from noctagon.core.seat import Answer, Broke, LocalSeat, Seat
from noctagon.players import make_player
from noctagon.processes.thinking import thinking_seat
from noctagon.processes.worker_seat import WorkerSeat


def make_seat(spec: PlayerSpec, game: Game[Any], limits: Limits | None = None) -> Seat:
    """Return a seat for a player spec. A file's class and a command always play in a process of their own."""
    if spec.command:
        wire = game.wire()
        if wire is None:
            raise NoctagonError(
                f"{spec}: programs play {' and '.join(wired_games())} only; for {game.name} write PATH.py:CLASS"
            )
        return wire.seat(spec, limits)
    if spec.path:
        return WorkerSeat(spec, game, limits)
    return LocalSeat(make_player(spec, game), timed=spec.name != "human")


def check_start(spec: PlayerSpec, game: Game[Any], state: State[Any]) -> None:
    """Refuse a first position that the wire of a `cmd:` player cannot express."""
    wire = game.wire() if spec.command else None
    if wire is not None:
        wire.check_start(state)


class EmptySeat(Seat):
    """The seat of a program that cannot be started, and loses."""

    def __init__(self, why: str) -> None:
        self.why = why

    async def start(self, start: GameStart, side: Side) -> Broke | None:
        return Broke(self.why)

    async def answer(self, request: Request) -> Answer:
        return Broke(self.why)


@asynccontextmanager
async def open_seats(
    players: tuple[PlayerSpec | Seat, PlayerSpec | Seat],
    game: Game[Any],
    limits: tuple[Limits | None, Limits | None] = (None, None),
    *,
    forfeit: bool = False,
) -> AsyncIterator[tuple[Seat, Seat]]:
    """Open the seats of both players and close them at the end; a seat that is given is used as it is.

    Against a command, one of the package's players thinks in a thread, so that the program's messages are read
    meanwhile. Raises `NoctagonError` if a player cannot be seated; with `forfeit`, a file's class or a command then
    loses instead.
    """
    commands = any(isinstance(player, PlayerSpec) and player.command for player in players)

    def seat_of(spec: PlayerSpec | Seat, limit: Limits | None) -> Seat:
        if isinstance(spec, Seat):
            return spec
        try:
            if commands and spec.name != "human" and not spec.path and not spec.command:
                return thinking_seat(spec, game)
            return make_seat(spec, game, limit)
        except NoctagonError as error:
            if forfeit and (spec.path or spec.command):
                return EmptySeat(str(error))
            raise

    async with AsyncExitStack() as stack:
        seats = [seat_of(spec, limit) for spec, limit in zip(players, limits, strict=True)]
        for seat in seats:
            stack.push_async_callback(seat.close)
        yield seats[0], seats[1]
