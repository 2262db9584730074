"""One start of a bot under test: the server's end of its wire, and the games that are played with it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from collections.abc import Sequence
from enum import Enum
from random import Random
from types import TracebackType
from typing import Any, NamedTuple, Self

import msgspec

from noctagon.core.game import IllegalAction, NoctagonError
from noctagon.core.wire import Consequence
from noctagon.games.vampires import game
from noctagon.games.vampires.maps.map import Map
from noctagon.games.vampires.rules.limits import LARGEST_BYTE
from noctagon.games.vampires.rules.ruleset import SERVER, Cell, Species
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Turn
from noctagon.games.vampires.wire import packets
from noctagon.games.vampires.wire.checker_hints import diagnose
from noctagon.games.vampires.wire.packets import (
    FROM_PLAYER,
    CellContent,
    Decoder,
    End,
    Hme,
    Hum,
    Mov,
    Nme,
    Packet,
    PacketError,
    Set,
    Upd,
    encode,
)
from noctagon.processes.system import end_group, own_group

HOST = "127.0.0.1"

START_SECONDS = 10.0
"""Seconds from a bot's start to its connection."""
NAME_SECONDS = 3.0
"""Seconds from its connection to its name."""
END_SECONDS = 3.0
"""Seconds from the server's last word to the end of its process."""
STEP = 0.05
"""The pause between packets that the course's server sends apart."""
PIECE = 0.005
"""The pause between pieces of a packet: enough to arrive apart."""
SILENCE = 0.3
"""Seconds of silence that count as no answer."""
LAST_GASP = 1.0
"""Seconds that a process may outlive its connection and still count as ended."""

MOST_LOG = 2000
MOST_READ = 4096
MOST_DISCARDED = 2**20


class Fault(NoctagonError):  # noqa: N818 - it is the bot's
    """A bot's fault: a sentence, the bytes it sent, and the likely cause.

    The packets it had just received, and what it printed, are added where its trial ends.
    """

    def __init__(
        self, problem: str, *, received: bytes = b"", hint: str = "", consequence: Consequence | None = None
    ) -> None:
        """Describe a fault; `consequence`, where it is not that of the check."""
        super().__init__(problem)
        self.consequence = consequence
        self.received = received
        self.hint = hint
        self.where = ""
        self.sent: tuple[Packet, ...] = ()
        self.log = ""


class Silence(Fault):
    """No answer at all: neither what the turn would have been nor whether it was legal is known."""


class Answer(NamedTuple):
    """The time that the bot took for one turn of a check."""

    seconds: float
    check: str
    turn: int


