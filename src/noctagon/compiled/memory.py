"""What a compiled search can say about memory, and Numba has no name for.

As `now` in `stopwatch`, plain Python functions that compiled code (`noctagon.compiled.jit`) replaces.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload


def borrowed(array: Any) -> Any:
    """The same array, which somebody else keeps alive: handed on, it is not counted at every call."""
    return array


def fetch(table: Any, row: int) -> None:
    """Have a row of a large table brought near: it will soon be read."""


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
