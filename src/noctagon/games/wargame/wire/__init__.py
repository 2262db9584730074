"""The wargame's HTTP broker, and everything that speaks with one: server, client, programs' seats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from noctagon.core.limits import Limits
from noctagon.core.player import PlayerSpec
from noctagon.core.seat import Seat
from noctagon.core.wire import Client, JoinOptions, Server, Wire

if TYPE_CHECKING:
    from noctagon.core.wire import Checker


class WargameWire(Wire):
    """The wire of the course's broker."""

    protocol = "an HTTP broker"
    port = 8001

    def seat(self, spec: PlayerSpec, limits: Limits | None = None) -> Seat:
        from noctagon.games.wargame.wire.command import BrokerCommandSeat

        return BrokerCommandSeat(spec, limits)

    def server(self, settings: Mapping[str, Any]) -> Server:
        from noctagon.games.wargame.wire.server import BrokerServer

        return BrokerServer(settings)

    def client(self, options: JoinOptions) -> Client:
        from noctagon.games.wargame.wire.broker_client import WargameClient

        return WargameClient(options)

    def checker(self) -> Checker:
        from noctagon.wire.checker import GameChecker

        return GameChecker(self)
