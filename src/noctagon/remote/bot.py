"""The referee's end of a bot's process: start it, ask it, wait no longer than allowed, restart it after a fault."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import sys
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from noctagon.clock import Clock
from noctagon.game import Game, NoctagonError, Result, Side, UnknownName
from noctagon.match import Request
from noctagon.player import GameStart, PlayerSpec
from noctagon.remote import messages
from noctagon.remote.messages import Begin, Choose, Chosen, Failed, Finish, FromBot, Garbage, Ready
from noctagon.remote.process import end_group, own_group
from noctagon.seat import Answer, Answered, Broke, Malformed, Missed, Seat

START_SECONDS = 60.0
"""How long a bot may take to be imported and to prepare itself."""

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
    """A worker process that plays for one spec, game after game."""

    def __init__(self, spec: str, game: str) -> None:
        self.spec = spec
        self.game = game
        self.process: asyncio.subprocess.Process | None = None
        self.printed = bytearray()
        """The end of what the bot printed."""
        self._pump: asyncio.Task[None] | None = None
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
        if self.missed:  # it still owes an answer from the game before
            await self._kill()
        self.missed = 0
        await self._begin()

    async def choose(self, request: Request, position: str) -> Reply | None:
        """The bot's answer, or None if none came in time; raises `BotFault` if the bot broke down."""
        if self.missed >= MISSED_IN_A_ROW:
            self.missed = 0
            await self._kill()
            await self._begin()
        self.numbers += 1
        clock = Clock()  # a new start is not charged to the bot
        self._send(Choose(self.numbers, position, request.seconds))
        try:
            async with asyncio.timeout(request.seconds):
                while True:
                    answer = await self._receive()
                    if isinstance(answer, Failed):
                        raise await self._fault(answer.line, answer.traceback)
                    if isinstance(answer, Chosen | Garbage) and answer.number == self.numbers:
                        self.missed = 0
                        return Reply(answer, clock.elapsed())  # an earlier number answers an earlier turn
        except TimeoutError:
            self.missed += 1
            return None

    def finish(self, result: Result) -> None:
        if self.process is not None and self.process.returncode is None:
            self._send(Finish(result.winner, result.reason, result.detail))

    async def close(self) -> None:
        await self._kill()

    async def _begin(self) -> None:
        assert self.begin is not None
        if self.process is None or self.process.returncode is not None:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "noctagon.remote.worker",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                **own_group(),
            )
            self._pump = asyncio.create_task(self._keep_the_end(self.process.stderr))
        self._send(self.begin)
        try:
            async with asyncio.timeout(START_SECONDS):
                while not isinstance(answer := await self._receive(), Ready):
                    if isinstance(answer, Failed):
                        raise await self._fault(answer.line, answer.traceback)
        except TimeoutError:
            raise await self._fault(f"it was not ready to play after {START_SECONDS:g} s") from None

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
                raise await self._fault(f"it sent a message of {size} bytes")
            return messages.decode_from_bot(await self.process.stdout.readexactly(size))
        except asyncio.IncompleteReadError:
            code = await self.process.wait()
            raise await self._fault(f"its process ended with exit code {code}") from None
        except msgspec.DecodeError as error:
            raise await self._fault(f"its answer cannot be read: {error}") from None

    async def _kill(self) -> None:
        if self.process is not None:
            end_group(self.process.pid)
            await self.process.wait()
            self.process = None
        if self._pump is not None:
            await self._pump
            self._pump = None

    async def _fault(self, line: str, traceback: str = "") -> BotFault:
        """The bot broke down: it is ended, and begins anew with the next game."""
        await self._kill()
        return BotFault(line, self.printed.decode("utf-8", "replace") + traceback)

    async def _keep_the_end(self, stream: asyncio.StreamReader | None, most: int = 10_000) -> None:
        """Take whatever the bot prints, however much, and keep the end of it."""
        assert stream is not None
        while piece := await stream.read(2**16):
            self.printed += piece
            del self.printed[:-most]

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
        if spec.path:
            _check_file(spec)
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
            reply = await self.bot.choose(request, self.game.format_position(request.state))
        except BotFault as fault:
            self.log = fault.log
            return Broke(str(fault), fault.log)
        if reply is None:
            return Missed()
        if isinstance(reply.answer, Garbage):
            return Malformed(f"choose returned {reply.answer.answer}, which is no action", reason="garbage")
        return Answered(reply.answer.action, reply.answer.thought, reply.seconds)

    async def finish(self, result: Result) -> None:
        self.bot.finish(result)

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
        raise UnknownName(f"class of {spec.path}", spec.name, classes)
