"""The front door: the names that `import noctagon` offers, their types, and the page that describes them."""

import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any, assert_type

import pytest

import noctagon
from noctagon import Decision, Game, Match, NoctagonError, Record, State

ROOT = Path(__file__).parent.parent


def test_every_public_name_is_there_and_listed() -> None:
    for name in noctagon.__all__:
        assert getattr(noctagon, name) is not None
    assert dir(noctagon) == sorted(noctagon.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        noctagon.nonsense  # noqa: B018 - to ask is the test


def test_the_import_alone_loads_nothing_heavy() -> None:
    """A program that only asks for the version does not wait for NumPy and Numba."""
    code = "import sys, noctagon; noctagon.__version__; print({'numba', 'numpy', 'msgspec'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("name", ["reference", "commands"])
def test_the_generated_pages_are_what_the_code_says(name: str) -> None:
    loader = SourceFileLoader(name, str(ROOT / "scripts" / name))
    spec = spec_from_loader(name, loader)
    assert spec is not None
    script = module_from_spec(spec)
    loader.exec_module(script)
    assert script.PAGE.read_text("utf-8") == script.page(), f"run scripts/{name}"


def test_the_public_types_are_what_the_page_says() -> None:
    """mypy reads these calls as a user's program, so a change of a public type fails the check."""
    game = noctagon.find_game("wargame")
    assert_type(game, Game[Any])
    state = game.initial()
    assert_type(state, State[Any])
    match = noctagon.play_game(game, "random", lambda state, clock: next(iter(state.actions())))
    assert_type(match, Match)
    assert_type(match.record(), Record)
    assert_type(match.result, noctagon.Result | None)
    ranking = noctagon.analyse(game, state, player="alphabeta:depth=1", lines=2)
    assert_type(ranking, list[Decision[Any]])
    best = ranking[0]
    assert_type(best.thought, noctagon.Thought)
    assert best.action in state.actions()
    for outcome in state.outcomes(best.action):
        assert_type(outcome, noctagon.Outcome[Any])
        assert_type(outcome.dice, noctagon.Dice)


def test_an_analysis_improves_and_can_be_left() -> None:
    game = noctagon.find_game("wargame")
    depths = []
    for ranking in noctagon.analysis(game, game.initial(), player="alphabeta:depth=20", lines=1, time=60):
        depths.append(ranking[0].thought.depth)
        if depths[-1] >= 3:
            break
    assert depths == sorted(depths)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"lines": 0}, "lines=0"),
        ({"time": 0.0}, "time=0"),
        ({"player": "greedy"}, "greedy does not look ahead"),
        ({"player": "mine.py:Bot"}, "mine.py:Bot"),
        ({"player": "champoin"}, "did you mean champion"),
    ],
)
def test_an_analysis_refuses_what_it_cannot_do(options: dict[str, Any], problem: str) -> None:
    game = noctagon.find_game("wargame")
    with pytest.raises(NoctagonError, match=problem):
        noctagon.analyse(game, game.initial(), **options)


def test_a_position_may_be_text_and_must_not_be_over() -> None:
    text = noctagon.find_game("vampires").format_position(noctagon.find_game("vampires").initial("duel"))
    ranking = noctagon.analyse("vampires", text, player="alphabeta:depth=1", lines=1)
    assert [decision.thought.depth for decision in ranking] == [1]
    match = noctagon.play_game("vampires", "greedy", "random", setup="duel", seed=1)
    with pytest.raises(NoctagonError, match="the game is over"):
        noctagon.analyse("vampires", match.state)
