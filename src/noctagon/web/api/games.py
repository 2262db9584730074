"""`/games`: what can be played, on which setups, by whom; and what the pieces look like."""

from __future__ import annotations

from fastapi import APIRouter, Response

from noctagon.web import catalogue, models, questions
from noctagon.web.context import TheContext, answer
from noctagon.web.security import PICTURE_POLICY
from noctagon.web.tables.registry import Unknown, known_game

router = APIRouter(prefix="/games", tags=["games"])

HOUR = {"cache-control": "private, max-age=3600"}
SVG = "image/svg+xml"


@router.get("", response_model=list[models.Game])
async def games() -> Response:
    """All games, with their setups and players."""
    return Response(catalogue.games(), media_type="application/json")


@router.get("/{game}/setups/{setup}", response_model=models.SetupSeen)
async def setup(game: str, setup: str, context: TheContext) -> Response:
    """The first position on a setup."""
    _known_setup(game, setup)
    return answer(await context.ask_once(questions.look_at_setup, game, setup))


@router.get(
    "/{game}/setups/{setup}/picture.svg", response_class=Response, responses={200: {"content": {SVG: {}}}}
)
async def picture(game: str, setup: str, context: TheContext) -> Response:
    """A setup as a picture."""
    _known_setup(game, setup)
    drawn = await context.ask_once(questions.picture, game, setup)
    return Response(drawn, media_type=SVG, headers={"content-security-policy": PICTURE_POLICY, **HOUR})


@router.get("/{game}/symbols.svg", response_class=Response, responses={200: {"content": {SVG: {}}}})
async def symbols(game: str) -> Response:
    """The game's pieces: `<symbol id="noctagon-GAME-KIND">`, with `data-tint` where a kind has its own colours."""
    headers = {"content-security-policy": PICTURE_POLICY, **HOUR}
    return Response(catalogue.symbol_sheet(known_game(game).name), media_type=SVG, headers=headers)


def _known_setup(game: str, setup: str) -> None:
    if setup not in known_game(game).setups():
        raise Unknown(f"{game} has no setup {setup[:60]!r}")
