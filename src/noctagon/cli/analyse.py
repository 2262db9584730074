"""`noctagon analyse`: the best moves of a position with their scores and lines, live while a player searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

    from noctagon.core.game import Game, State
    from noctagon.core.player import Decision, PlayerSpec, Thought

    Ranking = list[Decision[Any]]

A_SECOND = 8
"""Number of times a second that the terminal is redrawn."""
AROUND = 5
"""Lines beside the board and the moves: the headline, the table's head, an empty line between them, the remark
below the table, the cursor's."""
LEAST_ROWS = 8
"""Least number of lines for the board; with less room it is left out."""
ENDLESS = 100_000
"""Number of columns of a file or a pipe, where lines are never cut."""
OTHER_CHANCE, OTHER_POINTS = 0.05, 0.2
"""Difference of a chance, or relative difference of points, that is worth another line."""


def analyse(
    game: Annotated[str, typer.Argument(help="Which game (see noctagon games).")],
    position: Annotated[
        str,
        typer.Argument(
            help="A map or opening, a position as text, or a record at a ply: FILE@PLY, FILE@GAME:PLY.",
        ),
    ],
    time: Annotated[float, typer.Option(help="Seconds to search.")] = 5.0,
    lines: Annotated[int, typer.Option(help="Number of moves to show, the best first.")] = 5,
    player: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC", help="Who searches; by default the game's champion.", show_default=False
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            help="Number of threads that search, if the player can use several.", show_default=False
        ),
    ] = None,
    ply: Annotated[
        int | None, typer.Option(help="The ply, where POSITION is a record's file.", show_default=False)
    ] = None,
    rules: Annotated[str, typer.Option(metavar="NAME", help="The rule set.", show_default=False)] = "",
    board: Annotated[bool, typer.Option("--board/--no-board", help="Draw the board.")] = True,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout, nothing else.")] = False,
) -> None:
    """Search a position and show the best moves, each with its score, its depth and the line that follows.

    Scores are the mover's: points of the player's evaluation, a chance to win, or in how many plies the game is
    decided. The best move of the deepest look comes first; those that this look had no time for stand behind it,
    with the score and the lower depth of the look before.

    Ctrl-C ends the search early and keeps what is shown.
    """
    from rich.console import Console

    from noctagon.core.game import NoctagonError
    from noctagon.core.player import PlayerSpec
    from noctagon.core.position import find_position
    from noctagon.core.registry import find_game
    from noctagon.players.analysis import check_open, strongest

    found = find_game(game)
    if not 1 <= lines <= 100:
        raise NoctagonError(f"--lines {lines}: 1 to 100 moves are shown")
    if not 0 < time < 86400:
        raise NoctagonError(f"--time {time:g}: a search takes more than 0 seconds, and less than a day")
    place = position if ply is None else _at_ply(position, ply)
    state = find_position(found, place, found.make_rules(rules or None))
    check_open(state)
    spec = strongest(found) if player is None else PlayerSpec.parse(player)
    if threads is not None:
        spec = PlayerSpec(spec.name, {**spec.options, "threads": str(threads)}, spec.path, spec.command)
    found.load()
    analysis = Analysis(found, spec, state, lines=lines, seconds=time)
    if json:
        typer.echo(analysis.finish().json())
    else:
        _show(Console(), analysis, board=board)


def _at_ply(file: str, ply: int) -> str:
    """Return a record's file at a ply, as it is written in one word."""
    from noctagon.core.game import NoctagonError
    from noctagon.core.position import is_record

    if is_record(file):
        return f"{file}@{ply}"
    if is_record(file.rpartition("@")[0]):
        raise NoctagonError(f"the ply is given twice: by {file}, and by --ply {ply}")
    raise NoctagonError(f"--ply {ply} is for a record's file, and {file!r} is none")


