"""A player in a worker process: ask it, wait no longer than allowed, restart it after a fault.

A file's class plays here, and on the page our own players; whatever one does, only its own game suffers.
"""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from noctagon.core.clock import Clock
from noctagon.core.game import Game, NoctagonError, Result, Side, UnknownName
from noctagon.core.limits import USUAL, Limits
from noctagon.core.match import Request
from noctagon.core.player import GameStart, PlayerSpec, Thought
from noctagon.core.seat import Answer, Answered, Broke, Malformed, Missed, Seat
from noctagon.processes import playing
from noctagon.processes.calls import Call
from noctagon.processes.deadline import cancel, wait_until
from noctagon.processes.launch import PRINTED
from noctagon.processes.playing import Chosen, Garbage, Ready
from noctagon.processes.workers import CallFailed, CallRefused, Worker

START_SECONDS = 60.0
"""Time a player has to be imported and to prepare itself, in seconds."""

FINISH_SECONDS = 2.0
"""Time a player has at the end of a game, for its `finish` and for what it still thinks about, in seconds."""

MISSED_IN_A_ROW = 2
"""Number of turns without any answer after which a player is taken to hang, and restarted."""


class WorkerSeat(Seat):
    """A player in a worker process, which plays game after game, each within the limits.

    It gets the whole position each turn. `hear` is called with what a searcher thinks while it is on move.
    """

    def __init__(self, spec: PlayerSpec, game: Game[Any], limits: Limits | None = None) -> None:
        if spec.path:
            _check_file(spec)
        self.spec = spec
        self.game = game
        self.limits = limits or USUAL
        self.rewinds = not spec.path
        self.hear: Callable[[Thought], None] = lambda thought: None
        self._worker: Worker | None = None
        self._begin: Call[Ready] | None = None
        self._finishes = False
        """True if the player wants to hear how a game ends."""
        self._missed = 0
        self._latest: Answered | None = None
        """The last choice of a searcher."""
        self._printed_before = b""
        """Output in this game of workers that have been ended since."""

    @property
    def pid(self) -> int:
        """The number of the player's process; 0 if there is none."""
        return 0 if self._worker is None else self._worker.pid

    async def start(self, start: GameStart, side: Side) -> Broke | None:
        self._begin = Call(
            playing.begin,
            game=self.game.name,
            spec=str(self.spec),
            rules=msgspec.to_builtins(start.state.rules),
            position=self.game.format_position(start.state),
            turn_seconds=start.time.turn,
            total_seconds=start.time.total,
            seed=start.seed,
            side=side,
        )
        if self._missed:  # it still owes an answer from the game before
            await self.close()
        self._missed = 0
        self._printed_before = b""
        if self._worker is not None:
            self._worker.begin_game()
        return await self._start_player()

    async def answer(self, request: Request) -> Answer:
        if self._missed >= MISSED_IN_A_ROW:
            await self.close()
        if self._worker is None and (broke := await self._start_player()):
            return broke
        assert self._worker is not None
        clock = Clock()  # a restart is not charged to the player
        self._latest = None
        call = Call(playing.choose, self.game.format_position(request.state), request.seconds)
        thought = asyncio.ensure_future(self._worker.follow(call, self._hear))
        now = asyncio.get_running_loop().time()
        try:
            in_time = await wait_until(None if request.seconds is None else now + request.seconds, thought)
        finally:
            await cancel(thought)
        if not in_time:
            self._missed += 1
            hangs = self._missed >= MISSED_IN_A_ROW
            return Missed(f"after {MISSED_IN_A_ROW} such turns it is restarted" if hangs else "")
        try:
            chosen = thought.result()
        except (CallRefused, CallFailed) as fault:
            return await self._broke(fault)
        self._missed = 0
        if isinstance(chosen, Garbage):
            why = f": {chosen.why}" if chosen.why else ""
            return Malformed(f"choose returned {chosen.answer}, which is no action{why}", reason="garbage")
        return Answered(chosen.action, chosen.thought, min(clock.elapsed(), request.seconds or float("inf")))

    def so_far(self) -> Answered | None:
        return self._latest

    def _hear(self, chosen: Chosen) -> None:
        self._latest = Answered(chosen.action, chosen.thought)
        self.hear(chosen.thought)

    def printed(self) -> str:
        """Return the end of what the player has printed in this game.

        What it printed before an answer is here once the answer is: it came first, and both pipes are read at once.
        """
        now = b"" if self._worker is None else self._worker.printed
        return (self._printed_before + now)[-PRINTED:].decode("utf-8", "replace")

    async def finish(self, result: Result) -> None:
        """Tell the player how the game ended, if it wants to hear that; end one that does not come back from it."""
        if self._worker is None or not self._worker.alive or not self._finishes:
            return
        try:
            async with asyncio.timeout(FINISH_SECONDS):
                await self._worker.ask(Call(playing.finish, result))
            self._missed = 0
        except (TimeoutError, CallRefused, CallFailed):
            await self.close()

    async def close(self) -> None:
        worker, self._worker, self._missed = self._worker, None, 0
        if worker is not None:
            await worker.end()
            self._printed_before = (self._printed_before + worker.printed)[-PRINTED:]

    async def _start_player(self) -> Broke | None:
        """Let the player begin the game, in a new process if there is none; return what kept it from that."""
        assert self._begin is not None
        if self._worker is None or not self._worker.alive:
            self._worker = await Worker.start(limits=self.limits)
        try:
            async with asyncio.timeout(START_SECONDS):
                ready = await self._worker.ask(self._begin)
        except TimeoutError:
            return await self._broke(CallFailed(f"it was not ready to play after {START_SECONDS:g} s"))
        except (CallRefused, CallFailed) as fault:
            return await self._broke(fault)
        self._worker.believe(ready.pid)
        self._finishes = ready.finishes
        return None

    async def _broke(self, fault: CallRefused | CallFailed) -> Broke:
        """End the player's process; it begins again with the next game."""
        await self.close()
        self.log = self.printed() + fault.log
        return Broke(fault.line, self.log)

    def __repr__(self) -> str:
        return f"<WorkerSeat {self.spec}>"


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
