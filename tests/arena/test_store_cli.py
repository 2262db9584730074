"""`noctagon records` as a user types it."""

import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from noctagon.arena.store.store import DEFAULT, Store
from noctagon.cli import main
from noctagon.core.record import read_records
from tests.arena.games import a_game, a_record
from tests.arena.postgres import Server

Command = Callable[..., tuple[str, str]]


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Command:
    """Runs `noctagon records …` in a folder of its own: what it printed on both streams."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str, code: int = 0) -> tuple[str, str]:
        monkeypatch.setattr(sys, "argv", ["noctagon", "records", *words])
        with pytest.raises(SystemExit) as left:
            main()
        out, errors = capfd.readouterr()
        assert (left.value.code or 0) == code, out + errors
        return out, errors

    return run


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with three games, the first two of a tournament."""
    path = tmp_path / DEFAULT
    with Store.open(path) as opened:
        opened.save_plan("spring", "vampires", b"")
        opened.add(a_game(players=("ada", "[bold]bob"), detail="the Werewolves are gone"), "spring")
        opened.add(a_game(players=("cleo", "ada"), winner=None, setup="tiny", late=(2, 0)), "spring")
        crash = ("", "Traceback\nKeyError: 'x'")
        opened.add(a_game(players=("ada", "cleo"), game="wargame", reason="crash", plies=6, logs=crash))
    return path


def test_an_empty_folder_gets_a_friendly_word(records: Command, tmp_path: Path) -> None:
    out, _ = records("list")
    assert out.startswith("no games yet: play some with noctagon tournament, or bring some with")
    assert "no games yet" in records("show", "1", code=2)[1]
    assert "no games yet" in records("export", "games.jsonl", code=2)[1]
    assert list(tmp_path.iterdir()) == []
    assert "other.db: there is no such store" in records("list", "--store", "other.db", code=2)[1]
    Store.open(tmp_path / DEFAULT).close()
    assert "noctagon.db: no games yet" in records("list")[0]


def test_list_shows_the_newest_games_first(records: Command, store: Path) -> None:
    out, _ = records("list")
    heads, *rows = (line.split() for line in out.splitlines() if line)
    assert heads == ["Id", "Date", "Game", "Map", "Players", "Result", "Plies", "Tournament"]
    assert [row[0] for row in rows[:3]] == ["3", "2", "1"]
    assert rows[0][1:] == ["2026-11-15", "wargame", "duel", "ada", "–", "cleo", "1–0", "crash", "6"]
    assert rows[1][2:] == ["vampires", "tiny", "cleo", "–", "ada", "½–½", "stopped", "10", "spring"]
    assert rows[2][4:] == ["ada", "–", "[bold]bob", "1–0", "resignation", "10", "spring"]
    assert out.endswith("noctagon records show ID shows a game\n")


def test_list_can_be_narrowed(records: Command, store: Path) -> None:
    def listed(*words: str) -> list[str]:
        lines = records("list", *words)[0].splitlines()[1:]
        return [line.split()[0] for line in lines if line.strip()[:1].isdigit()]

    assert listed("--tournament", "spring") == ["2", "1"]
    assert listed("--player", "cleo") == ["3", "2"]
    assert listed("--player", "cleo.py:Bot") == ["3", "2"]
    assert listed("--game", "wargame") == ["3"]
    assert listed("--limit", "1") == ["3"]
    assert "there are more: --limit" in records("list", "--limit", "1")[0]
    assert "there are more" not in records("list", "--limit", "3")[0]
    assert "did you mean spring?" in records("list", "--tournament", "sprig", code=2)[1]
    assert "unknown player 'cloe'; did you mean cleo?" in records("list", "--player", "cloe", code=2)[1]
    assert "did you mean wargame?" in records("list", "--game", "wargames", code=2)[1]
    out, _ = records("list", "--game", "wargame", "--tournament", "spring")
    assert "no games of tournament spring, game wargame" in out


def test_show_tells_a_game_and_its_last_board(records: Command, store: Path) -> None:
    out, _ = records("show", "1")
    assert "game 1: vampires on duel, 2026-11-15 12:00, spring, 1/ada/[bold]bob/duel/" in out
    assert " first: ada (ada.py:Bot, 1); 2.50 s for 5 turns, longest 0.75 s" in out
    assert "result: 1–0, resignation: the Werewolves are gone; 10 plies" in out
    assert str(a_record().final()) in out
    assert "2 late" in records("show", "2")[0]
    out, _ = records("show", "3", "--ply", "2")
    assert "the log of cleo:\n  Traceback\n  KeyError: 'x'" in out
    assert "ply 2 of 100" in out
    assert "no ply 7" in records("show", "3", "--ply", "7", code=2)[1]
    assert "there is no game 4; noctagon records list shows all" in records("show", "4", code=2)[1]
    with Store.open(store) as opened:
        opened.add(a_game(plies=1))
    assert "; 1 ply, the lead changed" in records("show", "4")[0]


def test_what_others_wrote_does_not_rule_the_terminal(records: Command, tmp_path: Path) -> None:
    with Store.open(tmp_path / DEFAULT) as opened:
        opened.add(a_game(players=("\x1b[31mred", "bob"), logs=("\x1b[2Jgone\ttab", "")))
    for out in (records("list")[0], records("show", "1")[0]):
        assert "\x1b" not in out
        assert "�[31mred" in out


