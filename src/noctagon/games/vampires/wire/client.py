"""The TCP client for Vampires vs Werewolves: one of our players on a server.

It reads on while the player thinks, so a game that ends meanwhile ends at once, and it answers inside the
time by a reserve that is adapted to the delays it measures. Whatever the player does, a legal turn is sent in
time where there is one: the best it has found, or a plain one where it has found none.
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
from noctagon.core.seat import Answer, Seat
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
from noctagon.games.vampires.wire.horizon import Horizon
from noctagon.games.vampires.wire.packets import (
    FROM_SERVER,
    Decoder,
    Nme,
    Packet,
    PacketError,
    Upd,
    encode,
    show,
)
from noctagon.processes.deadline import Attention, Reserve, TurnClock, cancel, catch_up
from noctagon.processes.thinking import GameNotifier, take_answer
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
WAITED = 30.0
"""Seconds of silence in a game that are reported."""
LEAST_LIMIT = 20
"""Smallest ply limit that a server sets: a game that ends sooner has ended for another reason."""
TURNS_HELD = 5
"""Turns' time for which a turn that came too late is kept, until it is clear that the server waits for it."""


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
            duration=None if options.plies else options.duration or vampires.game_seconds,
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
        duration: float | None = None,
        patience: float = 600.0,
        grace: float = 15.0,
        report: Callable[[GameReport], None] = print,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.seat = seat
        self.name = name.encode("ascii", "replace")[:LARGEST_BYTE]
        self.rules = rules
        self.seconds = seconds
        self.duration = duration
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
    """One connection, from our name to the end.

    Whatever wakes it, all that has arrived is read before anything is decided. So a turn is only sent while its
    question stands, and while its time is not over: a server may take one that comes too late for its next question's.
    """

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
        self.attention = Attention()
        self.ending = ""
        self.ended_games = 0
        self.told: set[str] = set()
        self.loop = asyncio.get_running_loop()
        self.looked_at = self.heard_at = self.loop.time()
        self.asked_at = 0.0
        self.settled_at: float | None = None
        """Time at which the last UPD will be thought about, unless another comes before."""
        self.reading: asyncio.Task[bytes]
        self.thought: asyncio.Task[Answer] | None = None
        self.abandoned: asyncio.Task[Answer] | None = None
        self.posed = False
        """True once the player has been asked the present question."""
        self.state: VampiresState
        self.clock = TurnClock(0.0, 0.0, 0.0)
        self.horizon = self._new_horizon()
        self.opened_at = 0.0
        self.late_turn: Turn | None = None
        """A turn that came too late, kept for a server that waits for it."""

    async def run(self) -> None:
        self._send(Nme(self.client.name))
        self.reading = asyncio.create_task(self.reader.read(CHUNK))
        try:
            while not self.ending:
                waiting = {self.reading} if self.thought is None else {self.reading, self.thought}
                pause, began = self._pause(), self.loop.time()
                done, _ = await asyncio.wait(waiting, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
                if not done:
                    self.reserve.woken(self.loop.time() - began - pause)
                await self._read_all()
                self._act()
        finally:
            self._abandon()
            await cancel(self.reading, self.abandoned)
            await self.notifier.close()

    async def _read_all(self) -> None:
        self.looked_at = self.attention.look()
        await catch_up()
        while self.reading.done() and not self.ending:
            self._read(self.reading)
            self.reading = asyncio.create_task(self.reader.read(CHUNK))
            await catch_up()

    # What comes.

    def _read(self, reading: asyncio.Task[bytes]) -> None:
        self.heard_at = self.looked_at
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
            if isinstance(packet, Upd) and self._lapsed:
                self._lose_the_turn()
            for notice in self.view.receive(packet):
                self._notice(notice)
            if self.ending:
                break
        for complaint in self.view.complaints:
            self._say(complaint)
        self.view.complaints.clear()

    @property
    def _lapsed(self) -> bool:
        """True if an UPD that comes now asks for another turn than the one being thought about.

        The first may be sent to both players and then once more to the one who begins; and a long one is sent in parts.
        """
        afterwards = self.loop.time() > self.asked_at + SETTLE_FULL
        return self.thought is not None and self.view.turns > 1 and afterwards

    def _lose_the_turn(self) -> None:
        self.view.answered(None)
        if self.loop.time() < self.clock.late:
            self.reserve.unheard()
            self._say(
                f"the server asked again before the {self.client.seconds:g} s of a turn were over: "
                "answering sooner from now on; say with --time what a turn takes there"
            )
        else:
            self.heard_at = max(self.heard_at, self.clock.late)  # nobody asks again before
            self._say("a turn was lost: this process was held up until its time was over")

    def _notice(self, notice: Notice) -> None:
        match notice:
            case Opened():
                self._open()
            case Asked(full):
                self._abandon()
                self.asked_at = self.heard_at
                self.settled_at = self.loop.time() + (SETTLE_FULL if full else SETTLE)
            case GameEnded(report):
                self._end(report)
            case Dismissed():
                self.ending = "the server said BYE"

    def _new_horizon(self) -> Horizon:
        return Horizon(plies=self.client.rules.plies, duration=self.client.duration, turn=self.client.seconds)

    def _open(self) -> None:
        """Describe the game to the player while there is time: before the first UPD."""
        self.horizon, self.opened_at = self._new_horizon(), self.loop.time()
        with contextlib.suppress(NoctagonError):  # it shows when a turn is asked for
            time = TimeControl(turn=self.client.seconds)
            self.notifier.begin(GameStart(self.view.state(), time, random.SystemRandom().getrandbits(32)))

    def _end(self, report: GameReport) -> None:
        self._abandon()
        self.settled_at = None
        self.ended_games += 1
        self._say_how_it_ended(report)
        if report.played:
            self.client.games += 1
            self.client.report(report)
        with contextlib.suppress(NoctagonError):  # who won is not on the wire: it is by what was last seen
            self.notifier.finish(self.view.state().adjudicate())

    def _say_how_it_ended(self, report: GameReport) -> None:
        """Report a game that the server ended, with both species alive, by a limit that it had not announced."""
        seconds = self.loop.time() - self.opened_at
        undecided = report.whole and report.vampires and report.werewolves
        if undecided and LEAST_LIMIT <= report.plies < self.client.rules.plies:
            limit = report.plies + report.plies % 2  # both have played equally often
            self._say(
                f"the server ended a game with both species alive after {report.plies} plies and {seconds:.0f} s; "
                f"if it always does, say so with --plies {limit} or --duration {seconds:.0f}"
            )

    def _break_off(self, ending: str) -> None:
        for notice in self.view.leave(ending, whole=False):
            self._notice(notice)
        self.ending = ending

    # What is done about it.

    def _pause(self) -> float:
        """Return the seconds until there is something to do, or to look after, even if nothing comes."""
        if self.thought is not None:
            until = self.clock.last_call
        elif self.late_turn is not None:
            until = self._waited_for
        elif self.settled_at is not None:
            until = self.settled_at
        else:
            until = self.heard_at + self._patience
        return min(self.attention.HEARTBEAT, max(0.0, until - self.loop.time()))

    @property
    def _waited_for(self) -> float:
        """The time at which a server that has said nothing since a turn came too late is taken to wait for it."""
        return self.clock.late + min(TURNS_HELD * self.client.seconds, self._patience / 2)

    @property
    def _patience(self) -> float:
        after_a_game = self.ended_games and not self.view.playing
        return self.client.grace if after_a_game else self.client.patience

    def _act(self) -> None:
        """Do what is due, now that all has been read."""
        now = self.loop.time()
        if self.ending:
            return
        if self.thought is not None:
            if self.thought.done() or now >= self.clock.last_call:
                self._decide(self.thought)
        elif self.late_turn is not None:
            if now >= self._waited_for:
                self._say("the server waits for a turn that came too late: it is sent now")
                self._play(self.late_turn)
        elif self.settled_at is not None:
            if now >= self.settled_at:
                self.settled_at = None
                self._think()
        elif now >= self.heard_at + self._patience:
            self._break_off(f"the server said nothing more for {self._patience:g} s")
        elif now >= self.heard_at + WAITED and self.view.playing:
            self._say(
                f"the server has said nothing for {WAITED:g} s; it is waited for, at most {self._patience:g} s"
            )

    def _think(self) -> None:
        try:
            self.state = self.view.state(self.horizon.at(self.view.ply, self.loop.time() - self.opened_at))
        except NoctagonError as error:
            self._say(f"no turn can be played: {error}")
            self.view.answered(None)
            return
        if self.view.unheard():
            self.reserve.unheard()
            self._say(
                "a turn of ours did not count, as if it had come too late: answering sooner from now on"
            )
        else:
            self.reserve.heard()
            for difference in self.view.differences():
                self._say(difference)
        self.clock = self.reserve.clock(self.asked_at, self.loop.time())
        if self.state.result is not None:  # alone on the grid: the player has nothing to decide
            self._answer(plain_turn(self.state))
            return
        self.posed = False
        self.thought = asyncio.create_task(self._ask(self.state, self.abandoned))

    async def _ask(self, state: VampiresState, before: asyncio.Task[Answer] | None) -> Answer:
        if before is not None:
            await asyncio.wait({before})
        if broke := await self.notifier.wait():
            self._say(f"the player could not start: {broke}")
        seconds = max(0.001, self.clock.ends - self.loop.time())
        self.posed = True
        return await self.client.seat.answer(Request(state.side, state, seconds))

    def _abandon(self) -> None:
        """Give up what is thought about, or was too late: its question is gone."""
        self.late_turn = None
        if self.thought is not None:
            self.thought.cancel()
            self.abandoned, self.thought = self.thought, None

    def _decide(self, thought: asyncio.Task[Answer]) -> None:
        """Answer with the player's turn, or its best so far; with a plain one if it has never had any."""
        taken = take_answer(self.client.seat, thought, self._read_turn, posed=self.posed)
        turn = taken.action
        if turn is None:
            turn = plain_turn(self.state)
            self._say(f"{taken.trouble}\na plain turn is played instead")
        elif taken.trouble:
            self._say(f"{taken.trouble}\nits best turn so far is played instead")
        if taken.broke:
            self.notifier.begin_again()
        if thought.done():
            self.thought = None
        self._abandon()
        self._answer(turn)

    def _answer(self, turn: Turn | None) -> None:
        """Send a turn, unless its time is over: then it is kept for a server that waits for it."""
        now = self.loop.time()
        self.reserve.measured(now - self.clock.ends)
        if turn is None or now < self.clock.late:
            self._play(turn)
            return
        self.view.answered(None)
        self.late_turn = turn
        self._say("a turn came too late: it is not sent, unless the server waits for it")

    def _read_turn(self, action: object) -> Turn:
        turn = Turn(vampires.action(action, self.state))
        self.state.check(turn)
        return turn

    def _play(self, turn: Turn | None) -> None:
        self.late_turn = None
        if turn is not None:
            self._send(to_packet(turn))
        self.view.answered(turn)

    def _send(self, packet: Packet) -> None:
        self.writer.write(encode(packet))
        if self.writer.transport.get_write_buffer_size() > UNSENT:
            self._break_off("the server does not read what is sent to it")

    def _say(self, line: str) -> None:
        if line not in self.told and len(self.told) < COMPLAINTS:
            self.told.add(line)
            self.client.tell(line)
