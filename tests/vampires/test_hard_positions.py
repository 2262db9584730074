"""Every player of the documents answers with a legal turn wherever it is, also without any time at all.

Whether that is on time is measured by bench/invariants.py, on an idle machine.
"""

import pytest

from noctagon.core.clock import Clock
from noctagon.core.player import GameStart, PlayerSpec
from noctagon.core.registry import find_game
from noctagon.players import make_player
from tests.vampires.hard_positions import HARD, hard_position

VAMPIRES = find_game("vampires")


@pytest.mark.parametrize("rules", ["handout", "server"])
@pytest.mark.parametrize("position", HARD)
@pytest.mark.parametrize("name", sorted(VAMPIRES.players))
def test_a_legal_turn_wherever_it_is(name: str, position: str, rules: str) -> None:
    state = hard_position(position, rules)
    player = make_player(PlayerSpec(name), VAMPIRES)
    player.start(GameStart(state, seed=1), state.side)
    for seconds in (0.0, 0.1):
        state.check(player.choose(state, Clock(seconds)).action)
