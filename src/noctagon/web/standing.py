"""Tournaments of the store as the page shows them; these functions run in a worker process, which remembers the games.

The store is read while another program plays into it: new games are read, and the table is computed again.
"""

from __future__ import annotations

import contextlib
import datetime
from hashlib import sha256
from itertools import takewhile
from typing import Any

import msgspec

from noctagon.arena.ledger import Ledger
from noctagon.arena.plan import stored_plan
from noctagon.arena.running import running_folder, running_games
from noctagon.arena.standings import Row, Standings
from noctagon.arena.statistics import Score
from noctagon.arena.store.database import NoStore
from noctagon.arena.store.store import Store, StoredPlan, StoredRecord
from noctagon.core.board import View
from noctagon.core.game import NoctagonError, Result
from noctagon.core.record import decode
from noctagon.core.registry import find_game
from noctagon.web.messages.tournaments import (
    CrosstableCell,
    FinishedGame,
    LastBoard,
    MapScores,
    MeanScore,
    PlanView,
    Progress,
    RunningBoard,
    StandingsRow,
    TournamentLine,
    TournamentView,
)
from noctagon.web.pace import IDLE, pace, span_of
from noctagon.web.tables.frames import finite

MOST_LISTED = 100
MOST_PLAYERS = 100
"""Maximum number of players in a crosstable: a larger one could not be read."""
MOST_MAPS = 60
RECENT = 40
"""Number of the newest games that are listed, and from which the pace is computed."""
NEW = 200
"""Number of new games beyond which all are read again."""
MOST_VIEWS = 400
MOST_RUNNING = 20

MOST_KEPT = 8
"""Number of tournaments whose games are remembered; of others only their line in the list is."""

_stores: dict[str, Store] = {}
_read: dict[tuple[str, str], _Kept] = {}
_lines: dict[tuple[str, str], tuple[StoredPlan, int, TournamentLine]] = {}
_views: dict[tuple[str, int], View] = {}


class StoreAnswer(msgspec.Struct, frozen=True):
    """JSON made from the store, and the tag of this version of it; without a body where the caller has it already."""

    tag: str
    body: bytes | None = None


class _Kept:
    """A tournament in memory: its games, its ledger and standings, and what they were made from."""

    def __init__(self, stored: StoredPlan, games: list[StoredRecord]) -> None:
        self.stored = stored
        self.games = games
        self.newest = games[-1].id if games else 0
        self.plan = stored_plan(stored.name, stored.plan)
        self.ledger = Ledger(self.plan, [one.game for one in games])
        self.standings = self.ledger.standings()
        self._recent = [span_of(one.game) for one in games[-RECENT:]]

    @property
    def tag(self) -> str:
        """Return the tag of an answer: another answer has another tag."""
        plan = sha256(self.stored.plan).hexdigest()[:12]
        return f"{plan}-{self.newest}-{int(self.is_playing())}"

    def is_playing(self) -> bool:
        """Return whether games keep coming: the newest ended not long ago."""
        if self.ledger.is_over or not self._recent:
            return False
        longest = max(span.end - span.begin for span in self._recent)
        gone = datetime.datetime.now(datetime.UTC) - max(span.end for span in self._recent)
        return gone < IDLE + 3 * longest

    def progress(self) -> Progress:
        played, expected = len(self.ledger.games), self.ledger.expected
        per_second = pace(self._recent, whole=len(self.games) <= RECENT) if self.is_playing() else None
        return Progress(
            played=played,
            expected=expected,
            playing=self.is_playing(),
            per_minute=round(60 * per_second, 1) if per_second else None,
            left=round((expected - played) / per_second, 1) if per_second else None,
        )


def listing(where: str, tag: str) -> StoreAnswer:
    """Return all tournaments, the newest first."""
    store = _store(where)
    told: list[TournamentLine] = []
    for stored in reversed(store.plans()[-MOST_LISTED:] if store else []):
        assert store is not None
        try:
            told.append(_line(store, where, stored))
        except NoctagonError as error:
            told.append(_unknown(stored, str(error)))
    body = msgspec.json.encode(told)
    return _answer(sha256(body).hexdigest()[:16], tag, body)


