"""As much of an HTTP/1.1 server as a broker needs: small requests in, small answers out, whoever is at the other end.

Everything has a bound: the head and the body of a request, the time each may take, how long a connection may say
nothing, how many there may be at once. What goes beyond is answered with an error and closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import msgspec

from noctagon.core.game import NoctagonError
from noctagon.processes.ports import cannot_listen


class Request(NamedTuple):
    """What a client asks: `path` is decoded and without its query, the names of `headers` are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    keep_alive: bool


Headers = tuple[tuple[str, str], ...]


class Response(NamedTuple):
    """What it is answered: JSON, or nothing."""

    status: int
    body: bytes = b""
    headers: Headers = ()


class Limits(NamedTuple):
    """What is put up with, in bytes, seconds and connections."""

    head: int = 16 * 1024
    body: int = 16 * 1024
    idle: float = 60.0
    """For the next request on an open connection to begin."""
    request: float = 10.0
    """For a request that has begun to arrive in full, and for a client to take its answer."""
    connections: int = 500


class HttpError(NoctagonError):
    """A request that cannot be answered as it is."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


Respond = Callable[[Request], Response]

USUAL = Limits()
REST = 2**20
"""Of a request that is too large, so much is still read before closing, so that the client sees the answer."""
REST_SECONDS = 2.0


def failure(status: int, error: str) -> Response:
    """An error in the form that every answer has."""
    return Response(status, msgspec.json.encode({"success": False, "error": error}))


@asynccontextmanager
async def serving(
    respond: Respond, host: str, port: int, *, headers: Headers = (), limits: Limits = USUAL
) -> AsyncIterator[tuple[str, int]]:
    """Serve in the background; gives the address listened on (port 0: a free one). All is closed at the end.

    `headers` go with every answer, errors included.
    """
    connections: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        client = _Client(reader, writer, headers, limits)
        try:
            with contextlib.suppress(OSError):
                if len(connections) > limits.connections:
                    await client.send(failure(503, f"more than {limits.connections} connections at once"))
                else:
                    await client.converse(respond)
        finally:
            connections.discard(task)
            writer.transport.abort()

    try:
        server = await asyncio.start_server(connected, host, port, limit=limits.head, backlog=256)
    except OSError as error:
        raise cannot_listen(host, port, error) from error
    try:
        name = server.sockets[0].getsockname()
        yield name[0], name[1]
    finally:
        server.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        await server.wait_closed()


class _Client:
    """One connection."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, headers: Headers, limits: Limits
    ) -> None:
        self.reader = reader
        self.writer = writer
        self.headers = headers
        self.limits = limits
        writer.transport.set_write_buffer_limits(high=limits.body)

    async def converse(self, respond: Respond) -> None:
        """Answer one request after the other until the client, or our patience, is at its end."""
        try:
            while (request := await self.next_request()) is not None:
                await self.send(_answer(respond, request), request)
                if not request.keep_alive:
                    break
        except HttpError as error:
            await self.send(failure(error.status, str(error)))
        await self.part()

    async def next_request(self) -> Request | None:
        """The next request; None when the client says nothing more."""
        try:
            async with asyncio.timeout(self.limits.idle):
                first = await self.reader.read(1)
        except TimeoutError:
            return None
        if not first:
            return None
        try:
            async with asyncio.timeout(self.limits.request):
                return await _read_request(first, self.reader, self.writer, self.limits)
        except TimeoutError:
            raise HttpError(408, f"the request was not complete after {self.limits.request:g} s") from None
        except asyncio.IncompleteReadError:
            raise HttpError(400, "the request ends in the middle") from None

    async def send(self, response: Response, request: Request | None = None) -> None:
        """Write an answer in one piece and wait until the client takes it."""
        stays = request is not None and request.keep_alive
        head = [f"HTTP/1.1 {response.status} {HTTPStatus(response.status).phrase}"]
        head += [f"{name}: {value}" for name, value in (*self.headers, *response.headers)]
        if response.status != HTTPStatus.NO_CONTENT:
            head += ["Content-Type: application/json", f"Content-Length: {len(response.body)}"]
        head.append(f"Connection: {'keep-alive' if stays else 'close'}")
        body = b"" if request is not None and request.method == "HEAD" else response.body
        self.writer.write("\r\n".join([*head, "\r\n"]).encode("ascii", "replace") + body)
        async with asyncio.timeout(self.limits.request):
            await self.writer.drain()

    async def part(self) -> None:
        """Say that no more comes and let the client finish: closed on a question, it may never see the answer."""
        self.writer.write_eof()
        read = 0
        async with asyncio.timeout(REST_SECONDS):
            while read < REST and (rest := await self.reader.read(65536)):
                read += len(rest)


