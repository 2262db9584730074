"""The sockets in the API's description: OpenAPI itself has no words for them, so they stand under `x-sockets`."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from noctagon.web import models

REFERENCE = "#/components/schemas/{model}"
LIVE = (
    "A game as it goes: first everything, or with ?after=N the turns after the first N; then a message a turn. "
    "Closed with 4004: no such game; 4008: too slow, come back with after=N; 1013: too many watch."
)
SOCKETS: dict[str, tuple[str, tuple[type[BaseModel], ...]]] = {
    "/tables/{id}/live": (
        LIVE,
        (models.LiveMessage,),
    ),
    "/analysis/{id}": (
        "An analysis that was asked for; it ends when the socket is closed, and the socket when it is done.",
        (models.AnalysisPlace, models.Analysis, models.Error),
    ),
}


class PageApi(FastAPI):
    """An application whose description tells of its sockets too."""

    sockets_prefix = ""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            described = super().openapi()
            kinds = [kind for _, messages in SOCKETS.values() for kind in messages]
            _, shapes = models_json_schema(
                [(kind, "serialization") for kind in dict.fromkeys(kinds)], ref_template=REFERENCE
            )
            schemas = described.setdefault("components", {}).setdefault("schemas", {})
            for name, shape in shapes.get("$defs", {}).items():
                schemas.setdefault(name, shape)
            described["x-sockets"] = {
                f"{self.sockets_prefix}{path}": {
                    "description": about,
                    "messages": [{"$ref": REFERENCE.format(model=kind.__name__)} for kind in messages],
                }
                for path, (about, messages) in SOCKETS.items()
            }
            self.openapi_schema = described
        return self.openapi_schema
