"""The vocabulary of every game: game, position, action, chance, result, and the errors.

A game is one `Game` object, registered under the entry point group `noctagon.games`, and one `State` class.
Everything else in the package reaches a game only through these two.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Self, TypeVar

import msgspec

from noctagon.core import board

if TYPE_CHECKING:
    from random import Random

    from noctagon.core.maps import MapEditor
    from noctagon.core.wire import Wire

A = TypeVar("A")
"""A game's action: any hashable value with one canonical form."""

Side = Literal[0, 1]
"""A player by the order of moving: 0 moves first. `State.sides` names the species or the army."""

MOST_PLIES = 10**9
"""Maximum length of a game in plies."""

Dice = tuple[int, ...]
"""The results of an action's chances: one plain number for each, in their order."""


class NoctagonError(ValueError):
    """An error that the user can correct: the message says what was wrong and where."""


class IllegalAction(NoctagonError):  # noqa: N818 - it names what happened, as in chess libraries
    """An action that the rules forbid. `rule` is the number of the broken rule, where rules have numbers."""

    def __init__(self, message: str, *, rule: int | None = None) -> None:
        super().__init__(message)
        self.rule = rule


class BadNotation(NoctagonError):  # noqa: N818
    """A text that is not an action, a position or a player at all."""


class UnknownName(NoctagonError):  # noqa: N818
    """A name that does not exist; the message suggests similar ones.

    >>> print(UnknownName("map", "Wild", ["wilds", "trap"]))
    unknown map 'Wild'; did you mean wilds?
    >>> print(UnknownName("tournament", "AI course", ["AI course, autumn", "Cup"]))
    unknown tournament 'AI course'; did you mean 'AI course, autumn'?
    >>> print(UnknownName("tournament", "spring", ["AI course, autumn", "Cup"]))
    unknown tournament 'spring'; there are: 'AI course, autumn', Cup
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        shown = {each: repr(each) if {" ", ","} & {*each} else each for each in sorted(known)}
        lower = {each.lower(): each for each in shown}
        near = [shown[lower[each]] for each in get_close_matches(name.lower(), lower, n=3, cutoff=0.6)]
        hint = (
            f"did you mean {' or '.join(near)}?"
            if near
            else f"there are: {', '.join(shown.values()) or 'none'}"
        )
        super().__init__(f"unknown {kind} {name!r}; {hint}")
        self._given = (kind, name, tuple(shown))

    def __reduce__(self) -> tuple[type[UnknownName], tuple[str, str, tuple[str, ...]]]:
        return type(self), self._given  # the message alone would not recreate it in another process


class Result(msgspec.Struct, frozen=True):
    """The end of a game: the winner (None: a draw), the reason in a fixed word or two, and a sentence of detail."""

    winner: Side | None
    reason: str
    detail: str = ""

    def describe(self, sides: tuple[str, str]) -> str:
        """Return the result in words, given the names of the sides."""
        who = "Draw" if self.winner is None else f"{sides[self.winner]} won"
        return f"{who}: {self.detail or self.reason}"


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a game. A game with more settings has a subclass with more fields."""

    name: str = "standard"
    plies: int = 200

    def __post_init__(self) -> None:
        self.check_kinds()
        if not 1 <= self.plies <= MOST_PLIES:
            raise NoctagonError(f"a game lasts 1 to {MOST_PLIES} plies, not {self.plies}")

    def check_kinds(self) -> None:
        """Raise `NoctagonError` for a value that does not have its field's type."""
        for rule in msgspec.structs.fields(type(self)):
            value = getattr(self, rule.name)
            try:
                msgspec.convert(value, rule.type)
            except msgspec.ValidationError as error:
                raise NoctagonError(f"the rule {rule.name!r} cannot be {value!r}: {error}") from None


