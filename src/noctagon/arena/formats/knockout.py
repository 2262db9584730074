"""Knockout: the winner of each meeting goes on to the next round, until one player is left."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

from noctagon.arena.bout import Finished
from noctagon.arena.formats.format import Diagram, Format, GamesSoFar, Pairing, Round, Schedule
from noctagon.arena.formats.tie_breaks import Counted, TieBreaks
from noctagon.arena.meetings import Meeting
from noctagon.core.game import NoctagonError

if TYPE_CHECKING:
    from noctagon.arena.plan import Plan

TITLES = {1: "Final", 2: "Semi-finals", 4: "Quarter-finals"}
"""Titles of the last rounds, by their number of pairs."""


@dataclass(frozen=True)
class Bracket(Schedule):
    """A knockout as far as it is known: the pairs of each round and who went on."""

    rounds: Sequence[Sequence[Pairing]] = ()
    reached: Mapping[str, int] = field(default_factory=dict)
    """The round that each player came to, counted from 1; the winner came one further."""


class Knockout(Format):
    title = "knockout"
    phrase = "a knockout"
    about = (
        "Seeded in the order of the players; the winner of a meeting goes on. A drawn one is played again `replays` "
        "times, then the better seed goes on."
    )

    def __init__(self, plan: Plan, names: Sequence[str], games_per_meeting: int, *, replays: int = 2) -> None:
        super().__init__(plan, names, games_per_meeting)
        if replays < 0:
            raise NoctagonError(f"format knockout: replays={replays} should be at least 0")
        self.replays = replays

    def schedule(self, played: GamesSoFar) -> Bracket:
        meetings: list[Meeting] = []
        rounds: list[list[Pairing]] = []
        places = seeded(self.names)
        reached = dict.fromkeys(self.names, 1)
        while len(places) > 1:
            pairs = list(zip(places[::2], places[1::2], strict=True))
            current = self._round(len(rounds) + 1, pairs, played, meetings)
            rounds.append(current)
            places = [pairing.winner for pairing in current if pairing.winner is not None]
            if len(places) < len(current):
                return Bracket(meetings, whole=False, rounds=rounds, reached=reached)
            reached |= {name: len(rounds) + 1 for name in places if name}
        return Bracket(meetings, rounds=rounds, reached=reached)

    def _round(
        self, number: int, pairs: Sequence[tuple[str, str]], played: GamesSoFar, meetings: list[Meeting]
    ) -> list[Pairing]:
        """Return what each pair of a round came to, as far as it is known.

        Adds what has to be played for it to `meetings`: replays after all first meetings, so that the order is the
        same whatever ends first.
        """
        gone = played.disqualified_before(number)
        found = [Pairing(*pair, winner=_walkover(pair, gone)) for pair in pairs]
        for replay in range(self.replays + 1):
            undecided = [place for place, pairing in enumerate(found) if pairing.winner is None]
            current = [Meeting(number, *pairs[place], replay) for place in undecided]
            meetings += current
            results = [played.results(meeting) for meeting in current]
            for place, games in zip(undecided, results, strict=True):
                if games is not None:
                    found[place] = _met(found[place], games, played.disqualified_before(number + 1))
            if any(games is None for games in results):
                return found
        seed = list(self.names).index
        return [
            replace(pairing, winner=min(pairing.first, pairing.second, key=seed))
            if pairing.winner is None
            else pairing
            for pairing in found
        ]

    def expected_meetings(self) -> int:
        return len(self.names) - 1

    def tie_breaks(self, counted: Counted, schedule: Schedule) -> TieBreaks:
        assert isinstance(schedule, Bracket)
        # All games, also those that are struck: a rival that is disqualified later was no worse for it.
        last = dict.fromkeys(counted.names, 0.0)
        for name, rounds in _scores(counted).items():
            if rounds:
                points = rounds[max(rounds)]
                last[name] = sum(points) / len(points)
        return TieBreaks(
            {"Round": {name: float(schedule.reached[name]) for name in counted.names}, "Last meeting": last},
            [
                "The order is by the round a player came to; the winner of the final came one further.",
                "Among those who went out in the same round the share of the points in their last meeting decides.",
                "A meeting that stays drawn after its replays is won by the player named first in the plan.",
            ],
        )

    def diagram(self, schedule: Schedule, out: Collection[str]) -> Diagram | None:
        assert isinstance(schedule, Bracket)
        return Diagram(
            "bracket",
            "Round by round, from left to right; the player in bold went on. The number is what a player scored in the "
            "games of the meeting; a drawn one is played again, and then there is a number for each time.",
            tuple(
                Round(
                    TITLES.get(len(pairings), f"Round {number}"),
                    tuple(replace(pairing, note=_note(pairing, out)) for pairing in pairings),
                )
                for number, pairings in enumerate(schedule.rounds, 1)
            ),
            tree=True,
        )


def seeded(names: Sequence[str]) -> list[str]:
    """Return the first round as a list of places, two and two; an empty name is a bye.

    The first two seeds can meet only in the final, the first four only in the semi-finals, and so on.

    >>> seeded(["a", "b", "c", "d", "e"])
    ['a', '', 'd', 'e', 'b', '', 'c', '']
    """
    places = [1]
    while len(places) < len(names):
        total = 2 * len(places) + 1  # the seeds of a pair add up to this, so the best meets the last
        places = [seed for place in places for seed in (place, total - place)]
    return [names[place - 1] if place <= len(names) else "" for place in places]


def _met(pairing: Pairing, games: Sequence[Finished], gone: Collection[str]) -> Pairing:
    """Return a pairing after one more meeting."""
    points = sum((game.points(game.players.index(pairing.first)) for game in games), 0.0)
    others = len(games) - points
    winner = _walkover((pairing.first, pairing.second), gone)
    if winner is None and points != others:
        winner = pairing.first if points > others else pairing.second
    return replace(pairing, scores=(*pairing.scores, (points, others)), winner=winner)


def _walkover(pair: tuple[str, str], gone: Collection[str]) -> str | None:
    """Return who goes on without playing, an empty name if neither is there; None if both are."""
    present = [name for name in pair if name and name not in gone]
    return None if len(present) == 2 else present[0] if present else ""


def _scores(counted: Counted) -> dict[str, dict[int, list[float]]]:
    """Return the points of each player's games by round."""
    scores: dict[str, dict[int, list[float]]] = {name: {} for name in counted.names}
    for game in counted.games:
        for side, name in enumerate(game.players):
            if name in scores:
                scores[name].setdefault(game.round, []).append(game.points(side))
    return scores


def _note(pairing: Pairing, out: Collection[str]) -> str:
    """Return a remark on a pairing: what is to be played, or why a player went on."""
    names = (pairing.first, pairing.second)
    drawn = sum(first == second for first, second in pairing.scores)
    if not all(names):
        return ""
    if pairing.winner is None:
        return "drawn: to be played again" if drawn else "to be played"
    if not pairing.winner:
        return "both are disqualified"
    loser = names[names[0] == pairing.winner]
    if loser in out:
        return f"{loser} is disqualified"
    if drawn == len(pairing.scores):
        return f"drawn {_times(drawn)}: the better seed goes on"
    return f"drawn {_times(drawn)}, then decided" if drawn else ""


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")
