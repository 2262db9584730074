"""The shapes of the API about TCP servers."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, IPvAnyAddress

Spec = Annotated[str, Field(min_length=1, max_length=300)]
Name = Annotated[str, Field(min_length=1, max_length=60)]

Host = IPvAnyAddress
"""Never a name: looking one up would ask strangers."""


class NewServer(BaseModel):
    """`map` is a bundled one by name, or a drawn one; `opponent` is one of our players that takes the other chair."""

    model_config = ConfigDict(extra="forbid")

    game: Name = "vampires"
    host: Host = IPv4Address("127.0.0.1")
    port: Annotated[int, Field(ge=0, le=65535)] = 5555
    map: Name | dict[str, Any] | None = None
    rules: Name | None = None
    plies: Annotated[int, Field(ge=1, le=100_000)] | None = None
    majority: bool | None = None
    time: Annotated[float, Field(ge=0.05, le=600, allow_inf_nan=False)] = 2.0
    duration: Annotated[float, Field(ge=1, le=86_400, allow_inf_nan=False)] | None = 300.0
    games: Annotated[int, Field(ge=1, le=1000)] = 1
    tables: Annotated[int, Field(ge=1, le=64)] = 1
    lenient: bool = False
    reconnect: bool = False
    opponent: Spec | None = None


class Result(BaseModel):
    winner: int | None
    reason: str
    detail: str
    text: str


class Chair(BaseModel):
    name: str
    address: str
    here: bool


class TcpTable(BaseModel):
    """`table` is the table of the page that shows the game."""

    number: int
    state: str
    chairs: list[Chair]
    game: int
    games: int
    table: str | None
    ply: int
    score: tuple[float, float]


class Outcome(BaseModel):
    table: int
    game: int
    id: str
    players: tuple[str, str]
    plies: int
    result: Result
    remark: str


class Server(BaseModel):
    """`over` says why it does not listen any more; `lines` counts those of the trace, `trace` has the newest."""

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
    tables: list[TcpTable]
    results: list[Outcome]
    lines: int
    trace: list[str]
