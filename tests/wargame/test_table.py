"""The table of positions seen before: another key for what differs, and room for what is worth most."""

from itertools import product
from typing import Any

import pytest

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
