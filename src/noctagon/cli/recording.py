"""`--record` and `--store`: where the finished games of `play`, `match`, `serve` and `tournament` are kept."""

from __future__ import annotations

import datetime
import os
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import typer

from noctagon.core.game import NoctagonError

if TYPE_CHECKING:
    from noctagon.arena.bout import Finished
    from noctagon.arena.store.store import Store

RECORD = typer.Option(
    "--record",
    metavar="FILE|FOLDER",
    help="Add the records to this file, or to this folder a file for each game.",
    show_default=False,
)
STORE = typer.Option(
    "--store",
    metavar="FILE|URL",
    help="Keep the games in this store, where noctagon records finds them.",
    show_default=False,
)


class Recorder:
    """Keeps finished games where `--record` and `--store` say, each on the disk when `keep` returns.

    A `record` that exists is the file or the folder that it is. A new one is a folder if it ends with a slash, and
    where a command has `folders` by default also if it does not end in .json or .jsonl.
    """

    def __init__(self, record: str | None = None, store: str | None = None, *, folders: bool = False) -> None:
        from noctagon.core.position import RECORDS

        self.record = record or ""
        self.where = store
        self.store: Store | None = None
        self._numbers = count(1)
        path = Path(self.record)
        given = self.record.endswith(("/", os.sep))
        usual = folders and not self.record.endswith(RECORDS)
        self._in_folder = bool(self.record) and (path.is_dir() if path.exists() else given or usual)

    def __enter__(self) -> Self:
        """Find out before anything is played whether the games can be kept."""
        try:
            if self._in_folder:
                Path(self.record).mkdir(parents=True, exist_ok=True)
            elif self.record:
                with Path(self.record).open("ab"):
                    pass
        except OSError as error:
            raise NoctagonError(f"--record {self.record}: {error.strerror}") from error
        if self.where is not None:
            from noctagon.arena.store.store import Store

            self.store = Store.open(self.where)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.store is not None:
            self.store.close()

    @property
    def keeps(self) -> bool:
        return bool(self.record) or self.where is not None

    @property
    def places(self) -> str:
        """The places of the games in words; empty where they are not kept."""
        store = f"the store {self.store.name}" if self.store is not None else ""
        return " and ".join(filter(None, [self.record, store]))

    def keep(self, game: Finished, label: str = "") -> None:
        """Keep a game; `label` is a part of its file's name in a folder."""
        if self._in_folder:
            self._write(game.record, label or f"game{next(self._numbers)}")
        elif self.record:
            from noctagon.core.record import append_record

            append_record(game.record, Path(self.record))
        if self.store is not None:
            self.store.add(game)

    def shown_by(self, game: Finished) -> str:
        """Return which command shows a game that was kept in the store, as the end of a sentence about it."""
        if self.store is None:
            return ""
        from noctagon.cli.records import show_command

        return show_command(self.store, self.where, "", game)

    def _write(self, record: bytes, label: str) -> None:
        """Write a file of its own, and never over another game's."""
        stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
        for number in count(1):
            again = f"-{number}" if number > 1 else ""
            path = Path(self.record) / f"{stamp}-{label}{again}.json"
            try:
                with path.open("xb") as file:
                    file.write(record + b"\n")
                return
            except FileExistsError:
                continue
            except OSError as error:
                raise NoctagonError(
                    f"{path}: the record cannot be written: {error.strerror or error}"
                ) from error
