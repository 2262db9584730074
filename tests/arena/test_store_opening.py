"""Opening a store: what is made, what is brought up to date, and what is refused with a clear word and left alone."""

import os
import socket
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable
from hashlib import sha256
from itertools import count
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import inspect

from noctagon.arena.store import database, schema
from noctagon.arena.store.database import NoStore
from noctagon.arena.store.schema import VERSION
from noctagon.arena.store.store import DEFAULT, Store
from noctagon.core.game import NoctagonError
from tests.arena.games import a_game
from tests.arena.postgres import Server

needs_postgres = pytest.mark.xdist_group("postgres")
BACKENDS = ["sqlite", pytest.param("postgresql", marks=needs_postgres)]

VERSION_1 = """
CREATE TABLE meta (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO meta VALUES ('made by', 'noctagon'), ('schema version', '1');
CREATE TABLE players (
    id {serial} NOT NULL PRIMARY KEY, name TEXT NOT NULL, spec TEXT NOT NULL, version TEXT NOT NULL,
    UNIQUE (name, spec, version)
);
INSERT INTO players (name, spec, version) VALUES ('ada', 'ada.py:Ada', '1'), ('bob', 'greedy', '0.1');
CREATE TABLE tournaments (
    id {serial} NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE, game TEXT NOT NULL, plan {bytes} NOT NULL,
    date TEXT NOT NULL, noctagon TEXT NOT NULL
);
INSERT INTO tournaments (name, game, plan, date, noctagon) VALUES ('spring', 'vampires', '', '2025', '0.0.9');
CREATE TABLE games (
    id {serial} NOT NULL PRIMARY KEY, tournament_id BIGINT REFERENCES tournaments (id),
    slot TEXT NOT NULL, key TEXT NOT NULL, sha256 TEXT NOT NULL, round BIGINT NOT NULL,
    game TEXT NOT NULL, setup TEXT NOT NULL,
    first_id BIGINT NOT NULL REFERENCES players (id), second_id BIGINT NOT NULL REFERENCES players (id),
    seed TEXT NOT NULL, winner INTEGER, reason TEXT NOT NULL, detail TEXT NOT NULL, plies BIGINT NOT NULL,
    first_turns BIGINT NOT NULL, second_turns BIGINT NOT NULL,
    first_seconds DOUBLE PRECISION NOT NULL, second_seconds DOUBLE PRECISION NOT NULL,
    first_longest DOUBLE PRECISION NOT NULL, second_longest DOUBLE PRECISION NOT NULL,
    first_late BIGINT NOT NULL, second_late BIGINT NOT NULL,
    first_illegal BIGINT NOT NULL, second_illegal BIGINT NOT NULL, date TEXT NOT NULL,
    UNIQUE (tournament_id, slot, key)
);
CREATE INDEX games_in_order ON games (tournament_id, id);
CREATE INDEX games_by_record ON games (sha256);
CREATE UNIQUE INDEX games_without_tournament ON games (sha256) WHERE tournament_id IS NULL;
INSERT INTO games (tournament_id, slot, key, sha256, round, game, setup, first_id, second_id, seed, winner, reason,
    detail, plies, first_turns, second_turns, first_seconds, second_seconds, first_longest, second_longest,
    first_late, second_late, first_illegal, second_illegal, date)
VALUES (1, 'slot', 'key', '{digest}', 1, 'vampires', 'duel', 1, 2, '7', 1, 'annihilation', '', 9, 5, 4, 1, 2,
    0.5, 0.25, 0, 1, 0, 0, '2025');
CREATE TABLE records (game_id BIGINT NOT NULL PRIMARY KEY REFERENCES games (id), content {bytes} NOT NULL);
INSERT INTO records VALUES (1, {content});
"""
OLD_RECORD = b'{"noctagon":1,"an":"old record"}'


def execute(place: str, script: str) -> None:
    """Run SQL on a database, past all of our code."""
    if place.startswith("postgresql"):
        with psycopg.connect(place) as connection:
            connection.execute(script.encode())
    else:
        file = sqlite3.connect(place)
        file.executescript(script)
        file.close()