def _answer(respond: Respond, request: Request) -> Response:
    try:
        return respond(request)
    except Exception:
        logging.getLogger(__name__).exception("%s %s", request.method, request.path)
        return failure(500, "internal error: the server's log says more")


async def _read_request(
    first: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, limits: Limits
) -> Request:
    head = await _read_head(first, reader, limits)
    method, target, version = _parse_request_line(head[0])
    headers = _parse_headers(head[1:])
    if headers.get("expect", "").lower() == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    body = await _read_body(headers, reader, limits)
    wish = headers.get("connection", "").lower()
    keep_alive = "close" not in wish if version == "HTTP/1.1" else "keep-alive" in wish
    return Request(method, target, headers, body, keep_alive)


async def _read_head(first: bytes, reader: asyncio.StreamReader, limits: Limits) -> list[str]:
    """The lines before the body; they may end in CR LF or in LF alone."""
    lines: list[str] = []
    size = 0
    while True:
        line = first + await _read_line(reader, "head", limits.head, 431)
        first = b""
        size += len(line)
        if size > limits.head:
            raise HttpError(431, f"the head of the request is longer than {limits.head} bytes")
        text = line.decode("latin-1").rstrip("\r\n")
        if text:
            lines.append(text)
        elif lines:  # empty lines before a request are passed over
            return lines


async def _read_line(reader: asyncio.StreamReader, what: str, most: int, status: int) -> bytes:
    try:
        return await reader.readuntil(b"\n")
    except asyncio.LimitOverrunError:
        raise HttpError(status, f"the {what} of the request has a line longer than {most} bytes") from None


def _parse_request_line(line: str) -> tuple[str, str, str]:
    parts = line.split(" ")
    if len(parts) != 3 or not parts[0].isalpha() or not parts[0].isascii():
        raise HttpError(400, "the first line is not METHOD PATH HTTP/1.1")
    method, target, version = parts
    if version not in ("HTTP/1.1", "HTTP/1.0"):
        raise HttpError(505, "HTTP/1.1 is spoken here")
    try:
        path = unquote(urlsplit(target).path, errors="strict")
    except ValueError:
        raise HttpError(400, "the path is not one") from None
    return method, path, version


def _parse_headers(lines: list[str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        name, value = name.lower(), value.strip()
        if not colon or not name or name != name.strip():
            raise HttpError(400, "a header is not of the form NAME: VALUE")
        if name in ("content-length", "transfer-encoding") and headers.get(name, value) != value:
            raise HttpError(400, f"{name} is given twice")
        headers[name] = value
    return headers


async def _read_body(headers: dict[str, str], reader: asyncio.StreamReader, limits: Limits) -> bytes:
    length, coding = headers.get("content-length"), headers.get("transfer-encoding")
    if coding is not None:
        if length is not None:
            raise HttpError(400, "content-length and transfer-encoding exclude each other")
        if coding.lower() != "chunked":
            raise HttpError(501, "the only transfer-encoding known here is chunked")
        return await _read_chunks(reader, limits)
    if length is None:
        return b""
    return await reader.readexactly(_size(length, 10, "content-length", limits.body))


async def _read_chunks(reader: asyncio.StreamReader, limits: Limits) -> bytes:
    body = bytearray()
    while True:
        line = await _read_line(reader, "body", limits.head, 400)
        size = _size(line.partition(b";")[0].strip().decode("latin-1"), 16, "chunk", limits.body - len(body))
        if size == 0:
            break
        body += await reader.readexactly(size)
        if await _read_line(reader, "body", limits.head, 400) not in (b"\r\n", b"\n"):
            raise HttpError(400, "a chunk is longer than it says")
    trailers = 0
    while (line := await _read_line(reader, "body", limits.head, 400)) not in (b"\r\n", b"\n"):
        trailers += len(line)
        if trailers > limits.head:
            raise HttpError(431, f"the end of the request is longer than {limits.head} bytes")
    return bytes(body)


def _size(text: str, base: int, what: str, most: int) -> int:
    digits = "0123456789abcdef"[:base]
    if not text or any(digit not in digits for digit in text.lower()):
        raise HttpError(400, f"the {what} is not a number")
    if len(text) > 18 or int(text, base) > most:
        raise HttpError(413, "the body of the request is too long")
    return int(text, base)