class Chance(ABC):
    """An independent random event within an action: a battle, a throw.

    `name` identifies it; `odds` is the probability that it goes the mover's way.
    """

    name: str
    odds: float

    @property
    @abstractmethod
    def results(self) -> Mapping[int, float]:
        """Every possible result with its probability; the probabilities sum to 1."""

    def brief(self) -> Mapping[int, float]:
        """Return a few results that represent all, for a search that cannot examine each."""
        return self.results

    def describe(self, result: int) -> str:
        """Return a result in words."""
        return str(result)

    def roll(self, rng: Random) -> int:
        """Draw a result."""
        results = self.results
        return rng.choices(list(results), weights=list(results.values()))[0]


class Outcome(NamedTuple, Generic[A]):
    """One possible outcome of an action."""

    probability: float
    dice: Dice
    state: State[A]


class Resolution(NamedTuple, Generic[A]):
    """A turn as it was played: the canonical form of the action, its chances, their results, the position after it."""

    action: A
    chances: tuple[Chance, ...]
    dice: Dice
    state: State[A]


def combinations(chances: Sequence[Chance], *, brief: bool = False) -> Iterator[tuple[float, Dice]]:
    """Yield every combination of the results of independent chances, with its probability."""
    factors = [(chance.brief() if brief else chance.results).items() for chance in chances]
    for combination in itertools.product(*factors):
        probability = 1.0
        for _, factor in combination:
            probability *= factor
        yield probability, tuple(result for result, _ in combination)


class Actions(Generic[A]):
    """The legal actions of a position, as a lazy set: `in`, iteration, truth, `count()`, `sample(rng)`.

    A game with few actions passes a list; one with many has a subclass with its own `__iter__`.
    """

    def __init__(self, state: State[A], listed: Sequence[A] = ()) -> None:
        self.state = state
        self.listed = listed

    def __iter__(self) -> Iterator[A]:
        return iter(self.listed)

    def __contains__(self, action: object) -> bool:
        try:
            self.state.check(action)  # type: ignore[arg-type] # `check` refuses objects of any type
        except IllegalAction:
            return False
        return True

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    def count(self) -> int:
        """Return the number of actions; this may take as long as listing them."""
        return sum(1 for _ in self)

    def sample(self, rng: Random) -> A:
        """Return a random action; every legal action can be drawn."""
        listed = list(self)
        if not listed:
            raise IllegalAction("there is nothing to play: the game is over")
        return rng.choice(listed)


