"""Tournament formats, one class and one file each: those that ship and those that other packages bring."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from noctagon.arena.formats.format import Diagram, Format, GamesSoFar, Pairing, Round, Schedule
from noctagon.arena.formats.tie_breaks import Counted, TieBreaks
from noctagon.arena.meetings import Meeting
from noctagon.core.game import NoctagonError, UnknownName
from noctagon.core.player import PlayerSpec
from noctagon.players.options import option_defaults, read_options

if TYPE_CHECKING:
    from noctagon.arena.plan import Plan

__all__ = [
    "Counted",
    "Diagram",
    "Format",
    "GamesSoFar",
    "Meeting",
    "Pairing",
    "Round",
    "Schedule",
    "TieBreaks",
    "check_format",
    "find_format",
    "format_names",
    "make_format",
]

GROUP = "noctagon.formats"
"""Entry point group in which other packages register their formats."""
SHIPPED = {
    "round-robin": "round_robin:RoundRobin",
    "gauntlet": "gauntlet:Gauntlet",
    "swiss": "swiss:Swiss",
    "knockout": "knockout:Knockout",
}


def format_names() -> list[str]:
    """Return the names of all formats, those that ship first."""
    return [*SHIPPED, *_installed()]


def find_format(text: str) -> type[Format]:
    """Return the class of a format, given by its name or as a plan has it, with options.

    >>> find_format("swiss").phrase, find_format("knockout:replays=0").title
    ('a Swiss tournament', 'knockout')
    """
    name = text.partition(":")[0]
    if name in SHIPPED:
        module, _, kind = SHIPPED[name].partition(":")
        found: Any = getattr(import_module(f"{__name__}.{module}"), kind)
        return found  # type: ignore[no-any-return]
    if name not in _installed():
        raise UnknownName("format", name, format_names())
    try:
        found = _installed()[name].load()
    except (Exception, SystemExit) as error:  # whatever another package does when it is imported
        why = f"{type(error).__name__}: {error}"
        raise NoctagonError(f"the format {name!r} is installed but cannot be imported: {why}") from error
    if not (isinstance(found, type) and issubclass(found, Format)):
        raise NoctagonError(f"the entry point of the format {name!r} is not a subclass of Format")
    for attribute in ("title", "phrase", "about"):
        if not isinstance(getattr(found, attribute, None), str):
            raise NoctagonError(f"the format {name!r} is installed but has no {attribute}")
    return found


def check_format(text: str) -> None:
    """Raise `NoctagonError` if a format as a plan names it does not exist, or has an option it does not take."""
    _read(text)


def make_format(plan: Plan, names: Sequence[str], games_per_meeting: int) -> Format:
    """Return the format of a plan for these players."""
    kind, options = _read(plan.format)
    return kind(plan, names, games_per_meeting, **options)


def _read(text: str) -> tuple[type[Format], dict[str, Any]]:
    """Return the class and the options of `NAME[:option=value,…]`, as for a player."""
    kind = find_format(text)
    name, colon, _ = text.partition(":")
    options = PlayerSpec.parse(text).options if colon else {}
    for option in options:  # the plan, the names: arguments that are no options
        if option not in option_defaults(kind):
            raise NoctagonError(f"format {name} has no option {option!r}")
    return kind, read_options(f"format {name}", kind, options)


@cache
def _installed() -> dict[str, EntryPoint]:
    found = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    return {entry.name: entry for entry in found if entry.name not in SHIPPED}
