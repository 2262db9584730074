"""`/servers`: TCP servers; whoever sits at this machine, or knows the token, opens and closes them."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response

from noctagon.core.game import Game, NoctagonError
from noctagon.core.registry import find_game
from noctagon.web import models_servers as shapes
from noctagon.web.context import TheContext
from noctagon.web.questions import LARGEST_BOARD
from noctagon.web.routing import answer, read
from noctagon.web.settings import is_loopback
from noctagon.web.tables.served import check_opponent
from noctagon.wire.server import make_options
from noctagon.wire.tcp import TcpWire

Line = Annotated[int | None, Query(ge=0, le=10**9)]


async def _near(request: Request, context: TheContext) -> None:
    """With a token everybody who is in knows it; without one, only this machine may come."""
    here = request.client is not None and is_loopback(request.client.host)
    if not here and not context.settings.token:
        raise HTTPException(403, "servers are opened and closed on this machine only, or with the token")


router = APIRouter(prefix="/servers", tags=["servers"], dependencies=[Depends(_near)])


@router.get("", response_model=list[shapes.Server])
async def servers(context: TheContext) -> Response:
    """Servers that are open, and those that were not long ago; without their traces."""
    return answer([served.told() for served in context.servers.listed()])


@router.post("", response_model=shapes.Server, status_code=201)
async def open_server(asked: shapes.NewServer, context: TheContext) -> Response:
    """Open a server; it listens when this is answered."""
    given = {name: value for name, value in asked.model_dump(mode="json").items() if value is not None}
    game = find_game(asked.game)
    wire = game.wire()
    if not isinstance(wire, TcpWire):
        raise NoctagonError(f"{asked.game} has no TCP server")
    position = ""
    if isinstance(asked.map, dict):
        position = await _position_on(game, given.pop("map"), context)
    elif asked.map is not None and asked.map not in game.setups():
        raise NoctagonError(f"there is no map {asked.map!r}; there are: {', '.join(game.setups())}")
    if asked.rules is not None and asked.rules not in game.rule_sets:
        raise NoctagonError(f"there are no rules {asked.rules!r}; there are: {', '.join(game.rule_sets)}")
    if asked.opponent is not None:
        given["opponent"] = await context.ask(check_opponent, asked.game, asked.opponent)
    options = make_options(wire, given)
    if asked.duration is None:
        options = msgspec.structs.replace(options, duration=None)
    return answer((await context.servers.open(wire, options, position=position)).told(), 201)


@router.get("/{id}", response_model=shapes.Server)
async def server(id: str, context: TheContext, after: Line = None) -> Response:  # noqa: A002 - what it is called
    """A server with the lines of its trace that came after so many."""
    return answer(context.servers.find(id).told(after or 0))


@router.delete("/{id}", response_model=None)
async def close(id: str, context: TheContext) -> Response:  # noqa: A002
    """Close a server: its games end as they stand. One that is closed already is taken from the list."""
    await context.servers.close_one(id)
    return answer({"ok": True})


async def _position_on(game: Game[Any], drawn: dict[str, Any], context: TheContext) -> str:
    """Return the first position on a map that was drawn on the page."""
    editor = game.map_editor()
    if editor is None:
        raise NoctagonError(f"maps of {game.name} cannot be drawn; name one: {', '.join(game.setups())}")
    return await context.ask(editor.served, read(editor.drawn, msgspec.json.encode(drawn)), LARGEST_BOARD)
