"""`/servers`: TCP servers, opened and closed from this machine or with the token."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Annotated, Any

import msgspec
from fastapi import Depends, HTTPException, Query, Request

from noctagon.core.game import Game, NoctagonError
from noctagon.core.registry import find_game
from noctagon.web.context import TheContext
from noctagon.web.messages.common import Acknowledged
from noctagon.web.messages.servers import NewServer, ServerView
from noctagon.web.questions import LARGEST_BOARD
from noctagon.web.routing import MalformedRequest, MessageRouter, read
from noctagon.web.settings import is_loopback
from noctagon.web.tables.servers import check_opponent
from noctagon.wire.server import make_options
from noctagon.wire.tcp import TcpWire

Line = Annotated[int | None, Query(ge=0, le=10**9)]


async def _near(request: Request, context: TheContext) -> None:
    """Refuse other machines unless there is a token, which everybody who got this far knows."""
    here = request.client is not None and is_loopback(request.client.host)
    if not here and not context.settings.token:
        raise HTTPException(403, "servers are opened and closed on this machine only, or with the token")


router = MessageRouter(prefix="/servers", tags=["servers"], dependencies=[Depends(_near)])


@router.get("")
async def servers(context: TheContext) -> list[ServerView]:
    """Return the servers that are open or were open not long ago, without their traces."""
    return [served.view() for served in context.servers.listed()]


@router.post("", status_code=201)
async def open_server(asked: NewServer, context: TheContext) -> ServerView:
    """Open a server. It listens by the time of the answer."""
    given = {name: value for name, value in msgspec.structs.asdict(asked).items() if value is not None}
    given["host"] = _checked_address(asked.host)
    game = find_game(asked.game)
    await context.preparation.need(asked.game)
    if asked.opponent:
        await context.preparation.need_player(asked.game, asked.opponent)
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
    return (await context.servers.open(wire, options, position=position)).view()


@router.get("/{id}")
async def server(id: str, context: TheContext, after: Line = None) -> ServerView:  # noqa: A002 - what it is called
    """Return a server with the lines of its trace after the first `after`."""
    return context.servers.find(id).view(after or 0)


@router.delete("/{id}")
async def close(id: str, context: TheContext) -> Acknowledged:  # noqa: A002
    """Close a server; its games end as they stand. A server that is closed already is removed from the list."""
    await context.servers.close_one(id)
    return Acknowledged()


def _checked_address(host: str) -> str:
    """Return an IP address; a name is refused, since looking it up would ask strangers."""
    try:
        return str(ip_address(host))
    except ValueError as error:
        raise MalformedRequest(f"host: {host[:60]!r} is no IP address") from error


async def _position_on(game: Game[Any], drawn: dict[str, Any], context: TheContext) -> str:
    """Return the first position on a map that was drawn on the page."""
    editor = game.map_editor()
    if editor is None:
        raise NoctagonError(f"maps of {game.name} cannot be drawn; name one: {', '.join(game.setups())}")
    return await context.ask(editor.served, read(editor.drawn, msgspec.json.encode(drawn)), LARGEST_BOARD)
