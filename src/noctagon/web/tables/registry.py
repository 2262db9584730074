"""The games of the page: beginning, finding, limiting and removing them."""

from __future__ import annotations

import asyncio
import datetime
import random
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import Any

import msgspec

from noctagon.arena.bout import finished_game
from noctagon.core.clock import TimeControl
from noctagon.core.game import Game, NoctagonError, Side
from noctagon.core.match import Match
from noctagon.core.player import PlayerSpec
from noctagon.core.registry import find_game, game_names
from noctagon.core.seat import Seat
from noctagon.processes.calls import Call
from noctagon.processes.worker_pool import Busy, WorkerPool
from noctagon.processes.worker_seat import WorkerSeat
from noctagon.processes.workers import CallFailed
from noctagon.web.messages.tables import NewTable
from noctagon.web.preparing import Preparation
from noctagon.web.questions import check_table
from noctagon.web.records.replaying import keep
from noctagon.web.settings import Settings
from noctagon.web.tables.seats import HUMAN, PLAYER_LIMITS, PersonSeat
from noctagon.web.tables.table import Origin, Table

DEMO_PACE = 0.7
DEMO_TIME = 1.0
DEMO_SETUPS = ("duel", "ring", "islands", "apple", "start")
"""Setups that make a good demonstration, in games that have them."""


class Unknown(NoctagonError):  # noqa: N818 - what was asked for
    """The error about a name or number that does not exist."""


class NotYours(NoctagonError):  # noqa: N818 - as the message says it
    """The error about a wrong key."""

    def __init__(self) -> None:
        super().__init__("this needs the key of the table")


