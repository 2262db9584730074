"""The studies of the documents' claims: their files can be played, and their pages follow from the data."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lab.__main__ import app
from lab.studies import ALL_KINDS, NAMES
from lab.studies.tree import SearchTask
from lab.studies.turns import TurnResult, TurnTask
from lab.study import DATA, DOCS, FOLDERS, LAB, unpack
from typer.testing import CliRunner

from noctagon.arena.starts import Start
from noctagon.core.game import NoctagonError, UnknownName
from noctagon.core.player import PlayerSpec
from noctagon.core.registry import find_game
from noctagon.players import make_player
from noctagon.studies.comparison import ClaimsSection
from noctagon.studies.file import read_study
from noctagon.studies.study import Study
from noctagon.studies.tasks import GameResult, GameTask
from noctagon.studies.work import ResultsFile


def study_of(name: str, *, quick: bool = False, games: int | None = None) -> Study:
    return read_study(LAB / "studies" / f"{name}.toml", kinds=ALL_KINDS, quick=quick, games=games)


@pytest.mark.parametrize("name", NAMES)
def test_the_studies_can_be_played(name: str) -> None:
    """All players exist, and a whole study is of a size that can be played in hours."""
    study = study_of(name)
    tasks = study.tasks()
    specs = {(spec, task.game) for task in tasks if isinstance(task, GameTask) for spec in task.players}
    specs |= {(task.player, task.game) for task in tasks if isinstance(task, TurnTask)}
    for spec, game in specs:
        assert game in study.about_games
        make_player(PlayerSpec.parse(spec), find_game(game))
    assert 1000 < sum(isinstance(task, GameTask) for task in tasks) < 8000


@pytest.mark.parametrize(("name", "games"), [("vampires", None), ("wargame", None), ("champions", 86)])
def test_the_pages_follow_from_the_stored_data(name: str, games: int | None, tmp_path: Path) -> None:
    """The page in the documentation is what the command writes from the data in the repository, to the byte."""
    unpack(tmp_path / f"{name}.jsonl")
    study = study_of(name, games=games)
    store = ResultsFile(tmp_path / f"{name}.jsonl", name, study.work)
    command = f"`python -m lab study {name}{f' --games {games}' if games else ''}`"
    for path in study.write(store, tmp_path, written_by=command, page=False):
        kept = FOLDERS.get(name, DOCS / "studies") / path.name
        assert "not played yet" not in path.read_text("utf-8")
        assert path.read_text("utf-8") == kept.read_text("utf-8"), f"write {kept} again: {command} --report"


def test_searches_and_turns_are_measured() -> None:
    found = SearchTask("wargame", "minimax:heuristic=e0", Start("start"), 3, 10_000).perform()
    same = SearchTask("wargame", "minimax:heuristic=e0", Start("start"), 3, 10_000, generic=True).perform()
    assert (
        (found.nodes, found.leaves, found.finished) == (same.nodes, same.leaves, True) == (1651, 1519, True)
    )
    assert not SearchTask("wargame", "minimax:heuristic=e0", Start("start"), 3, 100).perform().finished
    turn = TurnTask("vampires", "alphabeta", Start("closet"), 2, 5.0)
    assert turn.perform().depth >= 2


def test_the_page_of_the_champions(tmp_path: Path) -> None:
    """From made-up games: the champion wins all of its own, and on one map the first mover does."""
    study = study_of("champions", quick=True)
    store = ResultsFile(tmp_path / "champions-quick.jsonl", study.name, study.work)
    for task in study.tasks():
        if isinstance(task, TurnTask):
            store.results[task] = TurnResult(True, 0.5, 7, 1_000_000)
        elif isinstance(task, GameTask):
            ours = [spec.startswith("champion") for spec in task.players]
            winner = ours.index(True) if not all(ours) else 0 if task.start.setup == "duel" else None
            store.results[task] = GameResult(winner, "x", (9, 9), depth=(6.0, 3.0))
    paths = study.write(store, tmp_path, written_by="a test")
    text = paths[0].read_text("utf-8")
    assert "The first mover's points on them: duel (100 %)." in text
    assert (
        "| `alphabeta heuristic=e2 depth=50`, as defender | 1 | 1 | **100 % (21–100)** | 0 | 18 | 3.0 |"
        in text
    )
    assert "| 0.05 against 0.02 | 2 | **50 % (" in text
    assert "| vampires, groups (30×30): 2 | 2,000,000 | 7.0 | 0.50 s |" in text
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)
    assert len(pictures) == 10
    assert all((tmp_path / picture).exists() for picture in pictures)


def test_the_mirror_comes_before_the_games_that_need_it() -> None:
    study = study_of("champions")
    place = {task: number for number, task in enumerate(study.tasks())}
    by_name = {section.name: [place[task] for task in section.tasks(study)] for section in study.sections}
    for section in study.sections:
        if isinstance(section, ClaimsSection) and section.apart:
            assert max(by_name[section.apart]) < min(by_name[section.name])
    assert max(by_name["vampires-equal"]) < min(by_name["threads-vampires"])


def test_the_command_plays_and_writes(tmp_path: Path) -> None:
    words = ["study", "wargame", "--quick", "--only", "equal-depth", "--out", str(tmp_path)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.exception
    page = tmp_path / "wargame-quick.md"
    text = page.read_text("utf-8")
    assert "e1 scores 65 % against e0 at equal depth" in text
    page.unlink()
    CliRunner().invoke(app, ["study", "wargame", "--quick", "--report", "--out", str(tmp_path)])
    assert page.read_text("utf-8") == text


def test_mistakes_are_named(tmp_path: Path) -> None:
    for words, told in ((["chess"], "unknown study 'chess'"), (["wargame", "--only", "turtles"], "turtle")):
        done = CliRunner().invoke(app, ["study", *words, "--out", str(tmp_path)])
        assert isinstance(done.exception, NoctagonError | UnknownName)
        assert told in str(done.exception)


def test_the_data_are_compressed() -> None:
    assert sorted(path.name for path in DATA.iterdir() if path.suffix == ".xz") == [
        f"{name}.jsonl.xz" for name in sorted(NAMES)
    ]
