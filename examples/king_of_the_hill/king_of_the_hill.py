"""A tournament format in one file: the players challenge the king of the hill, one after the other."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from noctagon.arena.formats import (
    Counted,
    Diagram,
    Format,
    GamesSoFar,
    Meeting,
    Pairing,
    Round,
    Schedule,
    TieBreaks,
)
from noctagon.arena.plan import Plan


@dataclass(frozen=True)
class Hill(Schedule):
    """The challenges so far, each with the king named first."""

    challenges: Sequence[Pairing] = ()


class KingOfTheHill(Format):
    title = "king of the hill"
    phrase = "a king of the hill"
    about = "The players challenge the king in turn; a challenger with more than the share `needed` is the new king."

    def __init__(
        self, plan: Plan, names: Sequence[str], games_per_meeting: int, *, needed: float = 0.5
    ) -> None:
        super().__init__(plan, names, games_per_meeting)
        self.needed = needed

    def schedule(self, games: GamesSoFar) -> Hill:
        king, *challengers = self.names
        meetings: list[Meeting] = []
        challenges: list[Pairing] = []
        for number, challenger in enumerate(challengers, 1):
            meetings.append(Meeting(number, king, challenger))
            played = games.results(meetings[-1])
            if played is None:
                return Hill(meetings, whole=False, challenges=[*challenges, Pairing(king, challenger)])
            score = sum(game.points(game.players.index(challenger)) for game in played)
            out = games.disqualified_before(number + 1)
            wins = king in out or (challenger not in out and score > self.needed * len(played))
            winner = challenger if wins else king
            challenges.append(Pairing(king, challenger, ((len(played) - score, score),), winner))
            king = winner
        return Hill(meetings, challenges=challenges)

    def expected_meetings(self) -> int:
        return len(self.names) - 1

    def tie_breaks(self, counted: Counted, schedule: Schedule) -> TieBreaks:
        assert isinstance(schedule, Hill)
        last = dict.fromkeys(counted.names, 0.0)
        for number, challenge in enumerate(schedule.challenges, 1):
            if challenge.winner in last:
                last[challenge.winner] = number
        return TieBreaks(
            {"Last as king": last, "Points": counted.points},
            ["The order is by the last challenge after which a player was king; among equals by points."],
        )

    def diagram(self, schedule: Schedule, out: Collection[str]) -> Diagram:
        assert isinstance(schedule, Hill)
        return Diagram(
            "hill",
            "From left to right the challenges, each with the king above; the winner is in bold.",
            tuple(
                Round(f"Challenge {number}", (challenge,))
                for number, challenge in enumerate(schedule.challenges, 1)
            ),
        )
