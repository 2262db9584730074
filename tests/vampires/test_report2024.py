"""The 2024 report's formulas by hand-computed numbers, and how its player plays."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noctagon.core.clock import Clock
from noctagon.core.game import NoctagonError
from noctagon.core.player import GameStart, PlayerSpec
from noctagon.core.registry import find_game
from noctagon.games.vampires.players.report2024 import (
    Constants,
    Report2024Player,
    ReportEvaluation,
    attack_potential,
    distance_penalty,
    dynamic_weights,
    progress_ratio,
    random_bias,
    resource_gain,
    strategic_positioning,
    strongest,
    strongest_steps,
)
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Turn
from noctagon.players import make_player
from noctagon.search.minimax import Minimax
from tests.vampires.positions import random_position, seeds, small

VAMPIRES = find_game("vampires")
ALGORITHM_5 = Constants(high=4.0, low=2.0, bonus=6.0, penalty=3.0, optimal_range=5, dispersion=0.5)


def test_resource_gain_is_the_best_house_per_step() -> None:
    humans = {(3, 0): 6, (0, 4): 4, (1, 1): 9, (6, 0): 8}
    assert resource_gain(((0, 0), 8), humans, 10) == 2.0  # 6/3; 9 are too many, 4/4 and 8/6 are less
    assert resource_gain(((0, 0), 9), humans, 10) == 9.0  # as many as there are units can be converted
    assert resource_gain(((0, 0), 8), humans, 2) == 0.0  # only the 9 are that near
    assert resource_gain(((3, 0), 8), humans, 1) == 0.0  # what stands on the cell itself is no step away


def test_attack_potential_counts_strictly_fewer_enemies() -> None:
    foes = {(2, 2): 8, (5, 1): 5}
    assert attack_potential(((0, 0), 8), foes, 10) == 1.0
    assert attack_potential(((0, 0), 9), foes, 10) == 4.0
    assert attack_potential(((0, 0), 8), foes, 4) == 0.0


def test_strategic_positioning_rewards_the_range_and_punishes_beyond() -> None:
    options = {"optimal_range": 5, "bonus": 6.0, "penalty": 3.0}
    assert strategic_positioning((0, 0), (2, 1), **options) == 2.0  # type: ignore[arg-type]
    assert strategic_positioning((0, 0), (5, 5), **options) == 1.0  # type: ignore[arg-type]
    assert strategic_positioning((0, 0), (6, 0), **options) == -3.0  # type: ignore[arg-type]


def test_algorithm_5_attacks_early_and_the_other_order_converts_early() -> None:
    assert progress_ratio(4, 4, 8) == 0.5
    assert progress_ratio(4, 4, 9) < 0.5
    assert dynamic_weights(0.49, ALGORITHM_5) == (4.0, 2.0)
    assert dynamic_weights(0.5, ALGORITHM_5) == (2.0, 4.0)
    other = ALGORITHM_5._replace(weights="resource-first")
    assert dynamic_weights(0.49, other) == (2.0, 4.0)
    assert dynamic_weights(0.5, other) == (4.0, 2.0)


def test_the_distance_penalty_is_the_average_distance_from_the_strongest() -> None:
    assert distance_penalty({(1, 1): 5}, (1, 1)) == 0.0
    assert distance_penalty({(1, 1): 5, (4, 2): 1, (1, 2): 2}, (1, 1)) == 2.0


@given(st.integers(-(2**70), 2**70), st.binary(max_size=40))
def test_the_bias_is_small_and_a_function_of_seed_and_position(seed: int, key: bytes) -> None:
    assert -0.1 <= random_bias(seed, key) <= 0.1
    assert random_bias(seed, key) == random_bias(seed, key)


def test_the_bias_is_spread_evenly() -> None:
    values = [random_bias(7, bytes([a, b])) for a in range(40) for b in range(50)]
    assert abs(sum(values) / len(values)) < 0.01
    assert sum(value > 0.05 for value in values) == pytest.approx(500, abs=100)


def test_the_score_of_a_position_by_hand() -> None:
    state = small(
        rows=8,
        columns=8,
        humans={(0, 2): 4, (7, 7): 3, (4, 4): 20},
        vampires={(0, 0): 6, (2, 0): 1},
        werewolves={(3, 3): 5},
    )
    terms = ReportEvaluation(0, seed=1, constants=ALGORITHM_5).score(state)
    assert terms.units == 10 * (7 - 5)
    assert terms.resources == 2.0 * (4 / 2 - 4 / 3)  # low, as 12 of 39 are creatures; both go for the 4
    assert terms.attack == 4.0 * (5 / 3)
    assert terms.positioning == 6.0 / 4
    assert terms.distance == -0.5 * 2
    theirs = ReportEvaluation(1, seed=1, constants=ALGORITHM_5)
    assert theirs.score(state).attack == 4.0 * (1 / 3)  # the single vampire
    assert theirs(state) == -sum(theirs.score(state))  # an evaluation is always the first player's


def test_a_side_that_is_gone_has_no_position() -> None:
    state = small(humans={(2, 2): 3}, vampires={(0, 0): 4})
    terms = ReportEvaluation(0, constants=ALGORITHM_5).score(state)
    assert terms[:5] == (40.0, 4.0 * 1.5, 0.0, 0.0, 0.0)


def test_only_the_strongest_group_moves_and_whole() -> None:
    state = small(vampires={(0, 0): 2, (2, 0): 7}, werewolves={(2, 2): 1})
    assert strongest(state.own) == ((2, 0), 7)
    assert strongest_steps(state) == [
        Turn([(2, 0, 7, 1, 0)]),
        Turn([(2, 0, 7, 1, 1)]),
        Turn([(2, 0, 7, 2, 1)]),
    ]


def ended_by(score: ReportEvaluation) -> Callable[[VampiresState, int], float]:
    return lambda after, ply: score(after)


def test_it_searches_as_minimax_does() -> None:
    for seed in range(6):
        state = random_position(Random(seed), largest=5, scale=(1, 12))
        player = make_player(PlayerSpec("report-2024"), VAMPIRES)
        score = player.evaluation(state.side)
        full: Minimax[Turn] = Minimax(score, candidates=strongest_steps, worth=ended_by(score))
        decision = player.choose(state, Clock())
        value = full.search(state, 3).value
        assert decision.thought.score == pytest.approx(value if state.side == 0 else -value)
        assert decision.thought.depth == 3


def test_it_is_the_same_for_a_seed_and_varies_with_it() -> None:
    state = small(rows=9, columns=9, vampires={(4, 4): 3}, werewolves={(0, 4): 3})

    def plays(seed: int) -> Turn:
        player = Report2024Player(VAMPIRES)
        player.start(GameStart(state, seed=seed), 0)
        return player.choose(state, Clock()).action  # type: ignore[no-any-return]

    assert [plays(seed) for seed in range(12)] == [plays(seed) for seed in range(12)]
    assert len({plays(seed) for seed in range(12)}) > 1


def test_it_takes_the_house_beside_it_and_the_prey() -> None:
    player = Report2024Player(VAMPIRES)
    house = small(
        rows=5, columns=5, humans={(1, 1): 4, (4, 4): 1}, vampires={(0, 0): 5}, werewolves={(4, 0): 5}
    )
    assert player.choose(house, Clock()).action == Turn([(0, 0, 5, 1, 1)])
    prey = small(rows=5, columns=5, vampires={(0, 0): 6}, werewolves={(1, 0): 4, (4, 4): 1})
    assert player.choose(prey, Clock()).action == Turn([(0, 0, 6, 1, 0)])


def test_explaining_adds_up_to_the_evaluation_after_the_turn() -> None:
    state = small(rows=5, columns=5, humans={(1, 1): 4}, vampires={(0, 0): 5}, werewolves={(4, 0): 5})
    player = Report2024Player(VAMPIRES)
    terms = player.explain(state, Turn([(0, 0, 5, 1, 1)]))
    assert list(terms) == ["units", "resources", "attack", "positioning", "distance", "bias"]
    assert terms["units"] == 40.0
    after = state.play([(0, 0, 5, 1, 1)])
    assert sum(terms.values()) == pytest.approx(player.evaluation(0)(after))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("report-2024:weights=late", "report-2024: weights=late should be algorithm-5 or resource-first"),
        ("report-2024:range_limit=0", "report-2024: range_limit=0 should be 1 to 255"),
        ("report-2024:high=1,low=2", "report-2024: low=2 should be 0 to 1"),
        ("report-2024:penalty=-1", "report-2024: penalty=-1 should be 0 to 1000"),
        ("report-2024:bonus=nan", "report-2024: bonus=nan should be 0 to 1000"),
        ("report-2024:depth=0", "report-2024: depth=0"),
        ("report-2024:colour=red", "report-2024 has no option 'colour'; it has depth=3"),
    ],
)
def test_options_out_of_range_are_refused(text: str, says: str) -> None:
    with pytest.raises(NoctagonError) as caught:
        make_player(PlayerSpec.parse(text), VAMPIRES)
    assert says in str(caught.value)


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_legal_in_any_position(seed: int) -> None:
    state = random_position(Random(seed))
    decision = Report2024Player(VAMPIRES, depth=2, weights="resource-first").choose(state, Clock())
    state.check(decision.action)
