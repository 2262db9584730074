"""The generator keeps its promises: symmetric, in range, the same for the same seed, or a clear refusal."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctagon.games.vampires.maps.maker import make_map
from noctagon.games.vampires.maps.map import Map, MapError

sizes = st.tuples(st.integers(1, 12), st.integers(1, 12)).filter(lambda size: size[0] * size[1] > 1)


def distance(map_: Map) -> int:
    (x, y, _), (tx, ty, _) = map_.vampires, map_.werewolves
    return max(abs(x - tx), abs(y - ty))


@given(sizes, st.data(), st.booleans())
def test_a_made_map_is_as_wished(size: tuple[int, int], data: st.DataObject, symmetric: bool) -> None:
    rows, columns = size
    houses = data.draw(st.integers(0, rows * columns - 2))
    if symmetric and not (rows % 2 and columns % 2):
        houses -= houses % 2
    seed = data.draw(st.integers(0, 2**32))

    def make() -> Map:
        return make_map(Random(seed), rows=rows, columns=columns, houses=houses, symmetric=symmetric)

    map_ = make()
    assert map_ == make()
    assert (map_.rows, map_.columns, len(map_.humans)) == (rows, columns, houses)
    assert all(1 <= count <= 19 for _, _, count in map_.humans)
    assert all(2 <= count <= 19 for _, _, count in (map_.vampires, map_.werewolves))
    assert map_.symmetric or not symmetric
    if columns > 1:
        assert 2 * map_.werewolves[0] < columns - 1 < 2 * map_.vampires[0]
    assert distance(map_) >= min(3, max(rows, columns) - 1)


def test_counts_can_be_chosen() -> None:
    map_ = make_map(Random(1), rows=9, columns=9, houses=21, humans=(200, 255), start=77)
    assert map_.vampires[2] == map_.werewolves[2] == 77
    assert all(200 <= count <= 255 for _, _, count in map_.humans)


def test_an_odd_house_stands_in_the_centre() -> None:
    map_ = make_map(Random(1), rows=5, columns=7, houses=9)
    assert map_.symmetric
    assert (3, 2) in {(x, y) for x, y, _ in map_.humans}


def test_a_map_can_be_full() -> None:
    map_ = make_map(Random(1), rows=3, columns=3, houses=7)
    assert len(map_.humans) == 7


def test_without_symmetry_both_sides_differ() -> None:
    drawn = [make_map(Random(n), rows=8, columns=8, houses=7, symmetric=False) for n in range(20)]
    assert not any(map_.symmetric for map_ in drawn)
    assert any(map_.vampires[2] != map_.werewolves[2] for map_ in drawn)


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"rows": 1, "columns": 1, "houses": 0}, "a map of 1 × 1 has no room for two starts"),
        ({"rows": 3, "columns": 3, "houses": 8}, "a map of 3 × 3 has room for 0 to 7 houses beside"),
        ({"houses": -1}, "has room for 0 to 98 houses beside the two starts, not for -1"),
        ({"houses": 5}, "5 houses: a map of 10 × 10 has no centre cell, so its houses come in pairs"),
        ({"rows": 0}, 'Map Rows="0": a map without cells'),
        ({"columns": 256}, 'Map Columns="256": a size is one byte'),
        ({"humans": (0, 5)}, "houses of 0 to 5: a house holds 1 to 255"),
        ({"humans": (7, 5)}, "houses of 7 to 5: .* the smaller number first"),
        ({"start": 256}, "a start of 256: a species starts with 1 to 255"),
        ({"start": 0}, "a start of 0: a species starts with 1 to 255"),
    ],
)
def test_what_cannot_be_made_is_refused(wishes: dict[str, Any], message: str) -> None:
    with pytest.raises(MapError, match=message):
        make_map(Random(1), **({"rows": 10, "columns": 10, "houses": 16} | wishes))
