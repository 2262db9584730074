"""The TCP client for Vampires vs Werewolves: one of our players on a server.

It reads on while the player thinks, so a game that ends meanwhile ends at once, and it answers inside the
time by a reserve that grows with the delays it measures. Whatever the player does, a legal turn is sent in
time where there is one.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable

from noctagon.core.clock import TimeControl
from noctagon.core.game import NoctagonError
from noctagon.core.match import Request
from noctagon.core.player import GameStart
from noctagon.core.seat import Answer, Answered, Broke, Malformed, Missed, Seat
from noctagon.core.wire import Client, JoinOptions, Report
from noctagon.games.vampires import VampiresState
from noctagon.games.vampires import game as vampires
from noctagon.games.vampires.rules.limits import LARGEST_BYTE
from noctagon.games.vampires.rules.ruleset import SERVER, VampiresRules
from noctagon.games.vampires.rules.turn import Turn
from noctagon.games.vampires.wire.gameview import (
    Asked,
    Dismissed,
    GameEnded,
    GameReport,
    GameView,
    Notice,
    Opened,
    plain_turn,
    to_packet,
)
from noctagon.games.vampires.wire.packets import FROM_SERVER, Decoder, Nme, Packet, PacketError, encode, show
from noctagon.processes.thinking import GameNotifier, Reserve, cancel
from noctagon.wire.tcp import connect, keep_connecting

CHUNK = 64 * 1024
UNSENT = 64 * 1024
"""Maximum number of sent bytes that may wait for a server to read them."""
COMPLAINTS = 20
"""Maximum number of different complaints about one connection that are reported."""

SETTLE = 0.005
"""Seconds after an UPD in which another may follow that belongs to it."""
SETTLE_FULL = 0.05
"""The same after one that is full."""


class VampiresClient(Client):
    """Takes a player to a server with the options of `noctagon join`."""

    def __init__(self, options: JoinOptions) -> None:
        if options.side:
            raise NoctagonError(
                "--side is for a broker's address, http://…; a server says itself which species is whose"
            )
        rules = vampires.make_rules(options.rules or SERVER.name, plies=options.plies)
        assert isinstance(rules, VampiresRules)
        self.options = options
        self.rules = rules

    def start(self) -> GameStart:
        return GameStart(vampires.initial(None, self.rules), TimeControl(turn=self.options.seconds))

    async def play(self, seat: Seat, *, report: Report, tell: Report) -> None:
        options = self.options
        client = TcpClient(
            seat,
            name=options.name,
            rules=self.rules,
            seconds=options.seconds,
            patience=options.patience,
            report=lambda played: report(str(played)),
            tell=tell,
        )
        port = options.port or vampires.wire().port
        await (client.stay if options.reconnect else client.play)(options.address, port)


class TcpClient:
    """Plays for one seat on servers. `report` gets every game, `tell` a line about everything odd."""

    def __init__(
        self,
        seat: Seat,
        *,
        name: str = "noctagon",
        rules: VampiresRules = SERVER,
        seconds: float = 2.0,
        patience: float = 600.0,
        grace: float = 15.0,
        report: Callable[[GameReport], None] = print,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.seat = seat
        self.name = name.encode("ascii", "replace")[:LARGEST_BYTE]
        self.rules = rules
        self.seconds = seconds
        self.patience = patience
        self.grace = grace
        self.report = report
        self.tell = tell
        self.games = 0
        """Games that were played, over all connections."""

    async def play(self, host: str, port: int) -> None:
        """Connect, and play until the server has enough; raises `NoctagonError` if there was no game at all."""
        reader, writer, delay = await connect(host, port)
        before = self.games
        conversation = _Conversation(self, reader, writer, Reserve(self.seconds, delay))
        try:
            await conversation.run()
        finally:
            await _close(writer)
        if self.games == before:
            raise NoctagonError(f"{host}:{port}: no game was played: {conversation.ending}")

    async def stay(self, host: str, port: int) -> None:
        """Play, and connect again whenever a connection ends or cannot be made; never returns."""
        await keep_connecting(lambda: self.play(host, port), self.tell)


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    try:
        async with asyncio.timeout(1.0):
            await writer.wait_closed()
    except (OSError, TimeoutError):
        writer.transport.abort()


class _Conversation:
    """One connection, from our name to the end."""

    def __init__(
        self, client: TcpClient, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, reserve: Reserve
    ) -> None:
        self.client = client
        self.reader = reader
        self.writer = writer
        self.reserve = reserve
        self.view = GameView(client.rules)
        self.decoder = Decoder(FROM_SERVER)
        self.notifier = GameNotifier(client.seat)
        self.ending = ""
        self.ended_games = 0
        self.told: set[str] = set()
        self.loop = asyncio.get_running_loop()
        self.heard_at = self.loop.time()
        self.asked_at = 0.0
        self.settled_at: float | None = None
        """Time at which the last UPD will be thought about, unless another comes before."""
        self.thought: asyncio.Task[Answer] | None = None
        self.abandoned: asyncio.Task[Answer] | None = None
        self.state: VampiresState
        self.clock_ends = 0.0

    async def run(self) -> None:
        self._send(Nme(self.client.name))
        reading = asyncio.create_task(self.reader.read(CHUNK))
        try:
            while not self.ending:
                waiting = {reading} if self.thought is None else {reading, self.thought}
                await asyncio.wait(waiting, timeout=self._pause(), return_when=asyncio.FIRST_COMPLETED)
                if reading.done():
                    self._read(reading)
                    reading = asyncio.create_task(self.reader.read(CHUNK))
                if self.thought is not None and self.thought.done():
                    self._answer(self.thought)
                self._look_at_the_clock()
        finally:
            self._abandon()
            await cancel(reading, self.abandoned)
            await self.notifier.close()

    # What comes.

    def _read(self, reading: asyncio.Task[bytes]) -> None:
        self.heard_at = self.loop.time()
        try:
            data = reading.result()
        except OSError as error:
            self._break_off(f"the connection was lost: {error.strerror or error}")
            return
        if not data:
            left = self.decoder.pending
            within = f" in the middle of a packet, {show(left)}" if left else ""
            self._break_off(f"the server closed the connection{within}")
            return
        try:
            while not self.ending and (packets := self.decoder.feed(data)):
                self._take(packets)
                data = b""
        except PacketError as fault:
            self._break_off(f"the server sent what is no packet: {fault}")
            raise NoctagonError(self.ending) from None

    def _take(self, packets: list[Packet]) -> None:
        for packet in packets:
            for notice in self.view.receive(packet):
                self._notice(notice)
            if self.ending:
                break
        for complaint in self.view.complaints:
            self._say(complaint)
        self.view.complaints.clear()

    def _notice(self, notice: Notice) -> None:
        match notice:
            case Opened():
                self._open()
            case Asked(full):
                self._abandon()
                self.asked_at = self.heard_at
                self.settled_at = self.asked_at + (SETTLE_FULL if full else SETTLE)
            case GameEnded(report):
                self._end(report)
            case Dismissed():
                self.ending = "the server said BYE"

    def _open(self) -> None:
        """Describe the game to the player while there is time: before the first UPD."""
        with contextlib.suppress(NoctagonError):  # it shows when a turn is asked for
            time = TimeControl(turn=self.client.seconds)
            self.notifier.begin(GameStart(self.view.state(), time, random.SystemRandom().getrandbits(32)))

    def _end(self, report: GameReport) -> None:
        self._abandon()
        self.settled_at = None
        self.ended_games += 1
        if report.played:
            self.client.games += 1
            self.client.report(report)
        with contextlib.suppress(NoctagonError):  # who won is not on the wire: it is by what was last seen
            self.notifier.finish(self.view.state().adjudicate())

    def _break_off(self, ending: str) -> None:
        for notice in self.view.leave(ending, whole=False):
            self._notice(notice)
        self.ending = ending

    # What is done about it.

    def _pause(self) -> float | None:
        """Return the seconds until there is something to do even if nothing comes."""
        if self.settled_at is None and self.thought is not None:
            return None
        until = self.heard_at + self._patience if self.settled_at is None else self.settled_at
        return max(0.0, until - self.loop.time())

    @property
    def _patience(self) -> float:
        after_a_game = self.ended_games and not self.view.playing
        return self.client.grace if after_a_game else self.client.patience

    def _look_at_the_clock(self) -> None:
        if self.ending or self.thought is not None or self._pause():
            return
        if self.settled_at is not None:
            self.settled_at = None
            self._think()
        else:
            self._break_off(f"the server said nothing more for {self._patience:g} s")

    def _think(self) -> None:
        try:
            self.state = self.view.state()
        except NoctagonError as error:
            self._say(f"no turn can be played: {error}")
            self.view.answered(None)
            return
        if self.view.unheard():
            self.reserve.unheard()
            self._say(
                "a turn of ours did not count, as if it had come too late: answering sooner from now on"
            )
        self.clock_ends = self.asked_at + self.client.seconds - self.reserve.seconds
        if self.state.result is not None:  # alone on the grid: the player has nothing to decide
            self._play(plain_turn(self.state))
            return
        self.thought = asyncio.create_task(self._ask(self.state, self.abandoned))

    async def _ask(self, state: VampiresState, before: asyncio.Task[Answer] | None) -> Answer:
        async with asyncio.timeout_at(self.clock_ends + self.reserve.seconds / 2):
            if before is not None:
                await asyncio.wait({before})
            if broke := await self.notifier.wait():
                self._say(f"the player could not start: {broke}")
            seconds = max(0.001, self.clock_ends - self.loop.time())
            return await self.client.seat.answer(Request(state.side, state, seconds))

    def _abandon(self) -> None:
        if self.thought is not None:
            self.thought.cancel()
            self.abandoned, self.thought = self.thought, None

    def _answer(self, thought: asyncio.Task[Answer]) -> None:
        self.thought = None
        self._play(self._read_answer(thought) or plain_turn(self.state))

    def _read_answer(self, thought: asyncio.Task[Answer]) -> Turn | None:
        """Return the player's turn; None, and a line about it, if there is no legal one."""
        error = thought.exception()
        answer = thought.result() if error is None else Missed()
        if error is not None and not isinstance(error, TimeoutError):
            answer = Broke(f"{type(error).__name__}: {error}")
        match answer:
            case Answered(action):
                try:
                    given = vampires.action(action, self.state)
                    self.state.check(given)
                except NoctagonError as refusal:
                    trouble = f"the player's turn is not legal: {refusal}"
                else:
                    return Turn(given)
            case Missed():
                trouble = "the player gave no answer in its time"
            case Broke(line, log):
                trouble = "\n".join(filter(None, (f"the player crashed: {line}", log.rstrip())))
                self.notifier.begin_again()
            case Malformed(detail):
                trouble = f"the player's turn is not legal: {detail}"
            case _:
                trouble = "the player gave up"
        self._say(f"{trouble}\na plain turn is played instead")
        return None

    def _play(self, turn: Turn | None) -> None:
        if turn is not None:
            self._send(to_packet(turn))
        self.view.answered(turn)
        self.reserve.measured(self.loop.time() - self.clock_ends)

    def _send(self, packet: Packet) -> None:
        self.writer.write(encode(packet))
        if self.writer.transport.get_write_buffer_size() > UNSENT:
            self._break_off("the server does not read what is sent to it")

    def _say(self, line: str) -> None:
        if line not in self.told and len(self.told) < COMPLAINTS:
            self.told.add(line)
            self.client.tell(line)
