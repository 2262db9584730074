"""A player in a worker process: our own, or the class of a file. These functions run in the worker."""

from __future__ import annotations

import importlib.util
import os
import sys
import time
import traceback
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from noctagon.core.clock import Clock, TimeControl
from noctagon.core.game import Game, NoctagonError, Result, Side, State
from noctagon.core.player import Decision, GameStart, PlayerSpec, Searcher, Thought
from noctagon.core.registry import find_game
from noctagon.core.text import quoted, shortened
from noctagon.players import make_player

LONGEST_ANSWER = 256 * 1024
"""Maximum length of an action as text, in characters: none is written with more."""

LONGEST_REASON = 500
"""Maximum length of the reason why an answer is no action, in characters."""

THOUGHT_SECONDS = 0.5
"""Seconds between two thoughts that a searcher shows while it is on move and does not change its mind."""

CHANGES, CHANGES_A_SECOND = 20, 10
"""Maximum number of changes of mind that a searcher shows in a turn: at once, and more for each second."""


class Ready(msgspec.Struct, frozen=True):
    """The player can play; the number of its process, and whether it wants to hear how a game ends."""

    pid: int
    finishes: bool


class Chosen(msgspec.Struct, frozen=True, tag=True):
    """The player's action as text, and what it thought."""

    action: str
    thought: Thought = Thought()


class Garbage(msgspec.Struct, frozen=True, tag=True):
    """The player's answer is no action: the answer as text, and the reason where the game knows it."""

    answer: str
    why: str = ""


class _Seated(NamedTuple):
    """The one player of this process and the game it is in."""

    spec: str
    player: Any
    game: Game[Any]
    rules: Any


_seated: _Seated | None = None


def begin(
    game: str,
    spec: str,
    rules: dict[str, Any],
    position: str,
    turn_seconds: float | None,
    total_seconds: float | None,
    seed: int,
    side: Side,
) -> Ready:
    """Load the player, unless it played the game before, and begin a game."""
    global _seated  # a process has one player, which lives from game to game
    found = find_game(game)
    found.load()
    if _seated is not None and _seated.spec == spec:
        player = _seated.player
    else:
        player = load_player(PlayerSpec.parse(spec), found)
    settled = msgspec.convert(rules, type(found.make_rules()))
    _seated = _Seated(spec, player, found, settled)
    if hasattr(player, "start"):
        state = found.parse_position(position, settled)
        player.start(GameStart(state, TimeControl(turn_seconds, total_seconds), seed), side)
    return Ready(os.getpid(), finishes=hasattr(player, "finish"))


def choose(position: str, seconds: float | None) -> Generator[Chosen, None, Chosen | Garbage]:
    """Yield a searcher's choice when it changes its mind, and now and then; return what the player does."""
    clock = Clock(seconds)
    seated = _present()
    state = seated.game.parse_position(position, seated.rules)
    answer: object = None
    action, changes, shown = "", 0, time.monotonic()
    for answer in _answers(seated, state, clock):
        again = time.monotonic() - shown > THOUGHT_SECONDS
        if not isinstance(answer, Decision) or not (
            again or changes < CHANGES + CHANGES_A_SECOND * clock.elapsed()
        ):
            continue
        chosen = as_text(seated.game, answer)
        if isinstance(chosen, Chosen) and (again or chosen.action != action):
            action, changes, shown = chosen.action, changes + 1, time.monotonic()
            yield chosen
    return as_text(seated.game, answer)


def finish(result: Result) -> None:
    """Tell the player how the game ended. What goes wrong there is for its author alone: the game is over."""
    try:
        _present().player.finish(result)
    except BaseException:
        traceback.print_exc()


def as_text(game: Game[Any], answer: object) -> Chosen | Garbage:
    """Return a player's answer as text, whatever it is."""
    thought: object = Thought()
    if isinstance(answer, Decision):
        thought = answer.thought
        answer = answer.action
    try:
        text = answer if isinstance(answer, str) else game.format_action(answer)
    except Exception as error:
        why = str(error) if isinstance(error, NoctagonError) else ""
        return Garbage(quoted(answer), shortened(why, LONGEST_REASON))
    if not isinstance(text, str):  # a stranger's game may take anything for an action
        return Garbage(quoted(answer))
    if len(text) > LONGEST_ANSWER:
        return Garbage(f"a text of {len(text):,} letters")
    return Chosen(text.encode("utf-8", "replace").decode(), _thought(thought))


def load_player(spec: PlayerSpec, game: Game[Any]) -> Any:
    """Return the player of a spec: ours, or a file's class, which can import modules that lie beside the file."""
    if not spec.path:
        return make_player(spec, game)
    path = Path(spec.path)
    if not path.is_file():
        raise NoctagonError(f"{spec}: there is no file {spec.path}")
    sys.path.insert(0, str(path.parent.resolve()))
    found = importlib.util.spec_from_file_location(path.stem, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[path.stem] = module
    found.loader.exec_module(module)
    make = getattr(module, spec.name, None)
    if make is None:
        classes = [name for name, thing in vars(module).items() if hasattr(thing, "choose")]
        raise NoctagonError(
            f"{spec}: {spec.path} has no class {spec.name}; with a choose method it has: {', '.join(classes) or 'none'}"
        )
    return make_player(spec, game, make)


def _present() -> _Seated:
    if _seated is None:
        raise RuntimeError("no game has begun in this process")
    return _seated


def _answers(seated: _Seated, state: State[Any], clock: Clock) -> Iterator[object]:
    """Yield a searcher's ever better decisions, or another player's one answer."""
    player = seated.player
    if not isinstance(player, Searcher) or type(player).choose is not Searcher.choose:
        yield player.choose(state, clock)
        return
    decision = None
    for decision in player.think(state, clock):
        yield decision
    if decision is None:
        raise NoctagonError(f"{seated.spec} found nothing to do")


def _thought(thought: object) -> Thought:
    return thought if isinstance(thought, Thought) else Thought(note=str(thought)[:200])
