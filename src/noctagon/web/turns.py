"""A turn that is being put together at the browser: what is left, where it may go, with what odds."""

from __future__ import annotations

from typing import Any

import msgspec

from noctagon.core.game import IllegalAction, NoctagonError
from noctagon.core.registry import find_game
from noctagon.web.questions import RulesAsked, read_position

MOST_MOVES = 200
PlainMove = tuple[int, int, int, int, int]
"""x, y, count, target x, target y."""


class MeetingTold(msgspec.Struct, frozen=True):
    """Who meets whom on a cell, and how likely the mover is to hold it."""

    attackers: int
    defenders: int
    kind: str
    odds: float
    text: str


class TargetTold(msgspec.Struct, frozen=True):
    """A cell where the chosen creatures may go: how many of them, and what will happen there."""

    x: int
    y: int
    room: int
    meeting: MeetingTold


class MeetingAt(msgspec.Struct, frozen=True):
    x: int
    y: int
    meeting: MeetingTold


class TurnTold(msgspec.Struct, frozen=True, kw_only=True):
    """The turn so far: whether it may be played as it is, and how it can go on."""

    legal: bool
    error: str | None = None
    left: list[tuple[int, int, int]] = []
    sources: list[tuple[int, int]] = []
    targets: list[TargetTold] = []
    meetings: list[MeetingAt] = []
    action: str = ""


def turn_so_far(
    game: str,
    position: str,
    rules: RulesAsked,
    moves: list[PlainMove],
    source: tuple[int, int] | None,
    count: int | None,
) -> TurnTold:
    found, state = find_game(game), read_position(game, position, rules)
    build = getattr(state, "build", None)
    if build is None:
        raise NoctagonError(f"a turn of {found.title} is one action: there is nothing to put together")
    builder = build()
    try:
        for move in moves:
            builder = builder.move(*move)
    except IllegalAction as error:
        return TurnTold(legal=False, error=str(error))
    targets = list(dict.fromkeys((move[3], move[4]) for move in moves))
    return TurnTold(
        legal=bool(moves),
        left=[(x, y, left) for (x, y), left in builder.left.items()],
        sources=builder.sources(),
        targets=[] if source is None else _targets(builder, source, count),
        meetings=[MeetingAt(x, y, _meeting(builder, x, y)) for x, y in targets],
        action=found.format_action(builder.turn) if moves else "",
    )


def _targets(builder: Any, source: tuple[int, int], count: int | None) -> list[TargetTold]:
    x, y = source
    left = builder.left.get((x, y), 0)
    going = left if count is None else min(count, left)
    found = []
    for tx, ty in builder.targets(x, y):
        room = min(left, builder.room(tx, ty))
        after = builder.move(x, y, max(1, min(going, room)), tx, ty)
        found.append(TargetTold(tx, ty, room, _meeting(after, tx, ty)))
    return found


def _meeting(builder: Any, x: int, y: int) -> MeetingTold:
    meeting = builder.meeting(x, y)
    return MeetingTold(
        meeting.attackers, meeting.defenders, meeting.kind, round(meeting.odds, 4), str(meeting)
    )
