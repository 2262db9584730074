"""The database behind a store: an SQLite file or a PostgreSQL server, its transactions and errors."""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import NullPool

from noctagon.arena.store.claim import claimed
from noctagon.arena.store.schema import VERSION, bring_up_to_date, check_version, version_in
from noctagon.core.game import NoctagonError

PATIENCE = 60
"""Seconds to wait for another program that writes."""
REACH = 10
"""Seconds to wait for a server to answer."""
LOCK = 0x6E6F6374
"""Number of the advisory lock by which writers take turns at a PostgreSQL server."""
LARGEST_CHECKED = 256 * 2**20
"""Largest file, in bytes, that is checked for damage when it is opened; larger ones report damage when they meet it."""
MAGIC = b"SQLite format 3\0"
DAMAGED = "the file is damaged ({}); restore it from a back-up"
PYTHON = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}


class NoStore(NoctagonError):  # noqa: N818 - it names what is the matter
    """There is no store at that place, and none should be made."""


class Database:
    """An open database with the store's tables. Writers take turns, each for the milliseconds of a transaction."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self.name = name
        """Its place as it may be shown: without a password."""

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with in_our_words(self.name), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that no other writer overlaps: at its end all of it is on the disk, or nothing."""
        with in_our_words(self.name), self._engine.execution_options(writing=True).begin() as connection:
            yield connection

    @contextmanager
    def claimed(self, tournament: str) -> Iterator[None]:
        """Hold the claim on a tournament, so that no other program plays it."""
        with in_our_words(self.name), claimed(self._engine, tournament):
            yield

    def close(self) -> None:
        self._engine.dispose()


