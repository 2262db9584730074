"""What a study is: sections that each want some work done and write their part of the page."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from noctagon.core.game import UnknownName
from noctagon.studies.page import Page
from noctagon.studies.pairs import Conditions
from noctagon.studies.plots import Plots
from noctagon.studies.series import Schedule, Series
from noctagon.studies.tasks import Result, Task
from noctagon.studies.work import Store

Results = Mapping[Task, Result]

QUICK = "-quick"
"""What the name of a page of very few games ends with."""


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

    def series(self, plan: Plan) -> list[Series]:
        """Those of its games that need not all be played, once enough is known."""
        return []

    def queues(self, plan: Plan) -> list[list[Task]]:
        """Its work as queues of which the first of each are done before the second of any."""
        return [self.tasks(plan)]

    @abstractmethod
    def write(self, plan: Plan, results: Results, page: Page) -> None:
        """Its part of the page, from what has been done so far."""


class Study(NamedTuple):
    """A study of one game, or of several."""

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
    folder: str = "docs/studies"
    """Where its page goes, unless somebody says otherwise."""
    games: int = 200
    """So many games for every claim, unless somebody says otherwise."""
    more_games: tuple[str, ...] = ()
    """The games it is about, beside that of its conditions."""
    stages: Sequence[Sequence[str]] = ()
    """Sections that are worked on side by side, stage after stage; else one section after the other."""
    verdicts: str = "What was claimed, and what holds"
    log: str = ""
    """A page by hand that goes with it, if it is there."""

    @property
    def about_games(self) -> tuple[str, ...]:
        return (self.conditions.game, *self.more_games)

    def plan(self, games: int, *, quick: bool = False) -> Plan:
        return Plan(games, self.quick_conditions if quick else self.conditions, quick)

    def chosen(self, only: str) -> list[Section]:
        """The sections that are wanted: all, or one by name."""
        names = [section.name for section in self.sections]
        if only and only not in names:
            raise UnknownName(f"section of the study of {self.name}", only, names)
        return [section for section in self.sections if not only or section.name == only]

    def tasks(self, plan: Plan, only: str = "") -> list[Task]:
        """All work that is wanted, each piece once, in the order it is to be done."""
        sections = {section.name: section for section in self.chosen(only)}
        stages = self.stages or [[name] for name in sections]
        tasks: list[Task] = []
        for stage in stages:
            queues = [queue for name in stage if name in sections for queue in sections[name].queues(plan)]
            for turn in zip_longest(*queues):
                tasks += [task for task in turn if task is not None]
        return list(dict.fromkeys(tasks))

    def schedule(self, plan: Plan, store: Store) -> Schedule:
        """Which of this work is still wanted, while results come in."""
        return Schedule([one for section in self.sections for one in section.series(plan)], store.results)

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
        command = f"noctagon study {self.name.removesuffix(QUICK)}"
        if plan.quick:
            command += " --quick"
        elif plan.games != self.games:
            command += f" --games {plan.games}"
        head = [f"# {self.title}", "", self.about, ""]
        if self.log and (folder / self.log).exists():
            head += [f"By hand: [{self.log}]({self.log}).", ""]
        head += [f"Written by `{command}` from {data}{begun}.", ""]
        head += [told, ""]
        if page.findings:
            head += [f"## {self.verdicts}", "", *page.verdicts()]
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
