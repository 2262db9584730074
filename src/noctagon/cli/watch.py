"""Screens for a game that is being played: live on a terminal, lines elsewhere or when a person plays."""

from __future__ import annotations

import time
from collections.abc import Collection
from types import TracebackType
from typing import Any, Self

from msgspec.structs import replace
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from noctagon.core.board import Arrow, View, status, text
from noctagon.core.events import Ended, Event, Played, Rewound, Skipped
from noctagon.core.game import Game, Result, State
from noctagon.core.player import Thought
from noctagon.core.text import plain
from noctagon.terminal import SeatLine, describe_thought, draw_board, players_panel

BELOW_BOARD = 9
"""Number of lines that a live screen needs beside the board."""
OVER = "the game is over"
TURNS_AHEAD = 3
"""Number of expected turns in a turn's line."""


class Screen:
    """A listener that prints a line for each turn, and the board at the end."""

    live = False

    def __init__(
        self,
        game: Game[Any],
        state: State[Any],
        players: tuple[str, str],
        limit: float | None,
        *,
        board: bool = True,
    ) -> None:
        self.game = game
        self.state = state
        self.players = players
        self.limit = limit
        self.board = board
        self.result: Result | None = None
        self.console = Console(highlight=False)

    def __enter__(self) -> Self:
        """Show the beginning of the game."""
        sides = zip(self.state.sides, self.players, strict=True)
        names = [f"{side}: {plain(player)}" for side, player in sides]
        self.console.print(f"{self.game.title} · {' · '.join(names)}", markup=False, soft_wrap=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def listen(self, event: Event) -> None:
        self._follow(event)
        if isinstance(event, Ended) and self.board:
            self.draw()
        self.console.print(self.describe(event), markup=False, soft_wrap=True)

    def _follow(self, event: Event) -> None:
        """Keep the state of the game after an event."""
        self.state = event.state if isinstance(event, Rewound | Ended) else event.after
        self.result = event.result if isinstance(event, Ended) else None

    def describe(self, event: Event) -> str:
        """Return the line about an event."""
        return describe(event, self.game)

    def view(self) -> View:
        """Return the position to draw; after the end no side is to move, and the result stands below the board."""
        view = self.state.view()
        return view if self.result is None else replace(view, result=OVER)

    def draw(self, last: tuple[Arrow, ...] = ()) -> None:
        """Print the board; a file or a pipe has room for all of it."""
        if not self.console.is_terminal:
            self.console.print(text(self.view()), markup=False, soft_wrap=True)
            return
        self.console.print(draw_board(self.view(), width=self.console.width, last=last))


class PromptScreen(Screen):
    """A screen for a person who plays: the board comes again whenever it is a person's turn."""

    persons: Collection[int] = (0, 1)

    def __enter__(self) -> Self:
        super().__enter__()
        if self.state.side in self.persons:
            self.draw()
        return self

    def listen(self, event: Event) -> None:
        super().listen(event)
        if self.state.side in self.persons and not isinstance(event, Ended) and self.state.result is None:
            self.draw(event.before.arrows(event.action) if isinstance(event, Played) else ())

    def describe(self, event: Event) -> str:
        """Return the line without what the opponent expects: a person is to find that out over the board."""
        if isinstance(event, Played) and (thought := event.turn.thought) is not None:
            effort = Thought(depth=thought.depth, nodes=thought.nodes)
            event = event._replace(turn=replace(event.turn, thought=effort))
        return super().describe(event)


class LiveScreen(Screen):
    """A live screen: the board, the clocks and the thoughts, refreshed while a player thinks."""

    live = True

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.thoughts: list[Thought | None] = [None, None]
        self.used = [0.0, 0.0]
        self.turn_began = time.monotonic()
        self.last: tuple[Arrow, ...] = ()
        self.said = ""
        self.display = Live(console=self.console, get_renderable=self.render, refresh_per_second=8)

    def __enter__(self) -> Self:
        self.turn_began = time.monotonic()
        self.display.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.display.stop()

    def listen(self, event: Event) -> None:
        self._follow(event)
        self.said = describe(event, self.game)
        if isinstance(event, Played | Skipped):
            self.used[event.turn.side] = event.turn.seconds
            self.thoughts[event.turn.side] = event.turn.thought
            self.last = event.before.arrows(event.action) if isinstance(event, Played) else ()
        self.turn_began = time.monotonic()
        self.display.refresh()

    def render(self) -> RenderableType:
        view = self.view()
        seats = []
        for side, name in enumerate(self.players):
            on_move = view.side == side and self.result is None
            seats.append(
                SeatLine(
                    name=name,
                    side_name=view.sides[side],
                    score=view.score[side],
                    seconds=time.monotonic() - self.turn_began if on_move else self.used[side],
                    limit=self.limit,
                    thought=self.thoughts[side],
                    on_move=on_move,
                )
            )
        width, height = self.console.width, self.console.height
        parts: list[RenderableType] = [players_panel(seats, width=width)]
        if self.board:
            parts.append(draw_board(view, width=width, height=max(5, height - BELOW_BOARD), last=self.last))
        else:
            parts.append(Text(status(view)))
        # Lines that come and go keep the screen's height; the reason for the end is shown in full.
        parts.append(Text(self.said, overflow="ellipsis", no_wrap=self.result is None))
        return Group(*parts)


def choose_screen(*, board: bool, person: bool = False) -> type[Screen]:
    """Return the screen that fits a person, a terminal, or a file or pipe."""
    if person:
        return PromptScreen
    return LiveScreen if board and Console().is_terminal else Screen


def describe(event: Event, game: Game[Any]) -> str:
    """Return an event in a line."""
    match event:
        case Played(side, before, action, _, _, after, turn):
            chances = [
                f"{chance.name}: {chance.odds:.0%}, {chance.describe(result)}"
                for chance, result in event.battles
            ]
            played = game.format_action(action)
            detail = "; ".join([f"{turn.seconds:.2f} s", *chances, *_thought_lines(turn.thought, played)])
            # A bot may note anything.
            return plain(f"{after.ply:>3}. {before.sides[side]} {played}  ({detail})")
        case Skipped(side, _, after, turn):
            return f"{after.ply:>3}. {after.sides[side]}: turn lost, {plain(turn.skipped)}"
        case Rewound(state):
            return f"Back to ply {state.ply}."
        case Ended(state, result):
            return plain(result.describe(state.sides))  # a player may have had a word in that


def _thought_lines(thought: Thought | None, played: str) -> list[str]:
    """Return what a thought says besides the turn that was played, and the first turns that it expects."""
    if thought is None:
        return []
    line = thought.line[1:] if thought.line[:1] == (played,) else thought.line
    more = " · …" if len(line) > TURNS_AHEAD else ""
    after = f"then {' · '.join(line[:TURNS_AHEAD])}{more}" if line else ""
    return [part for part in (describe_thought(replace(thought, line=())), after) if part]
