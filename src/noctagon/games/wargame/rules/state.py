"""A position of AI Wargame.

The rules that an action can break, by number:

1. Source and target are cells of the board, A0 to E4.
2. On the source stands a unit of the player to move.
3. The target is one of the source's 4 neighbours, or the source itself (self-destruct, always legal).
4. An AI, a Firewall or a Program does not move while engaged: an enemy beside it, in any of the 4 directions.
5. The attacker's AI, Firewall and Program move only up or left, the defender's only down or right.
6. A repair needs a positive value in the table: an AI repairs Viruses and Techs, a Tech the other kinds.
7. A repair needs a target whose health is below 9.
8. Nothing is played once the game is over.
"""

from __future__ import annotations

import operator
import threading
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from noctagon.core import board
from noctagon.core.game import (
    Actions,
    BadNotation,
    Chance,
    Dice,
    IllegalAction,
    NoctagonError,
    Resolution,
    Result,
    Rules,
    Side,
    State,
    UnknownName,
)
from noctagon.core.text import quoted
from noctagon.games.wargame.rules import notation, units
from noctagon.games.wargame.rules.notation import Action
from noctagon.games.wargame.rules.units import cell_name, health_of, kind_of, side_of, unit_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import ModuleType

__all__ = ["Action", "WargameRules", "WargameState"]


class WargameRules(Rules, frozen=True, kw_only=True):
    """The settings of a game: the turn limit, and the order of checking it and a destroyed AI on the last
    turn.

    With `limit_first`, as in the course's engine, to destroy the defender's AI on the last turn is too late.
    """

    name: Literal["document", "engine"] = "document"
    plies: int = 100
    limit_first: bool = False

    def __post_init__(self) -> None:
        self.check_kinds()
        if not 1 <= self.plies <= notation.MOST_TURNS:
            raise NoctagonError(f"a game lasts 1 to {notation.MOST_TURNS} plies, not {self.plies}")


class _Scratch:
    """A thread's working memory: a kernel record and the buffers around it. No position keeps any of it."""

    def __init__(self) -> None:
        import numpy as np

        from noctagon.compiled.jit import Record
        from noctagon.games.wargame.rules import kernel

        self.kernel: ModuleType = kernel
        self.record: Any = Record.new(kernel.LAYOUT)
        self.key = np.zeros(kernel.KEY_BYTES, np.uint8)
        self.bytes = self.key.data
        self.found = np.zeros(kernel.MOST_ACTIONS, np.int32)

    def put(self, key: bytes) -> int:
        """Set the record to a position; returns its outcome."""
        self.bytes[:] = key
        return int(self.kernel.unpack(self.record, self.key))


_scratches = threading.local()


def scratch() -> _Scratch:
    """Return this thread's scratch space; the first call anywhere imports the kernel."""
    try:
        return cast("_Scratch", _scratches.scratch)
    except AttributeError:
        _scratches.scratch = new = _Scratch()
        return new


class WargameActions(Actions[Action]):
    """The legal actions, in the kernel's fixed order."""

    state: WargameState

    def __iter__(self) -> Iterator[Action]:
        d = scratch()
        d.put(self.state.key)
        count = d.kernel.actions(d.record, d.found)
        return iter([Action(*divmod(number, units.CELLS)) for number in d.found[:count].tolist()])

    def count(self) -> int:
        return self.state.perft(1)


