"""Games lost by something that is not on the board: what it was, how often, and what its author needs to know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from noctagon.arena.bout import FAULTS, Finished
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


def kind_of(game: Finished) -> str:
    """Which fault it was; where the rules call it otherwise, more than half of the turns were late."""
    return game.reason if game.reason in FAULTS else "time"


def cause_of(game: Finished) -> str:
    """What was the matter, as far as it is known: an exception and its line, an exit code."""
    assert game.fault is not None
    if game.reason not in FAULTS:
        return f"{game.late[game.fault]} of {game.turns[game.fault]} turns were late"
    side = find_game(game.game).sides[game.fault]
    cause = " ".join(game.detail.split()).removeprefix(side).removeprefix(":").strip()
    shown = plain(cause)  # a stranger's words
    return shown if len(shown) <= LONGEST_CAUSE else shown[: LONGEST_CAUSE - 1] + "…"


def last_of(game: Finished) -> str:
    """The last of some faults, in words: against whom, on what, and why."""
    assert game.fault is not None
    told = f"against {game.players[1 - game.fault]} on {game.setup or 'a board of its own'}"
    cause = cause_of(game)
    return f"{told}: {cause}" if cause else told


def how_often(kinds: Iterable[str]) -> str:
    """Faults counted, the most frequent first.

    >>> how_often(["crash", "time", "crash"])
    'crashed 2 times, lost on time once'
    """
    counted = Counter(WORDS[kind] for kind in kinds)
    return ", ".join(
        f"{word} {'once' if number == 1 else f'{number} times'}" for word, number in counted.most_common()
    )


def faults_by_player(games: Iterable[Finished]) -> dict[str, list[Finished]]:
    """The games that each player lost by its own fault, in the order given."""
    found: dict[str, list[Finished]] = {}
    for game in games:
        if game.fault is not None:
            found.setdefault(game.players[game.fault], []).append(game)
    return found
