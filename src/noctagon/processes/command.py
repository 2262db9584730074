"""A seat for somebody's program, in any language: started for a game, refereed over loopback, ended with it."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import shutil
import time
from abc import abstractmethod
from pathlib import Path
from typing import Any

import platformdirs

from noctagon.core.events import Event, Played
from noctagon.core.game import Game, NoctagonError, Result, Side, State
from noctagon.core.limits import USUAL, Limits
from noctagon.core.match import Request
from noctagon.core.player import GameStart, PlayerSpec, command_words
from noctagon.core.seat import Answer, Answered, Broke, Missed, Seat
from noctagon.games.vampires import VampiresState
from noctagon.games.vampires.wire.connection import Gone, PlayerConnection
from noctagon.games.vampires.wire.seat import WireSeat, check_size
from noctagon.games.wargame.wire.broker import CORS, respond
from noctagon.games.wargame.wire.http import serving
from noctagon.games.wargame.wire.relay import Relay
from noctagon.processes.launch import PRINTED, Launched, launch
from noctagon.processes.launcher import OVER

LOOPBACK = "127.0.0.1"
CONNECT_SECONDS = 60.0
"""How long a program may take from its start to its name: some have to be compiled first."""
FAREWELL_SECONDS = 2.0
"""How long a program may take to end by itself once it has been told."""
MOST_LOGS = 500
"""So many logs of programs are kept, the newest."""

_games = itertools.count(1)


class CommandSeat(Seat):
    """What programs for both games have in common: a process for every game, with limits and a log."""

    rewinds = False

    def __init__(self, spec: PlayerSpec, game: Game[Any], limits: Limits | None = None) -> None:
        self.spec = spec
        self.game = game
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
        """The end of its log, after the log's path."""
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
        """Why the program is gone, where its end tells more than the broken connection."""
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
        if self.launched is not None:
            await self.launched.end(grace=FAREWELL_SECONDS)
            self.launched = None

    def _cpu(self) -> float:
        return self.launched.cpu_seconds() if self.launched is not None else 0.0


class VampiresCommand(CommandSeat):
    """A program that speaks the course's protocol: host and port are its last two arguments."""

    def __init__(self, spec: PlayerSpec, game: Game[Any], limits: Limits | None = None) -> None:
        super().__init__(spec, game, limits)
        self.wire: WireSeat | None = None

    async def start(self, start: GameStart, side: Side) -> Broke | None:
        await self.close()
        try:
            check_start(self.spec, start.state)
        except NoctagonError as error:
            return Broke(str(error))
        loop = asyncio.get_running_loop()
        arrival: asyncio.Future[PlayerConnection] = loop.create_future()

        def arrived(connection: PlayerConnection) -> None:
            if not arrival.done():
                arrival.set_result(connection)
            else:
                connection.close()

        listening = await loop.create_server(lambda: PlayerConnection(arrived), LOOPBACK, 0)
        try:
            port = listening.sockets[0].getsockname()[1]
            await self._launch([*self.words, LOOPBACK, str(port)])
            connection = await self._wait_for(arrival)
            await connection.named(CONNECT_SECONDS)
        except (Gone, NoctagonError) as error:
            return await self._explain(Broke(str(error)))
        finally:
            listening.close()
        self.wire = WireSeat(connection)
        broke = await self.wire.start(start, side)
        return await self._explain(broke) if broke else None

    async def _wait_for(self, arrival: asyncio.Future[PlayerConnection]) -> PlayerConnection:
        """The program's connection, unless the program ends, or takes too long, before it has made one."""
        assert self.launched is not None
        ended = asyncio.create_task(self.launched.wait())
        try:
            done, _ = await asyncio.wait(
                (arrival, ended), timeout=CONNECT_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            ended.cancel()
        if arrival in done:
            return arrival.result()
        raise Gone("ended before it connected" if done else f"did not connect in {CONNECT_SECONDS:g} s")

    async def converse(self, request: Request) -> Answer:
        assert self.wire is not None
        return await self.wire.answer(request)

    def observe(self, event: Event) -> None:
        if self.wire is not None:
            self.unasked = self.wire.unasked
            self.wire.observe(event)

    async def finish(self, result: Result) -> None:
        if self.wire is not None:
            await self.wire.finish(result)
        await self._farewell()

    async def close(self) -> None:
        if self.wire is not None:
            await self.wire.close()
            self.wire = None
        await super().close()


class WargameCommand(CommandSeat):
    """A program that plays through a broker: `{url}` and `{side}` in its command are filled in."""

    def __init__(self, spec: PlayerSpec, game: Game[Any], limits: Limits | None = None) -> None:
        super().__init__(spec, game, limits)
        self.relay: Relay | None = None
        self._serving = contextlib.AsyncExitStack()
        if not any("{url}" in word for word in self.words):
            raise NoctagonError(
                f"{spec}: a program for the wargame is told its broker by {{url}} in the command"
            )

    async def start(self, start: GameStart, side: Side) -> Broke | None:
        await self.close()
        relay = self.relay = Relay(start.state, side)
        host, port = await self._serving.enter_async_context(
            serving(lambda request: respond(relay, request), LOOPBACK, 0, headers=CORS)
        )
        filled = {"{url}": f"http://{host}:{port}/game/{relay.name}", "{side}": self.game.sides[side].lower()}
        try:
            await self._launch([_fill(word, filled) for word in self.words])
        except NoctagonError as error:
            return Broke(str(error))
        return None

    async def converse(self, request: Request) -> Answer:
        assert self.relay is not None
        assert self.launched is not None
        answering = asyncio.create_task(self.relay.answer(request.state))
        ended = asyncio.create_task(self.launched.wait())
        try:
            done, _ = await asyncio.wait(
                (answering, ended), timeout=request.seconds, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            for task in (answering, ended):
                task.cancel()
        if answering in done:
            return Answered(answering.result())
        return Broke("its program ended") if done else Missed()

    def observe(self, event: Event) -> None:
        if self.relay is not None:
            self.unasked = self.relay.unasked
            if isinstance(event, Played):
                self.relay.show(event.after)  # also the last move, which it will not be asked about

    async def finish(self, result: Result) -> None:
        await self._farewell()

    async def close(self) -> None:
        await self._serving.aclose()
        await super().close()


def _keep_the_newest(folder: Path, count: int) -> None:
    """Remove old logs: their names begin with their date."""
    for log in sorted(folder.glob("*.log"))[:-count]:
        log.unlink(missing_ok=True)


def _fill(word: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        word = word.replace(name, value)
    return word


def check_start(spec: PlayerSpec, state: State[Any]) -> None:
    """Refuse a position that a `cmd:` player cannot be told."""
    if spec.command and isinstance(state, VampiresState):
        check_size(state)


def command_seat(spec: PlayerSpec, game: Game[Any], limits: Limits | None = None) -> Seat:
    """The seat for a `cmd:` player of a game."""
    kinds = {"vampires": VampiresCommand, "wargame": WargameCommand}
    if game.name not in kinds:
        raise NoctagonError(
            f"{spec}: programs play {' and '.join(kinds)} only; for {game.name} write PATH.py:CLASS"
        )
    return kinds[game.name](spec, game, limits)
