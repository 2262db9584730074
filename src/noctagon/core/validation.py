"""What is wrong with data that somebody wrote, in the words of what was written rather than of a library."""

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
_PLACE = re.compile(r" - at `\$(.*)`$")


def validation_message(error: msgspec.ValidationError, kind: type[msgspec.Struct]) -> str:
    """Why data could not be read as this kind.

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
    return message


def _names(kind: type[msgspec.Struct], path: str) -> list[str]:
    """What may be written at a place: the names of a table, or the words of a choice."""
    here = inspect.type_info(kind)
    for name, number in re.findall(r"\.(\w+)|\[(\d+)\]", path):
        if name and isinstance(here, inspect.StructType):
            here = next(field.type for field in here.fields if field.encode_name == name)
        elif number and isinstance(here, inspect.VarTupleType | inspect.ListType):
            here = here.item_type
    if isinstance(here, inspect.StructType):
        return [field.encode_name for field in here.fields]
    return [str(value) for value in here.values] if isinstance(here, inspect.LiteralType) else []
