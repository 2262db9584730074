"""Ladders: players in a row, each against the one before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import hypot
from typing import TYPE_CHECKING

from noctagon.arena.statistics import elo
from noctagon.studies.charts import Curve, Panel, Point, lines
from noctagon.studies.claims import BETTER, Verdict, judge
from noctagon.studies.report import Report
from noctagon.studies.section import Section
from noctagon.studies.series import Results, Series

if TYPE_CHECKING:
    from noctagon.studies.study import Study


class LadderSection(Section, frozen=True, kw_only=True):
    """Players in a row, each against the one before it: Elo adds up from the first."""

    along: str = "step"
    """The thing that grows from step to step."""
    rungs: dict[str, str]
    """The players by step."""
    pieces: bool = False

    def players(self) -> Iterator[tuple[str, str]]:
        """Yield the players of the rungs."""
        for rung, player in self.rungs.items():
            yield player, f"rung {rung}"

    def series(self, study: Study) -> list[Series]:
        """Return a series for each rung but the first."""
        return list(self._by_rung(study).values())

    def _by_rung(self, study: Study) -> dict[tuple[str, str], Series]:
        conditions = study.conditions(self)
        starts = conditions.starts(study.pairs(self))
        specs = {rung: study.spec(player) for rung, player in self.rungs.items()}
        return {
            (below, above): Series(conditions, specs[above], specs[below], starts)
            for below, above in pairwise(self.rungs)
        }

    def write(self, study: Study, results: Results, report: Report) -> None:
        """Write the picture and the table of scores and Elo."""
        bottom = next(iter(self.rungs))
        places = {rung: float(place) for place, rung in enumerate(self.rungs)}
        points = {_x(bottom, places): Point(0.0, 0.0, 0.0)}
        height = below_error = above_error = 0.0
        rows: list[Sequence[object]] = []
        found = self._by_rung(study)
        for (below, above), series in found.items():
            played = series.played(results)
            if not played.pairs:
                break
            step = elo(played.score.mean)
            low, high = elo(played.score.low), elo(played.score.high)
            height += step
            below_error, above_error = hypot(below_error, step - low), hypot(above_error, high - step)
            points[_x(above, places)] = Point(height, height - below_error, height + above_error)
            report.figure(f"{self.name}: {above}", f"{played.score}")
            rows.append(
                [
                    f"{above} against {below}",
                    played.games,
                    f"**{played.score}**",
                    f"{step:+z.0f} ({low:+z.0f} to {high:+z.0f})",
                    f"{height:+z.0f}",
                    played.draws,
                    f"{played.plies:.0f}",
                    f"{played.depth:.1f}",
                    f"{played.pieces:.1f}" if self.pieces else "",
                ]
            )
        panel = Panel("", self.along, [Curve(self.name, points)])
        report.picture(self.name, lines([panel], label=f"Elo over {bottom}"), self.title or self.along)
        titles = [self.along, "games", "score (95 %)", "Elo (95 %)", f"Elo over {bottom}", "draws"]
        report.table([*titles, "plies", "depth", "pieces"], rows)
        played_all = [series.played(results) for series in found.values()]
        report.missing(sum(games.wanted - len(games.pairs) for games in played_all))
        report.text(self._outcome(found, results))

    def _outcome(self, found: dict[tuple[str, str], Series], results: Results) -> str:
        """Return which steps are surely better, surely worse, or neither, as a sentence."""
        steps_by_verdict: dict[Verdict, list[str]] = {"confirmed": [], "refuted": [], "undecided": []}
        for (below, above), series in found.items():
            played = series.played(results)
            if played.pairs:
                steps_by_verdict[judge(played.score, BETTER)].append(f"{above} over {below} ({played.score})")
        parts = [
            ("Surely better", steps_by_verdict["confirmed"]),
            ("surely worse", steps_by_verdict["refuted"]),
            ("not decided by these games", steps_by_verdict["undecided"]),
        ]
        text = "; ".join(f"{word}: {', '.join(steps)}" for word, steps in parts if steps)
        return f"{text[0].upper()}{text[1:]}." if text else ""


def _x(rung: str, places: dict[str, float]) -> float:
    """Return a rung's place on the axis: itself if it is a number, else its order."""
    try:
        return float(rung)
    except ValueError:
        return places[rung]
