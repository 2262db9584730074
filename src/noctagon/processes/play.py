"""A whole game between two players, in one call."""

from __future__ import annotations

import asyncio
import datetime
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from noctagon.core.clock import Clock, TimeControl
from noctagon.core.game import Game, NoctagonError, Rules, State
from noctagon.core.match import Match
from noctagon.core.player import PlayerSpec
from noctagon.core.registry import find_game
from noctagon.core.seat import Listener, LocalSeat, Seat, drive, logs_of
from noctagon.core.text import quoted
from noctagon.processes.seats import open_seats

logger = logging.getLogger(__name__)


class Chooser(Protocol):
    """A player as an object: this one method is enough."""

    def choose(self, state: State[Any], clock: Clock) -> object: ...


AnyPlayer = str | PlayerSpec | Chooser | Callable[[State[Any], Clock], object]
"""A player: a spec, an object with `choose`, or a function from a position and a clock to an action."""


def play_game(
    game: str | Game[Any],
    first: AnyPlayer,
    second: AnyPlayer,
    *,
    setup: str | State[Any] | None = None,
    rules: str | Rules | None = None,
    time: float | TimeControl | None = None,
    seed: int = 0,
    listen: Listener = lambda event: None,
) -> Match:
    """Play a whole game and return its match, which has the result, the positions, the turns and the record.

    The first player moves first. `setup` names a map or an opening, or is a position; `time` is the number of seconds
    for a turn. The game's usual setup, rules and time stand in for what is left out. `listen` gets every event.

    A file's class and a command play in processes of their own, all other players in this one. A player that raises
    an exception loses by a crash, and its traceback is logged.

    >>> match = play_game("wargame", "greedy", lambda state, clock: next(iter(state.actions())))
    >>> match.players
    ('greedy', '<lambda>')
    >>> match.record().final() == match.state
    True
    """
    found = find_game(game) if isinstance(game, str) else game
    found.load()
    if isinstance(setup, State):
        if rules is not None:
            raise NoctagonError("a position has rules already: leave out `rules`")
        state, name = setup, "position"
    else:
        chosen = rules if isinstance(rules, Rules) else found.make_rules(rules)
        state, name = found.initial(setup, chosen), setup or ""
    if not isinstance(time, TimeControl):
        time = TimeControl(time or found.turn_seconds, found.game_seconds)
    given = (_spec_or_seat(first), _spec_or_seat(second))
    names = (_name(first), _name(second))

    async def play() -> Match:
        async with open_seats(given, found) as seats:
            match = Match(
                found,
                state,
                setup=name,
                players=names,
                time=time,
                seed=seed,
                date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
                untimed=[side for side in (0, 1) if not seats[side].timed],
            )
            await drive(match, seats, listen)
            for player, log in zip(names, logs_of(match, seats), strict=True):
                if log:
                    logger.error("%s: %s", player, log.rstrip())
            return match

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(play())
    with ThreadPoolExecutor(1) as thread:  # a notebook runs a loop of its own
        return thread.submit(lambda: asyncio.run(play())).result()


class _FunctionPlayer:
    """A function as a player."""

    def __init__(self, choose: Callable[[State[Any], Clock], object]) -> None:
        self.choose = choose


def _spec_or_seat(player: AnyPlayer) -> PlayerSpec | Seat:
    if isinstance(player, PlayerSpec):
        return player
    if isinstance(player, str):
        return PlayerSpec.parse(player)
    if isinstance(player, type):
        raise NoctagonError(
            f"{player.__name__} is a class: give a player made of it, as in {player.__name__}()"
        )
    if callable(getattr(player, "choose", None)):
        return LocalSeat(player)
    if callable(player):
        return LocalSeat(_FunctionPlayer(player))
    raise NoctagonError(f"{quoted(player)} is no player: give a spec, an object with choose(), or a function")


def _name(player: AnyPlayer) -> str:
    if isinstance(player, str | PlayerSpec):
        return str(player)
    return getattr(player, "__name__", type(player).__name__)
