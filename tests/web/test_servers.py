"""The course's screen: TCP servers opened through the API, real programs that connect, their games as tables."""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from noctagon.arena.store.store import Store, StoredRecord
from noctagon.core.record import decode
from noctagon.web.app import create_app
from noctagon.web.context import Context
from noctagon.web.messages.servers import ServerView
from noctagon.web.settings import Settings
from tests.web.page import Page, assert_is, running

BOT = Path(__file__).parents[2] / "examples" / "bots" / "python" / "bot.py"
MARKUP = b"<img src=x onerror=alert(1)>"
LONG = {"rows": 2, "columns": 255, "vampires": [0, 1, 4], "werewolves": [254, 1, 4]}
HOUSES = [[x, 0, 1] for x in range(255)]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    where = tmp_path_factory.mktemp("store") / "games.db"
    with running(Settings(store=str(where))) as found:
        yield found


def open_server(page: Page, **given: Any) -> Any:
    told = page.post("/servers", {"port": 0, "map": "duel", "time": 5, **given})
    assert_is(ServerView, told)
    return told


@contextlib.contextmanager
def bots(port: int, count: int = 2) -> Iterator[list[subprocess.Popen[bytes]]]:
    started = [
        subprocess.Popen(
            [sys.executable, str(BOT), "127.0.0.1", str(port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(count)
    ]
    try:
        yield started
    finally:
        for bot in started:
            bot.kill()
            bot.wait()


@contextlib.contextmanager
def named(port: int, name: bytes) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), 20) as opened:
        opened.sendall(b"NME" + bytes([len(name)]) + name)
        opened.recv(3)  # the board: it has a chair
        yield opened


def until(page: Page, server: str, wanted: Callable[[Any], bool]) -> Any:
    """What the server tells once it is so; what it waits for is done by other processes."""
    waiting = threading.Event()
    for _ in range(600):
        told = page.get(f"/servers/{server}")
        if wanted(told):
            return told
        waiting.wait(0.1)
    raise AssertionError(told)


def test_a_drawn_map_is_served_and_its_games_are_kept(page: Page) -> None:
    drawn = {"rows": 3, "columns": 5, "humans": [[2, 1, 4]], "vampires": [0, 1, 5], "werewolves": [4, 1, 5]}
    server = open_server(page, map=drawn, plies=4)
    assert server["map"] == "drawn"
    with bots(server["port"]):
        told = until(page, server["id"], lambda told: told["over"])
    whole = page.get(f"/tables/{told['results'][0]['id']}")
    assert whole["setup"] == "drawn"
    assert (whole["view"]["rows"], whole["view"]["columns"]) == (3, 5)
    assert {(piece["x"], piece["y"], piece["count"]) for piece in whole["view"]["pieces"]} == {
        (2, 1, 4),
        (0, 1, 5),
        (4, 1, 5),
    }


def test_programs_play_and_the_page_watches(page: Page) -> None:
    server = open_server(page, plies=40)
    assert (server["tables"][0]["state"], server["host"], server["port"] > 0) == (
        "waiting",
        "127.0.0.1",
        True,
    )
    with bots(server["port"]):
        told = until(page, server["id"], lambda told: told["tables"][0]["table"])
        table = told["tables"][0]["table"]
        with page.socket(f"/tables/{table}/live?after=0") as live:
            assert [live.until("frame")["n"] for _ in range(3)] == [1, 2, 3]
            result = live.until("end")
        told = until(page, server["id"], lambda told: told["over"])
    assert told["over"] == "all games have been played"
    assert told["played"] == 1
    assert told["results"][0]["result"] == result
    assert told["results"][0]["id"] == table
    whole = page.get(f"/tables/{table}")
    assert (whole["origin"], whole["live"], len(whole["frames"])) == (
        "server",
        False,
        told["results"][0]["plies"],
    )
    assert any("> SET " in line for line in told["trace"])
    assert any("< MOV" in line for line in told["trace"])
    assert told["lines"] == len(told["trace"])
    assert page.get(f"/servers/{server['id']}?after={told['lines'] - 2}")["trace"] == told["trace"][-2:]


def test_served_games_are_kept(page: Page) -> None:
    server = open_server(page, plies=10)
    with bots(server["port"]):
        until(page, server["id"], lambda told: told["over"])
    assert page.context.settings.store is not None
    with Store.open(page.context.settings.store) as store:
        kept: list[StoredRecord] = []
        while not kept:  # games of other tests are kept meanwhile
            page.get("/servers")
            kept = [one for one in store.records() if one.game.plies == 10]
    record = decode(kept[0].game.record)
    assert (record.setup, len(record.turns), kept[0].game.slot) == ("duel", 10, "server")


def test_who_has_connected_is_seen_and_a_name_is_only_a_name(page: Page) -> None:
    server = open_server(page, tables=2)
    with named(server["port"], MARKUP), named(server["port"], b"b\x00b"):
        told = until(page, server["id"], lambda told: told["tables"][0]["table"])
        chairs = told["tables"][0]["chairs"]
        assert [chair["name"] for chair in chairs] == [MARKUP.decode(), "b?b"]
        assert all(chair["here"] and chair["address"].startswith("127.0.0.1:") for chair in chairs)
        assert told["tables"][1]["chairs"] == [{"name": "", "address": "", "here": False}] * 2
        listed = [table for table in page.get("/tables") if table["origin"] == "server" and table["live"]]
        assert [table["players"] for table in listed] == [[MARKUP.decode(), "b?b"]]
    page.client.delete(f"/servers/{server['id']}")


@pytest.mark.parametrize("games", [1, 3])
def test_when_a_game_is_over_the_chairs_stay_as_its_players_moved(page: Page, games: int) -> None:
    server = open_server(page, games=games)
    with named(server["port"], b"first"), named(server["port"], b"second"):
        until(page, server["id"], lambda told: told["tables"][0]["table"])
    told = until(page, server["id"], lambda told: told["over"])
    assert told["results"][0]["players"] == ["first", "second"]
    assert [chair["name"] for chair in told["tables"][0]["chairs"]] == ["first", "second"]


def test_a_house_player_takes_the_other_chair(page: Page) -> None:
    server = open_server(page, opponent="greedy", plies=6)
    with bots(server["port"], 1):
        told = until(page, server["id"], lambda told: told["over"])
    assert "greedy" in told["results"][0]["players"]


def test_closing_a_server_ends_its_games_and_frees_the_port(page: Page) -> None:
    server = open_server(page)
    with named(server["port"], b"one"), named(server["port"], b"two"):
        table = until(page, server["id"], lambda told: told["tables"][0]["table"])["tables"][0]["table"]
        assert page.get(f"/tables/{table}")["live"]
        assert page.refusal(f"/tables/{table}/pause")[0] == 403  # nobody has a key to it
        assert page.client.delete(f"/servers/{server['id']}").json() == {"ok": True}
    told = page.get(f"/servers/{server['id']}")
    assert told["over"] == "closed"
    assert page.get(f"/tables/{table}")["result"]["reason"] == "stopped"
    again = open_server(page, port=server["port"])
    for _ in range(2):  # the first closes it, the second takes it from the list
        assert page.client.delete(f"/servers/{again['id']}").status_code == 200
    assert page.client.get(f"/servers/{again['id']}").status_code == 404


def test_a_port_that_is_taken_is_told_in_words(page: Page) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, sentence = page.refusal("/servers", {"port": port})
    assert status == 400
    assert sentence == f"port {port} is taken: another program listens there; take another one, or 0 for any"
    assert all(server["port"] != port for server in page.get("/servers"))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"map": "no-such-map"}, "there is no map"),
        ({"map": "/etc/passwd"}, "there is no map"),
        ({"map": "../duel.xml"}, "there is no map"),
        ({"rules": "none"}, "there are no rules"),
        ({"map": {"rows": 3, "columns": 3, "vampires": [0, 0, 4]}}, "there are no Werewolves"),
        ({"map": {**LONG, "humans": HOUSES}}, "cannot be served over TCP"),
        ({"map": {**LONG, "rows": 200}}, "10,000 cells"),
        ({"opponent": "cmd:touch /tmp/x"}, "is not one of our players"),
        ({"opponent": "bot.py:Bot"}, "is not one of our players"),
        ({"opponent": "human"}, "a person cannot sit"),
        ({"opponent": "greedy:nonsense=1"}, "nonsense"),
        ({"host": "192.0.2.1"}, "no address of this machine"),
    ],
)
def test_what_cannot_be_served_is_told_in_words(page: Page, given: dict[str, Any], words: str) -> None:
    status, sentence = page.refusal("/servers", {"port": 0, **given})
    assert status == 400
    assert words in sentence


