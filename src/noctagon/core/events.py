"""The events of a game: the referee reports it, a record replays it, everything else listens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from noctagon.core.game import Chance, Dice, Result, Side, State
    from noctagon.core.record import TurnRecord


class Played(NamedTuple):
    """A turn that was played: `action` led from `before` to `after`, and chance decided `chances` by `dice`."""

    side: Side
    before: State[Any]
    action: Any
    chances: tuple[Chance, ...]
    dice: Dice
    after: State[Any]
    turn: TurnRecord

    @property
    def battles(self) -> list[tuple[Chance, int]]:
        """Each chance with its result."""
        return list(zip(self.chances, self.dice, strict=True))


class Skipped(NamedTuple):
    """A turn that was lost, for the reason in its record."""

    side: Side
    before: State[Any]
    after: State[Any]
    turn: TurnRecord


class Rewound(NamedTuple):
    """Turns that were taken back, to this position."""

    state: State[Any]


class Ended(NamedTuple):
    """The end of the game."""

    state: State[Any]
    result: Result


Event = Played | Skipped | Rewound | Ended
