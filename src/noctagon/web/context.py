"""All that the routes of the API work with, made once for a server and closed with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

import msgspec
from fastapi import Depends, Response
from starlette.requests import HTTPConnection

from noctagon.compiled import jit
from noctagon.core.registry import find_game, game_names
from noctagon.web import catalogue
from noctagon.web.records.uploads import Uploads
from noctagon.web.settings import Settings
from noctagon.web.tables.registry import Tables
from noctagon.web.tables.servers import Servers
from noctagon.web.tournaments import Tournaments
from noctagon.web.workers import Busy, Workers


class Context:
    """The settings, the tables, the processes that compute."""

    def __init__(self, settings: Settings) -> None:
        limits = settings.limits
        self.settings = settings
        self.games = game_names()
        self.question_pool = Workers(limits.questions, self.games, queue=limits.waiting_questions)
        self.analysis_pool = Workers(limits.analyses, self.games, queue=limits.queue)
        self.tables = Tables(settings, self.question_pool)
        self.servers = Servers(self.tables)
        self.tournaments = Tournaments(settings)
        self.prepared: dict[str, Any] = {}
        """Analyses that were asked for and whose socket is not open yet."""
        self.uploads = Uploads()
        """Records that were uploaded."""
        self._known: dict[tuple[str, ...], asyncio.Task[Any]] = {}
        self.sockets = 0
        self.closing = asyncio.Event()
        """Set when the server is being stopped: sockets are closed then."""

    async def ask(self, function: str, **arguments: Any) -> Any:
        """What one of our functions says, computed in another process."""
        return await self.question_pool.call(
            function, arguments, seconds=self.settings.limits.question_seconds
        )

    async def ask_once(self, function: str, **arguments: Any) -> Any:
        """The same, where the answer never changes and there are not many."""
        key = (function, *arguments.values())
        if key not in self._known:
            asked = self._known[key] = asyncio.create_task(self.ask(function, **arguments))
            asked.add_done_callback(lambda asked: self._forget_failure(key, asked))
        return await asyncio.shield(self._known[key])  # others may wait for it too

    def _forget_failure(self, key: tuple[str, ...], asked: asyncio.Task[Any]) -> None:
        if asked.cancelled() or asked.exception():
            del self._known[key]

    @asynccontextmanager
    async def socket(self) -> AsyncIterator[None]:
        """Room for one more socket."""
        if self.sockets >= self.settings.limits.sockets:
            raise Busy("too many are watching already")
        self.sockets += 1
        try:
            yield
        finally:
            self.sockets -= 1

    async def open(self) -> None:
        for name in self.games:
            find_game(name).load()
        catalogue.games()
        jit.complete()  # positions of any size: nothing is compiled while others wait
        self.tables.in_background(self.question_pool.warm_up())

    async def close(self) -> None:
        self.closing.set()
        await self.servers.close()
        await self.tables.close()
        await asyncio.gather(self.question_pool.close(), self.analysis_pool.close(), self.tournaments.close())


def _context(connection: HTTPConnection) -> Context:
    context: Context = connection.app.state.context
    return context


TheContext = Annotated[Context, Depends(_context)]


def answer(content: Any, status: int = 200) -> Response:
    """JSON of plain data or of our structures."""
    return Response(msgspec.json.encode(content), status, media_type="application/json")