class Analysis:
    """One search: the player, the position, its time, and the best moves known so far."""

    def __init__(
        self, game: Game[Any], spec: PlayerSpec, state: State[Any], *, lines: int, seconds: float
    ) -> None:
        from noctagon.core.clock import Clock
        from noctagon.core.player import Thought
        from noctagon.players.analysis import make_searcher

        self.game = game
        self.spec = spec
        self.state = state
        self.lines = lines
        self.seconds = seconds
        self.searcher, self.limit = make_searcher(spec, game, seconds)
        self.clock = Clock()
        self.ranking: Ranking = []
        self.ended = False
        self.latest = Thought()
        """Return the latest look: its counts are those of the whole search so far."""

    def run(self) -> Iterator[Ranking]:
        """Search, and yield the ranking each time it is known better."""
        from noctagon.core.clock import Clock, TimeControl
        from noctagon.core.player import GameStart

        start = GameStart(self.state, TimeControl(turn=self.seconds))
        self.searcher.start(start, self.state.side)
        self.clock = Clock(self.limit)
        for ranking in self.searcher.analyse(self.state, self.clock, self.lines):
            self.ranking = ranking
            self.latest = max((decision.thought for decision in ranking), key=lambda thought: thought.nodes)
            yield ranking

    def finish(self) -> Analysis:
        """Search to the end, or until Ctrl-C."""
        import contextlib

        with contextlib.suppress(KeyboardInterrupt):
            for _ in self.run():
                pass
        self.ended = True
        return self

    def json(self) -> str:
        """Return what is known as plain data: scores as numbers and in words."""
        import msgspec

        known = {
            "game": self.game.name,
            "position": self.game.format_position(self.state),
            "side": self.state.sides[self.state.side],
            "player": str(self.spec),
            "depth": self.depth,
            "nodes": self.latest.nodes,
            "seconds": round(self.latest.seconds, 3),
            "moves": [
                {
                    "action": self.game.format_action(action),
                    "score": thought.score,
                    "says": self.score(thought),
                    "depth": thought.depth,
                    "line": thought.line,
                }
                for action, thought in self.ranking
            ],
        }
        return msgspec.json.encode(known).decode()

    @property
    def depth(self) -> int:
        return self.ranking[0].thought.depth if self.ranking else 0

    def headline(self, *, ascii_only: bool) -> Text:
        """Return a line about the player, the side it searches for, its depth and its counts."""
        from rich.text import Text

        from noctagon.core.text import describe_count, describe_nodes
        from noctagon.terminal import side_style

        side = self.state.sides[self.state.side]
        parts = [f"depth {self.depth}", f"{self.clock.elapsed():.1f} s"]
        if self.latest.nodes:
            parts.append(describe_nodes(self.latest.nodes))
        if self.latest.nodes and self.latest.seconds:
            parts.append(f"{describe_count(self.latest.nodes / self.latest.seconds)}/s")
        if self.latest.table is not None:
            parts.append(f"table {self.latest.table:.0%}")
        line = Text(no_wrap=True, overflow="ellipsis")
        line.append(str(self.spec), "bold").append(" for the ").append(
            side, side_style(side, self.state.side)
        )
        dot = " | " if ascii_only else " · "
        return line.append("".join(dot + part for part in parts), "dim")

    def table(self, *, ascii_only: bool, whole: bool = False) -> Table:
        """Return the moves by rank with score, depth and the line that follows, cut to fit a terminal or `whole`."""
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0), expand=not whole)
        table.add_column("", justify="right", style="dim", no_wrap=True)
        table.add_column("move", no_wrap=True, max_width=None if whole else 32, overflow="ellipsis")
        table.add_column("score", justify="right", no_wrap=True)
        table.add_column("depth", justify="right", no_wrap=True)
        table.add_column("and then", no_wrap=True, ratio=1, overflow="ellipsis")
        for rank, (action, thought) in enumerate(self.ranking, 1):
            stale = thought.depth < self.depth  # the depth above has not come to it yet
            table.add_row(
                str(rank),
                Text(self.game.format_action(action), "bold"),
                Text(self.score(thought), _score_style(thought.score)),
                Text(str(thought.depth), "dim" if stale else ""),
                self.line(thought, ascii_only=ascii_only),
            )
        return table

    def line(self, thought: Thought, *, ascii_only: bool) -> Text:
        """Return the moves after the first, each in its side's colour."""
        from rich.text import Text

        from noctagon.terminal import side_style

        line = Text()
        for number, action in enumerate(thought.line[1:], 1):
            side = (self.state.side + number) % 2
            if number > 1:
                line.append(" | " if ascii_only else " · ", "dim")
            line.append(action, side_style(self.state.sides[side], side))
        return line

    def score(self, thought: Thought) -> str:
        """Return a score in words: a chance, points, or the number of plies until it is decided."""
        from noctagon.search.tree import describe_score

        return "" if thought.score is None else describe_score(thought.score, chances=self.searcher.chances)

    def differs(self, decision: Decision[Any], before: Decision[Any]) -> bool:
        """Return whether a look found another move than the one before, or a noticeably different score."""
        from noctagon.search.tree import DECIDED, chance_of

        now, then = decision.thought.score, before.thought.score
        if decision.action != before.action or now is None or then is None:
            return True
        if max(abs(now), abs(then)) > DECIDED:
            return now != then
        chances = [chance_of(score, chances=self.searcher.chances) for score in (now, then)]
        if chances[0] is not None and chances[1] is not None:
            return abs(chances[0] - chances[1]) >= OTHER_CHANCE
        return abs(now - then) >= OTHER_POINTS * max(abs(now), abs(then), 1.0)

    def remark(self) -> str:
        """Return why a score further down may be better, if the search ended within a depth."""
        lower = sorted({decision.thought.depth for decision in self.ranking} - {self.depth})
        if not self.ended or not lower:
            return ""
        depths = " and ".join(map(str, lower))
        return f"Depth {self.depth} is not complete; scores of depth {depths} do not compare with its own."

    def render(
        self, width: int, height: int | None, *, board: bool, ascii_only: bool, whole: bool = False
    ) -> RenderableType:
        """Return the board with the best move marked, if there is room, and the table."""
        from rich.console import Group
        from rich.text import Text

        from noctagon.terminal import draw_board

        parts: list[RenderableType] = []
        room = None if height is None else height - self.lines - AROUND
        if board and (room is None or room >= LEAST_ROWS):
            last = self.state.arrows(self.ranking[0].action) if self.ranking else ()
            parts += [draw_board(self.state.view(), width=width, height=room, last=last), ""]
        parts.append(self.headline(ascii_only=ascii_only))
        if self.ranking:
            parts.append(self.table(ascii_only=ascii_only, whole=whole))
        if remark := self.remark():
            parts.append(Text(remark, "dim"))
        return Group(*parts)


