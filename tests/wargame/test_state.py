"""A position as an object: its identity, what it shows, what it can be asked."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import pytest
from hypothesis import given, settings

from noctagon.core.board import Arrow, Piece
from noctagon.core.game import NoctagonError
from noctagon.core.registry import find_game
from noctagon.games.wargame import Action, WargameRules, WargameState, game
from noctagon.games.wargame.players import evaluation
from noctagon.games.wargame.rules.notation import parse_action
from tests.wargame.positions import after, position_texts


def test_the_registry_finds_the_game() -> None:
    assert find_game("wargame") is game


def test_importing_the_game_compiles_nothing() -> None:
    check = "import sys, noctagon.games.wargame as w; w.game.setups(); print('numba' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"


@settings(deadline=None)
@given(position_texts())
def test_equal_content_is_the_same_position(text: str) -> None:
    one, two = game.parse_position(text), game.parse_position(text)
    assert one is not two
    assert (one == two, hash(one) == hash(two), one.key == two.key) == (True, True, True)
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one
    assert pickle.loads(pickle.dumps(one)).result == one.result


def test_side_ply_and_rules_are_part_of_the_identity() -> None:
    cells = game.initial().cells
    positions = [
        WargameState(cells),
        WargameState(cells, side=1),
        WargameState(cells, ply=1),
        WargameState(cells, rules=WargameRules(plies=50)),
        WargameState(cells, rules=WargameRules(limit_first=True)),
        WargameState(cells, ply=2**31 - 1, rules=WargameRules(plies=2**31 - 1)),
    ]
    assert len(set(positions)) == len(positions)
    assert positions[-1].ply == 2**31 - 1
    assert all(len(position.key) == 35 for position in positions)


def test_a_cell_holds_one_unit() -> None:
    with pytest.raises(NoctagonError, match="two units are placed on A0"):
        WargameState.from_units({"A0": "dA9", "a0": "aA3"})


def test_transpositions_meet() -> None:
    assert after("C4C3 C0C1 D3D2") == after("D3D2 C0C1 C4C3")


def test_positions_do_not_change() -> None:
    state = game.initial()
    key = state.key
    child = state.play(parse_action("C4 C3"))
    assert (state.key, state.ply, child.ply, child.side) == (key, 0, 1, 1)
    with pytest.raises(AttributeError, match="does not change"):
        state.ply = 3
    with pytest.raises(AttributeError, match="does not change"):
        del state.side
    with pytest.raises(AttributeError):
        state.extra = 1


def test_text() -> None:
    assert str(game.initial()).splitlines() == [
        "    0   1   2   3   4",
        "A dA9 dT9 dF9   .   .",
        "B dT9 dP9   .   .   .",
        "C dF9   .   .   . aP9",
        "D   .   .   . aF9 aV9",
        "E   .   . aP9 aV9 aA9",
        "ply 0 of 100 · Attacker 54, Defender 54 · Attacker to move",
    ]


def test_repr_says_the_position_and_the_rules() -> None:
    state = WargameState.from_units({"A0": "dA9", "E4": "aA9"}, rules=WargameRules(plies=7))
    assert repr(state) == f"<WargameState 'dA9{' .' * 23} aA9 a 0', document rules, 7 plies>"


def test_view() -> None:
    view = game.initial().view()
    assert (view.game, view.rows, view.columns, view.limit, view.side, view.result) == (
        "wargame",
        5,
        5,
        100,
        0,
        "",
    )
    assert (view.row_labels, view.column_labels) == (tuple("ABCDE"), tuple("01234"))
    assert view.pieces[0] == Piece(x=0, y=0, kind="ai", side=1, count=9, label="dA9")
    assert {piece.kind for piece in view.pieces} == {"ai", "virus", "tech", "firewall", "program"}
    over = game.initial().play(parse_action("E4 E4")).view()
    assert "the Attacker's AI is destroyed after 1 turn" in over.result


def test_score_is_the_health_of_each_side() -> None:
    state = WargameState.from_units({"A0": "dA9", "B0": "dT2", "E4": "aA7"})
    assert state.score() == (7.0, 11.0)


def test_arrows_and_descriptions() -> None:
    state = WargameState.from_units(
        {"A0": "dA9", "C2": "aT9", "C3": "aP8", "C1": "dV9", "D2": "aF2", "E4": "aA9"}
    )
    examples = {
        "C2 B2": (Arrow(2, 2, 2, 1), "move from C2 to B2"),
        "C2 C1": (Arrow(2, 2, 1, 2, "−6"), "attack from C2 on C1"),
        "C2 C3": (Arrow(2, 2, 3, 2, "+1"), "repair from C2 on C3"),
        "C2 D2": (Arrow(2, 2, 2, 3, "+3"), "repair from C2 on D2"),
        "C2 C2": (Arrow(2, 2, 2, 2, "−2"), "self-destruct at C2"),
    }
    for text, (arrow, words) in examples.items():
        assert state.arrows(parse_action(text)) == (arrow,)
        assert state.describe(parse_action(text)) == words


def test_symbols_are_text() -> None:
    assert isinstance(game.initial().symbols(), str)


def test_answers_of_players_are_actions_or_their_text() -> None:
    state = game.initial()
    assert game.action("c4c3", state) == game.action(Action(14, 13), state) == (14, 13)


def test_e0_counts_units() -> None:
    state = WargameState.from_units({"A0": "dA1", "B0": "dT2", "B1": "dF9", "E4": "aA7", "E3": "aV1"})
    assert evaluation.e0(state) == -3
    assert evaluation.e0(WargameState.from_units({"E4": "aA7", "E3": "aV1"})) == 9999 + 3
    assert evaluation.e0(game.initial()) == 0


def test_health_prefers_healthy_units_near_viruses_and_wins() -> None:
    def health(attacker: dict[str, str], **more: int) -> float:
        return evaluation.health(WargameState.from_units({"A0": "dA9", **attacker}, **more))  # type: ignore[arg-type]

    assert health({"E4": "aA9", "E3": "aP9"}) > health({"E4": "aA9", "E3": "aP3"}) > health({"E4": "aA9"})
    assert health({"E4": "aA9", "B3": "aV9"}) > health({"E4": "aA9", "D3": "aV9"})
    assert health({"E4": "aA9"}) == 0
    assert health({"E4": "aA9"}, ply=100) < -500_000
    assert health({"E4": "aV9"}) < -500_000
    won = WargameState.from_units({"E4": "aA1"}, ply=5)
    assert evaluation.health(WargameState.from_units({"E4": "aA1"}, ply=3)) > evaluation.health(won) > 500_000


def test_evaluations_are_found_by_name() -> None:
    names = ["e2", "e1", "e0", "champion", "assault", "bulwark", "onslaught", "health", "turtle"]
    assert list(game.evaluations) == names
    assert game.evaluations["e0"](game.initial()) == 0
