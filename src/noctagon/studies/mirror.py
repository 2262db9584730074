"""Mirrors: one player against itself on every map, to find the maps on which moving first decides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from noctagon.arena.statistics import Score, score
from noctagon.studies.claims import percent
from noctagon.studies.report import Report
from noctagon.studies.section import Section
from noctagon.studies.series import Results
from noctagon.studies.tasks import GameResult, GameTask, Task

if TYPE_CHECKING:
    from noctagon.studies.study import Study

ONE_SIDED = 0.9
"""Share of the points from which a map is called one-sided."""


class MirrorSection(Section, frozen=True, kw_only=True):
    """One player against itself on every map, which shows where moving first decides."""

    player: str

    def players(self) -> Iterator[tuple[str, str]]:
        """Yield the player."""
        yield self.player, "player"

    def _by_map(self, study: Study) -> dict[str, list[GameTask]]:
        conditions, player = study.conditions(self), study.spec(self.player)
        return {
            setup: [
                conditions.game_task(player, player, conditions.start(setup, number))
                for number in range(2 * study.pairs(self))
            ]
            for setup in conditions.setups
        }

    def queues(self, study: Study) -> list[list[Task]]:
        """Return the games of each map as a queue."""
        return [list(tasks) for tasks in self._by_map(study).values()]

    def one_sided(self, study: Study) -> Callable[[Results], Collection[str]]:
        """Return the function that finds the one-sided maps in results."""
        return partial(one_sided, self._by_map(study))

    def write(self, study: Study, results: Results, report: Report) -> None:
        """Write which maps are one-sided."""
        first = first_mover(self._by_map(study), results)
        apart = one_sided(self._by_map(study), results)
        report.text(
            f"`{study.label(self.player)}` against itself, {2 * study.pairs(self)} games a map. Where one side takes "
            f"{percent(ONE_SIDED)} of the points or more, the start decides more than the players: "
            "pairs on these maps are counted separately."
        )
        named = [f"{setup} ({percent(first[setup].mean)})" for setup in first if setup in apart]
        report.text(f"The first mover's points on them: {', '.join(named) or 'there are none'}.")
        everywhere = score([one.mean for one in first.values()])
        report.figure("one-sided maps", len(apart))
        report.figure("first mover", everywhere)
        report.text(f"On all {len(first)} maps together the first mover scores {everywhere}.")


def first_mover(games: Mapping[str, Sequence[GameTask]], results: Results) -> dict[str, Score]:
    """Return the first mover's score on each map of which all games have been played."""
    found: dict[str, Score] = {}
    for setup, tasks in games.items():
        played = [results.get(task) for task in tasks]
        points = [game.points(0) for game in played if isinstance(game, GameResult)]
        if len(points) == len(tasks):
            found[setup] = score(points)
    return found


def one_sided(games: Mapping[str, Sequence[GameTask]], results: Results) -> Collection[str]:
    """Return the maps on which one side takes nearly all points."""
    scores = first_mover(games, results)
    return {setup for setup, one in scores.items() if max(one.mean, 1 - one.mean) >= ONE_SIDED}