class Trial:
    """A bot that runs, from its start to its end, however that comes: `async with Trial(…) as trial`."""

    def __init__(self, command: Sequence[str], *, seconds: float, check: str = "", host: str = HOST) -> None:
        self.command = command
        self.seconds = seconds
        self.check = check
        self.host = host
        self.sent: tuple[Packet, ...] = ()
        """The packets that the bot received last."""
        self.answers: list[Answer] = []
        self.decoder = Decoder(FROM_PLAYER)
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the trial
        self._closing = False
        self._said = 0.0
        self._process: asyncio.subprocess.Process
        self._connected: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]]
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter | None = None

    async def __aenter__(self) -> Self:
        self._connected = asyncio.get_running_loop().create_future()
        self._server = await asyncio.start_server(self._accept, HOST, 0)
        port = self._server.sockets[0].getsockname()[1]
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self.command,
                self.host,
                str(port),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=self.log,
                stderr=self.log,
                **own_group(),
            )
        except OSError as error:
            self._server.close()
            self.log.close()
            raise NoctagonError(f"{self.command[0]!r} cannot be started: {error.strerror or error}") from None
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Fault):
            error.sent, error.log = self.sent, self.printed()
        end_group(self._process.pid)
        self._closing = True
        self._server.close()
        if self._connected.done():
            self._writer = self._connected.result()[1]
        await self.close()
        await self._process.wait()
        self.log.close()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._closing or self._connected.done():
            writer.close()
        else:
            self._connected.set_result((reader, writer))

    @property
    def patience(self) -> float:
        """Seconds until an answer is given up: late ones are heard too, so that only one check is about time."""
        return 2 * self.seconds + 1

    # What the server does.

    async def connect(self) -> None:
        """Wait for the bot to connect."""
        ended = asyncio.create_task(self._process.wait())
        waiting: set[asyncio.Future[Any]] = {self._connected, ended}
        await asyncio.wait(waiting, timeout=START_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        ended.cancel()
        if self._connected.done():
            self._reader, self._writer = self._connected.result()
        elif ended.done() and not ended.cancelled():
            raise Fault(f"it ended with exit code {ended.result()} before it connected")
        else:
            raise Fault(f"it has not connected {START_SECONDS:g} s after its start")

    async def say(self, *packets: Packet, piece: int = 0) -> None:
        """Send packets in one write, or in pieces of this many bytes."""
        assert self._writer is not None
        data = b"".join(map(encode, packets))
        self.sent = packets
        size = piece or len(data)
        with contextlib.suppress(ConnectionError):  # it shows when an answer is missed
            for at in range(0, len(data), size):
                if at:
                    await asyncio.sleep(PIECE)
                self._said = asyncio.get_running_loop().time()
                self._writer.write(data[at : at + size])
                await self._writer.drain()

    async def close(self) -> None:
        """Close the connection, without a word."""
        if self._writer is not None:
            self._writer.close()
            with contextlib.suppress(ConnectionError):
                await self._writer.wait_closed()

    # What the bot does.

    async def name(self) -> bytes:
        """Return the bot's NME, which must be well formed and the only packet."""
        got = b""
        try:
            async with asyncio.timeout(NAME_SECONDS):
                while piece := await self._read():
                    got += piece
                    if packets := self.decoder.feed(piece):
                        break
                else:
                    raise Fault(f"{await self._gone()} before its name was complete", received=got)
        except TimeoutError:
            if len(got) > 4:
                raise Fault(
                    f"its NME states a name of {got[3]} bytes, and {len(got) - 4} came", received=got
                ) from None
            raise Fault(
                f"no NME within {NAME_SECONDS:g} s of its connection",
                received=got,
                hint=NME_FIRST,
                consequence="loses",
            ) from None
        except PacketError as error:
            problem = f"its first packet is no NME: {error}"
            raise Fault(problem, received=got, hint=NME_FIRST, consequence="loses") from None
        if not isinstance(packets[0], Nme):
            raise Fault("its first packet is no NME", received=got, hint=NME_FIRST, consequence="loses")
        got += await self.listen(SILENCE)
        name = packets[0].name
        if len(got) > 4 + len(name):
            raise Fault(f"its NME states a name of {len(name)} bytes, and {len(got) - 4} came", received=got)
        if not name.isascii():
            raise Fault("its name is not ASCII", received=got)
        return name

    async def any_name(self) -> None:
        """Wait for a name, however badly formed: only one check is about it."""
        with contextlib.suppress(TimeoutError, PacketError):
            async with asyncio.timeout(NAME_SECONDS):
                while not self.decoder.buffer and not self.decoder.packets:
                    piece = await self._read()
                    if not piece:
                        raise Fault(f"{await self._gone()} before the game began")
                    self.decoder.feed(piece)
        await asyncio.sleep(STEP)  # whatever else it takes for its name

    async def listen(self, seconds: float) -> bytes:
        """Return the bytes that the bot sends in this time; at best none."""
        try:
            async with asyncio.timeout(seconds):
                return await self._read()
        except TimeoutError:
            return b""

    async def expect_silence(
        self, seconds: float, when: str, *, consequence: Consequence | None = None
    ) -> None:
        if said := self.decoder.pending + await self.listen(seconds):
            raise Fault(f"it spoke out of turn, {when}", received=said, consequence=consequence)

    async def forget(self) -> None:
        """Discard what came before the first turn."""
        for _ in range(MOST_DISCARDED // MOST_READ):
            if not await self.listen(PIECE):
                break
        self.decoder.reset()

    async def answer(self, turn: int) -> Mov:
        """Return the MOV that answers the last packets, however late within the checker's patience."""
        got = b""
        try:
            async with asyncio.timeout(self.patience):
                while piece := await self._read():
                    got += piece
                    if packets := self.decoder.feed(piece):
                        break
                else:
                    raise Fault(f"{await self._gone()} where a MOV was due", received=got, hint=GONE)
        except TimeoutError:
            if got:
                came = "1 byte" if len(got) == 1 else f"{len(got)} bytes"
                problem = f"its packet is not complete after {self.patience:g} s: {came} came"
                raise Fault(problem, received=got, hint=INCOMPLETE) from None
            raise Silence(
                f"no answer to turn {turn} within {self.patience:g} s, where a turn has {self.seconds:g} s",
                hint=TOO_SLOW,
            ) from None
        except PacketError as error:
            raise Fault(f"it sent no MOV: {error}", received=got, hint=MOV_FORM) from None
        took = asyncio.get_running_loop().time() - self._said
        if not isinstance(packets[0], Mov):
            raise Fault("it sent NME where a MOV was due", received=got)
        if len(packets) > 1 or self.decoder.pending:
            extra = len(got) - len(encode(packets[0]))
            more = "a byte" if extra == 1 else f"{extra} bytes"
            raise Fault(f"{more} followed its MOV", received=got, hint=MOV_FORM)
        self.answers.append(Answer(took, self.check, turn))
        return packets[0]

    async def end(self) -> int:
        """Return the bot's exit code; it must end, with all its children."""
        try:
            async with asyncio.timeout(END_SECONDS):
                code = await self._process.wait()
        except TimeoutError:
            raise Fault(f"it still runs {END_SECONDS:g} s later") from None
        if await self._left_behind():
            raise Fault(
                "it ended, but a process that it started still runs", hint="end your child processes too"
            )
        return code

    # Behind the scenes.

    async def _read(self) -> bytes:
        """Return the next piece; none once the bot has closed the connection."""
        try:
            return await self._reader.read(MOST_READ)
        except ConnectionError:
            return b""

    async def _gone(self) -> str:
        try:
            async with asyncio.timeout(LAST_GASP):
                return f"it ended with exit code {await self._process.wait()}"
        except TimeoutError:
            return "it closed the connection"

    async def _left_behind(self) -> bool:
        """Return True if the bot's process group still has members a moment after its own end."""
        if not hasattr(os, "killpg"):
            return False
        for _ in range(10):
            try:
                os.killpg(self._process.pid, 0)
            except (ProcessLookupError, PermissionError):
                return False
            await asyncio.sleep(STEP)
        return True

    def printed(self) -> str:
        """Return the end of the bot's output."""
        size = self.log.seek(0, os.SEEK_END)
        self.log.seek(max(0, size - MOST_LOG))
        text: Any = self.log.read()
        return str(text, "utf-8", "replace").strip()


NME_FIRST = "the first thing to say is NME, right after connecting: the server answers it with SET"
MOV_FORM = "a turn is M O V, one byte n, then n times five bytes: x y count tx ty, and nothing else"
TOO_SLOW = "stop thinking before the time for a turn is over; if it does not think, see what it waits for"
GONE = "it crashed, or took something for the end: see what it printed"
INCOMPLETE = f"{MOV_FORM}; is n the number of moves, and is everything flushed?"


MOST_CELLS = LARGEST_BYTE
TRIES = 20
"""Number of attempts of the opponent to find a turn that leaves the bot alone."""


class Delivery(Enum):
    """The way the opening and the updates come over the wire: servers differ, and networks too."""

    COURSE = "SET, HUM and HME together, then MAP, then UPD, as the course's server does"
    APART = "every packet by itself"
    GLUED = "the opening and the first UPD in one piece"
    BYTEWISE = "the opening byte by byte"
    FRAGMENTED = "every UPD in pieces of two bytes"


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """The game of a check, and the way it is sent."""

    map: Map | str
    """The map; or a position as text, where there are several groups a side."""
    species: Species = "vampires"
    """The bot's."""
    first: Species = "vampires"
    delivery: Delivery = Delivery.COURSE
    whole_map: bool = False
    """True if the first UPD repeats the whole map."""
    most_turns: int | None = None
    """Maximum number of turns, where a few show all there is to see."""


def contents(state: VampiresState, cells: Sequence[Cell]) -> tuple[CellContent, ...]:
    """Return the content of cells in the form of MAP and UPD."""
    kinds = (state.humans, state.vampires, state.werewolves)
    return tuple(CellContent(x, y, *(kind.get((x, y), 0) for kind in kinds)) for x, y in cells)


def occupied(state: VampiresState) -> list[Cell]:
    """Return the cells that are not empty, row by row."""
    cells = [*state.humans, *state.vampires, *state.werewolves]
    return sorted(cells, key=lambda cell: (cell[1], cell[0]))


def touched(turn: Turn) -> list[Cell]:
    """Return the cells of a turn, targets before sources."""
    return [*((move.tx, move.ty) for move in turn), *((move.x, move.y) for move in turn)]


def opening(state: VampiresState, species: Species) -> tuple[Packet, Packet, Packet, Packet]:
    """Return the opening: SET, HUM, HME, MAP."""
    home = next(iter(state.vampires if species == "vampires" else state.werewolves))
    houses = sorted(state.humans, key=lambda cell: (cell[1], cell[0]))
    board = contents(state, occupied(state))
    return Set(state.rows, state.columns), Hum(tuple(houses)), Hme(*home), packets.Map(board)


def _first_position(scenario: Scenario) -> VampiresState:
    if isinstance(scenario.map, Map):
        return VampiresState.from_map(scenario.map, SERVER, scenario.first)
    state = game.parse_position(scenario.map, SERVER)
    assert isinstance(state, VampiresState)
    return state


class Play:
    """One game of a trial, from its opening to just before its END."""

    def __init__(self, trial: Trial, scenario: Scenario, *, turns: int, seed: int = 1) -> None:
        self.trial = trial
        self.scenario = scenario
        self.turns = min(turns, scenario.most_turns or turns)
        self.rng = Random(seed)
        self.state = _first_position(scenario)
        self.before: VampiresState | None = None
        """The position that the bot saw a turn ago."""
        self.own: list[Cell] = []
        self.others: list[Cell] = []
        self.played = 0

    async def open(self) -> None:
        """Send the opening, up to MAP; where all is glued together, nothing yet."""
        parts = opening(self.state, self.scenario.species)
        match self.scenario.delivery:
            case Delivery.GLUED:
                return
            case Delivery.BYTEWISE:
                await self.trial.say(*parts, piece=1)
            case Delivery.APART:
                for part in parts:
                    await self.trial.say(part)
                    await asyncio.sleep(STEP)
            case _:
                await self.trial.say(*parts[:3])
                await asyncio.sleep(STEP)
                await self.trial.say(parts[3])
        await asyncio.sleep(STEP)

    async def run(self) -> None:
        """Play the opening and the bot's turns."""
        await self.open()
        while self.played < self.turns and self.state.result is None:
            if not await self.turn():
                break

    async def turn(self) -> bool:
        """Play the opponent's ply, if it is on move, then the bot's; return False if there was none to play."""
        if self.state.species != self.scenario.species:
            self.oppose()
        if self.state.result is not None or len(self.changed()) > MOST_CELLS:  # they do not fit into one UPD
            return False
        await self.ask()
        answer = await self.trial.answer(self.played + 1)
        try:
            self.state.check(answer.moves)
        except IllegalAction as error:
            hint = diagnose(self.state, answer.moves, error, self.before)
            raise Fault(f"turn {self.played + 1}: {error}", received=encode(answer), hint=hint) from None
        turn = Turn(answer.moves)
        self.before = self.state
        self.state = self.state.play(turn, self.state.roll(turn, self.rng))
        self.own = touched(turn)
        self.played += 1
        return True

    def changed(self) -> list[Cell]:
        """Return the cells of the next UPD."""
        if self.scenario.whole_map and not self.played:
            return occupied(self.state)
        return list(dict.fromkeys([*self.own, *self.others]))

    async def ask(self) -> None:
        """Send UPD: it is the bot's turn."""
        update = Upd(contents(self.state, self.changed()))
        if self.played:
            await self.trial.expect_silence(PIECE, f"after its turn {self.played} and before the next UPD")
        else:
            await self.trial.forget()
        if self.scenario.delivery is Delivery.GLUED and not self.played:
            await self.trial.say(*opening(self.state, self.scenario.species), update)
        elif self.scenario.delivery is Delivery.FRAGMENTED:
            await self.trial.say(update, piece=2)
        else:
            await self.trial.say(update)

    def oppose(self) -> None:
        """Play the opponent's ply: at random, away from the bot where it can."""
        for _ in range(TRIES):
            turn = self.state.actions().sample(self.rng)
            if not any((move.tx, move.ty) in self.state.foes for move in turn):
                break
        self.state = self.state.play(turn, self.state.roll(turn, self.rng))
        self.others = touched(turn)

    async def finish(self) -> None:
        """Send END, which needs no answer."""
        await self.trial.say(End())
        await asyncio.sleep(STEP)
