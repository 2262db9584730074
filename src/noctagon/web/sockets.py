"""A browser's socket: messages go out until either end closes it; none are expected to come in."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect

from noctagon.core.game import NoctagonError
from noctagon.processes.worker_pool import Busy
from noctagon.web.context import Context
from noctagon.web.tables.registry import Unknown

DONE, GOING, FLOOD, BUSY, UNKNOWN, TOO_SLOW = 1000, 1001, 1008, 1013, 4004, 4008
"""Codes with which a socket is closed."""
CLOSE_SECONDS = 5.0


async def converse(socket: WebSocket, context: Context, work: Callable[[], Awaitable[None]]) -> None:
    """Open the socket for some work. An error becomes the reason with which it is closed."""
    try:
        await socket.accept()
        async with context.socket():
            await work()
    except Unknown as error:
        await close(socket, UNKNOWN, str(error))
    except Busy as error:
        await close(socket, BUSY, str(error))
    except NoctagonError as error:
        await close(socket, FLOOD, str(error))


async def serve(
    socket: WebSocket,
    following: Callable[[], Awaitable[str | None]],
    context: Context,
    *,
    dropped: asyncio.Event | None = None,
) -> None:
    """Send what `following` returns until it returns None, the browser leaves or sends too much, or the server stops.

    `dropped` is set when the browser has been too slow to wait for.
    """
    telling = asyncio.ensure_future(_tell(socket, following))
    hearing = asyncio.ensure_future(_hear(socket, context.settings.limits.messages_unasked))
    closing = asyncio.ensure_future(context.closing.wait())
    dropping = asyncio.ensure_future((dropped or asyncio.Event()).wait())
    tasks: set[asyncio.Future[Any]] = {telling, hearing, closing, dropping}
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        ended = [task for task in (dropping, telling, hearing, closing) if task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    reasons = {
        dropping: (TOO_SLOW, "too slow: come back with after=N"),
        telling: (DONE, ""),
        hearing: (FLOOD, "nothing was asked"),
        closing: (GOING, "the server was stopped"),
    }
    if all(task.exception() is None for task in ended):  # else it is gone, which is no error
        await close(socket, *reasons[ended[0]])


async def close(socket: WebSocket, code: int, reason: str) -> None:
    with contextlib.suppress(Exception):  # it may be gone already
        async with asyncio.timeout(CLOSE_SECONDS):
            await socket.close(code, reason[:100])


async def _tell(socket: WebSocket, following: Callable[[], Awaitable[str | None]]) -> None:
    while (text := await following()) is not None:
        await socket.send_text(text)


async def _hear(socket: WebSocket, most: int) -> None:
    """Ignore a few messages from the browser; return after too many."""
    for _ in range(most):
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code") or DONE)
