"""The sections of the page, from the ranking to the rules, each a function of the standings."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from noctagon.core.svg import escape
from noctagon.report import heat
from noctagon.report.charts import (
    Scale,
    axis_strip,
    balance_strip,
    rating_scale,
    rating_strip,
    side_strip,
    time_strip,
)
from noctagon.report.markup import (
    Column,
    box,
    count,
    element,
    elo,
    figure,
    link,
    named,
    percent,
    plain,
    points,
    seconds,
    section,
    table,
    words,
)

if TYPE_CHECKING:
    from noctagon.arena.formats import Diagram, Pairing
    from noctagon.arena.standings import Row, Standings

LONGEST_NAME = 24
"""Letters of a name that a box of the diagram has room for."""
MEDALS = ("gold", "silver", "bronze")


def podium(standings: Standings) -> str:
    """Draw the first three on a podium; nothing if there are fewer."""
    best = [row for row in standings.rows if not row.disqualified and row.played][:3]
    if len(best) < 3:
        return ""
    steps = "".join(
        element(
            "li",
            element("span", str(row.place), cls="place")
            + element("span", named(row.name), cls="who")
            + element("span", f"{points(row.points)} points", cls="what")
            + (element("span", f"bonus +{figure(row.bonus, 2)}", cls="what") if row.bonus else ""),
            cls=medal,
        )
        for row, medal in zip(best, MEDALS, strict=True)
    )
    return element("ol", steps, cls="podium")


def ranking(standings: Standings, specs: Mapping[str, str]) -> str:
    """Write the ranking."""
    bonus = any(row.bonus for row in standings.rows)
    breaks = {number: name for number, name in enumerate(standings.tie_break_names) if name.lower() != "wins"}
    columns = [
        Column("#", "Place"),
        Column("Player", cls="text"),
        Column("Points", cls="number strong"),
        *([Column("Bonus", "Bonus points for the place")] if bonus else []),
        Column("Games"),
        Column("Won"),
        Column("Drawn"),
        Column("Lost"),
        *(Column(escape(name[:1].upper() + name[1:]), f"Tie-break: {name}") for name in breaks.values()),
        Column("Elo", "Strength on the Elo scale; 0 is the mean of all"),
        Column("±", "Half width of the 95 % interval of the Elo"),
        Column(
            "Better than the next", "How likely this player is stronger than the one below, given the games"
        ),
    ]
    rows = []
    for number, row in enumerate(standings.rows):
        below = standings.rows[number + 1] if number + 1 < len(standings.rows) else None
        rows.append(
            [
                "out" if row.disqualified else str(row.place) if row.played else "",
                _player(row, specs.get(row.name, "")),
                points(row.points),
                *([f"+{figure(row.bonus, 2)}" if row.bonus else ""] if bonus else []),
                *(str(row.games), str(row.wins), str(row.draws), str(row.losses)),
                *(points(row.tie_breaks[number]) if row.tie_breaks else "–" for number in breaks),
                elo(row.elo) if row.games else "–",
                figure(row.error, 0) if row.games else "–",
                _superiority(standings, row, below),
            ]
        )
    return table(columns, rows, caption="The ranking", cls="ranking")


def rounds(diagram: Diagram) -> str:
    """Draw the diagram of a tournament, such as a knockout's bracket, with every round as a column."""
    columns = [
        element(
            "div",
            element("h3", escape(column.title))
            + element("ol", "".join(element("li", _pairing(pairing)) for pairing in column.pairings)),
            cls="round",
        )
        for column in diagram.rounds
    ]
    heading = f"The {escape(diagram.name)}"
    inside = element("div", "".join(columns), cls="bracket tree" if diagram.tree else "bracket")
    return section(diagram.name, heading, element("p", escape(diagram.about)), box(inside, heading))


def _pairing(pairing: Pairing) -> str:
    sides = []
    for side, name in enumerate((pairing.first, pairing.second)):
        scores = "".join(element("span", points(score[side]), cls="score") for score in pairing.scores)
        shown = named(name, LONGEST_NAME) if name else element("i", "bye")
        sides.append(
            element(
                "div",
                element("span", shown, cls="who") + scores,
                cls="won" if name and name == pairing.winner else "",
            )
        )
    note = element("small", words(pairing.note)) if pairing.note else ""
    return element("div", "".join(sides) + note, cls="tie")


