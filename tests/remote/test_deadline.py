"""What a stopped process does with the time of a turn: its best so far is sent, and nothing to a question that is gone.

Stalls are jumps of the event loop's clock (`stalls.py`), or a child process that is stopped.
"""

import asyncio
import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from noctagon.core.match import Request
from noctagon.core.player import Decision, PlayerSpec, Searcher
from noctagon.core.seat import Answer, Answered, Broke, Missed, Seat
from noctagon.games.vampires import VampiresState, game
from noctagon.games.vampires.wire.client import TURNS_HELD, TcpClient
from noctagon.games.vampires.wire.connection import PlayerConnection
from noctagon.games.vampires.wire.gameview import plain_turn
from noctagon.games.vampires.wire.packets import Bye, CellContent, End, Mov, Nme, Upd, encode
from noctagon.games.wargame import game as wargame
from noctagon.games.wargame.wire.broker import PostedMove, respond
from noctagon.games.wargame.wire.command import BrokerCommandSeat
from noctagon.games.wargame.wire.http import serving as serving_http
from noctagon.games.wargame.wire.relay import Relay
from noctagon.processes.deadline import Reserve, WakefulClock, cancel
from noctagon.processes.playing import Chosen
from noctagon.processes.thinking import ThreadSeat
from noctagon.processes.worker_seat import WorkerSeat
from noctagon.wire.lines import LineSeat
from tests.remote.scripted import Peer, Script, Simple, opening, serving
from tests.remote.stalls import run, stall

game.load()
wargame.load()

SECONDS = 200.0
"""Seconds for a turn: so many that what really passes in a test is next to nothing."""
TIME = 1.0
"""Seconds for a turn of a process of its own."""
BEST, BETTER = ((0, 0, 8, 0, 1),), ((0, 0, 8, 1, 1),)
"""Two turns that differ from the plain one."""
MOVED = Upd(
    (
        CellContent(0, 1, 0, 8, 0),
        CellContent(0, 0, 0, 0, 0),
        CellContent(4, 2, 0, 0, 7),
        CellContent(4, 3, 0, 0, 0),
    )
)
"""The next question, after `BEST` and a step of the other side."""
AGAIN = Upd((CellContent(4, 2, 0, 0, 7), CellContent(4, 3, 0, 0, 0)))
"""The next question where no turn of ours was played."""


class Ponderer(Simple):
    """Thinks about every question for ever, and has a best turn so far; `thinking` is set while it thinks."""

    def __init__(self, *best: object, answers: bool = False) -> None:
        super().__init__()
        self.best = list(best)
        self.answers = answers
        self.thinking = asyncio.Event()
        self.so_far_now: Answered | None = None

    async def answer(self, request: Request) -> Answer:
        assert isinstance(request.state, VampiresState)
        assert request.seconds is not None
        self.states.append(request.state)
        self.seconds.append(request.seconds)
        found = self.best.pop(0) if self.best else plain_turn(request.state)
        self.so_far_now = None if found is None else Answered(found)
        self.thinking.set()
        if not self.best and self.answers:
            assert self.so_far_now is not None
            return self.so_far_now
        await asyncio.Event().wait()
        return Missed()

    def so_far(self) -> Answered | None:
        return self.so_far_now

    async def asked(self) -> None:
        await self.thinking.wait()
        self.thinking.clear()


def join(script: Script, seat: Seat, **options: Any) -> list[str]:
    """Let a client play with a scripted server in a process that can be stopped; return what it told."""
    told: list[str] = []

    async def whole() -> None:
        client = TcpClient(
            seat,
            **{
                "seconds": SECONDS,
                "report": lambda game: None,
                "patience": 1e6,
                "tell": told.append,
                **options,
            },
        )
        async with serving(script) as port:
            await client.play("127.0.0.1", port)
        await seat.close()

    run(whole())
    return told


STEPPER = """
import socket
class Bot:
    def choose(self, state, clock):
        [((x, y), count)] = state.own.items()
        with socket.create_connection(("127.0.0.1", PORT)) as test:
            test.recv(1)
        return [(x, y, count, x, y + 1 if y < 2 else y - 1)]
"""
SEARCHER = f"""
import socket
from noctagon.core.player import Decision, Searcher
class Bot(Searcher):
    def think(self, state, clock):
        yield Decision({BETTER!r})
        yield Decision({BEST!r})
        with socket.create_connection(("127.0.0.1", PORT)) as test:
            test.recv(1)
"""


