"""The contract of a game whose maps can be drawn on the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

import msgspec

D = TypeVar("D", bound=msgspec.Struct)
"""A map while it is being drawn; it may lack something that a finished one has."""
W = TypeVar("W", bound=msgspec.Struct)
"""Wishes for a map that is made by chance."""
R = TypeVar("R", bound=msgspec.Struct)
"""A map that was read or made, with what there is to know about it."""


class MapChecked(msgspec.Struct, frozen=True, kw_only=True):
    """The problems of a map; if there are none, what to know about it, and where a game on it begins.

    An empty position means that the page cannot play on the map.
    """

    problems: list[str]
    remarks: list[str] = []
    symmetric: bool = False
    position: str = ""


class MapEditor(NamedTuple, Generic[D, W, R]):
    """The work of the page's map editor for one game.

    The functions belong to a module, not to an object: the page calls them in another process.
    """

    drawn: type[D]
    wishes: type[W]
    found: type[R]
    media_type: str
    """The media type of the game's map files."""
    file_name: str
    check: Callable[[D, int], MapChecked]
    """Return errors in a map and remarks on it; the number is the most cells that the page plays on."""
    write: Callable[[D], str]
    """Return the text of a map's file."""
    read: Callable[[bytes], R]
    """Return the map in a file's bytes."""
    make: Callable[[W], R]
    """Return a map made by chance."""
    served: Callable[[D, int], str]
    """Return the first position on a map that the game's server can play; the number is its most cells."""
