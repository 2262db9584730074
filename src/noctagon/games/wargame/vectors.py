"""One layer of a network over whole numbers, which Numba by itself would not do with vector instructions.

As in `bits`, a plain Python function that compiled code (`noctagon.jit`) replaces, here by a dozen instructions.
"""

from collections.abc import Callable
from typing import Any

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


def weigh(weights: Any, rows: Any, count: int, output: int) -> int:
    """Add the rows of `weights` that the first `count` of `rows` tell, cut the sums off, weigh them by row `output`."""
    sums = [sum(int(weights[int(row) * WIDTH + i]) for row in rows[:count]) for i in range(WIDTH)]
    cut = [one if i < LINEAR else min(max(one, 0), ONE) for i, one in enumerate(sums)]
    return sum(one * int(weights[output * WIDTH + i]) for i, one in enumerate(cut))


@intrinsic  # type: ignore[untyped-decorator] # numba has no types
def _weigh_rows(context: Any, weights: Any, rows: Any, count: Any, output: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        listed = context.make_array(signature.args[1])(context, builder, arguments[1]).data
        vector = ir.VectorType(ir.IntType(32), WIDTH)
        wide = ir.IntType(64)

        def row(number: Any) -> Any:
            place = builder.gep(table, [builder.mul(number, ir.Constant(wide, WIDTH))])
            return builder.load(builder.bitcast(place, vector.as_pointer()), align=4)

        def bound(free: int, others: int) -> Any:
            return ir.Constant(vector, [free] * LINEAR + [others] * (WIDTH - LINEAR))

        sums = cgutils.alloca_once_value(builder, bound(0, 0))
        with cgutils.for_range(builder, arguments[2], intp=wide) as loop:
            number = builder.sext(builder.load(builder.gep(listed, [loop.index])), wide)
            builder.store(builder.add(builder.load(sums), row(number)), sums)
        cut = builder.load(sums)
        for limit, beyond in ((bound(-(1 << 31), 0), "<"), (bound((1 << 31) - 1, ONE), ">")):
            cut = builder.select(builder.icmp_signed(beyond, cut, limit), limit, cut)
        cut = builder.mul(cut, row(arguments[3]))
        add = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(ir.IntType(32), [vector]), f"llvm.vector.reduce.add.v{WIDTH}i32"
        )
        return builder.sext(builder.call(add, [cut]), wide)

    return types.int64(weights, rows, types.int64, types.int64), generate


@overload(weigh)  # type: ignore[untyped-decorator]
def _weigh(weights: Any, rows: Any, count: int, output: int) -> Callable[..., int]:
    def implementation(weights: Any, rows: Any, count: int, output: int) -> int:
        return _weigh_rows(weights, rows, count, output)  # type: ignore[no-any-return]

    return implementation
