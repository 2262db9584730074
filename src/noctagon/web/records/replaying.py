"""Records of the page: read from an upload or the store as a game to look at, kept in the store. Runs in a worker."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from noctagon.arena.bout import Finished
from noctagon.core.game import Game, NoctagonError, State
from noctagon.core.record import Record, decode, find_records, rescue
from noctagon.core.registry import find_game
from noctagon.web.messages.common import ResultView
from noctagon.web.messages.positions import PositionText
from noctagon.web.messages.records import RecordLine, RecordList, ReplayView
from noctagon.web.messages.tables import ClockView, TurnFrame
from noctagon.web.questions import LARGEST_BOARD
from noctagon.web.tables.frames import STOPPED, frame_of, result_view

MOST_UPLOADED = 500
"""Maximum number of games that are taken from a file."""
MOST_TURNS = 5000
"""Maximum number of turns of a game that are shown."""
RETELLING_SECONDS = 12.0
"""Maximum time in seconds for preparing a game; turns beyond it are not shown."""
LONGEST_NAME = 200


class InStore(msgspec.Struct, frozen=True):
    """A record by its number in a store."""

    store: str
    number: int


Source = bytes | InStore
"""A record that was uploaded, or where to find it: it is read in the process that needs it."""


class RecordSlice(msgspec.Struct, frozen=True):
    """The place of a record within an upload."""

    start: int
    end: int
    line: RecordLine


class Upload(msgspec.Struct, frozen=True):
    """An upload, and what is wrong with it."""

    pieces: list[RecordSlice]
    trouble: str = ""


def read_upload(content: bytes) -> Upload:
    """Return the records of a file, one or one a line; raise `NoctagonError` where there is none."""
    pieces: list[RecordSlice] = []
    troubles: list[str] = []
    for found in find_records(content):
        if found.record is not None:
            pieces.append(RecordSlice(found.start, found.end, line_of(found.record, found.trouble)))
        if found.trouble:
            troubles.append(f"line {found.line}: {found.trouble}")
        if len(pieces) >= MOST_UPLOADED:
            troubles.append(f"only the first {MOST_UPLOADED} games are taken")
            break
    if not pieces:
        raise NoctagonError(troubles[0])
    shown = [shorten(trouble, 300) for trouble in troubles[:3]]
    return Upload(pieces, "; ".join(shown + ["…"] * (len(troubles) > 3)))


def line_of(record: Record, trouble: str = "") -> RecordLine:
    result = record.result
    return RecordLine(
        id="",
        game=shorten(record.game),
        setup=shorten(record.setup),
        players=(shorten(record.called[0]), shorten(record.called[1])),
        ply=len(record.turns),
        result=None
        if result is None
        else recorded_result(result.winner, result.reason, result.detail, record.called),
        date=shorten(record.date, 40),
        trouble=trouble,
    )


def recorded_result(winner: int | None, reason: str, detail: str, players: tuple[str, str]) -> ResultView:
    """Return the result of a game that is not at hand: the winner has the name of its player."""
    undecided = "Stopped" if reason == STOPPED else "Draw"
    who = undecided if winner is None else f"{short_name(players[winner])} won"
    return ResultView(winner, shorten(reason), shorten(detail), shorten(f"{who}: {detail or reason}"))


def short_name(player: str) -> str:
    """Return a player without its options, as the page's `shortName` does.

    >>> [short_name(player) for player in ("merge:depth=3", "mine:MyBot", "cmd:./bot --fast")]
    ['merge', 'mine:MyBot', 'cmd']
    """
    options = re.search(r":\w+=", player)
    return "cmd" if player.startswith("cmd:") else player[: options.start()] if options else player


def shorten(text: str, most: int = LONGEST_NAME) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def retell(source: Source, id: str) -> bytes | None:  # noqa: A002 - what it is called everywhere
    """Return a record as JSON in the shape of a table's snapshot; None if it is not in the store."""
    content = read_source(source)
    return None if content is None else msgspec.json.encode(replay_of(read_record(content), id))