class State(ABC, Generic[A]):
    """A position: immutable, hashable, equal to every other with the same content, side, ply and rules.

    A game implements `key`, `side`, `ply`, `result`, `rules`, `actions`, `check`, `play` and `view`;
    the rest has defaults for a game without chance.
    """

    __slots__ = ()

    side: Side
    """The side to move."""
    ply: int
    """Number of turns that both sides together have played."""
    rules: Rules

    @property
    @abstractmethod
    def key(self) -> bytes:
        """The canonical bytes of this position: its identity."""

    @property
    @abstractmethod
    def result(self) -> Result | None:
        """The result; None while the game goes on."""

    @property
    def sides(self) -> tuple[str, str]:
        """The names of the first and the second side."""
        return ("First", "Second")

    @abstractmethod
    def actions(self) -> Actions[A]:
        """Return the legal actions, lazily; none once the game is over."""

    @abstractmethod
    def check(self, action: A) -> None:
        """Raise `IllegalAction`, naming the rule, unless the action is legal here."""

    @abstractmethod
    def play(self, action: A, dice: Dice = ()) -> Self:
        """Return the position after a legal action, given the results of its chances."""

    @abstractmethod
    def view(self) -> board.View:
        """Return this position as plain data to draw."""

    def chances(self, action: A) -> tuple[Chance, ...]:
        """Return the random events of an action, independent of each other; most games have none."""
        self.check(action)
        return ()

    def roll(self, action: A, rng: Random) -> Dice:
        """Draw a result for every chance of an action; return the dice for `play`."""
        return tuple(chance.roll(rng) for chance in self.chances(action))

    def resolve(self, action: A, dice: Dice | Callable[[Chance], int]) -> Resolution[A]:
        """Check and play an action in one step; return its chances, their results and the position after it.

        `dice` are the results of the chances, or a function that decides each of them. The referee and the replay of
        a record call only this method. Override it in a game where checking is slow, to check the action only once.
        """
        self.check(action)
        chances = self.chances(action)
        decided = tuple(map(dice, chances)) if callable(dice) else tuple(dice)
        return Resolution(action, chances, decided, self.play(action, decided))

    def outcomes(self, action: A, *, brief: bool = False) -> Iterator[Outcome[A]]:
        """Yield every possible outcome of an action; with `brief`, a few that represent all."""
        for probability, dice in combinations(self.chances(action), brief=brief):
            yield Outcome(probability, dice, self.play(action, dice))

    def candidates(self, generator: str | None = None) -> Iterable[A]:
        """Return a short ordered list of sensible actions by the named or the default generator; else all actions."""
        if generator is not None:
            raise UnknownName("move generator", generator, ())
        return self.actions()

    def skip(self) -> Self:
        """Return the position after a lost turn, in a game that has lost turns."""
        raise IllegalAction("a turn cannot be skipped in this game")

    def adjudicate(self) -> Result:
        """Return the result if play stopped now."""
        return self.result or Result(None, "stopped", "play stopped")

    def score(self) -> tuple[float, float]:
        """Return the score of each side, in the game's own units."""
        return (0.0, 0.0)

    def kind(self, action: A) -> str:
        """Return the kind of a legal action in a word; an empty text in a game with only one kind."""
        return ""

    def arrows(self, action: A) -> tuple[board.Arrow, ...]:
        """Return a legal action as arrows to draw on this position."""
        return ()

    def symbols(self) -> str:
        """Return SVG `<symbol id="KIND">` elements for the pieces; a piece without one is drawn as a disc."""
        return ""

    def perft(self, depth: int) -> int:
        """Count the sequences of exactly `depth` actions from here, with every result of chance."""
        if depth == 0:
            return 1
        return sum(
            outcome.state.perft(depth - 1) for action in self.actions() for outcome in self.outcomes(action)
        )

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        return board.text(self.view())

    def _repr_svg_(self) -> str:
        from noctagon.core import svg  # drawing is imported only when something is drawn

        return svg.draw(self.view(), self.symbols())


class Abilities(NamedTuple):
    """The features of a game."""

    random: bool = False
    enumerable: bool = True
    skip: bool = False
    compiled: bool = False


Evaluation = Callable[[Any], float]
"""A function that values a position: large is good for the first side, small for the second.

Values are points, up to a few thousand; about a million is a won game, and what lies between is a chance to win.
"""


class WinningOdds(NamedTuple):
    """The first player's chance to win as a function of points: the logistic of `lean + slope * points`."""

    lean: float = 0.0
    slope: float = 0.5


class BenchmarkRun(NamedTuple):
    """One run of a benchmark: its counts, which do not depend on the machine, the amount of work and the time."""

    counts: tuple[int, ...]
    work: int
    seconds: float


class Benchmark(NamedTuple):
    """A piece of work on which the speed of a game's compiled code is measured."""

    name: str
    unit: str
    """The unit of the work, in the plural."""
    run: Callable[[], BenchmarkRun]
    twin: tuple[str, ...] = ()
    """The C++ program that does the same, and its arguments; without one, two threads are measured against one."""


