"""The books of a tournament: its schedule as far as it is known, the games that count, who is out, the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from noctagon.arena.bout import Finished
from noctagon.arena.disqualification import disqualified, fatal_rows, reason
from noctagon.arena.pairing import swiss_rounds
from noctagon.arena.plan import Plan, names_of
from noctagon.arena.schedule import Meeting, Place, Schedule, draw, places
from noctagon.arena.standings import Standings, rank
from noctagon.arena.starts import starts_of
from noctagon.core.registry import find_game


class Ledger:
    """A plan and the games that were played for it. Nothing else is needed: no program, no map, no clock."""

    def __init__(self, plan: Plan, games: Iterable[Finished] = ()) -> None:
        self.plan = plan
        self.names = names_of(plan)
        self.starts = starts_of(plan.maps, find_game(plan.game), plan.openings, plan.opening_plies)
        self.games: dict[str, Finished] = {}
        """The games that count, by slot."""
        self.places: dict[str, Place] = {}
        """All games that are known, by slot, in the order of the schedule."""
        self._stored = {game.slot: game for game in games}
        self._slots: dict[Meeting, list[str]] = {}
        self._faults: Counter[str] = Counter()
        self._out: dict[str, str] | None = {}
        """Who is disqualified; None where a game has been counted since that was found out."""
        self.schedule = self._draw()

    @property
    def games_of_a_meeting(self) -> int:
        return 2 * len(self.starts)

    @property
    def finished(self) -> list[Finished]:
        """The games that count, in the order of the schedule."""
        return [self.games[slot] for slot in self.places if slot in self.games]

    @property
    def out(self) -> dict[str, str]:
        """Who is disqualified, and why: by the order of the schedule, whatever ended first."""
        if self._out is None:
            self._out = {name: reason(row) for name, row in self.fatal_rows().items()}
        return self._out

    def fatal_rows(self) -> dict[str, list[Finished]]:
        """The faults in a row for which each of them is out."""
        return fatal_rows(self.plan, [self.games.get(slot, place) for slot, place in self.places.items()])

    @property
    def expected(self) -> int:
        """How many games there will be, as far as can be told."""
        off = sum(slot not in self.games and self.is_off(slot) for slot in self.places) if self.out else 0
        known = len(self.places) - off
        if self.schedule.whole:
            return known
        players = len(self.names)
        knockout = self.plan.format == "knockout"
        meetings = players - 1 if knockout else (self.plan.rounds or swiss_rounds(players)) * (players // 2)
        return max(known, meetings * self.games_of_a_meeting)

    @property
    def is_over(self) -> bool:
        return self.schedule.whole and self.is_played

    @property
    def is_played(self) -> bool:
        """Whether nothing of the schedule as it is known is left to play."""
        return all(slot in self.games or self.is_off(slot) for slot in self.places)

    def is_off(self, slot: str) -> bool:
        """Whether a game is not played any more, since one of its players is out."""
        place = self.places[slot]
        return place.first in self.out or place.second in self.out

    def standings(self) -> Standings:
        """The table as it stands."""
        each = float(self.games_of_a_meeting)
        byes = {name: rests * each for name, rests in self.schedule.byes.items()}
        if self.plan.format == "swiss":  # who met somebody that is out must not be the worse for it
            for meeting in self.schedule.meetings:
                for name, other in ((meeting.first, meeting.second), (meeting.second, meeting.first)):
                    if other in self.out:
                        byes[name] = byes.get(name, 0.0) + each
        through = self.schedule.through if self.plan.format == "knockout" else None
        return rank(self.plan, self.names, self.finished, byes, out=self.out, through=through)

    def count(self, game: Finished) -> None:
        """Take a game into the books."""
        self.games[game.slot] = game
        if game.fault is not None:
            self._faults[game.players[game.fault]] += 1
        if self.plan.disqualify and max(self._faults.values(), default=0) >= self.plan.disqualify:
            self._out = None

    def _draw(self) -> Schedule:
        """The schedule as far as it is known now."""
        schedule = draw(self.plan, self.names, self.games_of_a_meeting, self._results, self._out_before)
        for meeting in schedule.meetings:
            if meeting not in self._slots:
                self._enter(meeting)
        return schedule

    def _results(self, meeting: Meeting) -> Sequence[Finished] | None:
        if meeting not in self._slots:
            self._enter(meeting)
        slots = self._slots[meeting]
        if all(slot in self.games or self.is_off(slot) for slot in slots):
            return [self.games[slot] for slot in slots if slot in self.games]
        return None

    def _enter(self, meeting: Meeting) -> None:
        """Take a meeting into the schedule, and those of its games that have been played into the books."""
        found = places(meeting, self.starts)
        self._slots[meeting] = [place.slot for place in found]
        for place in found:
            self.places[place.slot] = place
        for place in found:
            if (game := self._recall(place)) is not None:
                self.count(game)

    def _recall(self, place: Place) -> Finished | None:
        """A game that has been played already."""
        return self._stored.get(place.slot)

    def _out_before(self, number: int) -> Collection[str]:
        """Who was disqualified by games of the rounds before."""
        if not self.out:
            return ()
        return disqualified(self.plan, [game for game in self.finished if game.round < number])
