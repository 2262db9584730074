"""The champion's transposition table: what is stored is found, for this position alone, and as far from the root."""

from typing import Any

import pytest

from noctagon.compiled.jit import Record
from noctagon.games.vampires.rules.notation import parse_position

pytestmark = pytest.mark.kernel

TURN = 0xBEEF
"""Signature of a turn."""


@pytest.fixture(scope="module")
def transposition() -> Any:
    from noctagon.games.vampires.champion import transposition

    return transposition


def record(text: str) -> Any:
    from noctagon.games.vampires.rules import kernel, packing

    s = Record.new(kernel.COMPACT)
    packing.unpack(s, parse_position(text)._packed)
    return s


def test_what_is_stored_is_found_and_nothing_else(transposition: Any) -> None:
    from noctagon.games.vampires.champion.records import WORK

    table, w = Record.new(transposition.TABLE), Record.new(WORK)
    key = int(transposition.hashed(record("3x3 V0,0:2 W2,2:2 V 0")))
    assert transposition.probe(table, w, key) == 0
    transposition.store(table, key, TURN, transposition.EXACT, 5, -1234, 3)
    data = int(transposition.probe(table, w, key))
    assert data & 0xFFFF == TURN
    assert transposition.stored_value(data, 3) == -1234
    same_place = key ^ 1 << 40
    assert transposition.probe(table, w, same_place) == 0
    assert (w.probes, w.hits) == (3, 1)


def test_a_sure_end_is_as_far_away_as_it_is(transposition: Any) -> None:
    """A win 7 plies from the root, found at ply 3, is 4 plies away: 6 from the root where it is met at ply 2."""
    from noctagon.games.vampires.champion.records import WORK
    from noctagon.games.vampires.champion.value import SCALE

    table, w = Record.new(transposition.TABLE), Record.new(WORK)
    for key, sign in ((77, 1), (78, -1)):
        transposition.store(table, key, TURN, transposition.EXACT, 5, sign * (SCALE - 7), 3)
        data = int(transposition.probe(table, w, key))
        assert transposition.stored_value(data, 3) == sign * (SCALE - 7)
        assert transposition.stored_value(data, 2) == sign * (SCALE - 6)


def test_a_bound_settles_only_what_it_is_a_bound_of(transposition: Any) -> None:
    from noctagon.games.vampires.champion.records import WORK

    table, w = Record.new(transposition.TABLE), Record.new(WORK)
    settled = {}
    for bound in (transposition.UPPER, transposition.LOWER, transposition.EXACT):
        transposition.store(table, 99, TURN, bound, 5, 0, 0)
        data = int(transposition.probe(table, w, 99))
        windows = ((10, 20), (-20, -10), (-10, 10))  # the value is below the window, above it, within
        settled[bound] = [bool(transposition.settles(data, 5, 0, *window)) for window in windows]
        assert not any(transposition.settles(data, 6, 0, *window) for window in windows)
    assert settled == {
        transposition.UPPER: [True, False, False],
        transposition.LOWER: [False, True, False],
        transposition.EXACT: [True, True, True],
    }


def test_all_that_counts_is_in_the_hash_and_the_order_of_the_lists_is_not(transposition: Any) -> None:
    texts = [
        "3x3 V0,0:2 W2,2:2 H1,1:3 V 0",
        "3x3 W0,0:2 V2,2:2 H1,1:3 V 0",
        "3x3 V0,0:2 W2,2:2 H1,1:3 W 0",
        "3x3 V0,0:2 W2,2:2 H1,1:3 V 2",
        "3x3 V0,0:2 W2,2:2 H1,1:2 V 0",
        "3x3 V0,0:2 W2,2:3 H1,1:3 V 0",
        "3x3 V0,1:2 W2,2:2 H1,1:3 V 0",
    ]
    assert len({int(transposition.hashed(record(text))) for text in texts}) == len(texts)
    one = record("3x3 V0,0:2 V1,0:3 W2,2:2 V 0")
    other = one.copy()
    other.group_cell[0, :2] = one.group_cell[0, 1::-1]
    other.group_count[0, :2] = one.group_count[0, 1::-1]
    assert other.group_cell[0, 0] != one.group_cell[0, 0]
    assert transposition.hashed(one) == transposition.hashed(other)
