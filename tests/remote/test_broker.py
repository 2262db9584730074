"""The wargame's broker, as its programs meet it: through HTTP, with all that can go wrong there."""

import asyncio
import json
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from noctagon.core.clock import TimeControl
from noctagon.core.events import Ended, Played
from noctagon.core.game import NoctagonError
from noctagon.core.match import Match
from noctagon.core.record import decode
from noctagon.core.wire import Watcher
from noctagon.games.wargame import Action, WargameRules, WargameState, game
from noctagon.games.wargame.wire.broker import (
    CORS,
    Broker,
    Endpoint,
    PostedMove,
    Refused,
    respond,
    serve_broker,
)
from noctagon.games.wargame.wire.broker_client import exchange
from noctagon.games.wargame.wire.http import ConnectionLimits, serving
from noctagon.games.wargame.wire.relay import Relay
from noctagon.games.wargame.wire.server import BrokerServer

FIRST = b'{"from":{"row":2,"col":4},"to":{"row":1,"col":4},"turn":1}'
SELF_DESTRUCTION = b'{"from":{"row":4,"col":4},"to":{"row":4,"col":4},"turn":1}'


class Ticking:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def body(text: str, turn: int) -> bytes:
    return PostedMove.of(game.parse_action(text, game.initial()), turn).to_json()


def post(broker: Endpoint, text: str, turn: int, name: str = "1") -> int:
    return broker.post(name, body(text, turn)).status


def data(answer: bytes) -> Any:
    read = json.loads(answer)
    assert list(read) == ["success", "data"]
    assert read["success"] is True
    return read["data"]


def error(answer: bytes) -> str:
    read = json.loads(answer)
    assert list(read) == ["success", "error"]
    assert read["success"] is False
    return str(read["error"])


