"""The standing ladder: everybody is on it, and its page says what was played."""

from __future__ import annotations

import msgspec
import pytest
from lab.ladder import ladder_page, ladder_plan
from typer.testing import CliRunner

from noctagon.arena.ledger import Ledger
from noctagon.cli import app
from noctagon.core.game import NoctagonError
from noctagon.core.registry import find_game, game_names
from noctagon.players import player_names
from tests.arena.games import a_game


@pytest.mark.parametrize("game", game_names())
def test_all_our_players_on_everything_there_is(game: str) -> None:
    ledger = Ledger(ladder_plan(game))
    assert {*ledger.names, "human"} == set(player_names(find_game(game)))
    assert {start.setup for start in ledger.starts} == set(find_game(game).setups())
    assert ledger.games_per_meeting >= 20


def test_the_old_command_says_where_the_ladder_went() -> None:
    done = CliRunner().invoke(app, ["ladder", "--report", "--out", "ladder.md"])
    assert isinstance(done.exception, NoctagonError)
    assert "python -m lab ladder" in str(done.exception)


def test_the_page_has_a_line_for_everybody() -> None:
    plan = msgspec.structs.replace(ladder_plan("vampires"), maps=("duel",))
    ledger = Ledger(plan)
    while not ledger.is_over:
        games = [
            a_game(
                slot=slot,
                players=(place.first, place.second),
                round=int(slot.partition("/")[0]),
                winner=int(place.first > place.second),
            )
            for slot, place in ledger.fixtures.items()
        ]
        ledger = Ledger(plan, games)
    page = ladder_page([ledger])
    assert f"{len(ledger.games)} of {len(ledger.games)} games in 5 rounds on 1 maps, 0.05 s a turn" in page
    for name in ledger.names:
        assert f"| `{name}` |" in page
    ranked = [line for line in page.splitlines() if line.startswith("| 1 | ")]
    assert f"`{min(ledger.names)}`" in ranked[0]
