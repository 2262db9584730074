"""Answers to questions about positions, turns and players. These functions run in a worker process."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import msgspec

from noctagon.core import svg
from noctagon.core.game import Game, NoctagonError, Rules, State
from noctagon.core.player import PlayerSpec
from noctagon.core.registry import find_game
from noctagon.core.validation import validation_message
from noctagon.players import find_player, make_player, player_names
from noctagon.players.options import read_options
from noctagon.web.messages.positions import ActionView, PositionView, SetupView
from noctagon.web.tables.frames import changes_between, plain_arrows, result_view
from noctagon.web.tables.seats import HUMAN

MOST_ACTIONS = 400
"""Maximum number of actions that are listed."""
LARGEST_BOARD = 100 * 100
"""Maximum number of cells of a board that the page plays on."""
MOST_THREADS = 4

RulesAsked = str | dict[str, Any] | None


def rules_of(
    game: Game[Any], rules: RulesAsked, plies: int | None = None, majority: bool | None = None
) -> Rules:
    """Return rules by the name of a rule set, or from all of their options as a snapshot has them."""
    if isinstance(rules, dict):
        kind = type(game.make_rules())
        try:
            return msgspec.convert(rules, kind)
        except msgspec.ValidationError as error:
            raise NoctagonError(
                f"these are not rules of {game.name}: {validation_message(error, kind)}"
            ) from error
    return game.make_rules(rules or None, plies=plies, majority=majority or None)


def read_position(game: str, position: str, rules: RulesAsked) -> State[Any]:
    """Return a position from its text; refuse a board that is too large for the page."""
    found = find_game(game)
    found.load()
    state = found.parse_position(position, rules_of(found, rules))
    view = state.view()
    if view.rows * view.columns > LARGEST_BOARD:
        raise NoctagonError(f"{view.rows} × {view.columns} cells are more than the page plays on")
    return state


def look(game: str, position: str, rules: RulesAsked) -> PositionView:
    """Return a position as the page draws it."""
    found, state = find_game(game), read_position(game, position, rules)
    return PositionView(
        view=state.view(),
        position=found.format_position(state),
        mover=state.side,
        result=result_view(state.result, state.sides) if state.result else None,
        actions=_actions(found, state),
    )


def look_at_setup(game: str, setup: str) -> SetupView:
    """Return the first position of a setup."""
    found = find_game(game)
    found.load()
    state = found.initial(setup)
    return SetupView(state.view(), found.format_position(state))


def picture(game: str, setup: str) -> str:
    """Return a setup as an SVG document."""
    found = find_game(game)
    found.load()
    state = found.initial(setup)
    return svg.draw(state.view(), state.symbols())


def _actions(game: Game[Any], state: State[Any]) -> list[ActionView] | None:
    if not game.abilities.enumerable:
        return None
    listed = list(islice(state.actions(), MOST_ACTIONS + 1))
    if len(listed) > MOST_ACTIONS:
        return None
    return [_action(game, state, action) for action in listed]


def _action(game: Game[Any], state: State[Any], action: Any) -> ActionView:
    describe = getattr(state, "describe", None)
    words = describe(action) if describe else game.format_action(action)
    arrows = plain_arrows(state.arrows(action))
    amount = ", ".join(arrow[4] for arrow in arrows if arrow[4])
    after = None if state.chances(action) else state.play(action)
    changes = changes_between(state.view(), after.view()) if after else None
    effects = [part for part in (amount, _ending(state, after)) if part]
    text = f"{words}: {', '.join(effects)}" if effects else words
    return ActionView(game.format_action(action), arrows, text, state.kind(action), changes)


def _ending(state: State[Any], after: State[Any] | None) -> str:
    """Return what a turn that ends the game means for its player."""
    if after is None or after.result is None:
        return ""
    if after.result.winner is None:
        return "the game is a draw"
    return "wins the game" if after.result.winner == state.side else "loses the game"


def check_table(
    game: str,
    players: Sequence[str],
    made: Sequence[bool],
    setup: str | None,
    position: str | None,
    rules: str | None,
    plies: int | None,
    majority: bool | None,
) -> dict[str, Any]:
    """Check that a game can be played; return its first position, its rules and its players' specs.

    A player that is not to be `made`, since it is not compiled yet, has only its options' names and types checked.
    """
    found = find_game(game)
    specs = [check_player(found, spec, made=make) for spec, make in zip(players, made, strict=True)]
    chosen = rules_of(found, rules, plies, majority)
    found.load()
    if position is not None:
        read_position(game, position, rules)
        state = found.parse_position(position, chosen)
    else:
        state = found.initial(setup, chosen)
    if state.result is not None:
        raise NoctagonError(
            f"there is nothing to play, the game is over: {state.result.describe(state.sides)}"
        )
    return {
        "players": specs,
        "position": found.format_position(state),
        "rules": msgspec.to_builtins(chosen),
    }


def check_player(game: Game[Any], text: str, *, made: bool = True) -> str:
    """Return the spec of one of the package's players, made once to check its options; refuse files and commands."""
    spec = PlayerSpec.parse(text)
    if spec.path or spec.command or spec.name not in player_names(game):
        known = ", ".join(name for name in player_names(game) if name != HUMAN)
        raise NoctagonError(f"{text[:100]!r} is not one of our players; there are: {known}")
    if spec.name == HUMAN:
        if spec.options:
            raise NoctagonError("a person has no options")
        return HUMAN
    if made:
        make_player(spec, game)
    else:
        read_options(spec.name, find_player(spec.name, game), spec.options)
    if int(spec.options.get("threads", 1)) > MOST_THREADS:
        raise NoctagonError(f"{spec}: at most {MOST_THREADS} threads on the page")
    return str(spec)
