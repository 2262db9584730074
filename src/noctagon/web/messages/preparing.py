"""Messages about what is compiled before the games can be played."""

from __future__ import annotations

from typing import Literal

import msgspec

Part = Literal["rules", "champion"]
PartState = Literal["waiting", "compiling", "ready", "failed"]


class PartView(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a game that has to be compiled once on a machine: what it is, how far it is, also in words.

    `total` is the number of its functions, `left` the estimated number of seconds; null: not known yet.
    """

    game: str
    part: Part
    what: str
    state: PartState
    functions: int
    total: int | None
    left: float | None
    text: str


class PreparationView(msgspec.Struct, frozen=True):
    """All parts of all games. Everything is `ready` once none is waiting or being compiled."""

    ready: bool
    parts: list[PartView]
