"""Analyses: the best actions of a position, from a search that deepens. These functions run in a worker process."""

from __future__ import annotations

import pickle
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
from noctagon.web.messages.positions import AnalysedLine, AnalysisUpdate
from noctagon.web.questions import RulesAsked, check_player, read_position
from noctagon.web.tables.frames import finite, line_arrows

A_SECOND = 6
"""Maximum number of updates per second."""


class CheckedAnalysis(msgspec.Struct, frozen=True, kw_only=True):
    """An analysis that can begin: the position, pickled for the process that will search it, and the player's spec."""

    game: str
    position: bytes
    player: str


def check_analysis(game: str, position: str, rules: RulesAsked, player: str | None) -> CheckedAnalysis:
    """Read a position and a player's spec; raise `NoctagonError` unless the player can search the position."""
    found, state = find_game(game), read_position(game, position, rules)
    check_open(state)
    spec = check_player(found, player or str(strongest(found)))
    make_searcher(PlayerSpec.parse(spec), found, 1.0)
    return CheckedAnalysis(game=game, position=pickle.dumps(state), player=spec)


def analyse(checked: CheckedAnalysis, lines: int, seconds: float) -> Iterator[AnalysisUpdate]:
    """Search for some seconds, and yield the best actions a few times a second and at the end."""
    found = find_game(checked.game)
    found.load()
    state: State[Any] = pickle.loads(checked.position)
    searcher, limit = make_searcher(PlayerSpec.parse(checked.player), found, seconds)
    searcher.start(GameStart(state, TimeControl(turn=seconds)), state.side)
    clock = Clock(limit)
    ranking: list[Decision[Any]] = []
    sent = 0.0
    for ranking in searcher.analyse(state, clock, lines):
        if time.monotonic() - sent > 1 / A_SECOND:
            sent = time.monotonic()
            yield _update(found, state, searcher, ranking, clock, done=False)
    yield _update(found, state, searcher, ranking, clock, done=True)


def _update(
    game: Game[Any],
    state: State[Any],
    searcher: Searcher,
    ranking: list[Decision[Any]],
    clock: Clock,
    *,
    done: bool,
) -> AnalysisUpdate:
    return AnalysisUpdate(
        depth=ranking[0].thought.depth if ranking else 0,
        nodes=max((decision.thought.nodes for decision in ranking), default=0),
        seconds=round(clock.elapsed(), 3),
        lines=[_line(game, state, searcher, decision) for decision in ranking],
        done=done,
    )


def _line(game: Game[Any], state: State[Any], searcher: Searcher, decision: Decision[Any]) -> AnalysedLine:
    thought = decision.thought
    action = game.format_action(decision.action)
    line = thought.line or (action,)
    score = finite(thought.score)
    reasons = searcher.explain(state, decision.action)
    return AnalysedLine(
        action=action,
        score=score,
        chance=None if score is None else chance_of(score, chances=searcher.chances),
        text="" if score is None else describe_score(score, chances=searcher.chances),
        depth=thought.depth,
        line=line,
        arrows=line_arrows(line, state, game),
        reasons={name: value for name, value in reasons.items() if finite(value) is not None},
    )
