"""Access control: the token, the Host and Origin headers, limits on bodies, headers on every answer."""

from __future__ import annotations

import hmac
import ipaddress
import socket
import traceback
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from noctagon.web.messages.common import ErrorMessage
from noctagon.web.settings import Settings, is_loopback

COOKIE = "noctagon"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
"""The policy for a drawing, which brings its own style and may do nothing else."""
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
BODIES: Mapping[str, int] = {"/api/v1/records": 5 * 2**20, "/api/v1/maps": 2**20}
"""Maximum number of bytes sent to a path and those below it; elsewhere the limit of the settings holds."""


class Guard:
    """Middleware that lets through requests of the page itself and of programs, not of other sites' pages."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings
        self.names = {"localhost", settings.host.strip("[]").lower(), *map(str.lower, settings.names)}
        if not settings.is_local:
            name = socket.gethostname().lower()
            self.names |= {name, f"{name}.local"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        cookie = ""
        refusal = self._refusal(scope, headers)
        if refusal is None and self.settings.token:
            known = self._knows_token(scope, headers)
            if known is None:
                refusal = (401, "this server needs its token: open the link that it printed when it started")
            elif known == "link":
                cookie = self.settings.token
        if refusal is not None:
            await _refuse(scope, receive, _with_headers(send), *refusal)
        elif scope["type"] == "websocket":
            await self.app(scope, receive, send)
        else:
            await self._limited(scope, receive, _with_headers(send, cookie))

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if not self._is_ours(host):
            return 400, "this server does not go by that name (the Host header)"
        if scope["type"] == "websocket" or scope["method"] not in SAFE:
            origin = headers.get("origin")
            if origin is not None and _host_in(origin) != host.lower():
                return 403, "this came from a page of another origin"
            if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
                return 403, "this came from a page of another site"
        return None

    def _is_ours(self, host: str) -> bool:
        """Return whether a Host header names this server: another name that leads here is an attack (DNS rebinding)."""
        try:
            name = urlsplit(f"//{host}").hostname
        except ValueError:
            return False
        if not name:
            return False
        if name in self.names or is_loopback(name):
            return True
        if self.settings.is_local:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _knows_token(self, scope: Scope, headers: Headers) -> str | None:
        """Return where the token came from: `header`, `cookie` or `link`; None if it is missing."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self._is_token(given.strip()):
            return "header"
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            cookies = SimpleCookie()
        if COOKIE in cookies and self._is_token(cookies[COOKIE].value):
            return "cookie"
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        if any(self._is_token(token) for token in query.get("token", ())):
            return "link"
        return None

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.settings.token.encode())

    async def _limited(self, scope: Scope, receive: Receive, send: Send) -> None:
        most = next(
            (size for path, size in BODIES.items() if _is_below(scope["path"], path)),
            self.settings.limits.body,
        )
        too_large = f"that is too large: at most {most} bytes are taken here"
        length = Headers(scope=scope).get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or int(length[:20]) > most:
            await _refuse(scope, receive, send, 413, too_large)
            return
        seen = 0
        begun = False

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > most:
                raise HTTPException(413, too_large)
            return message

        async def noticed(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, counted, noticed)
        except Exception:
            traceback.print_exc()
            if not begun:
                await _refuse(
                    scope, receive, send, 500, "something went wrong here; the server's terminal says what"
                )


def _host_in(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _with_headers(send: Send, cookie: str = "") -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if cookie:
                headers.append("set-cookie", f"{COOKIE}={cookie}; Path=/; HttpOnly; SameSite=Lax")
        await send(message)

    return sending


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, sentence: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": sentence[:120]})
        return
    body = msgspec.json.encode(ErrorMessage(sentence))
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
