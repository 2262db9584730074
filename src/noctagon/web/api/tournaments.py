"""`/tournaments`: tournaments of the store and their boards. What has not changed is not sent again (ETag)."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Header, Query, Response

from noctagon.web.context import TheContext
from noctagon.web.messages.tournaments import LastBoard, RunningBoard, TournamentLine, TournamentView
from noctagon.web.routing import JSON, MessageRouter, ResponseContent
from noctagon.web.tournaments import Cached

router = MessageRouter(tags=["tournaments"])

Known = Annotated[str | None, Header(alias="if-none-match", max_length=200)]
TournamentName = Annotated[str, Query(min_length=1, max_length=200)]
UNCHANGED: dict[int | str, dict[str, Any]] = {304: {"description": "It is still what the ETag says."}}


@router.get("/tournaments", responses=UNCHANGED)
async def tournaments(
    context: TheContext, known: Known = None
) -> Annotated[Response, ResponseContent(list[TournamentLine])]:
    """Return the tournaments of the store, the newest first."""
    return _answer(await context.tournaments.listing(), known)


@router.get("/tournaments/{name:path}", responses=UNCHANGED)
async def tournament(
    name: str, context: TheContext, known: Known = None
) -> Annotated[Response, ResponseContent(TournamentView)]:
    """Return a tournament as it stands; another program may be playing it."""
    return _answer(await context.tournaments.tournament(name), known)


@router.get("/boards", responses=UNCHANGED)
async def boards(
    tournament: TournamentName,
    context: TheContext,
    after: Annotated[int, Query(ge=0, le=2**53)] = 0,
    limit: Annotated[int, Query(ge=1, le=40)] = 20,
    known: Known = None,
) -> Annotated[Response, ResponseContent(list[LastBoard])]:
    """Return the last positions of a tournament's newest games whose number is larger than `after`."""
    return _answer(await context.tournaments.boards(tournament, after, limit), known)


@router.get("/running", responses=UNCHANGED)
async def running(
    tournament: TournamentName, context: TheContext, known: Known = None
) -> Annotated[Response, ResponseContent(list[RunningBoard])]:
    """Return the games of a tournament that this machine is playing, as they stand."""
    return _answer(await context.tournaments.running(tournament), known)


def _answer(found: Cached, known: str | None) -> Response:
    headers = {"etag": f'"{found.tag}"', "cache-control": "no-cache"}
    if known is not None and f'"{found.tag}"' in known:
        return Response(status_code=304, headers=headers)
    return Response(found.body, media_type=JSON, headers=headers)
