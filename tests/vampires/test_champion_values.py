"""The evaluations of Vampires vs Werewolves: terms worked out by hand, and what the network says of known positions."""

from math import exp

import pytest

from noctagon.games.vampires.champion import evaluation
from noctagon.games.vampires.rules.notation import parse_position

pytestmark = pytest.mark.kernel


def test_a_house_in_reach_fades_with_the_turns_it_takes_diagonal_ones_too() -> None:
    state = parse_position("9x9 V0,0:5 W8,8:5 H2,2:3 V 0")
    assert evaluation.prospects(state) == pytest.approx(3 * 0.6 * 0.9**2)


@pytest.mark.parametrize(("mover", "sign"), [("V 0", 1), ("W 1", -1)])
def test_of_two_groups_equally_far_from_a_house_the_one_that_moves_next_is_there_first(
    mover: str, sign: int
) -> None:
    state = parse_position(f"9x9 V0,0:5 W4,4:5 H2,2:3 {mover}")
    assert evaluation.prospects(state) == pytest.approx(sign * 3 * 0.6 * 0.9**2)
    assert sign * evaluation.champion.terms(state)["race for houses"] > 0


def test_the_race_adds_up_what_a_group_eats_and_when() -> None:
    """The first house is taken 2 plies from now, the second after three steps more, 8 plies from now."""
    state = parse_position("9x9 V0,0:6 W8,8:3 H0,2:4 H0,5:5 V 0")
    worth, soon = 0.54, 0.57
    gains = [
        humans * (worth * exp(-0.02 * plies) + soon * exp(-0.15 * plies))
        for humans, plies in ((4, 2), (5, 8))
    ]
    assert evaluation.champion.terms(state)["race for houses"] == pytest.approx(sum(gains))


@pytest.mark.parametrize(
    ("position", "learned"),
    [
        ("9x9 V0,0:5 W4,4:5 H2,2:3 V 0", 1.3396022615217182),
        ("9x9 V0,0:5 W4,4:5 H2,2:3 W 1", -2.8441514183547323),
        ("9x9 V0,0:6 V1,4:3 W8,8:6 W7,3:4 H0,2:3 H0,5:4 H6,6:2 V 0", 5.702737547117068),
        ("9x9 V0,0:6 V1,4:3 W8,8:6 W7,3:4 H0,2:3 H0,5:4 H6,6:2 W 1", 3.863632800104005),
    ],
)
def test_the_network_is_given_what_it_was_trained_on(position: str, learned: float) -> None:
    """Numbers that change mean that its inputs and its weights no longer fit each other."""
    terms = evaluation.champion.terms(parse_position(position))
    assert terms["learned"] == pytest.approx(learned, abs=1e-9)
