"""Our player at HTTP brokers: ours, and others with the last move of an earlier game, hiccups and wrong answers."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec
import pytest

from noctagon.core.game import NoctagonError, Side
from noctagon.core.match import Request
from noctagon.core.player import PlayerSpec
from noctagon.core.seat import Answer, Answered, Broke, GaveUp, Missed, Seat
from noctagon.games.wargame import Action, WargameRules, WargameState, game
from noctagon.games.wargame.wire.broker import Broker, PostedMove
from noctagon.games.wargame.wire.broker_client import BrokerClient, BrokerError, BrokerReport, exchange
from noctagon.processes.thinking import thinking_seat
from tests.remote.stalls import StallingLoop, run, stall

game.load()

ATTACKER: Side = 0
DEFENDER: Side = 1
FIRST = PostedMove.of(Action(14, 13), 1)
OTHER = PostedMove.of(Action(14, 9), 1)

Reply = tuple[int, bytes, dict[str, str]] | None
Handle = Callable[[bytes | None], Reply]
"""What a POST's body, or a GET (None), is answered: status, body, headers; or the connection is dropped."""


@contextlib.contextmanager
def serving(handle: Handle) -> Iterator[str]:
    """A tiny HTTP server; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.reply(None)

        def do_POST(self) -> None:
            self.reply(self.rfile.read(int(self.headers["Content-Length"])))

        def reply(self, body: bytes | None) -> None:
            answer = handle(body)
            if answer is None:
                return
            status, body, headers = answer
            with contextlib.suppress(OSError):  # a client that did not wait
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as the base class has it
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/game/1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def ok(move: PostedMove | None, **headers: str) -> Reply:
    return 200, msgspec.json.encode({"success": True, "data": move}), headers


class Mailbox:
    """A broker that holds the last move and checks nothing; `react` says what it holds after one was posted."""

    def __init__(
        self,
        held: PostedMove | None = None,
        react: Callable[[PostedMove], PostedMove | None] = lambda move: move,
    ) -> None:
        self.held = held
        self.react = react
        self.posted: list[PostedMove] = []
        self.got = 0
        self.trouble: list[Any] = []
        """What is answered first, instead."""

    def __call__(self, body: bytes | None) -> Reply:
        if self.trouble:
            reply = self.trouble.pop(0)
            return reply(body) if callable(reply) else reply  # type: ignore[no-any-return]
        if body is None:
            self.got += 1
            return ok(self.held)
        move = PostedMove.read(body)
        self.posted.append(move)
        self.held = self.react(move)
        return ok(move)


class Simple(Seat):
    """Plays the first legal action that is no self-destruction, or what `reply` is."""

    def __init__(self, reply: Answer | None = None) -> None:
        self.reply = reply
        self.states: list[WargameState] = []

    async def answer(self, request: Request) -> Answer:
        assert isinstance(request.state, WargameState)
        self.states.append(request.state)
        return Answered(first(request.state)) if self.reply is None else self.reply


def first(state: WargameState) -> Action:
    return next(action for action in state.actions() if action.source != action.target)


def play(
    handle: Handle, side: Side = ATTACKER, seat: Seat | None = None, *, plies: int = 2, **options: Any
) -> tuple[BrokerReport | str, list[str]]:
    """A game at a scripted broker: the report, or the error; and what was told."""
    told: list[str] = []
    given = {"seconds": 1.0, "poll": 0.005, "patience": 10.0, **options}
    with serving(handle) as url:
        client = BrokerClient(
            seat or Simple(), url, side, rules=WargameRules(plies=plies), tell=told.append, **given
        )
        try:
            return asyncio.run(client.play()), told
        except NoctagonError as error:
            return str(error).replace(url, "URL"), told


def test_two_of_ours_play_a_whole_game_through_our_broker() -> None:
    broker = Broker(["1"], rules=WargameRules(plies=30))
    guard = threading.Lock()

    def handle(body: bytes | None) -> Reply:
        with guard:
            response = broker.get("1") if body is None else broker.post("1", body)
        return response.status, response.body, dict(response.headers)

    async def whole(url: str) -> list[BrokerReport]:
        seats = [thinking_seat(PlayerSpec.parse(spec), game) for spec in ("greedy", "random")]
        clients = [
            BrokerClient(seat, url, side, rules=WargameRules(plies=30), poll=0.005)
            for seat, side in zip(seats, (ATTACKER, DEFENDER), strict=True)
        ]
        reports = await asyncio.wait_for(asyncio.gather(*(client.play() for client in clients)), 60)
        for seat in seats:
            await seat.close()
        return list(reports)

    with serving(handle) as url:
        attacker, defender = asyncio.run(whole(url))
    record = broker.records()[0]
    assert record.result is not None
    assert attacker.turns == defender.turns == len(record.turns)
    assert attacker.ending == defender.ending == record.result.describe(game.sides)
    assert str(attacker).startswith("Attacker: ")


def test_turns_are_counted_over_both_sides() -> None:
    def react(move: PostedMove) -> PostedMove:
        return PostedMove.of(first(game.initial().play(move.action())), 2) if move.turn == 1 else move

    box = Mailbox(react=react)
    seat = Simple()
    report, told = play(box, seat=seat, plies=3)
    assert isinstance(report, BrokerReport)
    assert report.ending == "Defender won: the limit is reached after 3 turns"
    assert [move.turn for move in box.posted] == [1, 3]
    assert [state.ply for state in seat.states] == [0, 2]
    assert told == []


# The last move of an earlier game.


def test_a_late_move_of_an_earlier_game_is_not_taken_for_the_first() -> None:
    box = Mailbox(held=PostedMove.of(Action(0, 5), 37))

    def begin(body: bytes | None) -> Reply:
        box.held = FIRST
        return ok(FIRST)

    box.trouble = [ok(box.held), ok(box.held), ok(box.held), begin]
    report, told = play(box, DEFENDER)
    assert isinstance(report, BrokerReport)
    assert told == ["the broker already holds turn 37, A0 B0, of an earlier game; waiting for the attacker"]
    assert [move.turn for move in box.posted] == [2]


def test_an_impossible_first_move_of_an_earlier_game_is_waited_out() -> None:
    stale = PostedMove.of(Action(0, 1), 1)
    box = Mailbox(held=FIRST)
    box.trouble = [ok(stale)] * 3
    report, told = play(box, DEFENDER)
    assert isinstance(report, BrokerReport)
    assert "turn 1, A0 A1, of an earlier game" in told[0]


def test_when_the_attacker_begins_after_a_stale_first_move_so_do_we() -> None:
    box = Mailbox(held=FIRST, react=lambda move: OTHER if len(box.posted) == 1 else move)
    seat = Simple()
    report, told = play(box, DEFENDER, seat, plies=4, patience=0.2)
    assert isinstance(report, str)  # this attacker plays no second turn
    assert told == [
        "the broker already holds turn 1, C4 C3: played as the attacker's first, unless the attacker begins anew",
        "the attacker has begun anew: what was played before belonged to an earlier game",
    ]
    start = game.initial(None, WargameRules(plies=4))
    assert seat.states == [start.play(FIRST.action()), start.play(OTHER.action())]
    assert [move.turn for move in box.posted] == [2, 2]


def test_the_attacker_does_not_mind_what_was_there() -> None:
    box = Mailbox(held=PostedMove.of(Action(0, 5), 2), react=lambda move: PostedMove.of(Action(1, 6), 2))
    report, told = play(box, ATTACKER, plies=1)
    assert isinstance(report, BrokerReport)
    assert told == []


# Brokers that refuse or fail.


def test_an_unknown_game() -> None:
    report, _ = play(lambda body: (404, b'{"success":false,"error":"invalid server id"}', {}))
    assert report == "the broker knows no game at URL: invalid server id"


def test_a_page_that_is_no_broker() -> None:
    report, _ = play(lambda body: (404, b"<html>not found</html>", {}))
    assert report == "URL answered with status 404: that is no game's address"


def test_a_refused_move_is_an_error() -> None:
    def handle(body: bytes | None) -> Reply:
        return ok(None) if body is None else (409, b'{"success":false,"error":"turn 3 is to be played"}', {})

    assert play(handle)[0] == "URL: the broker refuses: turn 3 is to be played"


def test_a_failing_broker_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noctagon.games.wargame.wire.broker_client.FIRST_WAIT", 0.001)
    box = Mailbox()

    def taken_but_lost(body: bytes | None) -> Reply:
        assert body is not None
        box.held = PostedMove.read(body)
        return None

    box.trouble = [
        ok(None),
        (500, b"oops", {}),
        (503, b'{"success":false,"error":"busy"}', {}),
        (200, b"not json", {}),
        (200, b"[" * 50_000, {}),
    ]
    box.trouble[1:1] = [taken_but_lost]
    report, told = play(box, plies=1)
    assert isinstance(report, BrokerReport)
    assert box.posted == []  # it was there already
    assert len(told) == 5
    assert "the broker failed with status 503: busy; trying again" in told[2]


def test_a_broker_that_fails_for_long_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noctagon.games.wargame.wire.broker_client.FIRST_WAIT", 0.001)
    box = Mailbox()
    box.trouble = [ok(None), *[(500, b"", {})] * 1000]
    report, told = play(box, tolerance=0.05)
    assert isinstance(report, str)
    assert report.startswith("URL answered what no broker does (status 500)")
    assert told


def test_a_broker_that_is_not_there() -> None:
    with serving(Mailbox()) as url:
        pass
    with pytest.raises(NoctagonError, match="connection refused"):
        asyncio.run(BrokerClient(Simple(), url, ATTACKER).play())


@pytest.mark.parametrize("url", ["http://127.0.0.1:8001/game/é", "http://[::1/game/1"])
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(BrokerError, match="is no address"):
        exchange(url)


def test_a_slow_broker_is_not_waited_for_without_end() -> None:
    gate = threading.Event()

    def handle(body: bytes | None) -> Reply:
        gate.wait(10)
        return ok(None)

    with serving(handle) as url:
        with pytest.raises(NoctagonError, match="cannot be reached: timed out"):
            exchange(url, timeout=0.05)
        gate.set()


# Answers to a question that is gone.


class Thinking(Simple):
    """Does something at the broker while it thinks about its first question."""

    def __init__(self, act: Callable[[], None]) -> None:
        super().__init__()
        self.act = act
        self.seconds: list[float] = []

    async def answer(self, request: Request) -> Answer:
        assert request.seconds is not None
        self.seconds.append(request.seconds)
        if len(self.seconds) == 1:
            self.act()
        return await super().answer(request)


def test_a_turn_is_not_posted_to_a_game_that_has_begun_anew_meanwhile() -> None:
    box = Mailbox(held=FIRST)

    def begin_anew() -> None:
        box.held = OTHER

    seat = Thinking(begin_anew)
    report, told = play(box, DEFENDER, seat)
    assert isinstance(report, BrokerReport)
    start = game.initial(None, WargameRules(plies=2))
    assert seat.states == [start.play(FIRST.action()), start.play(OTHER.action())]
    assert len(box.posted) == 1
    assert "the attacker has begun anew" in told[-1]


def test_a_turn_is_not_posted_to_a_game_that_is_over() -> None:
    box = Mailbox(held=FIRST)
    over: dict[str, str] = {}

    def handle(body: bytes | None) -> Reply:
        reply = box(body)
        assert reply is not None
        return (*reply[:2], over)

    seat = Thinking(lambda: over.update({"Noctagon-Result": "Attacker won: too slow"}))
    report, _ = play(handle, DEFENDER, seat)
    assert isinstance(report, BrokerReport)
    assert report.ending == "Attacker won: too slow"
    assert box.posted == []


def test_the_clock_of_a_turn_runs_from_the_last_look_that_did_not_find_it() -> None:
    box = Mailbox(held=FIRST)
    seat = Thinking(lambda: None)

    async def whole(url: str) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, StallingLoop)

        def begin(body: bytes | None) -> Reply:
            loop.stopped += 3.0  # the look takes three seconds: the move may have come at any time in them
            return ok(FIRST)

        box.trouble = [ok(None), ok(None), begin]
        await BrokerClient(seat, url, DEFENDER, rules=WargameRules(plies=2), seconds=5.0, poll=0.005).play()

    with serving(box) as url:
        run(whole(url))
    assert len(box.posted) == 1
    assert seat.seconds[0] < 5.0 - 3.0


def test_the_best_so_far_is_posted_for_a_player_that_is_not_done() -> None:
    box = Mailbox()
    best = game.parse_action("D3 C3", game.initial())

    class Pondering(Seat):
        async def answer(self, request: Request) -> Answer:
            stall(0.99)
            await asyncio.Event().wait()
            return Missed()

        def so_far(self) -> Answered | None:
            return Answered(best)

    with serving(box) as url:
        told: list[str] = []
        client = BrokerClient(
            Pondering(), url, ATTACKER, rules=WargameRules(plies=1), seconds=1.0, tell=told.append
        )
        run(client.play())
    assert [move.action() for move in box.posted] == [best]
    assert told == []


# Opponents.


def test_an_illegal_move_of_the_other_side_is_told() -> None:
    box = Mailbox(react=lambda move: PostedMove.of(Action(0, 1), 2))
    report, _ = play(box)
    assert isinstance(report, BrokerReport)
    assert report.ending.startswith(
        "Attacker won: turn 2, A0 A1 by the Defender is illegal: A0 A1: the Tech at A1 has full"
    )


def test_a_move_off_the_board_is_illegal() -> None:
    box = Mailbox(held=None)
    box.trouble = [
        ok(None),
        (200, b'{"success":true,"data":{"from":{"row":0,"col":9},"to":{"row":0,"col":8},"turn":1}}', {}),
    ]
    report, _ = play(box, DEFENDER)
    assert isinstance(report, BrokerReport)
    assert "turn 1, a move off the board by the Attacker is illegal" in report.ending


def test_an_opponent_that_never_moves() -> None:
    report, _ = play(Mailbox(), patience=0.05)
    assert isinstance(report, str)
    assert report.startswith("no move of turn 2 came to URL in 0.05 s; it holds turn 1, ")


def test_a_broker_may_tell_that_the_game_is_over() -> None:
    box = Mailbox()

    def handle(body: bytes | None) -> Reply:
        reply = box(body)
        assert reply is not None
        return (*reply[:2], {"Noctagon-Result": "Attacker won: too slow"} if box.posted else {})

    report, _ = play(handle)
    assert isinstance(report, BrokerReport)
    assert (report.turns, report.ending) == (1, "Attacker won: too slow")


def self_destruction(move: PostedMove) -> PostedMove:
    """The defender's answer: its AI destroys itself, on the last turn."""
    return PostedMove.of(Action(0, 0), 2)


