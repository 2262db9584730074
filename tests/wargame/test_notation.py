"""Texts of actions and positions: there and back, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noctagon.core.game import BadNotation, UnknownName
from noctagon.games.wargame import Action, WargameState, game
from noctagon.games.wargame.rules.notation import parse_action, parse_cell, parse_position
from noctagon.games.wargame.rules.units import START
from tests.wargame.positions import position_texts

cells = st.integers(0, 24)
separators = st.text(" ,.:;-_", max_size=3)


@given(cells, cells)
def test_actions_there_and_back(source: int, target: int) -> None:
    action = Action(source, target)
    assert game.parse_action(game.format_action(action), game.initial()) == action


@given(cells, cells, st.lists(separators, min_size=5, max_size=5), st.booleans())
def test_case_and_separators_do_not_matter(source: int, target: int, gaps: list[str], lower: bool) -> None:
    marks = str(Action(source, target)).replace(" ", "")
    text = "".join(gap + mark for gap, mark in zip(gaps, marks + " ", strict=True))
    assert parse_action(text.lower() if lower else text) == Action(source, target)


@pytest.mark.parametrize("text", ["C4 C3", "c4c3", "C4,C3", "c4-c3", " C4 : C3 ", "C_4;c.3\n"])
def test_many_ways_to_write_one_action(text: str) -> None:
    assert parse_action(text) == Action(14, 13)
    assert str(parse_action(text)) == "C4 C3"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "W3 C3",
            "action 'W3 C3': the source 'W3' is not a cell: a row A to E, then a column 0 to 4, as in C4",
        ),
        ("C4 C5", "action 'C4 C5': the target 'C5' is not a cell"),
        ("4C C3", "the source '4C' is not a cell"),
        ("C4", "two cells are needed, source and target"),
        ("C4 C3 C2", "two cells are needed"),
        ("", "two cells are needed"),
        ("C4/C3", "two cells are needed"),
        ("C4 C³", "the target 'C³' is not a cell"),
        ("ßßC3", "the source 'ßß' is not a cell"),
    ],
)
def test_bad_actions_name_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(BadNotation) as caught:
        parse_action(text)
    assert message in str(caught.value)


@given(st.text(max_size=8))
def test_any_text_is_an_action_or_bad_notation(text: str) -> None:
    try:
        action = parse_action(text)
    except BadNotation:
        return
    assert all(0 <= cell < 25 for cell in action)


@settings(deadline=None)
@given(position_texts())
def test_positions_there_and_back(text: str) -> None:
    state = game.parse_position(text)
    assert game.format_position(state) == text
    assert WargameState.from_units(state.units, side=state.side, ply=state.ply) == state


def test_the_opening() -> None:
    state = game.initial()
    assert game.format_position(state) == START
    assert game.initial("start") == game.initial(START) == state
    assert (state.side, state.ply) == (0, 0)
    assert state.units["A0"] == "dA9"
    assert len(state.units) == 12


def change(token: int, value: str) -> str:
    tokens = START.split()
    tokens[token - 1] = value
    return " ".join(tokens)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (change(3, "dX9"), "position, token 3 (cell A2): 'dX9': unknown unit 'X'; there are A, V, T, F, P"),
        (change(3, "xF9"), "position, token 3 (cell A2): 'xF9': unknown side 'x'"),
        (change(25, "aA0"), "position, token 25 (cell E4): 'aA0': a unit's health is 1 to 9, not '0'"),
        (change(25, "aA10"), "position, token 25 (cell E4): 'aA10' is not a unit"),
        (change(25, "aA²"), "a unit's health is 1 to 9, not '²'"),
        (change(25, "AA9"), "unknown side 'A'"),
        (change(25, "-"), "'-' is not a unit: side, kind and health, as in dA9"),
        (change(4, "aA9"), "the Attacker has two AIs, at A3 and E4"),
        (change(4, "dA1"), "the Defender has two AIs, at A0 and A3"),
        (change(26, "A"), "position, token 26: the side to move is a or d, not 'A'"),
        (change(26, "ad"), "position, token 26: the side to move is a or d, not 'ad'"),
        (change(27, "-1"), "position, token 27: the turns played are a number from 0, not '-1'"),
        (change(27, "1.5"), "not '1.5'"),
        (change(27, "²"), "not '²'"),
        (change(27, "9" * 5000), "position, token 27: the turns played are a number from 0"),
        (change(27, "0" * 5000), "position, token 27: the turns played are a number from 0"),
        (". " + START, "position: 28 tokens, but it has 27: 25 cells row by row"),
        (START[:-2], "position: 26 tokens"),
        ("", "position: 0 tokens"),
    ],
)
def test_bad_positions_name_the_token_and_its_place(text: str, message: str) -> None:
    with pytest.raises(BadNotation) as caught:
        game.parse_position(text)
    assert message in str(caught.value)


def test_long_turn_numbers_with_leading_zeros() -> None:
    assert parse_position(change(27, "2147483647")).ply == 2**31 - 1
    with pytest.raises(BadNotation, match="token 27"):
        parse_position(change(27, "2147483648"))


def test_positions_from_content_are_checked() -> None:
    with pytest.raises(BadNotation, match="'Z9' is not a cell"):
        WargameState.from_units({"Z9": "aA9"})
    with pytest.raises(BadNotation, match="'aA' is not a unit"):
        WargameState.from_units({"A0": "aA"})
    with pytest.raises(BadNotation, match="a board has 25 cells, not 3"):
        WargameState(b"\0\0\0")
    for code in (0x0A, 0x59, 0x10, 256):
        with pytest.raises(BadNotation, match=f"cell A1: {code} is not the byte of a unit"):
            WargameState([0, code] + [0] * 23)
    with pytest.raises(BadNotation, match="turns played 0 or more, not 0 and -1"):
        WargameState(bytes(25), ply=-1)


def test_unknown_setups_offer_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="did you mean start"):
        game.initial("strat")


def test_cells() -> None:
    assert [parse_cell(name) for name in ("A0", "a4", "e4")] == [0, 4, 24]
