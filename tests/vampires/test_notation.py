"""Turns and positions as text, both ways."""

from __future__ import annotations

import re
from random import Random

import numpy as np
import pytest
from hypothesis import given

from noctagon.core.game import BadNotation, IllegalAction
from noctagon.games.vampires import game
from noctagon.games.vampires.rules.notation import format_position, parse_position, parse_turn
from noctagon.games.vampires.rules.ruleset import SERVER
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Turn
from tests.vampires.positions import positions, random_position, seeds, small

STATE = small(rows=5, columns=10, humans={(2, 2): 4}, vampires={(4, 3): 4, (1, 1): 7}, werewolves={(4, 1): 4})


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("4,3>5,4:2", [(4, 3, 2, 5, 4)]),
        ("4,3>5,4", [(4, 3, 4, 5, 4)]),
        ("4,3>NE", [(4, 3, 4, 5, 2)]),
        ("4,3>se:1", [(4, 3, 1, 5, 4)]),
        ("1,1>N 4,3>W:3", [(1, 1, 7, 1, 0), (4, 3, 3, 3, 3)]),
        ("4,3>N:1; 4,3>S", [(4, 3, 1, 4, 2), (4, 3, 3, 4, 4)]),
        ("(4, 3) > (5, 4) : 2", [(4, 3, 2, 5, 4)]),
        (" " * 1_000_000 + "4,3>5,4:2" + " " * 1_000_000 + "1,1>N", [(4, 3, 2, 5, 4), (1, 1, 7, 1, 0)]),
        ("4 3 2 5 4", [(4, 3, 2, 5, 4)]),
        ("4 3 2 5 4; 1,1,7,1,0", [(4, 3, 2, 5, 4), (1, 1, 7, 1, 0)]),
        ("4,3>5,4:1 4,3>5,4:2", [(4, 3, 3, 5, 4)]),
        ("0,0>0,1:300", [(0, 0, 300, 0, 1)]),
    ],
)
def test_ways_to_write_a_turn(text: str, moves: list[tuple[int, int, int, int, int]]) -> None:
    assert parse_turn(text, STATE) == Turn(moves)
    assert game.parse_action(text, STATE) == Turn(moves)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", "move 1, 'hello': write x,y>tx,ty:count (as in 4,3>5,4:8), x,y>NE, or five numbers"),
        ("4,3>5,4:2 4,3>", "move 2, '4,3>': write"),
        ("4,3>NS", "move 1, '4,3>NS': NS is no compass point"),
        ("4,3>EN:1", "move 1, '4,3>EN:1': EN is no compass point"),
        ("4,3>5,-4:2", "move 1, '4,3>5,-4:2': write"),
        ("4 3 2 5", "'4 3 2 5': a move in plain numbers is five of them: x y count tx ty"),
        ("4 3 2 5 4 1", "'4 3 2 5 4 1': a move in plain numbers is five of them"),
        (";", "';': a move in plain numbers is five of them"),
        ("4 3 9999999999 2 5 4", "a move in plain numbers is five of them"),
        ("4 3 9999999999 5 4", "the number 9999999999 is too long to be meant"),
        ("4,3>5,4:9999999999", "move 1, '4,3>5,4:9999999999': write"),
    ],
)
def test_texts_that_are_no_turn(text: str, message: str) -> None:
    with pytest.raises(BadNotation, match=re.escape(message)):
        parse_turn(text, STATE)


@pytest.mark.parametrize("text", ["", "  "])
def test_no_text_is_a_turn_without_a_move(text: str) -> None:
    assert parse_turn(text, STATE) == Turn()
    with pytest.raises(IllegalAction, match="the turn has no move; at least one group must move: rule 1"):
        STATE.check(parse_turn(text, STATE))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([(4, 3, 4 / 2, 5, 4)], "move 1 is (4, 3, 2.0, 5, 4); a move is five whole numbers: x, y, count, "),
        ([(4, 3, 4 / 2, 5, 4)], "; 2.0 is none (in Python, // divides whole numbers)"),
        ((4, 3, 2, 5, 4), "that is one move; a turn is a list of moves: [(4, 3, 2, 5, 4)]"),
        ([4, 3, 2.0, 5, 4], "that is one move; a turn is a list of moves: [[4, 3, 2.0, 5, 4]]"),
        (np.array([4, 3, 2, 5, 4]), "that is one move; a turn is a list of moves: [array([4, 3, 2, 5, 4])]"),
        ([4], "move 1 is 4; a move is five whole numbers"),
    ],
)
def test_answers_that_are_no_turn(answer: object, message: str) -> None:
    with pytest.raises(IllegalAction, match=re.escape(message)):
        STATE.check(game.action(answer, STATE))


