"""Replays in the report: the very drawings, thinned where they are many, and the records beside the page."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from noctagon.core import svg
from noctagon.core.game import NoctagonError
from noctagon.core.record import decode, read_records
from noctagon.core.registry import find_game
from noctagon.report import charts, replays
from tests.arena.games import a_game, a_record
from tests.arena.pages import a_tournament, films, report


def test_a_records_file_keeps_the_letters_of_a_name_without_their_accents() -> None:
    game = a_game(players=("Émile Ünïcode", "bob"), key="00ff")
    assert replays.file_name(game) == "game-Emile-Unicode-bob-duel-00ff.jsonl"


def test_the_liveliest_games_come_first_and_no_meeting_twice() -> None:
    calm = a_game(lead_changes=1, swing=3.0)
    same = a_game(players=("bob", "ada"), lead_changes=4, swing=0.5)
    lively = a_game(setup="trap", lead_changes=4, swing=0.9)
    dead = a_game(setup="tiny", lead_changes=0, swing=0.0)
    assert replays.liveliest([calm, dead, same, lively]) == [lively, same]
    assert replays.liveliest([calm, same, lively], most=1) == [lively]


def test_the_records_beside_the_page_are_the_very_bytes(tmp_path: Path) -> None:
    games = a_tournament(["ada", "bob"])
    page = report(tmp_path, ["ada", "bob"], games)
    files = list((tmp_path / "games").iterdir())
    assert len(files) == 2
    for file in files:
        (raw,) = read_records(file).raw
        assert raw in [game.record for game in games]
        assert f"noctagon replay games/{file.name}" in page.text


@pytest.mark.parametrize("name", ["vampires", "wargame"])
def test_a_replay_is_put_together_to_the_very_drawings(tmp_path: Path, name: str) -> None:
    setup = "start" if name == "wargame" else "duel"
    game = a_game(game=name, setup=setup, plies=20)
    (film,) = films(report(tmp_path, ["ada", "bob"], [game], game=name))
    record = decode(game.record)
    states = list(record.states())
    frames = film["frames"]
    assert len(frames) == len(states)
    for frame, state, turn in zip(frames[:-1], states, record.turns, strict=False):
        arrows = state.arrows(find_game(name).parse_action(turn.action, state))
        drawing = svg.take_apart(state.view(), state.symbols(), arrows=arrows)
        assert [film["elements"][number] for number in frame["e"]] == drawing.elements
        assert frame["s"].endswith(turn.action)
    assert len("".join(film["elements"])) < sum(len(state._repr_svg_()) for state in states) / 4


def test_the_symbols_are_in_the_page_once(tmp_path: Path) -> None:
    names = ["ada", "bob", "cyd", "dan"]
    page = report(tmp_path, names, a_tournament(names))
    assert len(films(page)) == replays.MOST_REPLAYS
    ids = page.all("id")
    assert len(ids) == len(set(ids))
    used = {
        link
        for film in films(page)
        for element_ in film["elements"]
        for link in re.findall(r'href="#([^"]*)"', element_)
    }
    assert used
    assert used <= set(ids)
    assert (tmp_path / "index.html").stat().st_size < 3_000_000


def test_a_long_game_is_thinned_evenly() -> None:
    plies = replays.thinned(1001, 80)
    assert (plies[0], plies[-1], len(plies)) == (0, 1000, 80)
    assert {after - before for before, after in pairwise(plies)} <= {12, 13}


def test_a_film_that_would_be_too_large_has_fewer_frames_or_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game, record = find_game("vampires"), a_record(plies=30)
    whole = len(msgspec.json.encode(replays.film(record, game).film))
    monkeypatch.setattr(replays, "MOST_BYTES", whole - 1)
    monkeypatch.setattr(replays, "MOST_FRAMES", 31)
    made = replays.film(record, game).film
    assert (len(made.frames), made.plies) == (15, 30)
    assert made.frames[-1].ply == 30
    monkeypatch.setattr(replays, "MOST_BYTES", 100)
    with pytest.raises(NoctagonError, match="too large"):
        replays.film(record, game)


def test_a_record_that_does_not_hold_is_told_and_spoils_nothing(tmp_path: Path) -> None:
    broken = a_game(record=b'{"noctagon":1,"game":"<b>"}', lead_changes=9)
    page = report(tmp_path, ["ada", "bob"], [broken, a_game(setup="trap")])
    assert "It cannot be shown here: not a record of a game" in page.text
    assert len(films(page)) == 1


def test_a_film_cannot_end_the_script_it_stands_in() -> None:
    film = replays.Film(1, 1, 1, ["</script><!--<SCRIPT>"], [replays.ReplayFrame([0], "<script>", 0)])
    text = replays.encode(film)
    assert not re.search(r"</|<!|<script", text, re.IGNORECASE)
    assert json.loads(text)["elements"] == ["</script><!--<SCRIPT>"]


def test_the_lead_is_above_the_middle_for_the_first_player_and_below_for_the_second() -> None:
    curve = charts.lead_curve([0.5, 0.6, 0.5, 0.0])
    (points,) = re.findall(r'<polyline class="curve" points="([^"]*)"', curve)
    heights = [float(point.split(",")[1]) for point in points.split()]
    assert heights[0] == heights[2] == 50
    assert heights[3] == 96
    assert 4 < heights[1] < 50
    assert "nan" not in charts.lead_curve([0.5])