def test_a_last_turn_that_the_other_end_may_judge_differently_is_told() -> None:
    report, told = play(Mailbox(react=self_destruction))
    assert isinstance(report, BrokerReport)
    assert report.ending.startswith("Attacker won: the Defender's AI is destroyed")
    [line] = told
    assert line.startswith(
        "the other end may judge the last turn differently: Defender won: the limit is reached"
    )
    assert "--rules engine" in line


def test_a_last_turn_that_the_broker_judges_differently_is_told() -> None:
    box = Mailbox(react=self_destruction)

    def handle(body: bytes | None) -> Reply:
        reply = box(body)
        assert reply is not None
        return (*reply[:2], {"Noctagon-Result": "Defender won: the limit is reached after 2 turns"})

    _, told = play(handle)
    assert told[0].startswith("the broker judges the last turn differently: Defender won: the limit")


def test_a_last_turn_that_all_judge_alike_is_not_told() -> None:
    assert play(Mailbox(react=lambda move: PostedMove.of(Action(6, 11), 2)))[1] == []


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (Answered("A0 A1"), "the player's turn is not legal: A0: dA9 is the enemy's"),
        (Answered(None), "the player's turn is not legal: None is not an action"),
        (Missed(), "the player gave no answer in its time"),
        (Broke("KeyError: 'oops'", "Traceback …"), "the player crashed: KeyError: 'oops'\nTraceback …"),
        (GaveUp("why not"), "the player gave up"),
    ],
)
def test_a_legal_turn_is_played_for_a_player_that_has_none(reply: Answer, says: str) -> None:
    box = Mailbox()
    report, told = play(box, seat=Simple(reply), plies=1)
    assert isinstance(report, BrokerReport)
    assert told[0].startswith(says)
    assert box.posted[0].action() in game.initial().actions()
    assert box.posted[0].source != box.posted[0].target