def tournament(where: str, name: str, tag: str) -> StoreAnswer | None:
    """Return a tournament, without a body if it is still what the tag says; None if there is none."""
    store = _store(where)
    stored = store.plan(name) if store else None
    if store is None or stored is None:
        return None
    kept = _kept(store, where, stored)
    return StoreAnswer(tag) if kept.tag == tag else _answer(kept.tag, tag, msgspec.json.encode(_told(kept)))


def boards(where: str, name: str, after: int, limit: int, tag: str) -> StoreAnswer:
    """Return the last positions of a tournament's newest games after a number, the newest first."""
    store = _store(where)
    found: list[LastBoard] = []
    if store is not None:
        rows = store.records(tournament=name, newest_first=True, limit=limit, content=False)
        for row in takewhile(lambda row: row.id > after, rows):
            view = _views.get((where, row.id)) or _last_view(store, where, row.id)
            if view is not None:
                found.append(LastBoard(game=_game(row), view=view))
    body = msgspec.json.encode(found)
    return _answer(sha256(body).hexdigest()[:16], tag, body)


def running(where: str, name: str, tag: str) -> StoreAnswer:
    """Return the games of a tournament that are being played on this machine, as they stand."""
    found: list[RunningBoard] = []
    for one in running_games(running_folder(where), name)[:MOST_RUNNING]:
        game = find_game(one.game)
        with contextlib.suppress(NoctagonError, msgspec.ValidationError):
            rules = msgspec.convert(one.rules, type(game.make_rules()))
            view = game.parse_position(one.position, rules).view()
            found.append(RunningBoard(slot=one.slot, players=one.players, setup=one.setup, view=view))
    body = msgspec.json.encode(found)
    return _answer(sha256(body).hexdigest()[:16], tag, body)


def _answer(new: str, known: str, body: bytes) -> StoreAnswer:
    return StoreAnswer(new, None if new == known else body)


def _store(where: str) -> Store | None:
    """Return the store, opened once since opening reads the file; None while there is none."""
    if where not in _stores:
        try:
            _stores[where] = Store.open(where, create=False)
        except NoStore:
            return None
    return _stores[where]


def _line(store: Store, where: str, stored: StoredPlan) -> TournamentLine:
    """Return a tournament's line in the list, as it was unless something has changed."""
    key = (where, stored.name)
    newest = _newest(store, stored.name)
    if key not in _lines or _lines[key][:2] != (stored, newest) or _lines[key][2].playing:
        _lines[key] = (stored, newest, _listed(_kept(store, where, stored)))
    return _lines[key][2]


def _kept(store: Store, where: str, stored: StoredPlan) -> _Kept:
    """Return a tournament with all games that are in the store now."""
    key = (where, stored.name)
    before = _read.pop(key, None)
    if before is not None and before.stored == stored:
        new = _newer(store, stored.name, before.newest)
        if new == []:
            _read[key] = before
            return before
        games = before.games + new if new is not None else _all(store, stored.name)
    else:
        games = _all(store, stored.name)
    kept = _Kept(stored, games)
    while len(_read) >= MOST_KEPT:
        del _read[next(iter(_read))]
    _read[key] = kept
    return kept


def _all(store: Store, name: str) -> list[StoredRecord]:
    return list(store.records(tournament=name, content=False))


def _newer(store: Store, name: str, newest: int) -> list[StoredRecord] | None:
    """Return the games that came since, in their order; None if they are too many or some are gone."""
    last = _newest(store, name)
    if last <= newest:
        return [] if last == newest else None
    rows = list(store.records(tournament=name, newest_first=True, limit=NEW, content=False))
    new = [row for row in rows if row.id > newest]
    return None if len(new) == NEW else new[::-1]


def _newest(store: Store, name: str) -> int:
    """Return the number of a tournament's newest game, or 0."""
    last = next(store.records(tournament=name, newest_first=True, limit=1, content=False), None)
    return last.id if last else 0


