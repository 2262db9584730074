"""The TCP servers that the page has opened, and those that were opened in the same terminal."""

from __future__ import annotations

import asyncio
import contextlib
import traceback

import msgspec

from noctagon.core.game import NoctagonError
from noctagon.processes.worker_pool import Busy
from noctagon.web.tables.registry import Tables, Unknown
from noctagon.web.tables.served import Served
from noctagon.wire.server import ServerOptions, TableServer
from noctagon.wire.tcp import TcpWire

DRAWN = "drawn"
"""Name in records of a map that was drawn."""
MOST_OPEN = 8
MOST_TABLES = 64
"""Maximum number of tables of all open servers together."""
MOST_HOUSE = 8
"""Maximum number of tables with one of the package's players: each takes a process of a few hundred MB."""
MOST_OVER = 8
"""Number of closed servers whose results are kept."""


class Servers:
    """Opens servers, shows their games, closes them."""

    def __init__(self, tables: Tables) -> None:
        self.registry = tables
        self._servers: dict[str, Served] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def listed(self) -> list[Served]:
        """Return all servers, the newest first, those that are open before the others."""
        newest = list(reversed(self._servers.values()))
        return [one for over in (False, True) for one in newest if bool(one.over) is over]

    def find(self, id: str) -> Served:  # noqa: A002 - what it is called everywhere
        if id not in self._servers:
            raise Unknown("there is no such server here, or it was cleared away")
        return self._servers[id]

    def adopt(self, server: TableServer, *, terminal: bool = True) -> Served:
        """Show a server that runs elsewhere, as in the terminal."""
        served = Served(
            server,
            terminal=terminal,
            shown=self.registry.add,
            table_options={
                "backlog": self.registry.limits.backlog,
                "watched": self.registry.watch,
                "ended": self.registry.ended,
            },
        )
        self._servers[served.id] = served
        return served

    async def open(self, wire: TcpWire, options: ServerOptions, *, position: str = "") -> Served:
        """Open a server, on a drawn map with its `position`. Return when it listens; raise what prevents it."""
        here = [one for one in self._servers.values() if not one.over]
        if len(here) >= MOST_OPEN:
            raise Busy(f"{len(here)} servers are open already; close one of them first")
        tables = sum(one.server.options.tables for one in here)
        if tables + options.tables > MOST_TABLES:
            raise Busy(f"the open servers have {tables} tables already, and {MOST_TABLES} is the most")
        house = sum(one.server.options.tables for one in here if one.server.options.opponent)
        if options.opponent and house + options.tables > MOST_HOUSE:
            raise Busy(f"our players sit at {house} tables already, and {MOST_HOUSE} is the most")
        server = TableServer(wire, options)
        if position:
            server.initial = wire.game.parse_position(position, options.rules)
            server.options = msgspec.structs.replace(options, map=DRAWN)
        served = self.adopt(server, terminal=False)
        task = asyncio.create_task(self._run(served), name=f"server {served.id}")
        self._tasks[served.id] = task
        waiting = asyncio.ensure_future(served.listens.wait())
        await asyncio.wait([task, waiting], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if not served.listens.is_set():
            del self._servers[served.id]
            raise NoctagonError(served.over)
        return served

    async def close_one(self, id: str) -> None:  # noqa: A002
        """Close a server; its games end as they stand. A server that is closed already is removed from the list."""
        served = self.find(id)
        if served.terminal and not served.over:
            raise NoctagonError("this server was opened in a terminal: Ctrl-C there closes it")
        if served.over:
            del self._servers[id]
            return
        task = self._tasks[id]
        task.cancel()
        await asyncio.wait([task])

    async def close(self) -> None:
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, served: Served) -> None:
        over = "all games have been played"
        try:
            await served.server.run()
        except asyncio.CancelledError:
            over = "closed"
        except NoctagonError as error:
            over = str(error)
        except Exception as error:
            traceback.print_exc()
            over = f"it broke down: {type(error).__name__}"
        finally:
            served.over = over
            self._tasks.pop(served.id, None)
            for old in [one.id for one in self._servers.values() if one.over][:-MOST_OVER]:
                with contextlib.suppress(KeyError):
                    del self._servers[old]
