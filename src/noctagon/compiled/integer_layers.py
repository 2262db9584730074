"""Neural network layers over 16-bit integers, in vector instructions that Numba by itself would not use.

As in `intrinsics.py`, each plain Python function is replaced in compiled code by a few machine instructions. The
scheme is that of NNUE, the networks of chess engines: the first layer sums the rows of the features that are present.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

ONE_BITS = 10
ONE = 1 << ONE_BITS
"""The number 1 in the sums of the first layer; these are clipped to 0 … 1 (clipped rectified linear)."""
LINEAR = 2
"""Number of leading sums that are not clipped."""
MOST = (1 << 15) - 1
"""Largest 16-bit number: sums saturate there. A 32-bit weight holds two numbers."""
SECOND_BITS, WEIGHT_BITS = 2, 4
SECOND_ONE = ONE << SECOND_BITS
"""The number 1 in the sums of the second layer: a number of the first layer, shifted by WEIGHT_BITS, times a weight
(in which 1 is 1 << 14), of which the upper 16 bits are kept."""
FINE = ONE_BITS + 4
"""Bits by which the last sum is shifted: its weights are sixteenths."""

PARTS = ("rows", "outputs", "second", "biases", "finals", "constants")
"""Names of a network's weights in its file, in the order of `layers`."""

Judge = Callable[[Any, Any, int, int], int]


def packed(*networks: list[Any]) -> Any:
    """Return the weights of networks in one row for `layers`, aligned to a cache line.

    Each network's last part has one number in each place, the others two.
    """
    found: list[Any] = []
    for *pairs, constants in networks:
        found += [np.ascontiguousarray(part, np.int16).ravel().view(np.int32) for part in pairs]
        found.append(constants)
    weights = np.concatenate(found, dtype=np.int32)
    room = np.empty(len(weights) + 16, np.int32)
    begin = -room.ctypes.data // 4 % 16
    room[begin : begin + len(weights)] = weights
    return room[begin : begin + len(weights)]


