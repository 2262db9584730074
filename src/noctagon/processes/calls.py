"""Typed calls of our functions in another process: the function itself is given, so that mypy checks the call.

Only text and plain data cross: the function's module and name, its arguments and its result as msgpack. Both ends read
them by the function's annotations.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Generator, Iterator
from functools import cache
from importlib import import_module
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from noctagon.core.game import NoctagonError

P = ParamSpec("P")
R = TypeVar("R", covariant=True)


class Call(Generic[R]):
    """A function of a module with its arguments, to be called in a worker process. R is what the function returns.

    Raises `NoctagonError` if an argument cannot be sent.

    >>> from noctagon.core.text import shortened
    >>> Call(shortened, "a long text", most=6).function
    'noctagon.core.text:shortened'
    """

    def __init__(self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> None:
        shape = _shape(function)
        self.function = shape.name
        arguments = shape.arguments(*args, **kwargs)
        try:
            self.arguments = msgspec.msgpack.encode(arguments)
        except (ValueError, OverflowError, TypeError, RecursionError) as error:
            # Numbers of more than 64 bits and halves of surrogate pairs reach us from the page.
            raise NoctagonError(f"that cannot be read: {error}") from error
        self.decode_item = shape.item.decode
        """Decodes a value that the function yielded."""
        self.decode_result = shape.result.decode
        """Decodes the value that the function returned."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Call) and (self.function, self.arguments) == (
            other.function,
            other.arguments,
        )

    def __hash__(self) -> int:
        return hash((self.function, self.arguments))

    def __repr__(self) -> str:
        return f"<Call {self.function} with {len(self.arguments)} bytes>"


def process_number() -> int:
    """Return the number of the process that is asked."""
    return os.getpid()


def perform(function: str, arguments: bytes | msgspec.Raw) -> Any:
    """Call a function by its module and name; return what it returns."""
    found = _function(function)
    return found(**msgspec.structs.asdict(_shape(found).given.decode(arguments)))


@cache
def _function(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


class _Shape(NamedTuple):
    """The name of a function, the structure that its arguments make up, and the decoders of what crosses."""

    name: str
    arguments: type[msgspec.Struct]
    given: msgspec.msgpack.Decoder[Any]
    item: msgspec.msgpack.Decoder[Any]
    result: msgspec.msgpack.Decoder[Any]


@cache
def _shape(function: Callable[..., Any]) -> _Shape:
    hints = get_type_hints(function)
    fields: list[Any] = []
    for name, parameter in inspect.signature(function).parameters.items():
        optional = () if parameter.default is parameter.empty else (parameter.default,)
        fields.append((name, hints[name], *optional))
    item, result = None, hints["return"]
    if get_origin(result) is Iterator:
        (item,), result = get_args(result), None
    elif get_origin(result) is Generator:
        item, _, result = get_args(result)
    arguments = msgspec.defstruct("Arguments", fields, array_like=True)
    return _Shape(
        f"{function.__module__}:{function.__qualname__}",
        arguments,
        msgspec.msgpack.Decoder(arguments),
        msgspec.msgpack.Decoder(item),
        msgspec.msgpack.Decoder(result),
    )
