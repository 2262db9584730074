"""The kinds of sections that any study can have: claims, ladders, mirrors, faults."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import hypot
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from noctagon.arena.statistics import Score, at_most, difference, elo, score, share
from noctagon.core.game import NoctagonError, UnknownName
from noctagon.studies.charts import Curve, Panel, Point, dots, lines, percents
from noctagon.studies.claims import (
    BETTER,
    Claim,
    Finding,
    Verdict,
    all_of,
    explain,
    explain_difference,
    judge,
    listed,
    mark,
)
from noctagon.studies.report import Report
from noctagon.studies.section import Section
from noctagon.studies.series import BOTH, Aim, Played, Results, Series, nowhere
from noctagon.studies.tasks import GameResult, GameTask, Task

if TYPE_CHECKING:
    from noctagon.studies.study import Study

ONE_SIDED = 0.9
"""Share of the points from which a map is called one-sided."""
Judged = tuple[Verdict, str, str, float]
"""A verdict, its figures, what they mean, and the score's distance from what the claim needs."""
INTERVAL = "score in %, with the 95 % interval"


class Matrix(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of games in which the players in the rows have one side and those in the columns the other."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    side: str = ""
    """The side of the players in the rows; by default the one that moves first."""


class Line(NamedTuple):
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
    """Whether there is a table of scores by map."""
    pieces: bool = False
    """Whether the table has the number of the player's pieces."""
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
            wrong = _misfit(claim, early=self.least is not None)
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
            report.picture(self.name, dots(bars, label=INTERVAL, span=(0, 100), line=50), title)
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
        findings = [self._finding(study, claim, found, results) for claim in self.claims]
        for finding in filter(None, findings):
            if finding.name:
                report.figure(finding.name, finding.figure.partition(",")[0])
        report.verdicts([finding for finding in findings if finding is not None])

    def _lines(self, study: Study, found: dict[tuple[str, str], Series]) -> Iterator[Line]:
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
                seat = "" if side is None else f", as {study.game(self).sides[side].lower()}"
                yield Line(series, f"{name}{seat}", side, exactly)

    def _score(self, line: Line, results: Results) -> Score:
        return line.series.score(Aim(0, line.side), results)

    def _table(self, study: Study, rows: Sequence[Line], results: Results, report: Report) -> None:
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
        self, study: Study, played: dict[tuple[str, str], Played], setups: Sequence[str], report: Report
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

    def _finding(
        self, study: Study, claim: Claim, found: dict[tuple[str, str], Series], results: Results
    ) -> Finding | None:
        """Return the verdict on a claim, None before there are figures."""
        judged = self._judged(study, claim, found, results)
        if judged is None:
            return None
        verdict, figure, meaning, lead = judged
        own = {"confirmed": claim.confirmed, "refuted": claim.refuted, "undecided": claim.undecided}[verdict]
        says = claim.says or self._says(study, claim)
        source = claim.source or self.source or study.source
        return Finding(
            says, source, verdict, figure, " ".join(filter(None, (meaning, own))), claim.name, lead
        )

    def _judged(
        self, study: Study, claim: Claim, found: dict[tuple[str, str], Series], results: Results
    ) -> Judged | None:
        if claim.faultless:
            return _judge_faults(study, claim, results)
        side = study.side(self, claim.side)
        aim = Aim(claim.bar, side)
        against = [found[claim.player, opponent] for opponent in listed(claim.opponent)]
        points = [series.points(aim, results) for series in against]
        if not all(points):
            return None
        whole = score([one for each in points for one in each])
        games = whole.pairs * (2 if side is None else 1)
        if claim.than:
            others = [found[claim.player, other].points(aim, results) for other in listed(claim.than)]
            if not all(others):
                return None
            lower = score([one for each in others for one in each])
            more = difference(whole, lower)
            figure = f"{more}: {whole} against these, {lower} against the others"
            return judge(more, claim.bar), figure, explain_difference(more, claim.bar), more.mean - claim.bar
        if claim.each and len(points) > 1:
            scores = dict(zip(listed(claim.opponent), map(score, points), strict=True))
            verdict = all_of([judge(one, claim.bar) for one in scores.values()])
            worst = min(scores, key=lambda name: scores[name].mean)
            low = scores[worst]
            least = f"at least {low}, against `{study.label(worst)}`"
            meaning = explain(low, claim.bar, low.pairs * (2 if side is None else 1))
            return verdict, least, meaning, low.mean - claim.bar
        if claim.on_maps is not None:
            return self._judge_maps(study, claim, claim.on_maps, against, results)
        figure = f"{whole}, {games} game{'s'[: games != 1]}"
        return judge(whole, claim.bar), figure, explain(whole, claim.bar, games), whole.mean - claim.bar

    def _judge_maps(
        self, study: Study, claim: Claim, wanted: float, against: Sequence[Series], results: Results
    ) -> Judged:
        played = [series.played(results) for series in against]
        setups = study.conditions(self).setups
        on_maps = {setup: score([one for games in played for one in games.scores(setup)]) for setup in setups}
        good = share(sum(one.mean >= claim.bar for one in on_maps.values() if one.pairs), len(on_maps))
        worst = sorted(on_maps, key=lambda setup: on_maps[setup].mean)[:3]
        least = ", ".join(f"{setup} ({percent(on_maps[setup].mean)})" for setup in worst)
        figure = f"{percent(claim.bar)} or more on {good} of the maps"
        meaning = explain(good, wanted, len(on_maps)).partition(";")[0].removesuffix(".")
        number = f"{good.mean * len(on_maps):.0f} of {len(on_maps)} maps"
        meaning = f"{meaning}. It does so on {number}; least on {least}."
        return judge(good, wanted), figure, meaning, good.mean - wanted

    def _says(self, study: Study, claim: Claim) -> str:
        """Return a claim as a sentence, made from its parts."""
        if claim.faultless:
            return f"no faults of {', '.join(f'`{study.label(name)}`' for name in listed(claim.faultless))}"
        player = f"`{study.label(claim.player)}`"
        opponents = [f"`{study.label(opponent)}`" for opponent in listed(claim.opponent)]
        others = ("each of " if claim.each and len(opponents) > 1 else "") + ", ".join(opponents)
        seat = f", as {claim.side}" if claim.side else ""
        if claim.than:
            than = ", ".join(f"`{study.label(other)}`" for other in listed(claim.than))
            return f"{player} scores more against {others} than against {than}{seat}"
        if claim.on_maps is not None:
            return f"{player} scores {percent(claim.bar)} against {others} on {percent(claim.on_maps)} of the maps"
        if claim.bar == BETTER:
            return f"{player} is better than {others}{seat}"
        return f"{player} scores {percent(claim.bar)} against {others}{seat}"


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
        told: dict[Verdict, list[str]] = {"confirmed": [], "refuted": [], "undecided": []}
        for (below, above), series in found.items():
            played = series.played(results)
            if played.pairs:
                told[judge(played.score, BETTER)].append(f"{above} over {below} ({played.score})")
        parts = [
            ("Surely better", told["confirmed"]),
            ("surely worse", told["refuted"]),
            ("not decided by these games", told["undecided"]),
        ]
        text = "; ".join(f"{word}: {', '.join(steps)}" for word, steps in parts if steps)
        return f"{text[0].upper()}{text[1:]}." if text else ""


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
            f"{percent(ONE_SIDED)} of the points or more, no player can do much with the other: pairs on these maps "
            "are counted apart."
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


def write_faults(study: Study, results: Results, report: Report) -> None:
    """Write the table of illegal turns, late answers and crashes over all games of the study."""
    counts = count_faults(study, results)
    if not counts:
        return
    report.heading("Faults and times")
    report.text("Over all games of the study; an answer is late after the referee's limit.")
    rows = [
        [f"`{name}`", *(f"{count:,.0f}" for count in counts[name][:5]), f"{counts[name][5]:.2f} s"]
        for name in sorted(counts)
    ]
    report.table(["player", "games", "turns", "illegal", "late", "lost by a fault", "longest turn"], rows)
    report.bullets(list(last_faults(study, results).values()))


def last_faults(study: Study, results: Results) -> dict[str, str]:
    """Return for each player that lost by a fault the last one and its cause, as a sentence."""
    found: dict[str, str] = {}
    for task, result in results.items():
        if isinstance(task, GameTask) and isinstance(result, GameResult):
            for side in BOTH:
                if result.is_fault(side):
                    name, other = (study.who(task.players[place]) for place in (side, 1 - side))
                    cause = f": `{result.detail.replace('`', chr(39))}`" if result.detail else ""
                    found[name] = (
                        f"The last fault of `{name}`: {result.reason} against `{other}` on {task.start.name}{cause}."
                    )
    return found


def count_faults(study: Study, results: Results) -> dict[str, list[float]]:
    """Return by player: games, turns, illegal turns, late answers, games lost by a fault, the longest turn."""
    counts: dict[str, list[float]] = {}
    for task, result in results.items():
        if not isinstance(task, GameTask) or not isinstance(result, GameResult):
            continue
        for side in BOTH:
            count = counts.setdefault(study.who(task.players[side]), [0, 0, 0, 0, 0, 0.0])
            fault = int(result.is_fault(side))
            here = [1, result.turns[side], result.illegal[side], result.late[side], fault]
            count[:5] = [old + new for old, new in zip(count, here, strict=False)]
            count[5] = max(count[5], result.longest[side])
    return counts


def _judge_faults(study: Study, claim: Claim, results: Results) -> Judged | None:
    counts = count_faults(study, results)
    names = [study.who(study.spec(name)) for name in listed(claim.faultless)]
    found = [counts[name] for name in names if name in counts]
    turns, faults = int(sum(count[1] for count in found)), sum(sum(count[2:5]) for count in found)
    if not turns:
        return None
    players = f"{len(found)} player{'s'[: len(found) != 1]}"
    figure = f"{faults:.0f} fault{'s'[: faults != 1]} in {turns:,} turns of {players}"
    if faults:
        return "refuted", figure, "", 0.0
    return "confirmed", f"{figure}, so fewer than {100 * at_most(turns):.2g} % of turns", "", 0.0


def _misfit(claim: Claim, *, early: bool) -> str:
    """Return what is wrong with a claim, nothing if it can be judged."""
    if claim.faultless:
        return "faultless and opponent are two claims" if claim.opponent or claim.player else ""
    if not claim.player or not claim.opponent:
        return f"{'opponent' if claim.player else 'player'} is missing"
    if not 0 <= claim.bar < 1:
        return f"at_least = {claim.bar:g} should be a share of the points, from 0 to less than 1"
    if claim.on_maps is not None and not 0 < claim.on_maps < 1:
        return f"on_maps = {claim.on_maps:g} should be a share of the maps, between 0 and 1"
    if sum((bool(claim.than), claim.each, claim.on_maps is not None)) > 1:
        return "than, each and on_maps do not go together"
    if early and ((len(claim.opponents) > 1 and not claim.each) or claim.on_maps is not None):
        return "least ends a series early, which several opponents together and on_maps do not allow"
    return ""


def _marked(found: Score, claim: Claim) -> str:
    return mark(judge(found, claim.bar), found.mean - claim.bar)


def _of_games(score: Score, side: int | None) -> str:
    return (
        f"{percent(score.mean)} of {score.pairs * (2 if side is None else 1)} games" if score.pairs else "–"
    )


def _x(rung: str, places: dict[str, float]) -> float:
    """Return a rung's place on the axis: itself if it is a number, else its order."""
    try:
        return float(rung)
    except ValueError:
        return places[rung]


def percent(share: float) -> str:
    """Return a share in percent."""
    return f"{100 * share:.0f} %"
