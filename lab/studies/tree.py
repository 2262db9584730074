"""The growth of the search tree: positions and time by depth, for several ways to search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar

import msgspec

from noctagon.arena.starts import Start
from noctagon.arena.statistics import geometric
from noctagon.core.clock import Clock
from noctagon.core.game import NoctagonError
from noctagon.core.player import GameStart, PlayerSpec
from noctagon.core.registry import find_game
from noctagon.players import FOR_EVERY_GAME, make_player
from noctagon.search.tree import Budget
from noctagon.studies.charts import Curve, Panel, Point, lines
from noctagon.studies.report import Report
from noctagon.studies.section import Section
from noctagon.studies.series import Results
from noctagon.studies.study import Study
from noctagon.studies.tasks import Task, TaskResult, rounded
from noctagon.studies.work import Work

Searches = Mapping[tuple[str, int], Sequence["SearchResult"]]
"""The finished searches by method and depth."""


class SearchTask(Task, frozen=True, tag="search"):
    """One search of a tree player to a fixed depth, given up after `nodes` nodes.

    With `generic` it is the player for every game, also where the game has one of its own by that name.
    """

    game: str
    player: str
    start: Start
    depth: int
    nodes: int
    generic: bool = False

    def perform(self) -> SearchResult:
        """Search in this process."""
        game = find_game(self.game)
        game.load()
        state = self.start.state(game)
        spec = PlayerSpec.parse(self.player)
        player = make_player(spec, game, generic_player(spec.name) if self.generic else None)
        player.start(GameStart(state), state.side)
        player.search(state, Budget(nodes=self.nodes)).search(
            state, 1
        )  # whatever is imported late is imported now
        search = player.search(state, Budget(nodes=self.nodes))
        clock = Clock()
        try:
            value = search.search(state, self.depth).value
        except NoctagonError:  # the budget ended
            return SearchResult(finished=False, nodes=search.tally.nodes, seconds=rounded(clock.elapsed()))
        tally = search.tally
        return SearchResult(
            finished=True,
            nodes=tally.nodes,
            expanded=tally.expanded,
            cuts=tally.cuts,
            leaves=sum(tally.evaluations.values()),
            seconds=rounded(clock.elapsed()),
            value=round(value, 6),
        )


class SearchResult(TaskResult, frozen=True, omit_defaults=True, tag="search"):
    """A search's cost: positions below the root, those expanded, cuts, positions it ended at, seconds."""

    finished: bool
    nodes: int
    seconds: float
    expanded: int = 0
    cuts: int = 0
    leaves: int = 0
    value: float = 0.0


