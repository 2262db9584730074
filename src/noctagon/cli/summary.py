"""What a few games between two players came to."""

from __future__ import annotations

from typing import Any

import msgspec
from rich.table import Table

from noctagon.game import Game
from noctagon.match import Match
from noctagon.player import PlayerSpec


def json_line(match: Match) -> str:
    """A finished game as one JSON line."""
    assert match.result is not None
    line = {
        "game": match.game.name,
        "map": match.setup,
        "rules": match.initial.rules.name,
        "seed": match.seed,
        "players": match.players,
        "winner": match.result.winner,
        "reason": match.result.reason,
        "plies": len(match.turns),
        "score": match.state.score(),
        "seconds": [round(seconds, 3) for seconds in match.seconds],
        "late": match.late,
        "illegal": match.illegal,
    }
    return msgspec.json.encode(line).decode()


class Summary:
    """Points of two players over games with sides swapped."""

    def __init__(self, specs: tuple[PlayerSpec, PlayerSpec], game: Game[Any]) -> None:
        self.names = [str(spec) for spec in specs]
        if self.names[0] == self.names[1]:
            self.names = [f"{self.names[0]} (1)", f"{self.names[1]} (2)"]
        self.sides = game.sides
        self.games = 0
        self.wins = [[0, 0], [0, 0]]  # by player and by the side it had
        self.draws = 0
        self.plies = 0
        self.seconds = [0.0, 0.0]
        self.late = [0, 0]
        self.illegal = [0, 0]
        self.reasons: dict[str, int] = {}

    def add(self, match: Match, *, swapped: bool) -> None:
        assert match.result is not None
        self.games += 1
        self.plies += len(match.turns)
        self.reasons[match.result.reason] = self.reasons.get(match.result.reason, 0) + 1
        if match.result.winner is None:
            self.draws += 1
        else:
            self.wins[match.result.winner ^ swapped][match.result.winner] += 1
        for side in (0, 1):
            self.seconds[side ^ swapped] += match.seconds[side]
            self.late[side ^ swapped] += match.late[side]
            self.illegal[side ^ swapped] += match.illegal[side]

    def points(self, player: int) -> float:
        return sum(self.wins[player]) + self.draws / 2

    def line(self) -> str:
        return f"{self.points(0):g} – {self.points(1):g}"

    def table(self) -> Table:
        reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(self.reasons.items()))
        table = Table(
            title=f"{self.games} game{'s'[: self.games != 1]}, {self.plies / self.games:.0f} plies each on average",
            caption=f"ended by: {reasons}",
            box=None,
            header_style="bold",
            padding=(0, 2, 0, 0),
            title_justify="left",
            caption_justify="left",
        )
        table.add_column("Player", style="bold")
        for title in (
            "Points",
            "%",
            f"as {self.sides[0]}",
            f"as {self.sides[1]}",
            "Draws",
            "s/turn",
            "Late",
            "Illegal",
        ):
            table.add_column(title, justify="right")
        for player in sorted((0, 1), key=self.points, reverse=True):
            table.add_row(
                self.names[player],
                f"{self.points(player):g}",
                f"{100 * self.points(player) / self.games:.0f}",
                str(self.wins[player][0]),
                str(self.wins[player][1]),
                str(self.draws),
                f"{self.seconds[player] / max(1, self.plies / 2):.3f}",
                str(self.late[player]),
                str(self.illegal[player]),
            )
        return table
