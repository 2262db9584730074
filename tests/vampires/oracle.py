"""The rules once more, slow and plain: dictionaries and exact fractions, written from the rules page alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

Cell = tuple[int, int]
Move = tuple[int, int, int, int, int]
"""x, y, count, target x, target y"""

OTHER = {"vampires": "werewolves", "werewolves": "vampires"}


@dataclass(frozen=True)
class Position:
    rows: int
    columns: int
    humans: dict[Cell, int]
    creatures: dict[str, dict[Cell, int]]
    mover: str
    ply: int = 0
    limit: int = 200
    server: bool = False
    majority: bool = False

    def on_grid(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.columns and 0 <= cell[1] < self.rows

    def population(self, species: str) -> int:
        return sum(self.creatures[species].values())


class Battle(NamedTuple):
    """A random battle of a turn."""

    cell: Cell
    attackers: int
    defenders: int
    humans: bool


class End(NamedTuple):
    winner: str | None
    reason: str


def broken_rules(position: Position, moves: Sequence[Move]) -> set[int]:
    """The numbers of all rules that a turn breaks."""
    own = position.creatures[position.mover]
    sources = {(x, y) for x, y, _, _, _ in moves}
    targets = {(tx, ty) for _, _, _, tx, ty in moves}
    broken = set()
    if not moves:
        broken.add(1)
    if any(source not in own for source in sources):
        broken.add(2)
    leaving: dict[Cell, int] = {}
    for x, y, count, _, _ in moves:
        leaving[x, y] = leaving.get((x, y), 0) + max(count, 0)
    if any(leaving[source] > own[source] for source in sources & own.keys()):
        broken.add(3)
    for x, y, _, tx, ty in moves:
        if not position.on_grid((tx, ty)) or abs(tx - x) > 1 or abs(ty - y) > 1:
            broken.add(4)
    if sources & targets:
        broken.add(5)
    if any(count < 1 for _, _, count, _, _ in moves):
        broken.add(6)
    if position.server and any(arriving > 255 for arriving in arrivals(moves).values()):
        broken.add(7)
    return broken


def arrivals(moves: Sequence[Move]) -> dict[Cell, int]:
    """How many arrive on each target, in the order in which the targets first appear."""
    arriving: dict[Cell, int] = {}
    for _, _, count, tx, ty in moves:
        arriving[tx, ty] = arriving.get((tx, ty), 0) + max(count, 0)
    return arriving


def is_random(position: Position, attackers: int, defenders: int, *, humans: bool) -> bool:
    if humans:
        return attackers < defenders
    if attackers >= Fraction(3, 2) * defenders:
        return False
    return position.server or defenders < Fraction(3, 2) * attackers


def battles(position: Position, moves: Sequence[Move]) -> list[Battle]:
    """The random battles of a legal turn, in the order in which their cells first appear."""
    found = []
    for cell, attackers in arrivals(moves).items():
        humans = cell in position.humans
        defenders = position.humans.get(cell) or position.creatures[OTHER[position.mover]].get(cell)
        if defenders and is_random(position, attackers, defenders, humans=humans):
            found.append(Battle(cell, attackers, defenders, humans))
    return found


def odds(attackers: int, defenders: int) -> Fraction:
    if attackers == defenders:
        return Fraction(1, 2)
    if attackers < defenders:
        return Fraction(attackers, 2 * defenders)
    return Fraction(attackers, defenders) - Fraction(1, 2)


def binomial(n: int, k: int, p: Fraction) -> Fraction:
    return comb(n, k) * p**k * (1 - p) ** (n - k)


def distribution(attackers: int, defenders: int, *, humans: bool) -> dict[int, Fraction]:
    """How a random battle ends: n > 0 attackers and converts, or -n defenders, or nobody; and how likely.

    Attackers and converted humans are counted one by one: their sum being one binomial is for others to know.
    """
    p = odds(attackers, defenders)
    found: dict[int, Fraction] = {}
    for alive in range(attackers + 1):
        for converted in range(defenders + 1 if humans else 1):
            chance = p * binomial(attackers, alive, p)
            if humans:
                chance *= binomial(defenders, converted, p)
            found[alive + converted] = found.get(alive + converted, Fraction(0)) + chance
    for alive in range(defenders + 1):
        found[-alive] = found.get(-alive, Fraction(0)) + (1 - p) * binomial(defenders, alive, 1 - p)
    return found


def resolve(position: Position, moves: Sequence[Move], dice: tuple[int, ...]) -> Position:
    """The position after a legal turn whose random battles, in their order, ended as the dice say."""
    mover, foe = position.mover, OTHER[position.mover]
    humans = dict(position.humans)
    own, foes = dict(position.creatures[mover]), dict(position.creatures[foe])
    for x, y, count, _, _ in moves:
        own[x, y] -= count
    results = dict(zip([battle.cell for battle in battles(position, moves)], dice, strict=True))
    for cell, attackers in arrivals(moves).items():
        if cell in results:
            humans.pop(cell, None)
            foes.pop(cell, None)
            if results[cell] > 0:
                own[cell] = results[cell]
            elif cell in position.humans:
                humans[cell] = -results[cell]
            else:
                foes[cell] = -results[cell]
        elif cell in humans:
            own[cell] = attackers + humans.pop(cell)
        elif cell in foes:
            if attackers > foes[cell]:
                del foes[cell]
                own[cell] = attackers
        else:
            own[cell] = own.get(cell, 0) + attackers
    if position.server:
        own = {cell: count % 256 for cell, count in own.items()}
    contents = [{cell: count for cell, count in content.items() if count} for content in (humans, own, foes)]
    return replace(
        position,
        humans=contents[0],
        creatures={mover: contents[1], foe: contents[2]},
        mover=foe,
        ply=position.ply + 1,
    )


def ahead(position: Position) -> str | None:
    """The species with the larger population; None if they are equal."""
    vampires, werewolves = position.population("vampires"), position.population("werewolves")
    if vampires == werewolves:
        return None
    return "vampires" if vampires > werewolves else "werewolves"


def end(position: Position) -> End | None:
    """Whether the game is over, for whom and why."""
    gone = {species for species in OTHER if position.population(species) == 0}
    if len(gone) == 2:
        return End("werewolves", "elimination")
    if gone:
        return End(OTHER[gone.pop()], "elimination")
    if position.majority:
        for species in OTHER:
            if len(position.creatures[species]) > Fraction(position.rows * position.columns, 2):
                return End(species, "majority")
    if position.ply >= position.limit:
        return End(ahead(position), "ply limit")
    return None
