"""Every game keeps its promises; and the check that says so notices when one does not."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from noctagon.board import View
from noctagon.game import Actions, IllegalAction, Result
from noctagon.games import find_game, game_names
from noctagon.testing import check_game

EXAMPLE = Path(__file__).parent.parent / "examples" / "tictactoe" / "tictactoe.py"


@pytest.mark.parametrize("name", game_names())
def test_the_installed_games_conform(name: str) -> None:
    check_game(find_game(name), games=24)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A fresh copy of the example's module, to be spoilt."""
    found = importlib.util.spec_from_file_location("spoilt_tictactoe", EXAMPLE)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    monkeypatch.setitem(sys.modules, "spoilt_tictactoe", module)
    found.loader.exec_module(module)
    return module


def test_the_example_conforms(example: ModuleType) -> None:
    check_game(example.game)


def empty_view(self: Any) -> View:
    return View("x", 0, 0, (), ("", ""), 0, 0, 0, (0, 0))


def lax_check(self: Any, action: object) -> None:
    """Knows a cell when it sees one, but not whether it is free."""
    if action not in range(9) or self.result:
        raise IllegalAction("no cell")


@pytest.mark.parametrize(
    ("attribute", "spoilt", "says"),
    [
        ("key", property(lambda self: str(id(self)).encode()), "the first setup is the usual one"),
        ("key", property(lambda self: b"same"), "what happened|replays|two different"),
        ("ply", 0, "setting ply should be refused"),
        ("check", lambda self, action: None, "None in ......... should be refused with IllegalAction"),
        ("check", lax_check, "check and the list agree on"),
        ("actions", lambda self: Actions(self, [4]), "an action is a ply"),
        ("actions", lambda self: Actions(self, [0, 0]), "no action is listed twice"),
        ("actions", lambda self: Actions(self, list(range(9))), "an action is a ply"),
        ("play", lambda self, action, dice=(): self, "an action is a ply|should be refused"),
        ("view", empty_view, "pieces stand on the board|arg is an empty sequence"),
        ("result", property(lambda self: Result(0, "") if self.ply > 4 else None), "every end has a reason"),
        ("adjudicate", lambda self: None, "play can stop anywhere"),
    ],
)
def test_a_broken_promise_is_noticed(
    example: ModuleType, monkeypatch: pytest.MonkeyPatch, attribute: str, spoilt: Any, says: str
) -> None:
    monkeypatch.setattr(example.Board, attribute, spoilt)
    with pytest.raises((AssertionError, ValueError), match=says):
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
    ],
)
def test_a_game_that_misdescribes_itself_is_noticed(
    example: ModuleType, monkeypatch: pytest.MonkeyPatch, attribute: str, spoilt: Any, says: str
) -> None:
    monkeypatch.setattr(example.TicTacToe, attribute, spoilt)
    with pytest.raises(AssertionError, match=says):
        check_game(example.game)
