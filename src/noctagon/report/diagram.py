"""The diagram of a tournament, such as a knockout's bracket: who met whom in which round, and how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noctagon.core.svg import escape
from noctagon.report.markup import box, element, named, points, section, words

if TYPE_CHECKING:
    from noctagon.arena.formats import Diagram, Pairing

LONGEST_NAME = 24
"""Letters of a name that a box has room for."""


def draw(diagram: Diagram) -> str:
    """Return a section with every round as a column."""
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
