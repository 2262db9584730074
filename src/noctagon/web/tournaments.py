"""Tournaments for the page: read and ranked in one process, once for all clients."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from noctagon.processes.calls import Call
from noctagon.processes.worker_pool import WorkerPool
from noctagon.web.settings import Settings
from noctagon.web.tables.registry import Unknown

if TYPE_CHECKING:
    from noctagon.web.standing import StoreAnswer

FRESH = 1.0
"""Seconds for which an answer is reused without looking."""
REST = 8.0
"""Factor of the time an answer took for which it is reused."""
READ_SECONDS = 120.0
MOST_WAITING = 64
MOST_REMEMBERED = 100


class Cached(NamedTuple):
    """An answer, its tag, and the time until which it is reused."""

    tag: str
    body: bytes
    until: float


class Tournaments:
    """Asks the process that reads the store, and remembers its answers."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.reader = WorkerPool(1, (), queue=MOST_WAITING)
        self._cached: dict[Call[StoreAnswer | None], Cached] = {}
        self._lock = asyncio.Lock()

    @property
    def store(self) -> str | None:
        return self.settings.store_now

    async def listing(self) -> Cached:
        if self.store is None:
            return Cached("none", b"[]", 0.0)
        from noctagon.web import standing  # it takes half a second, and most pages have no store

        where = self.store
        return await self._read(lambda tag: Call(standing.listing, where, tag))

    async def tournament(self, name: str) -> Cached:
        if self.store is None:
            raise Unknown("this page has no store: start it with --store FILE to see tournaments")
        from noctagon.web import standing

        where = self.store
        return await self._read(lambda tag: Call(standing.tournament, where, name, tag))

    async def boards(self, name: str, after: int, limit: int) -> Cached:
        if self.store is None:
            return Cached("none", b"[]", 0.0)
        from noctagon.web import standing

        where = self.store
        return await self._read(lambda tag: Call(standing.boards, where, name, after, limit, tag))

    async def running(self, name: str) -> Cached:
        if self.store is None:
            return Cached("none", b"[]", 0.0)
        from noctagon.web import standing

        where = self.store
        return await self._read(lambda tag: Call(standing.running, where, name, tag))

    async def close(self) -> None:
        await self.reader.close()

    async def _read(self, call: Callable[[str], Call[StoreAnswer | None]]) -> Cached:
        """Return what a call says, which depends on the tag of what is known already."""
        key = call("")
        asked = time.monotonic()
        found = self._cached.get(key)
        if found is not None and found.until > asked:
            return found
        async with self._lock:  # one reader: requests that come meanwhile get its answer
            found = self._cached.pop(key, None)
            if found is None or found.until <= asked:
                found = await self._asked(call, found)
            self._cached[key] = found
            while len(self._cached) > MOST_REMEMBERED:
                del self._cached[next(iter(self._cached))]
            return found

    async def _asked(self, call: Callable[[str], Call[StoreAnswer | None]], before: Cached | None) -> Cached:
        began = time.monotonic()
        told = await self.reader.ask(call(before.tag if before else ""), seconds=READ_SECONDS)
        if told is None:
            raise Unknown("there is no such tournament in this store")
        now = time.monotonic()
        until = now + max(FRESH, REST * (now - began))
        if told.body is not None:
            return Cached(told.tag, told.body, until)
        assert before is not None
        return before._replace(until=until)
