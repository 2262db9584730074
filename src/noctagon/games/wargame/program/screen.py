"""The assignment's game on a terminal: after each action the board and the statistics."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.status import Status
from rich.style import Style
from rich.text import Text

from noctagon.core.board import Arrow
from noctagon.core.events import Ended, Event, Played, Rewound
from noctagon.core.match import Match
from noctagon.core.text import plain
from noctagon.games.wargame import WargameState
from noctagon.games.wargame.program.trace import Trace, board_lines
from noctagon.terminal import describe_thought, draw_board, side_style

BOARD_LINES = 6


class WargameScreen:
    """Hears what happens, has it traced, and shows it: in colour on a terminal, elsewhere as the trace has it."""

    def __init__(self, trace: Trace, match: Match) -> None:
        self.trace = trace
        self.match = match
        self.console = Console(highlight=False)
        self.ascii = self.console.options.ascii_only
        self.dot = "|" if self.ascii else "·"
        self.thinking: Status | None = None

    def __enter__(self) -> Self:
        self._say(*self.trace.parameters.lines(), "")
        self._draw(self.match.state)
        self._announce()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._quiet()

    def listen(self, event: Event) -> None:
        self._quiet()
        match event:
            case Played(_, WargameState() as before, action, _, _, WargameState() as after, turn):
                lines = self.trace.played(before, action, after, seconds=turn.seconds, thought=turn.thought)
                if self.console.is_terminal:
                    self._show_turn(event, lines)
                else:
                    self._say(*lines, "")
            case Rewound(WargameState() as state):
                self._say(self.trace.taken_back(state)[0])
                self._draw(state)
            case Ended(state, result):
                for line in self.trace.ended(result, state.ply):
                    self.console.print(plain(line), style="bold", markup=False, soft_wrap=True)
        if not isinstance(event, Ended):
            self._announce()

    def _show_turn(self, event: Played, lines: list[str]) -> None:
        """Show the trace's items about a turn, with the board in colour and what the search expects."""
        name = event.after.sides[event.side]
        title = Text.assemble(
            (f"turn #{event.after.ply}", "bold"),
            f" {self.dot} ",
            (name, side_style(name, event.side)),
            f" {self.dot} {lines[2]}",
        )
        if title.cell_len + 4 <= self.console.width:
            self.console.rule(title, align="left", style="dim")
        else:
            self.console.print(title)
        self._draw(event.after, event.before.arrows(event.action))
        board = next(place for place, line in enumerate(lines) if line.startswith("   "))
        about_action, cumulative = lines[3:board], lines[board + BOARD_LINES + 1 :]
        thought = describe_thought(event.turn.thought, self.dot) if about_action else ""
        self._say_pairs(*about_action, *([f"search: {thought}"] if thought else []), *cumulative)

    def _draw(self, state: Any, last: tuple[Arrow, ...] = ()) -> None:
        if self.console.is_terminal:
            self.console.print(draw_board(state.view(), width=self.console.width, last=last))
        else:
            self._say(*board_lines(state), "")

    def _announce(self) -> None:
        """Say that the computer thinks, while it does."""
        request = self.match.request()
        if request is None or request.seconds is None or not self.console.is_terminal:
            return
        name = self.match.state.sides[request.side]
        self.thinking = self.console.status(
            f"{name} is thinking, {request.seconds:g} s at most", spinner="line" if self.ascii else "dots"
        )
        self.thinking.start()

    def _quiet(self) -> None:
        if self.thinking is not None:
            self.thinking.stop()
            self.thinking = None

    def _say(self, *lines: str) -> None:
        self.console.print("\n".join(map(plain, lines)), markup=False, soft_wrap=True)

    def _say_pairs(self, *lines: str) -> None:
        """Print lines of `name: value`, the name dimmed."""
        for line in lines:
            label, colon, value = plain(line).partition(": ")
            self.console.print(Text.assemble((label + colon, Style(dim=True)), value), soft_wrap=True)
