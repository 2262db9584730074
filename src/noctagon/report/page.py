"""The whole page: a summary, the sections in their order, and the style and script that they share."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib import resources
from importlib.metadata import version
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from noctagon.arena.bout import Finished
from noctagon.arena.formats import Diagram, find_format
from noctagon.arena.plan import Plan
from noctagon.core import svg
from noctagon.core.game import Game, NoctagonError
from noctagon.core.registry import find_game
from noctagon.core.svg import escape
from noctagon.report import incidents, replays, sections
from noctagon.report.markup import count, days, element, link, listed, plain, seconds, section, words

if TYPE_CHECKING:
    from noctagon.arena.standings import Standings

NOTHING_ELSE = "base-uri 'none'; form-action 'none'"


def make_page(
    plan: Plan,
    standings: Standings,
    games: Sequence[Finished],
    lively: Sequence[replays.Kept],
    *,
    found: dict[str, incidents.Incidents],
    failed: Sequence[replays.Kept],
    sheets: Mapping[str, str],
    folder: str,
    expected: int | None = None,
    diagram: Diagram | None = None,
) -> str:
    """Return the page as text; `sheets` are the files beside it by name, and `folder` holds the records of some games.

    These are the `lively` ones and those that `failed`: one for each player with incidents in `found`.
    """
    game = _game(plan)
    specs = entrants_of(plan, standings, games)
    names = game.sides if game is not None else ("First", "Second")
    limit = plan.time or (game.turn_seconds if game is not None else None)
    unfinished = expected is not None and len(games) < expected
    parts, symbols = [], ""
    if standings.counted:
        downloads = ", ".join(link(file) for file in sheets.values())
        parts.append(
            section(
                "ranking",
                "Standings so far" if unfinished else "Ranking",
                sections.podium(standings) if not unfinished else "",
                sections.ranking(standings, specs),
                element("p", f"For a spreadsheet: {downloads}.", cls="downloads"),
            )
        )
    if games and diagram is not None:
        parts.append(sections.rounds(diagram))
    if standings.counted:
        parts += [
            sections.strength(standings),
            sections.crosstable(standings, sheets["crosstable"]),
            sections.maps(standings, names),
            sections.sides(standings, names),
        ]
        if lively:
            inside, symbols = replays.show(lively, folder)
            text = "By how often the lead changed hands, then by how far it went to and fro. Step through them here:"
            parts.append(section("lively", "The liveliest games", element("p", text), inside))
    if games:
        links = {(one.game.slot, one.game.key): replays.source(one, folder) for one in failed}
        parts.append(
            section(
                "conduct",
                "Time and conduct",
                sections.time_use(standings, limit),
                incidents.tell(standings, found, links),
            )
        )
    parts += [sections.rules(standings), sections.entrants(specs, _versions(games))]
    title = plain(plan.name or "Tournament")
    head = [
        element("h1", words(title)),
        element("p", summary(plan, standings, games, game), cls="lead-in"),
        _progress(len(games), expected),
        _contents(parts, diagram),
    ]
    body = [
        f'<svg class="noctagon-board auto symbols" aria-hidden="true">{symbols}</svg>' if symbols else "",
        element("header", "\n".join(head)),
        element("main", "\n".join(parts)),
        element("footer", f"Made by Noctagon {escape(version('noctagon'))}. This page needs no network."),
    ]
    return _document(title, "\n".join(body), mark_of(plan))


def mark_of(plan: Plan) -> str:
    """Return the mark of a tournament's report: its exact name, which a title may shorten."""
    return f'<meta name="tournament" content="{quote(plan.name)}">'


def summary(plan: Plan, standings: Standings, games: Sequence[Finished], game: Game[Any] | None) -> str:
    """Describe what was played, in a sentence or two."""
    what = escape(game.title if game is not None else plan.game)
    played_on = list(dict.fromkeys(one.setup for one in games))
    shown = listed([words(name, 40) for name in played_on or plan.maps])
    where = f"on {count(len(played_on), 'map')} ({shown})" if played_on else f"on maps: {shown}"
    where += f" with {count(plan.openings, 'opening')} each" if plan.openings else ""
    rounds = max((one.round for one in games), default=1)
    kind = find_format(plan.format).phrase + (f" ({rounds} rounds)" if rounds > 1 else "")
    turn = plan.time or (game.turn_seconds if game is not None else None)
    clock = [(turn, "a turn"), (plan.duration, "a game")]
    text = [f"{escape(seconds(limit))} {what_for}" for limit, what_for in clock if limit is not None]
    time = " and ".join(text) or "no limit of time"
    when = days(one.date for one in games)
    when = f", {when}" if when else " so far"
    said = (
        f"{count(len(standings.rows), 'player')} in {kind} of {element('strong', what)}, {where}, each "
        f"pairing with both sides, {time}. {count(len(games), 'game')} played{when}, with "
        f"Noctagon {escape(version('noctagon'))}."
    )
    struck = len(games) - len(standings.counted)
    if struck:
        said += (
            f" {count(struck, 'game')} of disqualified players {'do' if struck > 1 else 'does'} not count."
        )
    return said


def entrants_of(plan: Plan, standings: Standings, games: Sequence[Finished]) -> dict[str, str]:
    """Return the players' specs by name, as they were in the games, in the order of the ranking."""
    specs = {player.name: player.spec for player in plan.players if player.name}
    for game in games:
        specs.update(zip(game.players, game.specs, strict=True))
    return {row.name: specs.get(row.name, row.name) for row in standings.rows}


def _versions(games: Sequence[Finished]) -> dict[str, str]:
    return {
        name: version for game in games for name, version in zip(game.players, game.versions, strict=True)
    }


def _game(plan: Plan) -> Game[Any] | None:
    """Return the game if it is installed here; a store may come from another machine."""
    try:
        return find_game(plan.game)
    except NoctagonError:
        return None


def _progress(played: int, expected: int | None) -> str:
    """Return a notice on the progress of a tournament that is not over."""
    if expected is not None and played < expected:
        text = f"This tournament is not over: {played:,} of {expected:,} games have been played."
    elif not played:
        text = "No game has been played yet. The results will be here once there are some."
    else:
        return ""
    return element("p", text, cls="notice", role="status")


def _contents(parts: Sequence[str], diagram: Diagram | None) -> str:
    """Return links to the sections that are there."""
    titles = {
        "ranking": "Ranking",
        **({diagram.name: escape(diagram.name.capitalize())} if diagram is not None else {}),
        "strength": "Strength",
        "crosstable": "Crosstable",
        "maps": "Maps",
        "sides": "Sides",
        "lively": "Liveliest games",
        "conduct": "Time and conduct",
        "rules": "Rules",
    }
    there = [name for name in titles if any(part.startswith(f'<section id="{name}"') for part in parts)]
    links = "".join(element("a", titles[name], href=f"#{name}") for name in there)
    return element("nav", links, aria_label="Contents") if len(there) > 2 else ""


def _document(title: str, body: str, mark: str) -> str:
    """Return the page around its body; its policy forbids every request, and every script but its own."""
    style = f"{svg.stylesheet()}\n{_file('report.css')}"
    script = _file("report.js")
    allowed = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'; {NOTHING_ELSE}"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Noctagon {escape(version("noctagon"))}">
{mark}
<title>{escape(title)}</title>
<style>
{style}</style>
<noscript><style>.controls, .course input {{ display: none; }}</style></noscript>
</head>
<body>
{body}
<script>{script}</script>
</body>
</html>
"""


def _file(name: str) -> str:
    return resources.files("noctagon.report").joinpath(name).read_text(encoding="utf-8")
