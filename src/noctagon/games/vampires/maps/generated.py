"""Maps drawn by chance, which their name says again on any machine.

`generated:7` is the seventh of a mixed bag of symmetric maps; `generated:side=30,houses=64,groups=4,seed=1` says
what it should be like.
"""

from __future__ import annotations

from random import Random

import msgspec

from noctagon.core.game import BadNotation
from noctagon.games.vampires.maps.file import Cell, MapError
from noctagon.games.vampires.maps.maker import make_map
from noctagon.games.vampires.maps.map import GENERATED, Map
from noctagon.games.vampires.rules.ruleset import VampiresRules
from noctagon.games.vampires.rules.state import VampiresState

SMALLEST, LARGEST = 8, 20
"""Rows and columns of the mixed bag."""
CROWD = (4, 12)
"""Range of a side's start group."""
HUMANS = (1, 12)
GROUP = 6
"""Size of each group of a map with several groups."""
OPTIONS = {"side": 10, "houses": 10, "groups": 1, "seed": 1}


class SeveralGroups(MapError):  # noqa: N818 - it names what is the matter
    """A board on which a side has several groups: a position, and no map of the course."""


def generated_map(name: str) -> Map:
    """Return the map that a name means; a map has one group a side, so several groups are a position only."""
    found, more = _read(name)
    if more:
        raise SeveralGroups(
            f"a map has one group a side, not {len(more) + 1}: such a board is played and shown, but not served",
            source=name,
        )
    return msgspec.structs.replace(found, name=name)


def generated_position(name: str, rules: VampiresRules) -> VampiresState:
    """Return the first position of the map that a name means."""
    found, more = _read(name)
    return VampiresState(
        rows=found.rows,
        columns=found.columns,
        humans={(x, y): count for x, y, count in found.humans},
        vampires={(found.columns - 1 - x, found.rows - 1 - y): GROUP for x, y in more}
        | {found.vampires[:2]: found.vampires[2]},
        werewolves=dict.fromkeys(more, GROUP) | {found.werewolves[:2]: found.werewolves[2]},
        rules=rules,
    )


def _read(name: str) -> tuple[Map, list[Cell]]:
    """Return the map that a name means, and the Werewolves' further groups; half a turn gives the Vampires'."""
    what = name.removeprefix(GENERATED)
    return (_drawn(what), []) if _is_number(what) else _wished(name, what)


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) < 20


def _drawn(number: str) -> Map:
    rng = Random(f"{GENERATED}{int(number)}")
    rows, columns = rng.randint(SMALLEST, LARGEST), rng.randint(SMALLEST, LARGEST)
    pairs = rng.randint(rows * columns // 20, rows * columns // 10)
    start = rng.randint(*CROWD)
    return make_map(rng, rows=rows, columns=columns, houses=2 * pairs, humans=HUMANS, start=start)


def _wished(name: str, what: str) -> tuple[Map, list[Cell]]:
    """Return a square map with these numbers of houses and groups, symmetric under half a turn."""
    given = dict(part.partition("=")[::2] for part in what.split(","))
    if not set(given) <= set(OPTIONS) or not all(map(_is_number, given.values())):
        raise BadNotation(
            f"{name}: a number, or some of {', '.join(OPTIONS)}, as in {GENERATED}side=30,houses=64"
        )
    side, houses, groups, seed = (int(given.get(option, usual)) for option, usual in OPTIONS.items())
    rng = Random(f"{GENERATED}{seed}")
    found = make_map(rng, rows=side, columns=side, houses=houses, humans=HUMANS, start=GROUP)
    taken = {(x, y) for x, y, _ in (*found.humans, found.vampires, found.werewolves)}
    last = side - 1
    half = [(x, y) for y in range(side) for x in range(side) if (x, y) < (last - x, last - y)]
    free = [cell for cell in half if cell not in taken]
    if not 1 <= groups <= len(free) + 1:
        raise MapError(f"there is room for 1 to {len(free) + 1} groups a side, not for {groups}", source=name)
    return found, rng.sample(free, groups - 1)
