"""Errors in data from outside, in the words of the data rather than of a library."""

from __future__ import annotations

import re

import msgspec
from msgspec import inspect

from noctagon.core.game import UnknownName

WANTED = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "array": "a list",
    "object": "a table of names and values",
}
FOUND = {**WANTED, "int": "a number", "float": "a number with a fraction", "null": "nothing"}
BOUNDS = {">=": "at least", ">": "more than", "<=": "at most", "<": "less than"}
LENGTHS = {"str": "characters", "array": "entries", "object": "names"}
_PLACE = re.compile(r" - at `\$(.*)`$")


def validation_message(error: msgspec.ValidationError, kind: type[msgspec.Struct]) -> str:
    """Return in words why data could not be read as this kind.

    >>> class Cup(msgspec.Struct, forbid_unknown_fields=True):
    ...     time: float
    ...     maps: list[str] = []
    >>> for data in ({"tmie": 1}, {"time": "fast"}, {"time": 1, "maps": ["duel", 3]}, {"maps": []}):
    ...     try:
    ...         msgspec.convert(data, Cup)
    ...     except msgspec.ValidationError as error:
    ...         print(validation_message(error, Cup))
    unknown name 'tmie'; did you mean time?
    time should be a number, not text
    maps, no. 2 should be text, not a number
    time is missing

    Limits of numbers and lengths are named, too.

    >>> from typing import Annotated
    >>> from msgspec import Meta, defstruct
    >>> seconds, name = Annotated[float, Meta(le=60)], Annotated[str, Meta(max_length=5)]
    >>> Pace = defstruct("Pace", [("seconds", seconds, 1), ("name", name, "slow")])
    >>> for data in ({"seconds": 61}, {"name": "leisurely"}):
    ...     try:
    ...         msgspec.convert(data, Pace)
    ...     except msgspec.ValidationError as error:
    ...         print(validation_message(error, Pace))
    seconds should be at most 60
    name should have at most 5 characters
    """
    message = str(error)
    place = _PLACE.search(message)
    path = place[1] if place else ""
    steps = [
        f"{name}, no. {int(number) + 1}" if number else name
        for name, number in re.findall(r"\.(\w+)(?:\[(\d+)\])?", path)
    ]
    within = "".join(f"{step}: " for step in steps)
    before = "".join(f"{step}: " for step in steps[:-1])
    subject = steps[-1] if steps else "it"
    if found := re.match(r"Object contains unknown field `(.*?)`", message):
        return f"{within}{UnknownName('name', found[1], _names(kind, path))}"
    if found := re.match(r"Object missing required field `(.*?)`", message):
        return f"{within}{found[1]} is missing"
    if found := re.match(r"Invalid enum value '(.*?)'", message):
        return f"{before}{UnknownName(subject, found[1], _names(kind, path))}"
    if found := re.match(r"Expected `(.*?)`, got `(.*?)`", message):
        wanted = " or ".join(WANTED.get(word, word) for word in found[1].split(" | ") if word != "null")
        return f"{before}{subject} should be {wanted}, not {FOUND.get(found[2], found[2])}"
    if found := re.match(r"Expected `array` of length (\d+)", message):
        return f"{before}{subject} should be a list of {found[1]}"
    if found := re.match(r"Expected `(\w+)` of length ([<>]=?) (\d+)", message):
        if found[2] == ">=" and found[3] == "1":
            return f"{before}{subject} is empty"
        return f"{before}{subject} should have {BOUNDS[found[2]]} {found[3]} {LENGTHS[found[1]]}"
    if found := re.match(r"Expected `(?:int|float)` ([<>]=?) (\S+)", message):
        return f"{before}{subject} should be {BOUNDS[found[1]]} {found[2].removesuffix('.0')}"
    return f"{within}{message.removesuffix(place[0]) if place else message}"


def _names(kind: type[msgspec.Struct], path: str) -> list[str]:
    """Return what may be written at a place: the names of a table, or the words of a choice."""
    here = inspect.type_info(kind)
    for name, number in re.findall(r"\.(\w+)|\[(\d+)\]", path):
        if name and isinstance(here, inspect.StructType):
            here = next(field.type for field in here.fields if field.encode_name == name)
        elif number and isinstance(here, inspect.VarTupleType | inspect.ListType):
            here = here.item_type
    if isinstance(here, inspect.StructType):
        return [field.encode_name for field in here.fields]
    return [str(value) for value in here.values] if isinstance(here, inspect.LiteralType) else []
