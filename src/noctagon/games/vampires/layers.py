"""One layer of a network over real numbers, which Numba by itself would hardly do with vector instructions.

A plain Python function that compiled code (`noctagon.jit`) replaces by a dozen instructions. Both add up in the same
order, so they agree to the last bit.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

WIDTH = 16
"""So many sums at a time stay in registers; a layer has that many outputs, or a multiple."""


def dense(desk: Any, x: int, inputs: int, weights: Any, at: int, outputs: int, y: int) -> None:
    """What stands on the desk at x, through the weights from `at` on, to y; what is less than 0 is cut off.

    The weights are a row for each input, and one with what is added in any case.
    """
    for output in range(outputs):
        total = weights[at + inputs * outputs + output]
        for i in range(inputs):
            total += desk[x + i] * weights[at + i * outputs + output]
        desk[y + output] = max(total, 0.0)


@intrinsic  # type: ignore[untyped-decorator] # numba has no types
def _sums(context: Any, desk: Any, x: Any, inputs: Any, weights: Any, at: Any, outputs: Any, y: Any) -> Any:
    """The first WIDTH outputs of a layer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        table = context.make_array(signature.args[3])(context, builder, arguments[3]).data
        _, x, inputs, _, at, outputs, y = arguments
        vector = ir.VectorType(ir.DoubleType(), WIDTH)
        nothing = ir.Constant(vector, [0.0] * WIDTH)

        def place(array: Any, index: Any) -> Any:
            return builder.bitcast(builder.gep(array, [index]), vector.as_pointer())

        def row(number: Any) -> Any:
            return builder.load(place(table, builder.add(at, builder.mul(number, outputs))), align=8)

        sums = cgutils.alloca_once_value(builder, nothing)
        builder.store(row(inputs), sums)
        with cgutils.for_range(builder, inputs, intp=ir.IntType(64)) as loop:
            value = builder.load(builder.gep(numbers, [builder.add(x, loop.index)]))
            values = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
            everywhere = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
            values = builder.shuffle_vector(values, nothing, everywhere)
            builder.store(builder.fadd(builder.load(sums), builder.fmul(values, row(loop.index))), sums)
        found = builder.load(sums)
        cut = builder.select(builder.fcmp_ordered(">", found, nothing), found, nothing)
        builder.store(cut, place(numbers, y), align=8)
        return context.get_dummy_value()

    numbers = types.int64
    return types.void(desk, numbers, numbers, weights, numbers, numbers, numbers), generate


@overload(dense)  # type: ignore[untyped-decorator]
def _dense(
    desk: Any, x: int, inputs: int, weights: Any, at: int, outputs: int, y: int
) -> Callable[..., None]:
    def implementation(desk: Any, x: int, inputs: int, weights: Any, at: int, outputs: int, y: int) -> None:
        for output in range(0, outputs, WIDTH):
            _sums(desk, x, inputs, weights, at + output, outputs, y + output)

    return implementation
