"""`/positions`: positions as boards with their legal actions, and turns in the making."""

from __future__ import annotations

from noctagon.web import questions, turns
from noctagon.web.context import TheContext
from noctagon.web.messages.positions import PositionRequest, PositionView, TurnSoFar, UnfinishedTurn
from noctagon.web.routing import MessageRouter
from noctagon.web.tables.registry import known_game

router = MessageRouter(prefix="/positions", tags=["positions"])


@router.post("")
async def look(asked: PositionRequest, context: TheContext) -> PositionView:
    """Return a position as a board, with its legal actions if they are few."""
    await context.preparation.need(known_game(asked.game).name)
    return await context.ask(questions.look, asked.game, asked.position, asked.rules)


@router.post("/turn")
async def turn(asked: UnfinishedTurn, context: TheContext) -> TurnSoFar:
    """Return the state of a turn of several moves: its legality, the creatures left, their targets and the odds."""
    await context.preparation.need(known_game(asked.game).name)
    return await context.ask(
        turns.turn_so_far,
        game=asked.game,
        position=asked.position,
        rules=asked.rules,
        moves=asked.moves,
        source=asked.source,
        count=asked.count,
    )
