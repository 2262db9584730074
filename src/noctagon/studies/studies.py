"""The directory of studies."""

from __future__ import annotations

from importlib import import_module

from noctagon.game import UnknownName
from noctagon.studies.study import Study

NAMES = ("vampires", "wargame")


def find_study(name: str) -> Study:
    """The study of a game, by the game's name."""
    if name not in NAMES:
        raise UnknownName("study", name, NAMES)
    return import_module(f"noctagon.studies.{name}").STUDY  # type: ignore[no-any-return]
