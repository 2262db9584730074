"""`/analysis`: the best actions in a position and the reasons for them, live while a strong player searches."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from fastapi import WebSocket

from noctagon.core.game import NoctagonError
from noctagon.players.analysis import strongest
from noctagon.processes.calls import Call
from noctagon.processes.worker_pool import Busy
from noctagon.processes.workers import CallFailed
from noctagon.web.analysing import analyse, check_analysis
from noctagon.web.context import Context, TheContext
from noctagon.web.messages.common import ErrorMessage
from noctagon.web.messages.positions import AnalysisCreated, AnalysisRequest, AnalysisUpdate, QueuePlace
from noctagon.web.routing import MessageRouter
from noctagon.web.sockets import converse, serve
from noctagon.web.tables.registry import Unknown, known_game

router = MessageRouter(prefix="/analysis", tags=["analysis"])

PREPARED_SECONDS = 60.0
"""Seconds after which an analysis that nobody watches is forgotten."""
MOST_PREPARED = 64
GRACE_SECONDS = 30.0
"""Seconds that a search may take beyond its time, including its preparation."""


class Prepared(NamedTuple):
    """An analysis that begins when its socket is opened."""

    call: Call[Iterator[AnalysisUpdate]]
    seconds: float
    forgotten: asyncio.TimerHandle


@router.post("", status_code=201)
async def prepare(asked: AnalysisRequest, context: TheContext) -> AnalysisCreated:
    """Prepare an analysis. It runs while its socket `/analysis/{id}` is open, and no longer."""
    known_game(asked.game)
    if asked.time > context.settings.limits.analysis_seconds:
        raise NoctagonError(f"an analysis takes at most {context.settings.limits.analysis_seconds:g} s")
    if len(context.prepared) >= MOST_PREPARED:
        raise Busy("too many analyses are asked for already; try again in a moment")
    player = asked.player or str(strongest(known_game(asked.game)))
    await context.preparation.need_player(asked.game, player)
    checked = await context.ask(check_analysis, asked.game, asked.position, asked.rules, asked.player)
    call = Call(analyse, checked, asked.lines, asked.time)
    number = secrets.token_urlsafe(9)
    forget = asyncio.get_running_loop().call_later(PREPARED_SECONDS, context.prepared.pop, number, None)
    context.prepared[number] = Prepared(call, asked.time + GRACE_SECONDS, forget)
    return AnalysisCreated(number, checked.player)


@router.websocket("/{id}")
async def watch(socket: WebSocket, id: str, context: TheContext) -> None:  # noqa: A002 - what it is called
    """Send `{"queue": N}` while N analyses run before this one, then the best actions so far, at last with `done`."""

    async def tell() -> None:
        prepared = context.prepared.pop(id, None)
        if prepared is None:
            raise Unknown("there is no such analysis, or somebody watches it already")
        prepared.forgotten.cancel()
        await stream(socket, context, prepared.call, prepared.seconds)

    await converse(socket, context, tell)


async def stream(
    socket: WebSocket, context: Context, call: Call[Iterator[AnalysisUpdate]], seconds: float
) -> None:
    """Send what an analysis finds. When the socket closes, its process is ended."""
    messages: asyncio.Queue[str | None] = asyncio.Queue()

    def put(content: Any) -> None:
        messages.put_nowait(msgspec.json.encode(content).decode())

    async def compute() -> None:
        try:
            told = context.analysis_pool.stream(
                call, seconds=seconds, moved=lambda before: put(QueuePlace(before))
            )
            async for value in told:
                put(value)
        except NoctagonError as error:
            put(ErrorMessage(str(error)))
        except CallFailed:
            put(ErrorMessage("the analysis broke down"))
        messages.put_nowait(None)

    computing = asyncio.ensure_future(compute())
    try:
        await serve(socket, messages.get, context)
    finally:
        computing.cancel()
        await asyncio.wait([computing])
