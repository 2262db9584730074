"""The turtle: its AI stays in the corner, its Techs stay beside it, and it lasts."""

from __future__ import annotations

from random import Random

import pytest

from noctagon.core.clock import Clock
from noctagon.core.player import GameStart, PlayerSpec
from noctagon.games.wargame import WargameState, game
from noctagon.players import make_player


def play_out(attacker: str, defender: str, seed: int, turns: int = 60) -> list[WargameState]:
    """A game by specs; the positions before each turn and the last one."""
    state = game.initial(rules=game.make_rules(plies=turns))
    players = [make_player(PlayerSpec.parse(text), game) for text in (attacker, defender)]
    for side, player in enumerate(players):
        player.start(GameStart(state, seed=seed), side)
    states = [state]
    while state.result is None:
        state = state.play(players[state.side].choose(state, Clock(None)).action)
        states.append(state)
    return states


@pytest.mark.parametrize(
    ("attacker", "seed"), [("random", 1), ("random", 2), ("minimax:depth=2,heuristic=e0", 0)]
)
def test_it_keeps_its_ai_in_the_corner_behind_techs(attacker: str, seed: int) -> None:
    states = play_out(attacker, "turtle", seed)
    assert states[-1].result is not None
    assert states[-1].result.winner == 1
    alone = 0
    for state in states:
        assert state.units["A0"].startswith("dA")
        beside = [state.units.get(cell, "") for cell in ("A1", "B0")]
        alone += not any(unit.startswith("dT") for unit in beside)
    assert alone < len(states) / 4


def test_it_shuffles() -> None:
    states = play_out("random", "turtle", 3)
    boards = [bytes(code if code >> 7 else 0 for code in state.cells) for state in states[::2]]
    assert len(set(boards)) < len(boards) / 2, "the same few boards come again and again"


def test_as_the_attacker_it_attacks() -> None:
    wins = sum(play_out("turtle", "random", seed, 100)[-1].result.winner == 0 for seed in range(3))  # type: ignore[union-attr]
    assert wins == 3


def test_it_answers_in_any_position() -> None:
    from tests.wargame.positions import artificial

    rng = Random(7)
    player = make_player(PlayerSpec.parse("turtle"), game)
    for _ in range(50):
        state = game.initial(artificial(rng))
        if state.result is None:
            player.start(GameStart(state), state.side)
            assert player.choose(state, Clock(5.0)).action in state.actions()
