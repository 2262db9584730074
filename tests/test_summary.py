"""The table of a few games between two players: names first, whatever the width."""

from __future__ import annotations

import pytest
from rich.console import Console

from noctagon.cli.summary import Summary
from noctagon.core.match import Match
from noctagon.core.player import PlayerSpec
from noctagon.core.registry import find_game


def shown(first: str, second: str, width: int, *, late: int = 0) -> list[str]:
    """The table after one game that the first player lost by giving up."""
    game = find_game("vampires")
    summary = Summary((PlayerSpec.parse(first), PlayerSpec.parse(second)), game)
    match = Match(game)
    match.late[0] = late
    match.forfeit(0, "resignation", "enough")
    summary.add(match, swapped=False)
    console = Console(width=width)
    with console.capture() as told:
        console.print(summary.table())
    return [line.rstrip() for line in told.get().splitlines()]


def test_a_name_has_its_room_on_an_ordinary_terminal() -> None:
    lines = shown("mine.py:MyBot", "greedy", 80)
    assert lines[2] == "Player        Points   % Vampires Werewolves Draws s/turn"
    assert [line.split()[0] for line in lines[3:5]] == ["greedy", "mine.py:MyBot"]


@pytest.mark.parametrize("width", [50, 60, 80])
def test_a_long_name_is_folded_and_never_cut(width: int) -> None:
    name = "bots/of/the/class/mine.py:MyBot:depth=3"
    lines = shown(name, "greedy", width)
    winner = next(number for number, line in enumerate(lines) if line.startswith("greedy"))
    folded = "".join(line.split(" ")[0] for line in lines[winner + 1 :])
    assert folded.startswith(name)


def test_what_nobody_did_has_no_column() -> None:
    assert "Late" not in shown("greedy", "random", 80)[2]
    assert "Late" in shown("greedy", "random", 80, late=2)[2]
    assert "Illegal" not in shown("greedy", "random", 80, late=2)[2]