class TestWithoutWire:
    def test_a_new_game_starts_with_null(self) -> None:
        assert Broker().get("1").body == b'{"success":true,"data":null}'

    def test_a_move_is_answered_and_given_as_it_was_posted(self) -> None:
        broker = Broker()
        assert broker.post("1", FIRST) == (200, b'{"success":true,"data":' + FIRST + b"}", ())
        assert broker.get("1").body == b'{"success":true,"data":' + FIRST + b"}"

    def test_fields_of_their_own_come_back_too(self) -> None:
        broker = Broker()
        sent = b' {"turn": 1, "to": {"col": 4, "row": 1}, "from": {"row": 2, "col": 4}, "by": "\xc3\xa9"}\n'
        assert data(broker.post("1", sent).body) == json.loads(sent) == data(broker.get("1").body)

    def test_an_unknown_id(self) -> None:
        for answer in (Broker().get("2"), Broker().post("2", FIRST)):
            assert answer[:2] == (404, b'{"success":false,"error":"invalid server id"}')

    def test_a_move_posted_again_is_not_played_twice(self) -> None:
        broker = Broker()
        assert [post(broker, "C4 B4", 1) for _ in range(3)] == [200, 200, 200]
        assert [post(broker, "A2 B2", 2) for _ in range(2)] == [200, 200]
        assert len(broker.tables["1"].match.turns) == 2

    @pytest.mark.parametrize(
        ("move", "turn"), [("C4 B4", 1), ("D3 D2", 1), ("A2 B2", 3), ("A2 B2", 0), ("A2 B2", -7)]
    )
    def test_a_move_for_another_turn(self, move: str, turn: int) -> None:
        broker = Broker()
        assert post(broker, "C4 C3", 1) == 200
        assert post(broker, move, turn) == 409
        assert f"turn {turn} was posted, but turn 2 is" in error(broker.post("1", body(move, turn)).body)
        assert data(broker.get("1").body)["turn"] == 1
        assert post(broker, "A2 B2", 2) == 200

    def test_an_illegal_move_is_told_noted_and_can_be_put_right(self) -> None:
        heard: list[object] = []
        broker = Broker(listen=lambda table, event: heard.append(event))
        refusal = broker.post("1", body("C4 D4", 1))
        assert refusal.status == 422
        assert error(refusal.body).startswith("illegal move: ")
        assert error(refusal.body).endswith("rule 6")
        assert heard == [Refused(0, body("C4 D4", 1).decode(), error(refusal.body)[len("illegal move: ") :])]
        assert broker.get("1").body == b'{"success":true,"data":null}'
        assert post(broker, "C4 C3", 1) == 200
        (record,) = broker.records()
        assert record.conduct[0].illegal == 1
        thought = record.turns[0].thought
        assert thought is not None
        assert thought.note.endswith("rule 6")

    @pytest.mark.parametrize("cell", [(0, 14), (14, 0), (-1, 4), (2, 10**30), (5, 0)])
    def test_a_cell_off_the_board(self, cell: tuple[int, int]) -> None:
        sent = {"from": dict(zip(("row", "col"), cell, strict=True)), "to": {"row": 1, "col": 4}, "turn": 1}
        answer = Broker().post("1", json.dumps(sent).encode())
        assert answer.status == 422
        assert "not on the board" in error(answer.body)

    @pytest.mark.parametrize(
        "sent",
        [
            b"", b"null", b"[]", b"{", b"\xff", b"{}", b'{"turn":1}', b"[" * 10000, FIRST + b"x", FIRST[:-1],
            b'{"from":{"row":"2","col":4},"to":{"row":1,"col":4},"turn":1}',
            b'{"from":{"row":2,"col":4},"to":{"row":1,"col":4},"turn":true}',
            b'{"from":{"row":2,"col":4},"to":{"row":1,"col":4},"turn":1,"x":"\xff"}',
            b'{"from":{"row":2,"col":4},"to":{"row":1,"col":4},"turn":1,"x":' + b"[" * 5000 + b"}",
        ],
    )  # fmt: skip
    def test_what_is_not_a_move(self, sent: bytes) -> None:
        broker = Broker()
        answer = broker.post("1", sent)
        assert answer.status == 400
        assert error(answer.body).startswith("the body is not a move: ")
        assert broker.get("1").body == b'{"success":true,"data":null}'

    def test_after_the_end_the_last_move_stays_and_turn_1_begins_anew(self) -> None:
        broker = Broker(rules=WargameRules(plies=2))
        assert post(broker, "C4 C3", 1) == 200
        assert broker.get("1").headers == ()
        assert post(broker, "A2 B2", 2) == 200
        assert broker.get("1").headers == (
            ("Noctagon-Result", "Defender won: the limit is reached after 2 turns"),
        )
        assert data(broker.get("1").body)["turn"] == 2
        assert post(broker, "A2 B2", 2) == 200  # its answer was lost
        late = broker.post("1", body("C3 C2", 3))
        assert (late.status, error(late.body)) == (
            409,
            "the game is over: Defender won: the limit is reached after 2 turns",
        )
        assert post(broker, "D3 D2", 1) == 200
        assert data(broker.get("1").body)["from"] == {"row": 3, "col": 3}
        assert [len(record.turns) for record in broker.records()] == [2, 1]
        assert broker.tables["1"].number == 2

    def test_a_game_that_ended_on_time_after_a_turn_leaves_no_first_move_behind(self) -> None:
        clock = Ticking()
        broker = Broker(turn_seconds=5, games=2, clock=clock)
        assert broker.post("1", FIRST).status == 200
        clock.now = 6.0
        broker.expire()
        over = broker.get("1")
        assert over.body == b'{"success":true,"data":null}'
        assert over.headers  # how it ended
        assert broker.post("1", FIRST).status == 200
        assert broker.begun == 2
        assert data(broker.get("1").body)["turn"] == 1
        assert post(broker, "A2 B2", 2) == 200

    def test_no_more_games_than_allowed(self) -> None:
        broker = Broker(["a", "b"], games=1)
        assert broker.post("a", SELF_DESTRUCTION).status == 200
        assert broker.finished
        assert post(broker, "C4 C3", 1, "a") == 409
        assert post(broker, "C4 C3", 1, "b") == 409
        assert data(broker.get("b").body) is None

    def test_games_do_not_mix(self) -> None:
        broker = Broker([str(number) for number in range(50)])
        for number in range(0, 50, 2):
            assert post(broker, "C4 C3", 1, str(number)) == 200
        assert [data(broker.get(str(number)).body) is None for number in range(50)] == [False, True] * 25

    def test_addresses_that_are_made_by_being_used(self) -> None:
        broker = Broker((), new_ids=2)
        assert [broker.get(name).status for name in ("a b", "x" * 65, "tea", "tea", "kettle", "cup")] == [
            404, 404, 200, 200, 200, 404,
        ]  # fmt: skip

    def test_an_id_that_is_none(self) -> None:
        with pytest.raises(NoctagonError, match="no id of a game"):
            Broker(["a/b"])

    def test_the_time_between_the_moves_is_recorded(self) -> None:
        clock = Ticking()
        broker = Broker(clock=clock)
        for turn, (move, seconds) in enumerate([("C4 C3", 5.0), ("A2 B2", 1.5), ("C3 C2", 0.25)], 1):
            clock.now += seconds
            assert post(broker, move, turn) == 200
        assert [turn.seconds for turn in broker.records()[0].turns] == [0.0, 1.5, 0.25]

    def test_a_move_that_comes_too_late_loses(self) -> None:
        clock = Ticking()
        broker = Broker(clock=clock, turn_seconds=5.0)
        clock.now = 100.0  # the first player may come when it likes
        broker.expire()
        assert post(broker, "C4 C3", 1) == 200
        clock.now += 5.5
        late = broker.post("1", body("A2 B2", 2))
        assert late.status == 409
        assert error(late.body) == "the game is over: Attacker won: Defender: answered after 5.50 s of 5"
        assert data(broker.get("1").body) is None
        assert broker.records()[0].conduct[1].late == 1

    def test_a_program_that_never_answers_loses(self) -> None:
        clock = Ticking()
        heard: list[object] = []
        broker = Broker(clock=clock, turn_seconds=5.0, listen=lambda table, event: heard.append(event))
        assert post(broker, "C4 C3", 1) == 200
        clock.now = 5.0
        broker.expire()
        assert len(heard) == 1
        clock.now = 5.1
        broker.expire()
        broker.expire()
        assert isinstance(heard[0], Played)
        assert isinstance(heard[1], Ended)
        assert len(heard) == 2
        assert broker.records()[0].result == heard[1].result
        assert (heard[1].result.winner, heard[1].result.reason) == (0, "time")

    def test_an_illegal_move_that_is_not_put_right_loses(self) -> None:
        clock = Ticking()
        broker = Broker(["1", "2"], clock=clock, turn_seconds=5.0)
        for name in broker.tables:
            assert post(broker, "C4 C3", 1, name) == 200
            assert post(broker, "A2 A1", 2, name) == 422
        clock.now = 6.0
        broker.expire()
        broker.stop("enough")
        for record in broker.records():
            assert record.result is not None
            assert (record.result.winner, record.result.reason) == (0, "illegal turn")

    def test_a_game_that_nobody_goes_on_with_makes_room(self) -> None:
        clock = Ticking()
        broker = Broker(clock=clock, idle_seconds=60.0)
        assert post(broker, "C4 C3", 1) == 200
        clock.now = 61.0
        broker.expire()
        assert data(broker.get("1").body) is None
        result = broker.records()[0].result
        assert result is not None
        assert (result.winner, result.reason) == (1, "abandoned")

    def test_to_stop_ends_what_has_begun(self) -> None:
        broker = Broker(["1", "2"])
        assert post(broker, "C4 C3", 1) == 200
        broker.stop("the lesson is over")
        (record,) = broker.records()
        assert record.result is not None
        assert record.result.reason == "stopped"
        assert record.result.detail.startswith("the lesson is over")
        assert post(broker, "A2 B2", 2) == 409

    def test_memory_is_bounded_however_often_one_errs(self) -> None:
        broker = Broker()
        for _ in range(100):
            assert post(broker, "C4 D4", 1) == 422
        assert len(broker.tables["1"].refused) < 10
        assert broker.tables["1"].match.illegal == [100, 0]


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


