"""`/records`: games that were played, from the store or from a file, to be replayed and judged."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from noctagon.core.game import NoctagonError
from noctagon.processes.calls import Call
from noctagon.web import models
from noctagon.web.context import Context, TheContext, answer
from noctagon.web.records import evaluating, replaying, standalone
from noctagon.web.records.uploads import MARK
from noctagon.web.tables.registry import Unknown
from noctagon.web.workers import Busy, Failed

router = APIRouter(prefix="/records", tags=["records"])

MOST_EVALUATIONS = 3
"""Games that are evaluated at once; each asks for one position after the other, so others are not kept waiting."""
MOST_SECONDS = 1200.0
"""How long the evaluation of a game may take, by what is asked for."""
GRACE_SECONDS = 30.0
JSON = {"schema": {"type": "object"}}
UPLOAD = {
    "requestBody": {"required": True, "content": {"application/json": JSON, "application/x-ndjson": JSON}}
}
STREAM = "application/x-ndjson"

RecordId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,40}$")]


class RecordLine(BaseModel):
    """A record in a list; `trouble` says what is wrong with it."""

    id: str
    game: str
    setup: str
    players: tuple[str, str]
    ply: int
    result: models.Result | None
    date: str
    tournament: str
    trouble: str


class Records(BaseModel):
    """The newest games that fit, and what one may choose by; `store` is whether games are kept at all."""

    store: bool
    records: list[RecordLine]
    players: list[str]
    tournaments: list[str]


class Uploaded(BaseModel):
    replays: list[RecordLine]
    trouble: str


class Replay(models.Snapshot):
    """`trouble` says what is missing of the game."""

    trouble: str


class EvaluationAsked(models.Asked):
    """`time` is for each position, in seconds."""

    time: Annotated[float, Field(ge=0.02, le=5, allow_inf_nan=False)] = 0.2


class Evaluated(BaseModel):
    """A line of the stream: a position, and the turn that was played there."""

    n: int
    side: int
    chance: float
    text: str
    expected: float | None
    loss: float
    mark: str
    best: str
    line: list[str]
    arrows: list[list[models.Arrow]]


@router.get("", response_model=Records)
async def records(
    context: TheContext,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    game: Annotated[str | None, Query(max_length=60)] = None,
    player: Annotated[str | None, Query(max_length=300)] = None,
    tournament: Annotated[str | None, Query(max_length=200)] = None,
) -> Response:
    """Games of the store, the newest first: of a kind, of a player, of a tournament.

    `player` is a part of a name or of a spec, capital letters or not; of several words all have to be in it.
    """
    where = context.settings.store_now
    if where is None:
        return answer({"store": False, "records": [], "players": [], "tournaments": []})
    chosen = (game or None, player or None, tournament or None)
    return answer(await context.ask(replaying.stored_lines, where, *chosen, limit))


@router.post("", response_model=Uploaded, status_code=201, openapi_extra=UPLOAD)
async def upload(request: Request, context: TheContext) -> Response:
    """Look at records that are not in the store: a record as JSON, or several, one a line. They are not kept."""
    content = await request.body()
    read = await context.ask(replaying.read_upload, content)
    ids = context.uploads.put(content[piece.start : piece.end] for piece in read.pieces)
    lines = [
        msgspec.structs.replace(piece.line, id=number) for piece, number in zip(read.pieces, ids, strict=True)
    ]
    return answer({"replays": lines, "trouble": read.trouble}, 201)


@router.get("/{id}", response_model=Replay)
async def replay(id: RecordId, context: TheContext) -> Response:  # noqa: A002 - what it is called
    """A recorded game in the shape of a table's snapshot: the first position, and every turn since."""
    content = await _content(context, id)
    told = await context.ask(replaying.retell, content, id)
    return Response(told, media_type="application/json")


@router.get("/{id}/raw")
async def raw(id: RecordId, context: TheContext) -> Response:  # noqa: A002
    """The record itself, byte for byte."""
    named = {"content-disposition": f'attachment; filename="noctagon-{id}.json"'}
    return Response(await _content(context, id), media_type="application/json", headers=named)


@router.get("/{id}/positions/{n}", response_model=models.PositionText)
async def position(id: RecordId, n: Annotated[int, Path(ge=0, le=10**6)], context: TheContext) -> Response:  # noqa: A002
    """The position after so many turns, as text that `/positions` and `/analysis` take."""
    content = await _content(context, id)
    return answer(await context.ask(replaying.position_at, content, n))


@router.get("/{id}/page.html", response_class=Response, responses={200: {"content": {"text/html": {}}}})
async def page(id: RecordId, context: TheContext) -> Response:  # noqa: A002
    """The replay as a page of its own, which works without a server: to be saved, not to be opened here."""
    content = await _content(context, id)
    told = await context.ask(standalone.html_of, content)
    named = {"content-disposition": f'attachment; filename="noctagon-{id}.html"'}
    return Response(told, media_type="text/html", headers=named)


@router.post(
    "/{id}/evaluation",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "A line of JSON for each position, as it is known.",
            "content": {STREAM: {"schema": Evaluated.model_json_schema()}},
        }
    },
)
async def evaluation(id: RecordId, asked: EvaluationAsked, context: TheContext) -> Response:  # noqa: A002
    """What the champion thinks of every position and turn, a line each.

    First `{"turns": N, "player": SPEC}`, at last `{"done": true}`, or `{"error": SENTENCE}` where it breaks off.
    It is computed for as long as somebody listens.
    """
    content = await _content(context, id)
    course = await context.ask(evaluating.course_of, content)
    if asked.time * len(course.steps) > MOST_SECONDS:
        raise NoctagonError(
            f"{len(course.steps)} positions at {asked.time:g} s each would take too long; give it less time"
        )
    if context.uploads.evaluating >= MOST_EVALUATIONS:
        raise Busy("other games are being evaluated; try again in a moment")
    return StreamingResponse(_evaluate(context, course, asked.time), media_type=STREAM)


async def _evaluate(context: Context, course: evaluating.Course, seconds: float) -> AsyncIterator[bytes]:
    context.uploads.evaluating += 1
    try:
        yield _line({"turns": len(course.steps), "player": course.player})
        for n, step in enumerate(course.steps):
            asked = (course.game, course.rules, step.position, step.action, n, seconds)
            yield _line(await _compute(context, seconds, Call(evaluating.weigh, *asked)))
        yield _line(await _compute(context, seconds, Call(evaluating.last_of, course, seconds)))
        yield _line({"done": True})
    except NoctagonError as error:
        yield _line({"error": str(error)})
    except Failed:
        yield _line({"error": "the evaluation broke down"})
    finally:
        context.uploads.evaluating -= 1


async def _compute(context: Context, seconds: float, call: Call[evaluating.Weighed]) -> evaluating.Weighed:
    return await context.analysis_pool.ask(call, seconds=10 * seconds + GRACE_SECONDS)


def _line(content: Any) -> bytes:
    return msgspec.json.encode(content) + b"\n"


async def _content(context: Context, id: str) -> bytes:  # noqa: A002
    """The bytes of a record: of the store if its id is a number, else of what was uploaded."""
    if id.startswith(MARK):
        return context.uploads.get(id)
    found: bytes | None = None
    where = context.settings.store_now
    if where is not None and id.isdecimal() and len(id) < 19:
        found = await context.ask(replaying.stored, where, int(id))
    if found is None:
        raise Unknown("there is no such record")
    return found
