"""A PostgreSQL server of our own for the tests: made in a folder of its own, thrown away with it."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
import pytest

PASSWORD = "open sesame"
SETTINGS = "-c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=30 -c shared_buffers=16MB"


def find_programs() -> Path | None:
    """The folder with PostgreSQL's programs; Debian does not put them on the path."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


class Server:
    """A running server, on which every test makes databases of its own."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._numbers = count(1)

    def url(self, database: str = "postgres", password: str = PASSWORD) -> str:
        return f"postgresql://noctagon:{password.replace(' ', '%20')}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """The URL of a new database."""
        name = f"test{next(self._numbers)}"
        self.run("postgres", f"CREATE DATABASE {name}")
        return self.url(name)

    def run(self, database: str, *statements: str) -> None:
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())


@contextmanager
def running_server() -> Iterator[Server]:
    """Start a server, and stop it; skip the tests where there is none, unless it has to be there."""
    programs = find_programs()
    if programs is None:
        assert "NOCTAGON_CI" not in os.environ, "PostgreSQL is not installed, and CI has to test with it"
        pytest.skip("PostgreSQL is not installed (no initdb on the path or in /usr/lib/postgresql)")
    user = _somebody() if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="noctagon-postgres-") as name:
        folder = Path(name)
        (folder / "password").write_text(PASSWORD)
        if user:
            for path in (folder, folder / "password"):
                shutil.chown(path, user)
        data = str(folder / "data")

        def run(program: str, *words: str) -> None:
            with (folder / "printed").open("wb") as printed:  # a pipe would stay open as long as the server
                done = subprocess.run(
                    [programs / program, "-D", data, *words],
                    user=user,
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=printed,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, "LC_ALL": "C"},
                    check=False,
                )
            assert done.returncode == 0, f"{program}: {(folder / 'printed').read_text()}"

        pwfile = f"--pwfile={folder / 'password'}"
        run("initdb", "-U", "noctagon", "-A", "scram-sha-256", pwfile, "-E", "UTF8", "--no-sync")
        port = _free_port()
        options = f"{SETTINGS} -c port={port} -c unix_socket_directories={folder}"
        run("pg_ctl", "start", "-w", "-t", "60", "-l", str(folder / "log"), "-o", options)
        try:
            yield Server(port)
        finally:
            run("pg_ctl", "stop", "-w", "-m", "immediate")


def _somebody() -> str:
    """A user that is not root, which PostgreSQL refuses to be run by."""
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port