@pytest.fixture(params=BACKENDS)
def new_place(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Tells a place where there is no store yet, another one each time."""
    if request.param == "sqlite":
        numbers = count(1)
        return lambda: str(tmp_path / f"games{next(numbers)}.db")
    new_database: Callable[[], str] = request.getfixturevalue("postgres").new_database
    return new_database


@pytest.fixture
def place(new_place: Callable[[], str]) -> str:
    return new_place()


@pytest.fixture
def old(place: str) -> str:
    """A store of version 1 with one game, as an earlier noctagon made it."""
    on_server = place.startswith("postgresql")
    packed = zlib.compress(OLD_RECORD).hex()
    script = VERSION_1.format(
        serial="BIGSERIAL" if on_server else "INTEGER",
        bytes="BYTEA" if on_server else "BLOB",
        content=f"'\\x{packed}'" if on_server else f"x'{packed}'",
        digest=sha256(OLD_RECORD).hexdigest(),
    )
    execute(place, script)
    return place


def shape(store: Store) -> dict[str, object]:
    """Tables, columns and indexes of a store."""
    with store._database.reading() as connection:
        looking = inspect(connection)
        return {
            table: (
                {column["name"]: bool(column["nullable"]) for column in looking.get_columns(table)},
                {(index["name"], index["unique"]) for index in looking.get_indexes(table)},
                {tuple(unique["column_names"]) for unique in looking.get_unique_constraints(table)},
            )
            for table in looking.get_table_names()
        }


def version_of(store: Store) -> int:
    with store._database.reading() as connection:
        return schema.version_in(connection)


def test_an_old_store_is_brought_up_to_date(old: str, new_place: Callable[[], str]) -> None:
    with Store.open(old, create=False) as store, Store.open(new_place()) as new:
        assert version_of(store) == version_of(new) == VERSION
        assert shape(store) == shape(new)
        (game,) = store.finished("spring")
        assert (game.players, game.winner, game.longest, game.seed) == (("ada", "bob"), 1, (0.5, 0.25), 7)
        assert (game.lead_changes, game.swing, game.logs) == (0, 0.0, ("", ""))
        assert store.record("spring", "slot", "key") == OLD_RECORD
        assert store.add(a_game(swing=0.5, logs=("a", "b")), "spring")
        assert [game.swing for game in store.finished("spring")] == [0.0, 0.5]
    with Store.open(old) as store:
        assert len(store.finished("spring")) == 2


def test_a_migration_that_fails_changes_nothing(old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = schema.MIGRATIONS[1]
    monkeypatch.setitem(schema.MIGRATIONS, 1, (*right, "ALTER TABLE nowhere ADD COLUMN x TEXT"))
    with pytest.raises(NoctagonError, match="nowhere"):
        Store.open(old)
    monkeypatch.setitem(schema.MIGRATIONS, 1, right)
    with Store.open(old) as store:
        assert len(store.finished("spring")) == 1


def test_there_is_a_migration_from_every_version() -> None:
    assert sorted(schema.MIGRATIONS) == list(range(1, VERSION))


def test_a_store_of_a_later_noctagon_is_refused(place: str) -> None:
    with Store.open(place) as store:
        store.add(a_game())
    execute(place, "UPDATE meta SET value = '99' WHERE name = 'schema version'")
    with pytest.raises(NoctagonError, match=r"version 99.*install a newer noctagon"):
        Store.open(place)


def test_a_database_of_somebody_else_is_refused_and_left_alone(place: str) -> None:
    execute(place, "CREATE TABLE games (title TEXT); INSERT INTO games VALUES ('chess')")
    for create in (True, False):
        with pytest.raises(NoctagonError, match="not a store of noctagon: it holds the tables games;"):
            Store.open(place, create=create)
    execute(place, "CREATE TABLE meta (x TEXT)")  # so none was made


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
@pytest.mark.parametrize(
    "tables",
    [
        "CREATE TABLE photos (x TEXT)",
        "CREATE TABLE meta (name TEXT, value TEXT)",
        "CREATE TABLE meta (name TEXT, value TEXT); INSERT INTO meta VALUES ('made by', 'noctagon')",
        "CREATE TABLE meta (something TEXT)",
    ],
)
def test_a_file_of_somebody_else_keeps_every_byte(tmp_path: Path, tables: str, mode: str) -> None:
    file = tmp_path / "photos.db"
    execute(str(file), f"PRAGMA journal_mode = {mode}; {tables}")
    before = file.read_bytes()
    with pytest.raises(NoctagonError, match=r"photos\.db: a database, but not a store of noctagon"):
        Store.open(file)
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_of_somebody_who_is_using_it_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "photos.db"
    theirs = sqlite3.connect(file)
    theirs.executescript("PRAGMA journal_mode = WAL; CREATE TABLE photos (x TEXT)")
    before = {path: path.read_bytes() for path in (file, tmp_path / "photos.db-wal")}
    with pytest.raises(NoctagonError, match="it holds the tables photos"):
        Store.open(file)
    assert {path: path.read_bytes() for path in before} == before
    theirs.close()


@pytest.mark.parametrize("content", [b"Dear diary, ", b"\x7fELF\x00\x01" * 100, b"SQLite format 4\0" * 99])
def test_a_file_that_is_no_database_is_refused_and_kept(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "diary.txt"
    file.write_bytes(content)
    with pytest.raises(NoctagonError, match=r"diary\.txt: not a database of SQLite"):
        Store.open(file)
    assert file.read_bytes() == content
    assert list(tmp_path.iterdir()) == [file]


def damaged(tmp_path: Path, start: int, end: int | None, content: bytes) -> Path:
    """A store of 300 games, some of whose bytes are others now."""
    file = tmp_path / "games.db"
    with Store.open(file) as store, store._database.writing() as connection:
        for _ in range(300):
            store._add(connection, a_game(), None)
    whole = file.read_bytes()
    end = len(whole) if end is None else end
    file.write_bytes(whole[:start] + content + whole[end:])
    return file


@pytest.mark.parametrize(
    ("start", "end", "content"),
    [
        (100, 4096, b"\xff" * 3996),
        (16, 4096, b""),
        (20000, None, b""),
        (40960, 200000, b"\x5a" * (200000 - 40960)),
        (60, None, b""),
    ],
    ids=["first page", "a page is missing", "cut off", "overwritten in the middle", "cut off in the header"],
)
def test_a_damaged_store_is_refused(tmp_path: Path, start: int, end: int | None, content: bytes) -> None:
    file = damaged(tmp_path, start, end, content)
    before = file.read_bytes()
    with pytest.raises(NoctagonError, match=r"games\.db: .*(damaged|not a store of noctagon)"):
        Store.open(file)
    assert file.read_bytes() == before


def test_damage_in_a_store_too_large_to_check_is_told_when_met(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "LARGEST_CHECKED", 0)
    file = damaged(tmp_path, 40960, 200000, b"\x5a" * (200000 - 40960))
    with Store.open(file) as store, pytest.raises(NoctagonError, match=r"games\.db: the file is damaged"):
        list(store.records())


def test_a_place_that_cannot_hold_a_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoctagonError, match="that is a folder"):
        Store.open(tmp_path)
    with pytest.raises(NoctagonError, match=r"there is no folder .*nowhere"):
        Store.open(tmp_path / "nowhere" / "games.db")
    (tmp_path / "file").write_text("x")
    with pytest.raises(NoctagonError, match=r"file/games\.db: "):
        Store.open(tmp_path / "file" / "games.db")
    with pytest.raises(NoctagonError, match="no ordinary file"):
        Store.open("/dev/null")
    with pytest.raises(NoctagonError, match="File name too long"):
        Store.open(tmp_path / ("x" * 300))


@pytest.mark.skipif(
    getattr(os, "geteuid", int)() != 0 or os.name == "nt", reason="becoming somebody else needs root"
)
def test_a_file_without_permission_is_refused_and_one_only_to_read_is_read(tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents):
        if str(folder).startswith("/tmp/"):
            folder.chmod(0o755)
    file, secret, new = (tmp_path / name for name in ("games.db", "secret.db", "new.db"))
    for path, mode in ((file, 0o644), (secret, 0o600)):
        with Store.open(path) as store:
            store.add(a_game())
        path.chmod(mode)
    script = f"""
import os
from noctagon.arena.store import store as module
from noctagon.arena.store.store import Store
from noctagon.core.game import NoctagonError
module.version = lambda name: "0"  # nobody may not be allowed to read what is installed
with Store.open({str(tmp_path / "warm.db")!r}) as store:  # nobody may not be allowed to import what this imports
    store.save_plan("spring", "vampires", b"")
    store.finished("")
os.setgid(65534)
os.setuid(65534)
for call in (
    lambda: len(Store.open({str(file)!r}).finished("")),
    lambda: Store.open({str(file)!r}).save_plan("spring", "vampires", b""),
    lambda: Store.open({str(secret)!r}),
    lambda: Store.open({str(new)!r}),
):
    try:
        print(call())
    except NoctagonError as error:
        print(error)
"""
    command = [sys.executable, "-c", script]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert told.splitlines() == [
        "1",
        f"{file}: it cannot be written: no permission",
        f"{secret}: Permission denied",
        f"{new}: there is no permission to make it",
    ]


def test_a_store_is_made_only_if_it_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "games.db"
    with pytest.raises(NoStore, match=r"games\.db: there is no such store"):
        Store.open(file, create=False)
    assert not file.exists()
    file.touch()
    with pytest.raises(NoStore, match="it is empty"):
        Store.open(file, create=False)
    with Store.open(file) as store:
        store.add(a_game())
    assert list(tmp_path.iterdir()) == [file], "once closed it is one file"
    odd = tmp_path / "50% of #1? a store.db"
    for _ in range(2):
        with Store.open(odd) as store:
            store.add(a_game())
    assert odd.is_file()
    with Store.open(f"sqlite:///{file}", create=False) as store:
        assert store.name == str(file)
        assert len(store.finished("")) == 1
    monkeypatch.chdir(tmp_path)
    with Store.open() as store:
        assert store.name == DEFAULT
    assert (tmp_path / DEFAULT).exists()


def test_a_write_waits_only_so_long_for_another(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(place) as other:
        monkeypatch.setattr(database, "PATIENCE", 1)
        with Store.open(place) as store:
            with other._database.writing():
                assert store.finished("") == [], "reading goes on"
                with pytest.raises(NoctagonError, match="another program has kept it locked for 1 s"):
                    store.add(a_game())
            assert store.add(a_game())


@needs_postgres
def test_a_server_that_was_gone_for_a_moment_is_reached_again(postgres: Server) -> None:
    url = postgres.new_database()
    with Store.open(url) as store:
        store.add(a_game())
        name = url.rpartition("/")[2]
        postgres.run(
            "postgres", f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
        )
        assert store.add(a_game())
        assert len(store.finished("")) == 2


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("postgresql://ada:sesame@host:port/games", "is not a URL of a database"),
        ("postgresql://ada:ses@me@host:5432x/games", "is not a URL of a database"),
        ("mysql://ada:sesame@host/games", "a store is an SQLite file or a PostgreSQL server"),
        ("postgresql+asyncpg://ada:sesame@host/games", "a store is an SQLite file or a PostgreSQL server"),
        ("http://example.org/games.db", "a store is an SQLite file or a PostgreSQL server"),
        ("sqlite://", "tell the path alone"),
        ("sqlite:///games.db?mode=ro", "tell the path alone"),
        ("://", "is not a URL of a database"),
    ],
)
def test_a_wrong_url_is_explained_without_its_password(url: str, told: str) -> None:
    with pytest.raises(NoctagonError, match=told) as caught:
        Store.open(url)
    assert "sesame" not in str(caught.value)
    assert "ses@me" not in str(caught.value)


def test_a_server_that_is_not_there_is_told_without_the_password() -> None:
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        for query in ("", "?password=sesame"):
            with pytest.raises(NoctagonError, match=f"127.0.0.1:{port}/games: .*refused") as caught:
                Store.open(f"postgresql://ada:sesame@127.0.0.1:{port}/games{query}")
            assert "sesame" not in str(caught.value)


@needs_postgres
def test_what_a_server_refuses_is_told_without_the_password(postgres: Server) -> None:
    with pytest.raises(NoctagonError, match="password authentication failed") as caught:
        Store.open(postgres.url(password="swordfish"))
    assert "swordfish" not in str(caught.value)
    with pytest.raises(NoctagonError, match='database "nowhere" does not exist') as caught:
        Store.open(postgres.url("nowhere"))
    assert "sesame" not in str(caught.value)
    for prefix in ("postgresql+psycopg", "postgres"):
        url = postgres.new_database().replace("postgresql", prefix, 1)
        with pytest.raises(NoStore, match="no games yet"):
            Store.open(url, create=False)
        with Store.open(url) as store:
            assert store.add(a_game())
            assert store.name.startswith("postgresql://noctagon:***@127.0.0.1:")
