"""A real server of the page on a free loopback port, in a thread, for the tests of its API and of its interface."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

import httpx
import msgspec
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from noctagon.web.context import Context
from noctagon.web.page_server import server
from noctagon.web.preparing import Preparation
from noctagon.web.settings import PageLimits, Settings

T = TypeVar("T")


def assert_is(kind: Any, told: Any) -> None:
    """Assert that what was sent is a message of a kind, with all of its fields and no others."""
    assert msgspec.json.decode(msgspec.json.encode(msgspec.convert(told, kind))) == told


class Page:
    """The server, as a client sees it; `context` is its inside, to be looked at only."""

    def __init__(self, port: int, token: str = "") -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.api = f"{self.url}/api/v1"
        headers = {"authorization": f"Bearer {token}"} if token else {}
        self.client = httpx.Client(base_url=self.api, headers=headers, timeout=60)
        self.context: Context
        self.loop: asyncio.AbstractEventLoop

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for something inside the server."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(600)

    def get(self, path: str, **options: Any) -> Any:
        return self._told(self.client.get(path, **options))

    def post(self, path: str, body: object = None, **options: Any) -> Any:
        return self._told(self.client.post(path, json=body, **options))

    @staticmethod
    def _told(response: httpx.Response) -> Any:
        assert response.status_code < 300, f"{response.status_code}: {response.text}"
        return response.json()

    def refusal(self, path: str, body: object = None) -> tuple[int, str]:
        """The status and the sentence with which something is refused."""
        response = self.client.post(path, json=body)
        assert response.status_code >= 400, response.text
        return response.status_code, response.json()["error"]

    @contextlib.contextmanager
    def socket(self, path: str, **options: Any) -> Iterator[Stream]:
        with connect(f"ws://127.0.0.1:{self.port}/api/v1{path}", max_size=None, **options) as opened:
            yield Stream(opened)

    def table(self, **given: Any) -> dict[str, Any]:
        """A table that was just made."""
        return self.post("/tables", {"game": "wargame", "players": ["human", "human"], **given})  # type: ignore[no-any-return]


class Stream:
    """Messages of a socket, one after the other."""

    def __init__(self, opened: ClientConnection) -> None:
        self.opened = opened

    def next(self, seconds: float = 60) -> dict[str, Any]:
        return msgspec.json.decode(self.opened.recv(seconds))  # type: ignore[no-any-return]

    def until(self, kind: str) -> Any:
        """The content of the next message of a kind."""
        while True:
            message = self.next()
            if kind in message:
                return message[kind]

    def reason(self) -> int:
        """Why the server closed it."""
        with contextlib.suppress(ConnectionClosed):
            while True:
                self.next()
        assert self.opened.close_code is not None
        return self.opened.close_code


@contextlib.contextmanager
def running(
    settings: Settings | None = None, *, preparation: Preparation | None = None, **limits: Any
) -> Iterator[Page]:
    """A server that has compiled all it needs, or one with a preparation of the test's; ended with all it started."""
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    settings = msgspec.structs.replace(settings or Settings(), port=port)
    if limits:
        settings = msgspec.structs.replace(settings, limits=PageLimits(**limits))
    started = threading.Event()
    serving = server(settings, started=started.set, preparation=preparation)
    page = Page(port, settings.token)

    async def serve() -> None:
        page.loop = asyncio.get_running_loop()
        await serving.serve([listening])

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    try:
        assert started.wait(120)
        page.context = _context(serving)
        if preparation is None:
            page.wait_for(page.context.preparation.finished())
        yield page
    finally:
        page.client.close()
        serving.should_exit = True
        thread.join(60)
        listening.close()
        assert not thread.is_alive()


def _context(serving: Any) -> Context:
    context: Context = serving.config.app.state.context
    return context