def read_source(source: Source) -> bytes | None:
    """Return the bytes of a record; None if it is not in the store."""
    if isinstance(source, bytes):
        return source
    from noctagon.arena.store.store import Store

    with Store.open(source.store) as store:
        return next((found.game.record for found in store.records(number=source.number)), None)


def read_record(content: bytes) -> Record:
    """Return a record, or what is whole of one that is cut off."""
    try:
        return decode(content)
    except NoctagonError:
        record = rescue(content)
        if record is None:
            raise
        return record


def replay_of(record: Record, id: str = "") -> ReplayView:  # noqa: A002
    """Return all turns of a record in the form that the page shows; of one that does not hold, those that do."""
    game = find_game(record.game)
    game.load()
    first = record.first(game)
    view = first.view()
    if view.rows * view.columns > LARGEST_BOARD:
        raise NoctagonError(f"{view.rows} × {view.columns} cells are more than the page shows")
    frames: list[TurnFrame] = []
    trouble = ""
    enough = time.monotonic() + RETELLING_SECONDS
    try:
        for frame in frames_of(record, first, game):
            if len(frames) >= MOST_TURNS or time.monotonic() > enough:
                trouble = f"only the first {len(frames)} of {len(record.turns)} turns are shown"
                break
            frames.append(frame)
    except NoctagonError as error:
        trouble = str(error)
    if not trouble and record.result is None:
        trouble = "the record ends before the game does"
    return ReplayView(
        id=id,
        game=game.name,
        setup=shorten(record.setup),
        rules=record.rules,
        players=(shorten(record.called[0]), shorten(record.called[1])),
        sides=first.sides,
        time=record.time.turn,
        origin="record",
        live=False,
        view=view,
        position=game.format_position(first),
        frames=frames,
        paused=True,
        pace=1.0,
        waiting=None,
        humans=(False, False),
        clock=ClockView(None, None, 0.0),
        spectators=0,
        preparing="",
        seed=record.seed,
        date=shorten(record.date, 40),
        result=result_view(record.result, first.sides) if record.result else None,
        trouble=trouble,
    )


def position_at(source: Source, n: int) -> PositionText | None:
    """Return the position after `n` turns, as text; None if the record is not in the store."""
    content = read_source(source)
    if content is None:
        return None
    record = read_record(content)
    game = find_game(record.game)
    game.load()
    state = next(islice(record.states(game), n, None), None)
    if state is None:
        raise NoctagonError(f"the game has {len(record.turns)} turns, so there is no position after {n}")
    return PositionText(game.format_position(state))


def frames_of(record: Record, first: State[Any], game: Game[Any]) -> Iterator[TurnFrame]:
    """Yield the turns of a record in the form that the page shows; raise where it does not hold."""
    last = first
    for number, event in enumerate(record.events(first, game), 1):
        yield frame_of(event, number, game)
        last = event.after
    if trouble := record.contradiction(last):
        raise NoctagonError(trouble)


def stored_lines(
    where: str, game: str | None, player: str | None, tournament: str | None, limit: int
) -> RecordList:
    """Return the newest matching games of the store, and the players and tournaments to choose from."""
    from noctagon.arena.store.store import Store

    with Store.open(where) as store:
        found = store.records(
            game=game, player=player, tournament=tournament, limit=limit, newest_first=True, content=False
        )
        lines = [
            RecordLine(
                id=str(number),
                game=finished.game,
                setup=shorten(finished.setup),
                players=(shorten(finished.players[0]), shorten(finished.players[1])),
                ply=finished.plies,
                result=recorded_result(finished.winner, finished.reason, finished.detail, finished.players),
                date=finished.date,
                tournament=name,
            )
            for number, name, finished in found
        ]
        players = [shorten(name) for name in store.player_names()[:300]]
        tournaments = [plan.name for plan in store.plans()][-100:]
    return RecordList(store=True, records=lines, players=players, tournaments=tournaments)


def keep(where: str, game: Finished, origin: str) -> bool:
    """Add a game to the store, with where it was played; return False if it was there already."""
    from noctagon.arena.store.store import Store

    with Store.open(where) as store:
        return store.add(msgspec.structs.replace(game, slot=origin))
