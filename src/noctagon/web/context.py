"""The application context: what the routes of the API work with, made once for a server and closed with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any, ParamSpec, TypeVar

from fastapi import Depends
from starlette.requests import HTTPConnection

from noctagon.processes.calls import Call
from noctagon.processes.worker_pool import Busy, WorkerPool
from noctagon.web.preparing import Preparation, import_compiler, load_rules
from noctagon.web.records.uploads import Uploads
from noctagon.web.settings import Settings
from noctagon.web.tables.registry import Tables
from noctagon.web.tables.servers import Servers
from noctagon.web.tournaments import Tournaments

P = ParamSpec("P")
R = TypeVar("R")


class Context:
    """The settings, the tables and the processes that compute."""

    def __init__(self, settings: Settings, preparation: Preparation | None = None) -> None:
        limits = settings.limits
        self.settings = settings
        self.preparation = preparation or Preparation()
        self.question_pool = WorkerPool(limits.questions, (), queue=limits.waiting_questions)
        self.analysis_pool = WorkerPool(limits.analyses, (), queue=limits.queue)
        self.tables = Tables(settings, self.question_pool, self.preparation)
        self.servers = Servers(self.tables)
        self.tournaments = Tournaments(settings)
        self.prepared: dict[str, Any] = {}
        """Analyses whose socket is not open yet."""
        self.uploads = Uploads()
        """Records that were uploaded."""
        self._known: dict[Call[Any], asyncio.Task[Any]] = {}
        self.sockets = 0
        self.closing = asyncio.Event()
        """Set when the server is being stopped: sockets are closed then."""

    async def ask(self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call one of our functions in another process; return what it returns."""
        return await self._compute(Call(function, *args, **kwargs))

    async def ask_once(self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Do the same for a function whose answers never change and are few: each is computed once."""
        call = Call(function, *args, **kwargs)
        if call not in self._known:
            asked = self._known[call] = asyncio.create_task(self._compute(call))
            asked.add_done_callback(lambda asked: self._forget_failure(call, asked))
        result: R = await asyncio.shield(self._known[call])  # others may wait for it too
        return result

    async def _compute(self, call: Call[R]) -> R:
        return await self.question_pool.ask(call, seconds=self.settings.limits.question_seconds)

    def _forget_failure(self, call: Call[Any], asked: asyncio.Task[Any]) -> None:
        if asked.cancelled() or asked.exception():
            del self._known[call]

    @asynccontextmanager
    async def socket(self) -> AsyncIterator[None]:
        """Count a socket while it is open; raise `Busy` if there are too many."""
        if self.sockets >= self.settings.limits.sockets:
            raise Busy("too many are watching already")
        self.sockets += 1
        try:
            yield
        finally:
            self.sockets -= 1

    async def open(self) -> None:
        self.preparation.begin()
        self.tables.in_background(self._warm_up())

    async def _warm_up(self) -> None:
        """Start a process for questions, and load the rules there once they are compiled."""
        await self.question_pool.warm_up(Call(import_compiler))
        await self.preparation.rules_compiled()
        self.question_pool.games = self.analysis_pool.games = tuple(self.preparation.games)
        for name in self.preparation.games:
            await self.question_pool.warm_up(Call(load_rules, name))

    async def close(self) -> None:
        self.closing.set()
        await self.preparation.close()
        await self.servers.close()
        await self.tables.close()
        await asyncio.gather(self.question_pool.close(), self.analysis_pool.close(), self.tournaments.close())


def _context(connection: HTTPConnection) -> Context:
    context: Context = connection.app.state.context
    return context


TheContext = Annotated[Context, Depends(_context)]


async def _rules(connection: HTTPConnection) -> None:
    """Wait a moment for the rules of the game in the path, or of all games; raise `NotReady` if it takes longer."""
    game: str | None = connection.path_params.get("game")
    await _context(connection).preparation.need(game)


Rules = Depends(_rules)
"""The dependency of a route that needs compiled rules."""
