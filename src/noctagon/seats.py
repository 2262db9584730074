"""From a player's spec to the seat it plays in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from noctagon.game import Game
from noctagon.player import PlayerSpec
from noctagon.players import make_player
from noctagon.remote.bot import BotSeat
from noctagon.remote.command import command_seat
from noctagon.remote.launcher import Limits
from noctagon.seat import LocalSeat, Seat


def make_seat(spec: PlayerSpec, game: Game[Any], limits: Limits | None = None) -> Seat:
    """A seat for a player spec. A file's class, and a command, always sits in a process of its own."""
    if spec.command:
        return command_seat(spec, game, limits)
    if spec.path:
        return BotSeat(spec, game, limits)
    return LocalSeat(make_player(spec, game), timed=spec.name != "human")


@asynccontextmanager
async def seated(
    specs: tuple[PlayerSpec, PlayerSpec],
    game: Game[Any],
    limits: tuple[Limits | None, Limits | None] = (None, None),
) -> AsyncIterator[tuple[Seat, Seat]]:
    """Both seats, closed at the end whatever happens."""
    async with AsyncExitStack() as stack:
        seats = [make_seat(spec, game, limit) for spec, limit in zip(specs, limits, strict=True)]
        for seat in seats:
            stack.push_async_callback(seat.close)
        yield seats[0], seats[1]
