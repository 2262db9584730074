"""The shapes of the map editor's part of the API."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

MOST_HOUSES = 10_000
Whole = Annotated[int, Field(ge=-(10**6), le=10**6)]
"""Any small number: what is wrong with one is told in words, together with all else."""
Size = Annotated[int, Field(ge=0, le=10**6)]
Group = tuple[Whole, Whole, Whole]


class Asked(BaseModel):
    """A request: what it does not know is refused."""

    model_config = ConfigDict(extra="forbid")


class DrawnMap(Asked):
    """Groups are x, y, count. A start group may be missing while one draws."""

    rows: Size
    columns: Size
    humans: Annotated[list[Group], Field(max_length=MOST_HOUSES)] = []
    vampires: Group | None = None
    werewolves: Group | None = None


class MapAsked(Asked):
    map: DrawnMap


class MapChecked(BaseModel):
    """`position` is where a game on the map begins: `POST /tables` takes it. Empty: none can be played here."""

    problems: list[str]
    remarks: list[str]
    symmetric: bool
    position: str


class MapRead(BaseModel):
    map: DrawnMap
    warnings: list[str]
    seed: int | None


class GenerateAsked(Asked):
    """A range of counts for the houses, one count for both start groups; what is not said is drawn by chance."""

    rows: Size = 10
    columns: Size = 10
    houses: Annotated[int, Field(ge=0, le=MOST_HOUSES)] = 16
    humans: tuple[Whole, Whole] = (1, 19)
    start: Whole | None = None
    symmetric: bool = True
    seed: Annotated[int, Field(ge=0, le=2**53)] | None = None
