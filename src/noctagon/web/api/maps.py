"""`/maps`: maps drawn on the page; checked, made by chance, written and read in the format of their game."""

# No postponed annotations: the types of the routes are those of the editor at hand.
from typing import Annotated, Any

import msgspec
from fastapi import Request, Response

from noctagon.core.maps import MapChecked, MapEditor
from noctagon.core.registry import find_game, game_names
from noctagon.web.context import Rules, TheContext
from noctagon.web.messages.common import RequestMessage
from noctagon.web.questions import LARGEST_BOARD
from noctagon.web.routing import MessageRouter, ResponseContent

Message = Any
"""A type that is known when the routes are made."""


def find_editor() -> MapEditor[Any, Any, Any] | None:
    """Return the map editor of the first game by name that has one."""
    editors = (find_game(name).map_editor() for name in game_names())
    return next((editor for editor in editors if editor is not None), None)


def add_routes(router: MessageRouter, editor: MapEditor[Any, Any, Any]) -> None:
    """Add the routes of a game's map editor."""
    MapRequest: Message = msgspec.defstruct(  # noqa: N806 - a class
        "MapRequest", [("map", editor.drawn)], bases=(RequestMessage,), frozen=True, kw_only=True
    )
    Wishes: Message = editor.wishes  # noqa: N806
    Found: Message = editor.found  # noqa: N806
    file = {"content": {editor.media_type: {"schema": {"type": "string"}}}, "required": True}

    @router.post("/check")
    async def check(asked: MapRequest, context: TheContext) -> MapChecked:
        """Return what is wrong with a map, or what to know about it."""
        return await context.ask(editor.check, asked.map, LARGEST_BOARD)

    @router.post("/xml")
    async def xml(
        asked: MapRequest, context: TheContext
    ) -> Annotated[Response, ResponseContent(media=editor.media_type)]:
        """Return the map as a file that the game's other programs read."""
        headers = {"content-disposition": f'attachment; filename="{editor.file_name}"'}
        content = await context.ask(editor.write, asked.map)
        return Response(content, media_type=editor.media_type, headers=headers)

    @router.post("/parse", openapi_extra={"requestBody": file})
    async def parse(request: Request, context: TheContext) -> Found:
        """Return the map in a file of the game's format."""
        return await context.ask(editor.read, await request.body())

    @router.post("/generate")
    async def generate(asked: Wishes, context: TheContext) -> Found:
        """Return a map made by chance."""
        return await context.ask(editor.make, asked)


router = MessageRouter(prefix="/maps", tags=["maps"], dependencies=[Rules])
if (_editor := find_editor()) is not None:
    add_routes(router, _editor)