@contextlib.asynccontextmanager
async def thinking_bots(file: Path, text: str) -> AsyncIterator[asyncio.Queue[asyncio.StreamWriter]]:
    """Write a bot that says when it thinks, by a connection, and thinks until that is closed; yield the connections."""
    thinking: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()
    server = await asyncio.start_server(lambda reader, writer: thinking.put_nowait(writer), "127.0.0.1", 0)
    file.write_text(text.replace("PORT", str(server.sockets[0].getsockname()[1])))
    async with server:
        yield thinking


async def first_turn(peer: Peer, *, species: str = "vampires") -> None:
    await peer.receive()
    await peer.send(*opening(species))
    await peer.send(Upd(()))


# Best so far is what is sent.


def test_a_stall_past_the_players_clock_does_not_throw_its_best_away() -> None:
    found, done = threading.Event(), threading.Event()

    class Deepening(Searcher):
        def think(self, state: Any, clock: Any) -> Any:
            yield Decision(BEST)
            found.set()
            done.wait(10)

    async def script(peer: Peer) -> None:
        await first_turn(peer)
        await asyncio.to_thread(found.wait)
        stall(197)  # the player's clock is over, and so is the time to take its best: but not the turn
        assert await peer.moves() == BEST
        done.set()
        await peer.send(End(), Bye())

    assert join(script, ThreadSeat(Deepening)) == []


@pytest.mark.parametrize("last", [Missed(), Broke("KeyError: 'oops'"), Answered("nonsense")])
def test_an_answer_that_cannot_be_played_gives_way_to_the_best_so_far(last: Answer) -> None:
    class Falling(Simple):
        def so_far(self) -> Answered | None:
            return Answered(BEST)

    async def script(peer: Peer) -> None:
        await first_turn(peer)
        assert await peer.moves() == BEST
        await peer.send(End(), Bye())

    told = join(script, Falling(lambda state: last))
    assert ["plain" in line for line in told] == [False] * len(told)
    assert len(told) == (not isinstance(last, Missed))


def test_the_plain_turn_is_for_a_player_that_never_had_one() -> None:
    seat = Ponderer(None)

    async def script(peer: Peer) -> None:
        await first_turn(peer)
        await seat.asked()
        stall(197)
        assert await peer.moves() not in (BEST, BETTER)
        await peer.send(End(), Bye())

    assert join(script, seat) == ["the player gave no answer in its time\na plain turn is played instead"]


def test_what_was_found_for_an_earlier_question_is_not_the_best_for_this_one() -> None:
    seat = Ponderer(BEST, None, BETTER)

    async def script(peer: Peer) -> None:
        await first_turn(peer)
        await seat.asked()
        stall(196)
        assert await peer.moves() == BEST
        await peer.send(MOVED)
        await seat.asked()
        stall(196)
        plain = await peer.moves()
        assert plain[0][:2] == (0, 1)
        assert plain not in (BEST, BETTER)
        await peer.send(End(), Bye())

    join(script, seat)