@contextmanager
def in_our_words(name: str) -> Iterator[None]:
    """Turn a database's errors into ones that name it and say what to do."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        raise NoctagonError(f"{name}: {_explained(str(cause))}") from error


def _explained(complaint: str) -> str:
    complaint = " ".join(complaint.split())
    for sign, words in (
        ("malformed", DAMAGED),
        ("not a database", "not a database of SQLite, so no store of noctagon, or a damaged one"),
        ("database is locked", f"another program has kept it locked for {PATIENCE} s"),
        ("lock timeout", f"another program has kept it locked for {PATIENCE} s"),
        ("readonly database", "it cannot be written: no permission"),
        ("unable to open", "it cannot be opened, nor made: is its folder one that can be written?"),
    ):
        if sign in complaint:
            return words.format(complaint)
    return complaint


def open_database(where: str | Path, *, create: bool) -> Database:
    """Open the database at a path or a URL; anything but a store is refused and left as it was."""
    if isinstance(where, str) and "://" in where:
        url = _read_url(where)
        path = Path(url.database or "") if url.get_backend_name() == "sqlite" else None
    else:
        path = Path(where).expanduser()
    database = _postgresql(url) if path is None else _sqlite(path, create=create)
    try:
        _prepare(database, create=create)
    except BaseException:
        database.close()
        raise
    return database


def _prepare(database: Database, *, create: bool) -> None:
    """Make sure that the tables are there, in the schema of this version."""
    with _about(database.name):
        with database.reading() as connection:
            version = version_in(connection)
        check_version(version)
        if not version and not create:
            raise NoStore("it is empty: no games yet")
        if version < VERSION:
            with database.writing() as connection:
                bring_up_to_date(connection)


@contextmanager
def _about(name: str) -> Iterator[None]:
    """Name the database in its errors."""
    try:
        with in_our_words(name):
            yield
    except NoctagonError as error:
        if str(error).startswith(f"{name}: "):
            raise
        raise type(error)(f"{name}: {error}") from error


def _read_url(where: str) -> URL:
    shown = re.sub(r"//.*@", "//***@", where.partition("?")[0], flags=re.DOTALL)
    try:
        url = make_url(where)
    except (ArgumentError, ValueError):
        raise NoctagonError(
            f"{shown} is not a URL of a database; one looks like postgresql://user:password@host:5432/name"
        ) from None  # SQLAlchemy's message may show the password
    kind, _, driver = url.drivername.partition("+")
    if kind not in PYTHON or driver not in ("", "psycopg", "pysqlite"):
        raise NoctagonError(f"{shown}: a store is an SQLite file or a PostgreSQL server (postgresql://…)")
    if kind == "sqlite" and (not url.database or url.query):
        raise NoctagonError(f"{shown}: of an SQLite file, tell the path alone")
    return url.set(drivername=PYTHON[kind])


def _postgresql(url: URL) -> Database:
    name = url.set(drivername="postgresql", query={}).render_as_string(hide_password=True)
    patience = {} if "connect_timeout" in url.query else {"connect_timeout": REACH}
    try:
        engine = create_engine(url, pool_pre_ping=True, connect_args=patience)
    except ImportError as error:
        raise NoctagonError(
            f"{name}: PostgreSQL needs a library: pip install 'noctagon[postgres]' ({error})"
        ) from error

    @event.listens_for(engine, "begin")
    def line_up(connection: Connection) -> None:
        if connection.get_execution_options().get("writing"):
            connection.execute(text(f"SET LOCAL lock_timeout = '{PATIENCE}s'"))
            connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCK})"))

    return Database(engine, name)


def _sqlite(path: Path, *, create: bool) -> Database:
    name = str(path)
    with _about(name):
        try:
            new = not path.exists() or not _bytes_at(path)
            if new and not create:
                raise NoStore("it is empty: no games yet" if path.exists() else "there is no such store")
            if not path.parent.is_dir():
                raise NoctagonError(f"there is no folder {path.parent} to make it in")
        except OSError as error:
            raise NoctagonError(error.strerror or str(error)) from error
        if not new:
            _look_at(path)
    writable = os.access(path.parent, os.W_OK) and (new or os.access(path, os.W_OK))
    if not writable and new:
        raise NoctagonError(f"{name}: there is no permission to make it")
    if not writable:
        return Database(_only_to_read(path), name)
    engine = create_engine(
        URL.create("sqlite", database=str(path.absolute())), connect_args={"timeout": PATIENCE}
    )

    @event.listens_for(engine, "connect")
    def settle(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions are begun here, not by Python
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
        _write_ahead(connection)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writing = connection.get_execution_options().get("writing")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return Database(engine, name)


def _bytes_at(path: Path) -> int:
    """Return the size of a file; raise unless it is empty or begins like a database."""
    if path.is_dir():
        raise NoctagonError("that is a folder; a store is a file")
    if not path.is_file():
        raise NoctagonError("that is no ordinary file")
    with path.open("rb") as file:
        start = file.read(len(MAGIC))
    if start and start != MAGIC:
        raise NoctagonError("not a database of SQLite, so no store of noctagon, or a damaged one")
    return path.stat().st_size


def _look_at(path: Path) -> None:
    """Raise if a file is damaged or not a store, before it is opened in a way that may write to it."""
    for attempts_left in (2, 1, 0):
        engine = _only_to_read(path)
        try:
            with engine.connect() as connection:
                version = version_in(connection)
                check_version(version)
                if version and path.stat().st_size <= LARGEST_CHECKED:
                    _check_pages(connection)
            return
        except (NoctagonError, DBAPIError):
            if not attempts_left:  # another program may be making it right now
                raise
        finally:
            engine.dispose()


def _check_pages(connection: Connection) -> None:
    found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    if found != "ok":
        raise NoctagonError(DAMAGED.format(found))


def _only_to_read(path: Path) -> Engine:
    """Open a connection that writes nothing, not even beside the file."""
    journal = path.with_name(path.name + "-wal")
    how = "mode=ro" if journal.exists() else "immutable=1"

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=PATIENCE)

    return create_engine("sqlite://", creator=connect, poolclass=NullPool)


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch to write-ahead logging, so that readers never wait; SQLite's busy timeout does not cover it, so retry."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
