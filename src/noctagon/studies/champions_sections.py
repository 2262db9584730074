"""The sections of the champions' study: aims held against each opponent, how strength grows, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from math import hypot
from typing import NamedTuple

from noctagon.arena.starts import Start
from noctagon.arena.statistics import Score, elo, geometric, score
from noctagon.studies.claims import MARKS, Finding, judge_aim
from noctagon.studies.page import Page, short
from noctagon.studies.pairs import Conditions
from noctagon.studies.plots import Bar, Measured
from noctagon.studies.series import Aim, Series, nowhere
from noctagon.studies.study import Plan, Results, Section
from noctagon.studies.tasks import GameResult, GameTask, Task, TurnResult, TurnTask

ONE_SIDED = 0.9
"""Where one side takes this share of the champion's points against itself, the first move decides."""


SEATS = {"vampires": ("moving first", "moving second"), "wargame": ("as attacker", "as defender")}


class Setting(NamedTuple):
    """How the games of a section are played: for a study, and for a quick look at how it works."""

    whole: Conditions
    quick: Conditions

    def of(self, plan: Plan) -> Conditions:
        return self.quick if plan.quick else self.whole


class MirrorSection(Section):
    """The champion against itself on every map: where does the first move decide?"""

    name = "mirror"
    title = "Vampires vs Werewolves: maps on which the first move decides"

    def __init__(self, setting: Setting, *, player: str, games: int) -> None:
        self.setting = setting
        self.player = player
        self.games = games

    def by_map(self, plan: Plan) -> dict[str, list[GameTask]]:
        conditions = self.setting.of(plan)
        games = 2 if plan.quick else self.games
        return {
            setup: [
                conditions.game_task(self.player, self.player, conditions.start(setup, number))
                for number in range(games)
            ]
            for setup in conditions.setups
        }

    def tasks(self, plan: Plan) -> list[Task]:
        return [task for row in zip(*self.by_map(plan).values(), strict=True) for task in row]

    def first_mover(self, plan: Plan) -> Callable[[Results], dict[str, Score]]:
        """What the first mover scores, by the results there are: on each map of which all games have been played."""
        maps = self.by_map(plan)

        def scores(results: Results) -> dict[str, Score]:
            found: dict[str, Score] = {}
            for setup, tasks in maps.items():
                games = [results.get(task) for task in tasks]
                points = [game.points(0) for game in games if isinstance(game, GameResult)]
                if len(points) == len(tasks):
                    found[setup] = score(points)
            return found

        return scores

    def one_sided(self, plan: Plan) -> Callable[[Results], Collection[str]]:
        """The maps that one side wins, by the results there are."""
        first = self.first_mover(plan)
        return lambda results: {
            setup for setup, one in first(results).items() if max(one.mean, 1 - one.mean) >= ONE_SIDED
        }

    def write(self, plan: Plan, results: Results, page: Page) -> None:
        first = self.first_mover(plan)(results)
        apart = self.one_sided(plan)(results)
        page.text(
            f"`{short(self.player)}` against itself, {self.setting.of(plan).timed(self.player).rpartition('=')[2]} s a "
            f"turn, {2 if plan.quick else self.games} games a map. Where one side takes {100 * ONE_SIDED:.0f} % of "
            "the points or more, no player can do much with the other: pairs on these maps are counted apart."
        )
        named = [f"{setup} ({100 * first[setup].mean:.0f} %)" for setup in first if setup in apart]
        page.text(f"The first mover's points on them: {', '.join(named) or 'there are none'}.")
        page.figure("one-sided maps", len(apart))
        everywhere = score([one.mean for one in first.values()])
        page.figure("first mover", everywhere)
        page.text(f"On all {len(first)} maps together the first mover scores {everywhere}.")


class Opponent(NamedTuple):
    """Whom the champion plays, by its spec, and what it should score."""

    player: str
    aims: tuple[Aim, ...]