@pytest.mark.parametrize("host", ["example.org", "", "127.0.0.1; rm", "<b>"])
def test_a_server_listens_at_an_address_and_no_name_is_looked_up(page: Page, host: str) -> None:
    status, sentence = page.refusal("/servers", {"port": 0, "host": host})
    assert (status, sentence.startswith("host: ")) == (422, True)


def test_there_are_only_so_many(page: Page) -> None:
    for server in page.get("/servers"):
        if not server["over"]:
            page.client.delete(f"/servers/{server['id']}")
    opened = open_server(page, tables=60)
    assert page.refusal("/servers", {"port": 0, "tables": 5})[0] == 503
    assert page.refusal("/servers", {"port": 0, "tables": 65})[0] == 422
    page.client.delete(f"/servers/{opened['id']}")
    assert page.refusal("/servers", {"port": 0, "tables": 9, "opponent": "random"})[0] == 503


def test_the_trace_is_bounded(page: Page) -> None:
    server = open_server(page, map="crowd")
    served = page.context.servers.find(server["id"])
    with named(server["port"], b"x" * 200):
        until(page, server["id"], lambda told: told["lines"] >= 3)
    for number in range(5000):
        served.logged(f"{number} " + "x" * 1000)
    told = page.get(f"/servers/{server['id']}?after=0")
    assert len(told["trace"]) == 2000
    assert max(map(len, told["trace"])) < 260
    page.client.delete(f"/servers/{server['id']}")


