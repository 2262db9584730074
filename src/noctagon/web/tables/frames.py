"""What the page is told of a game: the first position whole, then one small message a turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from noctagon.core.board import Arrow, View
from noctagon.core.events import Played, Skipped
from noctagon.core.game import Chance, Game, NoctagonError, Result, State
from noctagon.core.player import Thought
from noctagon.search.tree import describe_score

LONGEST_LINE = 8
"""So many plies of a player's line are drawn."""
STOPPED = "stopped"
"""The reason of a result where play was broken off."""

PlainArrow = tuple[int, int, int, int, str]
Change = tuple[int, int, str | None, int | None, int, str]
"""What stands on a cell afterwards: x, y, kind, side, count, label; without a kind it is empty."""


class Battle(msgspec.Struct, frozen=True):
    """A fight, whether chance decided it or not: where, between whom, how likely the mover was to win, how it went."""

    x: int | None
    y: int | None
    text: str
    odds: float
    won: bool
    detail: str


class ThoughtTold(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the mover thought. `score` is the mover's; `arrows` is its line, a list of arrows for each ply."""

    depth: int
    nodes: int
    score: float | None
    line: tuple[str, ...]
    arrows: list[list[PlainArrow]]
    text: str = ""
    """The score in words."""
    note: str = ""
    seconds: float = 0.0


class ResultTold(msgspec.Struct, frozen=True):
    """How it ended; `text` is the whole of it as a sentence."""

    winner: int | None
    reason: str
    detail: str
    text: str


class Frame(msgspec.Struct, frozen=True, omit_defaults=True):
    """One turn: what changed on the board, and all there is to show about it. `n` counts turns from 1."""

    n: int
    side: int
    action: str
    changes: list[Change]
    arrows: list[PlainArrow]
    battles: list[Battle]
    score: tuple[float, float]
    mover: int
    seconds: float
    skipped: str | None = None
    thought: ThoughtTold | None = None
    result: ResultTold | None = None


def frame_of(event: Played | Skipped, number: int, game: Game[Any]) -> Frame:
    """Return turn `number` of a game, played or lost, in the form that the page shows."""
    before, after, turn = event.before, event.after, event.turn
    arrows: list[PlainArrow] = []
    battles: list[Battle] = []
    action = turn.action
    if isinstance(event, Played):
        arrows = plain_arrows(before.arrows(event.action))
        action = game.format_action(event.action)
        battles = battles_of(event)
    old, new = before.view(), after.view()
    return Frame(
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
        thought=thought_told(turn.thought, before, game) if turn.thought else None,
        result=result_told(after.result, after.sides) if after.result else None,
    )


def changes_between(before: View, after: View) -> list[Change]:
    """What stands on every cell whose content is another than before."""
    old = {(piece.x, piece.y): piece for piece in before.pieces}
    new = {(piece.x, piece.y): piece for piece in after.pieces}
    changed: list[Change] = [
        (x, y, piece.kind, piece.side, piece.count, piece.label)
        for (x, y), piece in new.items()
        if old.get((x, y)) != piece
    ]
    return changed + [(x, y, None, None, 0, "") for x, y in old if (x, y) not in new]


def plain_arrows(arrows: Sequence[Arrow]) -> list[PlainArrow]:
    return [(arrow.x, arrow.y, arrow.tx, arrow.ty, arrow.text) for arrow in arrows]


def battles_of(event: Played) -> list[Battle]:
    """Return what chance decided in a turn."""
    found = []
    for chance, result in event.battles:
        x, y = getattr(chance, "cell", (None, None))
        found.append(Battle(x, y, chance.name, round(chance.odds, 4), result > 0, chance.describe(result)))
    return found


def sure_battles(
    before: View, after: View, side: int, arrows: Sequence[PlainArrow], decided: Sequence[Battle]
) -> list[Battle]:
    """What the mover took without chance having a say in it: cells of others that are its own now."""
    old = {(piece.x, piece.y): piece for piece in before.pieces}
    new = {(piece.x, piece.y): piece for piece in after.pieces}
    told = {(battle.x, battle.y) for battle in decided}
    found = []
    for x, y in dict.fromkeys((tx, ty) for _, _, tx, ty, _ in arrows):
        taken, taker = old.get((x, y)), new.get((x, y))
        if taken and taker and taken.side != side and taker.side == side and (x, y) not in told:
            text = f"{taken.count} {taken.kind} at ({x},{y})"
            found.append(
                Battle(x, y, text, 1.0, True, f"{taken.kind}: {taken.count} taken, {taker.count} stand")
            )
    return found


def thought_told(thought: Thought, state: State[Any], game: Game[Any]) -> ThoughtTold:
    """What a player thought in a position; its line as arrows as far as it can be followed."""
    return ThoughtTold(
        depth=thought.depth,
        nodes=thought.nodes,
        score=finite(thought.score),
        line=thought.line,
        arrows=line_arrows(thought.line, state, game),
        text=score_text(thought),
        note=thought.note,
        seconds=round(thought.seconds, 3),
    )


def line_arrows(line: Sequence[str], state: State[Any], game: Game[Any]) -> list[list[PlainArrow]]:
    """A line of actions as arrows for each ply, every battle going as it most likely goes."""
    drawn: list[list[PlainArrow]] = []
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


def result_told(result: Result, sides: tuple[str, str]) -> ResultTold:
    return ResultTold(result.winner, result.reason, result.detail, _told(result, sides))


def _told(result: Result, sides: tuple[str, str]) -> str:
    """How it ended, in words; a game that was broken off is no draw."""
    undecided = result.winner is None and result.reason == STOPPED
    return f"Stopped: {result.detail}" if undecided else result.describe(sides)


def score_text(thought: Thought) -> str:
    """A thought's score in words; nothing where there is none."""
    score = finite(thought.score)
    return "" if score is None else describe_score(score, chances=thought.chance)


def finite(value: float | None) -> float | None:
    """JSON knows no infinity."""
    return value if value is not None and abs(value) != float("inf") and value == value else None
