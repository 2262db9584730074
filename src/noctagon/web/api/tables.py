"""`/tables`: games played on the page, to begin, watch, play and stop."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from typing import Annotated, Any, cast

from fastapi import Cookie, Path, Query, Response, WebSocket

from noctagon.core.game import Side
from noctagon.web.context import Context, TheContext
from noctagon.web.messages.common import Acknowledged
from noctagon.web.messages.positions import PositionText
from noctagon.web.messages.tables import (
    NewTable,
    PaceRequest,
    SideRequest,
    Snapshot,
    SteerRequest,
    TableCreated,
    TableFound,
    TableLine,
    TableState,
    TurnRequest,
)
from noctagon.web.routing import JSON, MessageRouter, ResponseContent, answer
from noctagon.web.sockets import converse, serve
from noctagon.web.tables.registry import NotYours
from noctagon.web.tables.table import Table

router = MessageRouter(prefix="/tables", tags=["tables"])

API = "/api/v1"
OWNER = "noctagon-owner"
MONTH = 30 * 86400
Owner = Annotated[str | None, Cookie(alias=OWNER, max_length=100)]
"""The cookie that identifies the browser that made a table."""


@router.get("")
async def tables(context: TheContext) -> list[TableLine]:
    """Return the games that are being played or ended not long ago."""
    return [table.line() for table in context.tables.listed()]


@router.post("", status_code=201)
async def make(
    asked: NewTable, context: TheContext, owner: Owner = None
) -> Annotated[Response, ResponseContent(TableCreated)]:
    """Begin a game. A cookie gives the browser the right to steer it."""
    table = await context.tables.create(asked)
    keys = {str(side): key for side, key in table.keys.items()}
    table.owner = owner or secrets.token_urlsafe(16)
    response = answer(TableCreated(id=table.id, keys=keys, key=table.key), 201)
    if not owner:
        response.set_cookie(OWNER, table.owner, max_age=MONTH, path=API, httponly=True, samesite="strict")
    return response


@router.get("/demo")
async def demo(context: TheContext, game: Annotated[str | None, Query(max_length=60)] = None) -> TableFound:
    """Return a game between two of the package's players that is being played now."""
    table = await context.tables.demo(game)
    return TableFound(id=table.id, game=table.game.name)


@router.get("/{id}")
async def snapshot(id: str, context: TheContext) -> Snapshot:  # noqa: A002 - what it is called
    """Return a whole game: the first position, and every turn since."""
    return context.tables.find(id).snapshot()


@router.get("/{id}/positions/{n}")
async def position(id: str, n: Annotated[int, Path(ge=0, le=10**6)], context: TheContext) -> PositionText:  # noqa: A002
    """Return the position after `n` turns, to link to, analyse or play on from."""
    return PositionText(context.tables.find(id).position(n))


@router.get("/{id}/record")
async def record(id: str, context: TheContext) -> Annotated[Response, ResponseContent(dict[str, Any])]:  # noqa: A002
    """Return the game's record."""
    return Response(context.tables.find(id).match.record().to_json(), media_type=JSON)


@router.post("/{id}/turn")
async def turn(id: str, asked: TurnRequest, context: TheContext) -> Acknowledged:  # noqa: A002
    """Play a person's turn."""
    table = _own(context, id, asked)
    table.play(_side(asked.side), asked.action)
    return Acknowledged()


@router.post("/{id}/undo")
async def undo(id: str, asked: SideRequest, context: TheContext) -> Acknowledged:  # noqa: A002
    """Take back the side's last turn and all that came after it."""
    _own(context, id, asked).take_back(_side(asked.side))
    return Acknowledged()


@router.post("/{id}/resign")
async def resign(id: str, asked: SideRequest, context: TheContext) -> Acknowledged:  # noqa: A002
    _own(context, id, asked).resign(_side(asked.side))
    return Acknowledged()


@router.post("/{id}/pause")
async def pause(
    id: str,  # noqa: A002
    context: TheContext,
    asked: SteerRequest | None = None,
    owner: Owner = None,
) -> TableState:
    """Pause the game: the package's players are not asked until it is resumed."""
    return _steered(context, id, asked, owner, lambda table: table.set_paused(True))


@router.post("/{id}/resume")
async def resume(
    id: str,  # noqa: A002
    context: TheContext,
    asked: SteerRequest | None = None,
    owner: Owner = None,
) -> TableState:
    return _steered(context, id, asked, owner, lambda table: table.set_paused(False))


@router.post("/{id}/step")
async def step(
    id: str,  # noqa: A002
    context: TheContext,
    asked: SteerRequest | None = None,
    owner: Owner = None,
) -> TableState:
    """Pause the game after one more turn of one of the package's players."""
    return _steered(context, id, asked, owner, Table.step)


@router.post("/{id}/pace")
async def pace(id: str, asked: PaceRequest, context: TheContext, owner: Owner = None) -> TableState:  # noqa: A002
    """Set the least number of seconds between turns of the package's players."""
    return _steered(context, id, asked, owner, lambda table: table.set_pace(asked.pace))


@router.delete("/{id}")
async def stop(id: str, context: TheContext, key: Annotated[str, Query(max_length=100)]) -> Acknowledged:  # noqa: A002
    """Stop a game, with the key of its table."""
    table = context.tables.find(id)
    if not _is_same(key, table.key):
        raise NotYours
    await table.stop("by the player who began it")
    return Acknowledged()


@router.websocket("/{id}/live")
async def live(socket: WebSocket, id: str, context: TheContext) -> None:  # noqa: A002
    """Send the game as it goes: a snapshot, or with `after=N` the turns after the first N; then one message a turn."""

    async def tell() -> None:
        table = context.tables.find(id)
        reader = table.feed.join(table.greeting(_after(socket.query_params.get("after"))))
        try:
            await serve(socket, reader.next, context, dropped=reader.gone)
        finally:
            table.feed.leave(reader)

    await converse(socket, context, tell)


def _after(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 9 else None


def _own(context: Context, id: str, asked: TurnRequest | SideRequest) -> Table:  # noqa: A002
    table = context.tables.find(id)
    if not _is_same(asked.key, table.keys.get(asked.side, "")):
        raise NotYours
    return table


def _steered(
    context: Context,
    id: str,  # noqa: A002
    asked: SteerRequest | None,
    owner: str | None,
    change: Callable[[Table], None],
) -> TableState:
    """Change a table for the one who made it or plays at it; refuse all others."""
    table = context.tables.find(id)
    given = [(owner, table.owner)]
    given += [(asked.key if asked else None, key) for key in (table.key, *table.keys.values())]
    if not any(_is_same(one, other) for one, other in given):
        raise NotYours
    change(table)
    return table.state()


def _is_same(given: str | None, key: str) -> bool:
    return bool(given and key) and hmac.compare_digest(str(given).encode("utf-8", "replace"), key.encode())


def _side(number: int) -> Side:
    return cast("Side", number)
