"""What the API tells: games, setups, pictures, positions, turns so far; and that nothing it is sent breaks it."""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
import subprocess
import sys
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from noctagon.arena.store.store import Store
from noctagon.cli import web
from noctagon.cli.web import address, listen
from noctagon.core.game import NoctagonError
from noctagon.core.registry import find_game
from noctagon.processes import system as process
from noctagon.processes.calls import Call
from noctagon.processes.worker_pool import Busy
from noctagon.web import questions
from noctagon.web.app import create_app
from noctagon.web.context import Context
from noctagon.web.messages.positions import GameInfo, MoveRow, PositionView, SetupView, TurnSoFar
from noctagon.web.settings import Settings
from noctagon.web.turns import turn_so_far
from tests.web.page import Page, assert_is

START = "dA9 dT9 dF9 . . dT9 dP9 . . . dF9 . . . aP9 . . . aF9 aV9 . . aP9 aV9 aA9 a 0"
SMALL = "3x3 H1,1:3 V0,0:4 W2,2:4 V 0"


def test_the_games_with_all_that_can_be_chosen(page: Page) -> None:
    games = {game["name"]: game for game in page.get("/games")}
    assert {"vampires", "wargame"} <= set(games)
    for game in games.values():
        assert_is(GameInfo, game)
    vampires = games["vampires"]
    assert vampires["sides"] == ["Vampires", "Werewolves"]
    assert vampires["abilities"]["random"]
    assert vampires["how_to_play"] == find_game("vampires").how_to_play.splitlines() != []
    assert {"name": "duel", "about": find_game("vampires").setups()["duel"]} in vampires["setups"]
    champion = next(player for player in vampires["players"] if player["name"] == "champion")
    assert champion["options"]["threads"] == 1
    assert "human" not in [player["name"] for player in vampires["players"]]


def test_the_description_tells_of_the_sockets_too(page: Page) -> None:
    described = page.get("/openapi.json")
    schemas = described["components"]["schemas"]
    for socket in described["x-sockets"].values():
        for message in socket["messages"]:
            assert message["$ref"].removeprefix("#/components/schemas/") in schemas
    references = set(re.findall(r'"#/components/schemas/([^"]+)"', msgspec.json.encode(described).decode()))
    assert references <= set(schemas)
    assert {"Snapshot", "TurnFrame", "LiveMessage", "AnalysisUpdate", "TurnSoFar", "ErrorMessage"} <= set(
        schemas
    )
    for path, methods in described["paths"].items():
        for method, route in methods.items():
            assert route["responses"]["422"]["content"]["application/json"]["schema"] == {
                "$ref": "#/components/schemas/ErrorMessage"
            }, (method, path)


def test_a_setup_as_a_board_and_as_a_picture(page: Page) -> None:
    seen = page.get("/games/vampires/setups/duel")
    assert_is(SetupView, seen)
    assert find_game("vampires").parse_position(seen["position"]) == find_game("vampires").initial("duel")
    picture = page.client.get("/games/vampires/setups/duel/picture.svg")
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert picture.text.startswith("<svg")
    for path in ("/games/chess/setups/duel", "/games/vampires/setups/none", "/games/chess/symbols.svg"):
        assert page.client.get(path).status_code == 404


@pytest.mark.parametrize(("game", "kinds"), [("vampires", 3), ("wargame", 5)])
def test_the_symbols_need_no_style_attribute(page: Page, game: str, kinds: int) -> None:
    sheet = page.client.get(f"/games/{game}/symbols.svg").text
    assert len(re.findall(rf'<symbol id="noctagon-{game}-\w+"', sheet)) == kinds
    assert "style" not in sheet
    assert 'fill="var(--' in sheet


def test_a_position_of_few_actions_lists_them_with_what_they_do(page: Page) -> None:
    seen = page.post("/positions", {"game": "wargame", "position": START})
    assert_is(PositionView, seen)
    actions = {action["action"]: action for action in seen["actions"]}
    assert actions["C4 C3"]["kind"] == "move"
    assert actions["E4 E4"]["kind"] == "self-destruct"
    assert actions["C4 C4"]["text"] == "self-destruct at C4: −2"
    assert actions["E4 E4"]["text"] == "self-destruct at E4: −2, loses the game"  # it is the AI
    assert page.post("/positions", {"game": "vampires", "position": SMALL})["actions"] is None


def test_where_there_are_too_many_actions_none_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = questions.look("wargame", START, None).actions
    assert listed
    monkeypatch.setattr(questions, "MOST_ACTIONS", len(listed))
    assert questions.look("wargame", START, None).actions == listed
    monkeypatch.setattr(questions, "MOST_ACTIONS", len(listed) - 1)
    assert questions.look("wargame", START, None).actions is None