class Client:
    """A connection that sends what it is told, and reads answers."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def send(self, raw: bytes) -> None:
        self.writer.write(raw)

    async def ask(self, method: str, path: str, content: bytes = b"", *headers: str) -> Answer:
        lines = [f"{method} {path} HTTP/1.1", "Host: here", f"Content-Length: {len(content)}", *headers]
        self.send("\r\n".join([*lines, "\r\n"]).encode() + content)
        return await self.answer(method)

    async def answer(self, method: str = "GET") -> Answer:
        async with asyncio.timeout(20):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = dict(line.lower().split(": ", 1) for line in head[1:-2])
            size = 0 if method == "HEAD" else int(headers.get("content-length", "0"))
            return Answer(int(head[0].split()[1]), headers, await self.reader.readexactly(size))

    async def rest(self) -> bytes:
        """All there is until the other end closes."""
        async with asyncio.timeout(20):
            try:
                return await self.reader.read()
            except ConnectionError:
                return b""


@asynccontextmanager
async def connect(port: int) -> AsyncIterator[Client]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield Client(reader, writer)
    finally:
        writer.transport.abort()


@asynccontextmanager
async def served(endpoint: Endpoint, limits: ConnectionLimits = ConnectionLimits()) -> AsyncIterator[int]:  # noqa: B008 - it does not change
    async with serving(
        lambda request: respond(endpoint, request), "127.0.0.1", 0, headers=CORS, limits=limits
    ) as at:
        yield at[1]


async def one(port: int, method: str, path: str, content: bytes = b"", *headers: str) -> Answer:
    async with connect(port) as client:
        return await client.ask(method, path, content, *headers)


async def still_serves(port: int) -> bool:
    answer = await one(port, "GET", "/game/1")
    return answer.status == 200 and "success" in json.loads(answer.body)


class TestOverHttp:
    def test_a_preflight_and_the_open_door(self) -> None:
        async def play() -> None:
            async with served(Broker()) as port:
                wishes = ("Origin: http://x", "Access-Control-Request-Method: POST")
                preflight = await one(port, "OPTIONS", "/game/1", b"", *wishes)
                assert (preflight.status, preflight.body) == (204, b"")
                assert "content-length" not in preflight.headers
                for answer in (
                    preflight,
                    await one(port, "POST", "/game/1", FIRST),
                    await one(port, "GET", "/game/1"),
                    await one(port, "GET", "/game/7"),
                    await one(port, "POST", "/game/1", b"x" * 20000),
                ):
                    assert answer.headers["access-control-allow-origin"] == "*"
                    assert "post" in answer.headers["access-control-allow-methods"]
                    assert "content-type" in answer.headers["access-control-allow-headers"]

        asyncio.run(play())

    @pytest.mark.parametrize(
        ("method", "path", "status"),
        [
            ("GET", "/game/1", 200),
            ("GET", "/game/1/", 200),
            ("GET", "/game/%31?t=5#x", 200),
            ("GET", "http://there/game/1", 200),
            ("GET", "/game/2", 404),
            ("GET", "/", 404),
            ("GET", "/game/", 404),
            ("GET", "/game/1/2", 404),
            ("GET", "/game/%ff", 404),
            ("PUT", "/game/1", 405),
            ("DELETE", "/game/1", 405),
            ("HEAD", "/game/1", 405),
            ("G3T", "/game/1", 405),
        ],
    )
    def test_methods_and_paths(self, method: str, path: str, status: int) -> None:
        async def play() -> None:
            async with served(Broker()) as port:
                answer = await one(port, method, path)
                assert answer.status == status
                if status == 405:
                    assert answer.headers["allow"] == "get, post, options"
                if method != "HEAD":
                    assert answer.headers["content-type"] == "application/json"
                    data(answer.body) if status == 200 else error(answer.body)

        asyncio.run(play())

    def test_one_connection_for_many_requests(self) -> None:
        async def play() -> None:
            async with served(Broker()) as port, connect(port) as client:
                assert "connection" not in (await client.ask("GET", "/game/1")).headers  # so it stays open
                assert (await client.ask("POST", "/game/1", FIRST)).status == 200
                request = b"GET /game/1 HTTP/1.1\r\nHost: x\r\n\r\n"
                client.send(request * 200)  # all at once
                for _ in range(200):
                    assert data((await client.answer()).body)["turn"] == 1
                assert (await client.ask("GET", "/game/1", b"", "Connection: close")).status == 200
                assert await client.rest() == b""

        asyncio.run(play())

    def test_byte_by_byte_in_chunks_and_by_old_ways(self) -> None:
        chunked = b"POST /game/1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        chunked += (
            b"5;note\r\n" + FIRST[:5] + b"\r\n%x\r\n" % len(FIRST[5:]) + FIRST[5:] + b"\r\n0\r\nA: b\r\n\r\n"
        )

        async def play() -> None:
            async with served(Broker()) as port:
                async with connect(port) as client:
                    for number in range(len(chunked)):
                        client.send(chunked[number : number + 1])
                        await client.writer.drain()
                    assert data((await client.answer()).body) == json.loads(FIRST)
                async with connect(port) as client:
                    client.send(b"GET /game/1 HTTP/1.0\n\n")
                    assert (await client.rest()).endswith(FIRST + b"}")
                async with connect(port) as client:
                    client.send(
                        b"POST /game/1 HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n"
                        % len(FIRST)
                    )
                    assert (await client.answer()).status == 100
                    client.send(FIRST)
                    assert (await client.answer()).status == 200

        asyncio.run(play())

    @pytest.mark.parametrize(
        ("raw", "status"),
        [
            (b"\xff\xfe\x00\x01\n\n", 400),
            (b"GET\r\n\r\n", 400),
            (b"GET /game/1 HTTP/2\r\nHost: x\r\n\r\n", 400),
            (b"GET /game/1 HTTP/1.1\r\n\r\n", 400),  # no host
            (b"GET /game/1 HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n", 400),
            (b"GET /game/1 HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 40000, 400),
            (b"GET /game/1 HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 10000, 400),
            (b"GET /" + b"a" * 40000, 400),
            (b"POST /game/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\n" + b"x" * 20000, 413),
            (b"POST /game/1 HTTP/1.1\r\nHost: x\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n", 400),
            (b"POST /game/1 HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
            (b"POST /game/1 HTTP/1.1\r\nHost: x\r\nContent-Length: \xb2\r\n\r\n", 400),
            (b"POST /game/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
            (b"POST /game/1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 400),
        ],
    )
    def test_requests_that_are_none(self, raw: bytes, status: int) -> None:
        async def play() -> None:
            async with served(Broker()) as port:
                async with connect(port) as client:
                    client.send(raw)
                    client.writer.write_eof()
                    answer = await client.rest()
                    assert answer.startswith(b"HTTP/1.1 %d " % status)
                    assert b"\r\nconnection: close\r\n" in answer.lower()
                assert await still_serves(port)

        asyncio.run(play())

    def test_half_a_request(self) -> None:
        async def play() -> None:
            async with served(Broker(), ConnectionLimits(request=0.1)) as port:
                half = b"POST /game/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{"
                async with connect(port) as gone, connect(port) as hangs, connect(port) as vanished:
                    for client in (gone, hangs, vanished):
                        client.send(half)
                    vanished.writer.transport.abort()
                    gone.writer.write_eof()
                    assert await gone.rest() == b""
                    assert (await hangs.answer()).status == 408
                    assert await hangs.rest() == b""
                assert await still_serves(port)

        asyncio.run(play())

    def test_connections_that_say_nothing(self) -> None:
        async def play() -> None:
            async with served(Broker(), ConnectionLimits(idle=1, connections=100)) as port:
                silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(100)]
                async with connect(port) as client:
                    assert (await client.ask("GET", "/game/1")).status == 503
                for reader, writer in silent:
                    assert await reader.read() == b""
                    writer.close()
                async with asyncio.timeout(20):
                    while (await _status(port)) != 200:
                        await asyncio.sleep(0.02)

        asyncio.run(play())

    def test_a_client_that_never_reads(self) -> None:
        async def play() -> None:
            async with served(Broker(), ConnectionLimits(idle=1)) as port:
                never = socket.create_connection(("127.0.0.1", port))
                never.setblocking(False)
                request = b"GET /game/1 HTTP/1.1\r\nHost: x\r\n\r\n" * 1000

                async def pour() -> None:
                    while True:
                        await asyncio.get_running_loop().sock_sendall(never, request)

                with never, pytest.raises(ConnectionError):
                    await asyncio.wait_for(pour(), 20)
                assert await still_serves(port)

        asyncio.run(play())

    def test_garbage(self) -> None:
        """Random bytes and mutated requests: an error or a closed connection, and the others go on."""
        rng = Random(8001)
        whole = b"POST /game/1 HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(FIRST) + FIRST

        def mutated() -> bytes:
            raw = bytearray(whole * rng.randrange(1, 3))
            for _ in range(rng.randrange(1, 8)):
                at = rng.randrange(len(raw))
                match rng.randrange(4):
                    case 0:
                        raw[at] = rng.randrange(256)
                    case 1:
                        del raw[at : at + rng.randrange(1, 30)]
                    case 2:
                        raw[at:at] = rng.randbytes(rng.randrange(1, 30))
                    case _:
                        raw[at:at] = whole[rng.randrange(len(whole)) :]
                raw = raw or bytearray(b"x")
            return bytes(raw)

        async def throw(port: int, raw: bytes) -> None:
            async with connect(port) as client:
                client.send(raw)
                client.writer.write_eof()
                answers = await client.rest()
                assert not answers or answers.startswith(b"HTTP/1.1 ")
                assert b" 500 " not in answers.split(b"\r\n")[0]

        async def play() -> None:
            async with served(Broker(), ConnectionLimits(request=1.0)) as port:
                for _ in range(40):
                    throws = [
                        rng.randbytes(rng.randrange(1, 400)) if rng.random() < 0.3 else mutated()
                        for _ in range(10)
                    ]
                    await asyncio.gather(*(throw(port, raw) for raw in throws))
                    assert await still_serves(port)

        asyncio.run(play())

    def test_an_endpoint_that_breaks_down(self, caplog: pytest.LogCaptureFixture) -> None:
        def break_down(*_: object) -> None:
            raise RuntimeError("the disk is full")

        async def play() -> None:
            async with served(Broker(listen=break_down)) as port:
                assert (await one(port, "POST", "/game/1", FIRST)).status == 500
                assert await still_serves(port)

        asyncio.run(play())
        assert "the disk is full" in caplog.text


async def _status(port: int) -> int:
    try:
        return (await one(port, "GET", "/game/1")).status
    except (ConnectionError, asyncio.IncompleteReadError):
        return 0


async def program(url: str, side: int, rng: Random, rules: WargameRules) -> WargameState:
    """What the course's program does: play its turns, post them, poll for the other's. Plays at random."""
    host, _, path = url.removeprefix("http://").partition("/")
    port = int(host.rpartition(":")[2])
    state = game.initial(rules=rules)
    while state.result is None:
        if state.side == side:
            action = state.actions().sample(rng)
            state = state.play(action)
            sent = PostedMove.of(action, state.ply).to_json()
            answer = await one(port, "POST", f"/{path}", sent)
            assert data(answer.body) == json.loads(sent)
            continue
        last = data((await one(port, "GET", f"/{path}")).body)
        if last is None or last["turn"] != state.ply + 1:
            await asyncio.sleep(0.001)
            continue
        cells = (last[end]["row"] * 5 + last[end]["col"] for end in ("from", "to"))
        state = state.play(Action(*cells))
    return state


class TestServe:
    def test_whole_games_at_once_whose_records_replay_to_the_same_end(self, tmp_path: Path) -> None:
        rules = WargameRules(plies=30)
        ended: list[str] = []

        def listen(table: Any, event: object) -> None:
            if isinstance(event, Ended):
                ended.append(table.name)

        async def play() -> dict[str, WargameState]:
            broker = Broker(["1", "two"], rules=rules, games=2, listen=listen)
            ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
            serving = asyncio.create_task(
                serve_broker(broker, port=0, stop=asyncio.Event(), ready=ready.set_result, linger=0.3)
            )
            finals: dict[str, WargameState] = {}
            url = await ready
            for name, (first, second) in zip(
                ("1", "two"),
                await asyncio.gather(
                    *(
                        asyncio.gather(
                            *(
                                program(f"{url}/{name}", side, Random(f"{name}{side}"), rules)
                                for side in (0, 1)
                            )
                        )
                        for name in ("1", "two")
                    )
                ),
                strict=True,
            ):
                assert first == second
                finals[name] = first
            await asyncio.wait_for(serving, 20)  # it ends by itself: all games have been played
            assert broker.ended == 2
            for name, record in zip(ended, broker.records(), strict=True):
                again = decode(record.to_json())
                assert again.final() == finals[name]
                assert again.result == finals[name].result
            return finals

        finals = asyncio.run(play())
        assert finals["1"] != finals["two"]

    def test_stopped_in_the_middle(self) -> None:
        async def play() -> None:
            broker = Broker()
            stop = asyncio.Event()
            urls: list[str] = []
            serving = asyncio.create_task(serve_broker(broker, port=0, stop=stop, ready=urls.append))
            while not urls:
                await asyncio.sleep(0)
            port = int(urls[0].split(":")[2].partition("/")[0])
            async with connect(port) as client:
                assert (await client.ask("POST", "/game/1", FIRST)).status == 200
                stop.set()
                await asyncio.wait_for(serving, 20)
                assert await client.rest() == b""
            (record,) = broker.records()
            assert record.result is not None
            assert record.result.reason == "stopped"

        asyncio.run(play())

    def test_a_port_that_is_taken(self) -> None:
        async def play() -> None:
            async with served(Broker()) as port:
                await serve_broker(Broker(), port=port, stop=asyncio.Event())

        with pytest.raises(NoctagonError, match=r"port \d+ is taken"):
            asyncio.run(play())


class TestRelay:
    """One side's address, of a game that somebody else referees."""

    def test_a_game_between_a_program_and_a_referee(self) -> None:
        rules = WargameRules(plies=12)

        async def play() -> None:
            match = Match(game, game.initial(rules=rules), time=TimeControl(None))
            relay = Relay(match.initial, 1)
            rng = Random(5)
            async with served(relay) as port:
                task = asyncio.create_task(program(f"http://127.0.0.1:{port}/game/1", 1, Random(6), rules))
                while (request := match.request()) is not None:
                    if request.side == 0:
                        match.answer(request.state.actions().sample(rng), 0.0)
                    else:
                        match.answer(await asyncio.wait_for(relay.answer(request.state), 20), 0.0)
                relay.show(match.state)
                assert await asyncio.wait_for(task, 20) == match.state
            assert match.result is not None
            assert len(match.turns) <= 12

        asyncio.run(play())

    def test_what_it_refuses(self) -> None:
        async def play() -> None:
            relay = Relay(game.initial(), 0)
            assert relay.get("2").status == relay.post("2", FIRST).status == 404
            assert relay.post("1", b"?").status == 400
            assert post(relay, "C4 C3", 2) == 409
            assert [post(relay, "C4 C3", 1), post(relay, "C4 C3", 1), post(relay, "D3 D2", 1)] == [
                200,
                200,
                409,
            ]
            assert relay.unasked == 2

        asyncio.run(play())

    @pytest.mark.parametrize("sent", [body("C4 D4", 1), body("A0 A1", 1), FIRST.replace(b"2", b"9")])
    def test_an_illegal_move_reaches_the_referee(self, sent: bytes) -> None:
        async def play() -> None:
            match = Match(game)
            relay = Relay(match.initial, 0)
            assert relay.post("1", sent).status == 422
            match.answer(await relay.answer(match.state), 0.0)
            assert match.result is not None
            assert (match.result.winner, match.result.reason) == (1, "illegal turn")
            assert data(relay.get("1").body) is None

        asyncio.run(play())


@pytest.mark.parametrize(
    ("tables", "told"),
    [
        (1, "game 1 at http://127.0.0.1:PORT/game/1"),
        (3, "games 1 to 3 at http://127.0.0.1:PORT/game/1 to http://127.0.0.1:PORT/game/3"),
    ],
)
def test_the_server_says_which_addresses_work(tables: int, told: str) -> None:
    async def whole() -> None:
        listening: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        class Says(Watcher):
            def listening(self, where: str) -> None:
                listening.set_result(where)

        server = BrokerServer({"port": 0, "tables": tables})
        server.watchers.append(Says())
        serving = asyncio.create_task(server.run())
        where = await listening
        addresses = re.findall(r"http://\S+", where)
        assert re.sub(r":\d+", ":PORT", where) == told
        for address in addresses:
            assert (await asyncio.to_thread(exchange, address)).success
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)

    asyncio.run(whole())
