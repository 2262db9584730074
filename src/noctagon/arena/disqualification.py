"""Who is out: a player whose program fails so many games in a row that it is not playing."""

from __future__ import annotations

from collections.abc import Iterable

from noctagon.arena.bout import Finished
from noctagon.arena.faults import WORDS, kind_of, last_of
from noctagon.arena.plan import Plan


def disqualified(plan: Plan, games: Iterable[Finished]) -> dict[str, str]:
    """Who is disqualified, and why: `plan.disqualify` faults in a row, in the order of the schedule.

    Only a player's own games matter, in the order given. A game that is missing is passed over, so a caller who
    must not judge too early gives the games up to the first that is still to be played.
    """
    if not plan.disqualify:
        return {}
    rows: dict[str, list[Finished]] = {}
    out: dict[str, str] = {}
    for game in games:
        fault = game.fault
        for side in (0, 1):
            name = game.players[side]
            if name in out:
                continue
            if side != fault:
                if name in rows:
                    rows[name].clear()
                continue
            row = rows.setdefault(name, [])
            row.append(game)
            if len(row) == plan.disqualify:
                out[name] = _reason(row)
    return out


def _reason(row: list[Finished]) -> str:
    """Why, in words."""
    kinds = [kind_of(game) for game in row]
    if len(row) == 1:
        return f"{WORDS[kinds[0]]} {last_of(row[0])}"
    words = {WORDS[kind] for kind in kinds}
    what, how = (WORDS[kinds[0]], "") if len(words) == 1 else ("failed", f" ({', '.join(kinds)})")
    return f"{what} {len(row)} times in a row{how}, the last time {last_of(row[-1])}"
