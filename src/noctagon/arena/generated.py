"""Maps of Vampires vs Werewolves drawn by chance, which their name says again on any machine.

`generated:7` is the seventh of a mixed bag of symmetric maps; `generated:side=30,houses=64,groups=4,seed=1` says
what it should be like.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from noctagon.game import BadNotation

if TYPE_CHECKING:
    from noctagon.games.vampires import VampiresRules, VampiresState

PREFIX = "generated:"
SMALLEST, LARGEST = 8, 20
"""Rows and columns of the mixed bag."""
CROWD = (4, 12)
"""How many a side starts with there."""
HUMANS = (1, 12)
GROUP = 6
"""What each group of a map with several groups counts."""
OPTIONS = {"side": 10, "houses": 10, "groups": 1, "seed": 1}


def generated(setup: str, rules: VampiresRules) -> VampiresState:
    """The first position of the map that a name means."""
    what = setup.removeprefix(PREFIX)
    return _drawn(int(what), rules) if what.isdecimal() else _wished(setup, what, rules)


def _drawn(number: int, rules: VampiresRules) -> VampiresState:
    from noctagon.games.vampires import VampiresState
    from noctagon.games.vampires.mapmaker import make_map

    rng = Random(f"{PREFIX}{number}")
    rows, columns = rng.randint(SMALLEST, LARGEST), rng.randint(SMALLEST, LARGEST)
    pairs = rng.randint(rows * columns // 20, rows * columns // 10)
    start = rng.randint(*CROWD)
    drawn = make_map(rng, rows=rows, columns=columns, houses=2 * pairs, humans=HUMANS, start=start)
    return VampiresState.from_map(drawn, rules)


def _wished(setup: str, what: str, rules: VampiresRules) -> VampiresState:
    """A square map with so many houses and groups, turned by half a turn the same for the other side."""
    from noctagon.games.vampires import VampiresState
    from noctagon.games.vampires.mapmaker import make_map

    given = dict(part.partition("=")[::2] for part in what.split(","))
    if not set(given) <= set(OPTIONS) or not all(value.isdecimal() for value in given.values()):
        raise BadNotation(
            f"{setup}: a number, or some of {', '.join(OPTIONS)}, as in {PREFIX}side=30,houses=64"
        )
    side, houses, groups, seed = (int(given.get(name, usual)) for name, usual in OPTIONS.items())
    rng = Random(f"{PREFIX}{seed}")
    drawn = make_map(rng, rows=side, columns=side, houses=houses, humans=HUMANS, start=GROUP)
    taken = {(x, y) for x, y, _ in (*drawn.humans, drawn.vampires, drawn.werewolves)}
    last = side - 1
    free = [(x, y) for y in range(side) for x in range(side) if (x, y) < (last - x, last - y)]
    cells = rng.sample([cell for cell in free if cell not in taken], groups - 1)
    return VampiresState(
        rows=side,
        columns=side,
        humans={(x, y): count for x, y, count in drawn.humans},
        vampires={(last - x, last - y): GROUP for x, y in cells} | {drawn.vampires[:2]: GROUP},
        werewolves=dict.fromkeys(cells, GROUP) | {drawn.werewolves[:2]: GROUP},
        rules=rules,
    )
