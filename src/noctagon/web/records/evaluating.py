"""Evaluations of recorded games: who was ahead, and which turns were mistakes. They run in a worker process.

A turn is a mistake by what could be expected of it, not by how the dice then fell.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec

from noctagon.core.clock import Clock, TimeControl
from noctagon.core.game import Game, NoctagonError, Side, State
from noctagon.core.player import Decision, GameStart, PlayerSpec, Thought
from noctagon.core.record import Record
from noctagon.core.registry import find_game
from noctagon.players import make_player
from noctagon.players.analysis import strongest
from noctagon.search.tree import DECIDED, WIN
from noctagon.web.messages.records import EvaluatedTurn, Mark
from noctagon.web.questions import LARGEST_BOARD
from noctagon.web.records.replaying import MOST_TURNS, Source, read_record, read_source
from noctagon.web.tables.frames import line_arrows, score_text

MARKS: tuple[tuple[float, Mark], ...] = ((0.3, "blunder"), (0.2, "mistake"), (0.1, "inaccuracy"))
"""The loss in the chance to win from which a turn has each mark."""
MOST_SORTED = 2000
MOST_OUTCOMES = 5
"""Number of a turn's outcomes that are looked at: the likeliest."""
SECOND_LOOK = 3.0
"""Factor of the time for a second look at what seems to be a mistake."""
DOUBTFUL = 0.05
"""Loss from which a turn is worth a closer look."""
LEAST_SECONDS = 0.02
LONGEST_LINE = 4
"""Maximum number of plies of the champion's line that are kept."""


class Step(msgspec.Struct, frozen=True):
    """A position of a game and the action that was played there; None: the turn was lost."""

    position: str
    action: str | None


class Course(msgspec.Struct, frozen=True, kw_only=True):
    """The positions and turns of a record to evaluate."""

    game: str
    rules: dict[str, Any]
    player: str
    steps: list[Step]
    last: str
    winner: Side | None
    over: bool


def course_of(source: Source) -> Course | None:
    """Return the positions of a record, as far as it holds; None if it is not in the store."""
    content = read_source(source)
    return None if content is None else course(read_record(content))


def course(record: Record) -> Course:
    game = find_game(record.game)
    game.load()
    states: list[State[Any]] = []
    try:
        for state in record.states(game):
            states.append(state)
            if len(states) > MOST_TURNS:
                break
    except NoctagonError:
        if not states:
            raise
    view = states[0].view()
    if view.rows * view.columns > LARGEST_BOARD:
        raise NoctagonError(f"{view.rows} × {view.columns} cells are more than the page shows")
    turns = record.turns[: len(states) - 1]
    result = record.result if len(turns) == len(record.turns) else None
    return Course(
        game=game.name,
        rules=record.rules,
        player=judge_of(game),
        steps=[
            Step(game.format_position(state), None if turn.skipped else turn.action)
            for state, turn in zip(states, turns, strict=False)
        ],
        last=game.format_position(states[-1]),
        winner=result.winner if result else None,
        over=result is not None,
    )


def evaluate(record: Record, seconds: float) -> Iterator[EvaluatedTurn]:
    """Yield the evaluations of all positions of a game, one after the other."""
    whole = course(record)
    for n, step in enumerate(whole.steps):
        yield weigh(whole.game, whole.rules, step.position, step.action, n, seconds)
    yield last_of(whole, seconds)


def last_of(whole: Course, seconds: float) -> EvaluatedTurn:
    """Evaluate the position that the game ended in."""
    n = len(whole.steps)
    if not whole.over:
        return weigh(whole.game, whole.rules, whole.last, None, n, seconds, turn=False)
    chance = 0.5 if whole.winner is None else float(whole.winner == 0)
    return EvaluatedTurn(n=n, side=0, chance=chance)


