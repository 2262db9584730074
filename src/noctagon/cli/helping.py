"""Commands whose help says of a flag what it does, not that it is a bool."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


def unlabelled(params: list[Any]) -> list[Any]:
    """The same options; a flag, which takes no value, has no name for one."""
    for param in params:
        if getattr(param, "is_flag", False) and param.metavar is None:
            param.metavar = ""
    return params


class Command(TyperCommand):
    def get_params(self, ctx: Any) -> list[Any]:
        return unlabelled(super().get_params(ctx))


class Group(TyperGroup):
    def get_params(self, ctx: Any) -> list[Any]:
        return unlabelled(super().get_params(ctx))
