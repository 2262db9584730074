"""The contract of a game's wire: how programs in any language play the game over a network.

A game that has a wire returns it from `Game.wire()`. Whatever serves games, joins a server, starts programs as players
or checks them reaches a game's protocol through these classes only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import msgspec

from noctagon.core.events import Event
from noctagon.core.game import Game, State
from noctagon.core.limits import Limits
from noctagon.core.match import Match
from noctagon.core.player import GameStart, PlayerSpec
from noctagon.core.seat import Seat

Report = Callable[[str], None]
"""Takes a line of text."""


class Wire(ABC):
    """A game's protocol, and everything that speaks it."""

    protocol: str
    """The protocol in a few words, such as `TCP, the course's protocol`."""
    port: int
    """The usual port of a server."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game

    def check_start(self, state: State[Any]) -> None:  # noqa: B027 - optional
        """Raise `NoctagonError` where the protocol cannot express this first position."""

    @abstractmethod
    def seat(self, spec: PlayerSpec, limits: Limits | None = None) -> Seat:
        """Return the seat of a `cmd:` player: a program that is started for each game."""

    @abstractmethod
    def server(self, settings: Mapping[str, Any]) -> Server:
        """Return a server with these settings, named as the options of `noctagon serve`.

        Raises `NoctagonError` for a setting that this server does not know or cannot have.
        """

    @abstractmethod
    def client(self, options: JoinOptions) -> Client:
        """Return what connects one of our players to a server; raises `NoctagonError` for an option it refuses."""

    def checker(self) -> Checker | None:
        """Return the checks for programs that speak the protocol; None where there are none."""
        return None


class ServerTable(ABC):
    """A place on a server where games are played, one after another."""

    title: str
    """Its name in messages, such as `table 1`."""

    @property
    @abstractmethod
    def game_number(self) -> int:
        """The number of its present game, from 1."""

    @property
    @abstractmethod
    def game_name(self) -> str:
        """The name of its present game, fit for a file: `table1-game2`."""


class Watcher:
    """Follows what happens on a server. Every method may be overridden, and none has to be."""

    def listening(self, where: str) -> None:
        """Take note that the server accepts programs, and where, in words."""

    def began(self, table: ServerTable, match: Match) -> None:
        """Take note of a game that begins."""

    def happened(self, table: ServerTable, event: Event) -> None:
        """Take note of an event in a game."""

    def finished(self, table: ServerTable, match: Match) -> None:
        """Take note of a game that is over."""

    def remarked(self, text: str) -> None:
        """Take note of something odd, such as a refused turn."""

    def logged(self, line: str) -> None:
        """Take note of a packet."""


class Server(ABC):
    """Referees games between the programs that come to it."""

    turn_by_turn = False
    """True if its games are reported turn by turn, rather than when they are over."""

    def __init__(self) -> None:
        self.watchers: list[Watcher] = []

    @abstractmethod
    async def run(self) -> None:
        """Serve until all games are played, or until cancelled: then the games end in order."""


class JoinOptions(NamedTuple):
    """The options of `noctagon join`: where a player goes, and how it plays there."""

    address: str
    seconds: float
    """Seconds for a turn."""
    port: int | None = None
    name: str = ""
    rules: str | None = None
    """The name of the rule set; None stands for the one that such servers usually play by."""
    plies: int | None = None
    """Plies after which a game ends; None where that is not known."""
    duration: float | None = None
    """Seconds after which a game ends; None for the usual ones. They count where `plies` are not known."""
    patience: float = 600.0
    """Seconds to wait for a server that says nothing."""
    reconnect: bool = False
    side: str = ""


class Client(ABC):
    """Takes one of our players to a server."""

    @abstractmethod
    def start(self) -> GameStart:
        """Return a game such as the server will begin, for the player to warm up with."""

    @abstractmethod
    async def play(self, seat: Seat, *, report: Report, tell: Report) -> None:
        """Play with this player; `report` gets every game in a line, `tell` everything odd.

        Raises `NoctagonError` where no game can be played.
        """


class Bytes(msgspec.Struct, frozen=True):
    """A message as it went over the wire, in hexadecimal and in words."""

    hex: str
    text: str


Consequence = Literal["loses", "elsewhere", "unclean"]
"""The consequence of a fault: a program loses games on the usual server, or only on some other servers, maps or
networks; or no server minds."""


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one check."""

    check: str
    about: str
    outcome: Literal["passed", "failed", "skipped"]
    consequence: Consequence = "loses"
    """That of a check that failed."""
    note: str = ""
    problem: str = ""
    hints: tuple[str, ...] = ()
    told: tuple[Bytes, ...] = ()
    """The packets that the program was sent last."""
    said: Bytes | None = None
    """Its answer to them."""
    log: str = ""
    """The end of what it printed."""


@dataclass(frozen=True)
class Check:
    """A demand on a program. A check whose `needs` have failed is left out: it could only fail likewise."""

    name: str
    about: str
    needs: tuple[str, ...] = ()
    last: bool = False
    """True if it judges the results of all others."""
    consequence: Consequence = "loses"
    """The consequence for a program that fails it."""


class Checker(ABC):
    """Starts a program for each check, plays the server's part and judges what the program does."""

    @abstractmethod
    def choose(self, names: Collection[str] = ()) -> Sequence[Check]:
        """Return the checks of these names, or all; raises `UnknownName`."""

    @abstractmethod
    async def run(
        self,
        command: Sequence[str],
        *,
        only: Collection[str] = (),
        seconds: float = 2.0,
        turns: int = 20,
        listen: Callable[[CheckResult], None] | None = None,
    ) -> list[CheckResult]:
        """Check the program that this command starts; `listen` gets each verdict as soon as it is known.

        Raises `NoctagonError` where the command cannot be started at all.
        """