def test_show_gives_the_commands_to_watch_a_game(
    records: Command, store: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, _ = records("show", "2", "--store", str(store))
    export = f"noctagon records export --store {store} --id 2 game-2.jsonl"
    assert out.endswith(f"to watch it: {export} && noctagon replay game-2.jsonl\n")
    assert records(*export.split()[2:])[0] == "game-2.jsonl: 1 game\n"
    monkeypatch.setattr(sys, "argv", ["noctagon", "replay", "game-2.jsonl", "--ply", "10"])
    with pytest.raises(SystemExit):
        main()
    assert str(a_record().final()) in capfd.readouterr().out


def test_export_writes_the_very_bytes(records: Command, store: Path, tmp_path: Path) -> None:
    with Store.open(store) as opened:
        kept = [stored.game.record for stored in opened.records()]
    assert records("export", "all.jsonl")[0] == "all.jsonl: 3 games\n"
    assert (tmp_path / "all.jsonl").read_bytes() == b"".join(record + b"\n" for record in kept)
    assert records("export", "-")[0] == (tmp_path / "all.jsonl").read_text()
    assert records("export", "-", "--tournament", "spring", "--limit", "1")[0].encode() == kept[0] + b"\n"
    assert records("export", "-", "--id", "3")[0].encode() == kept[2] + b"\n"
    assert "all.jsonl exists already" in records("export", "all.jsonl", code=2)[1]
    assert records("export", "all.jsonl", "--force", "--player", "cleo")[0] == "all.jsonl: 2 games\n"
    assert "cannot be written" in records("export", "no/where.jsonl", code=2)[1]
    assert "there is no game 9" in records("export", "-", "--id", "9", code=2)[1]
    assert "unknown player" in records("export", "-", "--player", "zoe", code=2)[1]


def test_of_files_that_are_not_there_no_store_is_made(records: Command, tmp_path: Path) -> None:
    _, errors = records("import", "gone.jsonl", "lost.jsonl", code=2)
    assert "there is no file gone.jsonl nor lost.jsonl" in errors
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
def test_a_full_disk_is_told_with_the_files_name(records: Command, tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_bytes(a_game().record + b"\n")
    records("import", "one.jsonl")
    _, errors = records("export", "/dev/full", "--force", code=2)
    assert "/dev/full cannot be written: No space left" in errors


def test_import_tells_what_was_new_known_and_wrong(records: Command, tmp_path: Path) -> None:
    lines = [a_game().record for _ in range(3)]
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_bytes(b"\n".join(lines[:2]) + b"\n")
    bad.write_bytes(b"\n".join([lines[1], b"hello", lines[2][:-100]]))
    assert records("import", "good.jsonl")[0] == "good.jsonl: 2 games imported, 0 there already\n"
    out, errors = records("import", "good.jsonl", "bad.jsonl", "gone.jsonl", code=1)
    assert out.splitlines() == [
        "good.jsonl: 0 games imported, 2 there already",
        "bad.jsonl: 1 game imported, 1 there already",
    ]
    assert "bad.jsonl, line 2: not a record of a game" in errors
    assert "line 3: cut off after" in errors
    assert "gone.jsonl: No such file" in errors
    assert "* unfinished" in records("list")[0]
    out, errors = records("show", "3", code=1)
    assert "ply 10 of 200" in out
    assert "game 3: cut off; 10 turns are whole" in errors


def test_what_travels_through_two_stores_stays_the_same(
    records: Command, store: Path, tmp_path: Path
) -> None:
    records("export", "all.jsonl")
    assert records("import", "all.jsonl")[0].endswith("0 games imported, 3 there already\n")
    records("import", "all.jsonl", "--store", "other.db")
    records("export", "again.jsonl", "--store", "other.db")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "all.jsonl").read_bytes()


def test_a_record_over_several_lines_keeps_its_bytes(records: Command, tmp_path: Path) -> None:
    pretty = msgspec.json.format(a_game().record, indent=2)
    (tmp_path / "pretty.json").write_bytes(pretty + b"\n")
    (tmp_path / "plain.jsonl").write_bytes(a_game().record)
    records("import", "pretty.json", "plain.jsonl")
    records("export", "--id", "1", "same.json")
    assert (tmp_path / "same.json").read_bytes() == pretty + b"\n"
    records("export", "both.jsonl")
    reading = read_records(tmp_path / "both.jsonl")
    assert len(reading.records) == 2
    assert not reading.trouble


def test_a_game_that_is_not_installed_is_kept_and_told(records: Command, tmp_path: Path) -> None:
    chess = msgspec.structs.replace(a_record(), game="chess", setup="").to_json()
    (tmp_path / "chess.jsonl").write_bytes(chess)
    records("import", "chess.jsonl")
    out, errors = records("show", "1", code=1)
    assert "game 1: chess on a board of its own" in out
    assert "unknown game 'chess'" in errors


def test_a_wrong_store_is_one_line(records: Command, tmp_path: Path) -> None:
    (tmp_path / "diary.txt").write_text("Dear diary")
    for words in (("list",), ("show", "1"), ("export", "-"), ("import", "diary.txt")):
        _, errors = records(*words, "--store", "diary.txt", code=2)
        assert errors.startswith("noctagon: diary.txt: not a database of SQLite")
        assert errors.count("\n") == 1


@pytest.mark.xdist_group("postgres")
def test_a_server_is_named_without_its_password(records: Command, tmp_path: Path, postgres: Server) -> None:
    url = postgres.new_database()
    assert "no games yet" in records("list", "--store", url, code=2)[1]
    game = a_game()
    (tmp_path / "one.jsonl").write_bytes(game.record)
    assert "1 game imported" in records("import", "one.jsonl", "--store", url)[0]
    assert records("export", "-", "--store", url)[0].encode() == game.record + b"\n"
    for words in (("list",), ("show", "1")):
        out, _ = records(*words, "--store", url)
        assert "sesame" not in out
        assert "postgresql://noctagon:***@127.0.0.1" in out
