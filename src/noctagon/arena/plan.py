"""What a tournament is: who plays, on what, in which format, with how much time; from a TOML file or from flags."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Literal

import msgspec

from noctagon.game import NoctagonError

Format = Literal["round-robin", "gauntlet", "swiss", "knockout"]
ALL = "all"


class PlayerPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An entrant as the file tells it: a spec, a name to be shown, and limits where they differ from the others'."""

    spec: str
    name: str = ""
    memory: float | None = None
    cpu: float | None = None
    processes: int | None = None
    disk: float | None = None


class LimitsPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the program of each player may use in a game: MiB, seconds of processor time, processes, MiB written."""

    memory: float = 4096
    cpu: float = 3600
    processes: int = 256
    disk: float = 1024


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A tournament, as its file says it."""

    name: str = ""
    """What it is called in the store and in the report; of a file, its name without the ending."""
    game: str = "vampires"
    format: Format = "round-robin"
    players: tuple[PlayerPlan, ...] = ()
    """In a gauntlet the first plays against all others; in a knockout they are seeded in this order."""
    maps: tuple[str, ...] = (ALL,)
    """Bundled ones by name, files, `generated:N`; `all` stands for all bundled ones."""
    openings: int = 0
    """From each map so many openings drawn by chance instead of the map itself: for games that know no dice."""
    opening_plies: int = 4
    rounds: int = 1
    """How often each pairing is played; in a Swiss tournament, how many rounds there are (0: as many as are needed)."""
    rules: str = ""
    plies: int | None = None
    majority: bool | None = None
    time: float | None = None
    """Seconds for a turn."""
    duration: float | None = None
    """Seconds for a game."""
    seed: int = 1
    concurrency: int = 0
    """So many games at once; 0 stands for as many as there are cores for."""
    disqualify: int = 3
    """A player that crashes or loses on time so often in a row is out; 0: never."""
    bonus: tuple[float, ...] = (3, 2, 1)
    """Bonus points for the first, the second, …"""
    limits: LimitsPlan = LimitsPlan()


def read_plan(path: Path) -> Plan:
    """A plan from its file; raises `NoctagonError` that tells what is wrong in it and where."""
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise NoctagonError(f"{path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise NoctagonError(f"{path} is not TOML: {error}") from error
    return make_plan({"name": path.stem, **content}, str(path))


def make_plan(content: dict[str, Any], where: str) -> Plan:
    """A plan from plain data; players may be specs alone, and `maps` one name."""
    content = dict(content)
    if isinstance(content.get("maps"), str):
        content["maps"] = [content["maps"]]
    if isinstance(content.get("players"), list):
        content["players"] = [
            {"spec": player} if isinstance(player, str) else player for player in content["players"]
        ]
    try:
        return msgspec.convert(content, Plan)
    except msgspec.ValidationError as error:
        raise NoctagonError(f"{where}: {error}") from error