def weigh(
    game: str,
    rules: dict[str, Any],
    position: str,
    action: str | None,
    n: int,
    seconds: float,
    *,
    turn: bool = True,
) -> EvaluatedTurn:
    """Evaluate a position and the action that was played there (None: the turn was lost; without `turn`: none yet)."""
    found = find_game(game)
    found.load()
    state = found.parse_position(position, msgspec.convert(rules, type(found.make_rules())))
    if state.result is not None:
        return EvaluatedTurn(n=n, side=state.side, chance=_first(_decided(state), 0))
    decision, chance = _look(found, state, seconds)
    if turn:
        chance, expected, loss = _judge(found, state, decision, action, chance, seconds)
        if loss >= MARKS[-1][0] and action is not None:
            longer = seconds * SECOND_LOOK
            decision, chance = _look(found, state, longer)
            chance, expected, loss = _judge(found, state, decision, action, chance, longer)
        chance = max(chance, expected)
    else:
        expected, loss = chance, 0.0
    line = decision.thought.line or (found.format_action(decision.action),)
    return EvaluatedTurn(
        n=n,
        side=state.side,
        chance=_first(chance, state.side),
        text=score_text(decision.thought),
        expected=_first(expected, state.side) if turn else None,
        loss=round(loss, 4) if action is not None else 0.0,
        mark=mark_of(loss) if action is not None else "",
        best=found.format_action(decision.action),
        line=line[:LONGEST_LINE],
        arrows=line_arrows(line[:LONGEST_LINE], state, found),
    )


def judge_of(game: Game[Any]) -> str:
    """Return the player that judges the positions of both sides."""
    return game.judge or str(strongest(game))


def mark_of(loss: float) -> Mark:
    """Return the mark of a turn that gave away some of the chance to win."""
    return next((mark for least, mark in MARKS if loss >= least), "")


def chance_to_win(thought: Thought, game: Game[Any], side: Side) -> float:
    """Return the mover's chance to win by what the judge thought."""
    score = thought.score
    if score is None or math.isnan(score):
        return 0.5
    if abs(score) > DECIDED:
        return float(score > 0)
    if thought.chance:
        return (score / WIN + 1) / 2
    lean = game.odds.lean if side == 0 else -game.odds.lean
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, lean + game.odds.slope * score))))


def _look(game: Game[Any], state: State[Any], seconds: float) -> tuple[Decision[Any], float]:
    """Return what the champion would do, and the mover's chance to win."""
    spec = PlayerSpec.parse(judge_of(game))
    timed = PlayerSpec(spec.name, {**spec.options, "time": f"{max(seconds, LEAST_SECONDS):.3f}"})
    player = make_player(timed, game)
    player.start(GameStart(state, TimeControl(turn=seconds)), state.side)
    decision: Decision[Any] = player.choose(state, Clock())
    return decision, chance_to_win(decision.thought, game, state.side)


def _judge(
    game: Game[Any],
    state: State[Any],
    best: Decision[Any],
    action: str | None,
    chance: float,
    seconds: float,
) -> tuple[float, float, float]:
    """Return the mover's chance, what it could expect of its action, and its loss against the best one.

    Where it seems to be much less, both are looked at in the same way: through the eyes of the other side.
    """
    if action is None:
        return chance, _after(game, [(1.0, state.skip())], state.side, seconds), 0.0
    played = game.parse_action(action, state)
    if played == best.action:
        return chance, chance, 0.0
    expected = _after(game, _likely(state, played), state.side, seconds)
    if chance - expected < DOUBTFUL:
        return chance, expected, max(0.0, chance - expected)
    instead = _after(game, _likely(state, best.action), state.side, seconds)
    return instead, expected, max(0.0, instead - expected)


def _likely(state: State[Any], action: Any) -> list[tuple[float, State[Any]]]:
    """Return the likeliest outcomes of an action, with their probabilities."""
    some = islice(state.outcomes(action, brief=True), MOST_SORTED)
    outcomes = sorted(some, key=lambda outcome: -outcome.probability)
    return [(outcome.probability, outcome.state) for outcome in outcomes[:MOST_OUTCOMES]]


def _after(
    game: Game[Any], outcomes: Sequence[tuple[float, State[Any]]], side: Side, seconds: float
) -> float:
    """Return a side's chance to win on average over positions, each with its probability."""
    whole = sum(probability for probability, _ in outcomes)
    expected = 0.0
    for probability, state in outcomes:
        if state.result is not None:
            chance = _decided(state) if side == 0 else 1 - _decided(state)
        else:
            theirs = _look(game, state, seconds * max(0.3, probability / whole))[1]
            chance = theirs if state.side == side else 1 - theirs
        expected += probability / whole * chance
    return expected


def _decided(state: State[Any]) -> float:
    """Return the first side's share of a game that is over."""
    assert state.result is not None
    return 0.5 if state.result.winner is None else float(state.result.winner == 0)


def _first(chance: float, side: Side) -> float:
    """Return the mover's chance as the first side's."""
    return round(chance if side == 0 else 1 - chance, 4)