def _score_style(score: float | None) -> str:
    """Return green for a score that wins, red for one that loses, bold if it is decided."""
    from noctagon.search.tree import DECIDED

    if not score:
        return ""
    return ("bold " if abs(score) > DECIDED else "") + ("green" if score > 0 else "red")


def _show(console: Console, analysis: Analysis, *, board: bool) -> None:
    """Show the search live on a terminal; elsewhere print a line for each depth with news, and the table at the end."""
    import contextlib

    ascii_only = console.options.ascii_only
    if console.is_terminal:
        from rich.live import Live

        def render(height: int | None) -> RenderableType:
            return analysis.render(console.width, height, board=board, ascii_only=ascii_only)

        live = Live(
            get_renderable=lambda: render(console.height), console=console, refresh_per_second=A_SECOND
        )
        with live:
            analysis.finish()
        return
    console.width = ENDLESS
    depth = 0
    shown: Decision[Any] | None = None
    latest: Decision[Any] | None = None
    with contextlib.suppress(KeyboardInterrupt):
        for ranking in analysis.run():
            if analysis.depth > depth:
                depth, latest = analysis.depth, ranking[0]
                if shown is None or analysis.differs(latest, shown):
                    shown = latest
                    _tell(console, analysis, shown, ascii_only=ascii_only)
    if latest is not None and latest is not shown:  # how deep it came
        _tell(console, analysis, latest, ascii_only=ascii_only)
    analysis.ended = True
    console.print()
    console.print(analysis.render(ENDLESS, None, board=board, ascii_only=ascii_only, whole=True))


def _tell(console: Console, analysis: Analysis, decision: Decision[Any], *, ascii_only: bool) -> None:
    """Return a depth in a line: its finding and its cost."""
    from rich.text import Text

    from noctagon.core.text import describe_count

    thought = decision.thought
    line = Text(
        f"depth {thought.depth:>2}  {thought.seconds:6.2f} s  {describe_count(thought.nodes):>5} nodes  "
    )
    line.append(f"{analysis.score(thought):>10}  {analysis.game.format_action(decision.action)}  ")
    line.append_text(analysis.line(thought, ascii_only=ascii_only))
    console.print(line, no_wrap=True)