def test_a_searcher_in_a_worker_process_has_its_best_so_far_taken(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"

    async def script(peer: Peer) -> None:
        async with thinking_bots(bot, SEARCHER) as thinking:
            await first_turn(peer)
            writer = await thinking.get()
            stall(980)
            assert await peer.moves() == BEST
            writer.close()
            await peer.send(End(), Bye())

    bot.write_text(SEARCHER)
    assert join(script, WorkerSeat(PlayerSpec.parse(f"{bot}:Bot"), game), seconds=1000.0) == []


# An answer to a question that is gone is not sent.


def test_the_socket_is_read_before_a_late_answer_is_sent() -> None:
    seat = Ponderer(BEST, BETTER, BEST, answers=True)

    async def script(peer: Peer) -> None:
        await first_turn(peer)
        await seat.asked()
        stall(196)
        assert await peer.moves() == BEST
        await peer.send(MOVED)
        await seat.asked()
        peer.writer.write(encode(AGAIN))  # it lies in the socket when the process goes on
        stall(260)
        await seat.asked()
        await peer.moves()
        await peer.expect_silence()
        await peer.send(End(), Bye())

    told = join(script, seat)
    assert [state.werewolves for state in seat.states] == [{(4, 3): 7}, {(4, 2): 7}, {(4, 2): 7}]
    assert [state.ply for state in seat.states] == [0, 2, 4]
    assert 100 < seat.seconds[2] < 140, "it cannot have come before the turn's time was over"
    assert "a turn was lost: this process was held up until its time was over" in told


def test_a_late_answer_is_kept_until_the_next_question_and_then_forgotten() -> None:
    seat = Ponderer(BEST, BETTER, answers=True)

    async def script(peer: Peer) -> None:
        await first_turn(peer)
        await seat.asked()
        stall(210)  # too late: a server may take it for the answer to its next question
        await peer.expect_silence()
        await peer.send(AGAIN)
        await seat.asked()
        assert await peer.moves() == BETTER
        await peer.expect_silence()
        stall(TURNS_HELD * SECONDS)
        await peer.expect_silence()
        await peer.send(End(), Bye())

    told = join(script, seat)
    assert told[0] == "a turn came too late: it is not sent, unless the server waits for it"
    assert "the server waits for a turn that came too late: it is sent now" not in told
    assert [state.ply for state in seat.states] == [0, 2]


def test_a_server_that_waits_gets_a_late_answer_after_all() -> None:
    seat = Ponderer(BEST)

    async def script(peer: Peer) -> None:
        await first_turn(peer)
        await seat.asked()
        stall(210)
        await peer.expect_silence()
        stall(TURNS_HELD * SECONDS)
        assert await peer.moves() == BEST
        await peer.send(End(), Bye())

    told = join(script, seat)
    assert told[-1] == "the server waits for a turn that came too late: it is sent now"


def test_the_end_of_the_game_in_the_socket_is_read_before_an_answer_is_sent() -> None:
    seat = Ponderer(BEST)

    async def script(peer: Peer) -> None:
        await first_turn(peer)
        await seat.asked()
        peer.writer.write(encode(End()) + encode(Bye()))
        stall(197)
        assert await peer.receive() is None

    assert join(script, seat) == []


def test_a_question_that_lay_unread_has_less_time() -> None:
    seat = Ponderer(BEST, BETTER, answers=True)

    async def script(peer: Peer) -> None:
        await first_turn(peer)
        await seat.asked()
        stall(196)
        await peer.moves()
        peer.writer.write(encode(MOVED))
        stall(150)  # nobody knows when in this time it came
        await seat.asked()
        await peer.moves()
        await peer.send(End(), Bye())

    join(script, seat)
    assert seat.seconds[0] > 150
    assert seat.seconds[1] < 50


def test_a_question_whose_time_is_over_when_it_is_read_is_not_answered() -> None:
    seat = Ponderer(BEST, plain_turn(game.initial()), BETTER, answers=True)

    async def script(peer: Peer) -> None:
        await first_turn(peer)
        await seat.asked()
        stall(196)
        await peer.moves()
        peer.writer.write(encode(MOVED))
        stall(500)
        await seat.asked()
        stall(200)
        await peer.expect_silence()
        await peer.send(End(), Bye())

    told = join(script, seat)
    assert "it is not sent, unless the server waits for it" in told[-1]


def test_a_server_with_a_shorter_clock_is_answered_sooner() -> None:
    seat = Ponderer(BEST, BEST, BETTER, answers=True)

    async def script(peer: Peer) -> None:
        await first_turn(peer)
        await seat.asked()
        stall(196)
        await peer.moves()
        await peer.send(MOVED)
        await seat.asked()
        stall(8)  # as if it gave next to no time
        await asyncio.sleep(0.02)
        await peer.send(AGAIN)
        await seat.asked()
        await peer.moves()
        await peer.send(End(), Bye())

    told = join(script, seat)
    assert told[0].startswith("the server asked again before the 200 s of a turn were over: answering sooner")
    assert seat.seconds[2] < seat.seconds[1]
    assert [state.ply for state in seat.states] == [0, 2, 4]


@pytest.mark.skipif(os.name != "posix", reason="a process is stopped by a signal")
def test_a_stopped_process_answers_the_question_that_is_there_when_it_goes_on(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"

    async def whole() -> None:
        async with thinking_bots(bot, STEPPER) as thinking:
            await joined_and_stopped(thinking)

    async def joined_and_stopped(thinking: asyncio.Queue[asyncio.StreamWriter]) -> None:
        joined: asyncio.Future[asyncio.subprocess.Process] = asyncio.get_running_loop().create_future()

        async def let_answer() -> None:
            (await thinking.get()).close()

        async def script(peer: Peer) -> None:
            process = await joined
            await peer.receive()
            await peer.send(*opening(), Upd(()))
            await let_answer()
            assert await peer.moves() == BEST
            await peer.send(MOVED)
            writer = await thinking.get()
            process.send_signal(signal.SIGSTOP)
            writer.close()  # its worker answers while it is stopped
            await asyncio.sleep(TIME)  # no event tells that a stopped process has had its time
            await peer.send(AGAIN)
            process.send_signal(signal.SIGCONT)
            await let_answer()
            assert len(await peer.moves()) == 1
            await peer.send(End(), Bye())
            assert await peer.receive() is None  # for each question one answer

        async with serving(script) as server:
            command = ["join", "--player", f"{bot}:Bot", "--time", str(TIME), "127.0.0.1", str(server)]
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "noctagon", *command), stdout=asyncio.subprocess.PIPE
            )
            joined.set_result(process)
            warming = asyncio.create_task(let_answer())
            try:
                out, _ = await asyncio.wait_for(process.communicate(), 60)
            finally:
                await cancel(warming)
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
        assert b"3 turns of ours" in out

    asyncio.run(whole())


