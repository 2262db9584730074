"""What compiled code says about memory changes nothing that it reads or finds."""

import gc
import sys

import numpy as np
import pytest

from noctagon.compiled.intrinsics import borrowed, fetch
from noctagon.compiled.jit import Int, Ints, Rows, compiled


@compiled
def total(numbers: Ints) -> Int:
    found = 0
    for i in range(len(numbers)):
        found += numbers[i]
    return found


@compiled
def total_of_borrowed(numbers: Ints) -> Int:
    same = borrowed(numbers)
    found = 0
    for _ in range(3):
        found += total(same)
    return found


@compiled
def corners_fetched_before(table: Rows) -> Int:
    last = len(table) - 1
    fetch(table, 0)
    fetch(table, last)
    return table[0, 0] + table[last, 1]


@pytest.mark.kernel
def test_a_borrowed_array_is_the_same_and_stays_its_owners() -> None:
    numbers = np.arange(10, dtype=np.int32)
    before = sys.getrefcount(numbers)
    for _ in range(100):
        assert total_of_borrowed(numbers) == 3 * 45
    gc.collect()
    assert sys.getrefcount(numbers) == before
    assert numbers.tolist() == list(range(10))


@pytest.mark.kernel
def test_fetching_changes_nothing() -> None:
    table = np.arange(2000, dtype=np.int32).reshape(1000, 2)
    assert corners_fetched_before(table) == 1999
    assert borrowed(table) is table
    assert fetch(table, 5) is None  # type: ignore[func-returns-value]
