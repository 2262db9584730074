"""The table of positions seen before: another key for what differs, and room for what is worth most."""

from importlib import import_module
from itertools import product
from typing import Any

import pytest

from noctagon.games.wargame import game
from noctagon.games.wargame.players import evaluation
from noctagon.games.wargame.rules.state import scratch
from noctagon.search.tree import WIN
from tests.wargame.test_engine import MIDDLE, exact

pytestmark = pytest.mark.kernel

STRAIGHT, MIRRORED = 0x1234567890, 0x2345678901


@pytest.fixture(scope="module")
def kernel() -> Any:
    from noctagon.games.wargame.champion import table_kernel

    return table_kernel


def test_what_a_result_depends_on_is_in_the_key(kernel: Any) -> None:
    """The mover, techniques that leave moves out, and every ply of a turn limit that the search reaches."""
    keys = {
        int(kernel.key_of(STRAIGHT, MIRRORED, side, left, 30, 1, lossy))
        for side, lossy, left in product((0, 1), (0, 1), range(31))
    }
    assert len(keys) == 2 * 2 * 31
    beyond = [int(kernel.key_of(STRAIGHT, MIRRORED, 0, left, 30, 1, 0)) for left in range(31, 48)]
    assert keys.isdisjoint(beyond)
    assert len(set(beyond)) == 3  # beyond the search only the eights of plies count: 24, 32 and 40


def test_a_position_and_its_mirror_image_share_a_key_and_its_lowest_bit_tells_them_apart(kernel: Any) -> None:
    one, other = (
        int(kernel.key_of(*hashes, 0, 60, 30, 1, 0))
        for hashes in ((STRAIGHT, MIRRORED), (MIRRORED, STRAIGHT))
    )
    assert one != other
    assert one >> 1 == other >> 1
    apart = [
        int(kernel.key_of(*hashes, 0, 60, 30, 0, 0))
        for hashes in ((STRAIGHT, MIRRORED), (MIRRORED, STRAIGHT))
    ]
    assert apart[0] >> 1 != apart[1] >> 1


def test_the_shallower_entry_makes_room_and_an_older_one_before_it(kernel: Any) -> None:
    from noctagon.compiled.jit import Record

    table = Record.new(kernel.TABLE)

    def keep(key: int, age: int, depth: int) -> None:
        kernel.store(table, key, age, depth, kernel.EXACT, -5, 7)

    def depths() -> list[int]:
        return [int(kernel.depth_in(kernel.probe(table, key))) for key in keys]

    keys = [number << 40 | 2 for number in range(1, 5)]  # all want the same two places
    keep(keys[0], 1, 9)
    keep(keys[1], 1, 4)
    assert depths() == [9, 4, 0, 0]
    data = int(kernel.probe(table, keys[0]))
    assert (kernel.value_in(data), kernel.action_in(data), kernel.bound_in(data)) == (-5, 7, kernel.EXACT)
    keep(keys[2], 1, 2)
    assert depths() == [9, 0, 2, 0]
    keep(keys[2], 2, 3)  # its own place, in a new search
    keep(keys[3], 2, 1)
    assert depths() == [0, 0, 3, 1]


def search_with_planted(value: float, deep: int) -> float:
    """The value of a search of depth 3 whose table says this of all positions after one ply, with 33 plies left."""
    state = game.parse_position(MIDDLE.removesuffix("24") + "66")
    engine = exact(evaluation.health, "principal variation")
    kernel = import_module("noctagon.games.wargame.champion.table_kernel")
    reach = 2 + engine.kernel.LONGEST_ENDING
    for action in state.actions():
        after = state.play(action)
        d = scratch()
        d.put(after.key)
        straight, mirrored = (int(kernel.hashed(d.record, way)) for way in (0, 1))
        key = int(kernel.key_of(straight, mirrored, after.side, 33, reach, 1, 0))
        kernel.store(engine.table, key, 0, deep, kernel.EXACT, int(value), 0)
    return engine.search(state, 3).value


def test_a_sure_end_in_the_table_is_a_ply_farther_from_the_root() -> None:
    assert search_with_planted(-(WIN - 5), 2) == WIN - 6
    assert search_with_planted(WIN - 5, 2) == -(WIN - 6)


def test_what_looked_as_far_as_the_turn_limit_is_not_used_where_the_limit_is_nearer() -> None:
    """With the endings, an entry of depth 4 has looked 32 plies ahead, one of depth 10 beyond the 33 that are left."""
    assert search_with_planted(-1234, 4) == 1234
    assert search_with_planted(-1234, 10) != 1234
