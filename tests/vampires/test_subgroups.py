"""The division into subgroups: its conditions by hand-computed numbers, and how its player plays."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noctagon.core.clock import Clock
from noctagon.core.game import NoctagonError
from noctagon.core.player import GameStart, PlayerSpec
from noctagon.core.registry import find_game
from noctagon.games.vampires.players.division import (
    clusters,
    divide,
    friend_to_join,
    harvest,
    spread_spare,
    units_to_convert,
    units_to_defend,
)
from noctagon.games.vampires.players.subgroups import SubgroupsPlayer, own_board
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.targeted import Race, races
from noctagon.games.vampires.rules.turn import Move
from noctagon.players import make_player
from tests.vampires.positions import random_position, seeds, small

VAMPIRES = find_game("vampires")
DEFAULTS = {"near": 6, "defence": 4, "most": 4, "merge_range": 4}


def between_houses(left: int = 3, right: int = 4) -> VampiresState:
    return small(
        rows=9,
        columns=11,
        humans={(1, 4): left, (9, 4): right},
        vampires={(5, 4): 16},
        werewolves={(5, 0): 5},
    )


def test_houses_near_each_other_are_a_cluster() -> None:
    state = small(
        rows=12,
        columns=12,
        humans={(1, 1): 5, (2, 3): 2, (9, 9): 4, (11, 0): 7},
        vampires={(5, 5): 6},
        werewolves={(11, 11): 5},
    )
    found = clusters(races(state))
    assert [
        ({house.cell for house in cluster.houses}, cluster.humans, cluster.needed) for cluster in found
    ] == [
        ({(1, 1), (2, 3)}, 7, 3)  # two, then with the two converts the five: three are needed
    ]  # the 4 are nearer to the werewolves, and 6 cannot take 7


@given(st.lists(st.integers(1, 30), min_size=1, max_size=6))
def test_just_enough_convert_a_cluster(houses: list[int]) -> None:
    def succeeds(units: int) -> bool:
        for humans in sorted(houses):
            if units < humans:
                return False
            units += humans
        return True

    needed = units_to_convert(houses)
    assert succeeds(needed)
    assert not succeeds(needed - 1)


@given(st.integers(1, 200))
def test_just_enough_hold_out(foe: int) -> None:
    needed = units_to_defend({(0, 0): foe}, (2, 2), 4)
    assert 2 * foe < 3 * needed
    assert 2 * foe >= 3 * (needed - 1)
    assert units_to_defend({(0, 0): foe}, (2, 5), 4) == 0


@given(
    st.lists(st.tuples(st.integers(1, 20), st.integers(0, 20)), min_size=1, max_size=5), st.integers(0, 50)
)
def test_the_spare_go_where_the_threat_is(parts: list[tuple[int, int]], spare: int) -> None:
    sizes, threats = [size for size, _ in parts], [threat for _, threat in parts]
    before = list(sizes)
    spread_spare(sizes, threats, spare)
    given_out = [after - size for after, size in zip(sizes, before, strict=True)]
    assert sum(given_out) == spare
    assert min(given_out) >= 0
    if any(threats):
        assert given_out[threats.index(max(threats))] == max(given_out)


def test_a_group_divides_between_two_houses_it_is_enough_for() -> None:
    found = divide(between_houses(), **DEFAULTS)
    assert [(part.kind, part.goal, part.threat, part.units) for part in found] == [
        ("convert", (9, 4), 4, 4 + 4 + 1),  # four hold out against the five, which are four steps away
        ("convert", (1, 4), 4, 3 + 4),
    ]


def test_every_part_meets_the_condition_of_the_report() -> None:
    for seed in range(200):
        state = random_position(Random(seed), largest=12, scale=(1, 12))
        found = divide(state, **DEFAULTS)
        for cell, units in state.own.items():
            parts = [part for part in found if part.cell == cell]
            assert sum(part.units for part in parts) == units
            if len(parts) > 1:
                for part in parts:
                    assert part.kind == "convert"
                    assert part.houses
                    counts = [state.humans[house] for house in part.houses]
                    assert part.units >= units_to_convert(counts) + part.threat
        claimed = [house for part in found for house in part.houses]
        assert len(set(claimed)) == len(claimed)


def test_it_stays_whole_when_it_is_not_enough() -> None:
    found = divide(between_houses(left=8, right=8), **DEFAULTS)
    assert [part.units for part in found] == [16]
    assert [part.units for part in divide(between_houses(), **{**DEFAULTS, "most": 1})] == [16]


def test_groups_join_before_a_large_foe() -> None:
    state = small(
        rows=9,
        columns=9,
        humans={(8, 0): 1},
        vampires={(0, 0): 6, (3, 0): 6},
        werewolves={(2, 3): 10},
    )
    assert friend_to_join(state, (0, 0), 6, 4) == (3, 0)
    assert friend_to_join(state, (0, 0), 6, 2) is None  # it is too far to care
    hopeless = small(
        rows=9, columns=9, humans={(8, 0): 1}, vampires={(0, 0): 6, (3, 0): 6}, werewolves={(2, 3): 30}
    )
    assert friend_to_join(hopeless, (0, 0), 6, 4) is None  # twelve are as lost as six
    decision = SubgroupsPlayer(VAMPIRES).choose(state, Clock())
    assert "merge" in decision.thought.note


def test_without_humans_groups_join_unless_they_are_the_hunters() -> None:
    def objectives(foe: int) -> list[tuple[str, tuple[int, int]]]:
        state = small(rows=9, columns=9, vampires={(0, 0): 6, (3, 0): 5}, werewolves={(8, 8): foe})
        return [(part.kind, part.goal) for part in divide(state, **DEFAULTS)]

    assert objectives(9) == [("merge", (3, 0)), ("merge", (0, 0))]
    assert objectives(3) == [("defend", (8, 8)), ("defend", (8, 8))]


def test_a_group_that_joins_sees_the_other_where_it_has_gone() -> None:
    state = small(rows=9, columns=9, vampires={(0, 0): 6, (3, 0): 5}, werewolves={(8, 8): 9})
    found = divide(state, **DEFAULTS)
    assert dict(own_board(state, found[0], found, []).own) == {(0, 0): 6, (3, 0): 5}
    assert dict(own_board(state, found[0], found, [Move(3, 0, 5, 2, 1)]).own) == {(0, 0): 6, (2, 1): 5}


def test_a_subgroup_is_alone_on_its_board() -> None:
    state = small(
        rows=9,
        columns=11,
        humans={(1, 4): 3, (9, 4): 3},
        vampires={(5, 4): 12, (0, 0): 1},
        werewolves={(10, 8): 4},
    )
    found = divide(state, **DEFAULTS)
    left = next(part for part in found if (1, 4) in part.houses)
    board = own_board(state, left, found, [])
    assert dict(board.own) == {(5, 4): left.units}
    assert dict(board.foes) == {(10, 8): 4}
    assert dict(board.humans) == {(1, 4): 3}
    assert (board.side, board.ply, board.rules) == (state.side, state.ply, state.rules)


def test_it_goes_to_both_houses_and_says_so() -> None:
    state = small(
        rows=9, columns=13, humans={(1, 4): 4, (11, 4): 4}, vampires={(6, 4): 12}, werewolves={(6, 8): 2}
    )
    decision = SubgroupsPlayer(VAMPIRES).choose(state, Clock())
    assert {move.tx for move in decision.action} == {5, 7}
    assert decision.thought.note.count("convert") == 2
    assert decision.thought.nodes > 0


def test_it_stays_together_where_that_converts_as_many() -> None:
    state = small(
        rows=9, columns=11, humans={(1, 4): 4, (7, 4): 4}, vampires={(5, 4): 12}, werewolves={(5, 8): 2}
    )
    assert harvest([((5, 4), 12)], races(state)) == harvest([((5, 4), 6), ((5, 4), 6)], races(state)) == 8
    assert [part.units for part in divide(state, **DEFAULTS)] == [12]


def test_a_harvest_grows_on_the_way_and_loses_what_the_opponent_reaches_first() -> None:
    found = [Race((3, 0), 2, 3, 9), Race((5, 0), 4, 5, 6), Race((5, 5), 1, 5, 2)]
    assert harvest([((0, 0), 2)], found) == 6  # the two, which make four, which take the four in time
    assert harvest([((0, 0), 2)], found, turns=4) == 2
    assert harvest([((0, 0), 1)], found) == 0


def test_it_is_the_same_for_a_seed() -> None:
    state = VAMPIRES.initial("duel")
    for seed in range(3):
        decisions = []
        for _ in range(2):
            player = SubgroupsPlayer(VAMPIRES)
            player.start(GameStart(state, seed=seed), 0)
            decisions.append(player.choose(state, Clock()).action)
        assert decisions[0] == decisions[1]


def test_explaining_averages_over_the_groups() -> None:
    state = small(rows=5, columns=5, humans={(1, 1): 4}, vampires={(0, 0): 5}, werewolves={(4, 0): 5})
    terms = SubgroupsPlayer(VAMPIRES).explain(state, [(0, 0, 5, 1, 1)])
    assert terms["units"] == 40.0
    assert list(terms) == ["units", "resources", "attack", "positioning", "distance", "bias"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("subgroups:max_groups=0", "subgroups: max_groups=0 should be 1 to 50"),
        ("subgroups:defence=-1", "subgroups: defence=-1 should be 0 to 255"),
        ("subgroups:near=0", "subgroups: near=0 should be 1 to 255"),
        ("subgroups:weights=late", "subgroups: weights=late should be algorithm-5 or resource-first"),
        ("subgroups:groups=2", "subgroups has no option 'groups'; it has depth=3"),
    ],
)
def test_options_out_of_range_are_refused(text: str, says: str) -> None:
    with pytest.raises(NoctagonError) as caught:
        make_player(PlayerSpec.parse(text), VAMPIRES)
    assert says in str(caught.value)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_legal_in_any_position(seed: int) -> None:
    state = random_position(Random(seed))
    decision = SubgroupsPlayer(VAMPIRES, depth=1).choose(state, Clock())
    state.check(decision.action)
