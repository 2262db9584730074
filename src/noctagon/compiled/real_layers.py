"""Neural network layers over floating-point numbers, in vector instructions that Numba by itself would not use.

Each plain Python function is replaced in compiled code (`noctagon.compiled.jit`) by a dozen instructions. Both add
in the same order, so they agree to the last bit.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

WIDTH = 16
"""Number of sums kept in registers at a time; a layer has a multiple of as many outputs."""


def dense(buffer: Any, x: int, inputs: int, weights: Any, at: int, outputs: int, y: int) -> None:
    """Apply a rectified linear layer to the numbers of `buffer` from x on, and write its outputs from y on.

    The weights, from `at` on, are a row for each input, and one of biases.
    """
    for output in range(outputs):
        total = weights[at + inputs * outputs + output]
        for i in range(inputs):
            total += buffer[x + i] * weights[at + i * outputs + output]
        buffer[y + output] = max(total, 0.0)


def add(buffer: Any, x: int, count: int, share: float, y: int) -> None:
    """Add `share` times the `count` numbers at x to those at y."""
    for i in range(count):
        buffer[y + i] += share * buffer[x + i]


VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
NOTHING = ir.Constant(VECTOR, [0.0] * WIDTH)
FIRST = ir.Constant(ir.IntType(32), 0)
EVERYWHERE = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)


def _data(context: Any, builder: Any, array_type: Any, array: Any) -> Any:
    return context.make_array(array_type)(context, builder, array).data


def _vector_at(builder: Any, array: Any, index: Any) -> Any:
    """Return a pointer to WIDTH numbers of an array."""
    return builder.bitcast(builder.gep(array, [index]), VECTOR.as_pointer())


def _repeated(builder: Any, number: Any) -> Any:
    """Return a vector of one number repeated."""
    return builder.shuffle_vector(builder.insert_element(NOTHING, number, FIRST), NOTHING, EVERYWHERE)


@intrinsic  # type: ignore[untyped-decorator] # numba has no types
def _sums(context: Any, buffer: Any, x: Any, inputs: Any, weights: Any, at: Any, outputs: Any, y: Any) -> Any:
    """Compute WIDTH outputs of a layer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers = _data(context, builder, signature.args[0], arguments[0])
        table = _data(context, builder, signature.args[3], arguments[3])
        _, x, inputs, _, at, outputs, y = arguments

        def row(number: Any) -> Any:
            place = builder.add(at, builder.mul(number, outputs))
            return builder.load(_vector_at(builder, table, place), align=8)

        sums = cgutils.alloca_once_value(builder, NOTHING)
        builder.store(row(inputs), sums)
        with cgutils.for_range(builder, inputs, intp=ir.IntType(64)) as loop:
            value = builder.load(builder.gep(numbers, [builder.add(x, loop.index)]))
            more = builder.fmul(_repeated(builder, value), row(loop.index))
            builder.store(builder.fadd(builder.load(sums), more), sums)
        found = builder.load(sums)
        cut = builder.select(builder.fcmp_ordered(">", found, NOTHING), found, NOTHING)
        builder.store(cut, _vector_at(builder, numbers, y), align=8)
        return context.get_dummy_value()

    whole = types.int64
    return types.void(buffer, whole, whole, weights, whole, whole, whole), generate


@intrinsic  # type: ignore[untyped-decorator]
def _add(context: Any, buffer: Any, x: Any, share: Any, y: Any) -> Any:
    """Add a share of WIDTH numbers to others."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers = _data(context, builder, signature.args[0], arguments[0])
        _, x, share, y = arguments
        more = builder.fmul(_repeated(builder, share), builder.load(_vector_at(builder, numbers, x), align=8))
        place = _vector_at(builder, numbers, y)
        builder.store(builder.fadd(builder.load(place, align=8), more), place, align=8)
        return context.get_dummy_value()

    return types.void(buffer, types.int64, types.float64, types.int64), generate


@overload(dense)  # type: ignore[untyped-decorator]
def _dense(
    buffer: Any, x: int, inputs: int, weights: Any, at: int, outputs: int, y: int
) -> Callable[..., None]:
    def implementation(buffer: Any, x: int, inputs: int, weights: Any, at: int, outputs: int, y: int) -> None:
        for output in range(0, outputs, WIDTH):
            _sums(buffer, x, inputs, weights, at + output, outputs, y + output)

    return implementation


@overload(add)  # type: ignore[untyped-decorator]
def _add_all(buffer: Any, x: int, count: int, share: float, y: int) -> Callable[..., None]:
    def implementation(buffer: Any, x: int, count: int, share: float, y: int) -> None:
        for i in range(0, count, WIDTH):
            _add(buffer, x + i, share, y + i)

    return implementation
