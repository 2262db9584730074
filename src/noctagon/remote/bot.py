"""The referee's end of a bot's process: start it, ask it, wait no longer than allowed, restart it after a fault."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
from typing import Any

import msgspec

from noctagon.game import Game, NoctagonError, Result, Side
from noctagon.match import Request
from noctagon.player import GameStart, PlayerSpec
from noctagon.remote import messages
from noctagon.remote.messages import Begin, Choose, Chosen, Failed, Finish, FromBot, Ready
from noctagon.remote.process import end_group, own_group
from noctagon.seat import Answer, Answered, Broke, Missed, Seat

START_SECONDS = 60.0
"""How long a bot may take to be imported and to prepare itself."""

MISSED_IN_A_ROW = 2
"""After so many turns without any answer a bot is taken to hang, and started anew."""


class BotFault(NoctagonError):  # noqa: N818 - it is the bot's fault, told to the referee
    """A bot's process failed. `log` is what it printed and where it raised."""

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(message)
        self.log = log


class BotProcess:
    """A worker process that plays for one spec, game after game."""

    def __init__(self, spec: str, game: str) -> None:
        self.spec = spec
        self.game = game
        self.process: asyncio.subprocess.Process | None = None
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the bot
        self.numbers = 0
        self.missed = 0
        self.begin: Begin | None = None

    async def start(self, start: GameStart, side: int, position: str) -> None:
        """Begin a game; raises `BotFault` if the bot cannot be loaded."""
        self.begin = Begin(
            game=self.game,
            spec=self.spec,
            rules=msgspec.to_builtins(start.state.rules),
            position=position,
            turn_seconds=start.time.turn,
            total_seconds=start.time.total,
            seed=start.seed,
            side=side,
        )
        self.missed = 0
        await self._begin()

    async def choose(self, request: Request, position: str) -> Chosen | None:
        """The bot's answer, or None if none came in time; raises `BotFault` if the bot broke down."""
        if self.missed >= MISSED_IN_A_ROW:
            self.missed = 0
            await self._kill()
            await self._begin()
        self.numbers += 1
        self._send(Choose(self.numbers, position, request.seconds))
        try:
            async with asyncio.timeout(request.seconds):
                while True:
                    answer = await self._receive()
                    if isinstance(answer, Failed):
                        raise BotFault(answer.line, self._printed() + answer.traceback)
                    if isinstance(answer, Chosen) and answer.number == self.numbers:
                        self.missed = 0
                        return answer  # an earlier number is a late answer to an earlier turn
        except TimeoutError:
            self.missed += 1
            return None

    def finish(self, result: Result) -> None:
        if self.process is not None and self.process.returncode is None:
            self._send(Finish(result.winner, result.reason, result.detail))

    async def close(self) -> None:
        await self._kill()
        self.log.close()

    async def _begin(self) -> None:
        assert self.begin is not None
        if self.process is None or self.process.returncode is not None:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "noctagon.remote.worker",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=self.log,
                **own_group(),
            )
        self._send(self.begin)
        try:
            async with asyncio.timeout(START_SECONDS):
                while not isinstance(answer := await self._receive(), Ready):
                    if isinstance(answer, Failed):
                        raise BotFault(answer.line, self._printed() + answer.traceback)
        except TimeoutError:
            raise BotFault(f"it was not ready to play after {START_SECONDS:g} s", self._printed()) from None

    def _send(self, message: messages.ToBot) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        with contextlib.suppress(ConnectionError):  # a dead bot shows when its answer is read
            self.process.stdin.write(messages.encode(message))

    async def _receive(self) -> FromBot:
        assert self.process is not None
        assert self.process.stdout is not None
        try:
            head = await self.process.stdout.readexactly(messages.HEAD)
            size = int.from_bytes(head, "big")
            if size > messages.LARGEST:
                raise BotFault(f"it sent a message of {size} bytes", self._printed())
            return messages.decode_from_bot(await self.process.stdout.readexactly(size))
        except asyncio.IncompleteReadError:
            code = await self.process.wait()
            raise BotFault(f"its process ended with exit code {code}", self._printed()) from None
        except msgspec.DecodeError:
            raise BotFault("it wrote something of its own between the messages", self._printed()) from None

    async def _kill(self) -> None:
        if self.process is not None:
            end_group(self.process.pid)
            await self.process.wait()
            self.process = None

    def _printed(self, most: int = 10_000) -> str:
        """The end of what the bot printed."""
        size = self.log.seek(0, 2)
        self.log.seek(max(0, size - most))
        return self.log.read().decode("utf-8", "replace")

    def __repr__(self) -> str:
        return f"<BotProcess {self.spec}>"

    def __del__(self) -> None:
        process: Any = self.process
        if process is not None and process.returncode is None:
            end_group(process.pid)


class BotSeat(Seat):
    """Somebody's Python class, in a process of its own: whatever it does, only its own game suffers."""

    rewinds = False

    def __init__(self, spec: PlayerSpec, game: Game[Any]) -> None:
        self.game = game
        self.bot = BotProcess(str(spec), game.name)

    async def start(self, start: GameStart, side: Side) -> Broke | None:
        try:
            await self.bot.start(start, side, self.game.format_position(start.state))
        except BotFault as fault:
            self.log = fault.log
            return Broke(str(fault), fault.log)
        return None

    async def answer(self, request: Request) -> Answer:
        try:
            chosen = await self.bot.choose(request, self.game.format_position(request.state))
        except BotFault as fault:
            self.log = fault.log
            return Broke(str(fault), fault.log)
        return Missed() if chosen is None else Answered(chosen.action, chosen.thought)

    async def finish(self, result: Result) -> None:
        self.bot.finish(result)

    async def close(self) -> None:
        await self.bot.close()
