"""What a study is: sections that each want some work done and write their part of the page."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from noctagon.game import UnknownName
from noctagon.studies.page import Page
from noctagon.studies.pairs import Conditions
from noctagon.studies.plots import Plots
from noctagon.studies.tasks import Result, Task
from noctagon.studies.work import Store

Results = Mapping[Task, Result]


class Plan(NamedTuple):
    """How much is played: games for each claim, under which conditions; quick means little, to see it work."""

    games: int
    conditions: Conditions
    quick: bool = False


class Section(ABC):
    """A part of a study."""

    name: str
    title: str
    learnt: str = ""
    """What was learnt and what one would change, by hand; {names} in braces are figures of the page."""

    @abstractmethod
    def tasks(self, plan: Plan) -> list[Task]:
        """The work it wants done."""

    @abstractmethod
    def write(self, plan: Plan, results: Results, page: Page) -> None:
        """Its part of the page, from what has been done so far."""


class Study(NamedTuple):
    """A study of one game."""

    name: str
    title: str
    about: str
    conditions: Conditions
    quick_conditions: Conditions
    told: str
    """The conditions in words; {games}, {plies}, {opening}, {seconds}, {think} are filled in."""
    sections: Sequence[Section]
    closing: str = ""
    """What was learnt from all of it and what one would change, by hand; figures in braces."""

    def plan(self, games: int, *, quick: bool = False) -> Plan:
        return Plan(games, self.quick_conditions if quick else self.conditions, quick)

    def chosen(self, only: str) -> list[Section]:
        """The sections that are wanted: all, or one by name."""
        names = [section.name for section in self.sections]
        if only and only not in names:
            raise UnknownName(f"section of the study of {self.name}", only, names)
        return [section for section in self.sections if not only or section.name == only]

    def tasks(self, plan: Plan, only: str = "") -> list[Task]:
        """All work that is wanted, each piece once."""
        wanted = (task for section in self.chosen(only) for task in section.tasks(plan))
        return list(dict.fromkeys(wanted))

    def write(self, plan: Plan, store: Store, folder: Path) -> Path:
        """Write the page from the results there are, and nothing else."""
        page = Page(Plots(folder, self.name))
        for section in self.sections:
            done = [task for task in section.tasks(plan) if task in store.results]
            if not done:
                continue
            page.heading(section.title)
            section.write(plan, store.results, page)
            if section.learnt and not plan.quick:
                page.text(f"**Learnt.** {fill_in(section.learnt, page.figures)}")
        if self.closing and page.findings and not plan.quick:
            page.heading("What was learnt, and what one would change")
            page.text(fill_in(self.closing, page.figures))
        conditions = plan.conditions
        told = self.told.format(
            games=plan.games,
            plies=conditions.plies,
            opening=conditions.opening,
            seconds=f"{conditions.seconds:g}",
            think=f"{conditions.think:g}",
            setups=len(conditions.setups),
        )
        origin = store.origin
        begun = (
            f", begun on {origin.date} with noctagon {origin.noctagon}, Python {origin.python}, {origin.machine}"
            if origin
            else ""
        )
        data = f"[{store.path.name}]({store.path.name})"
        command = f"noctagon study {conditions.game}{' --quick' if plan.quick else ''}"
        head = [f"# {self.title}", "", self.about, ""]
        head += [f"Written by `{command}` from {data}{begun}.", ""]
        head += [told, ""]
        if page.findings:
            head += ["## What was claimed, and what holds", "", *page.verdicts()]
        path = folder / f"{self.name}.md"
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([*head, *page.lines]).rstrip() + "\n", encoding="utf-8")
        return path


def fill_in(text: str, figures: Mapping[str, str]) -> str:
    """A text by hand with its figures; one that is not known yet is an ellipsis.

    >>> fill_in("It scored {split}, and then {merge}.", {"split": "71 %"})
    'It scored 71 %, and then ….'
    """
    return re.sub(r"\{([^{}]+)\}", lambda found: figures.get(found[1], "…"), text)
