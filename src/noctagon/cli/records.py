"""`noctagon records`: list the games of a store, show one, export and import records."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, TypedDict

import typer

from noctagon.core.text import plain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from noctagon.arena.bout import Finished
    from noctagon.arena.store.store import Store, StoredRecord
    from noctagon.core.record import Record

app = typer.Typer(help="The games of a store: list, show, export, import.", no_args_is_help=True)

EMPTY = "no games yet: play some with noctagon tournament, or bring some with noctagon records import FILE"

WIDE = 1000
"""Columns where the output is a file or a pipe: a game should be on one line."""
ROOMY = 100
"""Columns of a terminal with room for the name of the tournament."""

StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="FILE_OR_URL",
        help="The store: a file, or postgresql://… [default: noctagon.db]",
        show_default=False,
    ),
]
TournamentOption = Annotated[
    str | None, typer.Option("--tournament", metavar="NAME", help="Only games of this tournament.")
]
PlayerOption = Annotated[
    str | None,
    typer.Option("--player", metavar="NAME", help="Only games of such players: a part of a name or spec."),
]
GameOption = Annotated[str | None, typer.Option("--game", metavar="NAME", help="Only games of this kind.")]


class Wanted(TypedDict):
    """A selection of games."""

    tournament: str | None
    player: str | None
    game: str | None


@app.command("list")
def list_games(
    store: StoreOption = None,
    tournament: TournamentOption = None,
    player: PlayerOption = None,
    game: GameOption = None,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of games.")] = 20,
) -> None:
    """List games, the newest first."""
    from rich.console import Console
    from rich.table import Table

    opened = _open(store)
    if opened is None:
        print(EMPTY)
        return
    with opened:
        wanted: Wanted = {"tournament": tournament, "player": player, "game": game}
        found = list(opened.records(**wanted, limit=limit + 1, newest_first=True, content=False))
        if not found:
            print(_nothing(opened, wanted))
            return
        hint = f"{command('show', store and opened.name)} ID shows a game"
    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDE)
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("Id", justify="right", style="bold", no_wrap=True)
    for title in ("Date", "Game"):
        table.add_column(title, no_wrap=True)
    for title in ("Map", "Players"):
        table.add_column(title, overflow="fold")
    table.add_column("Result", no_wrap=True)
    table.add_column("Plies", justify="right", no_wrap=True)
    if console.width >= ROOMY and any(stored.tournament for stored in found):
        table.add_column("Tournament", overflow="fold")
    for stored in found[:limit]:
        table.add_row(*_row(stored)[: len(table.columns)])
    console.print(table)
    print()
    print(f"there are more: --limit; {hint}" if len(found) > limit else hint)


@app.command()
def show(
    number: Annotated[int, typer.Argument(metavar="ID", help="The number of the game in the list.")],
    store: StoreOption = None,
    ply: Annotated[
        int | None,
        typer.Option(min=0, help="Show the position after this number of plies.", show_default=False),
    ] = None,
) -> None:
    """Show a game: the players, the result, and the last board."""
    from rich.console import Console

    from noctagon.core.game import NoctagonError

    opened = _open(store)
    if opened is None:
        raise NoctagonError(EMPTY)
    with opened:
        stored = next(opened.records(number=number), None)
        if stored is None:
            listing = command("list", store and opened.name)
            raise NoctagonError(f"{opened.name}: there is no game {number}; {listing} shows all")
    record, trouble = _decoded(stored.game.record)
    console = Console(highlight=False)
    for line in _summary(stored):
        console.print(plain(line), markup=False, soft_wrap=True)
    if record is not None:
        print()
        beyond = _draw(console, record, ply)
        trouble = trouble or beyond
    print()
    file = f"game-{number}.jsonl"
    export = command("export", store and opened.name)
    print(f"to watch it: {export} --id {number} {file} && noctagon replay {file}")
    if trouble:
        print(f"noctagon: game {number}: {trouble}", file=sys.stderr)
        raise typer.Exit(1)


@app.command("export")
def export_games(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Where to, one record a line; - is the screen.")
    ],
    store: StoreOption = None,
    number: Annotated[int | None, typer.Option("--id", metavar="ID", help="Only this game.")] = None,
    tournament: TournamentOption = None,
    player: PlayerOption = None,
    game: GameOption = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of games, the oldest first.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE if it exists.")] = False,
) -> None:
    """Write records to a file, byte for byte as they came; noctagon replay reads it."""
    from itertools import chain

    from noctagon.core.game import NoctagonError

    opened = _open(store)
    if opened is None:
        raise NoctagonError(EMPTY)
    with opened:
        wanted: Wanted = {"tournament": tournament, "player": player, "game": game}
        found = opened.records(**wanted, limit=limit, number=number)
        first = next(found, None)
        if first is None:
            missing = f"{opened.name}: there is no game {number}" if number else _nothing(opened, wanted)
            raise NoctagonError(missing)
        lines = (_line(stored, alone=number is not None) for stored in chain([first], found))
        if str(file) == "-":
            for line in lines:
                sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
            return
        with _new_file(file, force=force) as out:
            written = sum(out.write(line) > 0 for line in lines)
    print(f"{file}: {_some(written, 'game')}")


@app.command("import")
def import_games(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files of records, one a line.")],
    store: StoreOption = None,
) -> None:
    """Add the games of files of records; a game that is there already is not added twice."""
    from noctagon.arena.store.store import Store
    from noctagon.core.game import NoctagonError

    wrong = False
    if not any(file.exists() for file in files):  # so no store is made for nothing
        raise NoctagonError(f"there is no file {' nor '.join(map(str, files))}")
    with Store.open(store) as opened:
        for file in files:
            try:
                new, known, troubles = opened.import_records(file)
                print(f"{file}: {_some(new, 'game')} imported, {known} there already", flush=True)
            except NoctagonError as error:
                troubles = [str(error)]
            for trouble in troubles:
                wrong = True
                print(f"noctagon: {trouble}", file=sys.stderr)
    if wrong:
        raise typer.Exit(1)


def _open(where: str | None) -> Store | None:
    """Open the store; return None if it is the default one and does not exist yet."""
    from noctagon.arena.store.database import NoStore
    from noctagon.arena.store.store import Store

    try:
        return Store.open(where, create=False)
    except NoStore:
        if where is None:
            return None
        raise


def _nothing(store: Store, wanted: Wanted) -> str:
    """Say why no game was found; raise for an unknown name, with similar ones."""
    from noctagon.core.game import UnknownName
    from noctagon.core.registry import game_names

    if next(store.records(limit=1, content=False), None) is None:
        return f"{store.name}: {EMPTY}"
    known = {
        "tournament": [plan.name for plan in store.plans()],
        "player": store.player_names(),
        "game": game_names(),
    }
    asked = {kind: str(name) for kind, name in wanted.items() if name is not None}
    for kind, name in asked.items():
        alone: dict[str, Any] = {kind: name}
        if name not in known[kind] and next(store.records(**alone, limit=1), None) is None:
            raise UnknownName(kind, name, known[kind])
    asked_for = ", ".join(f"{kind} {name}" for kind, name in asked.items())
    return f"{store.name}: no games of {asked_for}"


def _row(stored: StoredRecord) -> list[Text]:
    game = stored.game
    names = [_text(name, "bold" if game.winner == side else "") for side, name in enumerate(game.players)]
    before = (str(stored.id), game.date[:10], game.game, game.setup)
    after = (f"{_score(game)} {game.reason}", str(game.plies), stored.tournament)
    return [*map(_text, before), _text(" – ").join(names), *map(_text, after)]


def _text(text: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(plain(text), style)


def _score(game: Finished) -> str:
    from noctagon.arena.bout import UNFINISHED

    if game.reason == UNFINISHED:
        return "*"
    return "½–½" if game.winner is None else ("1–0", "0–1")[game.winner]


def _summary(stored: StoredRecord) -> list[str]:
    from noctagon.core.text import describe_plies

    game = stored.game
    where = f", {stored.tournament}, {game.slot}" if stored.tournament else ""
    when = game.date[:16].replace("T", " ")
    lines = [f"game {stored.id}: {game.game} on {game.setup or 'a board of its own'}, {when}{where}"]
    for side in (0, 1):
        spec = [game.specs[side]] if game.specs[side] != game.players[side] else []
        known = ", ".join([*spec, *([game.versions[side]] if game.versions[side] else [])])
        conduct = [f"{game.seconds[side]:.2f} s for {_some(game.turns[side], 'turn')}"]
        conduct += [f"longest {game.longest[side]:.2f} s"] if game.turns[side] else []
        conduct += [f"{game.late[side]} late"] if game.late[side] else []
        conduct += [f"{game.illegal[side]} illegal"] if game.illegal[side] else []
        who = f"{game.players[side]} ({known})" if known else game.players[side]
        lines.append(f"{('first', 'second')[side]:>6}: {who}; {', '.join(conduct)}")
    result = f"{_score(game)}, {game.reason}" + (f": {game.detail}" if game.detail else "")
    lines.append(
        f"result: {result}; {describe_plies(game.plies)}, the lead changed {_some(game.lead_changes, 'time')}"
    )
    for name, log in zip(game.players, game.logs, strict=True):
        lines += [f"the log of {name}:", *(f"  {line}" for line in log.splitlines())] if log else []
    return lines


def _decoded(content: bytes) -> tuple[Record | None, str]:
    """Return the record, or what is readable of it, and what is wrong with it."""
    from noctagon.core.game import NoctagonError
    from noctagon.core.record import decode, rescue

    try:
        return decode(content), ""
    except NoctagonError as error:
        record = rescue(content)
        whole = f"cut off; {len(record.turns)} turns are whole" if record is not None else str(error)
        return record, whole


def _draw(console: Console, record: Record, ply: int | None) -> str:
    """Draw the last position, or the one asked for; return what is wrong if the record does not hold."""
    from noctagon.core.game import NoctagonError
    from noctagon.core.registry import find_game
    from noctagon.core.text import describe_plies
    from noctagon.terminal import draw_board

    states: list[Any] = []
    trouble = ""
    try:
        find_game(record.game).load()
        for state in record.states():  # one by one, to keep those before a turn that does not hold
            states += [state]
    except NoctagonError as error:
        trouble = str(error)
    if ply is not None and not trouble and ply >= len(states):
        raise NoctagonError(f"the game has {describe_plies(len(states) - 1)}, so there is no ply {ply}")
    if not states:
        return trouble
    shown = states[-1] if ply is None or ply >= len(states) else states[ply]
    if console.is_terminal:
        console.print(draw_board(shown.view(), width=console.width))
    else:  # a file or a pipe has room for the whole board
        console.print(str(shown), markup=False, soft_wrap=True)
    return trouble


def _line(stored: StoredRecord, *, alone: bool) -> bytes:
    """Return a record as a line; one spread over several lines is joined unless it is alone in its file."""
    record = stored.game.record
    return (record if alone else record.replace(b"\r\n", b" ").replace(b"\n", b" ")) + b"\n"


@contextmanager
def _new_file(file: Path, *, force: bool) -> Iterator[IO[bytes]]:
    from noctagon.core.game import NoctagonError

    try:
        with file.open("wb" if force else "xb") as out:
            yield out
    except FileExistsError:
        raise NoctagonError(f"{file} exists already; --force overwrites it") from None
    except OSError as error:
        raise NoctagonError(f"{file} cannot be written: {error.strerror}") from None


def command(name: str, store: str | None) -> str:
    """Return a records command for the same store."""
    return f"noctagon records {name}" + (f" --store {shlex.quote(store)}" if store else "")


def show_command(opened: Store, where: str | None, tournament: str, game: Finished) -> str:
    """Return the command that shows a game, as the end of a sentence; empty if the store does not have it."""
    number = opened.number(tournament, game.slot, game.key)
    return f"; see {command('show', where and opened.name)} {number}" if number is not None else ""


def _some(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