def begins_of(rows: int, phases: int, width: int, second: int = 0) -> list[int]:
    """Return where each part of a network begins in a row of weights, and where the row ends."""
    sizes = rows * width, phases * width, second * width, phases * second, phases * second
    begins = [sum(sizes[:part]) // 2 for part in range(6)]
    return [*begins, begins[-1] + phases]


def layers(rows: int, phases: int, width: int, second: int = 0) -> Judge:
    """Return the function judge(weights, listed, count, phase) of a network of one or two layers.

    It adds up the `rows` (of `width` numbers) whose numbers are the first `count` of `listed`, and clips the sums.
    They are multiplied by the phase's outputs. If there is a second layer, each sum multiplies a row of it; the sums
    of these and the phase's biases are clipped likewise, and multiplied by the phase's finals.
    """
    begins = begins_of(rows, phases, width, second)
    shapes = (rows, width), (phases, width), (width, second), (phases, second), (phases, second)

    def judge(weights: Any, listed: Any, count: int, phase: int) -> int:
        table, outputs, matrix, biases, finals = (
            weights[begin:end].view(np.int16).reshape(shape)
            for begin, end, shape in zip(begins, begins[1:], shapes, strict=False)
        )
        sums = np.zeros(width, np.int64)
        for row in listed[:count]:
            sums = np.clip(sums + table[row], -MOST - 1, MOST)
        sums[LINEAR:] = np.clip(sums[LINEAR:], 0, ONE)
        hidden = biases[phase]
        for row, number in zip(matrix[LINEAR:], sums[LINEAR:], strict=True):
            hidden = np.clip(hidden + (row * (number << WEIGHT_BITS) >> 16), -MOST - 1, MOST)
        worth = sums @ outputs[phase] + (np.clip(hidden, 0, SECOND_ONE) >> SECOND_BITS) @ finals[phase]
        return int(worth >> FINE) + int(weights[begins[5] + phase])

    @intrinsic  # type: ignore[untyped-decorator] # numba has no types
    def weighed(context: Any, weights: Any, listed: Any, count: Any, phase: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            places = [
                context.make_array(signature.args[k])(context, builder, arguments[k]).data for k in (0, 1)
            ]
            return _Instructions(builder, *places).judge(arguments[2], arguments[3], width, second, begins)

        return types.int64(weights, listed, types.int64, types.int64), generate

    @overload(judge)  # type: ignore[untyped-decorator]
    def _judge(weights: Any, listed: Any, count: int, phase: int) -> Judge:
        def implementation(weights: Any, listed: Any, count: int, phase: int) -> int:
            return weighed(weights, listed, count, phase)  # type: ignore[no-any-return]

        return implementation

    return judge


class _Instructions:
    """The computation of `layers` in LLVM instructions."""

    def __init__(self, builder: Any, weights: Any, listed: Any) -> None:
        self.builder, self.weights, self.listed = builder, weights, listed
        self.wide = ir.IntType(64)

    def function(self, name: str, *kinds: Any, result: Any) -> Any:
        return cgutils.get_or_insert_function(self.builder.module, ir.FunctionType(result, kinds), name)

    def row(self, begin: int, number: Any, length: int) -> Any:
        """Load a row of a part by its number, as a vector."""
        place = self.builder.mul(number, ir.Constant(self.wide, length // 2))
        place = self.builder.gep(self.weights, [self.builder.add(place, ir.Constant(self.wide, begin))])
        return self.builder.load(self.builder.bitcast(place, numbers(length).as_pointer()), align=4)

    def added(self, sums: Any, row: Any) -> None:
        """Add a row to sums in memory, saturating."""
        kind = row.type
        add = self.function(f"llvm.sadd.sat.v{kind.count}i16", kind, kind, result=kind)
        self.builder.store(self.builder.call(add, [self.builder.load(sums), row]), sums)

    def cut(self, sums: Any, one: int, free: int = 0) -> Any:
        """Clip sums to 0 … one, except the first `free`."""
        for limit, most, beyond in ((0, -MOST - 1, "<"), (one, MOST, ">")):
            bound = ir.Constant(sums.type, [most] * free + [limit] * (sums.type.count - free))
            sums = self.builder.select(self.builder.icmp_signed(beyond, sums, bound), bound, sums)
        return sums

    def weighed(self, sums: Any, weights: Any) -> Any:
        """Return the dot product of sums and weights."""
        kind = numbers(sums.type.count, 32)
        total = self.function(f"llvm.vector.reduce.add.v{kind.count}i32", kind, result=ir.IntType(32))
        products = self.builder.mul(self.builder.sext(sums, kind), self.builder.sext(weights, kind))
        return self.builder.call(total, [products])

    def second_layer(self, inputs: Any, phase: Any, second: int, begins: list[int]) -> Any:
        """Return the clipped sums of the second layer."""
        builder, width = self.builder, inputs.type.count
        shift = ir.Constant(inputs.type, [WEIGHT_BITS] * width)
        kept = builder.bitcast(
            cgutils.alloca_once_value(builder, builder.shl(inputs, shift)), ir.IntType(16).as_pointer()
        )
        hidden = cgutils.alloca_once_value(builder, self.row(begins[3], phase, second))
        long = numbers(second, 32)
        with cgutils.for_range_slice(
            builder, ir.Constant(self.wide, LINEAR), ir.Constant(self.wide, width), ir.Constant(self.wide, 1)
        ) as (number, _):
            first = builder.insert_element(
                ir.Constant(numbers(second), ir.Undefined),
                builder.load(builder.gep(kept, [number])),
                ir.Constant(ir.IntType(32), 0),
            )
            alike = builder.shuffle_vector(first, first, ir.Constant(long, [0] * second))
            product = builder.mul(
                builder.sext(alike, long), builder.sext(self.row(begins[2], number, second), long)
            )
            upper = builder.ashr(product, ir.Constant(long, [16] * second))
            self.added(hidden, builder.trunc(upper, numbers(second)))
        cut = self.cut(builder.load(hidden), SECOND_ONE)
        return builder.ashr(cut, ir.Constant(cut.type, [SECOND_BITS] * second))

    def judge(self, count: Any, phase: Any, width: int, second: int, begins: list[int]) -> Any:
        builder = self.builder
        sums = cgutils.alloca_once_value(builder, ir.Constant(numbers(width), [0] * width))
        with cgutils.for_range(builder, count, intp=self.wide) as loop:
            number = builder.sext(builder.load(builder.gep(self.listed, [loop.index])), self.wide)
            self.added(sums, self.row(0, number, width))
        inputs = self.cut(builder.load(sums), ONE, LINEAR)
        worth = self.weighed(inputs, self.row(begins[1], phase, width))
        if second:
            hidden = self.second_layer(inputs, phase, second, begins)
            worth = builder.add(worth, self.weighed(hidden, self.row(begins[4], phase, second)))
        worth = builder.ashr(worth, ir.Constant(worth.type, FINE))
        constant = builder.gep(self.weights, [builder.add(phase, ir.Constant(self.wide, begins[5]))])
        return builder.sext(builder.add(worth, builder.load(constant)), self.wide)


def numbers(count: int, bits: int = 16) -> Any:
    """Return the type of a vector of `count` numbers."""
    return ir.VectorType(ir.IntType(bits), count)
