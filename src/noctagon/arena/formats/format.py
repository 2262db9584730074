"""The base class of tournament formats, and what a format is asked and answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Protocol

import msgspec

from noctagon.arena.bout import Finished
from noctagon.arena.formats.tie_breaks import Counted, TieBreaks
from noctagon.arena.meetings import Meeting

if TYPE_CHECKING:
    from noctagon.arena.plan import Plan


class GamesSoFar(Protocol):
    """The games so far, as a format may ask about them."""

    def results(self, meeting: Meeting) -> Sequence[Finished] | None:
        """Return a meeting's games; None while some are still to be played.

        Games that will never be played, because a player is disqualified, are missing.
        """

    def disqualified_before(self, number: int) -> Collection[str]:
        """Return the players disqualified by games of the rounds before this one."""


@dataclass(frozen=True)
class Schedule:
    """The meetings that are known, in the order in which they are played.

    A format that has more to remember between `schedule` and its other methods returns a subclass.
    """

    meetings: Sequence[Meeting]
    whole: bool = True
    """False while results may add more meetings."""
    byes: Mapping[str, int] = field(default_factory=dict)
    """Rounds in which a player had no opponent, and which count as meetings won."""


class Pairing(msgspec.Struct, frozen=True):
    """Two players in a diagram, with what their meeting came to; an empty name is a bye."""

    first: str
    second: str
    scores: tuple[tuple[float, float], ...] = ()
    """Points of both in their meeting, and in each of its replays."""
    winner: str | None = None
    """The player who goes on; empty where neither does, None while that is open."""
    note: str = ""
    """A remark, such as why a player went on."""


class Round(msgspec.Struct, frozen=True):
    """A titled column of a diagram."""

    title: str
    pairings: tuple[Pairing, ...]


class Diagram(msgspec.Struct, frozen=True):
    """A picture of a tournament for the report and the page: rounds as columns, from left to right."""

    name: str
    """One lower-case word, such as `bracket`: the heading is "The bracket"."""
    about: str
    """A sentence or two on how to read it."""
    rounds: tuple[Round, ...]
    tree: bool = False
    """True where each pairing comes from two of the round before, so that lines join them."""


class Format(ABC):
    """A tournament format: the meetings that come next, the order of the players, and what is shown of it.

    A subclass is found by its entry point of the group `noctagon.formats`, whose name is what plans and `--format`
    call it. Keyword-only arguments of its `__init__` that have defaults are its options: `format = "NAME:lives=2"`.
    A format computes everything from the plan and the games; it keeps no state of its own, so a tournament that is
    resumed comes to the same end.
    """

    title: ClassVar[str]
    """Its name on the page, such as "round robin"."""
    phrase: ClassVar[str]
    """The same in a sentence, with its article: "a Swiss tournament"."""
    about: ClassVar[str]
    """A line for `noctagon tournament formats` on who meets whom."""
    disqualified_rule: ClassVar[str] = ""
    """A sentence for the report on what meetings with a disqualified player count, where that is special."""

    def __init__(self, plan: Plan, names: Sequence[str], games_per_meeting: int) -> None:
        self.plan = plan
        self.names = names
        """All players, in the order of the plan."""
        self.games_per_meeting = games_per_meeting

    @abstractmethod
    def schedule(self, played: GamesSoFar) -> Schedule:
        """Return the meetings as far as the games so far decide them.

        More games must only ever add meetings at the end.
        """

    @abstractmethod
    def tie_breaks(self, counted: Counted, schedule: Schedule) -> TieBreaks:
        """Return what decides the order of the players who are not disqualified."""

    def expected_meetings(self) -> int:
        """Return how many meetings there will be at least, where the schedule does not know all of them yet."""
        return 0

    def bye_points(self, schedule: Schedule, out: Collection[str]) -> dict[str, float]:
        """Return the points that players have without a game; `out` are the disqualified."""
        return {name: float(rounds * self.games_per_meeting) for name, rounds in schedule.byes.items()}

    def diagram(self, schedule: Schedule, out: Collection[str]) -> Diagram | None:
        """Return a picture for the report and the page, if the format has one."""
        return None
