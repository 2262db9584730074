"""The best moves of a position, ever better known; these functions run in a worker process."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import msgspec

from noctagon.core.clock import Clock, TimeControl
from noctagon.core.game import Game, State
from noctagon.core.player import Decision, GameStart, PlayerSpec, Searcher
from noctagon.core.registry import find_game
from noctagon.players.analysis import check_open, make_searcher, strongest
from noctagon.search.tree import chance_of, describe_score
from noctagon.web.questions import RulesAsked, check_player, read_position
from noctagon.web.tables.frames import PlainArrow, finite, line_arrows

A_SECOND = 6
"""So often at most something is told."""


class LineTold(msgspec.Struct, frozen=True, kw_only=True):
    """A move and what follows. `score` is the mover's; `chance` is its chance to win, where that is what was found."""

    action: str
    score: float | None
    chance: float | None
    text: str
    depth: int
    line: tuple[str, ...]
    arrows: list[list[PlainArrow]]
    reasons: dict[str, float]


class AnalysisTold(msgspec.Struct, frozen=True, kw_only=True):
    """What is known so far."""

    depth: int
    nodes: int
    seconds: float
    lines: list[LineTold]
    done: bool


def check_analysis(game: str, position: str, rules: RulesAsked, player: str | None) -> str:
    """Whether there is something to analyse; the spec of whoever will do it."""
    found, state = find_game(game), read_position(game, position, rules)
    check_open(state)
    spec = check_player(found, player or str(strongest(found)))
    make_searcher(PlayerSpec.parse(spec), found, 1.0)
    return spec


def analyse(
    game: str, position: str, rules: RulesAsked, player: str, lines: int, seconds: float
) -> Iterator[AnalysisTold]:
    """Search for so many seconds; tells what is best a few times a second, and at the end."""
    found, state = find_game(game), read_position(game, position, rules)
    searcher, limit = make_searcher(PlayerSpec.parse(player), found, seconds)
    searcher.start(GameStart(state, TimeControl(turn=seconds)), state.side)
    clock = Clock(limit)
    ranking: list[Decision[Any]] = []
    told = 0.0
    for ranking in searcher.analyse(state, clock, lines):
        if time.monotonic() - told > 1 / A_SECOND:
            told = time.monotonic()
            yield _tell(found, state, searcher, ranking, clock, done=False)
    yield _tell(found, state, searcher, ranking, clock, done=True)


def _tell(
    game: Game[Any],
    state: State[Any],
    searcher: Searcher,
    ranking: list[Decision[Any]],
    clock: Clock,
    *,
    done: bool,
) -> AnalysisTold:
    return AnalysisTold(
        depth=ranking[0].thought.depth if ranking else 0,
        nodes=max((decision.thought.nodes for decision in ranking), default=0),
        seconds=round(clock.elapsed(), 3),
        lines=[_line(game, state, searcher, decision) for decision in ranking],
        done=done,
    )


def _line(game: Game[Any], state: State[Any], searcher: Searcher, decision: Decision[Any]) -> LineTold:
    thought = decision.thought
    action = game.format_action(decision.action)
    line = thought.line or (action,)
    score = finite(thought.score)
    reasons = searcher.explain(state, decision.action)
    return LineTold(
        action=action,
        score=score,
        chance=None if score is None else chance_of(score, chances=searcher.chances),
        text="" if score is None else describe_score(score, chances=searcher.chances),
        depth=thought.depth,
        line=line,
        arrows=line_arrows(line, state, game),
        reasons={name: value for name, value in reasons.items() if finite(value) is not None},
    )
