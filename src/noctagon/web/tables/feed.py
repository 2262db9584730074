"""One stream of messages with many readers: each gets all of them in order, or is dropped if it cannot keep up."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence


class Reader:
    """Somebody's place in the stream."""

    def __init__(self, first: Sequence[str], backlog: int) -> None:
        self.waiting: deque[str] = deque(first)
        self.most = backlog + len(first)
        self.ready = asyncio.Event()
        self.gone = asyncio.Event()
        """It was too slow: what it has not read is lost, it may come back and ask for it."""
        if first:
            self.ready.set()

    @property
    def dropped(self) -> bool:
        return self.gone.is_set()

    async def next(self) -> str | None:
        """The next message; None once there will be none."""
        while not self.waiting:
            if self.dropped:
                return None
            self.ready.clear()
            await self.ready.wait()
        return self.waiting.popleft()


class Feed:
    """Tells every message to every reader. `backlog` messages may wait for one of them."""

    def __init__(self, backlog: int, changed: Callable[[], None] = lambda: None) -> None:
        self.backlog = backlog
        self.changed = changed
        """Called when somebody came or went."""
        self.readers: set[Reader] = set()

    def join(self, first: Sequence[str]) -> Reader:
        """A new reader, who is told `first` and then all that comes."""
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
