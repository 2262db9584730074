"""Positions as values, and turns in their one canonical form."""

from __future__ import annotations

import copy
import pickle
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctagon.core.game import IllegalAction, NoctagonError
from noctagon.games.vampires.champion import evaluation
from noctagon.games.vampires.rules.ruleset import SERVER, VampiresRules
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Move, Turn
from tests.vampires.positions import positions, random_position, seeds, small

# Positions


def test_equal_content_makes_equal_positions() -> None:
    one = small(humans={(1, 1): 2, (0, 1): 3}, vampires={(0, 0): 4, (2, 0): 1}, werewolves={(2, 2): 5})
    other = small(humans={(0, 1): 3, (1, 1): 2}, vampires={(2, 0): 1, (0, 0): 4}, werewolves={(2, 2): 5})
    assert one == other
    assert hash(one) == hash(other)
    assert one.key == other.key
    assert len({one, other}) == 1


@pytest.mark.parametrize(
    "other",
    [
        small(vampires={(0, 0): 5}, werewolves={(2, 2): 5}),
        small(vampires={(0, 1): 4}, werewolves={(2, 2): 5}),
        small(vampires={(0, 0): 4}, werewolves={(2, 2): 5}, humans={(1, 1): 1}),
        small(vampires={(0, 0): 4}, werewolves={(2, 2): 5}, to_move="werewolves"),
        small(vampires={(0, 0): 4}, werewolves={(2, 2): 5}, first="werewolves"),
        small(vampires={(0, 0): 4}, werewolves={(2, 2): 5}, ply=1),
        small(vampires={(0, 0): 4}, werewolves={(2, 2): 5}, server=True),
        small(vampires={(0, 0): 4}, werewolves={(2, 2): 5}, plies=100),
        small(vampires={(0, 0): 4}, werewolves={(2, 2): 5}, majority=True),
        small(vampires={(0, 0): 4}, werewolves={(2, 2): 5}, rows=4),
        "a text",
    ],
)
def test_anything_else_makes_another(other: object) -> None:
    assert small(vampires={(0, 0): 4}, werewolves={(2, 2): 5}) != other


def test_different_ways_lead_to_the_same_position() -> None:
    state = small(vampires={(0, 0): 4, (2, 0): 1}, werewolves={(2, 2): 5})
    first = state.play([(0, 0, 1, 0, 1), (2, 0, 1, 1, 0)])
    second = state.play([(2, 0, 1, 1, 0), (0, 0, 1, 0, 1)])
    built = small(
        vampires={(1, 0): 1, (0, 1): 1, (0, 0): 3}, werewolves={(2, 2): 5}, to_move="werewolves", ply=1
    )
    assert first == second == built
    assert hash(first) == hash(built)


def test_a_position_never_changes() -> None:
    humans = {(1, 1): 2}
    state: Any = small(humans=humans, vampires={(0, 0): 4}, werewolves={(2, 2): 5})
    before = state.key
    humans[1, 1] = 9
    with pytest.raises(AttributeError, match="a position does not change"):
        state.ply = 3
    with pytest.raises(AttributeError, match="a position does not change"):
        del state._packed
    with pytest.raises(TypeError):
        state.humans[1, 1] = 3
    state.play([(0, 0, 4, 1, 1)])
    state.skip()
    assert state.key == before
    assert state.humans == {(1, 1): 2}


@given(positions())
def test_positions_survive_pickling_copying_and_drawing(state: VampiresState) -> None:
    for other in (pickle.loads(pickle.dumps(state)), copy.copy(state), copy.deepcopy(state)):
        assert other == state
        assert hash(other) == hash(state)
        assert (other.rules, other.result, other.first) == (state.rules, state.result, state.first)


@given(seeds)
def test_every_position_can_be_drawn(seed: int) -> None:
    rng = Random(seed)
    state = random_position(rng)
    turn = state.actions().sample(rng)
    assert len(str(state).splitlines()) >= state.rows
    assert "<svg" in state._repr_svg_()
    assert len(state.arrows(turn)) == len(turn)
    assert state.view().score == state.score()
    assert len(state.view().pieces) == len(state.humans) + len(state.vampires) + len(state.werewolves)


def test_a_finished_and_an_empty_board_can_be_drawn() -> None:
    for state in (small(), small(vampires={(0, 0): 1}), small(rows=255, columns=255)):
        assert str(state)
        assert "<svg" in state._repr_svg_()