def test_what_never_changes_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        context = Context(Settings())
        asked: list[asyncio.Future[str]] = []

        async def ask(call: Call[str], *, seconds: float) -> str:
            asked.append(asyncio.get_running_loop().create_future())
            return await asked[-1]

        async def waiting(count: int) -> list[asyncio.Task[str]]:
            tasks = [asyncio.create_task(picture()) for _ in range(count)]
            while not asked or asked[-1].done():
                await asyncio.sleep(0)
            return tasks

        def picture() -> Coroutine[Any, Any, str]:
            return context.ask_once(questions.picture, "vampires", "duel")

        monkeypatch.setattr(context.question_pool, "ask", ask)
        first = await waiting(3)
        assert len(asked) == 1
        asked[0].set_exception(Busy("too much"))
        assert [type(one) for one in await asyncio.gather(*first, return_exceptions=True)] == [Busy] * 3
        gone, *others = await waiting(3)  # a failure is not kept
        gone.cancel()
        asked[1].set_result("<svg>")
        assert await asyncio.gather(*others) == ["<svg>"] * 2
        assert await picture() == "<svg>"
        assert len(asked) == 2

    asyncio.run(scenario())


def test_a_turn_that_ends_the_game_says_for_whom(page: Page) -> None:
    last = find_game("wargame").make_rules(plies=1)
    rules = {"rules": msgspec.to_builtins(last)}
    seen = page.post("/positions", {"game": "wargame", "position": START, **rules})
    assert {action["text"].rpartition(": ")[2].rpartition(", ")[2] for action in seen["actions"]} == {
        "loses the game"  # in time the defender wins
    }


def test_a_position_that_is_over(page: Page) -> None:
    seen = page.post("/positions", {"game": "vampires", "position": "3x3 V0,0:4 W 1"})
    assert seen["result"]["text"] == "Vampires won: the Werewolves are gone"


def test_a_turn_is_put_together_move_by_move(page: Page) -> None:
    asked: dict[str, Any] = {"game": "vampires", "position": SMALL, "moves": [], "source": [0, 0], "count": 2}
    first = page.post("/positions/turn", asked)
    assert_is(TurnSoFar, first)
    assert not first["legal"]
    assert first["sources"] == [[0, 0]]
    target = next(target for target in first["targets"] if (target["x"], target["y"]) == (1, 1))
    assert target["room"] == 4
    assert target["meeting"]["kind"] == "humans"
    assert 0 < target["meeting"]["odds"] < 1
    second = page.post("/positions/turn", {**asked, "moves": [[0, 0, 3, 1, 1]], "count": None})
    assert second["legal"]
    assert second["action"] == "0,0>1,1:3"
    assert second["left"] == [[0, 0, 1]]
    assert [meeting["meeting"]["odds"] for meeting in second["meetings"]] == [1.0]
    broken = page.post("/positions/turn", {**asked, "moves": [[0, 0, 9, 1, 1]]})
    assert (broken["legal"], "holds 4 vampires" in broken["error"]) == (False, True)
    assert page.refusal("/positions/turn", {**asked, "game": "wargame", "position": START})[0] == 400


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/positions", {"game": "vampires", "position": "x"}, 400),
        ("/positions", {"game": "vampires", "position": SMALL, "rules": "x"}, 400),
        ("/positions", {"game": "chess", "position": SMALL}, 404),
        ("/positions", {"game": "vampires"}, 422),
        ("/positions", {"game": "vampires", "position": SMALL, "more": 1}, 422),
        ("/positions", [], 422),
        ("/tables", {"game": "wargame", "players": ["random"]}, 422),
        ("/tables", {"game": "wargame", "players": ["random", "random"], "time": -1}, 422),
        ("/tables", {"game": "wargame", "players": ["random", "random"], "seed": 10**30}, 422),
        ("/tables/none/turn", {"side": 0, "key": "", "action": "x"}, 404),
        ("/nothing", {}, 404),
    ],
)
def test_what_cannot_be_done_is_told_in_a_sentence(page: Page, path: str, body: object, status: int) -> None:
    told, sentence = page.refusal(path, body)
    assert told == status
    assert sentence


@pytest.mark.parametrize("body", [b"", b"{", b'{"game": "\\ud800"}', b'{"game": NaN}', b"[" * 5000, b"\xff"])
def test_what_is_no_json_is_refused(page: Page, body: bytes) -> None:
    response = page.client.post("/positions", content=body, headers={"content-type": "application/json"})
    assert response.status_code in (400, 422)
    assert response.json()["error"]


