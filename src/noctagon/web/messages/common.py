"""The common parts of requests, the limits of their fields, and the plainest answers."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

Count = Annotated[int, Meta(ge=0, le=10**9)]
Coordinate = Annotated[int, Meta(ge=0, le=254)]
SideNumber = Annotated[int, Meta(ge=0, le=1)]
PlyLimit = Annotated[int, Meta(ge=1, le=100_000)]
Seed = Annotated[int, Meta(ge=0, le=2**53)]
Pace = Annotated[float, Meta(ge=0, le=60)]
"""Least number of seconds between turns of the package's players."""
Name = Annotated[str, Meta(min_length=1, max_length=60)]
Spec = Annotated[str, Meta(min_length=1, max_length=300)]
Key = Annotated[str, Meta(max_length=100)]
PositionString = Annotated[str, Meta(min_length=1, max_length=100_000)]
RulesRequest = Name | Annotated[dict[str, Any], Meta(max_length=20)] | None
"""The name of a rule set, or all rules as a snapshot has them."""


class RequestMessage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request's body. Unknown fields are refused."""


class ErrorMessage(msgspec.Struct, frozen=True):
    """The error, as a sentence."""

    error: str


class Acknowledged(msgspec.Struct, frozen=True):
    """The answer to a request that has been carried out."""

    ok: bool = True


class ArrowRow(NamedTuple):
    """A move to draw, from one cell to another, with a short text."""

    x: int
    y: int
    tx: int
    ty: int
    text: str


class Change(NamedTuple):
    """The content of a cell after a turn. Without a kind the cell is empty."""

    x: int
    y: int
    kind: str | None
    side: int | None
    amount: int
    label: str


class ResultView(msgspec.Struct, frozen=True):
    """The result of a game. `text` is the whole of it as a sentence."""

    winner: int | None
    reason: str
    detail: str
    text: str