class Game(ABC, Generic[A]):
    """One game: its names, its rules, its setups, its texts, and the players it brings."""

    name: str
    """The name on the command line."""
    title: str
    about: str
    """One sentence for a list of games."""
    sides: tuple[str, str] = ("First", "Second")
    abilities = Abilities()
    turn_seconds: float | None = 5.0
    """Default number of seconds for a turn."""
    game_seconds: float | None = None
    """Default number of seconds for a whole game, after which the position decides; None means no limit."""
    late: Literal["skip", "lose"] = "lose"
    """The penalty for a late answer: the turn, or the game."""
    rule_sets: Mapping[str, Rules] = {"standard": Rules()}
    """The named rule sets; the first is the default."""
    players: Mapping[str, str] = {}
    """The players this game brings, beside those for every game: name to `module:Class`."""
    commands: Mapping[str, str] = {}
    """The commands this game adds to the command line: name to `module:function` (or `module:app`, a `typer.Typer`).

    The module is imported for the command and for the list of all commands, so it imports little at its top.
    """
    evaluations: Mapping[str, Evaluation] = {}
    """The evaluations a search can use; the first is the default."""
    odds: WinningOdds = WinningOdds()
    """The meaning of the judge's points; a judge that gives chances needs none."""
    judge: str = ""
    """The player that judges recorded games on the page; empty: the strongest."""
    generators: Mapping[str, str] = {}
    """The move generators `State.candidates` knows, with a sentence each; the first is the default."""
    how_to_play: str = ""
    """The rules in short, for a reader who is new to the game; every line is a point of a list."""
    notation: str = ""
    """The notation of actions, for a person at the prompt."""
    drawn_setups: str = ""
    """Prefix of the setups that `initial` generates from a number, as in `generated:7`; empty if there are none."""
    demo: tuple[str, str] = ("random", "random")
    """Two players that make a lively game to watch."""

    def load(self) -> None:
        """Import and compile what the game needs; slow the first time, quick from then on."""

    @abstractmethod
    def setups(self) -> Mapping[str, str]:
        """Return the bundled maps or openings by name, with a sentence each; the first is the default."""

    @abstractmethod
    def initial(self, setup: str | None = None, rules: Rules | None = None) -> State[A]:
        """Return the first position on a setup, given by name or in another form that the game understands."""

    def setup_warnings(self, setup: str) -> Sequence[str]:
        """Return what the author of a setup's file should know although `initial` accepts it."""
        return ()

    def map_editor(self) -> MapEditor[Any, Any, Any] | None:
        """Return the work of the page's map editor, if maps of this game can be drawn."""
        return None

    @abstractmethod
    def parse_action(self, text: str, state: State[A]) -> A:
        """Return the action that a text means in a position, legal or not; raise `BadNotation` if it means none."""

    @abstractmethod
    def format_action(self, action: A) -> str:
        """Return the text of an action."""

    @abstractmethod
    def parse_position(self, text: str, rules: Rules | None = None) -> State[A]:
        """Return the position that a text means; raise `BadNotation` if it means none."""

    @abstractmethod
    def format_position(self, state: State[A]) -> str:
        """Return the text of a position."""

    def action(self, answer: object, state: State[A]) -> A:
        """Return the action that an answer means, unchecked: a text is parsed, anything else is taken as it is."""
        if isinstance(answer, str):
            return self.parse_action(answer, state)
        return answer  # type: ignore[return-value] # `State.resolve` checks it

    def benchmarks(self, *, quick: bool = False) -> Sequence[Benchmark]:
        """Return what `noctagon bench` measures of this game; `quick` asks for shorter runs."""
        return ()

    def wire(self) -> Wire | None:
        """Return how programs in any language play this game over a network; None where they cannot."""
        return None

    def make_rules(self, name: str | None = None, **options: object) -> Rules:
        """Return the named rule set with some options changed; options that are None keep their values."""
        if name is None:
            name = next(iter(self.rule_sets))
        if name not in self.rule_sets:
            raise UnknownName(f"rule set of {self.name}", name, self.rule_sets)
        rules = self.rule_sets[name]
        changes = {option: value for option, value in options.items() if value is not None}
        for option in changes:
            if option not in rules.__struct_fields__:
                known = [each for each in rules.__struct_fields__ if each != "name"]
                raise NoctagonError(f"{self.name} has no rule {option!r}; it has: {', '.join(known)}")
        return msgspec.structs.replace(rules, **changes)
