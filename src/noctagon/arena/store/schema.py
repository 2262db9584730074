"""The store's tables, the version of their shape, and how a store of an earlier version becomes one of this."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    insert,
    inspect,
    select,
    text,
    update,
)

from noctagon.core.game import NoctagonError

VERSION = 2
"""Grows with every change of the tables, and `MIGRATIONS` with it."""

MIGRATIONS: dict[int, tuple[str, ...]] = {
    1: (
        "ALTER TABLE games ADD COLUMN lead_changes BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE games ADD COLUMN swing DOUBLE PRECISION NOT NULL DEFAULT 0",
        "ALTER TABLE games ADD COLUMN first_log TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE games ADD COLUMN second_log TEXT NOT NULL DEFAULT ''",
    ),
}
"""What turns a store of that version into one of the next, in SQL that both kinds of database understand."""

MARK = ("made by", "noctagon")
"""The row of `meta` by which a database is known as ours."""
SHAPE = "schema version"

metadata = MetaData()
_Number = BigInteger().with_variant(Integer, "sqlite")  # only INTEGER counts up by itself there

meta = Table(
    "meta",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

players = Table(
    "players",
    metadata,
    Column("id", _Number, primary_key=True),
    Column("name", Text, nullable=False),
    Column("spec", Text, nullable=False),
    Column("version", Text, nullable=False),
    UniqueConstraint("name", "spec", "version"),
)

tournaments = Table(
    "tournaments",
    metadata,
    Column("id", _Number, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("game", Text, nullable=False),
    Column("plan", LargeBinary, nullable=False),
    Column("date", Text, nullable=False),
    Column("noctagon", Text, nullable=False),
)

games = Table(
    "games",
    metadata,
    Column("id", _Number, primary_key=True),
    Column("tournament_id", _Number, ForeignKey(tournaments.c.id)),
    Column("slot", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("round", BigInteger, nullable=False),
    Column("game", Text, nullable=False),
    Column("setup", Text, nullable=False),
    Column("first_id", _Number, ForeignKey(players.c.id), nullable=False),
    Column("second_id", _Number, ForeignKey(players.c.id), nullable=False),
    Column("seed", Text, nullable=False),  # a whole number of any size
    Column("winner", Integer),
    Column("reason", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("plies", BigInteger, nullable=False),
    Column("first_turns", BigInteger, nullable=False),
    Column("second_turns", BigInteger, nullable=False),
    Column("first_seconds", Double, nullable=False),
    Column("second_seconds", Double, nullable=False),
    Column("first_longest", Double, nullable=False),
    Column("second_longest", Double, nullable=False),
    Column("first_late", BigInteger, nullable=False),
    Column("second_late", BigInteger, nullable=False),
    Column("first_illegal", BigInteger, nullable=False),
    Column("second_illegal", BigInteger, nullable=False),
    Column("lead_changes", BigInteger, nullable=False),
    Column("swing", Double, nullable=False),
    Column("first_log", Text, nullable=False),
    Column("second_log", Text, nullable=False),
    Column("date", Text, nullable=False),
    UniqueConstraint("tournament_id", "slot", "key"),
    Index("games_in_order", "tournament_id", "id"),
    Index("games_by_record", "sha256"),
)
Index(
    "games_without_tournament",
    games.c.sha256,
    unique=True,
    sqlite_where=games.c.tournament_id.is_(None),
    postgresql_where=games.c.tournament_id.is_(None),
)

records = Table(
    "records",
    metadata,
    Column("game_id", _Number, ForeignKey(games.c.id), primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),  # zlib
)


def version_in(connection: Connection) -> int:
    """The version of the store in a database; 0 if there is nothing in it yet. Raises if it is not a store of ours."""
    looking = inspect(connection)
    tables = looking.get_table_names()
    if not tables:
        return 0
    columns = {column["name"] for column in looking.get_columns("meta")} if "meta" in tables else set()
    told = {}
    if columns == {"name", "value"}:
        told = {row.name: row.value for row in connection.execute(select(meta))}
    version = told.get(SHAPE, "")
    if told.get(MARK[0]) != MARK[1] or not version.isdecimal():
        listed = ", ".join(sorted(tables)[:3]) + (", …" if len(tables) > 3 else "")
        raise NoctagonError(
            f"a database, but not a store of noctagon: it holds the tables {listed}; nothing in it was changed"
        )
    return int(version)


def check_version(version: int) -> None:
    """Refuse a store that a later noctagon has made."""
    if version > VERSION:
        raise NoctagonError(
            f"a store of version {version}; this noctagon knows versions up to {VERSION}: install a newer noctagon"
        )


def bring_up_to_date(connection: Connection) -> None:
    """Make the tables, or change those of an earlier version. All of it happens, or none: within a transaction."""
    version = version_in(connection)  # once more: another program may have been faster
    check_version(version)
    if not version:
        metadata.create_all(connection)
        rows = [MARK, (SHAPE, str(VERSION))]
        connection.execute(insert(meta), [{"name": name, "value": value} for name, value in rows])
        return
    while version < VERSION:
        for statement in MIGRATIONS[version]:
            connection.execute(text(statement))
        version += 1
        connection.execute(update(meta).where(meta.c.name == SHAPE).values(value=str(version)))
