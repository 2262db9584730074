"""The plan of a tournament: players, maps, format, time; from a TOML file or from flags."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec

from noctagon.arena.formats import check_format
from noctagon.arena.naming import LONGEST_NAME, numbered, short_names
from noctagon.core.game import NoctagonError
from noctagon.core.player import PlayerSpec
from noctagon.core.position import is_position
from noctagon.core.validation import validation_message

MOST_PLAYERS = 1000


class PlayerPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A player as the file gives it: a spec, a name to be shown, and limits where they differ from the others'."""

    spec: str
    name: str = ""
    memory: float | None = None
    cpu: float | None = None
    processes: int | None = None
    disk: float | None = None


class LimitsPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Limits of each player's program in a game: MiB, seconds of processor time, processes, MiB written."""

    memory: float = 4096
    cpu: float = 3600
    processes: int = 256
    disk: float = 1024


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A tournament as its file describes it."""

    name: str = ""
    """Its name in the store and in the report; by default that of the file without the ending."""
    game: str = "vampires"
    format: str = "round-robin"
    """`NAME[:option=value,…]`, as `noctagon tournament formats` lists them."""
    players: tuple[PlayerPlan, ...] = ()
    """The order matters to some formats: a knockout seeds by it."""
    maps: tuple[str, ...] = ("all",)
    """Bundled maps by name, files, `generated:N`; `all` stands for all bundled ones."""
    openings: int = 0
    """Number of random openings from each map that replace the map itself, for games without dice."""
    opening_plies: int = 4
    rounds: int = 0
    """Times that each pairing is played (0: once); in a Swiss tournament the rounds (0: as many as it needs)."""
    rules: str = ""
    plies: int | None = None
    majority: bool | None = None
    time: float | None = None
    """Seconds for a turn."""
    duration: float | None = None
    """Seconds for a game."""
    seed: int = 1
    concurrency: int = 0
    """Number of games at once; 0 stands for as many as there are cores for."""
    disqualify: int = 3
    """Number of crashes or losses on time in a row after which a player is out; 0: never."""
    bonus: tuple[float, ...] = (3, 2, 1)
    """Bonus points for the first, the second, …"""
    limits: LimitsPlan = LimitsPlan()


def read_plan(path: Path) -> Plan:
    """Read a plan from its file; raise `NoctagonError` saying what is wrong in it and where."""
    return make_plan(read_file(path), str(path))


def read_file(path: Path) -> dict[str, Any]:
    """Return the content of a plan's file; the plan is named after the file unless it has a name."""
    try:
        return {"name": path.stem, **tomllib.loads(path.read_text("utf-8-sig"))}
    except OSError as error:
        raise NoctagonError(f"{path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise NoctagonError(f"{path} is not TOML: {error}") from error


def make_plan(content: dict[str, Any], where: str) -> Plan:
    """Make a plan from plain data; players may be specs alone, and `maps` names with commas between them."""
    content = dict(content)
    if isinstance(content.get("maps"), str):
        content["maps"] = split_maps(content["maps"])
    if isinstance(content.get("players"), list):
        content["players"] = [
            {"spec": player} if isinstance(player, str) else player for player in content["players"]
        ]
    try:
        plan = msgspec.convert(content, Plan)
        check_format(plan.format)
    except msgspec.ValidationError as error:
        raise NoctagonError(f"{where}: {validation_message(error, Plan)}") from error
    except NoctagonError as error:
        raise NoctagonError(f"{where}: {error}") from error
    return plan


def stored_plan(name: str, content: bytes) -> Plan:
    """Decode a plan from a store; raise `NoctagonError` if it cannot be read."""
    try:
        plan = msgspec.json.decode(content, type=Plan)
        check_format(plan.format)
    except (msgspec.DecodeError, NoctagonError) as error:
        why = validation_message(error, Plan) if isinstance(error, msgspec.ValidationError) else str(error)
        raise NoctagonError(f"the plan of {name!r} in the store cannot be read: {why}") from error
    return plan


def split_maps(text: str) -> list[str]:
    """Split maps at the commas between them, not at those within a generated map or a position.

    >>> split_maps("duel,generated:side=8,houses=4,ring")
    ['duel', 'generated:side=8,houses=4', 'ring']
    >>> split_maps("3x3 V2,2:4 W0,0:4 V 0")
    ['3x3 V2,2:4 W0,0:4 V 0']
    >>> split_maps("my maps/a.xml, duel")
    ['my maps/a.xml', 'duel']
    """
    text = re.sub(r"\s*,\s+", ",", text.strip())
    parts = list(filter(None, text.split(",")))
    if is_position(text) and not any(part.lower().endswith(".xml") for part in parts):
        return [text]
    found: list[str] = []
    for part in parts:
        if "=" in part and ":" not in part and found:
            found[-1] += f",{part}"
        else:
            found.append(part)
    return found


def names_of(plan: Plan) -> list[str]:
    """Return the names of the players, no two the same: as they are given, or made from the specs.

    >>> names_of(make_plan({"players": ["mine.py:Old", "mine.py:New", "greedy", "greedy"]}, "here"))
    ['mine:Old', 'mine:New', 'greedy', 'greedy (2)']
    """
    made = iter(short_names([PlayerSpec.parse(player.spec) for player in plan.players if not player.name]))
    taken: dict[str, None] = {}
    wrong: dict[str, None] = {}
    for player in plan.players:
        name = player.name or numbered(next(made), taken)
        if name in taken:
            wrong[f"two players are called {name!r}: give one of them another name"] = None
        elif len(name) > LONGEST_NAME or "/" in player.name or not name.isprintable() or name != name.strip():
            wrong[f"{name!r} is no name: up to {LONGEST_NAME} letters, no slash, no blank at the ends"] = None
        taken[name] = None
    if wrong:
        several = [f"{len(wrong)} names are wrong:"] if len(wrong) > 1 else []
        raise NoctagonError("\n  ".join([*several, *wrong]))
    return list(taken)


def changes(before: Plan, after: Plan) -> list[str]:
    """Describe the changes from one plan to another, a line each."""
    lines: list[str] = []
    for field in before.__struct_fields__:
        old, new = getattr(before, field), getattr(after, field)
        if old == new:
            continue
        if field == "players":
            lines += _changed_players(before.players, after.players)
        elif field == "maps":
            lines += [f"maps: {name} is gone" for name in old if name not in new]
            lines += [f"maps: {name} is new" for name in new if name not in old]
        else:
            lines.append(f"{field}: {_written(old)}, now {_written(new)}")
    return lines


def _changed_players(before: tuple[PlayerPlan, ...], after: tuple[PlayerPlan, ...]) -> list[str]:
    old = {player.name or player.spec: player for player in before}
    new = {player.name or player.spec: player for player in after}
    lines = [f"players: {name} is gone" for name in old if name not in new]
    lines += [f"players: {name} is new" for name in new if name not in old]
    for name in old:
        if name in new and old[name] != new[name]:
            lines.append(f"players: {name} was {_written(old[name])}, now {_written(new[name])}")
    return lines or ["players: in another order"]


def _written(value: object) -> str:
    """Return a setting as the file would have it."""
    if value is None or value == "":
        return "the usual"
    return str(msgspec.json.encode(value), "utf-8")
