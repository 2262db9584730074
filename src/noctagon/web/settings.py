"""Settings of the page's server: its address, its token, its store and its limits."""

from __future__ import annotations

import ipaddress
from pathlib import Path

import msgspec


class PageLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of the page. A request beyond one is refused with the advice to try again later."""

    tables: int = 40
    """Maximum number of games played at once."""
    players: int = 16
    """Maximum number of players' processes at once; each takes 200 to 350 MB."""
    finished: int = 60
    """Number of finished games that are kept in memory."""
    sockets: int = 2000
    analyses: int = 2
    """Maximum number of analyses that run at once."""
    queue: int = 16
    """Maximum number of analyses that wait."""
    analysis_seconds: float = 60.0
    questions: int = 2
    """Number of processes that answer small questions about positions and turns."""
    question_seconds: float = 20.0
    waiting_questions: int = 64
    body: int = 2**18
    """Maximum number of bytes of a request's body, except on paths with a limit of their own."""
    message: int = 2**14
    """Maximum number of bytes of a message from a browser's socket."""
    messages_unasked: int = 100
    """Number of unexpected messages after which a socket is closed."""
    backlog: int = 256
    """Maximum number of messages that wait for a slow reader before it is dropped."""
    unwatched_seconds: float = 60.0
    """Seconds after which an unwatched game between programs is stopped."""
    abandoned_seconds: float = 600.0
    """Seconds after which an unwatched game of a person is stopped; long enough to reload the page."""
    spared_seconds: float = 30.0
    """Seconds after which an unwatched game makes room for another, if there are too many."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """One server of the page."""

    host: str = "127.0.0.1"
    port: int = 8642
    token: str = ""
    """The token that is needed to connect; empty: none is."""
    names: tuple[str, ...] = ()
    """Further names of this machine."""
    store: str | None = None
    """The store for finished games; None: none."""
    later_store: str | None = None
    """Without a store: a file that becomes the store once another program has made it."""
    limits: PageLimits = PageLimits()

    @property
    def store_now(self) -> str | None:
        """Return the store, if there is one by now."""
        if self.store is None and self.later_store is not None and Path(self.later_store).is_file():
            return self.later_store
        return self.store

    @property
    def is_local(self) -> bool:
        """Return whether only this machine can connect."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
