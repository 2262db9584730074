"""The monotonic clock, read from compiled code: a search that is late loses, so it looks at the clock itself.

`now` is a plain Python function that compiled code replaces with a call of the system's clock. The two need not
start at the same moment: hand over a span of time, not a moment.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

MONOTONIC = getattr(time, "CLOCK_MONOTONIC", 0)


def now() -> float:
    """Seconds on a clock that only goes forwards."""
    return time.monotonic()


@intrinsic  # type: ignore[untyped-decorator] # numba has no types
def _clock_gettime(context: Any) -> Any:
    """POSIX: `clock_gettime(CLOCK_MONOTONIC, &seconds_and_nanoseconds)`."""

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
    """Windows: milliseconds since it was started, in steps of about 16."""

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
