"""A stream of messages with many readers. Each gets all in order, or is dropped if it cannot keep up."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence


class Reader:
    """A reader's place in the stream."""

    def __init__(self, first: Sequence[str], backlog: int) -> None:
        self.waiting: deque[str] = deque(first)
        self.most = backlog + len(first)
        self.ready = asyncio.Event()
        self.gone = asyncio.Event()
        """Set when the reader was too slow. Its unread messages are lost; it may come back and ask for them."""
        if first:
            self.ready.set()

    @property
    def dropped(self) -> bool:
        return self.gone.is_set()

    async def next(self) -> str | None:
        """Return the next message, or None if the reader was dropped."""
        while not self.waiting:
            if self.dropped:
                return None
            self.ready.clear()
            await self.ready.wait()
        return self.waiting.popleft()


class Feed:
    """Sends every message to every reader. At most `backlog` messages wait for one reader."""

    def __init__(self, backlog: int, changed: Callable[[], None] = lambda: None) -> None:
        self.backlog = backlog
        self.changed = changed
        """Called when a reader joins or leaves."""
        self.readers: set[Reader] = set()

    def join(self, first: Sequence[str]) -> Reader:
        """Add a reader that gets `first` and then all that follows."""
        reader = Reader(first, self.backlog)
        self.readers.add(reader)
        self.changed()
        return reader

    def leave(self, reader: Reader) -> None:
        if reader in self.readers:
            self.readers.discard(reader)
            self.changed()

    def tell(self, text: str) -> None:
        for reader in list(self.readers):
            if len(reader.waiting) >= reader.most:
                reader.gone.set()
                reader.waiting.clear()
                self.leave(reader)
            else:
                reader.waiting.append(text)
            reader.ready.set()
