"""Turns built move by move (creatures left, legal targets, odds), and the set of all legal turns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, product
from typing import TYPE_CHECKING, NamedTuple

from noctagon.core.game import Actions, IllegalAction, NoctagonError
from noctagon.games.vampires.rules.ruleset import neighbours
from noctagon.games.vampires.rules.turn import Move, Turn, arrivals, list_departures

if TYPE_CHECKING:
    from random import Random

    from noctagon.games.vampires.rules.ruleset import Cell
    from noctagon.games.vampires.rules.state import VampiresState

MOST_LISTED = 1_000_000
"""Maximum number of turns counted one by one."""

COUNTABLE_CLUSTER = 18
"""Maximum number of groups in contact whose turns are counted: 2^18 sets of sources."""


class Encounter(NamedTuple):
    """The attackers and defenders on a target, and the probability that the mover holds the cell."""

    attackers: int
    defenders: int
    kind: str
    odds: float

    def __str__(self) -> str:
        if self.kind == "join" or self.kind == "empty":
            return f"{self.attackers} arrive"
        return f"{self.attackers} against {self.defenders} {self.kind}: {self.odds:.0%}"


class TurnBuilder:
    """A turn so far. Every method returns a new builder; its position never changes.

    >>> from noctagon.games.vampires.rules.state import VampiresState
    >>> state = VampiresState(rows=3, columns=3, vampires={(0, 0): 4}, werewolves={(2, 2): 4})
    >>> builder = state.build().move(0, 0, 3, 1, 1)
    >>> builder.left, builder.turn
    ({(0, 0): 1}, Turn('0,0>1,1:3'))
    """

    def __init__(self, state: VampiresState, moves: tuple[Move, ...] = ()) -> None:
        self.state = state
        self.moves = moves

    @property
    def turn(self) -> Turn:
        return Turn(self.moves)

    @property
    def left(self) -> dict[Cell, int]:
        """Return the number of creatures not moved yet, by cell."""
        left = dict(self.state.own)
        for move in self.moves:
            left[move.x, move.y] -= move.count
        return {cell: count for cell, count in left.items() if count > 0}

    def sources(self) -> list[Cell]:
        """Return the cells from which creatures can still move."""
        return [cell for cell in self.left if self.targets(*cell)]

    def targets(self, x: int, y: int) -> list[Cell]:
        """Return the legal targets of the creatures left on a cell, given the turn so far."""
        moved = sum(move.count for move in self.moves if (move.x, move.y) == (x, y))
        if moved >= self.state.own.get((x, y), 0) or self.state.result is not None:
            return []
        sources = {(move.x, move.y) for move in self.moves}
        if any((move.tx, move.ty) == (x, y) for move in self.moves):
            return []
        return [
            cell for cell in neighbours(self.state, (x, y)) if cell not in sources and self.room(*cell) > 0
        ]

    def room(self, tx: int, ty: int) -> int:
        """Return how many more creatures may arrive on a cell (the server's rules set a limit)."""
        return self.state.rules.cell_limit - sum(
            move.count for move in self.moves if (move.tx, move.ty) == (tx, ty)
        )

    def move(self, x: int, y: int, count: int, tx: int, ty: int) -> TurnBuilder:
        """Return the turn with one more move; raise `IllegalAction` if that breaks a rule."""
        moves = (*self.moves, Move(x, y, count, tx, ty))
        self.state.check(moves)
        return TurnBuilder(self.state, moves)

    def undo(self) -> TurnBuilder:
        """Return the turn without its last move."""
        return TurnBuilder(self.state, self.moves[:-1])

    def meeting(self, tx: int, ty: int) -> Encounter:
        """Return the meeting on a target of the turn so far."""
        cell = (tx, ty)
        attackers = sum(move.count for move in self.moves if (move.tx, move.ty) == cell)
        if not attackers:
            raise NoctagonError(f"nobody goes to ({tx},{ty}) in the turn so far")
        contents = {
            "join": self.state.own,
            "humans": self.state.humans,
            "enemies": self.state.foes,
        }
        kind = next((kind for kind, content in contents.items() if cell in content), "empty")
        defenders = contents[kind][cell] if kind != "empty" else 0
        battles = self.state.chances(self.moves)
        for battle in battles:
            if battle.cell == cell:
                return Encounter(attackers, defenders, kind, battle.odds)
        after = self.state.play(self.moves, (0,) * len(battles))
        return Encounter(attackers, defenders, kind, 1.0 if cell in after.foes else 0.0)


class Turns(Actions[Turn]):
    """The set of all legal turns, lazy: there may be astronomically many."""

    state: VampiresState

    def __iter__(self) -> Iterator[Turn]:
        if self.state.result is not None:
            return
        groups = list(self.state.own.items())
        for size in range(1, len(groups) + 1):
            for movers in combinations(groups, size):
                sources = {cell for cell, _ in movers}
                options = [
                    [
                        departure
                        for departure in list_departures(
                            cell, count, _free_targets(self.state, cell, sources)
                        )
                        if departure
                    ]
                    for cell, count in movers
                ]
                for choice in product(*options):
                    turn = Turn(move for moves in choice for move in moves)
                    if max(arrivals(turn).values()) <= self.state.rules.cell_limit:
                        yield turn

    def __bool__(self) -> bool:
        return self.state.result is None

    def count(self) -> int:
        """Return the number of turns without listing them: over the sets of sources, the ways each group can leave."""
        if self.state.result is not None:
            return 0
        if sum(self.state.own.values()) > self.state.rules.cell_limit:
            if self._count_unlimited() > MOST_LISTED:  # the limit on arrivals ties all groups together
                raise NoctagonError("the turns are too many to count under the server's rules")
            return super().count()
        return self._count_unlimited()

    def _count_unlimited(self) -> int:
        """Return the number of turns where any number may arrive on a cell."""
        own = self.state.own
        total = 1
        for cluster in _clusters(own):
            if len(cluster) > COUNTABLE_CLUSTER:
                raise NoctagonError(
                    f"{len(cluster)} groups touch each other: their turns are too many to count"
                )
            total *= sum(
                math.prod(
                    _ways(own[cell], len(_free_targets(self.state, cell, set(movers)))) for cell in movers
                )
                for size in range(len(cluster) + 1)
                for movers in combinations(cluster, size)
            )
        return total - 1

    def sample(self, rng: Random) -> Turn:
        """Return a random turn: after each move it ends with probability 1/2, so every legal turn has a chance."""
        if self.state.result is not None:
            raise IllegalAction("the game is over")
        builder = self.state.build()
        while not builder.moves or rng.random() < 0.5:
            sources = builder.sources()
            if not sources:
                break
            x, y = rng.choice(sources)
            tx, ty = rng.choice(builder.targets(x, y))
            count = rng.randint(1, min(builder.left[x, y], builder.room(tx, ty)))
            builder = TurnBuilder(self.state, (*builder.moves, Move(x, y, count, tx, ty)))
        return builder.turn


def _free_targets(state: VampiresState, cell: Cell, sources: set[Cell]) -> list[Cell]:
    return [target for target in neighbours(state, cell) if target not in sources]


def _ways(count: int, targets: int) -> int:
    """Return the number of non-empty `list_departures`: the rest stays behind."""
    return math.comb(count + targets, targets) - 1


def _clusters(groups: Mapping[Cell, int]) -> Iterable[list[Cell]]:
    """Yield clusters of groups in contact: only these can be in each other's way (rule 5)."""
    waiting = set(groups)
    while waiting:
        cluster = [waiting.pop()]
        for x, y in cluster:
            near = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)} & waiting
            waiting -= near
            cluster += sorted(near)
        yield cluster