class Method(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A way to search: a player's spec, the most nodes it is given, and whether it is the player for every game."""

    player: str
    nodes: int
    generic: bool = False


class TreeSection(Section, frozen=True, kw_only=True):
    """The growth of nodes and time with the depth, by search method, over a few positions."""

    work: ClassVar[tuple[Work, ...]] = ((SearchTask, SearchResult),)

    methods: dict[str, Method]
    starts: tuple[Start, ...]
    depths: int
    """The largest depth."""
    expected: dict[str, float] = {}
    """Curves that a document expects: the factor from ply to ply by name."""

    def players(self) -> Iterator[tuple[str, str]]:
        """Yield the players of the methods, but for those for every game, which have options of their own."""
        for name, method in self.methods.items():
            if not method.generic:
                yield method.player, f"method {name}"

    def _task(self, study: Study, method: Method, start: Start, depth: int) -> SearchTask:
        game = study.game(self).name
        return SearchTask(game, method.player, start, depth, method.nodes, method.generic)

    def _starts(self, study: Study) -> Sequence[Start]:
        return self.starts[:1] if study.quick else self.starts

    def _depths(self, study: Study) -> range:
        return range(1, 4 if study.quick else self.depths + 1)

    def queues(self, study: Study) -> list[list[Task]]:
        """Return the searches, method by method."""
        return [
            [
                self._task(study, method, start, depth)
                for method in self.methods.values()
                for depth in self._depths(study)
                for start in self._starts(study)
            ]
        ]

    def write(self, study: Study, results: Results, report: Report) -> None:
        """Write the plot and the tables."""
        starts, depths = self._starts(study), self._depths(study)
        found: dict[tuple[str, int], Sequence[SearchResult]] = {}
        for name, method in self.methods.items():
            for depth in depths:
                here = [results.get(self._task(study, method, start, depth)) for start in starts]
                whole = [one for one in here if isinstance(one, SearchResult) and one.finished]
                if len(whole) == len(starts):
                    found[name, depth] = whole
        expected = [
            Curve(name, {depth: Point(*[factor**depth] * 3) for depth in depths}, dashed=True)
            for name, factor in self.expected.items()
        ]
        panels = [
            Panel("positions looked at", "plies", [*self._curves(found, depths, _nodes), *expected]),
            Panel("seconds", "plies", self._curves(found, depths, _seconds)),
        ]
        report.picture(
            self.name, lines(panels, label="Growth of the tree", logarithmic=True), "Growth of the tree"
        )
        report.text("Positions visited (geometric mean):")
        rows = [
            [
                depth,
                *(_mean(found.get((name, depth)), _nodes) for name in self.methods),
                *(f"{factor**depth:,.0f}" for factor in self.expected.values()),
            ]
            for depth in depths
        ]
        report.table(["plies", *self.methods, *self.expected], rows)
        report.text("Milliseconds (geometric mean):")
        rows = [
            [
                depth,
                *(_mean(found.get((name, depth)), lambda one: 1000 * _seconds(one)) for name in self.methods),
            ]
            for depth in depths
        ]
        report.table(["plies", *self.methods], rows)
        self._write_growth(found, depths, report)

    def _write_growth(self, found: Searches, depths: range, report: Report) -> None:
        """Write each method's factor from ply to ply and its deepest search, as a table and in words."""
        rows = []
        factors = []
        for name in self.methods:
            done = [depth for depth in depths if (name, depth) in found]
            if len(done) < 2:
                continue
            last = done[-1]
            nodes = {depth: geometric([one.nodes for one in found[name, depth]]) for depth in done}
            factor = (nodes[last] / nodes[done[0]]) ** (1 / (last - done[0]))
            speed = geometric([one.nodes / _seconds(one) for one in found[name, last]])
            report.figure(f"{name} factor", f"{factor:.1f}")
            report.figure(f"{name} speed", f"{speed:,.0f}")
            rows.append([name, last, f"{nodes[last]:,.0f}", f"× {factor:.1f}", f"{speed:,.0f}"])
            factors.append(f"{name} × {factor:.1f}")
        report.table(
            ["", "deepest in all positions", "positions", "from ply to ply", "positions a second"], rows
        )
        if factors:
            report.text(
                f"From ply to ply the number of positions grows by these factors: {'; '.join(factors)}."
            )

    def _curves(self, found: Searches, depths: range, value: Callable[[SearchResult], float]) -> list[Curve]:
        curves = []
        for name in self.methods:
            means = {
                depth: geometric([value(one) for one in found.get((name, depth), ())]) for depth in depths
            }
            curves.append(
                Curve(name, {depth: Point(mean, mean, mean) for depth, mean in means.items() if mean})
            )
        return curves


def generic_player(name: str) -> Callable[..., Any]:
    """Return the class of a player for every game."""
    module, _, attribute = FOR_EVERY_GAME[name].partition(":")
    return getattr(import_module(module), attribute)  # type: ignore[no-any-return]


def _nodes(one: SearchResult) -> float:
    return one.nodes


def _seconds(one: SearchResult) -> float:
    return max(one.seconds, 1e-6)


def _mean(found: Sequence[SearchResult] | None, value: Callable[[SearchResult], float]) -> str:
    if found is None:
        return "–"
    mean = geometric([value(one) for one in found])
    return f"{mean:,.0f}" if mean >= 9.95 else f"{mean:.2g}"
