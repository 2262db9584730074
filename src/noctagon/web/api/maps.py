"""`/maps`: drawing maps of Vampires vs Werewolves; checked, made up, written and read in the course's format."""

from __future__ import annotations

import msgspec
from fastapi import APIRouter, Request, Response

from noctagon.web import mapping
from noctagon.web import models_maps as models
from noctagon.web.context import TheContext
from noctagon.web.routing import answer

router = APIRouter(prefix="/maps", tags=["maps"])

XML = "application/xml"
FILE = {"requestBody": {"required": True, "content": {XML: {"schema": {"type": "string"}}}}}


@router.post("/check", response_model=models.MapChecked)
async def check(asked: models.MapAsked, context: TheContext) -> Response:
    """What is wrong with a map, or what to know about it."""
    return answer(await context.ask(mapping.check, _drawn(asked.map)))


@router.post("/xml", response_class=Response, responses={200: {"content": {XML: {}}}})
async def xml(asked: models.MapAsked, context: TheContext) -> Response:
    """The map as a file that the course's programs read."""
    headers = {"content-disposition": 'attachment; filename="map.xml"'}
    return Response(await context.ask(mapping.xml, _drawn(asked.map)), media_type=XML, headers=headers)


@router.post("/parse", response_model=models.MapRead, openapi_extra=FILE)
async def parse(request: Request, context: TheContext) -> Response:
    """The map in a file of the course's format."""
    return answer(await context.ask(mapping.parse, await request.body()))


@router.post("/generate", response_model=models.MapRead)
async def generate(asked: models.GenerateAsked, context: TheContext) -> Response:
    """A map drawn by chance, in the manner of the course's generator."""
    return answer(await context.ask(mapping.generate, **asked.model_dump()))


def _drawn(asked: models.DrawnMap) -> mapping.Drawn:
    return msgspec.convert(asked.model_dump(), mapping.Drawn)
