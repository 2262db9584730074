"""`/analysis`: what a strong player would do in a position, and why; live while it searches."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator
from typing import Any, NamedTuple

import msgspec
from fastapi import APIRouter, Response, WebSocket

from noctagon.core.game import NoctagonError
from noctagon.web import models
from noctagon.web.context import Context, TheContext, answer
from noctagon.web.sockets import converse, serve
from noctagon.web.tables.registry import Unknown, known_game
from noctagon.web.workers import Busy, Failed

router = APIRouter(prefix="/analysis", tags=["analysis"])

PREPARED_SECONDS = 60.0
"""An analysis that nobody has come to watch is forgotten after so long."""
MOST_PREPARED = 64
GRACE_SECONDS = 30.0
"""What a search may take beyond its time, with all that comes before it."""


class Prepared(NamedTuple):
    """An analysis that begins when its socket is opened."""

    arguments: dict[str, Any]
    forgotten: asyncio.TimerHandle


@router.post("", response_model=models.AnalysisMade, status_code=201)
async def prepare(asked: models.AnalysisAsked, context: TheContext) -> Response:
    """Ask for an analysis; it is computed while its socket `/analysis/{id}` is open, and for no longer."""
    known_game(asked.game)
    if asked.time > context.settings.limits.analysis_seconds:
        raise NoctagonError(f"an analysis takes at most {context.settings.limits.analysis_seconds:g} s")
    if len(context.prepared) >= MOST_PREPARED:
        raise Busy("too many analyses are asked for already; try again in a moment")
    player = await context.ask(
        "noctagon.web.analysing:check_analysis",
        game=asked.game,
        position=asked.position,
        rules=asked.rules,
        player=asked.player,
    )
    arguments = {
        "game": asked.game,
        "position": asked.position,
        "rules": asked.rules,
        "player": player,
        "lines": asked.lines,
        "seconds": asked.time,
    }
    number = secrets.token_urlsafe(9)
    forget = asyncio.get_running_loop().call_later(PREPARED_SECONDS, context.prepared.pop, number, None)
    context.prepared[number] = Prepared(arguments, forget)
    return answer({"id": number, "player": player}, 201)


@router.websocket("/{id}")
async def watch(socket: WebSocket, id: str, context: TheContext) -> None:  # noqa: A002 - what it is called
    """The analysis: `{"queue": N}` while others are before it, then what is known so far, at last with `done`."""

    async def tell() -> None:
        prepared = context.prepared.pop(id, None)
        if prepared is None:
            raise Unknown("there is no such analysis, or somebody watches it already")
        prepared.forgotten.cancel()
        await stream(socket, context, "noctagon.web.analysing:analyse", prepared.arguments)

    await converse(socket, context, tell)


async def stream(socket: WebSocket, context: Context, function: str, arguments: dict[str, Any]) -> None:
    """Send what an analyst computes; when the socket closes, its process ends."""
    messages: asyncio.Queue[str | None] = asyncio.Queue()
    seconds = float(arguments["seconds"]) + GRACE_SECONDS

    def put(content: Any) -> None:
        messages.put_nowait(msgspec.json.encode(content).decode())

    async def compute() -> None:
        try:
            values: AsyncGenerator[Any] = context.analysis_pool.stream(
                function, arguments, seconds=seconds, moved=lambda before: put({"queue": before})
            )
            async for value in values:
                if value is not None:
                    put(value)
        except NoctagonError as error:
            put({"error": str(error)})
        except Failed:
            put({"error": "the analysis broke down"})
        messages.put_nowait(None)

    computing = asyncio.ensure_future(compute())
    try:
        await serve(socket, messages.get, context)
    finally:
        computing.cancel()
        await asyncio.wait([computing])
