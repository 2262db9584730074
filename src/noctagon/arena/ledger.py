"""The ledger of a tournament: its schedule as far as it is known, the games that count, who is out, the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from noctagon.arena.bout import Finished
from noctagon.arena.faults import disqualified, fatal_rows, reason
from noctagon.arena.formats import Diagram, make_format
from noctagon.arena.meetings import Fixture, Meeting, fixtures
from noctagon.arena.plan import Plan, names_of
from noctagon.arena.standings import Standings, rank
from noctagon.arena.starts import starts_of
from noctagon.core.registry import find_game


class Ledger:
    """A plan and the games that were played for it. It needs nothing else: no program, no map, no clock."""

    def __init__(self, plan: Plan, games: Iterable[Finished] = ()) -> None:
        self.plan = plan
        self.names = names_of(plan)
        self.starts = starts_of(plan.maps, find_game(plan.game), plan.openings, plan.opening_plies)
        self.format = make_format(plan, self.names, self.games_per_meeting)
        self.games: dict[str, Finished] = {}
        """The games that count, by slot."""
        self.fixtures: dict[str, Fixture] = {}
        """All games that are known, by slot, in the order of the schedule."""
        self._stored = {game.slot: game for game in games}
        self._slots: dict[Meeting, list[str]] = {}
        self._faults: Counter[str] = Counter()
        self._out: dict[str, str] | None = {}
        """The disqualified; None where a game has been counted since they were determined."""
        self._draw()

    @property
    def games_per_meeting(self) -> int:
        return 2 * len(self.starts)

    @property
    def finished(self) -> list[Finished]:
        """The games that count, in the order of the schedule."""
        return [self.games[slot] for slot in self.fixtures if slot in self.games]

    @property
    def out(self) -> dict[str, str]:
        """The disqualified players, each with the reason: by the order of the schedule, whatever ended first."""
        if self._out is None:
            self._out = {name: reason(row) for name, row in self.fatal_rows().items()}
        return self._out

    def fatal_rows(self) -> dict[str, list[Finished]]:
        """Return for each disqualified player the faults in a row for which it is out."""
        return fatal_rows(self.plan, [self.games.get(slot, one) for slot, one in self.fixtures.items()])

    @property
    def expected(self) -> int:
        """Number of games there will be, as far as it is known."""
        off = sum(slot not in self.games and self.is_off(slot) for slot in self.fixtures) if self.out else 0
        known = len(self.fixtures) - off
        if self.schedule.whole:
            return known
        return max(known, self.format.expected_meetings() * self.games_per_meeting)

    @property
    def is_over(self) -> bool:
        return self.schedule.whole and self.is_played

    @property
    def is_played(self) -> bool:
        """True where nothing of the schedule as it is known is left to play."""
        return all(slot in self.games or self.is_off(slot) for slot in self.fixtures)

    def is_off(self, slot: str) -> bool:
        """Return whether a game will not be played because one of its players is out."""
        fixture = self.fixtures[slot]
        return fixture.first in self.out or fixture.second in self.out

    def standings(self) -> Standings:
        """Return the table of the games that have been played."""
        return rank(self.format, self.finished, self.schedule, out=self.out)

    def diagram(self) -> Diagram | None:
        """Return the format's picture of the tournament, if it has one."""
        return self.format.diagram(self.schedule, self.out)

    def count(self, game: Finished) -> None:
        """Add a finished game."""
        self.games[game.slot] = game
        if game.fault is not None:
            self._faults[game.players[game.fault]] += 1
        if self.plan.disqualify and max(self._faults.values(), default=0) >= self.plan.disqualify:
            self._out = None

    def results(self, meeting: Meeting) -> Sequence[Finished] | None:
        """Return a meeting's games; None while some are still to be played."""
        if meeting not in self._slots:
            self._enter(meeting)
        slots = self._slots[meeting]
        if all(slot in self.games or self.is_off(slot) for slot in slots):
            return [self.games[slot] for slot in slots if slot in self.games]
        return None

    def disqualified_before(self, number: int) -> Collection[str]:
        """Return the players disqualified by games of the rounds before this one."""
        if not self.out:
            return ()
        return disqualified(self.plan, [game for game in self.finished if game.round < number])

    def _draw(self) -> None:
        """Make the schedule as far as it is known now."""
        self.schedule = self.format.schedule(self)
        for meeting in self.schedule.meetings:
            if meeting not in self._slots:
                self._enter(meeting)

    def _enter(self, meeting: Meeting) -> None:
        """Add a meeting to the schedule, and count those of its games that have been played."""
        found = fixtures(meeting, self.starts)
        self._slots[meeting] = [fixture.slot for fixture in found]
        for fixture in found:
            self.fixtures[fixture.slot] = fixture
        for fixture in found:
            if (game := self._recall(fixture)) is not None:
                self.count(game)

    def _recall(self, fixture: Fixture) -> Finished | None:
        """Return a game that has been played already."""
        return self._stored.get(fixture.slot)
