"""Claims on tournaments: one program plays a tournament at a time.

A claim is a lock of the operating system or of a server's session, so it ends with its process, however that ends.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from zlib import crc32

from sqlalchemy import Connection, Engine, text

from noctagon.core.game import NoctagonError
from noctagon.processes.system import lock

CLASS = 0x6E6F
"""First number of our advisory locks at a PostgreSQL server; the second is made from the tournament's name."""
DEAD_AFTER = {"tcp_keepalives_idle": 30, "tcp_keepalives_interval": 10, "tcp_keepalives_count": 3}
"""Settings by which a server notices within a minute that a machine is gone; by default it takes hours."""
LONGEST = 63
"""Maximum length of a session's name, in bytes."""


@contextmanager
def claimed(engine: Engine, tournament: str) -> Iterator[None]:
    """Hold the claim on a tournament; raise `NoctagonError` where another program has it."""
    claim = _by_file if engine.dialect.name == "sqlite" else _by_session
    with claim(engine, tournament):
        yield


@contextmanager
def _by_file(engine: Engine, tournament: str) -> Iterator[None]:
    if engine.url.database is None:  # it is read-only, which a write reports
        yield
        return
    store = Path(engine.url.database).resolve()  # the same file by any link
    path = Path(f"{store}-{crc32(tournament.encode()):08x}.playing")
    with _locked(path, tournament):
        try:
            yield
        finally:
            with contextlib.suppress(
                OSError
            ):  # Windows refuses while it is open; a leftover file does no harm
                path.unlink()


@contextmanager
def _locked(path: Path, tournament: str) -> Iterator[None]:
    """Lock a file, and write into it which process has the lock."""
    while True:
        with _opened(path) as file:
            if not lock(file):
                file.seek(0)
                raise _taken(tournament, file.read().decode("utf-8", "replace"))
            try:
                still_there = os.path.samestat(os.fstat(file.fileno()), path.stat())
            except FileNotFoundError:
                still_there = False
            if still_there:  # else its owner has just removed it, and others would lock a new file
                file.truncate(0)
                file.write(_who().encode())
                yield
                return


def _opened(path: Path) -> IO[bytes]:
    try:
        return path.open("a+b", buffering=0)
    except OSError as error:
        raise NoctagonError(f"{path} cannot be written: {error.strerror}") from error


@contextmanager
def _by_session(engine: Engine, tournament: str) -> Iterator[None]:
    number = crc32(tournament.encode()) & 0x7FFFFFFF
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for setting, value in DEAD_AFTER.items():
            connection.execute(text(f"SET {setting} = {value}"))
        host = platform.node().partition(".")[0]
        called = _who(f" on {host}" if host else "").encode("ascii", "replace")[:LONGEST].decode()
        connection.execute(text("SELECT set_config('application_name', :called, false)"), {"called": called})
        if not connection.scalar(text(f"SELECT pg_try_advisory_lock({CLASS}, {number})")):
            raise _taken(tournament, _owner(connection, number))
        try:
            yield
        finally:
            connection.invalidate()  # the session ends, and the lock with it


def _owner(connection: Connection, number: int) -> str:
    """Return the name of the session that has a lock."""
    query = f"""
        SELECT application_name FROM pg_stat_activity JOIN pg_locks USING (pid) JOIN pg_database ON oid = database
        WHERE locktype = 'advisory' AND classid = {CLASS} AND objid = {number} AND objsubid = 2 AND granted
        AND pg_database.datname = current_database()"""
    return str(connection.scalar(text(query)) or "")


def _who(where: str = "") -> str:
    now = datetime.datetime.now().astimezone()
    return f"process {os.getpid()}{where} since {now:%Y-%m-%d %H:%M}"


def _taken(tournament: str, owner: str) -> NoctagonError:
    return NoctagonError(
        f"{tournament} is being played already, by {owner or 'another program'}; it goes on by itself"
    )
