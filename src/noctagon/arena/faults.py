"""Games lost by faults of a player's program, and the disqualification of players for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from noctagon.arena.bout import FAULTS, Finished
from noctagon.arena.meetings import Fixture
from noctagon.arena.plan import Plan
from noctagon.core.registry import find_game
from noctagon.core.text import plain

WORDS = {
    "crash": "crashed",
    "disconnected": "went away",
    "garbage": "sent nonsense",
    "malformed packet": "sent nonsense",
    "illegal turn": "played illegal turns",
    "time": "lost on time",
}
LONGEST_CAUSE = 200
"""Maximum length of a cause, in letters."""


def kind_of(game: Finished) -> str:
    """Return the reason of a fault; a game that was lost by late turns on the board counts as lost on time."""
    return game.reason if game.reason in FAULTS else "time"


def cause_of(game: Finished) -> str:
    """Return the cause of a fault, as far as it is known: an exception and its line, an exit code."""
    assert game.fault is not None
    if game.reason not in FAULTS:
        return f"{game.late[game.fault]} of {game.turns[game.fault]} turns were late"
    side = find_game(game.game).sides[game.fault]
    cause = " ".join(game.detail.split()).removeprefix(side).removeprefix(":").strip()
    shown = plain(cause)  # it may hold what the program has printed
    return shown if len(shown) <= LONGEST_CAUSE else shown[: LONGEST_CAUSE - 1] + "…"


def last_of(game: Finished) -> str:
    """Describe the last of some faults: against which player, on which map, and why."""
    assert game.fault is not None
    where = f"against {game.players[1 - game.fault]} on {game.setup or 'a board of its own'}"
    cause = cause_of(game)
    return f"{where}: {cause}" if cause else where


def how_often(kinds: Iterable[str]) -> str:
    """Count faults in words, the most frequent first.

    >>> how_often(["crash", "time", "crash"])
    'crashed 2 times, lost on time once'
    """
    counted = Counter(WORDS[kind] for kind in kinds)
    return ", ".join(
        f"{word} {'once' if number == 1 else f'{number} times'}" for word, number in counted.most_common()
    )


def faults_by_player(games: Iterable[Finished]) -> dict[str, list[Finished]]:
    """Return the games that each player lost by its own fault, in the order given."""
    found: dict[str, list[Finished]] = {}
    for game in games:
        if game.fault is not None:
            found.setdefault(game.players[game.fault], []).append(game)
    return found


def disqualified(plan: Plan, games: Iterable[Finished | Fixture]) -> dict[str, str]:
    """Return the disqualified players, each with the reason in words."""
    return {name: reason(row) for name, row in fatal_rows(plan, games).items()}


def fatal_rows(plan: Plan, games: Iterable[Finished | Fixture]) -> dict[str, list[Finished]]:
    """Return the disqualified players, each with its `plan.disqualify` faults in a row.

    The order is that of the schedule. A game whose player is out by an earlier one is no evidence about the other
    player, even if it was played: it may have been running then. A `Fixture` stands for a game that is still to be
    played. A player is not judged before it is known which games are evidence, so that more games never change the
    result.
    """
    if not plan.disqualify:
        return {}
    rows: dict[str, list[Finished]] = {}
    longest: Counter[str] = Counter()
    """Upper bound of a player's faults in a row: each game to be played may add one."""
    out: dict[str, list[Finished]] = {}
    for game in games:
        players = (game.first, game.second) if isinstance(game, Fixture) else game.players
        if any(name in out for name in players):
            continue
        if isinstance(game, Fixture) or any(longest[name] >= plan.disqualify for name in players):
            longest.update(players)  # it may become a fault, or turn out to be no evidence
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
    """Say why a player is disqualified."""
    kinds = [kind_of(game) for game in row]
    if len(row) == 1:
        return f"{WORDS[kinds[0]]} {last_of(row[0])}"
    words = {WORDS[kind] for kind in kinds}
    what, how = (WORDS[kinds[0]], "") if len(words) == 1 else ("failed", f" ({', '.join(kinds)})")
    return f"{what} {len(row)} times in a row{how}, the last time {last_of(row[-1])}"
