"""The live feed: whoever joins late, reloads or loses the connection sees the right position, in order, once."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import httpx
import msgspec
import pytest
from fastapi import WebSocket
from websockets.sync.client import connect

from noctagon.web.context import Context
from noctagon.web.messages.common import ResultView
from noctagon.web.messages.tables import LiveMessage, Snapshot, TableState, TurnFrame
from noctagon.web.settings import Settings
from noctagon.web.sockets import TOO_SLOW, serve
from noctagon.web.tables.feed import Feed
from tests.web.page import Page, assert_is, running


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with running(message=2**10, messages_unasked=20) as found:
        yield found


TO_AND_FRO = ("8,6>8,7:8", "1,3>1,4:8", "8,7>8,6:8", "1,4>1,3:8")
PLIES = 24


@pytest.fixture
def table(page: Page) -> dict[str, Any]:
    """A game of two persons of which four turns have been played."""
    made = page.table(game="vampires", setup="duel", plies=PLIES)
    play(page, made, 1, 4)
    return made


def play(page: Page, table: dict[str, Any], first: int = 5, last: int = PLIES) -> None:
    """Play some turns of the game, by default all that are left."""
    for number in range(first, last + 1):
        side = (number - 1) % 2
        action = TO_AND_FRO[(number - 1) % 4]
        page.post(
            f"/tables/{table['id']}/turn", {"side": side, "key": table["keys"][str(side)], "action": action}
        )


def frames(live: Any) -> list[int]:
    """The numbers of all turns until the game ends."""
    seen = []
    while "end" not in (message := live.next()):
        if "snapshot" in message:
            seen += [frame["n"] for frame in message["snapshot"]["frames"]]
        if "frame" in message:
            seen.append(message["frame"]["n"])
    return seen


def test_who_joins_late_sees_everything_once(page: Page, table: dict[str, Any]) -> None:
    where = f"/tables/{table['id']}"
    with contextlib.ExitStack() as stack:
        late = [stack.enter_context(page.socket(f"{where}/live")) for _ in range(20)]
        play(page, table)
        assert [frames(live) for live in late] == [list(range(1, PLIES + 1))] * 20


def test_who_comes_back_is_told_what_was_missed(page: Page, table: dict[str, Any]) -> None:
    where = f"/tables/{table['id']}"
    with page.socket(f"{where}/live?after=3") as live:
        assert live.next()["frame"]["n"] == 4
        assert "state" in live.next()
        play(page, table)
        assert frames(live) == list(range(5, PLIES + 1))
    with page.socket(f"{where}/live?after={PLIES - 1}") as live:
        assert live.next()["frame"]["n"] == PLIES
        assert "state" in live.next()
        assert live.next()["end"]["reason"] == page.get(where)["result"]["reason"]


@pytest.mark.parametrize("after", ["99", "-1", "x", "9" * 30, "", "²"])
def test_who_says_nonsense_is_told_everything(page: Page, table: dict[str, Any], after: str) -> None:
    with page.socket(f"/tables/{table['id']}/live?after={after}") as live:
        assert len(live.next()["snapshot"]["frames"]) == 4


def test_after_turns_were_taken_back_everything_is_told_again(page: Page) -> None:
    table = page.table()
    where, side = f"/tables/{table['id']}", {"side": 0, "key": table["keys"]["0"]}
    with page.socket(f"{where}/live") as live:
        live.until("state")
        page.post(f"{where}/turn", {**side, "action": "C4 C3"})
        live.until("frame")
        page.post(f"{where}/undo", side)
        live.until("rewound")
        live.until("state")
        page.post(f"{where}/turn", {**side, "action": "D3 C3"})
        live.until("frame")
    with page.socket(f"{where}/live?after=1") as live:
        (frame,) = live.until("snapshot")["frames"]
        assert frame["action"] == "D3 C3"


def test_every_message_is_as_it_is_documented(page: Page, table: dict[str, Any]) -> None:
    kinds: dict[str, type[msgspec.Struct]] = {
        "snapshot": Snapshot,
        "frame": TurnFrame,
        "state": TableState,
        "end": ResultView,
    }
    seen = set()
    assert set(kinds) < set(LiveMessage.__struct_fields__)
    with page.socket(f"/tables/{table['id']}/live") as live:
        play(page, table)
        while "end" not in seen:
            ((kind, content),) = live.next().items()
            assert_is(kinds[kind], content)
            seen.add(kind)
    assert seen == set(kinds)


def test_a_turn_costs_one_small_message(page: Page, table: dict[str, Any]) -> None:
    with page.socket(f"/tables/{table['id']}/live?after=4") as live:
        play(page, table)
        sizes = []
        while "end" not in (message := live.next()):
            sizes += [len(msgspec.json.encode(message))] if "frame" in message else []
    assert len(sizes) == PLIES - 4
    assert max(sizes) < 400


def test_spectators_are_counted(page: Page, table: dict[str, Any]) -> None:
    where = f"/tables/{table['id']}"
    with page.socket(f"{where}/live") as first:
        while first.until("state")["spectators"] != 1:
            pass
        with page.socket(f"{where}/live"):
            while first.until("state")["spectators"] != 2:
                pass
        while first.until("state")["spectators"] != 1:
            pass
        gone = connect(f"ws://127.0.0.1:{page.port}/api/v1{where}/live")
        while first.until("state")["spectators"] != 2:
            pass
        gone.socket.close()  # without a word
        gone.close_socket()
        while first.until("state")["spectators"] != 1:
            pass


def test_an_unknown_table_is_told_as_a_reason(page: Page) -> None:
    with page.socket("/tables/none/live") as live:
        assert live.reason() == 4004


@pytest.mark.parametrize(
    ("messages", "code"), [(["x" * 5000], 1009), (["hello"] * 20, 1008), ([b"\0\1"] * 20, 1008)]
)
def test_who_sends_too_much_is_sent_away_alone(
    page: Page, table: dict[str, Any], messages: list[str | bytes], code: int
) -> None:
    where = f"/tables/{table['id']}"
    with page.socket(f"{where}/live") as other:
        with page.socket(f"{where}/live") as bad:
            for message in messages:
                bad.opened.send(message)
            assert bad.reason() == code
        play(page, table)
        assert frames(other) == list(range(1, PLIES + 1))


def test_too_many_sockets_are_refused() -> None:
    with running(sockets=1) as page:
        table = page.table()
        with page.socket(f"/tables/{table['id']}/live") as first:
            first.next()
            with page.socket(f"/tables/{table['id']}/live") as second:
                assert second.reason() == 1013


def test_a_reader_that_cannot_keep_up_is_dropped_and_the_others_are_not() -> None:
    async def scenario() -> None:
        spectators: list[int] = []
        feed = Feed(backlog=3, changed=lambda: spectators.append(len(feed.readers)))
        slow, quick = feed.join(["first"]), feed.join([])
        read = []
        for number in range(6):
            feed.tell(str(number))
            read.append(await quick.next())
        assert read == list("012345")
        assert slow.dropped
        assert await slow.next() is None
        assert feed.readers == {quick}
        feed.leave(slow)  # what it has already
        assert spectators == [1, 2, 1]

    asyncio.run(scenario())


def test_a_browser_that_stops_reading_is_dropped_and_may_come_back() -> None:
    with running(backlog=20) as page:
        table = page.table()
        where = f"/tables/{table['id']}/live"
        feed = page.context.tables.by_id[table["id"]].feed
        large = '{"noise":"' + "x" * 100_000 + '"}'
        with page.socket(where) as quick, page.socket(where, max_queue=1) as slow:
            while quick.until("state")["spectators"] != 2:
                pass
            told = 0
            while len(feed.readers) == 2 and told < 400:
                page.loop.call_soon_threadsafe(feed.tell, large)
                assert quick.until("noise")
                told += 1
            assert len(feed.readers) == 1
            assert slow.reason() in (TOO_SLOW, 1006)  # it may not even take the reason
            with page.socket(f"{where}?after=0") as again:
                assert "state" in again.next()


def test_a_flood_of_questions_stops_nobody() -> None:
    asked = {"game": "vampires", "position": "3x3 V0,0:4 W2,2:4 V 0"}
    with running(waiting_questions=3) as page, ThreadPoolExecutor(30) as flood:
        table = page.table()
        statuses = list(
            flood.map(
                lambda _: httpx.post(f"{page.api}/positions", json=asked, timeout=60).status_code, range(60)
            )
        )
        assert {200} <= set(statuses) <= {200, 503}
        with page.socket(f"/tables/{table['id']}/live") as live:
            live.until("snapshot")
            page.post(
                f"/tables/{table['id']}/turn", {"side": 0, "key": table["keys"]["0"], "action": "C4 C3"}
            )
            assert live.until("frame")["n"] == 1


class Stuck:
    """A browser that takes nothing and says nothing."""

    def __init__(self) -> None:
        self.closed: int | None = None
        self.sending = asyncio.Event()

    async def send_text(self, text: str) -> None:
        self.sending.set()
        await asyncio.Event().wait()

    async def receive(self) -> Any:
        await asyncio.Event().wait()

    async def close(self, code: int, reason: str) -> None:
        self.closed = code


def test_a_socket_that_takes_nothing_is_closed_once_it_is_dropped() -> None:
    async def scenario() -> None:
        context, stuck, feed = Context(Settings()), Stuck(), Feed(backlog=2)
        reader = feed.join(["first"])
        serving = asyncio.ensure_future(
            serve(cast("WebSocket", stuck), reader.next, context, dropped=reader.gone)
        )
        await stuck.sending.wait()
        for number in range(5):
            feed.tell(str(number))
        await serving
        assert stuck.closed == TOO_SLOW

    asyncio.run(scenario())