# What lies in the socket when a clock is looked at came in time.


def connected(
    test: Callable[[socket.socket, Any], Awaitable[None]], make: Callable[[Any], Any], name: bytes
) -> None:
    async def whole() -> None:
        loop = asyncio.get_running_loop()
        arrival: asyncio.Future[Any] = loop.create_future()
        server = await loop.create_server(lambda: make(arrival.set_result), "127.0.0.1", 0)
        with socket.create_connection(server.sockets[0].getsockname()) as player:
            player.sendall(name)
            seat = await arrival
            await seat.named(10)
            await test(player, seat)
        server.close()

    run(whole())


def test_a_programs_answer_counts_that_came_while_the_referee_was_stopped() -> None:
    async def test(player: socket.socket, connection: PlayerConnection) -> None:
        asking = asyncio.create_task(connection.ask([Upd(())], SECONDS, lambda moves: True))
        await asyncio.to_thread(player.recv, 100)
        player.sendall(encode(Mov(BEST)))
        stall(500)
        reply = await asking
        assert reply is not None
        assert (reply.moves, reply.seconds) == (BEST, SECONDS)
        assert connection.late == 0

    connected(test, PlayerConnection, encode(Nme(b"swift")))


def test_a_programs_line_counts_that_came_while_the_referee_was_stopped() -> None:
    class Lines(LineSeat):
        async def answer(self, request: Request) -> Answer:
            return await self.ask("your turn", reply="play", seconds=request.seconds)

    async def test(player: socket.socket, seat: Lines) -> None:
        asking = asyncio.create_task(seat.answer(Request(0, game.initial(), SECONDS)))
        await asyncio.to_thread(player.recv, 100)
        player.sendall(b"play 7\n")
        stall(500)
        assert await asking == Answered("7", seconds=SECONDS)

    connected(test, lambda arrived: Lines(arrived, lambda line: None), b"swift\n")


def test_a_programs_post_counts_that_came_while_the_referee_was_stopped() -> None:
    async def whole() -> Answer:
        state = wargame.initial()
        seat = BrokerCommandSeat(PlayerSpec.parse(f'cmd:"{sys.executable}" {{url}}'))
        relay = seat.relay = Relay(state, 0)
        seat.launched = cast(Any, SimpleNamespace(wait=asyncio.Event().wait))
        async with serving_http(lambda request: respond(relay, request), "127.0.0.1", 0) as (host, port):
            asking = asyncio.create_task(seat.converse(Request(0, state, SECONDS)))
            await asyncio.sleep(0)
            body = PostedMove.of(wargame.parse_action("C4 C3", state), 1).to_json()
            head = f"POST /game/1 HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            with socket.create_connection((host, port)) as program:
                program.sendall(head + body)
                stall(500)
                return await asking

    answer = run(whole())
    assert answer == Answered(wargame.parse_action("C4 C3", wargame.initial()), seconds=SECONDS)


def test_a_workers_answer_counts_that_came_while_the_referee_was_stopped() -> None:
    async def whole() -> Answer:
        seat = WorkerSeat(PlayerSpec.parse("random"), wargame)
        came: asyncio.Future[Chosen] = asyncio.get_running_loop().create_future()

        async def follow(call: object, hear: object) -> Chosen:
            return await came

        seat._worker = cast(Any, SimpleNamespace(follow=follow, printed=b""))
        asking = asyncio.create_task(seat.answer(Request(0, wargame.initial(), SECONDS)))
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_later(SECONDS, came.set_result, Chosen("C4 C3"))
        stall(500)
        return await asking

    answer = run(whole())
    assert isinstance(answer, Answered)
    assert answer.action == "C4 C3"


