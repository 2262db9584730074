"""A tournament in a store, played quickly, for the tests of the page."""

from __future__ import annotations

import datetime
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from noctagon.arena.bout import Bout, Finished
from noctagon.arena.ledger import Ledger
from noctagon.arena.meetings import Meeting
from noctagon.arena.plan import Plan, make_plan
from noctagon.arena.run import Run
from noctagon.arena.store.store import Store
from noctagon.arena.tournament import Tournament

HOSTILE = "<b onmouseover=alert(1)>x<b>"


def plan(name: str = "spring", **changes: object) -> Plan:
    content = {
        "name": name,
        "players": ["greedy", "random", {"spec": "conservative", "name": HOSTILE}],
        "maps": ["duel", "tiny"],
        "plies": 12,
        "time": 2.0,
    }
    return make_plan(content | changes, "test")


def played(where: Path, wanted: Plan) -> list[Finished]:
    """All games of a plan, as they are kept in a store of their own."""
    tournament = Tournament(wanted)
    tournament.prepare()
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    with Store.open(where) as store:
        run = Run(tournament, store)
        run.resume()
        bouts = [bout for meeting in run.schedule.meetings for bout in tournament.bouts(meeting)]
    with ThreadPoolExecutor(1) as thread:  # a browser's test has an event loop in its own thread
        games = list(thread.map(Bout.play, bouts))
    return [msgspec.structs.replace(game, date=now) for game in games]


def a_bout() -> Bout:
    """One game of the plan, not played."""
    tournament = Tournament(plan())
    return tournament.bouts(Meeting(1, "greedy", "random"))[0]


def save(store: Store, wanted: Plan) -> None:
    store.save_plan(wanted.name, wanted.game, msgspec.json.encode(wanted))


def ledger(store: Store, wanted: Plan) -> Ledger:
    return Ledger(wanted, store.finished(wanted.name))
