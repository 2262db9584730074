"""The referee's end of a bot's process: start it, ask it, wait no longer than allowed, restart it after a fault."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import sys
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from noctagon.core.clock import Clock
from noctagon.core.game import Game, NoctagonError, Result, Side, UnknownName
from noctagon.core.limits import USUAL, Limits
from noctagon.core.match import Request
from noctagon.core.player import GameStart, PlayerSpec
from noctagon.core.seat import Answer, Answered, Broke, Malformed, Missed, Seat
from noctagon.processes import messages
from noctagon.processes.launch import PRINTED, Talking, launch_talking
from noctagon.processes.messages import (
    Begin,
    Choose,
    Chosen,
    Failed,
    Finish,
    Finished,
    FromBot,
    Garbage,
    Ready,
)

START_SECONDS = 60.0
"""How long a bot may take to be imported and to prepare itself."""

FINISH_SECONDS = 2.0
"""How long a bot may take once a game is over, with what it still thinks about and with its `finish`."""

MISSED_IN_A_ROW = 2
"""After so many turns without any answer a bot is taken to hang, and started anew."""


class BotFault(NoctagonError):  # noqa: N818 - it is the bot's fault, told to the referee
    """A bot's process failed. `log` is what it printed and where it raised."""

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(message)
        self.log = log


class Reply(NamedTuple):
    """A bot's answer, and the seconds it took."""

    answer: Chosen | Garbage
    seconds: float


class BotProcess:
    """A worker process that plays for one spec, game after game, each within the limits."""

    def __init__(self, spec: str, game: str, limits: Limits = USUAL) -> None:
        self.spec = spec
        self.game = game
        self.limits = limits
        self.worker: Talking | None = None
        self.numbers = 0
        self.missed = 0
        self.begin: Begin | None = None
        self.finishes = False
        """Whether it wants to hear how a game ends."""
        self._size: int | None = None
        """How long the message is whose beginning has been read: its end may come after a turn's time."""
        self._printed_before = b""
        """What workers printed in this game that have been ended since."""

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
        if self.missed:  # it still owes an answer from the game before
            await self.close()
        self.missed = 0
        self._printed_before = b""
        if self.worker is not None:
            self.worker.begin_anew()
        await self._begin()

    async def choose(self, request: Request, position: str) -> Reply | None:
        """The bot's answer, or None if none came in time; raises `BotFault` if the bot broke down."""
        if self.missed >= MISSED_IN_A_ROW:
            self.missed = 0
            await self.close()
            await self._begin()
        self.numbers += 1
        clock = Clock()  # a new start is not charged to the bot
        self._send(Choose(self.numbers, position, request.seconds))
        answer: Chosen | Garbage | Failed | None = None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(request.seconds):
                answer = await self._answer(self.numbers)
        match answer:
            case None:
                self.missed += 1
                return None
            case Failed():
                raise await self._fault(answer)
            case _:
                self.missed = 0
                return Reply(answer, clock.elapsed())

    async def finish(self, result: Result) -> None:
        """Tell the bot how the game ended, if it wants to hear that; one that does not come back from it is ended."""
        if self.worker is None or self.worker.code is not None or not self.finishes:
            return
        self._send(Finish(result.winner, result.reason, result.detail))
        answer: FromBot | None = None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FINISH_SECONDS):
                while not isinstance(answer := await self._receive(), Finished | Failed):
                    pass  # an answer to a turn that it has lost by now
        if isinstance(answer, Finished):
            self.missed = 0
        else:
            await self.close()

    def printed(self) -> str:
        """The end of what the bot has printed in this game.

        What it printed before an answer is here once the answer is: it came first, and both pipes are read at once.
        """
        now = b"" if self.worker is None else self.worker.printed
        return (self._printed_before + now)[-PRINTED:].decode("utf-8", "replace")

    async def close(self) -> None:
        if self.worker is not None:
            await self.worker.end()
            self._printed_before = (self._printed_before + self.worker.printed)[-PRINTED:]
            self.worker = None

    async def _begin(self) -> None:
        assert self.begin is not None
        if self.worker is None or self.worker.code is not None:
            self.worker = await launch_talking(
                [sys.executable, "-m", "noctagon.processes.worker"], limits=self.limits
            )
            self._size = None
        self._send(self.begin)
        failed = Failed(f"it was not ready to play after {START_SECONDS:g} s", "")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(START_SECONDS):
                while not isinstance(answer := await self._receive(), Failed):
                    if isinstance(answer, Ready):
                        self.worker.pid, self.finishes = answer.pid, answer.finishes
                        return
                failed = answer
        raise await self._fault(failed)

    def _send(self, message: messages.ToBot) -> None:
        assert self.worker is not None
        with contextlib.suppress(ConnectionError):  # a dead bot shows when its answer is read
            self.worker.writer.write(messages.encode(message))

    async def _answer(self, number: int) -> Chosen | Garbage | Failed:
        """The answer to a question; one with an earlier number answers an earlier turn."""
        while True:
            answer = await self._receive()
            if isinstance(answer, Failed) or (
                isinstance(answer, Chosen | Garbage) and answer.number == number
            ):
                return answer

    async def _receive(self) -> FromBot:
        assert self.worker is not None
        try:
            if self._size is None:
                self._size = int.from_bytes(await self.worker.reader.readexactly(messages.HEAD), "big")
            if self._size > messages.LARGEST:
                return Failed(f"it sent a message of {self._size} bytes", "")
            message = await self.worker.reader.readexactly(self._size)
            self._size = None
            return messages.decode_from_bot(message)
        except asyncio.IncompleteReadError:
            await self.worker.wait()
            return Failed(self.worker.reason, "")
        except msgspec.DecodeError as error:
            return Failed(f"its answer cannot be read: {error}", "")

    async def _fault(self, failed: Failed) -> BotFault:
        """The bot broke down: it is ended, and begins anew with the next game."""
        await self.close()
        return BotFault(failed.line, self.printed() + failed.traceback)

    def __repr__(self) -> str:
        return f"<BotProcess {self.spec}>"

    def __del__(self) -> None:
        if self.worker is not None:
            self.worker.abandon()


