"""`noctagon explain`: the reasons for a player's move, term by term."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.table import Table
    from rich.text import Text

    from noctagon.core.game import Game, State
    from noctagon.core.player import PlayerSpec, Thought
    from noctagon.core.seat import Answered

MOST_WEIGHED = 2000
"""Maximum number of candidates weighed: a generator may go on for ever."""
LONGEST = 5.0
"""Seconds after which no further candidate is weighed."""
MOST_TERMS = 8
"""Number of terms beyond which those that are zero everywhere are left out."""


def explain(
    game: Annotated[str, typer.Argument(help="Which game (see noctagon games).")],
    position: Annotated[
        str,
        typer.Argument(
            help="A map or opening, a position as text, or a record at a ply: FILE@PLY, FILE@GAME:PLY.",
        ),
    ],
    player: Annotated[str, typer.Option(metavar="SPEC", help="Who is asked (see noctagon players).")],
    time: Annotated[float | None, typer.Option(help="Seconds it may think.", show_default=False)] = None,
    others: Annotated[int, typer.Option(help="Number of other candidates to show beside its choice.")] = 3,
    rules: Annotated[str, typer.Option(metavar="NAME", help="The rule set.", show_default=False)] = "",
    seed: Annotated[int, typer.Option(help="Makes a player's own chance repeatable.")] = 0,
    board: Annotated[bool, typer.Option("--board/--no-board", help="Draw the board.")] = True,
) -> None:
    """Ask a player for its move and why: what it is worth to it, beside the next best candidates."""
    import asyncio

    from rich.console import Console

    from noctagon.core.game import NoctagonError
    from noctagon.core.player import PlayerSpec
    from noctagon.core.position import find_position
    from noctagon.core.registry import find_game
    from noctagon.terminal import draw_board

    found = find_game(game)
    spec = PlayerSpec.parse(player)
    if others < 0:
        raise NoctagonError(f"--others {others}: 0 or more candidates are shown beside the choice")
    if time is not None and not 0 < time < 86400:
        raise NoctagonError(f"--time {time:g}: a turn takes more than 0 seconds, and less than a day")
    if spec.name == "human" and not spec.path:
        raise NoctagonError("a person is better asked in person; name another player")
    state = find_position(found, position, found.make_rules(rules or None))
    if state.result is not None:
        ended = state.result.describe(state.sides)
        raise NoctagonError(f"there is nothing to choose, the game is over: {ended}")
    found.load()
    answer, choice = asyncio.run(_ask(found, spec, state, time, seed))
    console = Console()
    if board:
        arrows = state.arrows(choice.action)
        console.print(draw_board(state.view(), width=console.width, last=arrows))
        console.print()
    console.print(_headline(found, spec, state, answer, ascii_only=console.options.ascii_only))
    if not choice.terms:
        console.print(f"{spec} does not tell what makes it like a move: only its choice is known.")
        return
    console.print()
    table, shown = weigh(found, choice, answer.thought, others=others, width=console.width)
    console.print(table)
    console.print(_remarks(choice, shown), style="dim")


class Weighed(NamedTuple):
    """An action and its worth to the mover, term by term."""

    action: Any
    terms: dict[str, float]

    @property
    def worth(self) -> float:
        return sum(self.terms.values())


class Choice(NamedTuple):
    """A player's choice with its terms, and its view of the other candidates, the best first."""

    action: Any
    terms: dict[str, float]
    others: list[Weighed]
    weighed_all: bool = True


async def _ask(
    game: Game[Any], spec: PlayerSpec, state: State[Any], seconds: float | None, seed: int
) -> tuple[Answered, Choice]:
    """Return the player's answer, and what it says of it and of the other candidates."""
    from noctagon.core.clock import TimeControl
    from noctagon.core.game import NoctagonError
    from noctagon.core.match import Match
    from noctagon.core.seat import Answered, Broke, LocalSeat
    from noctagon.processes.seats import make_seat

    match = Match(game, state, time=TimeControl(turn=seconds or game.turn_seconds), seed=seed)
    request = match.request()
    assert request is not None
    seat = make_seat(spec, game)
    try:
        broke = await seat.start(match.start_for(request.side), request.side)
        answer = broke or await seat.answer(request)
        if isinstance(answer, Broke):
            raise NoctagonError(f"{spec} broke: {answer.line}\n{answer.log}".rstrip())
        if not isinstance(answer, Answered):
            raise NoctagonError(f"{spec} gave no answer in {match.time.turn:g} s")
        action = game.action(answer.action, state)
        state.check(action)
        tell = getattr(seat.player, "explain", None) if isinstance(seat, LocalSeat) else None
        terms = tell(state, action) if tell is not None else {}
        if tell is None or not terms:
            return answer, Choice(action, {}, [])
        own = getattr(seat.player, "candidates", None) if isinstance(seat, LocalSeat) else None
        candidates = own(state) if own is not None else state.candidates()
        others, weighed_all = _weigh_others(state, action, candidates, tell)
        return answer, Choice(action, terms, others, weighed_all)
    finally:
        await seat.close()


def _weigh_others(
    state: State[Any], action: Any, candidates: Iterable[Any], tell: Any
) -> tuple[list[Weighed], bool]:
    """Return the candidates beside the chosen one, the best first, and whether these are all there are."""
    from noctagon.core.clock import Clock

    clock = Clock(LONGEST)
    others: list[Weighed] = []
    for candidate in candidates:
        if candidate == action:
            continue
        if len(others) == MOST_WEIGHED or not clock.remaining():
            return _best_first(others), False
        others.append(Weighed(candidate, tell(state, candidate)))
    return _best_first(others), True


