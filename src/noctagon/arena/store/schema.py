"""The store's tables, the version of their schema, and the migrations from earlier versions."""

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
"""Version of the schema; it grows with every change of the tables, and `MIGRATIONS` with it."""

MIGRATIONS: dict[int, tuple[str, ...]] = {
    1: (
        "ALTER TABLE games ADD COLUMN lead_changes BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE games ADD COLUMN swing DOUBLE PRECISION NOT NULL DEFAULT 0",
        "ALTER TABLE games ADD COLUMN first_log TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE games ADD COLUMN second_log TEXT NOT NULL DEFAULT ''",
    ),
}
"""SQL, for both kinds of database, that turns a store of a version into one of the next."""

MARK = ("made by", "noctagon")
"""Row of `meta` that marks a database as a store."""
SHAPE = "schema version"

metadata = MetaData()
_Number = BigInteger().with_variant(Integer, "sqlite")  # only INTEGER is numbered automatically there

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
    """Return the version of the store in a database, 0 if it is empty; raise if it is something else."""
    looking = inspect(connection)
    tables = looking.get_table_names()
    if not tables:
        return 0
    columns = {column["name"] for column in looking.get_columns("meta")} if "meta" in tables else set()
    facts = {}
    if columns == {"name", "value"}:
        facts = {row.name: row.value for row in connection.execute(select(meta))}
    version = facts.get(SHAPE, "")
    if facts.get(MARK[0]) != MARK[1] or not version.isdecimal():
        listed = ", ".join(sorted(tables)[:3]) + (", …" if len(tables) > 3 else "")
        raise NoctagonError(
            f"a database, but not a store of noctagon: it holds the tables {listed}; nothing in it was changed"
        )
    return int(version)


def check_version(version: int) -> None:
    """Raise `NoctagonError` for a store that a later noctagon has made."""
    if version > VERSION:
        raise NoctagonError(
            f"a store of version {version}; this noctagon knows versions up to {VERSION}: install a newer noctagon"
        )


def bring_up_to_date(connection: Connection) -> None:
    """Make the tables, or migrate those of an earlier version, within a transaction."""
    version = version_in(connection)  # again: another program may have been faster
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
