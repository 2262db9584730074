"""A part of a study, as its file states it: its own conditions, the work it wants, its part of the report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

import msgspec

from noctagon.studies.claims import Claim, Names
from noctagon.studies.report import Report
from noctagon.studies.series import Results, Series
from noctagon.studies.tasks import Task
from noctagon.studies.work import Work

if TYPE_CHECKING:
    from noctagon.studies.study import Study


class Setting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The way to play: for a whole study, and where a section says otherwise for the section."""

    game: str | None = None
    maps: Names | None = None
    """Bundled maps, files, `generated:N`; `all` stands for all bundled ones."""
    games: int | None = None
    """Games for each pairing, in pairs."""
    time: float | None = None
    """The referee's limit for a turn, in seconds."""
    think: float | None = None
    """The `time` option of the package's players, in seconds; by default their own, within the referee's limit."""
    plies: int | None = None
    opening: int | None = None
    """Number of random moves without losses before every game but a map's first pair."""
    generator: str | None = None
    """The game's list of moves from which openings are drawn."""
    from_map: bool | None = None
    """True if a map's first pair begins at the map itself."""
    calm: int | None = None
    """Plies within which no opening leaves a side a forced win."""


class Section(Setting, frozen=True, kw_only=True):
    """A part of a study; each kind is a class."""

    work: ClassVar[tuple[Work, ...]] = ()
    """The kinds of tasks, beside games, that it gives."""

    kind: str = ""
    name: str = ""
    title: str = ""
    text: str = ""
    source: str = ""
    """The document that makes its claims, unless a claim names another."""
    claims: tuple[Claim, ...] = ()

    def players(self) -> Iterator[tuple[str, str]]:
        """Yield each player it names, with the place in words."""
        yield from ()

    def check(self, study: Study) -> None:
        """Raise `NoctagonError` for what cannot be played or judged."""

    def series(self, study: Study) -> list[Series]:
        """Return its series of games."""
        return []

    def queues(self, study: Study) -> list[list[Task]]:
        """Return its work as queues, of which the first tasks of each are done before the second of any."""
        return [series.tasks() for series in self.series(study)]

    def tasks(self, study: Study) -> list[Task]:
        """Return its work."""
        return [task for queue in self.queues(study) for task in queue]

    def write(self, study: Study, results: Results, report: Report) -> None:
        """Write its part of the report from the results so far."""
        raise NotImplementedError
