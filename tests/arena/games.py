"""Finished games to test with, made up in no time; their records replay."""

from collections.abc import Sequence
from functools import cache
from itertools import count
from random import Random
from typing import cast

import msgspec

from noctagon.arena.bout import Finished
from noctagon.arena.formats import make_format
from noctagon.arena.formats.knockout import Bracket
from noctagon.arena.plan import Plan
from noctagon.arena.standings import Standings, rank
from noctagon.core.game import Result, Side
from noctagon.core.match import Match
from noctagon.core.record import Record
from noctagon.core.registry import find_game

DATE = "2026-11-15T12:00:00+00:00"
_numbers = count(1)


def a_game(
    *,
    players: tuple[str, str] = ("ada", "bob"),
    setup: str = "duel",
    winner: int | None = 0,
    slot: str | None = None,
    key: str | None = None,
    round: int = 1,  # noqa: A002 - the field's name
    game: str = "vampires",
    specs: tuple[str, str] | None = None,
    versions: tuple[str, str] = ("1", "1"),
    seed: int | None = None,
    reason: str | None = None,
    detail: str = "",
    plies: int = 10,
    turns: tuple[int, int] | None = None,
    seconds: tuple[float, float] = (2.5, 2.0),
    longest: tuple[float, float] = (0.75, 0.5),
    late: tuple[int, int] = (0, 0),
    illegal: tuple[int, int] = (0, 0),
    lead_changes: int = 2,
    swing: float = 0.5,
    logs: tuple[str, str] = ("", ""),
    date: str = DATE,
    record: bytes | None = None,
) -> Finished:
    """A game that ada won against bob, unless told otherwise; each has a slot, a key and a seed of its own."""
    number = next(_numbers)
    slot = slot if slot is not None else f"{round}/{players[0]}/{players[1]}/{setup}/{number}"
    seed = seed if seed is not None else number
    specs = specs or (f"{players[0]}.py:Bot", f"{players[1]}.py:Bot")
    reason = reason or ("stopped" if winner is None else "resignation")
    if record is None:
        record = msgspec.structs.replace(
            a_record(game, plies),
            setup=setup,
            players=specs,
            seed=seed,
            date=date,
            result=Result(cast("Side | None", winner), reason, detail),
        ).to_json()
    return Finished(
        slot=slot,
        key=key if key is not None else f"{number:016x}",
        round=round,
        game=game,
        setup=setup,
        players=players,
        specs=specs,
        versions=versions,
        seed=seed,
        winner=winner,
        reason=reason,
        detail=detail,
        plies=plies,
        turns=turns or (plies - plies // 2, plies // 2),
        seconds=seconds,
        longest=longest,
        late=late,
        illegal=illegal,
        lead_changes=lead_changes,
        swing=swing,
        logs=logs,
        date=date,
        record=record,
    )


def standings_of(
    plan: Plan,
    names: Sequence[str],
    games: Sequence[Finished],
    *,
    byes: dict[str, int] | None = None,
    out: dict[str, str] | None = None,
) -> Standings:
    """The table of some games of one each meeting, in a knockout before anybody has gone on."""
    schedule = Bracket([], byes=byes or {}, reached=dict.fromkeys(names, 1))
    return rank(make_format(plan, names, 1), games, schedule, out=out)


@cache
def a_record(game: str = "vampires", plies: int = 10) -> Record:
    """The first turns of a game between two who play at random: so many, or of the longest of some games, all."""
    return max((_begun(game, plies, seed) for seed in range(10)), key=lambda record: len(record.turns))


def _begun(game: str, plies: int, seed: int) -> Record:
    match = Match(find_game(game), seed=seed)
    rng = Random(seed)
    while match.result is None and len(match.turns) < plies:
        match.answer(match.state.actions().sample(rng), 0.25)
    return match.record()
