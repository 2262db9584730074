"""The API's OpenAPI document. Sockets, for which OpenAPI has no words, stand under `x-sockets`."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from noctagon.web.messages.common import ErrorMessage
from noctagon.web.messages.positions import AnalysisUpdate, QueuePlace
from noctagon.web.messages.tables import LiveMessage
from noctagon.web.routing import components, schema_of

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


class PageApi(FastAPI):
    """An application whose document has its sockets and the schemas of all messages."""

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
