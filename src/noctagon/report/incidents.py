"""Incidents: crashes, late turns, nonsense and disqualifications, with what their authors need to know."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from noctagon.arena.bout import FAULTS, Finished
from noctagon.core.svg import escape
from noctagon.report.markup import count, element, listed, named, words

if TYPE_CHECKING:
    from noctagon.arena.standings import Standings

MOST_EXAMPLES = 3
"""Number of games of each player that are described; all of them are in games.csv."""
MOST_KEPT = 50
MOST_LINES, MOST_LETTERS = 30, 4000
"""Lines, and letters, of the end of a log that are shown."""

_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
"""Escape sequences that colour a terminal."""


class Incidents(NamedTuple):
    """The faults of a player, and the first games that they cost."""

    lost: Counter[str]
    """Games lost by faults, by reason."""
    late: int
    illegal: int
    examples: list[tuple[Finished, int]]
    """Games, each with the side that the player had."""


def find_incidents(games: Sequence[Finished]) -> dict[str, Incidents]:
    """Return the incidents by player, for those who have any."""
    lost: defaultdict[str, Counter[str]] = defaultdict(Counter)
    late: Counter[str] = Counter()
    illegal: Counter[str] = Counter()
    examples: defaultdict[str, list[tuple[Finished, int]]] = defaultdict(list)
    for game in games:
        fault = game.fault
        if fault is not None:
            name = game.players[fault]
            lost[name][game.reason if game.reason in FAULTS else "most turns late"] += 1
            if len(examples[name]) < MOST_EXAMPLES:
                examples[name].append((game, fault))
        for side in (0, 1):
            if game.late[side] or game.illegal[side]:
                late[game.players[side]] += game.late[side]
                illegal[game.players[side]] += game.illegal[side]
    return {
        name: Incidents(lost[name], late[name], illegal[name], examples[name])
        for name in dict.fromkeys([*lost, *late])
    }


def to_keep(incidents: dict[str, Incidents]) -> list[Finished]:
    """Return one game to replay for each player that lost by a fault."""
    return [found.examples[0][0] for found in incidents.values() if found.examples][:MOST_KEPT]


def tell(standings: Standings, incidents: dict[str, Incidents], links: Mapping[tuple[str, str], str]) -> str:
    """Write a paragraph for each player who lost games by faults, the disqualified first; the rest is in the table.

    `links` are HTML, by slot and key of a game.
    """
    rows = sorted(standings.rows, key=lambda row: not row.disqualified)
    paragraphs = [
        _player(row.name, row.disqualified, incidents.get(row.name), links)
        for row in rows
        if row.disqualified or (row.name in incidents and incidents[row.name].lost)
    ]
    fine = "Nobody lost a game by a crash, on time or by nonsense." if incidents else "All behaved."
    return "\n".join(paragraphs) or element("p", fine)


def _player(
    name: str, disqualified: str, found: Incidents | None, links: Mapping[tuple[str, str], str]
) -> str:
    parts = []
    if found is not None:
        parts += [
            f"{count(number, 'game')} lost ({escape(reason)})" for reason, number in found.lost.most_common()
        ]
        parts += [count(found.late, "late turn")] * bool(found.late)
        parts += [count(found.illegal, "illegal turn")] * bool(found.illegal)
    head = element("h3", named(name))
    if disqualified:
        head += element("p", f"{element('strong', 'Disqualified:')} {words(disqualified)}", cls="out")
    body = element("p", f"{listed(parts)}.") if parts else ""
    examples = "".join(
        _example(game, side, links.get((game.slot, game.key), ""))
        for game, side in (found.examples if found else ())
    )
    return element("div", head + body + examples, cls="incident")


def _example(game: Finished, side: int, link: str) -> str:
    """Describe a game that was lost by a fault; the end of the log can be unfolded."""
    where = f"against {named(game.players[1 - side])} on {words(game.setup, 40)}, round {game.round}"
    said = f"{where}: {escape(game.reason)}"
    said += f"; {words(game.detail)}" if game.detail else ""
    below = element("p", f"{link}.", cls="source") if link else ""
    log = game.logs[side].strip()
    if not log:
        return element("p", said, cls="example") + below
    shown = element("pre", escape(end_of(log)), dir="auto")
    return element("details", element("summary", said) + shown + below)


def end_of(log: str) -> str:
    """Return the last lines of a log, where the cause is; of endless lines the last letters."""
    log = _COLOUR.sub("", log)
    lines = log.splitlines()
    kept = "\n".join(lines[-MOST_LINES:])[-MOST_LETTERS:]
    return kept if len(kept) == len(log) else f"…\n{kept}"
