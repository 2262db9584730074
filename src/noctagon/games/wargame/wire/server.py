"""The broker as a server: its settings, and the reports of its games."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from noctagon.core.events import Ended, Event
from noctagon.core.game import NoctagonError
from noctagon.core.text import plain
from noctagon.core.wire import Server
from noctagon.games.wargame import WargameRules, game
from noctagon.games.wargame.wire.broker import TICK, Broker, BrokerTable, Refused, serve_broker
from noctagon.processes.deadline import WakefulClock
from noctagon.wire.server import check_numbers

SETTINGS = {"host", "port", "rules", "plies", "time", "games", "tables", "record", "store"}


class BrokerServer(Server):
    """Serves the games of a broker, and reports them turn by turn."""

    turn_by_turn = True

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__()
        for name in settings:
            if name not in SETTINGS:
                raise NoctagonError(
                    f"the wargame's broker has no setting {name!r}; it has {', '.join(sorted(SETTINGS))}"
                )
        check_numbers(settings)
        rules = game.make_rules(settings.get("rules"), plies=settings.get("plies"))
        assert isinstance(rules, WargameRules)
        game.load()
        tables = settings.get("tables", 1)
        self.host, self.port = settings.get("host", "127.0.0.1"), settings.get("port", game.wire().port)
        self.broker = Broker(
            [str(number) for number in range(1, tables + 1)],
            rules=rules,
            turn_seconds=settings.get("time"),
            games=tables * settings.get("games", 1),
            listen=self._listen,
            clock=WakefulClock(TICK),
        )

    async def run(self) -> None:
        try:
            await serve_broker(
                self.broker, host=self.host, port=self.port, stop=asyncio.Event(), ready=self._ready
            )
        finally:
            self.broker.stop("the broker was stopped")

    def _ready(self, url: str) -> None:
        tables = len(self.broker.tables)
        games = f"game 1 at {url}/1" if tables == 1 else f"games 1 to {tables} at {url}/1 to {url}/{tables}"
        for watcher in self.watchers:
            watcher.listening(games)

    def _listen(self, table: BrokerTable, event: Event | Refused) -> None:
        for watcher in self.watchers:
            if isinstance(event, Refused):
                watcher.remarked(f"{table.title}: refused {plain(event.sent)}: {event.reason}")
                continue
            watcher.happened(table, event)
            if isinstance(event, Ended):
                watcher.finished(table, table.match)
