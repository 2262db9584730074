"""One layer of a network over whole numbers, which Numba by itself would not do with vector instructions.

As in `bits`, a plain Python function that compiled code (`noctagon.jit`) replaces, here by a dozen instructions.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

WIDTH = 32
"""How many numbers a row has."""
ONE = 1024
"""What 1 is in the sums: more is cut off, and so is what is less than 0 …"""
LINEAR = 2
"""… except in the first so many numbers of a row."""
MOST = (1 << 15) - 1
"""A number has 16 bits, two of them are one of the weights; a sum beyond that ends there."""


def packed(rows: Any) -> Any:
    """Rows as `weigh` wants them."""
    return np.ascontiguousarray(rows, np.int16).ravel().view(np.int32)


def in_line(weights: Any) -> Any:
    """The same weights where a cache line begins, so that a row is one line."""
    room = np.empty(len(weights) + 16, np.int32)
    begin = -room.ctypes.data // 4 % 16
    room[begin : begin + len(weights)] = weights
    return room[begin : begin + len(weights)]


def weigh(weights: Any, rows: Any, count: int, output: int) -> int:
    """Add the rows of `weights` that the first `count` of `rows` tell, cut the sums off, weigh them by row `output`."""
    size = WIDTH // 2
    table = weights[: len(weights) // size * size].view(np.int16).reshape(-1, WIDTH).astype(np.int64)
    sums = np.zeros(WIDTH, np.int64)
    for row in rows[:count]:
        sums = np.clip(sums + table[row], -MOST - 1, MOST)
    sums[LINEAR:] = np.clip(sums[LINEAR:], 0, ONE)
    return int(sums @ table[output])


@intrinsic  # type: ignore[untyped-decorator] # numba has no types
def _weigh_rows(context: Any, weights: Any, rows: Any, count: Any, output: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        listed = context.make_array(signature.args[1])(context, builder, arguments[1]).data
        narrow, vector = (ir.VectorType(ir.IntType(bits), WIDTH) for bits in (16, 32))
        wide = ir.IntType(64)

        def function(name: str, *kinds: Any, result: Any) -> Any:
            return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, kinds), name)

        def row(number: Any) -> Any:
            place = builder.gep(table, [builder.mul(number, ir.Constant(wide, WIDTH // 2))])
            return builder.load(builder.bitcast(place, narrow.as_pointer()), align=4)

        def bound(free: int, others: int) -> Any:
            return ir.Constant(narrow, [free] * LINEAR + [others] * (WIDTH - LINEAR))

        add = function(f"llvm.sadd.sat.v{WIDTH}i16", narrow, narrow, result=narrow)
        total = function(f"llvm.vector.reduce.add.v{WIDTH}i32", vector, result=ir.IntType(32))
        sums = cgutils.alloca_once_value(builder, bound(0, 0))
        with cgutils.for_range(builder, arguments[2], intp=wide) as loop:
            number = builder.sext(builder.load(builder.gep(listed, [loop.index])), wide)
            builder.store(builder.call(add, [builder.load(sums), row(number)]), sums)
        cut = builder.load(sums)
        for limit, beyond in ((bound(-MOST - 1, 0), "<"), (bound(MOST, ONE), ">")):
            cut = builder.select(builder.icmp_signed(beyond, cut, limit), limit, cut)
        products = builder.mul(builder.sext(cut, vector), builder.sext(row(arguments[3]), vector))
        return builder.sext(builder.call(total, [products]), wide)

    return types.int64(weights, rows, types.int64, types.int64), generate


@overload(weigh)  # type: ignore[untyped-decorator]
def _weigh(weights: Any, rows: Any, count: int, output: int) -> Callable[..., int]:
    def implementation(weights: Any, rows: Any, count: int, output: int) -> int:
        return _weigh_rows(weights, rows, count, output)  # type: ignore[no-any-return]

    return implementation