class AimsSection(Section):
    """The champion against a field, with aims for each opponent."""

    def __init__(
        self,
        name: str,
        *,
        title: str,
        intro: str,
        setting: Setting,
        player: str,
        opponents: Mapping[str, Opponent],
        least: int,
        most: int | None = None,
        one_way: bool = False,
        mirror: MirrorSection | None = None,
        learnt: str = "",
    ) -> None:
        self.name = name
        self.title = title
        self.intro = intro
        self.setting = setting
        self.player = player
        self.opponents = opponents
        self.least = least
        self.most = most
        self.one_way = one_way
        self.mirror = mirror
        self.learnt = learnt

    def by_opponent(self, plan: Plan) -> dict[str, Series]:
        conditions = self.setting.of(plan)
        count = plan.games // 2 if self.most is None or plan.quick else self.most
        starts = tuple(conditions.mixed_starts(count))
        apart = nowhere if self.mirror is None else self.mirror.one_sided(plan)
        return {
            name: Series(
                conditions,
                self.player,
                opponent.player,
                starts,
                aims=opponent.aims,
                least=min(self.least, count),
                one_way=self.one_way,
                apart=apart,
            )
            for name, opponent in self.opponents.items()
        }

    def series(self, plan: Plan) -> list[Series]:
        return list(self.by_opponent(plan).values())

    def tasks(self, plan: Plan) -> list[Task]:
        return [task for queue in self.queues(plan) for task in queue]

    def queues(self, plan: Plan) -> list[list[Task]]:
        return [series.tasks() for series in self.series(plan)]

    def write(self, plan: Plan, results: Results, page: Page) -> None:
        page.text(self.intro)
        rows: list[Sequence[object]] = []
        bars: list[Bar] = []
        missing = 0
        all_series = self.by_opponent(plan)
        for opponent, series in all_series.items():
            count = len(series.played(results))
            missing += (series.stop(results) or len(series.starts)) - count
            for aim in series.aims if count else ():
                found = series.score(aim, results)
                name = (
                    opponent if aim.side is None else f"{opponent}, {SEATS[series.conditions.game][aim.side]}"
                )
                rows.append(self._row(name, series, aim, found, results))
                if found.pairs:
                    games = found.pairs * (2 if aim.side is None else 1)
                    figure = f"{found}, {games} game{'s'[: games != 1]}"
                    says = f"{_percent(aim.at_least)} against {name}"
                    page.findings.append(Finding(says, self.name, judge_aim(found, aim.at_least), figure))
                    page.figure(f"{self.name} {name}", found)
                    bars.append(Bar(name, *found[:3], aim.at_least))
        page.picture(page.plots.scores(self.name, bars), self.title)
        titles = ["against", "games", "score (95 %)"]
        titles += ["on one-sided maps", "moving first", "second"] if self.mirror else []
        page.table([*titles, "draws", "plies", "depth", "ended", "aim", ""], rows)
        if self.mirror:
            page.text("By map, the champion's score:")
            columns = {name: series.pairs(results) for name, series in all_series.items()}
            page.by_setup(columns, self.setting.of(plan).setups)
        if missing:
            page.text(f"*{missing} start{'s'[: missing != 1]} not played yet.*")

    def _row(self, name: str, series: Series, aim: Aim, found: Score, results: Results) -> list[object]:
        played = series.played(results)
        seats = range(1 if self.one_way else 2) if aim.side is None else (aim.side,)
        games = [(pair[side], side) for pair in played.values() for side in seats]
        stop = series.stop(results)
        row: list[object] = [name, len(games), f"**{found}**" if found.pairs else "–"]
        if self.mirror:
            apart = series.score(aim, results, apart=True)
            row.append(f"{_percent(apart.mean)} of {2 * apart.pairs} games" if apart.pairs else "–")
            by_seat = [series.score(Aim(aim.at_least, side), results) for side in seats]
            row += [_percent(one.mean) if one.pairs else "–" for one in by_seat]
        return [
            *row,
            sum(game.winner is None for game, _ in games),
            f"{sum(sum(game.turns) for game, _ in games) / len(games):.0f}",
            f"{sum(game.depth[side] for game, side in games) / len(games):.1f}",
            "–" if stop is None else f"after {stop}",
            _percent(aim.at_least),
            MARKS[judge_aim(found, aim.at_least)] if found.pairs else "",
        ]