def test_without_the_token_nothing_is_opened() -> None:
    with running(Settings(token="secret")) as page:
        assert (
            page.client.post("/servers", json={"port": 0}, headers={"authorization": ""}).status_code == 401
        )
        assert page.client.get("/servers", headers={"authorization": ""}).status_code == 401
        server = open_server(page)
        assert (
            page.client.delete(f"/servers/{server['id']}", headers={"authorization": ""}).status_code == 401
        )


def test_open_servers_end_with_the_page() -> None:
    with running() as page:
        port = open_server(page)["port"]
        with named(port, b"one"), named(port, b"two"):
            pass
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), 5).close()


def test_only_this_machine_opens_servers_where_there_is_no_token() -> None:
    """The command makes up a token where others can connect; this is the lock behind that door."""
    settings = Settings(host="0.0.0.0")
    app = create_app(settings)

    async def ask(client: str) -> int:
        app.state.context = Context(settings)
        transport = httpx.ASGITransport(app, client=(client, 1234))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost/api/v1") as asking:
            return (await asking.get("/servers")).status_code

    assert asyncio.run(ask("192.0.2.7")) == 403
    assert asyncio.run(ask("127.0.0.1")) == 200


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a signal")
def test_serve_from_the_terminal_shows_its_tables_on_the_page(tmp_path: Path) -> None:
    words = ["serve", "vampires", "--map", "tiny", "--port", "0", "--plies", "8", "--web", "--web-port", "0"]
    with subprocess.Popen(
        [sys.executable, "-m", "noctagon", *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as serving:
        try:
            assert serving.stderr is not None
            where, listening = serving.stderr.readline(), serving.stderr.readline()
            found = re.search(r"http://127.0.0.1:(\d+)/#/servers", where)
            port = re.search(r"listening on 127.0.0.1:(\d+)", listening)
            assert found, where
            assert port, listening
            page = Page(int(found[1]))
            [server] = page.get("/servers")
            assert (server["terminal"], server["port"]) == (True, int(port[1]))
            refused = page.client.delete(f"/servers/{server['id']}")
            assert (refused.status_code, "Ctrl-C" in refused.json()["error"]) == (400, True)
            with bots(server["port"]):
                assert "the page stays" in serving.stderr.readline()
            [server] = page.get("/servers")
            assert (server["played"], server["over"]) == (1, "all games have been played")
            [table] = page.get("/tables")
            assert (table["origin"], table["ply"]) == ("server", server["results"][0]["plies"])
            page.client.close()
            serving.send_signal(signal.SIGINT)
            assert serving.wait(60) == 0
            assert serving.stderr.read() == "noctagon: stopped\n"
        finally:
            serving.kill()
