"""Sections that any game's study can have: the growth of the tree, and claims about one player against another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from noctagon.arena.starts import Start
from noctagon.arena.statistics import geometric
from noctagon.studies.claims import Claim
from noctagon.studies.page import Page
from noctagon.studies.pairs import Played, collect
from noctagon.studies.plots import Curve
from noctagon.studies.study import Plan, Results, Section
from noctagon.studies.tasks import SearchResult, SearchTask, Task


class Method(NamedTuple):
    """A way to search: a player's spec, how many nodes it is given at most, and whether it is the generic one."""

    player: str
    nodes: int
    generic: bool = False


class TreeSection(Section):
    """How nodes and time grow with the depth, by search method, over a few positions."""

    name = "tree"

    def __init__(
        self,
        *,
        title: str,
        intro: str,
        game: str,
        methods: Mapping[str, Method],
        starts: Sequence[Start],
        depths: range,
        quick_depths: range,
        said: Mapping[str, Callable[[int], float]] | None = None,
        after: str = "",
        learnt: str = "",
    ) -> None:
        self.title = title
        self.intro = intro
        self.game = game
        self.methods = methods
        self.starts = starts
        self.depths = depths
        self.quick_depths = quick_depths
        self.said = said or {}
        self.after = after
        self.learnt = learnt

    def task(self, method: Method, start: Start, depth: int) -> SearchTask:
        return SearchTask(self.game, method.player, start, depth, method.nodes, method.generic)

    def tasks(self, plan: Plan) -> list[Task]:
        return [
            self.task(method, start, depth)
            for method in self.methods.values()
            for depth in self._depths(plan)
            for start in self._starts(plan)
        ]

    def write(self, plan: Plan, results: Results, page: Page) -> None:
        starts, depths = self._starts(plan), self._depths(plan)
        found: dict[tuple[str, int], list[SearchResult]] = {}
        for name, method in self.methods.items():
            for depth in depths:
                here = [results.get(self.task(method, start, depth)) for start in starts]
                whole = [one for one in here if isinstance(one, SearchResult) and one.finished]
                if len(whole) == len(starts):
                    found[name, depth] = whole
        page.text(self.intro.format(positions=len(starts)))
        panels = {
            "positions looked at": self._curves(found, depths, lambda one: one.nodes),
            "seconds": self._curves(found, depths, lambda one: max(one.seconds, 1e-6)),
        }
        for name, count in self.said.items():
            panels["positions looked at"].append(
                Curve(name, {depth: count(depth) for depth in depths}, dashed=True)
            )
        page.picture(page.plots.growth("tree", panels, along="plies looked ahead"), "Growth of the tree")
        titles = ["plies", *self.methods, *self.said]
        page.text("Positions looked at (geometric mean):")
        page.table(
            titles,
            [
                [
                    depth,
                    *(self._count(found.get((name, depth)), lambda one: one.nodes) for name in self.methods),
                    *(f"{count(depth):,.0f}" for count in self.said.values()),
                ]
                for depth in depths
            ],
        )
        page.text("Milliseconds (geometric mean):")
        page.table(
            titles[: 1 + len(self.methods)],
            [
                [
                    depth,
                    *(
                        self._count(found.get((name, depth)), lambda one: 1000 * max(one.seconds, 1e-6))
                        for name in self.methods
                    ),
                ]
                for depth in depths
            ],
        )
        self._figures(page, found, depths)
        page.text(self.after)

    def _figures(
        self, page: Page, found: Mapping[tuple[str, int], list[SearchResult]], depths: range
    ) -> None:
        """Each method's factor from ply to ply, and its deepest look, by name."""
        rows = []
        for name in self.methods:
            done = [depth for depth in depths if (name, depth) in found]
            if len(done) < 2:
                continue
            last = done[-1]
            nodes = {depth: geometric([one.nodes for one in found[name, depth]]) for depth in done}
            factor = (nodes[last] / nodes[done[0]]) ** (1 / (last - done[0]))
            speed = geometric([one.nodes / max(one.seconds, 1e-6) for one in found[name, last]])
            page.figure(f"{name} factor", f"{factor:.1f}")
            page.figure(f"{name} speed", f"{speed:,.0f}")
            page.figure(f"{name} deepest", last)
            rows.append([name, last, f"{nodes[last]:,.0f}", f"× {factor:.1f}", f"{speed:,.0f}"])
            for other in self.methods:
                if (other, last) in found and other != name:
                    less = geometric([one.nodes for one in found[other, last]]) / nodes[last]
                    page.figure(f"{name} saves on {other}", f"{less:.1f}")
        page.table(
            ["", "deepest in all positions", "positions", "from ply to ply", "positions a second"], rows
        )

    def _curves(
        self,
        found: Mapping[tuple[str, int], list[SearchResult]],
        depths: range,
        value: Callable[[SearchResult], float],
    ) -> list[Curve]:
        return [
            Curve(
                name,
                {
                    depth: geometric([value(one) for one in found[name, depth]])
                    for depth in depths
                    if (name, depth) in found
                },
            )
            for name in self.methods
        ]

    @staticmethod
    def _count(found: list[SearchResult] | None, value: Callable[[SearchResult], float]) -> str:
        if found is None:
            return "–"
        mean = geometric([value(one) for one in found])
        return f"{mean:,.0f}" if mean >= 9.95 else f"{mean:.2g}"

    def _starts(self, plan: Plan) -> Sequence[Start]:
        return self.starts[:1] if plan.quick else self.starts

    def _depths(self, plan: Plan) -> range:
        return self.quick_depths if plan.quick else self.depths


class ClaimsSection(Section):
    """Claims that one player is better than another, each by a series of paired games."""

    def __init__(
        self,
        name: str,
        *,
        title: str,
        intro: str,
        claims: Sequence[Claim],
        by_setup: bool = True,
        learnt: str = "",
    ) -> None:
        self.name = name
        self.title = title
        self.intro = intro
        self.claims = claims
        self.by_setup = by_setup
        self.learnt = learnt

    def tasks(self, plan: Plan) -> list[Task]:
        return [
            task
            for claim in self.claims
            for start in plan.conditions.starts(plan.games)
            for task in plan.conditions.pair(claim.player, claim.opponent, start)
        ]

    def played(self, plan: Plan, results: Results) -> dict[Claim, Played]:
        """The games of each claim."""
        return {claim: play_of(plan, results, claim.player, claim.opponent) for claim in self.claims}

    def write(self, plan: Plan, results: Results, page: Page) -> None:
        played = self.played(plan, results)
        page.text(self.intro)
        page.score_bars(self.name, self.title, played)
        page.claims(played)
        if self.by_setup and len(plan.conditions.setups) > 1:
            page.text("By map, the score of the first-named:")
            columns = {claim.name: games for claim, games in played.items()}
            page.by_setup(columns, plan.conditions.setups)
        self.more(plan, results, page, played)

    def more(self, plan: Plan, results: Results, page: Page, played: Mapping[Claim, Played]) -> None:
        """What else a section has to say of its games."""


def play_of(plan: Plan, results: Results, player: str, opponent: str) -> Played:
    """The paired games of two players under the study's conditions."""
    conditions = plan.conditions
    return collect(conditions, player, opponent, conditions.starts(plan.games), results)


def pairs_of(plan: Plan, player: str, opponent: str) -> list[Task]:
    """The work behind `play_of`."""
    starts = plan.conditions.starts(plan.games)
    return [task for start in starts for task in plan.conditions.pair(player, opponent, start)]