class LadderSection(Section):
    """Neighbours on a ladder (more time, more threads) against each other: Elo by rung."""

    def __init__(
        self,
        name: str,
        *,
        title: str,
        intro: str,
        along: str,
        rungs: Mapping[str, str],
        settings: Mapping[str, Setting],
        pairs: int,
        learnt: str = "",
    ) -> None:
        self.name = name
        self.title = title
        self.intro = intro
        self.along = along
        self.rungs = rungs
        self.settings = settings
        self.pairs = pairs
        self.learnt = learnt

    def ladders(self, plan: Plan) -> dict[str, dict[str, Series]]:
        """The series by game and upper rung, each against the rung below."""
        count = max(1, min(self.pairs, plan.games // 2))
        found: dict[str, dict[str, Series]] = {}
        for game, setting in self.settings.items():
            conditions = setting.of(plan)
            found[game] = {
                above: Series(
                    conditions, self.rungs[above], self.rungs[below], tuple(conditions.mixed_starts(count))
                )
                for below, above in pairwise(self.rungs)
            }
        return found

    def tasks(self, plan: Plan) -> list[Task]:
        return [task for queue in self.queues(plan) for task in queue]

    def queues(self, plan: Plan) -> list[list[Task]]:
        return [series.tasks() for ladder in self.ladders(plan).values() for series in ladder.values()]

    def write(self, plan: Plan, results: Results, page: Page) -> None:
        page.text(self.intro)
        lines: list[Measured] = []
        rows: list[Sequence[object]] = []
        bottom = next(iter(self.rungs))
        for game, ladder in self.ladders(plan).items():
            points = {float(bottom): (0.0, 0.0, 0.0)}
            height = below = above = 0.0
            for rung, series in ladder.items():
                played = series.pairs(results)
                if not played.pairs:
                    break
                found = played.score
                step = elo(found.mean)
                height += step
                below, above = hypot(below, step - elo(found.low)), hypot(above, elo(found.high) - step)
                points[float(rung)] = (height, height - below, height + above)
                page.figure(f"{self.name} {game} {rung}", f"{height:+z.0f}")
                rows.append(
                    [
                        f"{game}: {rung} against {list(self.rungs)[list(self.rungs).index(rung) - 1]}",
                        played.games,
                        f"**{found}**",
                        f"{step:+z.0f} ({elo(found.low):+z.0f} to {elo(found.high):+z.0f})",
                        f"{height:+z.0f}",
                        played.draws,
                        f"{played.plies:.0f}",
                        f"{played.depth:.1f}",
                    ]
                )
            lines.append(Measured(game, points))
        file = page.plots.measured(self.name, {self.along: lines}, label=f"Elo over {bottom}")
        page.picture(file, self.title)
        titles = [
            self.along,
            "games",
            "score (95 %)",
            "Elo (95 %)",
            f"Elo over {bottom}",
            "draws",
            "plies",
            "depth",
        ]
        page.table(titles, rows)
        page.missing(
            [series.pairs(results) for ladder in self.ladders(plan).values() for series in ladder.values()]
        )


class CostSection(Section):
    """Positions a second and depth, as the board, the houses and the groups grow."""

    name = "cost"
    title = "What a turn costs: positions a second and depth"

    def __init__(
        self,
        *,
        player: str,
        seconds: float,
        rows: Mapping[str, tuple[str, Mapping[float, Sequence[Start]]]],
        learnt: str = "",
    ) -> None:
        self.player = player
        self.seconds = seconds
        self.rows = rows
        self.learnt = learnt

    def task(self, game: str, start: Start, plan: Plan) -> TurnTask:
        return TurnTask(game, self.player, start, 1, 0.05 if plan.quick else self.seconds)

    def by_row(self, plan: Plan) -> dict[str, dict[float, list[TurnTask]]]:
        return {
            name: {
                x: [self.task(game, start, plan) for start in (starts[:1] if plan.quick else starts)]
                for x, starts in (list(row.items())[:2] if plan.quick else row.items())
            }
            for name, (game, row) in self.rows.items()
        }

    def tasks(self, plan: Plan) -> list[Task]:
        return [task for row in self.by_row(plan).values() for tasks in row.values() for task in tasks]

    def write(self, plan: Plan, results: Results, page: Page) -> None:
        page.text(
            f"One turn of the champion with a clock of {self.seconds:g} s (of which it keeps some back), on positions "
            "drawn by chance; three for each row. Speed is the geometric mean, depth the mean with the least and the "
            "most."
        )
        depths: dict[str, list[Measured]] = {}
        speeds: dict[str, list[Measured]] = {}
        rows: list[Sequence[object]] = []
        for name, row in self.by_row(plan).items():
            depth: dict[float, tuple[float, float, float]] = {}
            speed: dict[float, tuple[float, float, float]] = {}
            for x, tasks in row.items():
                found = [results.get(task) for task in tasks]
                turns = [turn for turn in found if isinstance(turn, TurnResult)]
                if not turns:
                    continue
                plies = [turn.depth for turn in turns]
                a_second = [max(turn.nodes, 1) / max(turn.seconds, 1e-6) for turn in turns]
                depth[x] = (sum(plies) / len(plies), min(plies), max(plies))
                speed[x] = (geometric(a_second), min(a_second), max(a_second))
                longest = max(turn.seconds for turn in turns)
                rows.append(
                    [f"{name}: {x:g}", f"{speed[x][0]:,.0f}", f"{depth[x][0]:.1f}", f"{longest:.2f} s"]
                )
            if depth:
                depths[name] = [Measured(name, depth)]
                speeds[name] = [Measured(name, speed)]
        page.picture(page.plots.measured("cost-depth", depths, label="depth"), "Depth in half a second")
        page.picture(
            page.plots.measured("cost-speed", speeds, label="positions a second"), "Positions a second"
        )
        page.table(["", "positions a second", "depth", "longest turn"], rows)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
