"""The modules of the page by themselves: positions from frames, and the conventions of the code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

import noctagon.web
from noctagon.core.events import Played
from noctagon.core.game import State
from noctagon.core.match import Match
from noctagon.core.registry import find_game
from noctagon.web.tables.frames import frame_of
from tests.web import declarations
from tests.web.chromium import Reader

pytestmark = pytest.mark.xdist_group("page")

STATIC = Path(noctagon.web.__file__).parent / "static"
SCRIPTS = sorted((STATIC / "js").glob("*.js"))
LONGEST = 300


@pytest.fixture
def reader(reader: Reader) -> Reader:
    reader.open("/records-of-nobody")
    return reader


def random_game(name: str, plies: int) -> tuple[list[State[Any]], list[dict[str, Any]]]:
    """All positions of a game of random turns, and its frames as the browser is sent them."""
    game, rng = find_game(name), Random(7)
    match = Match(game, seed=7)
    frames = []
    while match.result is None and len(match.turns) < plies:
        event = match.answer(match.state.actions().sample(rng), 0.1)[0]
        assert isinstance(event, Played)
        frames.append(json.loads(msgspec.json.encode(frame_of(event, len(match.turns), game))))
    return match.states, frames


@pytest.mark.parametrize(
    ("specs", "names"),
    [
        (["champion:threads=2", "alphabeta:depth=3"], ["champion", "alphabeta"]),
        (
            ["alphabeta:depth=3,seed=1", "alphabeta:depth=1,seed=1"],
            ["alphabeta depth=3", "alphabeta depth=1"],
        ),
        (["alphabeta:depth=3,time=1", "alphabeta"], ["alphabeta depth=3, time=1", "alphabeta"]),
        (["bots/one.py:Bot:depth=3", "bots/one.py:Bot"], ["bots/one.py:Bot depth=3", "bots/one.py:Bot"]),
        (["cmd:./one a,b", "cmd:./two a,b"], ["cmd ./one a,b", "cmd ./two a,b"]),
        (["random", "random"], ["random", "random"]),
        ([], []),
    ],
)
def test_a_short_name_has_the_options_that_tell_two_players_apart(
    reader: Reader, specs: list[str], names: list[str]
) -> None:
    named = """async (specs) => (await import("/static/js/names.js")).shortNames(specs)"""
    assert reader.tab.evaluate(named, specs) == names


@pytest.mark.parametrize("name", ["vampires", "wargame"])
def test_the_history_knows_every_position(reader: Reader, name: str) -> None:
    states, frames = random_game(name, 60)
    view = json.loads(msgspec.json.encode(states[0].view()))
    seen = reader.tab.evaluate(
        """async ({ view, frames }) => {
            const { History } = await import("/static/js/history.js");
            const history = new History(view);
            for (const frame of frames) history.add(frame);
            history.add(frames[0]); // twice, out of order: nothing happens
            const plain = ([at, { kind, side, count }]) => [at, kind, side, count];
            const told = (n) => [history.mover(n), [...history.at(n)].map(plain)];
            const all = frames.map((_, n) => told(n));
            history.rewind(3);
            return [...all, told(3)];
        }""",
        {"view": view, "frames": frames},
    )
    for (mover, pieces), state in zip(seen, [*states[: len(frames)], states[3]], strict=True):
        drawn = state.view()
        there = [
            [piece.y * drawn.columns + piece.x, piece.kind, piece.side, piece.count] for piece in drawn.pieces
        ]
        assert (mover, sorted(pieces)) == (state.side, sorted(there))


def test_going_anywhere_shows_what_stood_there(reader: Reader) -> None:
    states, frames = random_game("vampires", 40)
    view = json.loads(msgspec.json.encode(states[0].view()))
    ways = [0, 17, 3, 40, 39, 40, 1, 25]
    seen = reader.tab.evaluate(
        """async ({ view, frames, ways }) => {
            const [{ History }, { Board }, { Viewer }, { facesOf }] = await Promise.all(
                ["history", "board", "viewer", "symbols"].map((name) => import(`/static/js/${name}.js`)));
            const history = new History(view);
            for (const frame of frames) history.add(frame);
            const viewer = new Viewer(new Board(view, await facesOf("vampires")), history);
            return ways.map((n) => {
                viewer.scrub(n);
                viewer.board.settle();
                return viewer.board.pieces.flatMap((piece, index) => (piece ? [[index, Number(piece.shown)]] : []));
            });
        }""",
        {"view": view, "frames": frames, "ways": ways},
    )
    for turn, pieces in zip(ways, seen, strict=True):
        drawn = states[turn].view()
        there = sorted([piece.y * drawn.columns + piece.x, piece.count] for piece in drawn.pieces)
        assert sorted(pieces) == there, turn


def test_the_declarations_are_those_of_the_messages() -> None:
    assert declarations.FILE.read_text("utf-8") == declarations.declarations(), "run scripts/declarations"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_module_is_short_checked_and_writes_no_markup(script: Path) -> None:
    text = script.read_text("utf-8")
    assert len(text.splitlines()) < LONGEST
    assert script.name == "first.js" or text.startswith("// @ts-check\n// ")
    markup = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\(\"style\""
    assert not re.search(markup, text)
    assert not re.search(r"https?://(?!www\.w3\.org)", text)


def test_the_page_brings_no_script_or_style_within_itself() -> None:
    html = (STATIC / "index.html").read_text("utf-8")
    assert not re.search(r"<style|style=|\son\w+=|<script(?![^>]*src=)", html)


def test_the_first_view_asks_for_all_its_modules_at_once() -> None:
    html = (STATIC / "index.html").read_text("utf-8")
    asked = set(re.findall(r'modulepreload" href="/static/js/([\w.]+)"', html)) | {"main.js"}
    needed = {"main.js", "home.js"}
    waiting = [*needed]
    while waiting:
        text = (STATIC / "js" / waiting.pop()).read_text("utf-8")
        found = set(re.findall(r'^(?:import|export) [^;]*?from "\./([\w.]+)";', text, re.MULTILINE)) - needed
        needed |= found
        waiting += found
    assert asked == needed
