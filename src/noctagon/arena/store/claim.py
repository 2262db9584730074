"""Who plays a tournament: one program at a time, and nobody any more once that program is gone, however it went.

Both ways of claiming end with the process by themselves: a lock of the operating system, and one of a server's session.
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
"""Under this number and one made of its name a tournament is locked at a PostgreSQL server."""
DEAD_AFTER = {"tcp_keepalives_idle": 30, "tcp_keepalives_interval": 10, "tcp_keepalives_count": 3}
"""A minute after a machine has vanished its server knows; otherwise it might be hours."""
LONGEST = 63
"""Bytes of what a session may be called."""


@contextmanager
def claimed(engine: Engine, tournament: str) -> Iterator[None]:
    """Play a tournament of a database alone; raises `NoctagonError` where another program is at it."""
    claim = _by_file if engine.dialect.name == "sqlite" else _by_session
    with claim(engine, tournament):
        yield


@contextmanager
def _by_file(engine: Engine, tournament: str) -> Iterator[None]:
    if engine.url.database is None:  # it can only be read, and whoever wants to write is told so
        yield
        return
    store = Path(engine.url.database).resolve()  # by whatever link it was found
    path = Path(f"{store}-{crc32(tournament.encode()):08x}.playing")
    with _locked(path, tournament):
        try:
            yield
        finally:
            with contextlib.suppress(OSError):  # Windows does not while it is open; then it is only left over
                path.unlink()


@contextmanager
def _locked(path: Path, tournament: str) -> Iterator[None]:
    """Lock a file that says by whom."""
    while True:
        with _opened(path) as file:
            if not lock(file):
                file.seek(0)
                raise _taken(tournament, file.read().decode("utf-8", "replace"))
            try:
                still_there = os.path.samestat(os.fstat(file.fileno()), path.stat())
            except FileNotFoundError:
                still_there = False
            if still_there:  # else its owner has just ended, and others would lock a new one
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
    """What the session that has a lock is called."""
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
