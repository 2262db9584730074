"""The outcome of a few games between two players."""

from __future__ import annotations

from typing import Any

import msgspec
from rich.table import Table
from rich.text import Text

from noctagon.core.game import Game
from noctagon.core.match import Match
from noctagon.core.player import PlayerSpec


def json_line(match: Match) -> str:
    """Return a finished game as one JSON line."""
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
        """Make a table of both players, the better one first; columns of zeros are left out."""
        reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(self.reasons.items()))
        table = Table(
            title=f"{self.games} game{'s'[: self.games != 1]}, {self.plies / self.games:.0f} plies each on average",
            caption=f"ended by: {reasons}",
            box=None,
            header_style="bold",
            padding=(0, 1, 0, 0),
            title_justify="left",
            caption_justify="left",
        )
        table.add_column("Player", style="bold", overflow="fold", vertical="bottom")
        columns = {
            "Points": [f"{self.points(player):g}" for player in (0, 1)],
            "%": [f"{100 * self.points(player) / self.games:.0f}" for player in (0, 1)],
            f"as\n{self.sides[0]}": [str(self.wins[player][0]) for player in (0, 1)],
            f"as\n{self.sides[1]}": [str(self.wins[player][1]) for player in (0, 1)],
            "Draws": [str(self.draws)] * 2,
            "s/turn": [f"{seconds / max(1, self.plies / 2):.3f}" for seconds in self.seconds],
        }
        columns |= {"Late": [str(count) for count in self.late]} if any(self.late) else {}
        columns |= {"Illegal": [str(count) for count in self.illegal]} if any(self.illegal) else {}
        for title in columns:
            table.add_column(title, justify="right", vertical="bottom")
        for player in sorted((0, 1), key=self.points, reverse=True):
            table.add_row(Text(self.names[player]), *(cells[player] for cells in columns.values()))
        return table
