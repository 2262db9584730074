"""`/games`: the games with their setups and players, and pictures of their boards and pieces."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import Response

from noctagon.web import catalogue, questions
from noctagon.web.context import Rules, TheContext
from noctagon.web.messages.positions import GameInfo, SetupView
from noctagon.web.routing import JSON, MessageRouter, ResponseContent
from noctagon.web.security import PICTURE_POLICY
from noctagon.web.tables.registry import Unknown, known_game

router = MessageRouter(prefix="/games", tags=["games"])

HOUR = {"cache-control": "private, max-age=3600"}
SVG = "image/svg+xml"


@router.get("")
async def games() -> Annotated[Response, ResponseContent(list[GameInfo])]:
    """Return all games, with their setups and players."""
    return Response(await asyncio.to_thread(catalogue.games), media_type=JSON)


@router.get("/{game}/setups/{setup}", dependencies=[Rules])
async def setup(game: str, setup: str, context: TheContext) -> SetupView:
    """Return the first position of a setup."""
    _known_setup(game, setup)
    return await context.ask_once(questions.look_at_setup, game, setup)


@router.get("/{game}/setups/{setup}/picture.svg", dependencies=[Rules])
async def picture(
    game: str, setup: str, context: TheContext
) -> Annotated[Response, ResponseContent(media=SVG)]:
    """Return a picture of a setup."""
    _known_setup(game, setup)
    drawn = await context.ask_once(questions.picture, game, setup)
    return Response(drawn, media_type=SVG, headers={"content-security-policy": PICTURE_POLICY, **HOUR})


@router.get("/{game}/symbols.svg", dependencies=[Rules])
async def symbols(game: str) -> Annotated[Response, ResponseContent(media=SVG)]:
    """Return the game's pieces as `<symbol id="noctagon-GAME-KIND">`, with `data-tint` for a kind's own colours."""
    headers = {"content-security-policy": PICTURE_POLICY, **HOUR}
    return Response(catalogue.symbol_sheet(known_game(game).name), media_type=SVG, headers=headers)


def _known_setup(game: str, setup: str) -> None:
    if setup not in known_game(game).setups():
        raise Unknown(f"{game} has no setup {setup[:60]!r}")
