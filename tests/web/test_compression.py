"""What is sent is compressed where that helps and tells nothing."""

from __future__ import annotations

import asyncio
import gzip
import re
from pathlib import Path

import httpx
import pytest
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

import noctagon.web
from noctagon.web.compression import Compression, PageFiles, accepts_gzip
from tests.web.page import Page

STATIC = Path(noctagon.web.__file__).parent / "static"
LONG = {"text": "again and again " * 500}


def fetch(page: Page, path: str, **headers: str) -> httpx.Response:
    """What is sent, as it is sent."""
    return page.client.get(f"{page.url}{path}", headers={"accept-encoding": "identity", **headers})


def size(page: Page, path: str, encoding: str) -> int:
    """The number of bytes that are sent."""
    return int(fetch(page, path, **{"accept-encoding": encoding}).headers["content-length"])


@pytest.mark.parametrize(
    "path", ["/", "/static/page.css", "/static/js/board.js", "/static/board.css", "/api/v1/games"]
)
def test_a_compressed_answer_is_the_same_and_less_than_half(page: Page, path: str) -> None:
    plain, packed = fetch(page, path), fetch(page, path, **{"accept-encoding": "gzip"})
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == plain.content  # httpx unpacks it
    assert packed.headers["content-type"] == plain.headers["content-type"]
    assert "accept-encoding" in plain.headers["vary"].lower()
    assert "accept-encoding" in packed.headers["vary"].lower()
    assert int(packed.headers["content-length"]) < len(plain.content) / 2


def test_the_first_page_and_all_it_loads_take_less_than_sixty_kilobytes(page: Page) -> None:
    index = fetch(page, "/").text
    loaded = {*re.findall(r'(?:href|src)="(/static/[^"]+)"', index), "/"}
    assert sum(size(page, path, "gzip") for path in loaded) < 60_000
    assert sum(size(page, path, "identity") for path in loaded) > 100_000


def test_every_file_of_the_page_arrives_whole(page: Page) -> None:
    for path in STATIC.rglob("*"):
        if path.is_file():
            sent = fetch(
                page, f"/static/{path.relative_to(STATIC).as_posix()}", **{"accept-encoding": "gzip"}
            )
            assert sent.content == path.read_bytes(), path


def test_a_browsers_copy_that_is_current_is_not_sent_again(page: Page) -> None:
    tags = []
    for encoding in ("gzip", "identity"):
        first = fetch(page, "/static/page.css", **{"accept-encoding": encoding})
        tags.append(first.headers["etag"])
        again = fetch(page, "/static/page.css", **{"accept-encoding": encoding, "if-none-match": tags[-1]})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["cache-control"] == first.headers["cache-control"] == "no-cache"
    assert tags[0] != tags[1]


def test_a_part_of_a_file_is_sent_as_it_is(page: Page) -> None:
    part = fetch(page, "/static/page.css", **{"accept-encoding": "gzip", "range": "bytes=2-11"})
    assert (part.status_code, part.headers.get("content-encoding")) == (206, None)
    assert part.content == (STATIC / "page.css").read_bytes()[2:12]


def test_a_file_that_has_changed_is_compressed_again(tmp_path: Path) -> None:
    files = PageFiles(directory=tmp_path)
    path = tmp_path / "page.css"
    for text in (b"a { color: red }", b"a { color: green }"):
        path.write_bytes(text)
        kept = files._compressed(str(path), path.stat())
        assert gzip.decompress(kept.body) == text


def test_answers_that_hand_out_keys_are_not_compressed(page: Page) -> None:
    sent = page.client.post(
        "/tables",
        json={"game": "wargame", "players": ["human", "human"]},
        headers={"accept-encoding": "gzip"},
    )
    assert "keys" in sent.json()
    assert "content-encoding" not in sent.headers
    snapshot = page.client.get(f"/tables/{sent.json()['id']}", headers={"accept-encoding": "gzip"})
    assert snapshot.headers["content-encoding"] == "gzip"


async def _answer(scope: Scope, receive: Receive, send: Send) -> None:
    """An application whose paths are named after what they answer."""
    kind = Request(scope).url.path
    response: Response = JSONResponse(LONG, headers={"etag": '"7"'})
    if kind == "/cookie":
        response.set_cookie("token", "secret")
    elif kind == "/short":
        response = JSONResponse({})
    elif kind == "/error":
        response = JSONResponse(LONG, 404)
    elif kind == "/picture":
        response = Response(b"0" * 5000, media_type="image/png")
    elif kind == "/stream":
        response = StreamingResponse(iter([b"0" * 5000, b"1" * 5000]), media_type="application/json")
    await response(scope, receive, send)


@pytest.mark.parametrize(
    ("path", "compressed"),
    [
        ("/json", True),
        ("/cookie", False),
        ("/short", False),
        ("/error", False),
        ("/picture", False),
        ("/stream", False),
    ],
)
def test_only_whole_answers_without_secrets_are_compressed(path: str, compressed: bool) -> None:
    sent, same, posted = asyncio.run(_three_answers(path))
    assert sent.content == same.content
    assert (sent.headers.get("content-encoding") == "gzip") is compressed
    assert "content-encoding" not in same.headers
    assert "content-encoding" not in posted.headers
    if compressed:
        assert (sent.headers["etag"], same.headers["etag"]) == ('W/"7"', '"7"')


async def _three_answers(path: str) -> tuple[httpx.Response, httpx.Response, httpx.Response]:
    """Answers to a browser, to a client that takes no compressed ones, and to POST."""
    transport = httpx.ASGITransport(app=Compression(_answer))
    async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
        plain = await client.get(path, headers={"accept-encoding": "identity"})
        return await client.get(path), plain, await client.post(path)


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("*", True),
        ("gzip;q=0", False),
        ("gzip; q=0.0", False),
        ("identity, br", False),
        ("", False),
    ],
)
def test_gzip_is_used_where_it_is_accepted(header: str, accepted: bool) -> None:
    assert accepts_gzip(Headers({"accept-encoding": header})) is accepted