def _last_view(store: Store, where: str, number: int) -> View | None:
    """Return a game's last position; None if the game cannot be replayed here."""
    try:
        [row] = store.records(number=number)
        record = decode(row.game.record)
        find_game(record.game).load()
        view = record.final().view()
    except (NoctagonError, ValueError):
        return None
    if len(_views) >= MOST_VIEWS:
        del _views[next(iter(_views))]
    _views[where, number] = view
    return view


def _told(kept: _Kept) -> TournamentView:
    plan, standings = kept.plan, kept.standings
    game = find_game(plan.game)
    return TournamentView(
        plan=PlanView(
            name=kept.stored.name,
            game=plan.game,
            title=game.title,
            format=plan.format,
            format_title=kept.ledger.format.title,
            players=len(kept.ledger.names),
            maps=[start.name for start in kept.ledger.starts][:MOST_MAPS],
            time=plan.time or game.turn_seconds,
            date=kept.stored.date,
        ),
        sides=game.sides,
        progress=kept.progress(),
        tie_breaks=standings.tie_break_names,
        rows=[_row(row, standings) for row in standings.rows],
        cells=_cells(standings),
        by_map=_by_map(standings),
        games=[_game(one) for one in reversed(kept.games[-RECENT:])],
        rules=standings.rules,
        diagram=kept.ledger.diagram(),
    )


def _row(row: Row, standings: Standings) -> StandingsRow:
    sides = standings.by_side.get(row.name)
    told: dict[str, Any] = {
        name: getattr(row, name) for name in StandingsRow.__struct_fields__ if name != "sides"
    }
    told |= (
        {"elo": finite(row.elo), "error": finite(row.error)} if row.games else {"elo": None, "error": None}
    )
    return StandingsRow(**told, sides=[_score(side) for side in sides] if sides else [None, None])


def _score(score: Score | None) -> MeanScore | None:
    if score is None or not score.pairs:
        return None
    return MeanScore(round(score.mean, 4), round(score.low, 4), round(score.high, 4), score.pairs)


def _cells(standings: Standings) -> list[CrosstableCell] | None:
    if len(standings.rows) > MOST_PLAYERS:
        return None
    index = {row.name: number for number, row in enumerate(standings.rows)}
    return [
        CrosstableCell(index[one], index[other], cell.points, cell.games)
        for (one, other), cell in standings.cells.items()
        if cell.games
    ]


def _by_map(standings: Standings) -> list[MapScores]:
    if len(standings.rows) > MOST_PLAYERS:
        return []
    return [
        MapScores(setup, [_score(scores.get(row.name)) for row in standings.rows])
        for setup, scores in list(standings.by_map.items())[:MOST_MAPS]
    ]


def _game(one: StoredRecord) -> FinishedGame:
    game = one.game
    result = Result(game.winner, game.reason, game.detail)  # type: ignore[arg-type] # 0, 1 or None
    return FinishedGame(
        id=one.id,
        players=game.players,
        setup=game.setup,
        round=game.round,
        winner=game.winner,
        text=result.describe(game.players),
        plies=game.plies,
        seconds=round(sum(game.seconds), 1),
        date=game.date,
    )


def _listed(kept: _Kept) -> TournamentLine:
    leader = next((row for row in kept.standings.rows[:1] if row.games), None)
    return TournamentLine(
        name=kept.stored.name,
        game=kept.stored.game,
        format=kept.plan.format,
        players=len(kept.ledger.names),
        date=kept.stored.date,
        played=len(kept.ledger.games),
        expected=kept.ledger.expected,
        playing=kept.is_playing(),
        leader=leader.name if leader else "",
    )


def _unknown(stored: StoredPlan, trouble: str) -> TournamentLine:
    return TournamentLine(
        name=stored.name,
        game=stored.game,
        format="",
        players=0,
        date=stored.date,
        played=0,
        expected=0,
        playing=False,
        leader="",
        trouble=trouble,
    )
