"""Messages about the turns, battles, thoughts and results of a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from noctagon.core.board import Arrow, View
from noctagon.core.events import Played, Skipped
from noctagon.core.game import Chance, Game, NoctagonError, Result, State
from noctagon.core.player import Thought
from noctagon.search.tree import describe_score
from noctagon.web.messages.common import ArrowRow, Change, ResultView
from noctagon.web.messages.tables import BattleView, Thinking, ThoughtView, TurnFrame

LONGEST_LINE = 8
"""Maximum number of plies of a player's line that are drawn."""
STOPPED = "stopped"
"""Reason of the result of a game that was broken off."""


def frame_of(event: Played | Skipped, number: int, game: Game[Any]) -> TurnFrame:
    """Return turn `number` of a game, played or lost, in the form that the page shows."""
    before, after, turn = event.before, event.after, event.turn
    arrows: list[ArrowRow] = []
    battles: list[BattleView] = []
    action = turn.action
    if isinstance(event, Played):
        arrows = plain_arrows(before.arrows(event.action))
        action = game.format_action(event.action)
        battles = battles_of(event)
    old, new = before.view(), after.view()
    return TurnFrame(
        n=number,
        side=event.side,
        action=action,
        changes=changes_between(old, new),
        arrows=arrows,
        battles=battles + sure_battles(old, new, event.side, arrows, battles),
        score=after.score(),
        mover=after.side,
        seconds=round(turn.seconds, 3),
        skipped=turn.skipped or None,
        thought=thought_view(turn.thought, before, game) if turn.thought else None,
        result=result_view(after.result, after.sides) if after.result else None,
    )


def changes_between(before: View, after: View) -> list[Change]:
    """Return the new content of every cell that has changed."""
    old = {(piece.x, piece.y): piece for piece in before.pieces}
    new = {(piece.x, piece.y): piece for piece in after.pieces}
    changed = [
        Change(x, y, piece.kind, piece.side, piece.count, piece.label)
        for (x, y), piece in new.items()
        if old.get((x, y)) != piece
    ]
    return changed + [Change(x, y, None, None, 0, "") for x, y in old if (x, y) not in new]


def plain_arrows(arrows: Sequence[Arrow]) -> list[ArrowRow]:
    """Return arrows as rows."""
    return [ArrowRow(arrow.x, arrow.y, arrow.tx, arrow.ty, arrow.text) for arrow in arrows]


def battles_of(event: Played) -> list[BattleView]:
    """Return what chance decided in a turn."""
    found = []
    for chance, result in event.battles:
        x, y = getattr(chance, "cell", (None, None))
        found.append(
            BattleView(x, y, chance.name, round(chance.odds, 4), result > 0, chance.describe(result))
        )
    return found


def sure_battles(
    before: View, after: View, side: int, arrows: Sequence[ArrowRow], decided: Sequence[BattleView]
) -> list[BattleView]:
    """Return the fights that the mover was sure to win: cells that were another's and are its own now."""
    old = {(piece.x, piece.y): piece for piece in before.pieces}
    new = {(piece.x, piece.y): piece for piece in after.pieces}
    listed = {(battle.x, battle.y) for battle in decided}
    found = []
    for x, y in dict.fromkeys((tx, ty) for _, _, tx, ty, _ in arrows):
        taken, taker = old.get((x, y)), new.get((x, y))
        if taken and taker and taken.side != side and taker.side == side and (x, y) not in listed:
            text = f"{taken.count} {taken.kind} at ({x},{y})"
            found.append(
                BattleView(x, y, text, 1.0, True, f"{taken.kind}: {taken.count} taken, {taker.count} stand")
            )
    return found


def thought_view(thought: Thought, state: State[Any], game: Game[Any]) -> ThoughtView:
    """Return a player's thoughts in a position, with its line as arrows as far as it can be followed."""
    return ThoughtView(
        depth=thought.depth,
        nodes=thought.nodes,
        score=finite(thought.score),
        line=thought.line,
        arrows=line_arrows(thought.line, state, game),
        text=score_text(thought),
        note=thought.note,
        seconds=round(thought.seconds, 3),
    )


def thinking_of(thought: Thought, side: int, state: State[Any], game: Game[Any]) -> Thinking:
    """Return what a player thinks about a position, in the form that the page shows."""
    return Thinking(
        side=side,
        depth=thought.depth,
        nodes=thought.nodes,
        score=finite(thought.score),
        text=score_text(thought),
        line=thought.line,
        arrows=line_arrows(thought.line, state, game),
    )


def line_arrows(line: Sequence[str], state: State[Any], game: Game[Any]) -> list[list[ArrowRow]]:
    """Return a line of actions as arrows for each ply. Every battle takes its most likely course."""
    drawn: list[list[ArrowRow]] = []
    try:
        for text in line[:LONGEST_LINE]:
            if state.result is not None:
                break
            turn = state.resolve(game.parse_action(text, state), _likely)
            drawn.append(plain_arrows(state.arrows(turn.action)))
            state = turn.state
    except NoctagonError:  # chance went another way in the player's mind
        pass
    return drawn


def _likely(chance: Chance) -> int:
    results = chance.brief()
    return max(results, key=lambda result: results[result])


def result_view(result: Result, sides: tuple[str, str]) -> ResultView:
    """Return a result, also as a sentence. A game that was broken off is no draw."""
    stopped = result.winner is None and result.reason == STOPPED
    text = f"Stopped: {result.detail}" if stopped else result.describe(sides)
    return ResultView(result.winner, result.reason, result.detail, text)


def score_text(thought: Thought) -> str:
    """Return a thought's score in words, or nothing if it has none."""
    score = finite(thought.score)
    return "" if score is None else describe_score(score, chances=thought.chance)


def finite(value: float | None) -> float | None:
    """Return a number, or None if it is not finite, which JSON cannot express."""
    return value if value is not None and abs(value) != float("inf") and value == value else None
