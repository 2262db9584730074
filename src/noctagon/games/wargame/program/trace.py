"""The course's game trace: its name, its items in the document's order and words, written as the game goes.

A `Trace` hears what happens and knows nothing of how the game is played. A turn is one action of either side;
`turn #37` is the 37th of both together, and so is the 37 of `Defender wins in 37 turns`. Cumulative figures
are summed over the game, and where both players are computers, over both of them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, Self

from noctagon.games.wargame.players import evaluation
from noctagon.games.wargame.rules import units
from noctagon.games.wargame.rules.units import unit_name

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from noctagon.core.game import Result
    from noctagon.core.player import Thought
    from noctagon.games.wargame.rules.state import Action, WargameState

LEAST_PERCENT = 0.1
"""Least share of the evaluations, in percent, that is listed, as in the document's example."""


class Parameters(NamedTuple):
    """The game parameters of the document; `heuristics` by player, nothing for a person."""

    timeout: str
    turns: str
    alpha_beta: bool
    heuristics: tuple[str, str]

    @property
    def file_name(self) -> str:
        """`gameTrace-true-5-100.txt`: alpha-beta, the timeout and the turns, as they were typed."""
        return f"gameTrace-{str(self.alpha_beta).lower()}-{self.timeout}-{self.turns}.txt"

    @property
    def modes(self) -> tuple[str, str]:
        """Return who plays each side: AI, or H for a person."""
        first, second = ("AI" if heuristic else "H" for heuristic in self.heuristics)
        return first, second

    def lines(self) -> list[str]:
        """Return the lines that a trace begins with."""
        lines = [
            f"the value of the timeout in seconds: {self.timeout}",
            f"the max number of turns: {self.turns}",
        ]
        if any(self.heuristics):
            lines.append(f"alpha-beta: {'on' if self.alpha_beta else 'off'}")
        lines.append(f"the play modes: player 1 = {self.modes[0]} & player 2 = {self.modes[1]}")
        lines += [
            f"the heuristic of player {player} ({side}): {heuristic}"
            for player, (side, heuristic) in enumerate(zip(units.SIDES, self.heuristics, strict=True), 1)
            if heuristic
        ]
        return lines


class Statistics:
    """Totals of the searches since the beginning of the game."""

    def __init__(self) -> None:
        self.evaluations: Counter[int] = Counter()
        self.nodes = 0
        self.expanded = 0

    def add(self, thought: Thought) -> None:
        self.evaluations.update(thought.evaluations)
        self.nodes += thought.nodes
        self.expanded += thought.expanded

    def lines(self) -> list[str]:
        """Return the document's four lines of totals."""
        total = self.evaluations.total()
        by_depth = sorted(self.evaluations.items())
        shares = [(depth, 100 * count / total) for depth, count in by_depth if total]
        branching = self.nodes / self.expanded if self.expanded else 0.0
        return [
            f"Cumulative evals: {brief(total)}",
            "Cumulative evals by depth: " + " ".join(f"{depth}={brief(count)}" for depth, count in by_depth),
            "Cumulative % evals by depth: "
            + " ".join(f"{depth}={percent(share)}" for depth, share in shares if share >= LEAST_PERCENT),
            f"Average branching factor: {branching:.1f}",
        ]


class Trace:
    """Writes a game down while it is played; however it ends, the written turns stay, and the reason follows them."""

    def __init__(self, path: Path, parameters: Parameters, state: WargameState) -> None:
        self.parameters = parameters
        self.statistics = Statistics()
        self.state = state
        self.over = False
        self.file = path.open("w", encoding="utf-8", newline="\n")
        self._write(*parameters.lines(), "", *board_lines(state), "")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self.file:
            if not self.over:
                self._write(f"interrupted {_why(error)} after {turns(self.state.ply)}")

    def played(
        self,
        before: WargameState,
        action: Action,
        after: WargameState,
        *,
        seconds: float = 0.0,
        thought: Thought | None = None,
    ) -> list[str]:
        """Write a turn, and return its lines."""
        self.state = after
        heuristic = self.parameters.heuristics[before.side]
        lines = [f"turn #{after.ply}", units.SIDES[before.side], before.describe(action)]
        if heuristic:
            lines.append(f"time for this action: {seconds:.{1 if seconds >= 0.1 else 3}f} sec")
            lines.append(f"heuristic score: {static_value(heuristic, after)}")
        lines += board_lines(after)
        if heuristic:
            if thought is not None:
                self.statistics.add(thought)
            lines += ["", *self.statistics.lines()]
        self._write(*lines, "")
        return lines

    def taken_back(self, state: WargameState) -> list[str]:
        """Write that a person took turns back."""
        self.state = state
        lines = [f"taken back to turn #{state.ply}", *board_lines(state)]
        self._write(*lines, "")
        return lines

    def ended(self, result: Result, turns_played: int) -> list[str]:
        """Write the winner; before it the reason, where it is not one of the rules."""
        self.over = True
        side = units.SIDES[result.winner or 0]
        lines = [] if result == self.state.result else [result.detail]
        lines.append(f"{side} wins in {turns(turns_played)}")
        self._write(*lines)
        return lines

    def _write(self, *lines: str) -> None:
        self.file.write("".join(f"{line}\n" for line in lines))
        self.file.flush()


def _why(error: BaseException | None) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "by the user"
    if isinstance(error, BrokenPipeError | SystemExit):  # the screen exits when its pipe is closed
        return "because nobody reads the output any more"
    return f"by an error: {error!r}"


def static_value(heuristic: str, state: WargameState) -> int:
    """Return a heuristic's value of a board, without looking ahead."""
    found = getattr(evaluation, heuristic)
    return int(found(state))


def board_lines(state: WargameState) -> list[str]:
    """Return the board as the document draws it."""
    names = [unit_name(code) if code else "." for code in state.cells]
    lines = ["   " + "".join(f" {column:^3}" for column in units.COLUMNS)]
    for place, row in enumerate(units.ROWS):
        cells = names[place * units.SIZE : (place + 1) * units.SIZE]
        lines.append(f"{row}: " + "".join(f" {name:^3}" for name in cells))
    return [line.rstrip() for line in lines]


def turns(count: int) -> str:
    """Return a number of turns in words: `37 turns`."""
    return f"{count} turn" if count == 1 else f"{count} turns"


def brief(count: int) -> str:
    """Return a count in the document's style.

    >>> [brief(count) for count in (39, 999, 2_300, 95_400, 999_990, 18_016_000)]
    ['39', '999', '2.3k', '95.4k', '1.0M', '18.0M']
    """
    if count < 1000:
        return str(count)
    number, unit = count / 1e3, "k"
    for larger in "MGT":
        if number < 999.95:
            break
        number, unit = number / 1e3, larger
    return f"{number:.1f}{unit}"


def percent(share: float) -> str:
    """Return a share in the document's style.

    >>> [percent(share) for share in (0.53, 9.94, 36.08, 100)]
    ['0.5%', '9.9%', '36%', '100%']
    """
    return f"{share:.1f}%" if share < 9.95 else f"{share:.0f}%"
