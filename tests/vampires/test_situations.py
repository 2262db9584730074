"""A dozen situations: the positions are what they say, and `merge` does what is sensible in each."""

from __future__ import annotations

from random import Random

import pytest

from noctagon.games.vampires import game
from noctagon.games.vampires.rules.turn import Turn
from tests.vampires.situations import SITUATIONS, Situation, situations_met


def test_there_are_a_dozen() -> None:
    assert len(SITUATIONS) == len({situation.name for situation in SITUATIONS}) == 12


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.name)
def test_a_situation_can_be_met_and_missed(situation: Situation) -> None:
    state = situation.state
    assert state.result is None
    rng = Random(1)
    turns = [*state.candidates("joint"), *(state.actions().sample(rng) for _ in range(100))]
    turns += [Turn([(4, 2, 5, 3, 2), (4, 2, 4, 5, 2)])] if situation.name == "two houses" else []
    sensible = [turn for turn in turns if situation.sensible(state, turn)]
    assert 0 < len(sensible) < len(turns)
    assert situation.why.endswith(".")


@pytest.mark.parametrize("seed", range(3))
def test_merge_meets_all_twelve(seed: int) -> None:
    met = situations_met("merge", game, seconds=None, seed=seed)
    assert [name for name, done in met.items() if not done] == []


def test_others_do_not_meet_them_all() -> None:
    assert sum(situations_met("random", game, seconds=None).values()) < 12
    assert not situations_met("conservative", game, seconds=None)["two houses"]
