"""Positions that are hard on a player's clock or leave it little to do."""

from __future__ import annotations

from random import Random

from noctagon.games.vampires.rules.ruleset import VampiresRules
from noctagon.games.vampires.rules.state import VampiresState

HARD = (
    "hundred-houses",
    "largest-board",
    "forty-groups",
    "no-humans",
    "corner",
    "corridor",
    "giants",
    "last-ply",
)


def hard_position(name: str, rules_name: str) -> VampiresState:
    """The position of that name under a rule set."""
    rules = VampiresRules(name="server" if rules_name == "server" else "handout")
    rng = Random(name)
    rows, columns, ply = 30, 30, 0
    humans: dict[tuple[int, int], int] = {}
    vampires = {(1, 1): 20}
    werewolves = {(28, 28): 20}
    if name in ("hundred-houses", "forty-groups"):
        cells = rng.sample([(x, y) for x in range(30) for y in range(30)], 182)
        humans = {cell: rng.randint(1, 19) for cell in cells[:100]}
        many = 40 if name == "forty-groups" else 1
        vampires = {cell: rng.randint(1, 30) for cell in cells[100 : 100 + many]}
        werewolves = {cell: rng.randint(1, 30) for cell in cells[141 : 141 + many]}
    elif name == "largest-board":
        rows = columns = 255
        cells = rng.sample([(x, y) for x in range(255) for y in range(255)], 2000)
        humans = {cell: rng.randint(1, 19) for cell in cells if cell not in ((1, 1), (28, 28))}
    elif name == "corner":
        rows, columns = 4, 4
        vampires = {(0, 0): 2}
        werewolves = {(1, 0): 9, (1, 1): 9, (0, 1): 9}
    elif name == "corridor":
        rows, columns = 1, 5
        humans = {(1, 0): 99, (3, 0): 99}
        vampires, werewolves = {(0, 0): 3}, {(4, 0): 3}
    elif name == "giants":
        rows, columns = 6, 6
        most = 255 if rules_name == "server" else 250_000_000
        vampires, werewolves = {(0, 0): most, (1, 1): most}, {(5, 5): most}
        humans = {(0, 5): most // 2, (5, 0): 3, (2, 2): 1}
    elif name == "last-ply":
        rows, columns, ply = 5, 5, 199
        humans, vampires, werewolves = {(2, 2): 3}, {(0, 0): 3}, {(4, 4): 4}
    return VampiresState(
        rows=rows,
        columns=columns,
        humans=humans,
        vampires=vampires,
        werewolves=werewolves,
        ply=ply,
        rules=rules,
    )
