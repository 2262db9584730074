"""The application: the routes of the API, the files of the page, and the answers to errors."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from noctagon.core import svg
from noctagon.core.game import NoctagonError
from noctagon.processes.worker_pool import Busy
from noctagon.processes.workers import CallFailed
from noctagon.web.compression import Compression, PageFiles
from noctagon.web.context import Context
from noctagon.web.messages.common import ErrorMessage
from noctagon.web.preparing import NotReady, Preparation
from noctagon.web.routing import MalformedRequest, PageApi, answer, described
from noctagon.web.security import Guard
from noctagon.web.settings import Settings
from noctagon.web.tables.registry import NotYours, Unknown

API = "/api/v1"
Handler = Callable[[Request, Exception], Awaitable[Response]]
FILES = PageFiles(directory=Path(__file__).parent / "static", check_dir=False)
"""The files of the page itself."""
ROUTERS = (
    "api.preparing",
    "api.games",
    "api.tables",
    "api.positions",
    "api.analysis",
    "api.servers",
    "api.tournaments",
    "api.maps",
    "api.records",
)
"""The modules of the API: each has a `router`."""
ERRORS = {
    400: "It cannot be done; the sentence says why.",
    401: "The token is missing.",
    403: "The key is not the right one.",
    404: "There is no such thing.",
    413: "Too large.",
    422: "The request is not of this form.",
    503: "Too busy, or still being compiled; try again later.",
}


def create_app(settings: Settings | None = None, preparation: Preparation | None = None) -> PageApi:
    """Return the page as an ASGI application."""
    settings = settings or Settings()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        context = Context(settings, preparation)
        app.state.context = context
        await context.open()
        try:
            yield
        finally:
            await context.close()

    app = PageApi(
        title="Noctagon",
        version=version("noctagon"),
        description="Games to watch, to play and to understand. The page uses nothing but this.",
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.sockets_prefix = API
    errors: dict[int | str, Any] = {
        status: {"description": why, **described(ErrorMessage)} for status, why in ERRORS.items()
    }
    for name in ROUTERS:
        router = import_module(f"noctagon.web.{name}").router
        app.include_router(router, prefix=API, responses=errors)
        app.bodies += router.bodies
        app.answers += router.answers
    app.add_api_route("/static/board.css", _board_style, methods=["GET"], include_in_schema=False)
    app.mount("/static", FILES, name="static")
    app.add_api_route("/", _index, methods=["GET"], include_in_schema=False)
    app.add_middleware(Compression)
    app.add_middleware(Guard, settings=settings)
    for kind, handler in HANDLERS.items():
        app.add_exception_handler(kind, handler)
    return app


async def _index(request: Request) -> Response:
    return await FILES.get_response("index.html", request.scope)


async def _board_style() -> Response:
    """Return the style of boards, which is the same in the pictures that Python draws."""
    return Response(svg.stylesheet(), media_type="text/css", headers={"cache-control": "no-cache"})


def _error(status: int, sentence: str) -> Response:
    return answer(ErrorMessage(sentence.encode("utf-8", "replace").decode()), status)


def _teller(status: int) -> Handler:
    async def tell(request: Request, error: Exception) -> Response:
        return _error(status, str(error) or "that cannot be done")

    return tell


async def _not_ready(request: Request, error: Exception) -> Response:
    response = _error(503, str(error))
    response.headers["retry-after"] = "1"
    return response


async def _failed(request: Request, error: Exception) -> Response:
    """Answer that a worker process failed, and print its last words on the server's terminal."""
    print(f"noctagon: {request.method} {request.url.path}: {error}", file=sys.stderr)
    return _error(503, "that took too long, or the process that computed it ended")


async def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0] if error.errors() else {"loc": (), "msg": "not understood"}
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    return _error(422, f"{where}: {first['msg']}" if where else str(first["msg"]))


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    response = _error(error.status_code, str(error.detail))
    response.headers.update(error.headers or {})
    return response


HANDLERS: dict[type[Exception], Handler] = {
    Unknown: _teller(404),
    NotYours: _teller(403),
    NotReady: _not_ready,
    Busy: _teller(503),
    MalformedRequest: _teller(422),
    NoctagonError: _teller(400),
    CallFailed: _failed,
    RequestValidationError: _malformed,
    HTTPException: _refused,
}
