"""`/records`: recorded games of the store or of a file, replayed and evaluated."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any, TypeVar

import msgspec
from fastapi import Path, Query, Request, Response
from fastapi.responses import StreamingResponse

from noctagon.core.game import NoctagonError
from noctagon.processes.calls import Call
from noctagon.processes.worker_pool import Busy
from noctagon.processes.workers import CallFailed
from noctagon.web.context import Context, Rules, TheContext
from noctagon.web.messages.common import ErrorMessage
from noctagon.web.messages.positions import PositionText
from noctagon.web.messages.records import (
    EvaluatedTurn,
    EvaluationEnd,
    EvaluationRequest,
    EvaluationStart,
    RecordList,
    ReplayView,
    UploadedRecords,
)
from noctagon.web.records import evaluating, replaying, standalone
from noctagon.web.records.uploads import MARK
from noctagon.web.routing import JSON, MessageRouter, ResponseContent
from noctagon.web.tables.registry import Unknown

router = MessageRouter(prefix="/records", tags=["records"])

MOST_EVALUATIONS = 3
"""Maximum number of games evaluated at once. Each asks for one position at a time, so others get their turn."""
MOST_SECONDS = 1200.0
"""Maximum number of seconds that an evaluation may be asked to take."""
GRACE_SECONDS = 30.0
HTML = "text/html"
STREAM = "application/x-ndjson"
NO_RECORD = "there is no such record"
OBJECT = {"schema": {"type": "object"}}
UPLOAD = {"requestBody": {"required": True, "content": {JSON: OBJECT, STREAM: OBJECT}}}

T = TypeVar("T")

RecordId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,40}$")]


EVALUATION = (EvaluationStart, EvaluatedTurn, EvaluationEnd, ErrorMessage)
"""Lines of the stream of an evaluation."""


@router.get("")
async def records(
    context: TheContext,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    game: Annotated[str | None, Query(max_length=60)] = None,
    player: Annotated[str | None, Query(max_length=300)] = None,
    tournament: Annotated[str | None, Query(max_length=200)] = None,
) -> RecordList:
    """Return games of the store, the newest first, all or those of a game, a player or a tournament.

    `player` is part of a name or of a spec, in any case. Of several words, all must occur.
    """
    where = context.settings.store_now
    if where is None:
        return RecordList(store=False, records=[], players=[], tournaments=[])
    chosen = (game or None, player or None, tournament or None)
    return await context.ask(replaying.stored_lines, where, *chosen, limit)


@router.post("", status_code=201, openapi_extra=UPLOAD, dependencies=[Rules])
async def upload(request: Request, context: TheContext) -> UploadedRecords:
    """Upload records to look at: one as JSON, or several, one a line. The store does not keep them."""
    content = await request.body()
    read = await context.ask(replaying.read_upload, content)
    ids = context.uploads.put(content[piece.start : piece.end] for piece in read.pieces)
    lines = [
        msgspec.structs.replace(piece.line, id=number) for piece, number in zip(read.pieces, ids, strict=True)
    ]
    return UploadedRecords(replays=lines, trouble=read.trouble)


@router.get("/{id}", dependencies=[Rules])
async def replay(id: RecordId, context: TheContext) -> Annotated[Response, ResponseContent(ReplayView)]:  # noqa: A002
    """Return a recorded game in the shape of a table's snapshot: the first position, and every turn since."""
    told = _found(await context.ask(replaying.retell, _source(context, id), id))
    return Response(told, media_type=JSON)


@router.get("/{id}/raw")
async def raw(id: RecordId, context: TheContext) -> Annotated[Response, ResponseContent(dict[str, Any])]:  # noqa: A002
    """Return the record itself, byte for byte."""
    named = {"content-disposition": f'attachment; filename="noctagon-{id}.json"'}
    source = _source(context, id)
    content = source if isinstance(source, bytes) else await context.ask(replaying.read_source, source)
    return Response(_found(content), media_type=JSON, headers=named)


@router.get("/{id}/positions/{n}", dependencies=[Rules])
async def position(
    id: RecordId,  # noqa: A002
    n: Annotated[int, Path(ge=0, le=10**6)],
    context: TheContext,
) -> PositionText:
    """Return the position after `n` turns, as text that `/positions` and `/analysis` take."""
    return _found(await context.ask(replaying.position_at, _source(context, id), n))


@router.get("/{id}/page.html", dependencies=[Rules])
async def page(id: RecordId, context: TheContext) -> Annotated[Response, ResponseContent(media=HTML)]:  # noqa: A002
    """Return the replay as a page of its own that needs no server: to be saved, not to be opened here."""
    told = _found(await context.ask(standalone.html_of, _source(context, id)))
    named = {"content-disposition": f'attachment; filename="noctagon-{id}.html"'}
    return Response(told, media_type=HTML, headers=named)


@router.post(
    "/{id}/evaluation",
    dependencies=[Rules],
    responses={200: {"description": "A line of JSON for each position, as it is known."}},
)
async def evaluation(
    id: RecordId,  # noqa: A002
    asked: EvaluationRequest,
    context: TheContext,
) -> Annotated[Response, ResponseContent(*EVALUATION, media=STREAM)]:
    """Send the champion's evaluation of every position and turn, a line each.

    First `{"turns": N, "player": SPEC}`, at last `{"done": true}`, or `{"error": SENTENCE}` where it breaks off.
    It is computed as long as the connection is open.
    """
    course = _found(await context.ask(evaluating.course_of, _source(context, id)))
    await context.preparation.need_player(course.game, course.player)
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
        yield _line(EvaluationStart(turns=len(course.steps), player=course.player))
        for n, step in enumerate(course.steps):
            asked = (course.game, course.rules, step.position, step.action, n, seconds)
            yield _line(await _compute(context, seconds, Call(evaluating.weigh, *asked)))
        yield _line(await _compute(context, seconds, Call(evaluating.last_of, course, seconds)))
        yield _line(EvaluationEnd())
    except NoctagonError as error:
        yield _line(ErrorMessage(str(error)))
    except CallFailed:
        yield _line(ErrorMessage("the evaluation broke down"))
    finally:
        context.uploads.evaluating -= 1


async def _compute(context: Context, seconds: float, call: Call[EvaluatedTurn]) -> EvaluatedTurn:
    return await context.analysis_pool.ask(call, seconds=10 * seconds + GRACE_SECONDS)


def _line(content: Any) -> bytes:
    return msgspec.json.encode(content) + b"\n"


def _source(context: Context, id: str) -> replaying.Source:  # noqa: A002
    """Return where a record is: in the store if its id is a number, else among those that were uploaded."""
    if id.startswith(MARK):
        return context.uploads.get(id)
    where = context.settings.store_now
    if where is None or not id.isdecimal() or len(id) >= 19:
        raise Unknown(NO_RECORD)
    return replaying.InStore(where, int(id))


def _found(result: T | None) -> T:
    """Return what a worker computed from a record; raise `Unknown` if the store has no such record."""
    if result is None:
        raise Unknown(NO_RECORD)
    return result
