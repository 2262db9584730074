"""The file of a study: read, checked, and mistakes in it named with their place."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from noctagon.core.game import NoctagonError, UnknownName
from noctagon.core.validation import validation_message
from noctagon.studies.claims import Claim, listed
from noctagon.studies.comparison import ClaimsSection
from noctagon.studies.ladder import LadderSection
from noctagon.studies.mirror import MirrorSection
from noctagon.studies.section import Section
from noctagon.studies.study import Study, StudyFile

T = TypeVar("T", bound=msgspec.Struct)
KINDS: Mapping[str, type[Section]] = {
    "claims": ClaimsSection,
    "ladder": LadderSection,
    "mirror": MirrorSection,
}

EXAMPLE = """\
title = "Is my bot better than last week's?"
game = "vampires"
maps = ["duel", "ring", "closet"]   # leave it out for all bundled maps
games = 60                          # for each pair of players; each start is played with both sides
time = 0.1                          # seconds per turn, for all players

[players]                           # names for the report; anything that `noctagon play` takes
mine = "greedy"                     # your bot: mybot.py:Bot, or cmd:java -jar bot.jar
old = "random"

[[claims]]
says = "my bot is better than last week's"
player = "mine"
opponent = "old"

[[claims]]
says = "it takes three quarters of the points from the simple ones"
player = "mine"
opponent = ["random", "conservative"]
at_least = 0.75
source = "our report, section 3"
refuted = "What helps against `random` alone is not worth a page of the report."

[[claims]]
faultless = ["mine"]                # no crash, no illegal turn, no late answer
"""


def read_study(
    path: Path, *, games: int | None = None, quick: bool = False, kinds: Mapping[str, type[Section]] = KINDS
) -> Study:
    """Read a study's file; raises `NoctagonError` that names the line or the claim and what is wrong with it."""
    try:
        text = path.read_text("utf-8-sig")
        content = tomllib.loads(text)
    except OSError as error:
        raise NoctagonError(f"{path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise NoctagonError(f"{path} is not TOML: {error}") from error
    file = _convert(content, StudyFile, f"{path}")
    found: list[Section] = []
    claims = _read_claims(file.claims, path, text, "claims")
    if claims:
        found.append(ClaimsSection(name="claims", title="The claims", claims=claims))
    count = 0
    for number, given in enumerate(file.sections, 1):
        where = f"{_place(path, text, 'sections', number)}: section {given.get('name') or number}"
        kind = given.get("kind", "claims")
        if kind not in kinds:
            raise NoctagonError(f"{where}: {UnknownName('kind', str(kind), kinds)}")
        read = _convert({**given, "claims": []}, kinds[kind], where)
        stated = given.get("claims", [])
        if not isinstance(stated, list) or not all(isinstance(claim, dict) for claim in stated):
            raise NoctagonError(f"{where}: claims should be a list of tables")
        claims = _read_claims(stated, path, text, "sections.claims", where, count)
        count += len(stated)
        name = read.name or f"section-{number}"
        found.append(msgspec.structs.replace(read, name=name, claims=claims))
    if not found:
        raise NoctagonError(f"{path}: there are no claims; noctagon study --example shows some")
    _check_names(path, file, found)
    study = Study(path.stem, file, found, games=games, quick=quick)
    study.check(str(path))
    return study


def _read_claims(
    given: Sequence[dict[str, Any]], path: Path, text: str, header: str, within: str = "", before: int = 0
) -> tuple[Claim, ...]:
    claims = []
    for number, claim in enumerate(given, 1):
        says = f" ({claim['says']})" if isinstance(claim.get("says"), str) else ""
        place = within or _place(path, text, header, before + number)
        claims.append(_convert(claim, Claim, f"{place}: claim {number}{says}"))
    return tuple(claims)


def _convert(content: Mapping[str, Any], kind: type[T], where: str) -> T:
    try:
        return msgspec.convert(content, kind)
    except msgspec.ValidationError as error:
        raise NoctagonError(f"{where}: {validation_message(error, kind)}") from error


def _place(path: Path, text: str, header: str, number: int) -> str:
    """Return a file with the line of a table's header, if it can be found."""
    pattern = rf"^\s*\[\[\s*{re.escape(header)}\s*\]\]"
    lines = [place for place, line in enumerate(text.splitlines(), 1) if re.match(pattern, line)]
    return f"{path}, line {lines[number - 1]}" if number <= len(lines) else str(path)


def _check_names(path: Path, file: StudyFile, sections: Sequence[Section]) -> None:
    """Raise `NoctagonError` for names that occur twice or not at all, and numbers that make no sense."""
    names = [section.name for section in sections]
    for name in names:
        if names.count(name) > 1:
            raise NoctagonError(f"{path}: two sections are called {name!r}")
        if not re.fullmatch(r"[\w-]+", name):
            raise NoctagonError(
                f"{path}: section {name!r}: a name is letters, digits and hyphens, since files get it"
            )
    for stage in file.stages:
        for name in stage:
            if name not in names:
                raise NoctagonError(f"{path}: stages: {UnknownName('section', name, names)}")
    claims = {claim.name for section in sections for claim in section.claims if claim.name}
    for conclusion in file.conclusions:
        for name in conclusion.when:
            if name not in claims:
                raise NoctagonError(f"{path}: conclusions: {UnknownName('claim', name, claims)}")
    for setting in (file, *sections):
        for what, value, least in (
            ("games", setting.games, 2),
            ("plies", setting.plies, 1),
            ("calm", setting.calm, 0),
        ):
            if value is not None and value < least:
                raise NoctagonError(f"{path}: {what} = {value}: it is at least {least}")
        if setting.opening is not None and not 0 <= setting.opening <= 1000:
            raise NoctagonError(f"{path}: opening = {setting.opening}: it is 0 to 1,000 moves")
        for what, seconds in (("time", setting.time), ("think", setting.think)):
            if seconds is not None and not 0 < seconds < 86400:
                raise NoctagonError(f"{path}: {what} = {seconds:g}: more than 0 seconds, and less than a day")
        if setting.maps is not None and not listed(setting.maps):
            raise NoctagonError(f"{path}: maps: none are named; all stands for every bundled one")