def _best_first(weighed: list[Weighed]) -> list[Weighed]:
    return sorted(weighed, key=lambda one: -one.worth)


def _headline(
    game: Game[Any], spec: PlayerSpec, state: State[Any], answer: Answered, *, ascii_only: bool
) -> Text:
    """Return a line about the player, its choice and its search."""
    from rich.text import Text

    from noctagon.core.text import plain
    from noctagon.terminal import describe_thought, side_style

    dot = "|" if ascii_only else "·"
    side = state.sides[state.side]
    action = game.format_action(game.action(answer.action, state))
    line = Text()
    line.append(str(spec), "bold").append(", for the ").append(side, side_style(side, state.side))
    line.append(": ").append(action, "bold")
    thought = describe_thought(answer.thought, dot)
    if answer.thought is not None and answer.thought.seconds:
        thought = f"{thought} {dot} {answer.thought.seconds:.2f} s" if thought else ""
    if thought:
        line.append(f"\n{plain(thought, ascii_only)}")
    return line


def weigh(
    game: Game[Any], choice: Choice, thought: Thought | None, *, others: int, width: int
) -> tuple[Table, int]:
    """Return a table of the choice and the next best candidates, and how many of these the width lets in."""
    from rich.table import Table
    from rich.text import Text

    chosen = Weighed(choice.action, choice.terms)
    shown = [chosen, *choice.others[:others]]
    names = list(dict.fromkeys(name for one in shown for name in one.terms))
    if len(names) > MOST_TERMS:
        names = [name for name in names if any(one.terms.get(name) for one in shown)]
    columns = [_column(game, one, None if one is chosen else chosen, names) for one in shown]
    labels = [*names, "sum"]
    room = width - max(len(label) for label in (*labels, "looking ahead")) - 2
    fitting = 0
    for column in columns:
        room -= max(line.cell_len for cell in column for line in cell.split()) + 2
        fitting += room >= 0 or fitting < 2
    columns = columns[:fitting]

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("", overflow="fold")
    for place, column in enumerate(columns):
        title = Text("chosen" if place == 0 else f"other {place}", "bold" if place == 0 else "dim")
        table.add_column(Text("\n").join([title, column[0]]), justify="right", no_wrap=True)
    for row, label in enumerate(labels, 1):
        cells = [column[row] for column in columns]
        differs = len({cell.plain.split()[0] for cell in cells}) > 1
        style = "bold" if label == "sum" else "" if differs else "dim"
        table.add_row(Text(label.replace("_", " "), style), *cells)
    _add_search(table, choice, thought)
    return table, len(columns) - 1


def _column(game: Game[Any], one: Weighed, chosen: Weighed | None, names: list[str]) -> list[Text]:
    """Return a column: the action, its terms and their sum, each with the difference to the chosen one."""
    from rich.text import Text

    action = game.format_action(one.action)
    cells = [Text(action if len(action) <= 11 else action.replace(" ", "\n"), "bold", justify="right")]
    pairs = [(one.terms.get(name, 0.0), chosen.terms.get(name, 0.0) if chosen else 0.0) for name in names]
    pairs.append((one.worth, chosen.worth if chosen else 0.0))
    for value, other in pairs:
        cell = Text(_number(value))
        if chosen is not None:
            difference = value - other
            if abs(difference) > 1e-9 and max(abs(value), abs(other)) < 1e5:
                cell.append(f" ({_number(difference)})", "bold green" if difference > 0 else "bold red")
        cells.append(cell)
    widest = max(cell.cell_len - len(cell.plain.split(" ")[0]) for cell in cells[1:])
    for cell in cells[1:]:  # align the values, with the differences beside them
        cell.pad_right(widest - (cell.cell_len - len(cell.plain.split(" ")[0])))
    return cells


def _add_search(table: Table, choice: Choice, thought: Thought | None) -> None:
    """Add the score of a search, if it gave one, and the part of it that lies further ahead."""
    from rich.text import Text

    from noctagon.search.tree import WIN, describe_score

    if thought is None or thought.score is None:
        return
    ahead = thought.score - sum(choice.terms.values())
    if abs(ahead) > 1e-6 and max(abs(thought.score), abs(ahead)) <= WIN / 1000:
        table.add_row("looking ahead", _number(ahead))
    if abs(ahead) > 1e-6:
        table.add_row(
            Text("score", "bold"), Text(describe_score(thought.score, chances=thought.chance), "bold")
        )


def _remarks(choice: Choice, shown: int) -> str:
    """Return the rank of the choice by these terms alone, and the number of candidates that are not shown."""
    worth = sum(choice.terms.values())
    better = sum(other.worth > worth + 1e-9 for other in choice.others)
    many = f"{len(choice.others)}{'' if choice.weighed_all else ' or more'}"
    ranks = "none is better" if not better else f"{better} {'is' if better == 1 else 'are'} better"
    if not choice.others:
        return "there is no other candidate"
    return f"{shown} of {many} other candidates shown; by these terms alone, {ranks}"


def _number(value: float) -> str:
    """Return a term in few characters, with its sign; a decided game in words."""
    from noctagon.search.tree import DECIDED, describe_score

    if abs(value) > DECIDED:
        return describe_score(value).replace(" ", "\N{NO-BREAK SPACE}")
    return f"{value:+.0f}" if abs(value) >= 1000 else f"{round(value, 3) + 0.0:+.4g}"
