"""`--record` and `--store` mean the same for every command that plays games."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from noctagon.arena.store.store import Store
from noctagon.cli import app
from noctagon.cli.recording import Recorder
from noctagon.core.game import NoctagonError
from noctagon.core.record import read_records
from tests.arena.games import a_game

PLIES = ("--plies", "6", "--time", "30")
COMMANDS = {
    "play": ("play", "wargame", "random", "random", "--games", "2", "--json", "--seed", "1", *PLIES),
    "match": ("match", "random", "greedy", "--game", "wargame", "--games", "2", *PLIES),
    "tournament": ("tournament", "--players", "random", "greedy", "--game", "wargame", *PLIES),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def noctagon(*words: str) -> str:
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_games_go_into_a_file_and_a_store(folder: Path, command: str) -> None:
    (folder / "games.jsonl").write_bytes(a_game().record + b"\n")
    noctagon(*COMMANDS[command], "--record", "games.jsonl", "--store", "games.db")
    reading = read_records(folder / "games.jsonl")
    assert not reading.trouble
    with Store.open("games.db", create=False) as store:
        kept = [stored.game for stored in store.records()]
    assert sorted(game.record for game in kept) == sorted(reading.raw[1:])
    assert len(kept) == 2
    assert all(0 < game.plies <= 6 and game.versions[0].startswith("noctagon ") for game in kept)
    assert "wargame" in noctagon("records", "list", "--store", "games.db")


@pytest.mark.parametrize("command", COMMANDS)
def test_in_a_folder_each_game_has_a_file(folder: Path, command: str) -> None:
    noctagon(*COMMANDS[command], "--record", "new/games/")
    files = sorted((folder / "new" / "games").iterdir())
    assert [len(read_records(file).records) for file in files] == [1, 1]
    assert all(
        file.suffix == ".json" and json.loads(file.read_bytes())["game"] == "wargame" for file in files
    )


def test_what_exists_is_what_it_is_and_a_new_one_what_its_name_says(folder: Path) -> None:
    (folder / "there").mkdir()
    (folder / "old").write_text("")
    for record, folders, is_folder in [
        ("there", False, True),
        ("there", True, True),
        ("old", True, False),
        ("new.jsonl", True, False),
        ("new", False, False),
        ("served", True, True),
        ("more.jsonl/", False, True),
    ]:
        with Recorder(record, folders=folders) as recorder:
            recorder.keep(a_game())
        assert (folder / record).is_dir() is is_folder, record
        files = list((folder / record).iterdir()) if is_folder else [folder / record]
        assert all(len(read_records(file).records) == 1 for file in files)


def test_no_game_is_written_over_another(folder: Path) -> None:
    for _ in range(3):
        with Recorder("games/") as recorder:
            recorder.keep(a_game(), "table1-game1")
    assert len(list((folder / "games").iterdir())) == 3


def test_a_place_that_cannot_be_written_is_named_before_anything_is_played(folder: Path) -> None:
    (folder / "file").write_text("")
    for record in ("file/games/", "no/folder.jsonl"):
        with pytest.raises(NoctagonError, match=f"--record {record}"), Recorder(record):
            pass