class WargameState(State[Action]):
    """A position: 25 cells, the side to move, the turns played, and the rules.

    >>> state = WargameState.from_units({"A0": "dA9", "A1": "aV3", "E4": "aA9"})
    >>> state.play(Action(1, 0)).result
    Result(winner=0, reason='AI destroyed', detail="the Defender's AI is destroyed after 1 turn")
    """

    __slots__ = ("_key", "_outcome", "ply", "rules", "side")

    _key: bytes
    _outcome: int
    rules: WargameRules

    def __init__(
        self, cells: Sequence[int], *, side: Side = 0, ply: int = 0, rules: WargameRules | None = None
    ) -> None:
        """Make a position from the 25 unit bytes of its board (see `units`)."""
        notation.check_cells(cells)
        if side not in (0, 1) or not 0 <= ply <= notation.MOST_TURNS:
            raise BadNotation(
                f"the side to move is 0 or 1 and the turns played 0 or more, not {side} and {ply}"
            )
        rules = rules or WargameRules()
        key = bytes(cells) + bytes((side, rules.limit_first))
        key += ply.to_bytes(4, "little") + rules.plies.to_bytes(4, "little")
        self._set(key, rules, side, ply, scratch().put(key))

    @classmethod
    def from_units(
        cls,
        placed: Mapping[str, str],
        *,
        side: Side = 0,
        ply: int = 0,
        rules: WargameRules | None = None,
    ) -> Self:
        """Make a position from its units by cell, as in `{"A0": "dA9"}`."""
        cells = bytearray(units.CELLS)
        for name, text in placed.items():
            cell = notation.parse_cell(name)
            if cells[cell]:
                raise NoctagonError(f"two units are placed on {cell_name(cell)}; a cell holds one")
            cells[cell] = notation.parse_unit(text)
        return cls(cells, side=side, ply=ply, rules=rules)

    @classmethod
    def _known(cls, key: bytes, rules: WargameRules, outcome: int) -> Self:
        """Make a position from a key that the kernel wrote."""
        state = cls.__new__(cls)
        state._set(key, rules, cast("Side", key[25]), int.from_bytes(key[27:31], "little"), outcome)
        return state

    def _set(self, key: bytes, rules: WargameRules, side: Side, ply: int, outcome: int) -> None:
        put = object.__setattr__
        put(self, "_key", key)
        put(self, "_outcome", outcome)
        put(self, "rules", rules)
        put(self, "side", side)
        put(self, "ply", ply)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a position does not change: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a position does not change: {name} cannot be deleted")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._known, (self._key, self.rules, self._outcome)

    def __repr__(self) -> str:
        text = notation.format_position(self.cells, self.side, self.ply)
        return f"<WargameState {text!r}, {self.rules.name} rules, {self.rules.plies} plies>"

    @property
    def key(self) -> bytes:
        return self._key

    @property
    def cells(self) -> bytes:
        """The board: one byte a cell, row by row, as `units` describes it."""
        return self._key[: units.CELLS]

    @property
    def units(self) -> dict[str, str]:
        """The units by cell: `{"A0": "dA9", …}`."""
        return {cell_name(cell): unit_name(code) for cell, code in enumerate(self.cells) if code}

    @property
    def sides(self) -> tuple[str, str]:
        return units.SIDES

    @property
    def result(self) -> Result | None:
        if self._outcome == 0:
            return None
        kernel = scratch().kernel
        turns = f"{self.ply} turn" if self.ply == 1 else f"{self.ply} turns"
        if self._outcome == kernel.DEFENDER_DOWN:
            return Result(0, "AI destroyed", f"the Defender's AI is destroyed after {turns}")
        if self._outcome == kernel.ATTACKER_DOWN:
            return Result(1, "AI destroyed", f"the Attacker's AI is destroyed after {turns}")
        if self._outcome == kernel.BOTH_DOWN:
            return Result(1, "both AIs destroyed", f"both AIs are destroyed after {turns}")
        return Result(1, "turn limit", f"the limit is reached after {turns}")

    def adjudicate(self) -> Result:
        """While both AIs stand, it is the attacker who has not won."""
        return self.result or Result(1, "stopped", "play stopped with both AIs alive")

    def score(self) -> tuple[float, float]:
        """Return the total health of each side's units."""
        totals = [0, 0]
        for code in self.cells:
            totals[code >> 7] += health_of(code)
        return (float(totals[0]), float(totals[1]))

    def actions(self) -> WargameActions:
        return WargameActions(self)

    def candidates(self, generator: str | None = None) -> Iterable[Action]:
        """Return all actions, self-destructions last."""
        if generator is not None:
            raise UnknownName("move generator", generator, ())
        return sorted(self.actions(), key=lambda action: action.source == action.target)

    def check(self, action: Action) -> None:
        source, target = _two_cells(action)
        d = scratch()
        d.put(self._key)
        if rule := d.kernel.illegal(d.record, source, target):
            raise self._refusal(rule, source, target)

    def play(self, action: Action, dice: Dice = ()) -> Self:
        return self._play(_two_cells(action), dice)

    def resolve(self, action: Action, dice: Dice | Callable[[Chance], int]) -> Resolution[Action]:
        cells = _two_cells(action)
        return Resolution(Action(*cells), (), (), self._play(cells, () if callable(dice) else dice))

    def _play(self, cells: tuple[int, int], dice: Dice) -> Self:
        """Check and play an action; the kernel does both in one pass."""
        if dice:
            raise IllegalAction(f"nothing is left to chance here, but dice {dice} were given")
        d = scratch()
        d.bytes[:] = self._key
        outcome = d.kernel.turn(d.record, d.key, *cells)
        if outcome < 0:
            raise self._refusal(-outcome, *cells)
        return self._known(d.bytes.tobytes(), self.rules, outcome)

    def perft(self, depth: int) -> int:
        d = scratch()
        if not 0 <= depth <= d.kernel.DEPTHS:
            raise NoctagonError(f"perft counts 0 to {d.kernel.DEPTHS} actions deep, not {depth}")
        d.put(self._key)
        return int(d.kernel.perft(d.record, depth))

    def describe(self, action: Action) -> str:
        """Describe a legal action: `move from C4 to C3`, `attack from … on …`, and so on."""
        kind = self.kind(action)
        source, target = map(cell_name, action)
        if kind == "self-destruct":
            return f"{kind} at {source}"
        return f"{kind} from {source} {'to' if kind == 'move' else 'on'} {target}"

    def kind(self, action: Action) -> str:
        """Return `move`, `attack`, `repair` or `self-destruct`, by the target of a legal action."""
        source, target = action
        if source == target:
            return "self-destruct"
        other = self.cells[target]
        if not other:
            return "move"
        return "repair" if side_of(other) == self.side else "attack"

    def arrows(self, action: Action) -> tuple[board.Arrow, ...]:
        """Return one arrow; its text is what the target gains or loses in health."""
        source, target = action
        code, other = self.cells[source], self.cells[target]
        text = ""
        if source == target:
            text = f"−{units.BLAST}"
        elif other and side_of(other) == self.side:
            gain = units.REPAIR[kind_of(code)][kind_of(other)]
            text = f"+{min(gain, units.FULL_HEALTH - health_of(other))}"
        elif other:
            text = f"−{min(units.DAMAGE[kind_of(code)][kind_of(other)], health_of(other))}"
        (y, x), (ty, tx) = divmod(source, units.SIZE), divmod(target, units.SIZE)
        return (board.Arrow(x, y, tx, ty, text),)

    def view(self) -> board.View:
        pieces = tuple(
            board.Piece(
                x=cell % units.SIZE,
                y=cell // units.SIZE,
                kind=units.KINDS[kind_of(code)].lower(),
                side=side_of(code),
                count=health_of(code),
                label=unit_name(code),
            )
            for cell, code in enumerate(self.cells)
            if code
        )
        result = self.result
        return board.View(
            game="wargame",
            rows=units.SIZE,
            columns=units.SIZE,
            pieces=pieces,
            sides=self.sides,
            side=self.side,
            ply=self.ply,
            limit=self.rules.plies,
            score=self.score(),
            result=result.describe(self.sides) if result else "",
            row_labels=tuple(units.ROWS),
            column_labels=tuple(units.COLUMNS),
        )

    def symbols(self) -> str:
        return _symbols()

    def _refusal(self, rule: int, source: int, target: int) -> IllegalAction:
        return IllegalAction(f"{self._complaint(rule, source, target)}: rule {rule}", rule=rule)

    def _complaint(self, rule: int, source: int, target: int) -> str:
        """Explain in the words of the game why the kernel refuses an action."""
        kernel = scratch().kernel
        if rule == kernel.OVER:
            return "the game is over"
        if rule == kernel.OFF_BOARD:
            end = "target" if 0 <= source < units.CELLS else "source"
            return f"the {end} is not on the board: cells are numbered 0 (A0) to 24 (E4)"
        here, there = cell_name(source), cell_name(target)
        mover = units.SIDES[self.side]
        code, other = self.cells[source], self.cells[target]
        if rule == kernel.NOT_OWN:
            if not code:
                return f"{here}: no unit stands there"
            return f"{here}: {unit_name(code)} is the enemy's, and the {mover} is to move"
        kind = units.KINDS[kind_of(code)]
        if rule == kernel.NOT_ADJACENT:
            return f"{here} {there}: {there} is not beside {here}; a unit acts on its 4 neighbours or itself"
        if rule == kernel.ENGAGED:
            cell, enemy = self._enemy_beside(source)
            who = ("an a", "a d")[side_of(enemy)] + units.KINDS[kind_of(enemy)]
            return f"{here}: an engaged {kind} cannot move: {who} stands beside it at {cell_name(cell)}"
        if rule == kernel.BACKWARDS:
            ways = ("up or left", "down or right")[self.side]
            return f"{here} {there}: the {mover}'s {kind} moves only {ways}"
        patient = units.KINDS[kind_of(other)]
        if rule == kernel.CANNOT_REPAIR:
            article, its = ("an" if name == "AI" else "a" for name in (kind, patient))
            return f"{here} {there}: {article} {kind} cannot repair {its} {patient}"
        return f"{here} {there}: the {patient} at {there} has full health, there is nothing to repair"

    def _enemy_beside(self, source: int) -> tuple[int, int]:
        """Return the first enemy next to a cell, and its own cell."""
        beside = int(scratch().kernel.BESIDE[source])
        return next(
            (cell, code)
            for cell, code in enumerate(self.cells)
            if code and beside >> cell & 1 and side_of(code) != self.side
        )


def _two_cells(action: object) -> tuple[int, int]:
    """Return source and target of an object given as an action; the kernel finds out if they are on the board."""
    try:
        source, target = map(operator.index, action)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        raise IllegalAction(
            f"{quoted(action)} is not an action: it has a source and a target cell", rule=1
        ) from None
    return max(-1, min(source, units.CELLS)), max(-1, min(target, units.CELLS))


@cache
def _symbols() -> str:
    file = resources.files("noctagon.games.wargame") / "symbols.svg"
    return file.read_text("utf-8") if file.is_file() else ""
