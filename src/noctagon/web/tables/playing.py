"""A player of ours at its board: it tells what it thinks while it does; these functions run in a worker process."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterator
from typing import Any

import msgspec

from noctagon.core.clock import Clock, TimeControl
from noctagon.core.game import Game, NoctagonError, Result, Side, State
from noctagon.core.player import Decision, GameStart, PlayerSpec, Searcher, Thought
from noctagon.core.registry import find_game
from noctagon.players import make_player
from noctagon.web.messages.tables import Thinking
from noctagon.web.tables.frames import finite, line_arrows, score_text

TELL_SECONDS = 0.5
"""So often at most a player tells what it thinks."""


class Chosen(msgspec.Struct, frozen=True):
    """What it does, as text."""

    action: str
    thought: Thought


class _Board:
    """The one player of this process, and the game it is in."""

    game: Game[Any]
    rules: Any
    side: Side
    spec = ""
    player: Any = None


_board = _Board()


def begin(
    game: str,
    spec: str,
    rules: dict[str, Any],
    position: str,
    turn_seconds: float | None,
    total_seconds: float | None,
    seed: int,
    side: Side,
) -> int:
    """A game begins; the number of this process."""
    _board.game = find_game(game)
    _board.game.load()
    _board.rules = msgspec.convert(rules, type(_board.game.make_rules()))
    _board.side = side
    if _board.spec != spec:
        _board.player = make_player(PlayerSpec.parse(spec), _board.game)
        _board.spec = spec
    state = _board.game.parse_position(position, _board.rules)
    _board.player.start(GameStart(state, TimeControl(turn_seconds, total_seconds), seed), side)
    return os.getpid()


def choose(position: str, seconds: float | None) -> Generator[Thinking, None, Chosen]:
    """Yield what the player thinks, now and then; return what it does."""
    clock = Clock(seconds)
    state = _board.game.parse_position(position, _board.rules)
    last: Decision[Any] | None = None
    told = time.monotonic()
    for last in _decisions(state, clock):
        if time.monotonic() - told > TELL_SECONDS:
            told = time.monotonic()
            yield _thinking(state, last.thought)
    if last is None:
        raise NoctagonError(f"{_board.spec} found nothing to do")
    return Chosen(_board.game.format_action(last.action), last.thought)


def finish(result: Result) -> None:
    """Tell the player how the game ended."""
    _board.player.finish(result)


def _decisions(state: State[Any], clock: Clock) -> Iterator[Decision[Any]]:
    player = _board.player
    if isinstance(player, Searcher) and type(player).choose is Searcher.choose:
        yield from player.think(state, clock)
    else:
        yield player.choose(state, clock)


def _thinking(state: State[Any], thought: Thought) -> Thinking:
    return Thinking(
        side=_board.side,
        depth=thought.depth,
        nodes=thought.nodes,
        score=finite(thought.score),
        text=score_text(thought),
        line=thought.line,
        arrows=line_arrows(thought.line, state, _board.game),
    )
