"""Every game keeps its promises; and the check that says so notices when one does not."""

import math
from random import Random
from types import ModuleType
from typing import Any

import pytest

from noctagon.core.board import View
from noctagon.core.game import Abilities, Actions, IllegalAction, Result
from noctagon.core.registry import find_game, game_names
from noctagon.testing import check_game


@pytest.mark.parametrize("name", game_names())
def test_the_installed_games_conform(name: str) -> None:
    check_game(find_game(name), games=6, setups=3)


def test_the_example_conforms(example: ModuleType) -> None:
    check_game(example.game)


def empty_view(self: Any) -> View:
    return View("x", 0, 0, (), ("", ""), 0, 0, 0, (0, 0))


class Stubborn(Actions[int]):
    """Whoever draws gets the first."""

    def __init__(self, state: Any) -> None:
        super().__init__(state, [] if state.result else [n for n in range(9) if state.cells[n] == "."])

    def sample(self, rng: Random) -> int:
        return self.listed[0]


def lax_check(self: Any, action: object) -> None:
    """Knows a cell when it sees one, but not whether it is free."""
    if action not in range(9) or self.result:
        raise IllegalAction("no cell")


@pytest.mark.parametrize(
    ("attribute", "spoilt", "says"),
    [
        ("key", property(lambda self: str(id(self)).encode()), "the first setup is the usual one"),
        ("key", property(lambda self: b"same"), "under other rules it is another position"),
        ("key", property(lambda self: "text"), "a position's key is bytes, not 'text'"),
        ("ply", 0, "setting ply should be refused"),
        ("check", lambda self, action: None, "None in ......... should be refused with IllegalAction"),
        ("check", lax_check, "check and the list agree on"),
        ("actions", lambda self: Actions(self, [4]), "an action is a ply"),
        ("actions", lambda self: Actions(self, [0, 0]), "no action is listed twice"),
        ("actions", lambda self: Actions(self, list(range(9))), "an action is a ply"),
        ("play", lambda self, action, dice=(): self, "an action is a ply|should be refused"),
        ("actions", lambda self: Actions(self), "a game that goes on has actions"),
        ("actions", lambda self: Stubborn(self), "every action has a chance, and 0 is all that is drawn"),
        ("check", lambda self, action: 1 / 0, "ZeroDivisionError, which nobody expects: division by zero"),
        ("view", empty_view, "ValueError, which nobody expects: max|pieces stand on the board"),
        ("view", lambda self: None, "a position shows a View, not None"),
        ("score", lambda self: (1, 2, 3), "score\\(\\) tells what each of two sides has"),
        ("perft", lambda self, depth: 7, "perft\\(1\\) is 63, not 7"),
        ("result", property(lambda self: None), "no game goes on after 9 plies"),
        ("result", property(lambda self: "won" if self.ply > 4 else None), "ends with a Result, not 'won'"),
        ("result", property(lambda self: Result(2, "x") if self.ply > 4 else None), "0 or 1 wins"),  # type: ignore[arg-type]
        ("result", property(lambda self: Result(0, "") if self.ply > 4 else None), "every end has a reason"),
        ("adjudicate", lambda self: None, "a game ends with a Result, not None: play can stop anywhere"),
        ("adjudicate", lambda self: Result(0, "flattery"), "an end stays what it is"),
    ],
)
def test_a_broken_promise_is_noticed(
    example: ModuleType, monkeypatch: pytest.MonkeyPatch, attribute: str, spoilt: Any, says: str
) -> None:
    monkeypatch.setattr(example.Board, attribute, spoilt)
    with pytest.raises(AssertionError, match=says):
        check_game(example.game)


@pytest.mark.parametrize(
    ("attribute", "spoilt", "says"),
    [
        ("about", "", "says in a sentence"),
        ("name", "tic tac toe", "plain word"),
        ("format_action", lambda self, action: str(8 - action), "the text of an action gives it back"),
        ("format_position", lambda self, state: "." * 9, "the text of a position gives it back"),
        ("parse_action", lambda self, text, state: 0, "an action that is none should be refused"),
        ("setups", lambda self: {}, "at least one setup"),
        ("late", "skip", "only in a game that can skip"),
        ("abilities", Abilities(skip=True), "IllegalAction, which nobody expects: a turn cannot be skipped"),
        ("players", {"mine": "nowhere:Mine"}, "the player 'mine' can be found"),
        ("commands", {"mine": "nowhere:mine"}, "the command 'mine' can be imported"),
        ("commands", {"mine": "noctagon:__all__"}, "the command 'mine' is a function or a typer.Typer"),
        ("demo", ("nobody", "random"), "the player 'nobody' can be found"),
        ("evaluations", {"odd": lambda state: math.nan}, "'odd' gives nan, and a won game is worth"),
        ("evaluations", {"vast": lambda state: 5e6}, "'vast' gives 5000000.0"),
        ("evaluations", {"words": lambda state: "good"}, "'words' gives a number, not 'good'"),
    ],
)
def test_a_game_that_misdescribes_itself_is_noticed(
    example: ModuleType, monkeypatch: pytest.MonkeyPatch, attribute: str, spoilt: Any, says: str
) -> None:
    monkeypatch.setattr(example.TicTacToe, attribute, spoilt)
    with pytest.raises(AssertionError, match=says):
        check_game(example.game)
