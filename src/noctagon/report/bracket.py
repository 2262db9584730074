"""The bracket of a knockout: who met whom in which round, how it ended, who went on and why."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from noctagon.report.markup import box, element, named, points, section

if TYPE_CHECKING:
    from noctagon.arena.schedule import Tie

TITLES = {1: "Final", 2: "Semi-finals", 4: "Quarter-finals"}
"""Of a round, by how many pairs it has."""


def bracket(rounds: Sequence[Sequence[Tie]], out: Collection[str]) -> str:
    """Every round as a column; `out` are the disqualified."""
    told = (
        "Round by round, from left to right; whoever is in bold went on. The number is what a player scored in the "
        "games of the meeting; a drawn one is played again, and then there is a number for each time."
    )
    columns = [
        element(
            "div",
            element("h3", TITLES.get(len(ties), f"Round {number}"))
            + element("ol", "".join(element("li", _tie(tie, out)) for tie in ties)),
            cls="round",
        )
        for number, ties in enumerate(rounds, 1)
    ]
    shown = box(element("div", "".join(columns), cls="bracket"), "The bracket")
    return section("bracket", "The bracket", element("p", told), shown)


def _tie(tie: Tie, out: Collection[str]) -> str:
    sides = []
    for side, name in enumerate((tie.first, tie.second)):
        scores = "".join(element("span", points(score[side]), cls="score") for score in tie.scores)
        shown = named(name, 24) if name else element("i", "bye")
        sides.append(
            element(
                "div",
                element("span", shown, cls="who") + scores,
                cls="won" if name and name == tie.winner else "",
            )
        )
    note = _note(tie, out)
    return element("div", "".join(sides) + (element("small", note) if note else ""), cls="tie")


def _note(tie: Tie, out: Collection[str]) -> str:
    """What the numbers do not tell."""
    names = (tie.first, tie.second)
    drawn = sum(first == second for first, second in tie.scores)
    if not all(names):
        return ""
    if tie.winner is None:
        return "drawn: to be played again" if drawn else "to be played"
    if not tie.winner:
        return "both are disqualified"
    loser = names[names[0] == tie.winner]
    if loser in out:
        return f"{named(loser, 24)} is disqualified"
    if drawn == len(tie.scores):
        return f"drawn {_times(drawn)}: the better seed goes on"
    return f"drawn {_times(drawn)}, then decided" if drawn else ""


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")
