"""SmartScan, part by part, as section 5 of the 2019 report has them."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from noctagon.games.vampires.players.smartscan import (
    MOST_HOUSES,
    Q_DISPUTED,
    Q_OURS,
    Q_THEIRS,
    Incentives,
    Ranking,
    ScanTerms,
    SmartScan,
)
from noctagon.games.vampires.rules.ruleset import SERVER
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Turn
from tests.vampires.positions import random_position

UNIT = Incentives(proximity=1.0)
"""Incentives by which the sums can be followed."""


def scan(incentives: Incentives = UNIT, **content: Any) -> SmartScan:
    content.setdefault("rows", 9)
    content.setdefault("columns", 19)
    return SmartScan(VampiresState(**content), incentives)


FAR = {(18, 8): 6}


# Humans and enemies on the cell.


def test_a_sure_meal_counts_for_every_human() -> None:
    at = scan(humans={(1, 0): 4}, vampires={(0, 0): 4}, werewolves=FAR)
    assert at.meeting((1, 0), 4) == (4 * UNIT.eat_humans, 8)


def test_enemies_are_worth_more_than_humans() -> None:
    at = scan(vampires={(0, 0): 6}, werewolves={(1, 0): 4})
    assert at.meeting((1, 0), 6) == (4 * UNIT.eat_enemies, 6)
    assert UNIT.eat_enemies > UNIT.eat_humans


def test_humans_that_are_too_many_cost_what_the_battle_costs() -> None:
    at = scan(humans={(1, 0): 8}, vampires={(0, 0): 4}, werewolves=FAR)
    worth, left = at.meeting((1, 0), 4)  # P = 1/4: one time in four, a quarter of 12 is left
    assert worth == pytest.approx(UNIT.gamble * (12 / 16 - 4))
    assert left == 1


@pytest.mark.parametrize(
    ("we", "they", "worth"),
    [
        (10, 8, 2 * UNIT.attack_smaller),  # slightly aggressive, by the difference
        (8, 8, 0.0),  # indifferent
        (8, 10, -2 * UNIT.fear_bigger),  # slightly scared, by the difference
        (8, 12, -8 * UNIT.avoid_big),  # 1.5 times as many: all die
    ],
)
def test_unsure_enemies(we: int, they: int, worth: float) -> None:
    at = scan(vampires={(0, 0): we}, werewolves={(1, 0): they})
    assert at.meeting((1, 0), we)[0] == pytest.approx(worth)


def test_a_meal_that_wraps_on_the_server_is_none() -> None:
    crowd: dict[str, Any] = {"humans": {(1, 0): 100}, "vampires": {(0, 0): 200}, "werewolves": FAR}
    assert scan(**crowd).meeting((1, 0), 200) == (100 * UNIT.eat_humans, 300)
    worth, left = scan(**crowd, rules=SERVER).meeting((1, 0), 200)
    assert worth < 0
    assert left == 44


# Eatable humans and their proximity: the sum of n / (d + 1) · p · q.


def test_a_house_counts_by_its_distance() -> None:
    at = scan(humans={(4, 0): 3}, vampires={(0, 0): 5}, werewolves=FAR)
    assert at.proximity((0, 0), (1, 0), 5) == pytest.approx(3 / (3 + 1) * Q_OURS)
    assert at.proximity((1, 0), (2, 0), 5) == pytest.approx(3 / (2 + 1) * Q_OURS)


def test_only_houses_ahead_count() -> None:
    at = scan(humans={(4, 4): 3}, vampires={(6, 4): 5}, werewolves=FAR)
    assert at.proximity((6, 4), (5, 4), 5) > 0
    assert at.proximity((6, 4), (5, 3), 5) > 0
    assert at.proximity((6, 4), (6, 3), 5) == 0  # no nearer
    assert at.proximity((6, 4), (7, 4), 5) == 0  # behind


def test_humans_on_the_way_make_us_more() -> None:
    houses = {(2, 0): 5, (4, 0): 8}
    at = scan(humans=houses, vampires={(0, 0): 5}, werewolves=FAR)
    assert at.proximity((0, 0), (1, 0), 5) == pytest.approx(5 / 2 + 8 / 4)
    at = scan(humans={(4, 0): 8}, vampires={(0, 0): 5}, werewolves=FAR)
    assert at.proximity((0, 0), (1, 0), 5) == pytest.approx(8 / 4 * 5 / 16)


@pytest.mark.parametrize(("enemy", "q"), [((12, 0), Q_OURS), ((8, 0), Q_DISPUTED), ((5, 0), Q_THEIRS)])
def test_who_may_be_there_first(enemy: tuple[int, int], q: float) -> None:
    at = scan(humans={(5, 1): 4}, vampires={(0, 0): 5}, werewolves={enemy: 5})
    assert at.proximity((0, 0), (1, 0), 5) == pytest.approx(4 / 5 * q)
    assert (Q_THEIRS, Q_OURS, Q_DISPUTED) == (0.5, 1.0, 1.2)


# Enemies elsewhere.


@pytest.mark.parametrize(
    ("they", "worth"),
    [
        (6, UNIT.prey * 6 / 3),
        (8, UNIT.attack_smaller * 1 / 3),
        (9, 0.0),
        (10, -UNIT.fear_bigger * 1 / 3),
        (14, -UNIT.wary * 9 / 3),
    ],
)
def test_enemies_around(they: int, worth: float) -> None:
    at = scan(vampires={(0, 0): 9}, werewolves={(3, 0): they})
    assert at.enemies((1, 0), 9) == pytest.approx(worth)


def test_keeping_away_from_much_bigger_ones() -> None:
    at = scan(vampires={(0, 0): 6}, werewolves={(3, 0): 9})
    assert at.enemies((2, 0), 6) == -UNIT.keep_away * 6
    assert at.enemies((2, 0), 6) < 10 * at.enemies((1, 0), 6) < 0


# Merging.


@pytest.mark.parametrize(
    ("humans", "enemies", "weight"),
    [
        ({}, 9, UNIT.merge_strong),  # no humans left
        ({(9, 8): 2, (9, 7): 2, (9, 6): 1}, 4, UNIT.merge_medium),  # 5 + 4 < 10: they must attack to win
        ({(9, 8): 9}, 9, UNIT.merge_small),  # a few houses left
        ({(9, 8): 9, (9, 7): 9, (9, 6): 9}, 9, 0.0),
    ],
)
def test_merge_cases(humans: dict[tuple[int, int], int], enemies: int, weight: float) -> None:
    at = scan(humans=humans, vampires={(0, 0): 5, (6, 0): 5}, werewolves={(18, 8): enemies})
    together, apart = (at.turn(Turn([(0, 0, 5, x, 1), (6, 0, 5, 5, 0)])).merge for x in (1, 0))
    assert together == pytest.approx(-2 * weight * 4)
    assert apart == pytest.approx(-2 * weight * 5)
    assert UNIT.merge_strong > UNIT.merge_medium > UNIT.merge_small > 0


def test_one_unit_has_nobody_to_merge_with() -> None:
    at = scan(vampires={(0, 0): 5, (2, 0): 5}, werewolves=FAR)
    assert at.turn(Turn([(0, 0, 5, 1, 0), (2, 0, 5, 1, 0)])).merge == 0


# The end of the game.


@pytest.mark.parametrize(("we", "they"), [(9, 6), (8, 9)])
def test_the_end_is_an_attack_when_far_ahead_or_behind(we: int, they: int) -> None:
    at = scan(vampires={(0, 0): we}, werewolves={(5, 0): they})
    assert at.end_of_game((1, 0), we) - at.end_of_game((0, 1), we) == UNIT.end_attack


def test_the_end_is_to_run_when_slightly_ahead() -> None:
    at = scan(vampires={(4, 0): 10}, werewolves={(6, 0): 9})
    assert at.end_of_game((3, 0), 10) > at.end_of_game((4, 1), 10) > at.end_of_game((5, 0), 10)


def test_equals_neither_run_nor_attack_at_the_end() -> None:
    at = scan(vampires={(4, 0): 9}, werewolves={(6, 0): 9})
    assert at.end_of_game((3, 0), 9) == at.end_of_game((5, 0), 9) == 0


def test_a_split_foe_is_attacked_whoever_is_more() -> None:
    at = scan(vampires={(3, 3): 6, (1, 3): 6}, werewolves={(6, 3): 5, (9, 5): 5})
    assert at.goal == (6, 3)
    assert not at.runs


def test_of_a_split_foe_the_smallest_nearest_is_attacked() -> None:
    at = scan(vampires={(8, 4): 9}, werewolves={(4, 4): 3, (16, 4): 3, (8, 0): 8})
    assert at.goal == (4, 4)
    assert at.end_of_game((7, 4), 9) > at.end_of_game((9, 4), 9)


def test_there_is_no_end_while_there_are_humans() -> None:
    at = scan(humans={(0, 8): 1}, vampires={(8, 4): 9}, werewolves={(4, 4): 3})
    assert at.end_of_game((7, 4), 9) == 0


# The whole.


def test_a_turn_is_the_sum_of_its_units() -> None:
    state = VampiresState(
        rows=9,
        columns=19,
        humans={(2, 0): 3, (9, 4): 2, (12, 6): 2},
        vampires={(1, 1): 6, (8, 4): 5},
        werewolves=FAR,
    )
    at = SmartScan(state, UNIT)
    turn = Turn([(1, 1, 3, 2, 0), (1, 1, 3, 2, 2), (8, 4, 5, 9, 4)])
    units = [at.unit((1, 1), (2, 0), 3), at.unit((1, 1), (2, 2), 3), at.unit((8, 4), (9, 4), 5)]
    assert at.turn(turn).score == pytest.approx(sum(unit.score for unit in units) + at.turn(turn).merge)
    assert at.turn(turn).humans_and_enemies == 5 * UNIT.eat_humans
    assert ScanTerms(1, 2, 3, 4, 5).score == 15


def test_who_meets_on_a_cell_is_one_unit() -> None:
    at = scan(humans={(1, 0): 9}, vampires={(0, 0): 5, (2, 0): 5}, werewolves=FAR)
    assert at.turn(Turn([(0, 0, 5, 1, 0), (2, 0, 5, 1, 0)])).humans_and_enemies == 9 * UNIT.eat_humans


def test_who_stays_counts_too() -> None:
    at = scan(vampires={(0, 0): 5, (7, 0): 5}, werewolves={(8, 1): 9})
    assert at.turn(Turn([(0, 0, 5, 0, 1)])).enemies < -UNIT.keep_away * 5


def test_aggression_scales_attacks_only() -> None:
    calm, wild = Incentives().with_aggression(0.0), Incentives().with_aggression(2.0)
    assert (calm.attack_smaller, wild.attack_smaller) == (0.0, 2 * Incentives().attack_smaller)
    assert calm.eat_humans == wild.eat_humans == Incentives().eat_humans


def test_a_scan_is_the_same_for_both_species() -> None:
    houses = {(4, 4): 3, (7, 2): 5}
    one = scan(humans=houses, vampires={(2, 2): 6}, werewolves={(9, 5): 8})
    other = scan(humans=houses, vampires={(9, 5): 8}, werewolves={(2, 2): 6}, to_move="werewolves")
    assert one.unit((2, 2), (3, 3), 6) == other.unit((2, 2), (3, 3), 6)


def test_a_map_full_of_houses_is_looked_at_around_us_only() -> None:
    houses = {(x, y): 1 for x in range(60) for y in range(60) if (x, y) not in ((30, 30), (0, 0))}
    at = scan(rows=60, columns=60, humans=houses, vampires={(30, 30): 5}, werewolves={(0, 0): 5})
    assert len(at.houses) < 200
    assert len(houses) > MOST_HOUSES


@pytest.mark.parametrize("seed", range(30))
def test_a_ranking_is_legal_short_and_in_order(seed: int) -> None:
    state = random_position(Random(seed))
    scores = Ranking(Incentives(), k=5, splits=True).scores(state)
    assert 1 <= len(scores) <= 5
    assert list(scores.values()) == sorted(scores.values(), reverse=True)
    for turn, score in scores.items():
        state.check(turn)
        assert SmartScan(state).turn(turn).score == pytest.approx(score)


def test_a_board_is_scanned_once() -> None:
    ranking = Ranking(Incentives(), k=4)
    state = random_position(Random(5))
    first = ranking.scores(state)
    assert ranking.scores(state) is first
    assert (ranking.board_looks, ranking.board_hits) == (2, 1)
    assert "50% of 2 boards" in ranking.note()
