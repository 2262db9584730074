"""A preparation that goes on only when a test says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from noctagon.core.registry import game_names
from noctagon.web.messages.preparing import Part
from noctagon.web.preparing import Compiled, Preparation

TOTAL = 10


class SlowPreparation(Preparation):
    """Reports 4 of 10 functions of each part, and finishes it when it is released. `compiled` lists what has begun."""

    def __init__(self, folder: Path) -> None:
        super().__init__(compile_part=self._compile, find_folder=lambda: folder)
        self.begun: list[tuple[str, Part]] = []
        self.failing: set[tuple[str, Part]] = set()
        self._released: dict[tuple[str, Part], asyncio.Event] = {key: asyncio.Event() for key in self.parts}

    async def release(self, game: str, part: Part) -> None:
        """Let a part be finished, and wait until it can be used."""
        self._released[game, part].set()
        await self.parts[game, part].over.wait()

    async def release_all(self) -> None:
        for part in ("rules", "champion"):
            for game in game_names():
                if (game, part) in self.parts:
                    await self.release(game, part)

    async def _compile(self, game: str, part: Part) -> AsyncIterator[Compiled]:
        self.begun.append((game, part))
        yield Compiled(4, TOTAL)
        await self._released[game, part].wait()
        yield Compiled(TOTAL, TOTAL)
