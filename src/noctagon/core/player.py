"""What a player is: a position and a clock in, a decision out; and the text by which players are named."""

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
    """What a player can tell about how it decided. Everything is optional.

    `score` is from the mover's point of view, and with `chance` it is a chance to win, whatever its size. `nodes`
    counts positions looked at, `expanded` those whose actions were tried, `cuts` those left before the last action;
    `evaluations` counts evaluated positions by depth. `table` is the share of positions that a table of those seen
    before spared it. `terms` says what the score is made of.
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
        """The same without infinite numbers, and such as are none: a record cannot hold them.

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
    """What a player does, and what it thought."""

    action: A
    thought: Thought = Thought()


class GameStart(NamedTuple):
    """What a player is told when a game begins."""

    state: State[Any]
    time: TimeControl = TimeControl()
    seed: int = 0


class Player:
    """One side of a game. A bot needs `choose` and nothing else; it need not even derive from this class."""

    def start(self, game: GameStart, side: Side) -> None:
        """A game begins, and this player plays `side`."""

    @abstractmethod
    def choose(self, state: State[Any], clock: Clock) -> Decision[Any]:
        """Decide before the clock runs out."""
        raise NoctagonError(f"{type(self).__name__} does not say how to choose")

    def finish(self, result: object) -> None:
        """The game is over."""

    def explain(self, state: State[Any], action: Any) -> dict[str, float]:
        """Why this player likes an action: what it is worth to the mover, term by term; nothing if it cannot tell."""
        return {}


class Undo(Exception):  # noqa: N818 - what a person asks for at the prompt
    """Take back my last turn, and the answer to it."""


class Resign(Exception):  # noqa: N818
    """I give up."""


class Searcher(Player):
    """A player that thinks ever better: `choose` is its last word before the clock runs out."""

    chances = False
    """Whether each of its scores is a chance to win, also the one of 0: both win as often."""

    @abstractmethod
    def think(self, state: State[Any], clock: Clock) -> Iterator[Decision[Any]]:
        """Ever better decisions, the first at once; ends when nothing more can be found in the time."""
        raise NoctagonError(f"{type(self).__name__} does not say how to think")

    def choose(self, state: State[Any], clock: Clock) -> Decision[Any]:
        last: Decision[Any] | None = None
        for decision in self.think(state, clock):
            last = decision
        if last is None:
            raise NoctagonError(f"{type(self).__name__} found nothing to do")
        return last

    def analyse(self, state: State[Any], clock: Clock, lines: int) -> Iterator[list[Decision[Any]]]:
        """The best `lines` decisions, the best first, ever better known; here the one that `think` tells."""
        for decision in self.think(state, clock):
            yield [decision]


def command_words(command: str, *, posix: bool = os.name == "posix") -> list[str]:
    """The words of a command line: on Windows a backslash is a letter, and quotes may stand around a whole word.

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
    """A player named by text: `NAME[:k=v,…]`; somebody's own by `PATH.py:CLASS[:k=v,…]` or `cmd:COMMAND LINE`.

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
