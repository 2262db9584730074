"""A position of Vampires vs Werewolves: its content, its legal turns, their results, its drawing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from noctagon.core.board import Arrow, Piece, View
from noctagon.core.game import (
    Chance,
    Dice,
    IllegalAction,
    NoctagonError,
    Outcome,
    Resolution,
    Result,
    Side,
    State,
    combinations,
)
from noctagon.games.vampires.rules.limits import CELL_LIMIT
from noctagon.games.vampires.rules.ruleset import (
    HANDOUT,
    SPECIES,
    Cell,
    Content,
    Species,
    VampiresRules,
    check_position,
    plain_content,
    whole,
)
from noctagon.games.vampires.rules.turn import Move, Turn, read_moves

if TYPE_CHECKING:
    from random import Random

    import numpy as np

    from noctagon.games.vampires.maps.map import Map
    from noctagon.games.vampires.rules.battle import Battle
    from noctagon.games.vampires.rules.builder import TurnBuilder, Turns


class VampiresState(State[Turn]):
    """A position, immutable. Build one from its content, or from a map.

    >>> state = VampiresState(
    ...     rows=3, columns=3, humans={(1, 1): 2}, vampires={(0, 0): 4}, werewolves={(2, 2): 4}
    ... )
    >>> after = state.play([(0, 0, 4, 1, 1)])
    >>> dict(after.vampires), dict(after.humans)
    ({(1, 1): 6}, {})
    """

    _packed: np.ndarray[Any, Any]
    _rules: VampiresRules

    def __init__(
        self,
        *,
        rows: int,
        columns: int,
        humans: Content | None = None,
        vampires: Content | None = None,
        werewolves: Content | None = None,
        to_move: Species = "vampires",
        first: Species = "vampires",
        ply: int = 0,
        rules: VampiresRules = HANDOUT,
    ) -> None:
        import numpy as np  # here and below: a list of games and commands needs no NumPy

        rows, columns, ply = whole(rows), whole(columns), whole(ply)
        contents = (
            plain_content(humans or {}),
            plain_content(vampires or {}),
            plain_content(werewolves or {}),
        )
        check_position(rows, columns, contents, to_move, first, ply, rules)
        header = [rows, columns, SPECIES.index(to_move), ply, rules.plies, int(rules.name == "server")]
        header += [int(rules.majority), SPECIES.index(first), *map(len, contents)]
        for content in contents:
            for cell, count in sorted((y * 256 + x, count) for (x, y), count in content.items()):
                header += [cell, count]
        self._fill(np.array(header, np.int32), rules)

    @classmethod
    def _from_packed(cls, packed: np.ndarray[Any, Any], rules: VampiresRules) -> Self:
        state = cls.__new__(cls)
        state._fill(packed, rules)
        return state

    def _fill(self, packed: np.ndarray[Any, Any], rules: VampiresRules) -> None:
        object.__setattr__(self, "_packed", packed)
        object.__setattr__(self, "_rules", rules)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a position does not change: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a position does not change: {name} cannot be deleted")

    def __reduce__(self) -> tuple[Any, ...]:
        return self._from_packed, (self._packed, self._rules)

    @classmethod
    def from_map(cls, map: Map, rules: VampiresRules = HANDOUT, first: Species = "vampires") -> Self:  # noqa: A002
        """Return the first position on a map."""
        return cls(
            rows=map.rows,
            columns=map.columns,
            humans={(x, y): count for x, y, count in map.humans},
            vampires={map.vampires[:2]: map.vampires[2]},
            werewolves={map.werewolves[:2]: map.werewolves[2]},
            to_move=first,
            first=first,
            rules=rules,
        )

    # Content.

    @property
    def rows(self) -> int:
        return int(self._packed[0])

    @property
    def columns(self) -> int:
        return int(self._packed[1])

    @property
    def rules(self) -> VampiresRules:  # type: ignore[override] # read-only
        return self._rules

    @property
    def ply(self) -> int:  # type: ignore[override]
        return int(self._packed[3])

    @property
    def species(self) -> Species:
        """Return the species to move."""
        return SPECIES[self._packed[2]]

    @property
    def first(self) -> Species:
        """Return the species that began the game: side 0."""
        return SPECIES[self._packed[7]]

    @property
    def side(self) -> Side:  # type: ignore[override]
        return 0 if self._packed[2] == self._packed[7] else 1

    @property
    def sides(self) -> tuple[str, str]:
        return ("Vampires", "Werewolves") if self.first == "vampires" else ("Werewolves", "Vampires")

    @cached_property
    def _contents(self) -> tuple[Content, Content, Content]:
        numbers = self._packed.tolist()
        at = 11
        contents = []
        for length in numbers[8:11]:
            pairs = zip(numbers[at : at + 2 * length : 2], numbers[at + 1 : at + 2 * length : 2], strict=True)
            contents.append(MappingProxyType({(cell & 255, cell >> 8): count for cell, count in pairs}))
            at += 2 * length
        return contents[0], contents[1], contents[2]

    @property
    def humans(self) -> Content:
        """Return the humans of each house that still holds some, by cell."""
        return self._contents[0]

    @property
    def vampires(self) -> Content:
        return self._contents[1]

    @property
    def werewolves(self) -> Content:
        return self._contents[2]

    @property
    def own(self) -> Content:
        """Return the groups of the species to move."""
        return self._contents[1 + self._packed[2]]

    @property
    def foes(self) -> Content:
        """Return the groups of the other species."""
        return self._contents[2 - self._packed[2]]

    @cached_property
    def key(self) -> bytes:
        return self._packed.tobytes()

    # Turns.

    def actions(self) -> Turns:
        from noctagon.games.vampires.rules.builder import Turns

        return Turns(self)

    def candidates(self, generator: str | None = None) -> Iterable[Turn]:
        from noctagon.games.vampires.rules.generators import generate

        return generate(self, generator)

    def build(self, moves: Iterable[Move] = ()) -> TurnBuilder:
        """Return a builder that adds moves one by one and knows what is left, the legal targets and the odds."""
        from noctagon.games.vampires.rules.builder import TurnBuilder

        return TurnBuilder(self, tuple(moves))

    def check(self, action: Iterable[Iterable[int]]) -> None:
        from noctagon.games.vampires.rules import packing

        given = moves = read_moves(action)
        most = 8 * len(self.own)
        if len(moves) > most:  # merged, no more than `most` can be legal: a longer list is not worth reading
            moves = list(Turn(moves))[: most + 1]
        record, _ = self._scratch(len(moves))
        if broken := packing.check_packed(record, self._packed, _table(moves), len(moves)):
            raise self._illegal(broken, moves, given)

    def chances(self, action: Iterable[Iterable[int]]) -> tuple[Battle, ...]:
        return self._legal(action)[1]

    def play(self, action: Iterable[Iterable[int]], dice: Dice = ()) -> Self:
        turn, battles = self._legal(action)
        return self._after(turn, battles, dice)

    def roll(self, action: Iterable[Iterable[int]], rng: Random) -> Dice:
        return super().roll(action, rng)  # type: ignore[arg-type] # any list of moves is a turn

    def resolve(
        self, action: Iterable[Iterable[int]], dice: Dice | Callable[[Chance], int]
    ) -> Resolution[Turn]:
        turn, battles = self._legal(action)
        decided = tuple(map(dice, battles)) if callable(dice) else tuple(dice)
        return Resolution(turn, battles, decided, self._after(turn, battles, decided))

    def outcomes(self, action: Iterable[Iterable[int]], *, brief: bool = False) -> Iterator[Outcome[Turn]]:
        turn, battles = self._legal(action)
        for probability, dice in combinations(battles, brief=brief):
            yield Outcome(probability, dice, self._after(turn, battles, dice))

    def _legal(self, action: Iterable[Iterable[int]]) -> tuple[Turn, tuple[Battle, ...]]:
        """Check a turn, in one pass of the kernel with its battles; return its canonical form and these."""
        import numpy as np

        from noctagon.games.vampires.rules import packing
        from noctagon.games.vampires.rules.battle import Battle

        given = _given(action)
        try:
            turn = Turn(given)
        except IllegalAction:
            self.check(given)
            raise
        found = np.empty((len(turn), 5), np.int32)
        fights = packing.battles_packed(
            *self._scratch(len(turn)), self._packed, _table(turn), len(turn), found
        )
        if fights < 0:
            # An error names a move by its number as it was sent, and the canonical form is sorted.
            self.check(given)
            raise AssertionError(f"{turn} is illegal, and {given} is not")
        foes = SPECIES[1 - self._packed[2]]
        battles = tuple(
            Battle((x, y), attackers, defenders, humans=bool(humans), who="humans" if humans else foes)
            for x, y, attackers, defenders, humans in found[:fights].tolist()
        )
        return turn, battles

    def _after(self, turn: Turn, battles: Sequence[Battle], dice: Dice) -> Self:
        """Play what `_legal` returned."""
        import numpy as np

        from noctagon.games.vampires.rules import packing

        if len(dice) != len(battles):
            raise NoctagonError(f"the turn {turn} has {len(battles)} random battles and {len(dice)} dice")
        for battle, result in zip(battles, dice, strict=True):
            battle.admit(result)
        after = np.empty(len(self._packed) + 2 * len(turn), np.int32)
        length = packing.play_packed(
            *self._scratch(len(turn)), self._packed, _table(turn), len(turn), np.array(dice, np.int32), after
        )
        return self._from_packed(after[:length], self._rules)

    def skip(self) -> Self:
        if self.result is not None:
            raise IllegalAction("the game is over")
        after = self._packed.copy()
        after[2] = 1 - after[2]
        after[3] += 1
        return self._from_packed(after, self._rules)

    # Result and score.

    @cached_property
    def result(self) -> Result | None:
        from noctagon.games.vampires.rules import kernel, packing

        ended = packing.ended_packed(self._scratch()[0], self._packed)
        reason, winner = ended & 7, ended >> 3
        if reason == kernel.GOES_ON:
            return None
        who = SPECIES[winner].capitalize() if winner != kernel.DRAW else ""
        if reason == kernel.PLY_LIMIT:
            return self._by_population("ply limit", f"after {self.ply} plies")
        name, detail = {
            kernel.ELIMINATION: ("elimination", f"the {SPECIES[1 - winner].capitalize()} are gone"),
            kernel.BOTH_GONE: ("elimination", "both species are gone, which the Werewolves win"),
            kernel.MAJORITY: ("majority", f"the {who} occupy more than half of the cells"),
        }[reason]
        return Result(self._side_of(winner), name, detail)

    def adjudicate(self) -> Result:
        return self.result or self._by_population("stopped", "when play stopped")

    def score(self) -> tuple[float, float]:
        vampires, werewolves = sum(self.vampires.values()), sum(self.werewolves.values())
        return (vampires, werewolves) if self.first == "vampires" else (werewolves, vampires)

    def _by_population(self, reason: str, when: str) -> Result:
        from noctagon.games.vampires.rules import kernel, packing

        ahead = packing.leader_packed(self._scratch()[0], self._packed)
        count = (
            f"{sum(self.vampires.values())} vampires and {sum(self.werewolves.values())} werewolves {when}"
        )
        return Result(None if ahead == kernel.DRAW else self._side_of(ahead), reason, count)

    def _side_of(self, species: int) -> Side:
        return 0 if species == self._packed[7] else 1

    # Drawing.

    def view(self) -> View:
        pieces = [
            Piece(x, y, kind, side, count, f"{kind[0].upper()}{count}")
            for kind, side, content in (
                ("humans", None, self.humans),
                ("vampires", self._side_of(0), self.vampires),
                ("werewolves", self._side_of(1), self.werewolves),
            )
            for (x, y), count in content.items()
        ]
        return View(
            game="vampires",
            rows=self.rows,
            columns=self.columns,
            pieces=tuple(pieces),
            sides=self.sides,
            side=self.side,
            ply=self.ply,
            limit=self._rules.plies,
            score=self.score(),
            result=self.result.describe(self.sides) if self.result else "",
        )

    def arrows(self, action: Iterable[Iterable[int]]) -> tuple[Arrow, ...]:
        return tuple(Arrow(move.x, move.y, move.tx, move.ty, str(move.count)) for move in Turn(action))

    def symbols(self) -> str:
        return (files("noctagon.games.vampires") / "symbols.svg").read_text("utf-8")

    def __repr__(self) -> str:
        from noctagon.games.vampires.rules.notation import format_position

        return f"<VampiresState {format_position(self)}>"

    # Calls of the kernel.

    def _scratch(self, moves: int = 0) -> tuple[Any, Any]:
        """Return a position and a turn record for the kernel to work on; nothing is kept in them between calls."""
        from noctagon.compiled.jit import Record, complete
        from noctagon.games.vampires.rules import kernel

        houses, vampires, werewolves = self._packed[8:11].tolist()
        compact = houses <= COMPACT_HOUSES and max(vampires, werewolves) + moves <= COMPACT_GROUPS
        if not compact:
            complete()
        name = "compact" if compact else "full"
        if not hasattr(_SCRATCH, name):
            layouts = (kernel.COMPACT, kernel.COMPACT_TURN) if compact else (kernel.FULL, kernel.FULL_TURN)
            setattr(_SCRATCH, name, tuple(map(Record.new, layouts)))
        return getattr(_SCRATCH, name)  # type: ignore[no-any-return] # the pair set above

    def _illegal(self, broken: int, moves: Sequence[Move], given: Sequence[Move]) -> IllegalAction:
        """Return the error for the result of `check`, by the moves as given: those checked may be sorted and merged."""
        from noctagon.games.vampires.rules import kernel

        rule, number = broken & 15, broken >> 4
        if rule == kernel.OVER:
            return IllegalAction("the game is over")
        if rule == kernel.EMPTY_TURN:
            return IllegalAction("the turn has no move; at least one group must move: rule 1", rule=1)
        if moves is not given:
            number = _find(moves[number], given)
        move = given[number]
        source, target = (move.x, move.y), (move.tx, move.ty)
        at, to = f"cell ({move.x},{move.y})", f"({move.tx},{move.ty})"
        held = self.own.get(source, 0)
        leaving = sum(max(0, other.count) for other in given if (other.x, other.y) == source)
        arriving = sum(other.count for other in given if (other.tx, other.ty) == target)
        on_grid = 0 <= move.tx < self.columns and 0 <= move.ty < self.rows
        reason = {
            kernel.NOT_OWN: f"{at} holds {self._describe(source)}, no {self.species} of yours",
            kernel.TOO_MANY: f"{at} holds {held} {self.species}, {leaving} were to leave it",
            kernel.NOT_NEIGHBOUR: f"{to} is "
            + (f"not one of the 8 neighbours of ({move.x},{move.y})" if on_grid else "off the grid"),
            kernel.SOURCE_AND_TARGET: f"cell {to} is both a source and a target of the turn",
            kernel.ZERO: f"{move.count} creatures were to leave {at}; at least one must",
            kernel.OVERFLOW: f"{arriving} creatures were to arrive on {to}; the server's rules allow {CELL_LIMIT}",
        }[rule]
        return IllegalAction(f"move {number + 1}: {reason}: rule {rule}", rule=rule)

    def _describe(self, cell: Cell) -> str:
        for kind, content in zip(("humans", *SPECIES), self._contents, strict=True):
            if cell in content:
                return f"{content[cell]} {kind}"
        return (
            "nothing"
            if 0 <= cell[0] < self.columns and 0 <= cell[1] < self.rows
            else "nothing, being off the grid"
        )


COMPACT_HOUSES, COMPACT_GROUPS = 512, 128
"""Maximum number of houses, and of groups a side, in the kernel's compact record."""
_SCRATCH = threading.local()


def _given(action: Iterable[Iterable[int]]) -> Sequence[Move]:
    """Return the moves of a turn in the given order, as a sequence."""
    return action if isinstance(action, Turn) else read_moves(action)


def _find(move: Move, given: Sequence[Move]) -> int:
    """Return the place of a move among those given, or of the first that was merged into it."""
    if move in given:
        return given.index(move)
    ways = [other._replace(count=move.count) for other in given]
    return ways.index(move)


def _table(moves: Iterable[Move]) -> np.ndarray[Any, Any]:
    import numpy as np

    return np.array(list(moves), np.int32).reshape(-1, 5)
