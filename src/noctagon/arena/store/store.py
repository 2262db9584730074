"""The store: tournaments and finished games, with the original bytes of every record."""

from __future__ import annotations

import datetime
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, Select, Table, bindparam, func, or_, select
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from noctagon.arena.bout import Finished, finished_game
from noctagon.arena.store.database import Database, open_database
from noctagon.arena.store.rows import SELECTED, RowReader, flat, storable
from noctagon.arena.store.schema import games, players, records, tournaments
from noctagon.core.game import NoctagonError, State
from noctagon.core.record import Record, read_records
from noctagon.core.registry import game_names

DEFAULT = "noctagon.db"
"""Name of the store in the current folder, where none is given."""
PAGE = 5000
"""Number of games read at a time, and below it the number where their records are read too."""
RECORDS_PAGE = 200


INSERT: dict[str, Callable[[Table], Any]] = {"sqlite": sqlite_insert, "postgresql": postgresql_insert}
"""Each dialect's INSERT that can do something about a row that exists."""

# Statements for every game, built once: building one takes longer than running it.
_ADD_GAME = {
    name: insert(games).on_conflict_do_nothing().returning(games.c.id) for name, insert in INSERT.items()
}
_ADD_PLAYER = players.insert().returning(players.c.id)
_PLAYER = select(players.c.id).where(
    players.c.name == bindparam("the_name"),
    players.c.spec == bindparam("the_spec"),
    players.c.version == bindparam("the_version"),
)
_TOURNAMENT = select(tournaments.c.id).where(tournaments.c.name == bindparam("called"))
_WITH_RECORD = select(games.c.id).where(games.c.sha256 == bindparam("digest")).limit(1)


class StoredPlan(NamedTuple):
    """A tournament as it was saved: the plan's bytes, when it was begun, and which noctagon saved it last."""

    name: str
    game: str
    plan: bytes
    date: str
    noctagon: str


class StoredRecord(NamedTuple):
    """A game of the store; `tournament` is empty for one that belongs to none."""

    id: int
    tournament: str
    game: Finished


class Imported(NamedTuple):
    """The outcome of an import: how many games were new, how many were there already, and what was wrong."""

    new: int
    known: int
    troubles: list[str]


