"""Parts of the champion that were made faster say what the slow ones say: a layer of the network, and the race."""

from random import Random
from typing import Any

import numpy as np
import pytest

from noctagon.compiled.jit import Float, Floats, Int, Nothing, Record, compiled
from noctagon.games.vampires import game
from noctagon.games.vampires.champion import search as engine
from noctagon.games.vampires.rules import packing
from tests.vampires.positions import random_position

game.load()
engine.load()

from noctagon.compiled import real_layers as layers  # noqa: E402
from noctagon.games.vampires.champion import records as engine_work  # noqa: E402
from noctagon.games.vampires.champion import value as engine_value  # noqa: E402 - they compile
from noctagon.games.vampires.rules import kernel  # noqa: E402


@compiled
def dense_compiled(
    desk: Floats, x: Int, inputs: Int, weights: Floats, at: Int, outputs: Int, y: Int
) -> Nothing:
    layers.dense(desk, x, inputs, weights, at, outputs, y)


@compiled
def add_compiled(desk: Floats, x: Int, count: Int, share: Float, y: Int) -> Nothing:
    layers.add(desk, x, count, share, y)


@pytest.mark.kernel
@pytest.mark.parametrize(("inputs", "outputs"), [(1, 16), (16, 32), (33, 48)])
def test_a_layer_is_the_same_to_the_last_bit(inputs: int, outputs: int) -> None:
    rng = np.random.default_rng(inputs)
    weights = rng.normal(size=7 + (inputs + 1) * outputs)
    desk = rng.normal(size=3 + inputs + outputs)
    plain = desk.copy()
    layers.dense(plain, 3, inputs, weights, 7, outputs, 3 + inputs)
    dense_compiled(desk, 3, inputs, weights, 7, outputs, 3 + inputs)
    assert desk.tolist() == plain.tolist()
    assert 0 < (desk[3 + inputs :] == 0).sum() < outputs, "some were below 0, and some were not"


@pytest.mark.kernel
def test_a_share_is_added_the_same_to_the_last_bit() -> None:
    desk = np.random.default_rng(1).normal(size=70)
    plain = desk.copy()
    layers.add(plain, 35, 32, 0.3, 2)
    add_compiled(desk, 35, 32, 0.3, 2)
    assert desk.tolist() == plain.tolist()


@pytest.mark.kernel
def test_a_race_for_the_first_houses_finds_those_of_the_whole_race() -> None:
    rng = Random(5)
    s, w = Record.new(kernel.COMPACT), Record.new(engine_work.WORK)
    found = set()
    for _ in range(300):
        packing.unpack(s, random_position(rng, largest=12)._packed)
        groups = min(int(s.groups[s.mover]), engine_work.RACERS)
        goals: list[Any] = []
        engine_value.find_strengths(s, w)
        for race in (lambda: engine_value.race_worth(s, w, 1.0, 1.0), lambda: engine_value.race_goals(s, w)):
            w.racer_first[:] = 99
            race()
            goals.append(w.racer_first[s.mover, :groups].tolist())
        assert goals[0] == goals[1]
        found.update(goals[0])
    assert {-1, 0, 1} < found
