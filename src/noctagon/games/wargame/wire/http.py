"""The broker's HTTP: uvicorn with small requests, small answers, and a bound on everything a client may do.

A body that is too long, a request that takes too long and a connection too many are answered with an error; a
connection on which no request comes is closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from noctagon.processes.ports import cannot_listen


class HttpRequest(NamedTuple):
    """A client's request; `path` is decoded and without its query."""

    method: str
    path: str
    body: bytes


Headers = tuple[tuple[str, str], ...]


class Response(NamedTuple):
    """An answer: JSON, or nothing."""

    status: int
    body: bytes = b""
    headers: Headers = ()


class ConnectionLimits(NamedTuple):
    """Bounds on the clients, in bytes, seconds and connections."""

    head: int = 16 * 1024
    body: int = 16 * 1024
    idle: int = 60
    """Seconds in which a request has to begin and its head to be complete, and in which a client takes its answer."""
    request: float = 10.0
    """Seconds in which a body has to arrive."""
    connections: int = 500


Respond = Callable[[HttpRequest], Response]

USUAL = ConnectionLimits()
ROUNDS = 16
"""Number of rounds of the event loop that accept a connection, read a request from it and answer it."""
REST = 2**20
"""Bytes of a body that is too long which are still read, since a client that is cut off may never see the answer."""


def failure(status: int, error: str) -> Response:
    """Return an error in the form that every answer has."""
    return Response(status, msgspec.json.encode({"success": False, "error": error}))


@asynccontextmanager
async def serving(
    respond: Respond, host: str, port: int, *, headers: Headers = (), limits: ConnectionLimits = USUAL
) -> AsyncIterator[tuple[str, int]]:
    """Serve in the background, and yield the address listened on (port 0: a free one). All is closed at the end.

    `headers` go with every answer, errors included.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family, backlog=256)
    except OSError as error:
        raise cannot_listen(host, port, error) from error
    application = _Application(respond, headers, limits)
    config = uvicorn.Config(
        application,
        http=_Connection,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=limits.idle,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=limits.head,
    )
    server = application.server = _Server(config)
    task = asyncio.create_task(server.serve([listening]))
    try:
        started = asyncio.create_task(server.listening.wait())
        await asyncio.wait([task, started], return_when=asyncio.FIRST_COMPLETED)
        started.cancel()
        yield listening.getsockname()[:2]
    finally:
        server.should_exit = True
        await task


class _Server(uvicorn.Server):
    """uvicorn in an event loop that runs already: it signals when it listens, and leaves Ctrl-C alone."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Any:
        yield


class _Connection(H11Protocol):
    """A connection that is closed when its client neither asks nor reads; uvicorn watches only between two requests."""

    waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop_waiting()

    def _watch(self) -> None:
        """Run the clock while it is the client's turn to send or to read; single bytes do not set it back."""
        answering = self.cycle is not None and not self.cycle.response_complete
        if answering and not self.flow.write_paused:
            self._stop_waiting()
        elif self.waiting is None:
            self.waiting = self.loop.call_later(self.config.timeout_keep_alive, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self.waiting is not None:
            self.waiting.cancel()
            self.waiting = None


class _TooLongError(Exception):
    """A body of more bytes than a move can have."""


class _Application:
    """The ASGI side: reads a request's body within its bounds, and sends the answer."""

    server: _Server

    def __init__(self, respond: Respond, headers: Headers, limits: ConnectionLimits) -> None:
        self.respond = respond
        self.headers = headers
        self.limits = limits

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        response, stays = await self._answer(scope, receive)
        headers = [*self.headers, *response.headers]
        if response.status != 204:
            headers += [("Content-Type", "application/json"), ("Content-Length", str(len(response.body)))]
        if not stays:
            headers.append(("Connection", "close"))
        encoded = [(name.encode(), value.encode("ascii", "replace")) for name, value in headers]
        await send({"type": "http.response.start", "status": response.status, "headers": encoded})
        await send({"type": "http.response.body", "body": response.body})

    async def _answer(self, scope: Any, receive: Any) -> tuple[Response, bool]:
        """Return the answer to a request, and True if the connection stays open."""
        most = self.limits.connections
        if len(self.server.server_state.connections) > most:
            return failure(503, f"more than {most} connections at once"), False
        try:
            async with asyncio.timeout(self.limits.request):
                body = await self._read_body(receive)
        except TimeoutError:
            return failure(408, f"the request was not complete after {self.limits.request:g} s"), False
        except _TooLongError:
            return failure(413, "the body of the request is too long"), False
        try:
            path = urlsplit(scope["path"]).path  # a proxy's client sends the whole address
            return self.respond(HttpRequest(scope["method"], path, body)), True
        except Exception:
            logging.getLogger(__name__).exception("%s %s", scope["method"], scope["path"])
            return failure(500, "internal error: the server's log says more"), True

    async def _read_body(self, receive: Any) -> bytes:
        body, size = b"", 0
        while True:
            message = await receive()
            piece = message.get("body", b"")
            size += len(piece)
            if size <= self.limits.body:
                body += piece
            if message["type"] == "http.disconnect" or not message.get("more_body") or size > REST:
                if size > self.limits.body:
                    raise _TooLongError
                return body
