"""Who is out: a player whose program fails so many games in a row that it is not playing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from noctagon.arena.bout import Finished
from noctagon.arena.faults import WORDS, kind_of, last_of
from noctagon.arena.meetings import Fixture
from noctagon.arena.plan import Plan


def disqualified(plan: Plan, games: Iterable[Finished | Fixture]) -> dict[str, str]:
    """Who is disqualified, and why, in words."""
    return {name: reason(row) for name, row in fatal_rows(plan, games).items()}


def fatal_rows(plan: Plan, games: Iterable[Finished | Fixture]) -> dict[str, list[Finished]]:
    """Who is disqualified, and for which games: `plan.disqualify` faults in a row, in the order of the schedule.

    A game whose player is out by an earlier one tells nothing about the other player, even if it was played: it may
    have been running then. A `Fixture` stands for a game that is still to be played; nobody is judged before it is
    known which games tell something, so more games never change what has been found.
    """
    if not plan.disqualify:
        return {}
    rows: dict[str, list[Finished]] = {}
    longest: Counter[str] = Counter()
    """How long a player's row of faults is at most: longer than it is known to be where games are to be played."""
    out: dict[str, list[Finished]] = {}
    for game in games:
        players = (game.first, game.second) if isinstance(game, Fixture) else game.players
        if any(name in out for name in players):
            continue
        if isinstance(game, Fixture) or any(longest[name] >= plan.disqualify for name in players):
            longest.update(players)  # it may become a fault, or may tell nothing
            continue
        for side, name in enumerate(players):
            if side != game.fault:
                longest[name] = 0
                rows.pop(name, None)
                continue
            longest[name] += 1
            row = rows.setdefault(name, [])
            row.append(game)
            if len(row) == plan.disqualify:
                out[name] = row
    return out


def reason(row: list[Finished]) -> str:
    """Why, in words."""
    kinds = [kind_of(game) for game in row]
    if len(row) == 1:
        return f"{WORDS[kinds[0]]} {last_of(row[0])}"
    words = {WORDS[kind] for kind in kinds}
    what, how = (WORDS[kinds[0]], "") if len(words) == 1 else ("failed", f" ({', '.join(kinds)})")
    return f"{what} {len(row)} times in a row{how}, the last time {last_of(row[-1])}"
