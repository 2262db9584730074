"""The seat of a program in any language: started for a game, refereed over loopback, ended with it."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import shutil
import time
from abc import abstractmethod
from pathlib import Path

import platformdirs

from noctagon.core.game import NoctagonError
from noctagon.core.limits import USUAL, Limits
from noctagon.core.match import Request
from noctagon.core.player import PlayerSpec, command_words
from noctagon.core.seat import Answer, Broke, Seat
from noctagon.processes.launch import PRINTED, Launched, launch
from noctagon.processes.launcher import OVER

FAREWELL_SECONDS = 2.0
"""Seconds that a program may take to end by itself after its game."""
MOST_LOGS = 500
"""Maximum number of programs' logs that are kept, the newest."""

_games = itertools.count(1)


class CommandSeat(Seat):
    """A program with a process for every game, with limits and a log; a game's wire says how to talk with it."""

    rewinds = False

    def __init__(self, spec: PlayerSpec, limits: Limits | None = None) -> None:
        self.spec = spec
        self.limits = limits or USUAL
        self.launched: Launched | None = None
        self.log_file = Path()
        self._cpu_at_rest = 0.0
        self.words = command_words(spec.command)
        if shutil.which(self.words[0]) is None:
            raise NoctagonError(f"{spec}: there is no command {self.words[0]!r}")

    @abstractmethod
    async def converse(self, request: Request) -> Answer:
        """Ask the program."""

    async def answer(self, request: Request) -> Answer:
        self.idle_cpu += max(0.0, self._cpu() - self._cpu_at_rest)
        answer = await self.converse(request)
        self._cpu_at_rest = self._cpu()
        return await self._explain(answer) if isinstance(answer, Broke) else answer

    def printed(self) -> str:
        """Return the end of its log, after the log's path."""
        try:
            text = self.log_file.read_text("utf-8", "replace")
        except OSError:
            return ""
        return f"{self.log_file}:\n{text[-PRINTED:]}" if text else ""

    async def close(self) -> None:
        if self.launched is not None:
            await self.launched.end()
            self.launched = None

    async def _launch(self, words: list[str]) -> None:
        """Start the program for a new game, with a log of its own."""
        folder = platformdirs.user_log_path("noctagon") / "bots"
        folder.mkdir(parents=True, exist_ok=True)
        _keep_the_newest(folder, MOST_LOGS)
        stamp = time.strftime("%Y%m%d-%H%M%S")
        self.log_file = folder / f"{stamp}-{os.getpid()}-{next(_games)}.log"
        self.idle_cpu = self._cpu_at_rest = 0.0
        self.launched = await launch(words, log=self.log_file, limits=self.limits)

    async def _explain(self, broke: Broke) -> Broke:
        """Return why the program is gone, where its end tells more than the broken connection."""
        line, reason = broke.line, broke.reason
        if self.launched is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(FAREWELL_SECONDS):
                    await self.launched.wait()
            line += f"; {self.launched.reason}" if self.launched.reason else ""
            reason = "crash" if self.launched.code in OVER else reason
        self.log = self.printed()
        return Broke(line, self.log, reason)

    async def _farewell(self) -> None:
        """Give the program a moment to end by itself, then end it."""
        if self.launched is not None:
            await self.launched.end(grace=FAREWELL_SECONDS)
            self.launched = None

    def _cpu(self) -> float:
        return self.launched.cpu_seconds() if self.launched is not None else 0.0


def _keep_the_newest(folder: Path, count: int) -> None:
    """Remove old logs: their names begin with their date."""
    for log in sorted(folder.glob("*.log"))[:-count]:
        log.unlink(missing_ok=True)