@given(seeds)
def test_turns_there_and_back(seed: int) -> None:
    rng = Random(seed)
    state = random_position(rng)
    turn = state.actions().sample(rng)
    assert parse_turn(str(turn), state) == turn
    assert game.parse_action(game.format_action(turn), state) == turn
    numbers = " ".join(str(number) for move in turn for number in move)
    assert parse_turn(numbers, state) == turn


def test_a_position_is_written_as_documented() -> None:
    text = "5x10 H2,2:4 V1,1:7 V4,3:4 W4,1:4 V 0"
    assert format_position(STATE) == text
    assert parse_position(text) == STATE
    assert repr(STATE) == f"<VampiresState {text}>"
    wolves_first = "1x2 V0,0:1 W1,0:300 W 7 first=W"
    assert format_position(parse_position(wolves_first)) == wolves_first
    assert parse_position("1x2 V0,0:1 V 3 first=V").first == "vampires"


@given(positions())
def test_positions_there_and_back(state: VampiresState) -> None:
    text = format_position(state)
    assert parse_position(text, state.rules) == state
    assert game.parse_position(game.format_position(state), state.rules) == state


def test_what_play_leads_to_can_be_written_down() -> None:
    state = small(vampires={(0, 0): 400_000_000, (1, 0): 400_000_000}, werewolves={(2, 2): 1})
    after = state.play([(0, 0, 400_000_000, 1, 0)])
    assert parse_position(format_position(after)) == after


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'': a position begins with its size, rows x columns, as in 5x10"),
        ("H2,2:4 V 0", "a position begins with its size"),
        ("5 x 10 V 0", "a position begins with its size"),
        ("5x10", "a position ends with the species to move (V or W) and the plies played, as in V 0"),
        ("5x10 V", "a position ends with the species to move"),
        ("5x10 H 0", "a position ends with the species to move"),
        ("5x10 V x", "a position ends with the species to move"),
        ("5x10 V 0 first=H", "'first=H': the species that began is V or W"),
        (
            "5x10 X2,2:4 V 0",
            "'X2,2:4': what stands on a cell is written H, V or W, then x,y:count, as in H2,2:4",
        ),
        ("5x10 H2,2 V 0", "'H2,2': what stands on a cell"),
        ("5x10 H2,2:4 H2,2:5 V 0", "'H2,2:5': that cell is already said to hold H2,2:4"),
        ("5x10 H2,2:4 V2,2:5 V 0", "(2,2) holds both humans and vampires; a cell holds one kind"),
        ("5x10 H10,2:4 V 0", "4 humans at (10,2): that is off the 5 × 10 grid"),
        ("5x10 H2,2:0 V 0", "(2,2) cannot hold 0 humans"),
        ("0x10 V 0", "a grid has 1 to 255 rows and columns, not 0 × 10"),
        ("5x256 V 0", "a grid has 1 to 255 rows and columns, not 5 × 256"),
        ("5x10 V2,2:999999999 W1,1:1 V 0", "creatures are too many for one grid"),
        ("5x10 V2,2:9999999999 V 0", "'V2,2:9999999999': what stands on a cell"),
    ],
)
def test_texts_that_are_no_position(text: str, message: str) -> None:
    with pytest.raises(BadNotation, match=re.escape(message)):
        parse_position(text)


def test_the_servers_cells_hold_255() -> None:
    with pytest.raises(BadNotation, match="cannot hold 256 vampires; 1 to 255"):
        parse_position("5x10 V2,2:256 V 0", SERVER)