class Tables:
    """The tables. The processes of `question_pool` answer questions about them."""

    def __init__(self, settings: Settings, question_pool: WorkerPool, preparation: Preparation) -> None:
        self.settings = settings
        self.limits = settings.limits
        self.question_pool = question_pool
        self.preparation = preparation
        self.by_id: dict[str, Table] = {}
        self.kept = 0
        """Number of games that were stored."""
        self._demos: dict[str, Table] = {}
        self._demo_lock = asyncio.Lock()
        self._demo_number = count()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._making = 0
        self._tasks: set[asyncio.Task[Any]] = set()

    # Finding.

    def find(self, id: str) -> Table:  # noqa: A002 - what it is called everywhere
        if id not in self.by_id:
            raise Unknown("there is no such game here, or it was cleared away")
        return self.by_id[id]

    def listed(self) -> list[Table]:
        """Return all tables, the newest first, those that are being played before the others."""
        newest = list(reversed(self.by_id.values()))
        return [table for live in (True, False) for table in newest if table.live is live]

    # Making.

    async def create(self, new: NewTable, *, origin: Origin = "page") -> Table:
        game = known_game(new.game)
        if new.position is None and new.setup is not None and new.setup not in game.setups():
            raise NoctagonError(
                f"there is no setup {new.setup[:60]!r}; there are: {', '.join(game.setups())}"
            )
        await self.preparation.need(game.name)
        players = sum(spec != HUMAN for spec in new.players)
        while trouble := self._crowded(players):
            if origin == "demo" or (idle := self._longest_unwatched()) is None:
                raise Busy(f"{trouble}; try again when a game has ended")
            await idle.stop("nobody watched any more, and others wanted to play")
        self._making += 1
        try:
            call = Call(
                check_table,
                game=new.game,
                players=new.players,
                made=[self.preparation.has_player(game.name, spec) for spec in new.players],
                setup=new.setup,
                position=new.position,
                rules=new.rules,
                plies=new.plies,
                majority=new.majority,
            )
            checked = await self.question_pool.ask(call, seconds=self.limits.question_seconds)
        finally:
            self._making -= 1
        return self._seat(game, new, checked, origin)

    def _crowded(self, players: int) -> str:
        """Return why there is no room for a game with some of the package's players; empty if there is."""
        playing = len(self._played_here()) + self._making
        if playing >= self.limits.tables:
            return f"{playing} games are being played already"
        seated = sum(table.humans.count(False) for table in self._played_here()) + 2 * self._making
        if players and seated + players > self.limits.players:
            return f"{seated} players are at work already"
        return ""

    def _longest_unwatched(self) -> Table | None:
        """Return the game that has been unwatched for longest, if that is long enough to stop it."""
        now = asyncio.get_running_loop().time()
        any_helps = len(self._played_here()) >= self.limits.tables  # else there are too many players
        for id, timer in self._timers.items():  # noqa: A001 - in the order in which they were left
            table = self.by_id.get(id)
            if table is None or not (any_helps or table.humans.count(False)):
                continue
            if now - timer.when() + self._patience(table) >= self.limits.spared_seconds:
                return table
        return None

    def _patience(self, table: Table) -> float:
        """Return the seconds without spectators after which a game is stopped."""
        return self.limits.abandoned_seconds if any(table.humans) else self.limits.unwatched_seconds

    def _played_here(self) -> list[Table]:
        return [table for table in self.by_id.values() if not table.over and table.origin != "server"]

    def _seat(self, game: Game[Any], new: NewTable, checked: dict[str, Any], origin: Origin) -> Table:
        rules = msgspec.convert(checked["rules"], type(game.make_rules()))
        specs = checked["players"]
        seats = (_seat(specs[0], game), _seat(specs[1], game))
        humans = [side for side in (0, 1) if specs[side] == HUMAN]
        match = Match(
            game,
            game.parse_position(checked["position"], rules),
            setup="position" if new.position is not None else new.setup or "",
            players=(specs[0], specs[1]),
            time=TimeControl(new.time or game.turn_seconds, None if humans else game.game_seconds),
            seed=random.SystemRandom().randrange(10**6) if new.seed is None else new.seed,
            date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            untimed=humans,  # type: ignore[arg-type] # 0 and 1 are sides
        )
        table = Table(
            match,
            seats,
            origin=origin,
            pace=new.pace,
            paused=new.paused,
            watched_only=origin == "demo",
            backlog=self.limits.backlog,
            ready=partial(self._ready, game.name, specs),
            watched=self.watch,
            ended=self.ended,
        )
        self.add(table)
        table.begin()
        return table

    async def _ready(self, game: str, specs: Sequence[str], side: Side, waits: Callable[[str], None]) -> None:
        """Wait until a side's player is compiled; call `waits` with the reason first if that is not so yet."""
        spec = specs[side]
        if spec != HUMAN and not self.preparation.has_player(game, spec):
            waits(
                f"The champion of {find_game(game).title} is being compiled, this one time only. "
                "The game goes on by itself as soon as it is ready."
            )
            await self.preparation.wait_for_player(game, spec)

    def add(self, table: Table) -> None:
        """Add a table. Of those that are over, the oldest make room."""
        self.by_id[table.id] = table
        over = [other for other in self.by_id.values() if other.over and not other.feed.readers]
        for other in over[: max(0, len(over) - self.limits.finished)]:
            del self.by_id[other.id]
        self.watch(table)

    async def demo(self, name: str | None = None) -> Table:
        """Return a game between two of the package's players for everybody to watch; begin one if needed."""
        name = known_game(name).name if name else ""
        if name or not self.preparation.playable:
            await self.preparation.need_any(name)
        async with self._demo_lock:
            table = self._demos.get(name)
            if table is None or not table.live:
                table = await self.create(self._demo_game(name), origin="demo")
                self._demos[name] = table
            return table

    def _demo_game(self, name: str) -> NewTable:
        """Return another demonstration each time: games, setups and players alternate, as far as they are ready."""
        number = next(self._demo_number)
        names = [name] if name else sorted(self.preparation.playable)
        game = find_game(names[number % len(names)])
        turn = number // len(names)
        setups = [setup for setup in DEMO_SETUPS if setup in game.setups()] or list(game.setups())
        pairs = [game.demo]
        if "champion" in game.players and self.preparation.has(game.name, "champion"):
            pairs = [("champion", game.demo[1]), game.demo, (game.demo[0], "champion")]
        return NewTable(
            game=game.name,
            players=pairs[turn % len(pairs)],
            setup=setups[turn % len(setups)],
            time=DEMO_TIME,
            pace=DEMO_PACE,
        )

    # Clearing away.

    def watch(self, table: Table) -> None:
        """Start or stop the timer of a game: one that nobody watches is stopped after a while."""
        if timer := self._timers.pop(table.id, None):
            timer.cancel()
        if table.feed.readers or table.over or table.origin not in ("page", "demo"):
            return
        loop = asyncio.get_running_loop()
        self._timers[table.id] = loop.call_later(self._patience(table), self._abandon, table)

    def _abandon(self, table: Table) -> None:
        self._timers.pop(table.id, None)
        if not table.feed.readers and not table.over:
            self.in_background(table.stop("nobody watched any more"))

    def ended(self, table: Table) -> None:
        """Keep a game that is over."""
        if timer := self._timers.pop(table.id, None):
            timer.cancel()
        wanted = table.origin != "demo" and bool(table.match.turns)
        where = self.settings.store_now
        if where is not None and wanted:
            self.in_background(self._keep(where, table))

    async def _keep(self, where: str, table: Table) -> None:
        match = table.match
        call = Call(keep, where, finished_game(match.record(), match.states), table.origin)
        try:
            await self.question_pool.ask(call, seconds=60.0)
            self.kept += 1
        except (NoctagonError, CallFailed) as error:
            print(f"noctagon: a game could not be kept in {where}: {error}", file=sys.stderr)

    def in_background(self, work: Any) -> None:
        """Run something in the background."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Stop all games and keep them."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        await asyncio.gather(
            *(table.stop("the server was stopped") for table in self.by_id.values() if not table.over),
            return_exceptions=True,
        )
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=10.0)


def known_game(name: str) -> Game[Any]:
    if name not in game_names():
        raise Unknown(f"there is no game {name[:60]!r}; there are: {', '.join(game_names())}")
    return find_game(name)


def _seat(spec: str, game: Game[Any]) -> Seat:
    return PersonSeat() if spec == HUMAN else WorkerSeat(PlayerSpec.parse(spec), game, PLAYER_LIMITS)
