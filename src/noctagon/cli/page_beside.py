"""The page beside a server of the terminal, in the same process: it shows that server's tables."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from noctagon.cli.web import HERE, address, find_store, listen
from noctagon.core.game import NoctagonError
from noctagon.web.context import Context
from noctagon.web.serving import server
from noctagon.web.settings import Settings
from noctagon.wire.server import TableServer

HOST = "127.0.0.1"
Show = Callable[[TableServer], Callable[[str], None]]
"""Shows a server on the page; returns what takes word of why the server is over."""


@asynccontextmanager
async def page_beside(port: int) -> AsyncIterator[Show]:
    """Run the page, and yield what shows a server on it."""
    try:
        listening = listen(HOST, port)
    except NoctagonError as error:
        raise NoctagonError(str(error).replace("--port", "--web-port")) from error
    settings = Settings(host=HOST, port=listening.getsockname()[1], store=find_store(""), later_store=HERE)
    started = asyncio.Event()
    serving = server(settings, started=started.set)
    serving.capture_signals = contextlib.nullcontext  # type: ignore[assignment,method-assign] # Ctrl-C is for us
    task = asyncio.create_task(serving.serve([listening]))
    waiting = asyncio.ensure_future(started.wait())
    await asyncio.wait([task, waiting], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if task.done():
        task.result()
        raise NoctagonError("the page could not be started")
    context: Context = serving.config.app.state.context  # type: ignore[union-attr] # it is an application of ours
    print(
        f"noctagon: the page is at {address(settings)}#/servers ; Ctrl-C stops", file=sys.stderr, flush=True
    )

    def show(shown: TableServer) -> Callable[[str], None]:
        served = context.servers.adopt(shown)

        def over(why: str) -> None:
            served.over = why

        return over

    try:
        yield show
    finally:
        serving.should_exit = True
        await asyncio.wait([task])
        listening.close()
