"""Who meets whom: complete, fair, and without a second meeting while that can be avoided."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctagon.arena.formats.knockout import seeded
from noctagon.arena.formats.round_robin import circle
from noctagon.arena.formats.swiss import pair_round, rounds_needed


def named(count: int) -> list[str]:
    return [f"p{number:02}" for number in range(count)]


@pytest.mark.parametrize("count", range(2, 12))
def test_everybody_meets_everybody_once(count: int) -> None:
    names = named(count)
    pairs = circle(names)
    assert {frozenset(pair) for pair in pairs} == {frozenset(pair) for pair in combinations(names, 2)}
    assert len(pairs) == count * (count - 1) // 2


def test_after_each_round_of_the_circle_all_have_met_as_many() -> None:
    pairs = circle(named(8))
    for end in range(4, len(pairs) + 1, 4):
        met = [name for pair in pairs[:end] for name in pair]
        assert len({met.count(name) for name in named(8)}) == 1


@given(st.lists(st.integers(0, 6), min_size=2, max_size=15))
def test_a_swiss_round_pairs_all_but_one(points: list[int]) -> None:
    table = {name: float(scored) for name, scored in zip(named(len(points)), points, strict=True)}
    drawn = pair_round(table, set())
    playing = [name for pair in drawn.pairs for name in pair]
    assert sorted([*playing, *([drawn.bye] if drawn.bye else [])]) == sorted(table)
    assert bool(drawn.bye) == (len(points) % 2 == 1)


def test_a_swiss_round_matches_equals_and_avoids_rematches() -> None:
    table = {"a": 3.0, "b": 3.0, "c": 1.0, "d": 1.0}
    assert {frozenset(pair) for pair in pair_round(table, set()).pairs} == {frozenset("ab"), frozenset("cd")}
    met = {frozenset("ab")}
    assert frozenset("ab") not in {frozenset(pair) for pair in pair_round(table, met).pairs}
    everybody = {frozenset(pair) for pair in combinations("abcd", 2)}
    assert {frozenset(pair) for pair in pair_round(table, everybody).pairs} == {
        frozenset("ab"),
        frozenset("cd"),
    }


def test_a_rematch_is_avoided_however_far_apart_the_others_are() -> None:
    points = {"a": 4000.0, "b": 4000.0, "c": 0.0, "d": 0.0}
    paired = pair_round(points, {frozenset("ab"), frozenset("cd")})
    assert all({*pair} not in ({"a", "b"}, {"c", "d"}) for pair in paired.pairs)


def test_the_first_swiss_round_is_upper_half_against_lower_half() -> None:
    drawn = pair_round(dict.fromkeys(named(8), 0.0), set())
    assert sorted(drawn.pairs) == [("p00", "p04"), ("p01", "p05"), ("p02", "p06"), ("p03", "p07")]


def test_the_last_rests_and_nobody_rests_twice() -> None:
    table = {"a": 4.0, "b": 2.0, "c": 0.0}
    assert pair_round(table, set()).bye == "c"
    assert pair_round(table, set(), {"c"}).bye == "b"
    assert pair_round(table, set(), {"a", "b", "c"}).bye == "c"


@pytest.mark.parametrize("count", [5, 8, 13, 30])
def test_a_whole_swiss_tournament_has_no_rematch(count: int) -> None:
    """The better seed wins always: then the first one is first, and has met the strong ones."""
    points = dict.fromkeys(named(count), 0.0)
    met: set[frozenset[str]] = set()
    rested: set[str] = set()
    for _ in range(rounds_needed(count)):
        drawn = pair_round(points, met, rested)
        for first, second in drawn.pairs:
            assert frozenset((first, second)) not in met
            met.add(frozenset((first, second)))
            points[min(first, second)] += 1
        if drawn.bye:
            points[drawn.bye] += 1
            assert drawn.bye not in rested
            rested.add(drawn.bye)
    assert max(points, key=lambda name: points[name]) == "p00"
    assert sum(points.values()) == rounds_needed(count) * ((count + 1) // 2)


@pytest.mark.parametrize("count", range(2, 20))
def test_a_bracket_keeps_the_best_seeds_apart(count: int) -> None:
    names = named(count)
    places = seeded(names)
    assert sorted(filter(None, places)) == names
    # Nobody meets nobody, and the better seeds win until the final: it is the first two.
    while len(places) > 1:
        pairs = list(zip(places[::2], places[1::2], strict=True))
        assert all(first or second for first, second in pairs)
        places = [min(filter(None, pair)) for pair in pairs]
        if len(places) == 2:
            assert sorted(places) == names[:2]
    assert places == [names[0]]
    assert all(
        len(seeded(named(small))) <= len(seeded(named(large))) for small, large in pairwise(range(2, 20))
    )