def _player(row: Row, spec: str) -> str:
    shown = named(row.name)
    if row.disqualified:
        shown += element("small", "disqualified", cls="out")
    elif spec and plain(spec) != plain(row.name):
        shown += element("small", named(spec, 48))
    return shown


def _superiority(standings: Standings, row: Row, below: Row | None) -> str:
    if below is None or row.disqualified or below.disqualified or not (row.games and below.games):
        return ""
    share = standings.ratings.superiority(row.name, below.name)
    return "> 99 %" if share > 0.995 else "< 1 %" if share < 0.005 else f"{100 * share:.0f} %"


def strength(standings: Standings) -> str:
    """Draw the ratings with their error bars."""
    rated = [row for row in standings.rows if row.games and math.isfinite(row.elo)]
    if len(rated) < 2:
        return ""
    rated.sort(key=lambda row: -row.elo)
    scale = rating_scale((row.elo, row.error) for row in rated)
    rows = [
        [
            named(row.name),
            rating_strip(
                scale, row.elo, row.error, f"{plain(row.name)}: Elo {elo(row.elo)} ± {row.error:.0f}"
            ),
            f"{elo(row.elo)} <small>± {figure(row.error, 0)}</small>",
        ]
        for row in rated
    ]
    rows.append(["", axis_strip(scale, "The Elo scale"), ""])
    columns = [
        Column("Player", cls="text"),
        Column("Elo, with the 95 % interval", cls="picture"),
        Column("Elo"),
    ]
    return section(
        "strength",
        "Strength",
        element(
            "p",
            "Each dot is a player’s Elo, measured from all games that count; 0 is the mean of all. The line is the "
            "interval in which the true strength lies with a certainty of 95 %. Where two lines overlap widely, "
            "the order of the two may be luck.",
        ),
        table(columns, rows, caption="Strength of the players", cls="strips"),
    )


def crosstable(standings: Standings, sheet: str) -> str:
    """Draw all players against all, or say where that table is if it is too large."""
    if len(standings.rows) > heat.MOST_PLAYERS:
        text = element("p", f"{len(standings.rows)} players are too many to show here: see {link(sheet)}.")
        return section("crosstable", "Who beat whom", text)
    legend = "".join(
        element("span", text, cls=f"h{level}")
        for level, text in ((0, "lost all"), (5, "even"), (10, "won all"))
    )
    often = {cell.games for cell in standings.cells.values()}
    games = f" of {count(often.pop(), 'game')}" if len(often) == 1 else ""
    text = f"Points{games} against each other player; read along the row. {element('span', legend, cls='legend')}"
    return section("crosstable", "Who beat whom", element("p", text), heat.crosstable(standings))


def maps(standings: Standings, sides: tuple[str, str]) -> str:
    """Show the score of the players on each map, and which side each map favours."""
    tallies: dict[str, Counter[int | None]] = {}
    for game in standings.counted:
        tallies.setdefault(game.setup, Counter())[game.winner] += 1
    rows = []
    for name, tally in list(tallies.items())[: heat.MOST_MAPS]:
        games = tally.total()
        said = f"{plain(name)}: {sides[0]} {tally[0]}, draws {tally[None]}, {sides[1]} {tally[1]}"
        rows.append(
            [
                named(name),
                balance_strip(tally[0], tally[None], tally[1], said),
                *(percent(tally[winner], games) for winner in (0, None, 1)),
                f"{games:,}",
            ]
        )
    columns = [
        Column("Map", cls="text"),
        Column("Which side won", cls="picture"),
        Column(_key("first", sides[0])),
        Column(_key("drawn", "drawn")),
        Column(_key("second", sides[1])),
        Column("Games"),
    ]
    several = len(standings.by_map) > 1
    cut = f" The first {heat.MOST_MAPS} of {len(tallies)} are shown." if len(tallies) > heat.MOST_MAPS else ""
    return section(
        "maps",
        "Maps",
        element("p", f"Score on each map in percent of the points; along the row.{cut}") if several else "",
        heat.by_map(standings) if several else "",
        table(columns, rows, caption="Which side each map favours", cls="strips"),
    )


