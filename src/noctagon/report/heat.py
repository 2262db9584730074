"""Heat maps: tables of scores in which the colour repeats what the number in each cell says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from noctagon.report.markup import box, count, element, named, plain, points

if TYPE_CHECKING:
    from noctagon.arena.standings import Standings

CROWD = 14
"""Number of columns beyond which cells are small and hold only a number."""
THRONG = 30
"""Number of columns beyond which cells are as small as possible."""
MOST_PLAYERS = 100
"""Number of players beyond which the crosstable is only in the file: on a page it could not be read."""
MOST_MAPS = 200
LONGEST_ROW, LONGEST_HEADER = 28, 20


class Heat(NamedTuple):
    """A cell: a share between 0 and 1, its number, the smaller text under it, and the same in words."""

    share: float
    text: str
    small: str
    says: str


class Label(NamedTuple):
    """The label of a row or a column: its name, and what stands before it."""

    name: str
    place: str = ""

    def html(self, most: int) -> str:
        return (element("i", f"{self.place} ") if self.place else "") + named(self.name, most)


def crosstable(standings: Standings) -> str:
    """Draw all players against all, in the order of the ranking."""
    players = _players(standings)

    def cell(row: str, column: str) -> Heat | None:
        met = standings.cells.get((row, column))
        if met is None or not met.games:
            return None
        said = points(met.points)
        return Heat(met.points / met.games, said, f"of {met.games}", f"{said} of {count(met.games, 'game')}")

    return _heat(players, players, cell, "Points of the row’s player against the column’s player", "–")


def by_map(standings: Standings) -> str:
    """Draw each player's score on each map."""

    def cell(row: str, column: str) -> Heat | None:
        score = standings.by_map[column].get(row)
        if score is None or not score.pairs:
            return None
        return Heat(score.mean, f"{100 * score.mean:.0f}", "", f"{score}")

    maps = [Label(name) for name in list(standings.by_map)[:MOST_MAPS]]
    return _heat(
        _players(standings), maps, cell, "Score of the row’s player on the column’s map, in percent", "on"
    )


def _players(standings: Standings) -> list[Label]:
    return [
        Label(row.name, f"{row.place}." if row.played else "")
        for row in standings.rows
        if not row.disqualified
    ]


def _heat(
    rows: Sequence[Label],
    columns: Sequence[Label],
    cell: Callable[[str, str], Heat | None],
    caption: str,
    between: str,
) -> str:
    """Draw a heat map whose first column and headers stay in sight while it scrolls."""
    crowded = len(columns) > CROWD
    head = "".join(
        element("th", element("span", column.html(LONGEST_HEADER)), scope="col") for column in columns
    )
    lines = []
    for row in rows:
        cells = "".join(
            '<td class="self"></td>'
            if row is column
            else _cell(
                cell(row.name, column.name),
                f"{plain(row.name, 40)} {between} {plain(column.name, 40)}",
                crowded,
            )
            for column in columns
        )
        lines.append(element("tr", element("th", row.html(LONGEST_ROW), scope="row") + cells))
    inside = element("caption", caption) + element("thead", element("tr", element("td") + head))
    inside += element("tbody", "\n".join(lines))
    size = "throng" if len(columns) > THRONG else "crowd" if crowded else "field"
    return box(element("table", inside, cls="heat"), caption, cls=f"box {size}")


def _cell(heat: Heat | None, what: str, crowded: bool) -> str:
    if heat is None:
        return '<td class="none">·</td>'
    if crowded:  # thousands of cells: the text of each has to be short
        return f'<td class="h{round(10 * heat.share)}">{heat.text}</td>'
    inside = heat.text + (element("small", heat.small) if heat.small else "")
    return element("td", inside, cls=f"h{round(10 * heat.share)}", title=f"{what}: {heat.says}")