@given(seeds)
def test_evaluations_change_sign_with_the_first_player(seed: int) -> None:
    state = random_position(Random(seed))
    content: dict[str, Any] = {"rows": state.rows, "columns": state.columns, "to_move": state.species}
    content |= {"humans": state.humans, "vampires": state.vampires, "werewolves": state.werewolves}
    one, other = VampiresState(**content), VampiresState(**content, first="werewolves")
    for evaluate in (evaluation.population, evaluation.prospects):
        assert evaluate(one) == -evaluate(other)
    assert evaluation.population(one) == sum(state.vampires.values()) - sum(state.werewolves.values())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"rows": 0}, "a grid has 1 to 255 rows and columns, not 0 × 3"),
        ({"columns": 256}, "a grid has 1 to 255 rows and columns, not 3 × 256"),
        ({"ply": -1}, "the number of plies played is 0 to 1000000000, not -1"),
        ({"humans": {(3, 0): 1}}, r"1 humans at \(3,0\): that is off the 3 × 3 grid"),
        ({"vampires": {(0, -1): 1}}, r"1 vampires at \(0,-1\): that is off the 3 × 3 grid"),
        ({"werewolves": {(0, 0): 0}}, r"\(0,0\) cannot hold 0 werewolves"),
        ({"vampires": {(0, 0): 256}, "server": True}, r"\(0,0\) cannot hold 256 vampires; 1 to 255"),
        ({"vampires": {(0, 0): 1.5}}, "a position is made of whole numbers, not 1.5"),
        ({"vampires": {(0.5, 0): 1}}, "a position is made of whole numbers, not 0.5"),
        ({"humans": {(0, 0): 1}, "werewolves": {(0, 0): 2}}, r"\(0,0\) holds both humans and werewolves"),
        ({"humans": {(0, 0, 1): 1}}, "give the units as in"),
        ({"humans": [(0, 0, 1)]}, "give the units as in"),
    ],
)
def test_positions_that_cannot_be_are_refused(content: dict[str, Any], message: str) -> None:
    with pytest.raises(NoctagonError, match=message):
        small(**content)


def test_small_whole_numbers_of_numpy_are_as_good_as_any() -> None:
    kinds: tuple[Any, ...] = (np.uint8, np.int16, np.int64)
    for kind in kinds:
        state = VampiresState(
            rows=255,
            columns=255,
            vampires={(kind(3), kind(100)): kind(100)},
            humans={(kind(4), kind(100)): 200},
        )
        assert state == VampiresState(rows=255, columns=255, vampires={(3, 100): 100}, humans={(4, 100): 200})


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"name": "Server"}, "the rule 'name' cannot be 'Server'"),
        ({"plies": 2.5}, "the rule 'plies' cannot be 2.5"),
        ({"plies": "5"}, "the rule 'plies' cannot be '5'"),
        ({"majority": "no"}, "the rule 'majority' cannot be 'no'"),
    ],
)
def test_rules_that_there_are_not_are_refused(rules: dict[str, Any], message: str) -> None:
    with pytest.raises(NoctagonError, match=message):
        VampiresRules(**rules)
    with pytest.raises(NoctagonError, match="is played by VampiresRules, not by None"):
        VampiresState(rows=1, columns=1, rules=None)  # type: ignore[arg-type]


def test_rules_are_part_of_a_position() -> None:
    assert small(server=True).rules == SERVER
    assert small(plies=30, majority=True).rules == VampiresRules(plies=30, majority=True)


# Turns

moves = st.tuples(
    st.integers(0, 9), st.integers(0, 9), st.integers(0, 300), st.integers(0, 9), st.integers(0, 9)
)


@given(st.lists(moves), st.randoms())
def test_the_order_of_moves_does_not_matter(given_moves: list[Any], rng: Random) -> None:
    shuffled = list(given_moves)
    rng.shuffle(shuffled)
    turn = Turn(given_moves)
    assert Turn(shuffled) == turn
    assert hash(Turn(shuffled)) == hash(turn)
    assert list(turn) == sorted(turn)
    assert Turn(turn) is turn
    assert Turn(list(turn)) == turn
    assert pickle.loads(pickle.dumps(turn)) == turn
    assert type(pickle.loads(pickle.dumps(turn))) is Turn


@given(st.lists(moves))
def test_moves_between_the_same_cells_are_one(given_moves: list[Any]) -> None:
    turn = Turn(given_moves)
    assert sum(move.count for move in turn) == sum(move[2] for move in given_moves)
    ways = [(move.x, move.y, move.tx, move.ty) for move in turn if move.count]
    assert len(set(ways)) == len(ways)


@given(st.lists(moves))
def test_a_count_of_zero_is_never_hidden(given_moves: list[Any]) -> None:
    assert [move.count for move in Turn(given_moves)].count(0) == [m[2] for m in given_moves].count(0)


def test_a_turn_reads_as_its_moves() -> None:
    turn = Turn([(4, 3, 2, 5, 4), (1, 1, 1, 1, 2), (4, 3, 6, 5, 4)])
    assert turn == (Move(1, 1, 1, 1, 2), Move(4, 3, 8, 5, 4))
    assert str(turn) == "1,1>1,2:1 4,3>5,4:8"
    assert repr(turn) == "Turn('1,1>1,2:1 4,3>5,4:8')"


@pytest.mark.parametrize("answer", [None, 3, [3], [(1, 2)], [(1, 2, 3, 4, 5.0)], [(0, 0, 2**31, 0, 1)], "NE"])
def test_what_is_no_list_of_moves_is_refused(answer: Any) -> None:
    with pytest.raises(IllegalAction):
        Turn(answer)
