"""Comparisons of players: claims put to the test by series of paired games."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from noctagon.arena.statistics import Score, score
from noctagon.core.game import NoctagonError, UnknownName
from noctagon.studies.charts import dots, percents
from noctagon.studies.claims import Claim, judge, listed, mark, percent
from noctagon.studies.mirror import MirrorSection
from noctagon.studies.report import Report
from noctagon.studies.section import Section
from noctagon.studies.series import BOTH, Aim, PlayedPairs, Results, Series, nowhere
from noctagon.studies.tasks import GameResult, GameTask, Task
from noctagon.studies.verdicts import claim_error, find_verdict

if TYPE_CHECKING:
    from noctagon.studies.study import Study

INTERVAL = "score in %, with the 95 % interval"
NEEDED = f"{INTERVAL}; red: what the claim needs"


class Matrix(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of games in which the players in the rows have one side and those in the columns the other."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    side: str = ""
    """The side of the players in the rows; by default the one that moves first."""


class ComparisonLine(NamedTuple):
    """A line of a section's table: a series, the side that counts, and the claim that is exactly about it."""

    series: Series
    name: str
    side: int | None
    claim: Claim | None


class ClaimsSection(Section, frozen=True, kw_only=True):
    """Claims about players, each put to the test by series of paired games."""

    least: int | None = None
    """Starts after which a series ends as soon as the sequential test decides its claims; by default all are played."""
    apart: str = ""
    """The section of kind `mirror` whose one-sided maps are counted apart."""
    by_map: bool = True
    """True for a table of scores by map."""
    pieces: bool = False
    """True for a column with the number of the player's pieces."""
    matrix: Matrix | None = None

    def players(self) -> Iterator[tuple[str, str]]:
        """Yield each player of the claims and of the matrix."""
        for number, claim in enumerate(self.claims, 1):
            for player in filter(None, (claim.player, *claim.opponents, *listed(claim.faultless))):
                yield player, f"claim {number}"
        if self.matrix is not None:
            for player in (*self.matrix.rows, *self.matrix.columns):
                yield player, "matrix"

    def check(self, study: Study) -> None:
        """Refuse claims that say too little or too much."""
        for number, claim in enumerate(self.claims, 1):
            wrong = claim_error(claim, early=self.least is not None)
            if wrong:
                raise NoctagonError(f"claim {number}: {wrong}")
            study.side(self, claim.side)
        if self.apart:
            mirrors = [section.name for section in study.sections if isinstance(section, MirrorSection)]
            if self.apart not in mirrors:
                raise UnknownName("section of kind mirror", self.apart, mirrors)

    def series(self, study: Study) -> list[Series]:
        """Return a series for each player and opponent of the claims."""
        return list(self._by_pairing(study).values())

    def _by_pairing(self, study: Study) -> dict[tuple[str, str], Series]:
        claims: dict[tuple[str, str], list[Claim]] = {}
        for claim in self.claims:
            for opponent in claim.opponents:
                claims.setdefault((claim.player, opponent), []).append(claim)
        conditions = study.conditions(self)
        starts = conditions.starts(study.pairs(self))
        apart: Callable[[Results], Collection[str]] = nowhere
        if self.apart:
            apart = study.mirror(self.apart).one_sided(study)
        found = {}
        for (player, opponent), about in claims.items():
            aims = [Aim(claim.bar, study.side(self, claim.side)) for claim in about]
            sides = {aim.side for aim in aims}
            found[player, opponent] = Series(
                conditions,
                study.spec(player),
                study.spec(opponent),
                starts,
                aims=tuple(aims),
                least=None if self.least is None else min(self.least, len(starts)),
                sides=BOTH if None in sides else tuple(sorted(side for side in sides if side is not None)),
                apart=apart,
            )
        return found

    def queues(self, study: Study) -> list[list[Task]]:
        """Return the games of every series, and those of the matrix."""
        return [*super().queues(study), self._matrix_tasks(study)]

    def _matrix_tasks(self, study: Study) -> list[Task]:
        if self.matrix is None:
            return []
        return [
            task
            for row in self.matrix.rows
            for column in self.matrix.columns
            for task in self._cell_tasks(study, self.matrix, row, column)
        ]

    def _cell_tasks(self, study: Study, matrix: Matrix, row: str, column: str) -> list[GameTask]:
        conditions = study.conditions(self)
        players = (study.spec(row), study.spec(column))
        first, second = players[::-1] if study.side(self, matrix.side) else players
        return [conditions.game_task(first, second, start) for start in conditions.starts(study.pairs(self))]

    def write(self, study: Study, results: Results, report: Report) -> None:
        """Write the picture, the tables, and the verdicts with what they mean."""
        found = self._by_pairing(study)
        rows = [row for row in self._lines(study, found) if row.series.played(results).pairs]
        if rows:
            bars = [
                percents(row.name, self._score(row, results)[:3], row.claim.bar if row.claim else None)
                for row in rows
            ]
            title = self.title or "Scores"
            label = NEEDED if any(bar.held_to is not None for bar in bars) else INTERVAL
            report.picture(self.name, dots(bars, label=label, span=(0, 100), line=50), title)
            self._table(study, rows, results, report)
            played = {pairing: series.played(results) for pairing, series in found.items()}
            report.missing(sum(games.wanted - len(games.pairs) for games in played.values()))
            setups = study.conditions(self).setups
            if self.by_map and len(setups) > 1:
                one = {row.series.player for row in rows}
                whose = f"`{study.label(one.pop())}`" if len(one) == 1 else "the first-named"
                report.text(f"By map, the score of {whose}:")
                self._by_map(study, played, setups, report)
        if self.matrix is not None:
            self._write_matrix(study, self.matrix, results, report)
        findings = [find_verdict(study, self, claim, found, results) for claim in self.claims]
        for finding in filter(None, findings):
            if finding.name:
                report.figure(finding.name, finding.figure.partition(",")[0])
        report.verdicts([finding for finding in findings if finding is not None])

    def _lines(self, study: Study, found: dict[tuple[str, str], Series]) -> Iterator[ComparisonLine]:
        """Yield the lines of the table: for each pairing one for each side that a claim is about."""
        one_player = len({player for player, _ in found}) == 1
        for (player, opponent), series in found.items():
            name = f"`{study.label(opponent)}`" if one_player else study.versus(player, opponent)
            about: dict[int | None, Claim | None] = {}
            for claim in self.claims:
                if claim.player == player and opponent in claim.opponents:
                    alone = claim.opponents == (opponent,) and claim.on_maps is None
                    side = study.side(self, claim.side)
                    about[side] = about.get(side) or (claim if alone else None)
            for side, exactly in about.items():
                yield ComparisonLine(series, f"{name}{study.seat(self, side)}", side, exactly)

    def _score(self, line: ComparisonLine, results: Results) -> Score:
        return line.series.score(Aim(0, line.side), results)

    def _table(self, study: Study, rows: Sequence[ComparisonLine], results: Results, report: Report) -> None:
        one_player = len({row.series.player for row in rows}) == 1
        first = f"`{study.label(self.claims[0].player)}` against" if one_player else ""
        titles = [first, "games", "different", "score (95 %)", "on one-sided maps", "moving first", "second"]
        titles += ["draws", "plies", "depth", "pieces", "ended", "held to", "verdict"]
        cells: list[Sequence[object]] = []
        for row in rows:
            played = row.series.played(results).of(row.side)
            found = self._score(row, results)
            apart = row.series.score(Aim(0, row.side), results, apart=True)
            stop = row.series.stop(results)
            by_side = [
                percent(row.series.score(Aim(0, side), results).mean) if row.side is None else ""
                for side in BOTH
            ]
            cells.append(
                [
                    row.name,
                    played.games,
                    played.different,
                    f"**{found}**" if found.pairs else "–",
                    _of_games(apart, row.side) if self.apart else "",
                    *by_side,
                    played.draws,
                    f"{played.plies:.0f}",
                    f"{played.depth:.1f}",
                    f"{played.pieces:.1f}" if self.pieces else "",
                    "" if self.least is None else f"after {stop}" if stop else "–",
                    percent(row.claim.bar) if row.claim else "",
                    _marked(found, row.claim) if row.claim and found.pairs else "",
                ]
            )
        report.table(titles, cells)

    def _by_map(
        self, study: Study, played: dict[tuple[str, str], PlayedPairs], setups: Sequence[str], report: Report
    ) -> None:
        one_player = len({player for player, _ in played}) == 1
        names = [
            study.label(opponent) if one_player else self._short(study, player, opponent)
            for player, opponent in played
        ]
        columns = [games.by_setup() for games in played.values()]
        rows: list[list[object]] = [
            [setup, *(percent(column[setup].mean) if setup in column else "" for column in columns)]
            for setup in setups
        ]
        rows.append(["**all**", *(f"**{games.score}**" if games.pairs else "" for games in played.values())])
        report.table(["map", *names], rows)

    def _short(self, study: Study, player: str, opponent: str) -> str:
        """Return a claim's name for a column, else the two players."""
        named = [c.name for c in self.claims if c.name and c.player == player and c.opponents == (opponent,)]
        return named[0] if named else study.versus(player, opponent)

    def _write_matrix(self, study: Study, matrix: Matrix, results: Results, report: Report) -> None:
        side = study.side(self, matrix.side) or 0
        sides = study.game(self).sides
        report.text(
            f"The points of the {sides[side].lower()}, by {sides[side].lower()} (rows) and "
            f"{sides[1 - side].lower()} (columns):"
        )
        rows: list[list[object]] = []
        for row in matrix.rows:
            cells: list[object] = [study.label(row)]
            for column in matrix.columns:
                games = [results.get(task) for task in self._cell_tasks(study, matrix, row, column)]
                points = score([game.points(side) for game in games if isinstance(game, GameResult)])
                report.figure(f"{self.name}: {row} against {column}", points)
                cells.append(points if points.pairs else "–")
            rows.append(cells)
        report.table(["", *map(study.label, matrix.columns)], rows)


def _marked(found: Score, claim: Claim) -> str:
    return mark(judge(found, claim.bar), found.mean - claim.bar)


def _of_games(score: Score, side: int | None) -> str:
    return (
        f"{percent(score.mean)} of {score.pairs * (2 if side is None else 1)} games" if score.pairs else "–"
    )
