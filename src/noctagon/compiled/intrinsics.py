"""Functions that Numba lacks: sets of bits, the monotonic clock, arrays without an owner, prefetching.

Each is a plain Python function that compiled code (`noctagon.compiled.jit`) replaces with a few machine instructions.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.cpython.unsafe.numbers import leading_zeros, trailing_zeros
from numba.extending import intrinsic, overload


def lowest(cells: int) -> int:
    """Return the first cell of a set that is not empty."""
    number = int(cells)
    return (number & -number).bit_length() - 1


def highest(cells: int) -> int:
    """Return the last cell of a set that is not empty."""
    return int(cells).bit_length() - 1


def size(cells: int) -> int:
    """Return the number of cells in a set."""
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


MONOTONIC = getattr(time, "CLOCK_MONOTONIC", 0)


def now() -> float:
    """Return the seconds of a clock that never goes back."""
    return time.monotonic()


@intrinsic  # type: ignore[untyped-decorator] # numba has no types
def _clock_gettime(context: Any) -> Any:
    """Call POSIX's `clock_gettime(CLOCK_MONOTONIC, &seconds_and_nanoseconds)`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        kind = ir.FunctionType(ir.IntType(32), [ir.IntType(32), word.as_pointer()])
        function = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
        spot = cgutils.alloca_once(builder, word, size=2)
        builder.call(function, [ir.Constant(ir.IntType(32), MONOTONIC), spot])
        parts = [
            builder.sitofp(builder.load(builder.gep(spot, [ir.Constant(word, place)])), ir.DoubleType())
            for place in (0, 1)
        ]
        return builder.fadd(parts[0], builder.fmul(parts[1], ir.Constant(ir.DoubleType(), 1e-9)))

    return types.float64(), generate


@intrinsic  # type: ignore[untyped-decorator]
def _tick_count(context: Any) -> Any:
    """Call Windows' `GetTickCount64`: milliseconds since the start, in steps of about 16."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [])
        function = cgutils.get_or_insert_function(builder.module, kind, "GetTickCount64")
        ticks = builder.uitofp(builder.call(function, []), ir.DoubleType())
        return builder.fmul(ticks, ir.Constant(ir.DoubleType(), 1e-3))

    return types.float64(), generate


@overload(now)  # type: ignore[untyped-decorator]
def _now() -> Callable[[], float]:
    if sys.platform == "win32":
        return lambda: _tick_count()
    return lambda: _clock_gettime()


def borrowed(array: Any) -> Any:
    """Return the same array without an owner: passing it on counts no references; the caller keeps it alive."""
    return array


def fetch(table: Any, row: int) -> None:
    """Prefetch a row of a large table into the processor's cache."""


@intrinsic  # type: ignore[untyped-decorator] # numba has no types
def _without_owner(context: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(array)(context, builder, arguments[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        view.parent = cgutils.get_null_value(view.parent.type)
        return view._getvalue()

    return array(array), generate


@intrinsic  # type: ignore[untyped-decorator]
def _prefetch(context: Any, table: Any, row: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(table)(context, builder, arguments[0])
        size = builder.extract_value(view.strides, 0)
        number, byte = ir.IntType(32), ir.IntType(8).as_pointer()
        place = builder.gep(builder.bitcast(view.data, byte), [builder.mul(arguments[1], size)])
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        read, keep, data = (ir.Constant(number, value) for value in (0, 3, 1))
        builder.call(function, [place, read, keep, data])
        return context.get_dummy_value()

    return types.void(table, types.int64), generate


@overload(borrowed)  # type: ignore[untyped-decorator]
def _borrowed(array: Any) -> Callable[[Any], Any]:
    def implementation(array: Any) -> Any:
        return _without_owner(array)

    return implementation


@overload(fetch)  # type: ignore[untyped-decorator]
def _fetch(table: Any, row: int) -> Callable[[Any, int], None]:
    def implementation(table: Any, row: int) -> None:
        _prefetch(table, row)

    return implementation
