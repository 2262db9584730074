"""Routes that take and return messages, and the OpenAPI document: all from the messages' types alone.

Sockets, for which OpenAPI has no words, stand under `x-sockets`.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from functools import wraps
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec
from fastapi import APIRouter, Depends, FastAPI, Request, Response

from noctagon.core.game import NoctagonError
from noctagon.core.validation import validation_message
from noctagon.web.messages.common import ErrorMessage
from noctagon.web.messages.positions import AnalysisUpdate, QueuePlace
from noctagon.web.messages.tables import LiveMessage

JSON = "application/json"
REFERENCE = "#/components/schemas/{name}"

LIVE = (
    "A game as it goes: first everything, or with ?after=N the turns after the first N; then a message a turn. "
    "Closed with 4004: no such game; 4008: too slow, come back with after=N; 1013: too many watch."
)
ANALYSIS = (
    "An analysis that was asked for. It ends when the socket is closed, and the socket when it is done."
)
SOCKETS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "/tables/{id}/live": (LIVE, (LiveMessage,)),
    "/analysis/{id}": (ANALYSIS, (QueuePlace, AnalysisUpdate, ErrorMessage)),
}
SOCKET_MESSAGES = [kind for _, kinds in SOCKETS.values() for kind in kinds]

Endpoint = Callable[..., Awaitable[Any]]


class MalformedRequest(NoctagonError):  # noqa: N818 - what the request is
    """A request's body is not of the form that it should have."""


class ResponseContent:
    """The content of a `Response` that an endpoint makes itself: `-> Annotated[Response, ResponseContent(list[Game])]`.

    It is any one of several kinds; of none, only the media type is known.
    """

    def __init__(self, *kinds: Any, media: str = JSON) -> None:
        self.kinds = kinds
        self.media = media


class MessageRouter(APIRouter):
    """A router whose endpoints take and return messages.

    A parameter of a message type is decoded from the request's body. What an endpoint returns is encoded as JSON,
    unless it is a `Response`. The types of both describe the route in the API's document.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.bodies: list[Any] = []
        """The types of all bodies of requests."""
        self.answers: list[Any] = []
        """The types of all answers."""

    def add_api_route(self, path: str, endpoint: Endpoint, **options: Any) -> None:
        signature = inspect.signature(endpoint, eval_str=True)
        extra: dict[str, Any] = {**(options.pop("openapi_extra", None) or {})}
        parameters = []
        for parameter in signature.parameters.values():
            kind = parameter.annotation
            if message_kind(kind) is not None:
                self.bodies.append(kind)
                parameter = parameter.replace(
                    annotation=Annotated[kind, Depends(_reader(kind))], default=parameter.empty
                )
                required = type(None) not in get_args(kind)
                extra["requestBody"] = {"required": required, **described(kind)}
            parameters.append(parameter)
        status = options.get("status_code") or 200
        content = _content_of(signature.return_annotation)
        responses = {**(options.pop("responses", None) or {})}
        responses[status] = {**responses.get(status, {}), **described(*content.kinds, media=content.media)}
        self.answers += content.kinds
        called = _answering(endpoint, status)
        called.__signature__ = inspect.Signature(parameters, return_annotation=Response)  # type: ignore[attr-defined]
        super().add_api_route(
            path,
            called,
            **{**options, "response_class": Response, "responses": responses, "openapi_extra": extra or None},
        )


class PageApi(FastAPI):
    """The application with its OpenAPI document, which has the sockets and the schemas of all messages."""

    sockets_prefix = ""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.bodies: list[Any] = []
        """The types of all bodies of requests."""
        self.answers: list[Any] = [ErrorMessage, *SOCKET_MESSAGES]
        """The types of all answers, and of the messages of sockets."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            described = super().openapi()
            schemas = described.setdefault("components", {}).setdefault("schemas", {})
            schemas.update(components(self.bodies + self.answers))
            described["x-sockets"] = {
                f"{self.sockets_prefix}{path}": {
                    "description": about,
                    "messages": [schema_of(kind) for kind in kinds],
                }
                for path, (about, kinds) in SOCKETS.items()
            }
            self.openapi_schema = described
        return self.openapi_schema


def message_kind(kind: Any) -> Any:
    """Return a structure's type, also of a structure that may be missing; None for any other type."""
    if get_origin(kind) in (Union, UnionType):
        kinds = [one for one in get_args(kind) if one is not type(None)]
        return message_kind(kinds[0]) if len(kinds) == 1 else None
    plain = get_origin(kind) or kind
    return kind if isinstance(plain, type) and issubclass(plain, msgspec.Struct) else None


def schema_of(kind: Any) -> dict[str, Any]:
    """Return the JSON schema of a type, with references to the components of the API's document."""
    (schema,), _ = msgspec.json.schema_components([kind], ref_template=REFERENCE)
    return schema


def described(*kinds: Any, media: str = JSON) -> dict[str, Any]:
    """Return the description of a body or an answer of any one of some types."""
    schemas = [schema_of(kind) for kind in kinds]
    if not schemas:
        return {"content": {media: {}}}
    return {"content": {media: {"schema": schemas[0] if len(schemas) == 1 else {"anyOf": schemas}}}}


def components(kinds: list[Any]) -> dict[str, Any]:
    """Return the JSON schemas of all named types that the given ones consist of."""
    return msgspec.json.schema_components(kinds, ref_template=REFERENCE)[1]


def answer(content: Any, status: int = 200) -> Response:
    """Return a response with a message as JSON."""
    return Response(msgspec.json.encode(content), status, media_type=JSON)


def read(kind: Any, body: bytes) -> Any:
    """Decode a request's body; raise `MalformedRequest` with what is wrong with it.

    >>> from noctagon.web.messages.tables import PaceRequest
    >>> read(PaceRequest, b'{"pace": 1}')
    PaceRequest(key=None, pace=1.0)
    >>> read(PaceRequest, b'{"pace": -1}')
    Traceback (most recent call last):
    noctagon.web.routing.MalformedRequest: pace should be at least 0
    """
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        raise MalformedRequest(validation_message(error, message_kind(kind))) from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise MalformedRequest(f"this is no JSON: {error}") from error


def _reader(kind: Any) -> Callable[[Request], Awaitable[Any]]:
    optional = type(None) in get_args(kind)

    async def read_body(request: Request) -> Any:
        body = await request.body()
        if optional and not body:
            return None
        if not _is_json(request.headers.get("content-type", "")):
            raise MalformedRequest(f"the body should be JSON, with the content type {JSON}")
        return read(kind, body)

    return read_body


def _is_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind == JSON or (kind.startswith("application/") and kind.endswith("+json"))


def _content_of(returned: Any) -> ResponseContent:
    """Return what an endpoint answers with, by its return annotation."""
    if get_origin(returned) is Annotated:
        return next(one for one in get_args(returned) if isinstance(one, ResponseContent))
    return ResponseContent(returned)


def _answering(endpoint: Endpoint, status: int) -> Endpoint:
    """Return the endpoint with its answer as a response."""

    @wraps(endpoint)
    async def called(*arguments: Any, **options: Any) -> Response:
        returned = await endpoint(*arguments, **options)
        return returned if isinstance(returned, Response) else answer(returned, status)

    del called.__wrapped__  # its signature is another
    return called
