"""Swiss tournaments: a fixed number of rounds, in each of which players with equal points meet."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import combinations
from math import ceil, log2
from typing import NamedTuple

from noctagon.arena.formats.format import Format, GamesSoFar, Schedule
from noctagon.arena.formats.tie_breaks import (
    BERGER_RULE,
    DIRECT_RULE,
    Counted,
    TieBreaks,
    Values,
    direct_encounter,
    sonneborn_berger,
    wins,
)
from noctagon.arena.meetings import Meeting

BUCHHOLZ_RULE = (
    "Buchholz (the sum of the points of all opponents; a round without one counts as an opponent with the player's "
    "own points)"
)


class Swiss(Format):
    title = "Swiss"
    phrase = "a Swiss tournament"
    about = (
        "`rounds` rounds, or as many as are needed; players with equal points meet, nobody twice while that can be "
        "avoided. The odd one out has a bye."
    )
    disqualified_rule = (
        "For its opponents in a Swiss tournament the meetings with it count as a bye: they are won."
    )

    @property
    def rounds(self) -> int:
        return self.plan.rounds or rounds_needed(len(self.names))

    def schedule(self, played: GamesSoFar) -> Schedule:
        """Pair round after round; a meeting counts the points of its games, a bye those of a meeting won."""
        meetings: list[Meeting] = []
        points = dict.fromkeys(self.names, 0.0)
        byes: dict[str, int] = {}
        for number in range(1, self.rounds + 1):
            gone = played.disqualified_before(number)
            playing = {name: points[name] for name in self.names if name not in gone}
            if len(playing) < 2:
                break
            met = {frozenset((meeting.first, meeting.second)) for meeting in meetings}
            paired = pair_round(playing, met, byes)
            current = [Meeting(number, *pair) for pair in paired.pairs]
            meetings += current
            results = [played.results(meeting) for meeting in current]
            if any(games is None for games in results):
                return Schedule(meetings, whole=False, byes=byes)
            gone = played.disqualified_before(number + 1)
            for meeting, games in zip(current, results, strict=True):
                pair = (meeting.first, meeting.second)
                if any(
                    name in gone for name in pair
                ):  # as a bye: how many of the games were played is chance
                    points |= {
                        name: points[name] + self.games_per_meeting for name in pair if name not in gone
                    }
                    continue
                for game in games or ():
                    for side in (0, 1):
                        points[game.players[side]] += game.points(side)
            if paired.bye:
                byes[paired.bye] = byes.get(paired.bye, 0) + 1
                points[paired.bye] += self.games_per_meeting
        return Schedule(meetings, byes=byes)

    def expected_meetings(self) -> int:
        return self.rounds * (len(self.names) // 2)

    def bye_points(self, schedule: Schedule, out: Collection[str]) -> dict[str, float]:
        """Return the points for rounds without an opponent, and for meetings with one who is disqualified.

        Those games are struck; without points for them, having been paired so would cost a place.
        """
        points = super().bye_points(schedule, out)
        for meeting in schedule.meetings:
            for name, other in ((meeting.first, meeting.second), (meeting.second, meeting.first)):
                if other in out:
                    points[name] = points.get(name, 0.0) + self.games_per_meeting
        return points

    def tie_breaks(self, counted: Counted, schedule: Schedule) -> TieBreaks:
        points = counted.points
        buchholz = _buchholz(counted)
        rule = (
            f"The order is by points; among equals by {BUCHHOLZ_RULE}, then {DIRECT_RULE}, then {BERGER_RULE}"
        )
        rules = [f"{rule}, then games won."]
        if counted.byes:
            rules.append("A round without an opponent counts as a meeting won.")
        return TieBreaks(
            {
                "Buchholz": buchholz,
                "Direct encounter": direct_encounter(counted, lambda name: (points[name], buchholz[name])),
                "Sonneborn–Berger": sonneborn_berger(counted),
                "Wins": wins(counted),
            },
            rules,
            points,
        )


def _buchholz(counted: Counted) -> Values:
    """Return the points of all opponents, meeting by meeting."""
    points = counted.points
    meetings = dict.fromkeys((game.round, min(game.players), max(game.players)) for game in counted.counting)
    sums = dict.fromkeys(counted.names, 0.0)
    for _, one, other in meetings:
        sums[one] += points[other]
        sums[other] += points[one]
    games = max(1, len(counted.counting)) / max(1, len(meetings))
    for name, given in counted.byes.items():
        if name in sums:
            sums[name] += points[name] * round(given / games)
    return sums


class SwissRound(NamedTuple):
    """The pairs of a round, and the player without an opponent where the number of players is odd."""

    pairs: list[tuple[str, str]]
    bye: str = ""


def rounds_needed(players: int) -> int:
    """Return how many rounds find the best of some players: as many as in a knockout, but at least three.

    >>> rounds_needed(4), rounds_needed(9), rounds_needed(100)
    (3, 4, 7)
    """
    return min(max(3, ceil(log2(max(players, 2)))), max(1, players - 1))


def pair_round(
    points: Mapping[str, float], met: Collection[frozenset[str]], rested: Collection[str] = ()
) -> SwissRound:
    """Return the next round: players with equal points meet if they have not yet, by a matching of largest weight.

    `points` lists the players in the order of their seeds. Among equals the upper half meets the lower. Where the
    number is odd the last who has not rested before rests. Players meet again only where nothing else is left.
    """
    import networkx

    order = sorted(points, key=lambda name: -points[name])  # stable: equals stay in the order of their seeds
    bye = ""
    if len(order) % 2:
        bye = next((name for name in reversed(order) if name not in rested), order[-1])
        order.remove(bye)
    widest = max(points.values(), default=0.0) - min(points.values(), default=0.0)
    rematch = len(order) * (10 * widest * widest + 1)  # more than all gaps of a round together
    graph = networkx.Graph()
    graph.add_nodes_from(range(len(order)))
    for (one, first), (other, second) in combinations(enumerate(order), 2):
        equals = [name for name in order if points[name] == points[first]]
        gap = points[first] - points[second]
        # A player who meets the one half a group below costs nothing; the farther from there, the more.
        distance = abs((other - one) - len(equals) // 2) / len(order) if gap == 0 else 1.0
        # Squared, so that two small gaps are better than a wide one beside none.
        cost = 10 * gap * gap + distance + (rematch if frozenset((first, second)) in met else 0.0)
        graph.add_edge(one, other, weight=-cost)
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    pairs = sorted((min(pair), max(pair)) for pair in matching)
    return SwissRound([(order[one], order[other]) for one, other in pairs], bye)
