"""`/positions`: what a position looks like, what may be done there, and a turn that is being put together."""

from __future__ import annotations

from fastapi import APIRouter, Response

from noctagon.web import models, questions, turns
from noctagon.web.context import TheContext, answer
from noctagon.web.tables.registry import known_game

router = APIRouter(prefix="/positions", tags=["positions"])


@router.post("", response_model=models.PositionSeen)
async def look(asked: models.PositionAsked, context: TheContext) -> Response:
    """A position as a board, with its legal actions where they can be listed."""
    known_game(asked.game)
    return answer(await context.ask(questions.look, asked.game, asked.position, asked.rules))


@router.post("/turn", response_model=models.TurnSoFar)
async def turn(asked: models.TurnSoFarAsked, context: TheContext) -> Response:
    """A turn of several moves: whether it may be played so, what is left, where that may go and with what odds."""
    known_game(asked.game)
    return answer(
        await context.ask(
            turns.turn_so_far,
            game=asked.game,
            position=asked.position,
            rules=asked.rules,
            moves=asked.moves,
            source=asked.source,
            count=asked.count,
        )
    )
