"""The course's TCP protocol for Vampires vs Werewolves: packets, server, client, checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from noctagon.core.game import NoctagonError, Rules, State
from noctagon.core.wire import Checker, Client, JoinOptions, Report
from noctagon.wire.tcp import RemoteSeat, TcpWire

if TYPE_CHECKING:
    from noctagon.games.vampires.rules.state import VampiresState
    from noctagon.games.vampires.wire.connection import PlayerConnection


class VampiresWire(TcpWire):
    """The wire of the course's tournament."""

    protocol = "TCP, the course's protocol"
    port = 5555
    rules = "server"

    def check_start(self, state: State[Any]) -> None:
        from noctagon.games.vampires.wire.seat import check_size

        check_size(state)

    def first_position(self, setup: str, rules: Rules) -> VampiresState:
        from noctagon.games.vampires import game
        from noctagon.games.vampires.maps.map import bundled_maps, find_map

        found = find_map(setup) if setup else next(iter(bundled_maps().values()))
        if found.wire_fault:
            raise NoctagonError(f"the map {found.name} cannot be served: {found.wire_fault}")
        return game.initial(setup or None, rules)

    def connection(self, arrived: Callable[[RemoteSeat], None], log: Report) -> PlayerConnection:
        from noctagon.games.vampires.wire.connection import PlayerConnection
        from noctagon.games.vampires.wire.seat import WireSeat

        return PlayerConnection(lambda connection: arrived(WireSeat(connection)), log)

    def client(self, options: JoinOptions) -> Client:
        from noctagon.games.vampires.wire.client import VampiresClient

        return VampiresClient(options)

    def checker(self) -> Checker:
        from noctagon.games.vampires.wire.checker import VampiresChecker

        return VampiresChecker()
