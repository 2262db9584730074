"""A turn in the making: the creatures that are left, their targets, and the odds. Runs in a worker process."""

from __future__ import annotations

from typing import Any

from noctagon.core.game import IllegalAction, NoctagonError
from noctagon.core.registry import find_game
from noctagon.web.messages.positions import (
    CellRow,
    EncounterView,
    LeftRow,
    MeetingAt,
    MoveRow,
    TargetView,
    TurnSoFar,
)
from noctagon.web.questions import RulesAsked, read_position


def turn_so_far(
    game: str,
    position: str,
    rules: RulesAsked,
    moves: list[MoveRow],
    source: tuple[int, int] | None,
    count: int | None,
) -> TurnSoFar:
    found, state = find_game(game), read_position(game, position, rules)
    build = getattr(state, "build", None)
    if build is None:
        raise NoctagonError(f"a turn of {found.title} is one action: there is nothing to put together")
    builder = build()
    try:
        for move in moves:
            builder = builder.move(*move)
    except IllegalAction as error:
        return TurnSoFar(legal=False, error=str(error))
    targets = list(dict.fromkeys((move[3], move[4]) for move in moves))
    return TurnSoFar(
        legal=bool(moves),
        left=[LeftRow(x, y, left) for (x, y), left in builder.left.items()],
        sources=[CellRow(x, y) for x, y in builder.sources()],
        targets=[] if source is None else _targets(builder, source, count),
        meetings=[MeetingAt(x, y, _meeting(builder, x, y)) for x, y in targets],
        action=found.format_action(builder.turn) if moves else "",
    )


def _targets(builder: Any, source: tuple[int, int], count: int | None) -> list[TargetView]:
    x, y = source
    left = builder.left.get((x, y), 0)
    going = left if count is None else min(count, left)
    found = []
    for tx, ty in builder.targets(x, y):
        room = min(left, builder.room(tx, ty))
        after = builder.move(x, y, max(1, min(going, room)), tx, ty)
        found.append(TargetView(tx, ty, room, _meeting(after, tx, ty)))
    return found


def _meeting(builder: Any, x: int, y: int) -> EncounterView:
    meeting = builder.meeting(x, y)
    return EncounterView(
        meeting.attackers, meeting.defenders, meeting.kind, round(meeting.odds, 4), str(meeting)
    )