@pytest.mark.parametrize(
    "value", ["1" + "0" * 40, '"\\ud800"', "[" * 500 + "]" * 500, "NaN", "1e400", '{"1": {}}']
)
def test_what_no_computer_can_count_is_refused(page: Page, value: str) -> None:
    body = f'{{"game": "vampires", "position": "{SMALL}", "rules": {{"plies": {value}}}}}'
    response = page.client.post("/positions", content=body, headers={"content-type": "application/json"})
    assert response.status_code in (400, 422)
    assert response.json()["error"]


def test_the_page_itself_is_served_from_the_package(page: Page) -> None:
    response = httpx.get(page.url, timeout=60)
    assert response.status_code in (200, 404)  # the interface is files beside the server
    assert response.headers.get("content-type", "").startswith(("text/html", "application/json"))


CELL = st.integers(0, 4)


@given(
    moves=st.lists(st.builds(MoveRow, CELL, CELL, st.integers(0, 6), CELL, CELL), max_size=4),
    source=st.none() | st.tuples(CELL, CELL),
    count=st.none() | st.integers(0, 9),
    rules=st.sampled_from([None, "server"]),
)
@settings(max_examples=200)
def test_any_turn_so_far_is_legal_or_says_why_not(
    moves: list[MoveRow],
    source: tuple[int, int] | None,
    count: int | None,
    rules: str | None,
) -> None:
    position = "4x4 H1,1:3 H2,0:1 V0,0:4 V0,2:3 W2,2:4 W1,2:1 V 0"
    told = turn_so_far("vampires", position, rules, moves, source, count)
    assert told.legal == (bool(moves) and told.error is None)
    if told.legal:
        game = find_game("vampires")
        state = game.parse_position(position, game.make_rules(rules))
        state.check(game.parse_action(told.action, state))


def test_a_port_that_is_taken_gets_a_clear_word(page: Page) -> None:
    with pytest.raises(NoctagonError, match=f"port {page.port} is taken"):
        listen("127.0.0.1", page.port)
    with pytest.raises(NoctagonError, match="--host"):
        listen("no.such.host.invalid", 0)


def test_the_command_takes_the_store_of_its_folder_now_or_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    started: list[Settings] = []

    def run(settings: Settings, listening: Any, *, browser: bool) -> None:
        listening.close()
        started.append(settings)

    monkeypatch.setattr(web, "run", run)
    web.web(port=0)
    assert started[0].store_now is None
    Store.open("noctagon.db").close()
    assert started[0].store_now == "noctagon.db"
    web.web(port=0, store="other.db")
    assert started[1].store_now == "other.db"


def test_the_link_has_the_token() -> None:
    assert address(Settings(port=1)) == "http://127.0.0.1:1/"
    assert address(Settings(host="::1", port=1, token="x")) == "http://[::1]:1/?token=x"
    assert "0.0.0.0" not in address(Settings(host="0.0.0.0", token="x"))


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a signal")
def test_ctrl_c_ends_everything_quietly(tmp_path: Path) -> None:
    with command(tmp_path) as server:
        assert server.stderr is not None
        line = server.stderr.readline()
        found = re.search(r"http://127.0.0.1:(\d+)/", line)
        assert found, line
        page = Page(int(found[1]))
        table = page.table(players=["champion", "random"], time=60)
        with page.socket(f"/tables/{table['id']}/live") as live:
            while live.until("state")["waiting"] != 0:
                pass
            below = process.descendants(server.pid)
            assert len(below) >= 5  # a worker, and two players with their launchers
            server.send_signal(signal.SIGINT)
            assert live.reason() in (1001, 1012)
        page.client.close()
        _, rest = server.communicate(timeout=60)
    assert (server.returncode, rest) == (0, "noctagon: stopped\n")
    assert [pid for pid in below if process.use(pid) is not None] == []


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe without a reader is told otherwise there")
def test_when_nobody_reads_what_it_says_it_ends_in_order(tmp_path: Path) -> None:
    with command(tmp_path) as server:
        assert server.stderr is not None
        server.stderr.close()
        assert server.wait(60) != 0


@contextlib.contextmanager
def command(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """`noctagon web`, in a process that is gone afterwards whatever happens."""
    words = [sys.executable, "-m", "noctagon", "web", "--port", "0", "--no-browser"]
    with subprocess.Popen(
        words, cwd=folder, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as server:
        try:
            yield server
        finally:
            server.kill()


schema = schemathesis.openapi.from_dict(create_app().openapi())


@schema.include(path_regex=r"^/api/v1/(games|tables|positions|analysis)").parametrize()
@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_no_request_breaks_it(case: Any, page: Page) -> None:
    case.call_and_validate(
        base_url=page.url,
        checks=[schemathesis.checks.not_a_server_error, schemathesis.checks.response_schema_conformance],
    )
