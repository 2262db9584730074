"""Players: a position and a clock in, a decision out. Player specs: the text that names a player."""

from __future__ import annotations

import os
import re
import shlex
from abc import abstractmethod
from collections.abc import Iterator
from math import isfinite
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from noctagon.core.clock import Clock, TimeControl
from noctagon.core.game import BadNotation, NoctagonError, Side, State

A = TypeVar("A")


class Thought(msgspec.Struct, frozen=True, omit_defaults=True):
    """A player's account of a decision; every field is optional.

    `score` is from the mover's point of view; with `chance` it is a chance to win, whatever its size. `nodes` counts
    the positions searched, `expanded` those whose actions were tried, `cuts` those left before the last action;
    `evaluations` counts evaluated positions by depth. `table` is the share of positions that were found in the table
    of those seen before. `terms` are the parts of the score.
    """

    depth: int = 0
    nodes: int = 0
    expanded: int = 0
    cuts: int = 0
    evaluations: dict[int, int] = {}
    score: float | None = None
    chance: bool = False
    line: tuple[str, ...] = ()
    seconds: float = 0.0
    table: float | None = None
    terms: dict[str, float] = {}
    note: str = ""

    def finite(self) -> Thought:
        """Return the thought without infinities and NaNs, which a record cannot hold.

        >>> Thought(terms={"houses": 1.5, "fear": float("nan")}).finite().terms
        {'houses': 1.5}
        """
        return msgspec.structs.replace(
            self,
            score=_finite(self.score),
            seconds=_finite(self.seconds) or 0.0,
            table=_finite(self.table),
            terms={name: value for name, value in self.terms.items() if isfinite(value)},
        )


def _finite(number: float | None) -> float | None:
    return number if number is not None and isfinite(number) else None


class Decision(NamedTuple, Generic[A]):
    """A player's action, with its thought."""

    action: A
    thought: Thought = Thought()


class GameStart(NamedTuple):
    """The start of a game for a player: the first position, the time control and a seed."""

    state: State[Any]
    time: TimeControl = TimeControl()
    seed: int = 0


class Player:
    """One side of a game. A bot needs `choose` and nothing else; it need not even derive from this class."""

    def start(self, game: GameStart, side: Side) -> None:
        """Prepare for a game in which this player plays `side`."""

    @abstractmethod
    def choose(self, state: State[Any], clock: Clock) -> Decision[Any]:
        """Decide before the clock runs out."""
        raise NoctagonError(f"{type(self).__name__} does not say how to choose")

    def finish(self, result: object) -> None:
        """Learn the result of the game."""

    def explain(self, state: State[Any], action: Any) -> dict[str, float]:
        """Return the worth of an action to the mover, term by term; nothing if the player cannot explain itself."""
        return {}


class Undo(Exception):  # noqa: N818 - what a person asks for at the prompt
    """A person's request to take back the last turn and the answer to it."""


class Resign(Exception):  # noqa: N818
    """A person's resignation."""


class Searcher(Player):
    """A player whose decision improves while it searches; `choose` returns the last one before the clock runs out."""

    chances = False
    """True if every score is a chance to win, for which 0 means that both sides win equally often."""

    @abstractmethod
    def think(self, state: State[Any], clock: Clock) -> Iterator[Decision[Any]]:
        """Yield better and better decisions, the first at once; stop when the time allows no better one."""
        raise NoctagonError(f"{type(self).__name__} does not say how to think")

    def choose(self, state: State[Any], clock: Clock) -> Decision[Any]:
        """Return the last decision that `think` yields."""
        last: Decision[Any] | None = None
        for decision in self.think(state, clock):
            last = decision
        if last is None:
            raise NoctagonError(f"{type(self).__name__} found nothing to do")
        return last

    def analyse(self, state: State[Any], clock: Clock, lines: int) -> Iterator[list[Decision[Any]]]:
        """Yield better and better rankings of the best `lines` decisions, here of the one that `think` yields."""
        for decision in self.think(state, clock):
            yield [decision]


def command_words(command: str, *, posix: bool = os.name == "posix") -> list[str]:
    """Split a command line into words; on Windows a backslash is a letter, and quotes may enclose a whole word.

    >>> command_words("java -jar 'my bot.jar'", posix=True)
    ['java', '-jar', 'my bot.jar']
    """
    try:
        words = shlex.split(command, posix=posix)
    except ValueError as error:
        raise BadNotation(f"cmd:{command}: {error}") from error
    if posix:
        return words
    return [
        word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" else word for word in words
    ]


class PlayerSpec(msgspec.Struct, frozen=True):
    """A player named by text: `NAME[:k=v,…]`; a user's own by `PATH.py:CLASS[:k=v,…]` or `cmd:COMMAND LINE`.

    >>> PlayerSpec.parse("alphabeta:depth=3")
    PlayerSpec(name='alphabeta', options={'depth': '3'}, path='', command='')
    >>> str(PlayerSpec.parse("bots/mine.py:MyBot"))
    'bots/mine.py:MyBot'
    """

    name: str
    options: dict[str, str] = {}
    path: str = ""
    command: str = ""

    @classmethod
    def parse(cls, text: str) -> PlayerSpec:
        """Return the spec that a text means; raise `BadNotation` if it means none."""
        path = ""
        rest = text.strip()
        if rest.startswith("cmd:"):
            command = rest.removeprefix("cmd:").strip()
            if not command:
                raise BadNotation(f"player {text!r}: say which command, as in cmd:./mybot --fast")
            return cls("cmd", command=command)
        if found := re.match(r"(.+?\.py):(.*)", rest, re.DOTALL):
            path, rest = found.groups()
        elif rest.endswith(".py"):
            raise BadNotation(f"player {text!r}: say which class of the file plays, as in {rest}:MyBot")
        name, _, tail = rest.partition(":")
        if not re.fullmatch(r"[A-Za-z_][\w-]*", name):
            raise BadNotation(
                f"player {text!r}: {name!r} is not a name; write NAME[:k=v,…] or PATH.py:CLASS[:k=v,…]"
            )
        options: dict[str, str] = {}
        for item in tail.split(",") if tail else ():
            option, equals, value = item.partition("=")
            if not equals and option == item and item.isidentifier() and not options:
                raise BadNotation(
                    f"player {text!r}: for a class of your own write the file too, as in {name}.py:{item}"
                )
            if not equals or not option.strip().isidentifier() or not value.strip():
                raise BadNotation(f"player {text!r}: {item!r} is not of the form option=value")
            if option.strip() in options:
                raise BadNotation(f"player {text!r}: the option {option.strip()!r} is given twice")
            options[option.strip()] = value.strip()
        return cls(name, options, path)

    def __str__(self) -> str:
        if self.command:
            return f"cmd:{self.command}"
        options = ",".join(f"{option}={value}" for option, value in self.options.items())
        return ":".join(part for part in (self.path, self.name, options) if part)