class BotSeat(Seat):
    """Somebody's Python class, in a process of its own: whatever it does, only its own game suffers."""

    rewinds = False

    def __init__(self, spec: PlayerSpec, game: Game[Any], limits: Limits | None = None) -> None:
        if spec.path:
            _check_file(spec)
        self.game = game
        self.bot = BotProcess(str(spec), game.name, limits or USUAL)

    async def start(self, start: GameStart, side: Side) -> Broke | None:
        try:
            await self.bot.start(start, side, self.game.format_position(start.state))
        except BotFault as fault:
            self.log = fault.log
            return Broke(str(fault), fault.log)
        return None

    async def answer(self, request: Request) -> Answer:
        try:
            reply = await self.bot.choose(request, self.game.format_position(request.state))
        except BotFault as fault:
            self.log = fault.log
            return Broke(str(fault), fault.log)
        if reply is None:
            hangs = self.bot.missed >= MISSED_IN_A_ROW
            return Missed(f"after {MISSED_IN_A_ROW} such turns it is started anew" if hangs else "")
        if isinstance(reply.answer, Garbage):
            why = f": {reply.answer.why}" if reply.answer.why else ""
            told = f"choose returned {reply.answer.answer}, which is no action{why}"
            return Malformed(told, reason="garbage")
        return Answered(reply.answer.action, reply.answer.thought, reply.seconds)

    def printed(self) -> str:
        return self.bot.printed()

    async def finish(self, result: Result) -> None:
        await self.bot.finish(result)

    async def close(self) -> None:
        await self.bot.close()


def _check_file(spec: PlayerSpec) -> None:
    """Refuse a file that is not there, or has no such class, before anything is played; it is not run for that."""
    path = Path(spec.path)
    try:
        tree = ast.parse(path.read_bytes(), spec.path)
    except OSError as error:
        raise NoctagonError(f"{spec.path}: {error.strerror or error}") from error
    except (SyntaxError, ValueError, RecursionError) as error:
        raise NoctagonError(f"{spec.path} is not Python that can be read: {error}") from error
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef() | ast.FunctionDef():
                names.add(node.name)
            case ast.Import() | ast.ImportFrom():
                names.update(alias.asname or alias.name for alias in node.names)
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
    if spec.name not in names and "*" not in names:
        classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
        if not classes:
            raise NoctagonError(
                f"{spec.path} has no class {spec.name}, nor any other; a bot is a class with a method choose"
            )
        raise UnknownName(f"class of {spec.path}", spec.name, classes)
