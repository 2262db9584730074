"""Sets of cells as numbers: plain and compiled code find the same."""

import pytest

from noctagon.compiled.intrinsics import highest, lowest, size
from noctagon.compiled.jit import Int, compiled


@compiled
def described(cells: Int) -> Int:
    return 10_000 * size(cells) + 100 * lowest(cells) + highest(cells)


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("cells", "many", "first", "last"),
    [(1, 1, 0, 0), (0b10110, 3, 1, 4), (1 << 24, 1, 24, 24), ((1 << 25) - 1, 25, 0, 24)],
)
def test_size_and_ends_of_a_set(cells: int, many: int, first: int, last: int) -> None:
    assert (size(cells), lowest(cells), highest(cells)) == (many, first, last)
    assert described(cells) == 10_000 * many + 100 * first + last
