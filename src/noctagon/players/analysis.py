"""Analysis: the best actions of a position, ranked by a player that searches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from noctagon.core.clock import Clock, TimeControl
from noctagon.core.game import Game, NoctagonError, State
from noctagon.core.player import Decision, GameStart, PlayerSpec, Searcher
from noctagon.core.registry import find_game
from noctagon.players import find_player, make_player
from noctagon.players.options import option_defaults


def analyse(
    game: str | Game[Any],
    position: str | State[Any],
    *,
    player: str | PlayerSpec | None = None,
    lines: int = 5,
    time: float = 5.0,
) -> list[Decision[Any]]:
    """Search a position for `time` seconds and return its best `lines` actions, the best first.

    Each decision has the action and a thought: the score for the side to move, the depth, the line that follows.
    `position` is a state, or a position as text. The game's champion searches, unless `player` names another
    searcher.

    >>> best, *others = analyse("wargame", find_game("wargame").initial(), player="alphabeta:depth=2", lines=3)
    >>> best.thought.depth, len(others)
    (2, 2)
    """
    *_, ranking = analysis(game, position, player=player, lines=lines, time=time)
    return ranking


def analysis(
    game: str | Game[Any],
    position: str | State[Any],
    *,
    player: str | PlayerSpec | None = None,
    lines: int = 5,
    time: float = 5.0,
) -> Iterator[list[Decision[Any]]]:
    """Yield the ranking of `analyse` each time it improves; stop iterating to end the search early."""
    found = find_game(game) if isinstance(game, str) else game
    found.load()
    state = found.parse_position(position) if isinstance(position, str) else position
    if lines < 1:
        raise NoctagonError(f"lines={lines}: an analysis has at least 1 line")
    if not 0 < time < float("inf"):
        raise NoctagonError(f"time={time:g}: a search takes more than 0 seconds, and not for ever")
    check_open(state)
    spec = PlayerSpec.parse(player) if isinstance(player, str) else player
    searcher, seconds = make_searcher(spec or strongest(found), found, time)
    searcher.start(GameStart(state, TimeControl(turn=time)), state.side)
    yield from searcher.analyse(state, Clock(seconds), lines)


def check_open(state: State[Any]) -> None:
    """Raise `NoctagonError` if the game is over, so that there is nothing to search."""
    if state.result is not None:
        result = state.result.describe(state.sides)
        raise NoctagonError(f"there is nothing to search, the game is over: {result}")


def strongest(game: Game[Any]) -> PlayerSpec:
    """Return the game's champion; without one, a searcher for every game that goes as deep as its time allows."""
    return PlayerSpec.parse("champion" if "champion" in game.players else "alphabeta:depth=60")


def make_searcher(spec: PlayerSpec, game: Game[Any], seconds: float) -> tuple[Searcher, float | None]:
    """Return the player that searches, and the limit of its clock.

    A player with an option `time` gets all of the seconds by that option; no clock limits it, which would keep some
    of them back.
    """
    if spec.path or spec.command:
        raise NoctagonError(f"{spec} runs in a process of its own and shows no lines; name a bundled player")
    timed = "time" in option_defaults(find_player(spec.name, game))
    if timed:
        spec = PlayerSpec(spec.name, {**spec.options, "time": f"{seconds:g}"})
    made = make_player(spec, game)
    if not isinstance(made, Searcher):
        raise NoctagonError(f"{spec.name} does not look ahead; name a player that searches, as alphabeta")
    return made, None if timed else seconds
