"""The standing ladder: everybody is on it, and its page says what was played."""

from __future__ import annotations

import msgspec
import pytest

from noctagon.arena.ladder import ladder_page, ladder_plan
from noctagon.arena.ledger import Ledger
from noctagon.core.registry import find_game, game_names
from noctagon.players import player_names
from tests.arena.games import a_game


@pytest.mark.parametrize("game", game_names())
def test_all_our_players_on_everything_there_is(game: str) -> None:
    ledger = Ledger(ladder_plan(game))
    assert {*ledger.names, "human"} == set(player_names(find_game(game)))
    assert {start.setup for start in ledger.starts} == set(find_game(game).setups())
    assert ledger.games_of_a_meeting >= 20


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
            for slot, place in ledger.places.items()
        ]
        ledger = Ledger(plan, games)
    page = ladder_page([ledger], "noctagon ladder")
    assert f"{len(ledger.games)} of {len(ledger.games)} games in 5 rounds on 1 maps, 0.05 s a turn" in page
    for name in ledger.names:
        assert f"| `{name}` |" in page
    ranked = [line for line in page.splitlines() if line.startswith("| 1 | ")]
    assert f"`{min(ledger.names)}`" in ranked[0]
