"""Single turns: seconds at a fixed depth, and depth in a fixed time as positions grow."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import ClassVar

import msgspec

from noctagon.arena.starts import Start
from noctagon.arena.statistics import geometric, middle
from noctagon.core.clock import Clock, TimeControl
from noctagon.core.player import GameStart, PlayerSpec
from noctagon.core.registry import find_game
from noctagon.players import make_player
from noctagon.studies.charts import ChartRow, Curve, Panel, Point, dots, lines
from noctagon.studies.claims import JudgedClaim, Verdict
from noctagon.studies.report import Report
from noctagon.studies.section import Section
from noctagon.studies.series import Results
from noctagon.studies.study import Study
from noctagon.studies.tasks import Task, TaskResult, rounded
from noctagon.studies.work import Work

OPENING = 10
"""Random moves before the second position of a map."""
QUICK_SECONDS = 0.05


class TurnResult(TaskResult, frozen=True, omit_defaults=True, tag="turn"):
    """A turn's time, depth and nodes."""

    finished: bool
    seconds: float
    depth: int = 0
    nodes: int = 0


class TurnTask(Task, frozen=True, tag="turn"):
    """One turn of a player, given up after this many seconds; `depth` is the depth it should reach."""

    game: str
    player: str
    start: Start
    depth: int
    seconds: float

    def perform(self) -> TurnResult:
        """Play the turn in this process."""
        game = find_game(self.game)
        game.load()
        state = self.start.state(game)
        player = make_player(PlayerSpec.parse(self.player), game)
        player.start(GameStart(state, TimeControl(turn=self.seconds)), state.side)
        player.choose(state, Clock(0.01))  # whatever is imported late is imported now
        started = time.perf_counter()
        decision = player.choose(state, Clock(self.seconds))
        seconds = time.perf_counter() - started
        state.check(decision.action)
        thought = decision.thought
        return TurnResult(
            finished=thought.depth >= self.depth and seconds < self.seconds,
            seconds=rounded(seconds),
            depth=thought.depth,
            nodes=thought.nodes,
        )


class TimeClaim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The claim that a turn at this depth stays within the limit on every map."""

    depth: int
    says: str


class TurnTimesSection(Section, frozen=True, kw_only=True):
    """Seconds for a turn of a player at several depths, on every map."""

    work: ClassVar[tuple[Work, ...]] = ((TurnTask, TurnResult),)

    player: str
    depths: tuple[int, ...]
    limit: float
    """The limit for a turn, in seconds."""
    given_up: float
    """Seconds after which a turn is given up."""
    within: tuple[TimeClaim, ...] = ()
    positions: dict[str, str] = {}
    """More positions, by name."""

    def players(self) -> Iterator[tuple[str, str]]:
        """Yield the player."""
        yield self.player, "player"

    def _rows(self, study: Study) -> dict[str, list[Start]]:
        """Return the positions by name: each map at its start and after some moves, and the others."""
        conditions = study.conditions(self)
        rows = {
            setup: [Start(setup), Start(setup, 1, OPENING, conditions.generator)]
            for setup in conditions.setups
        }
        return rows | ({} if study.quick else {name: [Start(text)] for name, text in self.positions.items()})

    def _task(self, study: Study, start: Start, depth: int) -> TurnTask:
        return TurnTask(study.game(self).name, f"{self.player}:depth={depth}", start, depth, self.given_up)

    def queues(self, study: Study) -> list[list[Task]]:
        """Return the turns, depth by depth."""
        depths = self.depths[:1] if study.quick else self.depths
        rows = self._rows(study).values()
        return [[self._task(study, start, depth) for depth in depths for row in rows for start in row]]

    def write(self, study: Study, results: Results, report: Report) -> None:
        """Write the picture, the table and the verdicts."""
        seconds: dict[str, dict[int, float]] = {}
        for name, starts in self._rows(study).items():
            for depth in self.depths:
                found = [results.get(self._task(study, start, depth)) for start in starts]
                done = [one for one in found if isinstance(one, TurnResult)]
                if done:
                    slowest = max(one.seconds if one.finished else self.given_up for one in done)
                    seconds.setdefault(name, {})[depth] = slowest
        rows = [
            ChartRow(name, {f"depth {depth}": Point(*[max(value, 1e-4)] * 3) for depth, value in row.items()})
            for name, row in seconds.items()
        ]
        picture = dots(rows, label="seconds for a turn", line=self.limit, logarithmic=True)
        report.picture(
            self.name,
            picture,
            f"Seconds for a turn by map and depth; the line is the limit of {self.limit:g} s",
        )
        table = []
        by_depth: dict[int, tuple[int, int, str]] = {}
        for depth in self.depths:
            times = [row[depth] for row in seconds.values() if depth in row]
            if times:
                kept = sum(value <= self.limit for value in times)
                longest = f"> {self.given_up:g}" if max(times) >= self.given_up else f"{max(times):.2f}"
                by_depth[depth] = (kept, len(times), longest)
                table.append([depth, f"{middle(times):.3f} s", f"{longest} s", f"{kept} of {len(times)}"])
        report.table(["depth", "median", "slowest", f"maps within {self.limit:g} s"], table)
        findings = []
        for claim in self.within:
            if claim.depth in by_depth:
                kept, count, longest = by_depth[claim.depth]
                verdict: Verdict = "confirmed" if kept == count else "refuted"
                figure = f"{kept} of {count} maps, the slowest {longest} s"
                findings.append(JudgedClaim(claim.says, self.source, verdict, figure))
        report.verdicts(findings)


class CostRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Positions that grow along one quantity: a map's name with {x} and {seed}, or random moves from a map."""

    name: str
    game: str
    values: tuple[int, ...]
    map: str
    seeds: tuple[int, ...] = (1, 2, 3)
    moves: bool = False
    """Whether the values are random moves from the map."""
    calm: int = 0

    def starts(self) -> dict[int, list[Start]]:
        """Return the positions by value."""
        if self.moves:
            return {
                x: [Start(self.map, seed, x, calm=self.calm) for seed in self.seeds]
                if x
                else [Start(self.map)]
                for x in self.values
            }
        return {x: [Start(self.map.format(x=x, seed=seed)) for seed in self.seeds] for x in self.values}


