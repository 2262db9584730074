"""`noctagon wargame`: the program of the course's assignment, with its game trace."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from noctagon.core.match import Match
    from noctagon.core.seat import Seat
    from noctagon.games.wargame import WargameState
    from noctagon.games.wargame.program.trace import Parameters, Trace

MODES = ("H-H", "H-AI", "AI-H", "AI-AI")
HEURISTICS = ("e0", "e1", "e2")
LEAST_SECONDS = 0.01
HEURISTIC_HELP = "The computer's heuristic as {}: e0, e1 or e2."


def wargame(
    mode: Annotated[
        str,
        typer.Option(
            metavar="|".join(MODES), help="Who plays attacker and defender: a person (H) or the AI."
        ),
    ] = "H-AI",
    time: Annotated[str, typer.Option(metavar="T", help="Seconds for each of the computer's turns.")] = "5",
    turns: Annotated[
        str, typer.Option(metavar="M", help="Maximum number of turns, of both together.")
    ] = "100",
    alpha_beta: Annotated[
        str, typer.Option(metavar="true|false", help="Search by alpha-beta, or by plain minimax.")
    ] = "true",
    depth: Annotated[
        int, typer.Option(metavar="D", help="Look ahead at most so far; the time may end it sooner.")
    ] = 30,
    attacker: Annotated[str, typer.Option(metavar="E", help=HEURISTIC_HELP.format("attacker"))] = "e2",
    defender: Annotated[str, typer.Option(metavar="E", help=HEURISTIC_HELP.format("defender"))] = "e2",
    trace_dir: Annotated[
        Path,
        typer.Option(
            metavar="DIR", help="Where gameTrace-<alpha-beta>-<T>-<M>.txt goes; an older one is overwritten."
        ),
    ] = Path(),
) -> None:
    """AI Wargame as the course's assignment asks for it: four play modes, statistics, and a trace file."""
    import asyncio
    import signal
    import sys

    from noctagon.games.wargame.program.trace import Parameters
    from noctagon.terminal import interrupt

    players = _choose("--mode", mode.upper(), MODES).split("-")
    heuristics = (
        _choose("--attacker", attacker.lower(), HEURISTICS),
        _choose("--defender", defender.lower(), HEURISTICS),
    )
    prune = _choose("--alpha-beta", alpha_beta.lower(), ("true", "false")) == "true"
    parameters = Parameters(
        _seconds(time),
        _turns(turns),
        prune,
        (heuristics[0] if players[0] == "AI" else "", heuristics[1] if players[1] == "AI" else ""),
    )
    path = trace_dir / parameters.file_name
    signal.signal(signal.SIGINT, interrupt)
    begun: list[Path] = []
    try:
        asyncio.run(_play(parameters, _depth(depth), path, begun))
    except KeyboardInterrupt:
        trace = f"; the trace so far is in {path}" if begun else ", before the game began"
        print(f"\nnoctagon: interrupted{trace}", file=sys.stderr)
        raise typer.Exit(130) from None


async def _play(parameters: Parameters, depth: int, path: Path, begun: list[Path]) -> None:
    """Play one game, by the same match and driver as everywhere, with the trace and the screen listening.

    The trace is added to `begun` once it is there.
    """
    from noctagon.core.clock import TimeControl
    from noctagon.core.match import Match
    from noctagon.core.player import PlayerSpec
    from noctagon.core.registry import find_game
    from noctagon.core.seat import drive
    from noctagon.games.wargame import WargameState
    from noctagon.games.wargame.program.screen import WargameScreen
    from noctagon.processes.seats import open_seats

    game = find_game("wargame")
    search = "alphabeta" if parameters.alpha_beta else "minimax"
    first, second = (
        PlayerSpec(search, {"heuristic": heuristic, "depth": str(depth)})
        if heuristic
        else PlayerSpec("human")
        for heuristic in parameters.heuristics
    )
    state = game.initial(rules=game.make_rules(plies=int(parameters.turns)))
    assert isinstance(state, WargameState)
    game.load()
    async with open_seats((first, second), game) as seats:
        _echo_where_nobody_types(seats)
        match = Match(
            game,
            state,
            players=(str(first), str(second)),
            time=TimeControl(turn=float(parameters.timeout)),
            untimed=[side for side in (0, 1) if not seats[side].timed],
        )
        with _open(path, parameters, state) as trace, WargameScreen(trace, match) as screen:
            begun.append(path)
            await drive(match, seats, screen.listen)
    _explain_crash(match, seats)
    screen.console.print(f"trace in {path}", markup=False, soft_wrap=True)


def _echo_where_nobody_types(seats: tuple[Seat, Seat]) -> None:
    """Show the actions after the prompt, as a terminal does, where they come from a file or a pipe."""
    import sys

    from noctagon.core.seat import LocalSeat
    from noctagon.players.human import HumanPlayer

    def ask(prompt: str) -> str:
        print(prompt, end="", flush=True)
        line = sys.stdin.readline()
        print(line.rstrip("\n"))
        if not line:
            raise EOFError
        return line

    for seat in seats:
        if isinstance(seat, LocalSeat) and isinstance(seat.player, HumanPlayer) and not sys.stdin.isatty():
            seat.player.ask = ask


def _explain_crash(match: Match, seats: tuple[Seat, Seat]) -> None:
    import sys

    if match.result is not None and match.result.reason == "crash":
        print("\n".join(seat.log.rstrip() for seat in seats if seat.log), file=sys.stderr)


def _choose(option: str, text: str, known: tuple[str, ...]) -> str:
    from noctagon.core.game import NoctagonError

    if text not in known:
        raise NoctagonError(f"{option} {text}: choose {', '.join(known[:-1])} or {known[-1]}")
    return text


def _seconds(text: str) -> str:
    """Return the timeout as it was typed; it becomes part of a file's name."""
    from noctagon.core.game import NoctagonError

    if (
        not re.fullmatch(r"\d{1,5}(\.\d{1,9})?|\.\d{1,9}", text, re.ASCII)
        or not LEAST_SECONDS <= float(text) <= 86400
    ):
        raise NoctagonError(
            f"--time {text}: from {LEAST_SECONDS:g} s (a computer cannot be sure of less) to a day, as in 5 or 0.5"
        )
    return text


def _turns(text: str) -> str:
    from noctagon.core.game import NoctagonError
    from noctagon.games.wargame.rules.notation import MOST_TURNS

    if not re.fullmatch(r"\d{1,10}", text, re.ASCII) or not 1 <= int(text) <= MOST_TURNS:
        raise NoctagonError(f"--turns {text}: a whole number from 1 to {MOST_TURNS}")
    return text


def _depth(depth: int) -> int:
    from noctagon.core.game import NoctagonError
    from noctagon.games.wargame.players.search import DEEPEST

    if not 1 <= depth <= DEEPEST:
        raise NoctagonError(f"--depth {depth}: the computer looks 1 to {DEEPEST} turns ahead")
    return depth


def _open(path: Path, parameters: Parameters, state: WargameState) -> Trace:
    from noctagon.core.game import NoctagonError
    from noctagon.games.wargame.program.trace import Trace

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return Trace(path, parameters, state)
    except OSError as error:
        raise NoctagonError(f"no trace can be written to {path}: {error.strerror}") from error
