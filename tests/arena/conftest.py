"""What the arena's tests share: a PostgreSQL server, started once."""

from collections.abc import Iterator

import pytest

from tests.arena.postgres import Server, running_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server of our own. Mark a test that asks for it with xdist_group("postgres"), so that there is only one."""
    with running_server() as server:
        yield server