def sides(standings: Standings, names: tuple[str, str]) -> str:
    """Show the worth of moving first, in all and for each player."""
    games = standings.counted
    wins = Counter(game.winner for game in games)
    first, second = (escape(name) for name in names)
    advantage, error = standings.ratings.side_advantage
    sure = "more than chance explains" if abs(advantage) > error else "within what chance explains"
    text = (
        f"{first} (first to move) won {percent(wins[0], len(games))} of {count(len(games), 'game')}, {second} "
        f"{percent(wins[1], len(games))}; {percent(wins[None], len(games))} were drawn. Moving first is worth "
        f"{elo(advantage)} ± {figure(error, 0)} Elo: {sure}."
    )
    rows = []
    for row in standings.rows:
        scores = standings.by_side.get(row.name)
        if scores is None or not row.games:
            continue
        shares = [score.mean if score.pairs else None for score in scores]
        shown = ["–" if share is None else f"{100 * share:.0f} %" for share in shares]
        said = f"{plain(row.name)}: {names[0]} {shown[0]}, {names[1]} {shown[1]}"
        rows.append([named(row.name), side_strip(shares, said), *shown])
    columns = [
        Column("Player", cls="text"),
        Column("Score by side", "Score in percent of the points; the line is the half", cls="picture"),
        Column(_key("first", names[0])),
        Column(_key("second", names[1])),
    ]
    return section(
        "sides", "Sides", element("p", text), table(columns, rows, caption="Score as each side", cls="strips")
    )


def _key(cls: str, text: str) -> str:
    """Return a column's title with the colour that it has in the picture."""
    return f'<span class="key {cls}"></span>{escape(text)}'


def time_use(standings: Standings, limit: float | None) -> str:
    """Show how long the players thought, and how often too long."""
    rows = [row for row in standings.rows if row.games or row.longest]
    most = max([row.longest for row in rows] + [limit or 0.0, 1e-6])
    scale = Scale(0, 1.04 * most, ())
    shown = [
        [
            named(row.name),
            time_strip(
                scale,
                row.seconds_per_turn,
                row.longest,
                limit,
                f"{plain(row.name)}: {seconds(row.seconds_per_turn)} a turn, {seconds(row.longest)} at most",
            ),
            escape(seconds(row.seconds_per_turn)),
            escape(seconds(row.longest)),
            *(_some(row.late), _some(row.illegal), _some(row.faults)),
        ]
        for row in rows
    ]
    columns = [
        Column("Player", cls="text"),
        Column("Time for a turn", "The bar is the mean, the dot the longest turn", cls="picture"),
        Column("Mean"),
        Column("Longest"),
        Column("Late", "Turns that came too late"),
        Column("Illegal", "Turns that the rules forbid"),
        Column("Faults", "Games lost by a crash, on time or by nonsense"),
    ]
    line = f" The red line is the limit of {seconds(limit)}." if limit is not None else ""
    text = f"The bar is the mean time for a turn, the dot the longest turn.{escape(line)}"
    return element("p", text) + table(columns, shown, caption="Time use and conduct", cls="strips")


def _some(number: int) -> str:
    return element("strong", f"{number:,}") if number else "0"


def rules(standings: Standings) -> str:
    """Explain how the ranking was made."""
    text = "\n".join(element("li", words(rule, 2000)) for rule in standings.rules)
    title = "How this ranking was made" if standings.counted else "How the ranking will be made"
    return section("rules", title, element("ul", text))


def entrants(specs: Mapping[str, str], versions: Mapping[str, str]) -> str:
    """List the program behind each name."""
    columns = [Column("Player", cls="text"), Column("Spec", cls="spec"), Column("Version", cls="spec")]
    rows = [
        [
            named(name),
            element("code", words(spec)),
            element("code", words(versions[name], 60)) if versions.get(name) else "",
        ]
        for name, spec in specs.items()
    ]
    inside = table(columns, rows, caption="The players", cls="specs")
    return section(
        "players",
        "The players",
        element("details", element("summary", "Which program each name stands for") + inside),
    )