def test_a_searchers_turn_is_not_late_by_the_moment_it_takes_to_fetch_it() -> None:
    done = threading.Event()

    class Deepening(Searcher):
        def think(self, state: Any, clock: Any) -> Any:
            yield Decision(BEST)
            done.wait(10)

    async def whole() -> Answer:
        seat = ThreadSeat(Deepening)
        answer = await seat.answer(Request(0, game.initial(), 0.05))
        done.set()
        await seat.close()
        return answer

    assert run(whole()) == Answered(BEST, Decision(BEST).thought, 0.05)


def test_another_player_is_made_only_after_the_best_so_far_has_been_taken() -> None:
    done = threading.Event()
    made: list[Searcher] = []

    class Deepening(Searcher):
        def __init__(self) -> None:
            made.append(self)

        def think(self, state: Any, clock: Any) -> Any:
            yield Decision(BEST)
            done.wait(10)

    async def whole() -> None:
        seat = ThreadSeat(Deepening)
        await seat.answer(Request(0, game.initial(), 0.05))
        assert len(made) == 1
        await seat.answer(Request(0, game.initial(), 0.05))
        assert len(made) == 2
        done.set()
        await seat.close()

    run(whole())


def test_the_brokers_clock_stands_still_while_it_is_stopped() -> None:
    now = 0.0
    clock = WakefulClock(0.2, lambda: now)
    for now in (0.2, 0.4, 9.4, 9.6):  # noqa: B007 - the clock reads it
        seen = clock()
    assert seen == pytest.approx(0.8)


# How much time is kept back.


def kept_back(reserve: Reserve) -> float:
    """The seconds between the end of the player's clock and that of a turn of 2 s."""
    return 2.0 - reserve.clock(0.0, 0.0).ends


def test_one_stall_costs_nothing_later() -> None:
    reserve = Reserve(2.0, delay=0.03)
    assert kept_back(reserve) == pytest.approx(0.13)
    for overrun in (-0.1, 0.9, 0.01, -0.1):
        reserve.measured(overrun)
        reserve.woken(overrun)
        reserve.woken(0.0)
    assert kept_back(reserve) == pytest.approx(0.14)


def test_what_happens_again_and_again_is_kept_back_until_it_stops() -> None:
    reserve = Reserve(2.0)
    for _ in range(3):
        reserve.measured(0.3)
    assert kept_back(reserve) == pytest.approx(0.4)
    for _ in range(Reserve.ANSWERS - 1):
        reserve.measured(0.0)
    assert kept_back(reserve) == pytest.approx(0.1)


def test_on_a_busy_machine_the_best_so_far_is_taken_as_much_sooner_as_it_wakes_late() -> None:
    reserve = Reserve(2.0)
    for number in range(Reserve.ALARMS):
        reserve.woken(0.15 if number % 100 == 0 else 0.01)
    assert reserve.clock(0.0, 0.0) == pytest.approx((1.75, 1.8, 2.0))
    for _ in range(Reserve.ALARMS):
        reserve.woken(0.001)
    assert reserve.clock(0.0, 0.0) == pytest.approx((1.899, 1.949, 2.0))


def test_answers_that_do_not_count_are_sent_sooner_until_they_do() -> None:
    reserve = Reserve(2.0)
    for expected in (0.2, 0.3, 0.5, 0.9, 1.0, 1.0):
        reserve.unheard()
        assert kept_back(reserve) == pytest.approx(expected)
    for _ in range(60):
        reserve.heard()
    assert kept_back(reserve) == pytest.approx(0.1, abs=0.01)


def test_on_a_slow_link_a_turn_ends_sooner() -> None:
    near, far = (Reserve(2.0, delay=delay).clock(100.0, 100.0) for delay in (0.0, 0.4))
    assert near == pytest.approx((101.9, 101.95, 102.0))
    assert far == pytest.approx((101.5, 101.55, 101.6))


def test_of_what_a_stall_has_left_at_most_half_is_kept_back() -> None:
    assert Reserve(2.0).clock(100.0, 101.9) == pytest.approx((101.95, 101.975, 102.0))
    late = Reserve(2.0).clock(100.0, 105.0)
    assert late == pytest.approx((106.9, 106.95, 102.0)), "for a server that waits"
