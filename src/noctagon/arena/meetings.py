"""Meetings of two players, and the games that each of them consists of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from noctagon.arena.starts import Start


class Meeting(NamedTuple):
    """Two players who play each other from every start, as both sides; `replay` counts repetitions of a drawn one."""

    round: int
    first: str
    second: str
    replay: int = 0


class Fixture(NamedTuple):
    """A game of a meeting: the first mover, the second, and the start; `slot` names the game in its tournament."""

    slot: str
    first: str
    second: str
    start: Start


def fixtures(meeting: Meeting, starts: Sequence[Start]) -> list[Fixture]:
    """Return the games of a meeting: from every start two, with the sides swapped.

    >>> [fixture.slot for fixture in fixtures(Meeting(1, "ada", "bob"), [Start("duel")])]
    ['1/ada/bob/duel', '1/bob/ada/duel']

    A name may have a slash where a folder is part of it; it is doubled, so that no two games have one slot.
    """
    replay = f"/replay {meeting.replay}" if meeting.replay else ""
    pair = (meeting.first, meeting.second)
    return [
        Fixture(
            f"{meeting.round}/{_escaped(first)}/{_escaped(second)}/{start.name}{replay}", first, second, start
        )
        for start in starts
        for first, second in (pair, pair[::-1])
    ]


def _escaped(name: str) -> str:
    return name.replace("/", "//")
