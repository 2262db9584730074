"""What can be set about the page's server: where it listens, who may come in, how much they may ask for."""

from __future__ import annotations

import ipaddress
from pathlib import Path

import msgspec


class PageLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How much there may be of everything; beyond it one is told to come back later."""

    tables: int = 40
    """Games of the page that are being played at once."""
    players: int = 16
    """Processes of players at once, in all these games; each takes 200 to 350 MB."""
    finished: int = 60
    """Games that are over and can still be looked at."""
    sockets: int = 2000
    analyses: int = 2
    """Analyses that run at once."""
    queue: int = 16
    """Analyses that wait for their turn."""
    analysis_seconds: float = 60.0
    questions: int = 2
    """Processes that answer small questions: what a position looks like, what a turn so far allows."""
    question_seconds: float = 20.0
    waiting_questions: int = 64
    body: int = 2**18
    """Bytes of a request's body, where nothing else is said."""
    message: int = 2**14
    """Bytes of a message that a browser sends over a socket."""
    messages_unasked: int = 100
    """So many messages on a socket that nobody asked for, and it is closed."""
    backlog: int = 256
    """So many messages may wait for a slow reader before it is dropped."""
    unwatched_seconds: float = 60.0
    """A game of our players that nobody watches is stopped after so long."""
    abandoned_seconds: float = 600.0
    """The same for a game in which a person plays: who reloads the page wants it back."""
    spared_seconds: float = 30.0
    """Where there are too many games, one that nobody has watched for so long makes room for another."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """One server of the page."""

    host: str = "127.0.0.1"
    port: int = 8642
    token: str = ""
    """Who does not know it stays outside; empty: everybody who can connect comes in."""
    names: tuple[str, ...] = ()
    """Further names by which this machine may be called."""
    store: str | None = None
    """Where finished games are kept; None: nowhere."""
    later_store: str | None = None
    """Without a store: a file that is the store as soon as another program has made it."""
    limits: PageLimits = PageLimits()

    @property
    def store_now(self) -> str | None:
        """The store, as far as there is one by now."""
        if self.store is None and self.later_store is not None and Path(self.later_store).is_file():
            return self.later_store
        return self.store

    @property
    def is_local(self) -> bool:
        """Whether only this machine can connect."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