class CostSection(Section, frozen=True, kw_only=True):
    """Positions a second and depth in a fixed time, as positions grow."""

    work: ClassVar[tuple[Work, ...]] = ((TurnTask, TurnResult),)

    player: str
    seconds: float
    rows: tuple[CostRow, ...]

    def _by_row(self, study: Study) -> dict[str, dict[int, list[TurnTask]]]:
        seconds = QUICK_SECONDS if study.quick else self.seconds
        return {
            row.name: {
                x: [
                    TurnTask(row.game, self.player, start, 1, seconds)
                    for start in (starts[:1] if study.quick else starts)
                ]
                for x, starts in list(row.starts().items())[: 2 if study.quick else None]
            }
            for row in self.rows
        }

    def queues(self, study: Study) -> list[list[Task]]:
        """Return the turns, row by row."""
        return [[task for row in self._by_row(study).values() for tasks in row.values() for task in tasks]]

    def write(self, study: Study, results: Results, report: Report) -> None:
        """Write the plots and the table."""
        depths: list[Panel] = []
        speeds: list[Panel] = []
        rows: list[Sequence[object]] = []
        for name, row in self._by_row(study).items():
            depth: dict[float, Point] = {}
            speed: dict[float, Point] = {}
            for x, tasks in row.items():
                found = [results.get(task) for task in tasks]
                turns = [turn for turn in found if isinstance(turn, TurnResult)]
                if not turns:
                    continue
                plies = [turn.depth for turn in turns]
                a_second = [max(turn.nodes, 1) / max(turn.seconds, 1e-6) for turn in turns]
                depth[x] = Point(sum(plies) / len(plies), min(plies), max(plies))
                speed[x] = Point(geometric(a_second), min(a_second), max(a_second))
                longest = max(turn.seconds for turn in turns)
                rows.append(
                    [f"{name}: {x:g}", f"{speed[x].value:,.0f}", f"{depth[x].value:.1f}", f"{longest:.2f} s"]
                )
            if depth:
                depths.append(Panel("depth", name, [Curve("", depth)]))
                speeds.append(Panel("positions a second", name, [Curve("", speed)]))
        if rows:
            report.picture(f"{self.name}-depth", lines(depths, label="depth"), f"Depth in {self.seconds:g} s")
            report.picture(
                f"{self.name}-speed", lines(speeds, label="positions a second"), "Positions a second"
            )
            report.table(["", "positions a second", "depth", "longest turn"], rows)
