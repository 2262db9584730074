"""TCP servers that are opened on the page: their tables, results and packets."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from noctagon.web.messages.common import Name, PlyLimit, RequestMessage, ResultView, Spec

TcpTableState = Literal["waiting", "playing", "finished"]


class NewServer(RequestMessage, frozen=True, kw_only=True):
    """A server to open, at an address of this machine.

    `map` is a bundled one by name, or a drawn one; `opponent` is a player of the package that takes the other chair.
    """

    game: Name = "vampires"
    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 5555
    map: Name | dict[str, Any] | None = None
    rules: Name | None = None
    plies: PlyLimit | None = None
    majority: bool | None = None
    time: Annotated[float, Meta(ge=0.05, le=600)] = 2.0
    duration: Annotated[float, Meta(ge=1, le=86_400)] | None = 300.0
    games: Annotated[int, Meta(ge=1, le=1000)] = 1
    tables: Annotated[int, Meta(ge=1, le=64)] = 1
    lenient: bool = False
    reconnect: bool = False
    opponent: Spec | None = None


class ChairView(msgspec.Struct, frozen=True):
    """A chair at a table: who took it, from which address, and whether that program is still connected."""

    name: str
    address: str
    here: bool


class TcpTableView(msgspec.Struct, frozen=True, kw_only=True):
    """A table of a server: its chairs in the order of moving, and the page's table that shows its game.

    Until the next game begins, order, score and ply are those of the last one.
    """

    number: int
    state: TcpTableState
    chairs: list[ChairView]
    game: int
    games: int
    table: str | None
    ply: int
    score: tuple[float, float]


class ServedGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game that was played. `remark` names what looks like cheating."""

    table: int
    game: int
    id: str
    players: tuple[str, str]
    plies: int
    result: ResultView
    remark: str


class ServerView(msgspec.Struct, frozen=True, kw_only=True):
    """A server. `over` says why it no longer listens; `trace` has the lines after the one asked for."""

    id: str
    host: str
    port: int
    map: str
    rules: str
    time: float
    duration: float | None
    games: int
    reconnect: bool
    lenient: bool
    opponent: str
    terminal: bool
    over: str
    arriving: int
    played: int
    tables: list[TcpTableView]
    results: list[ServedGame]
    lines: int
    trace: list[str]
