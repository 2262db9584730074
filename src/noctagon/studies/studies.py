"""The directory of studies."""

from __future__ import annotations

from importlib import import_module

from noctagon.core.game import UnknownName
from noctagon.studies.study import Study

NAMES = ("vampires", "wargame", "champions")


def find_study(name: str) -> Study:
    """A study by its name: that of a game, or of the champions of both."""
    if name not in NAMES:
        raise UnknownName("study", name, NAMES)
    return import_module(f"noctagon.studies.{name}").STUDY  # type: ignore[no-any-return]
