"""Compression of what is sent: the page's files once, answers of the API each time.

Never compressed are answers that hand out a secret, since the length of a compressed answer can tell what is in it:
those to POST, which may hold keys, and those that set a cookie. Nor are streams, parts of a file, and what is short.
"""

from __future__ import annotations

import asyncio
import gzip
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from fastapi import Response
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COMPRESSED = frozenset(
    {
        "application/json",
        "image/svg+xml",
        "text/css",
        "text/html",
        "text/javascript",
        "application/javascript",
    }
)
"""The media types that are compressed."""
SHORT = 1000
"""Number of bytes below which compression gains nothing."""
LONG = 2**16
"""Number of bytes from which another thread compresses."""
LEVEL = 6
"""Level of compression of answers; of files it is the highest."""
VARY = {"vary": "Accept-Encoding"}


def accepts_gzip(headers: Headers) -> bool:
    """Return whether a client takes answers that are compressed with gzip.

    >>> accepts_gzip(Headers({"accept-encoding": "br, gzip;q=0.5"})), accepts_gzip(Headers({}))
    (True, False)
    """
    for part in headers.get("accept-encoding", "").lower().split(","):
        name, *options = (piece.strip() for piece in part.split(";"))
        if name in ("gzip", "*"):
            return not any(option.removeprefix("q=").strip("0.") == "" for option in options)
    return False


class Compression:
    """Middleware that compresses whole answers to GET."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            await self.app(scope, receive, send)
            return
        accepts = accepts_gzip(Headers(scope=scope))
        started: Message = {}

        async def sending(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = message  # held back until it is known what follows
                return
            if started:
                start, started = started, {}
                headers = MutableHeaders(scope=start)
                if _may_be_compressed(start["status"], headers):
                    headers.add_vary_header("Accept-Encoding")
                    body = message.get("body", b"")
                    if accepts and not message.get("more_body", False) and len(body) >= SHORT:
                        message = {**message, "body": await _compress(body)}
                        headers["content-encoding"] = "gzip"
                        headers["content-length"] = str(len(message["body"]))
                        if "etag" in headers:
                            headers["etag"] = weak(headers["etag"])
                await send(start)
            await send(message)

        await self.app(scope, receive, sending)


def weak(tag: str) -> str:
    """Return a tag that says: the same content, in whatever encoding."""
    return tag if tag.startswith("W/") else f"W/{tag}"


def _may_be_compressed(status: int, headers: Headers) -> bool:
    media = headers.get("content-type", "").partition(";")[0].strip().lower()
    return (
        status == 200
        and media in COMPRESSED
        and not {"content-encoding", "set-cookie"} & {*map(str.lower, headers.keys())}
    )


async def _compress(body: bytes) -> bytes:
    if len(body) < LONG:
        return gzip.compress(body, LEVEL, mtime=0)
    return await asyncio.to_thread(gzip.compress, body, LEVEL, mtime=0)


class CompressedFile(NamedTuple):
    """A file, compressed, and the tag by which a browser knows that its copy is current."""

    tag: str
    body: bytes


class PageFiles(StaticFiles):
    """The page's files, compressed once and kept. A browser checks each time that its copy is still current."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._kept: dict[str, CompressedFile] = {}

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        plain = super().file_response(full_path, stat_result, scope, status_code)
        plain.headers["cache-control"] = "no-cache"
        plain.headers.update(VARY)
        headers = Headers(scope=scope)
        if "range" in headers or not accepts_gzip(headers) or status_code != 200:
            return plain
        kept = self._compressed(os.fspath(full_path), stat_result)
        told: Mapping[str, str] = {"etag": kept.tag, "cache-control": "no-cache", **VARY}
        if kept.tag in headers.get("if-none-match", ""):
            return Response(status_code=304, headers=told)
        media = plain.headers.get("content-type") or plain.media_type
        return Response(kept.body, headers={**told, "content-encoding": "gzip", "content-type": str(media)})

    def _compressed(self, path: str, state: os.stat_result) -> CompressedFile:
        """Return a file, compressed again if it has changed."""
        tag = f'"{state.st_mtime_ns:x}-{state.st_size:x}-gzip"'
        kept = self._kept.get(path)
        if kept is None or kept.tag != tag:
            with open(path, "rb") as file:  # noqa: PTH123 - a path as StaticFiles gives it
                kept = self._kept[path] = CompressedFile(tag, gzip.compress(file.read(), mtime=0))
        return kept