class Store:
    """Tournaments and games in a database. Many programs may write to the same store at once.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store.open(f"{folder}/games.db") as store:
    ...     store.save_plan("spring", "vampires", b"rounds = 2")
    ...     store.plan("spring").game
    'vampires'
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    def open(cls, where: str | Path | None = None, *, create: bool = True) -> Store:
        """Open the store at a path or a URL such as postgresql://user@host/name; by default `noctagon.db` here."""
        return cls(open_database(where if where is not None else DEFAULT, create=create))

    @property
    def name(self) -> str:
        """Its place as it may be shown: without a password."""
        return self._database.name

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def save_plan(self, name: str, game: str, plan: bytes) -> None:
        """Save a tournament's plan, in place of an earlier one of that name."""
        if not name:
            raise NoctagonError("a tournament needs a name")
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        saved = {"game": game, "plan": plan, "noctagon": version("noctagon")}
        with self._database.writing() as connection:
            insert = INSERT[connection.dialect.name](tournaments).values(name=name, date=now, **saved)
            connection.execute(insert.on_conflict_do_update(index_elements=["name"], set_=saved))

    def plan(self, name: str) -> StoredPlan | None:
        """Return a tournament's plan, or None."""
        return next((stored for stored in self.plans() if stored.name == name), None)

    def plans(self) -> list[StoredPlan]:
        """Return all tournaments in the order in which they were begun."""
        columns = tournaments.c
        query = select(columns.name, columns.game, columns.plan, columns.date, columns.noctagon)
        with self._database.reading() as connection:
            return [StoredPlan(*row) for row in connection.execute(query.order_by(columns.id))]

    def add(self, game: Finished, tournament: str = "") -> bool:
        """Add a game; return False if it was there already. It is on the disk when this returns.

        In a tournament a game is identified by slot and key, without one by the bytes of its record.
        """
        with self._database.writing() as connection:
            return self._add(connection, game, self._tournament_id(connection, tournament))

    def keep(self, game: Finished, tournament: str) -> Finished:
        """Add a game of a tournament; return the one that counts, this or an earlier one, without its record."""
        with self._database.writing() as connection:
            if self._add(connection, game, self._tournament_id(connection, tournament)):
                return msgspec.structs.replace(game, record=b"")
            here = (_in_tournament(tournament), games.c.slot == game.slot, games.c.key == game.key)
            return RowReader()(connection.execute(SELECTED.where(*here)).one())

    def playing(self, tournament: str) -> AbstractContextManager[None]:
        """Hold the claim on a tournament; raise `NoctagonError` where another program is playing it."""
        return self._database.claimed(tournament)

    def finished(self, tournament: str) -> list[Finished]:
        """Return the games of a tournament, without their records, in the order in which they were added."""
        rows = self._paged(SELECTED.where(_in_tournament(tournament)), PAGE, None, newest_first=False)
        read = RowReader()
        return [read(row) for row in rows]

    def set_aside(self, tournament: str, which: Sequence[tuple[str, str]]) -> None:
        """Take games, by slot and key, out of a tournament; they stay in the store as games of none."""
        with self._database.writing() as connection:
            for slot, key in which:
                here = (_in_tournament(tournament), games.c.slot == slot, games.c.key == key)
                row = connection.execute(select(games.c.id, games.c.sha256).where(*here)).first()
                if row is not None:
                    self._set_aside(connection, row.id, row.sha256)

    def record(self, tournament: str, slot: str, key: str) -> bytes:
        """Return the record of a game, byte for byte as it was added."""
        query = select(games.c.sha256, records.c.content).join(records, records.c.game_id == games.c.id)
        query = query.where(_in_tournament(tournament), games.c.slot == slot, games.c.key == key)
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        if row is None:
            raise NoctagonError(f"{self.name}: no game {slot} ({key}) of the tournament {tournament!r}")
        return self._unpacked(row.content, row.sha256, slot)

    def number(self, tournament: str, slot: str, key: str) -> int | None:
        """Return a game's number; of several, that of the newest."""
        here = (_in_tournament(tournament), games.c.slot == slot, games.c.key == key)
        with self._database.reading() as connection:
            found: int | None = connection.scalar(select(func.max(games.c.id)).where(*here))
        return found

    def records(
        self,
        *,
        tournament: str | None = None,
        player: str | None = None,
        game: str | None = None,
        number: int | None = None,
        limit: int | None = None,
        newest_first: bool = False,
        content: bool = True,
    ) -> Iterator[StoredRecord]:
        """Yield games in the order in which they were added, or the newest first; without `content` no records.

        The arguments select those of a tournament ("": of none), of a player by words in its name or spec
        ("alphabeta depth=3"), of a kind of game, or the one with a number.
        """
        query = SELECTED
        if content:
            query = query.add_columns(records.c.content).join(records, records.c.game_id == games.c.id)
        if tournament is not None:
            query = query.where(_in_tournament(tournament))
        if player is not None:
            matching = select(players.c.id).where(*_called(player))
            query = query.where(or_(games.c.first_id.in_(matching), games.c.second_id.in_(matching)))
        if game is not None:
            query = query.where(games.c.game == game)
        if number is not None:
            query = query.where(games.c.id == number)
        read = RowReader()
        for row in self._paged(query, RECORDS_PAGE if content else PAGE, limit, newest_first=newest_first):
            record = self._unpacked(row.content, row.sha256, f"game {row.id}") if content else b""
            yield StoredRecord(row.id, row.tournament or "", read(row, record))

    def player_names(self) -> list[str]:
        """Return the names of all players."""
        with self._database.reading() as connection:
            return list(connection.scalars(select(players.c.name).distinct().order_by(players.c.name)))

    def import_records(self, path: Path) -> Imported:
        """Add the games of a file of records, as games of no tournament; broken records are added and reported."""
        reading = read_records(path)
        troubles = [reading.trouble] if reading.trouble else []
        new = known = 0
        found = list(zip(reading.records, reading.raw, strict=True))
        for start in range(0, len(found), RECORDS_PAGE):
            page = []
            for number, (record, raw) in enumerate(found[start : start + RECORDS_PAGE], start + 1):
                game, trouble = _replayed(record, raw)
                page.append(game)
                if trouble:
                    troubles.append(f"{path}, record {number}: {trouble}")
            with self._database.writing() as connection:
                added = sum(self._add(connection, game, None) for game in page)
            new, known = new + added, known + len(page) - added
        return Imported(new, known, troubles)

    def _add(self, connection: Connection, game: Finished, tournament: int | None) -> bool:
        digest = sha256(game.record).hexdigest()
        if tournament is None:
            if not game.record:
                raise NoctagonError(
                    f"{self.name}: without a tournament a game is known by its record; it has none"
                )
            if connection.scalar(_WITH_RECORD, {"digest": digest}):
                return False
        sides = [
            self._player_id(connection, *player)
            for player in zip(game.players, game.specs, game.versions, strict=True)
        ]
        row = flat(game) | {
            "tournament_id": tournament,
            "sha256": digest,
            "first_id": sides[0],
            "second_id": sides[1],
        }
        number = connection.scalar(_ADD_GAME[connection.dialect.name], row)
        if number is None:
            return False
        connection.execute(records.insert(), {"game_id": number, "content": zlib.compress(game.record)})
        return True

    def _set_aside(self, connection: Connection, number: int, digest: str) -> None:
        kept = select(games.c.id).where(_in_tournament(""), games.c.sha256 == digest)
        if connection.scalar(kept) is None:
            connection.execute(games.update().where(games.c.id == number).values(tournament_id=None))
        else:  # a record is there once among the games of no tournament
            connection.execute(records.delete().where(records.c.game_id == number))
            connection.execute(games.delete().where(games.c.id == number))

    def _tournament_id(self, connection: Connection, name: str) -> int | None:
        if not name:
            return None
        found: int | None = connection.scalar(_TOURNAMENT, {"called": name})
        if found is None:
            raise NoctagonError(
                f"{self.name}: there is no tournament {name!r}; its plan has to be saved first"
            )
        return found

    def _player_id(self, connection: Connection, name: str, spec: str, which: str) -> int:
        row = {"name": storable(name), "spec": storable(spec), "version": storable(which)}
        found: int | None = connection.scalar(
            _PLAYER, {f"the_{column}": text for column, text in row.items()}
        )
        if found is None:
            found = connection.scalar(_ADD_PLAYER, row)
        assert found is not None
        return found

    def _paged(
        self, query: Select[Any], size: int, limit: int | None, *, newest_first: bool
    ) -> Iterator[Row[Any]]:
        """Yield rows, some at a time; no transaction stays open between them, so that a reader may also write."""
        number = games.c.id
        query = query.order_by(number.desc() if newest_first else number)
        left = limit
        last: int | None = None
        while left is None or left > 0:
            page = query.limit(size if left is None else min(left, size))
            if last is not None:
                page = page.where(number < last if newest_first else number > last)
            with self._database.reading() as connection:
                rows = connection.execute(page).all()
            yield from rows
            if len(rows) < size:
                return
            last = rows[-1].id
            left = None if left is None else left - len(rows)

    def _unpacked(self, content: bytes, digest: str, which: str) -> bytes:
        try:
            record = zlib.decompress(content)
        except zlib.error:
            record = b""
        if sha256(record).hexdigest() != digest:
            raise NoctagonError(
                f"{self.name}: the record of {which} is damaged; restore the store from a back-up"
            )
        return record


def _replayed(record: Record, raw: bytes) -> tuple[Finished, str]:
    """Return a game that was refereed elsewhere, and what is wrong with its record, if anything."""
    trouble = ""
    states: list[State[Any]] = []
    try:
        states = list(record.states())
        trouble = record.contradiction(states[-1])
    except NoctagonError as error:
        # The record of a game that is not installed here is kept without a word.
        trouble = str(error) if record.game in game_names() else ""
    return finished_game(record, states, raw), trouble


def _called(words: str) -> list[ColumnElement[bool]]:
    """Return the condition that every word is in a player's name or spec, since lists show options in several ways."""
    return [
        or_(*(column.icontains(word, autoescape=True) for column in (players.c.name, players.c.spec)))
        for word in re.split(r"[\s(),]+", words)
        if word
    ]


def _in_tournament(name: str) -> ColumnElement[bool]:
    if not name:
        return games.c.tournament_id.is_(None)
    known = select(tournaments.c.id).where(tournaments.c.name == name)
    return games.c.tournament_id == known.scalar_subquery()
