"""Sets of cells as bits of one number: the three operations that Numba has no name for.

Each is a plain Python function that compiled code (`noctagon.compiled.jit`) replaces with one machine instruction.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.cpython.unsafe.numbers import leading_zeros, trailing_zeros
from numba.extending import intrinsic, overload


def lowest(cells: int) -> int:
    """The first cell of a set that is not empty."""
    number = int(cells)
    return (number & -number).bit_length() - 1


def highest(cells: int) -> int:
    """The last cell of a set that is not empty."""
    return int(cells).bit_length() - 1


def size(cells: int) -> int:
    """How many cells a set has."""
    return int(cells).bit_count()


@intrinsic  # type: ignore[untyped-decorator] # numba has no types
def _ctpop(context: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@overload(lowest)  # type: ignore[untyped-decorator]
def _lowest(cells: int) -> Callable[[int], int]:
    def implementation(cells: int) -> int:
        return np.int64(trailing_zeros(np.int64(cells)))  # type: ignore[return-value]

    return implementation


@overload(highest)  # type: ignore[untyped-decorator]
def _highest(cells: int) -> Callable[[int], int]:
    def implementation(cells: int) -> int:
        return np.int64(63 - leading_zeros(np.int64(cells)))  # type: ignore[return-value]

    return implementation


@overload(size)  # type: ignore[untyped-decorator]
def _size(cells: int) -> Callable[[int], int]:
    def implementation(cells: int) -> int:
        return _ctpop(np.int64(cells))  # type: ignore[no-any-return]

    return implementation
