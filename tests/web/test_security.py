"""Who comes in: not other sites, not strangers without the token, not too much at once; what every answer carries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from noctagon.web.security import HEADERS
from noctagon.web.settings import Settings, is_loopback
from tests.web.page import Page, running

TOKEN = "open-sesame"


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with running(body=2000) as found:
        yield found


@pytest.fixture(scope="module")
def guarded() -> Iterator[Page]:
    with running(Settings(token=TOKEN)) as found:
        yield found


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/", None),
        ("GET", "/static/none.js", None),
        ("GET", "/static/../app.py", None),
        ("GET", "/nowhere", None),
        ("GET", "/api/v1/games", None),
        ("GET", "/api/v1/openapi.json", None),
        ("GET", "/api/v1/games/vampires/symbols.svg", None),
        ("GET", "/api/v1/games/vampires/setups/duel/picture.svg", None),
        ("GET", "/api/v1/tables/none", None),
        ("PUT", "/api/v1/tables", None),
        ("POST", "/api/v1/tables", b"{}"),
        ("POST", "/api/v1/tables", b"\xff\xfe"),
        ("POST", "/api/v1/tables", b"x" * 3000),
    ],
)
def test_every_answer_carries_the_headers(page: Page, method: str, path: str, body: bytes | None) -> None:
    with httpx.Client(base_url=page.url, timeout=60) as client:
        response = client.request(method, path, content=body)
    assert {name: response.headers.get(name) for name in HEADERS if name != "content-security-policy"} == {
        name: value for name, value in HEADERS.items() if name != "content-security-policy"
    }
    policy = response.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    if path.endswith(".svg"):
        assert "script-src" not in policy
    else:
        assert "unsafe" not in policy
        assert "http" not in policy
    assert response.status_code != 500
    if response.status_code >= 400:
        assert response.json()["error"]


def test_no_file_but_the_page_can_be_read(page: Page) -> None:
    for path in (
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static//etc/passwd",
        "/api/v1/../app.py",
        "/docs",
    ):
        assert httpx.get(page.url + path, timeout=60).status_code in (400, 404)
    assert page.client.get("/games/vampires/setups/..%2f..%2fx").status_code == 404
    there = Path(__file__).parent / "page.py"
    assert page.client.get(f"/games/vampires/setups/{there}").status_code == 404


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8642", "127.0.0.1.evil.example", "[::1"])
def test_a_strange_name_for_this_machine_is_refused(page: Page, host: str) -> None:
    """A stranger's name that leads to this machine would let its page read ours."""
    response = httpx.get(f"{page.api}/games", headers={"host": host}, timeout=60)
    assert response.status_code == 400
    if response.headers.get("content-type") == "application/json":
        assert "error" in response.json()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:1", "[::1]:99", "LOCALHOST:80"])
def test_the_names_of_this_machine_are_known(page: Page, host: str) -> None:
    assert httpx.get(f"{page.api}/games", headers={"host": host}, timeout=60).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://["},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site"},
    ],
)
def test_another_site_starts_nothing_and_hears_nothing(page: Page, headers: dict[str, str]) -> None:
    body = {"game": "wargame", "players": ["human", "human"]}
    assert page.client.post("/tables", json=body, headers=headers).status_code == 403
    table = page.table()
    with pytest.raises(InvalidStatus) as refused:
        connect(f"ws://127.0.0.1:{page.port}/api/v1/tables/{table['id']}/live", additional_headers=headers)
    assert refused.value.response.status_code == 403


def test_our_own_page_may_do_both(page: Page) -> None:
    body = {"game": "wargame", "players": ["human", "human"]}
    headers = {"origin": page.url, "sec-fetch-site": "same-origin"}
    table = page.client.post("/tables", json=body, headers=headers)
    assert table.status_code == 201
    with page.socket(f"/tables/{table.json()['id']}/live", origin=page.url) as live:
        live.until("snapshot")


def chunks() -> Iterator[bytes]:
    for _ in range(10):
        yield b" " * 500


@pytest.mark.parametrize("content", [b" " * 2001, chunks])
def test_a_body_that_is_too_large_is_refused(page: Page, content: Any) -> None:
    content = content() if callable(content) else content
    response = page.client.post("/positions", content=content, headers={"content-type": "application/json"})
    assert response.status_code == 413
    assert "2000" in response.json()["error"]


def test_without_the_token_nothing_is_told(guarded: Page) -> None:
    with httpx.Client(timeout=60) as stranger:
        for path in ("/", "/static/x.js", "/api/v1/games", "/api/v1/openapi.json", "/?token=guess"):
            response = stranger.get(guarded.url + path)
            assert (response.status_code, "token" in response.json()["error"]) == (401, True)
            assert not response.cookies
        wrong = stranger.get(f"{guarded.api}/games", headers={b"authorization": "Bearer öpen".encode()})
        assert wrong.status_code == 401
    table = guarded.table()
    with pytest.raises(InvalidStatus):
        connect(f"ws://127.0.0.1:{guarded.port}/api/v1/tables/{table['id']}/live")


def test_the_link_with_the_token_lets_a_browser_in(guarded: Page) -> None:
    with httpx.Client(timeout=60) as browser:
        first = browser.get(f"{guarded.url}/?token={TOKEN}")
        assert first.status_code != 401
        cookie = first.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
        assert browser.get(f"{guarded.api}/games").status_code == 200
        table = browser.post(
            f"{guarded.api}/tables", json={"game": "wargame", "players": ["human", "human"]}
        ).json()
    with guarded.socket(
        f"/tables/{table['id']}/live", additional_headers={"cookie": cookie.split(";")[0]}
    ) as live:
        live.until("snapshot")


def test_which_addresses_are_this_machine_only() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "localhost", "::1", "[::1]", "127.8.8.8")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.0.2", "example.org", "")))
