"""Sections that only the study of Vampires vs Werewolves has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random

from noctagon.arena.starts import Start
from noctagon.arena.statistics import at_most, difference, middle, score, share
from noctagon.games.vampires import VampiresState
from noctagon.games.vampires import game as vampires
from noctagon.games.vampires.maps.maker import make_map
from noctagon.games.vampires.players.situations import SITUATIONS
from noctagon.studies.claims import BETTER, GREAT, Claim, Verdict, all_of, judge
from noctagon.studies.page import Page, short
from noctagon.studies.pairs import Played, together
from noctagon.studies.plots import Bar
from noctagon.studies.sections import ClaimsSection, pairs_of, play_of
from noctagon.studies.study import Plan, Results, Section
from noctagon.studies.tasks import (
    GameResult,
    GameTask,
    SituationResult,
    SituationTask,
    Task,
    TurnResult,
    TurnTask,
)

MOST_MAPS = 0.75
"""Who excels in varied configurations scores at least the half on this share of the maps."""

FAULTS = ("crash", "garbage", "illegal turn")
"""Reasons for which a game ends that are not the game's."""


def huge_map() -> str:
    """The position at the start of a 30×30 map with 100 houses."""
    drawn = make_map(Random(100), rows=30, columns=30, houses=100)
    return vampires.format_position(VampiresState.from_map(drawn))


class VariedSection(ClaimsSection):
    """One player against a field, looked at map by map."""

    def __init__(self, name: str, *, says: str, source: str, **others: object) -> None:
        super().__init__(name, **others)  # type: ignore[arg-type]
        self.says = says
        self.source = source

    def more(self, plan: Plan, results: Results, page: Page, played: Mapping[Claim, Played]) -> None:
        on_maps = {
            setup: score([pair for games in played.values() for pair in games.pair_scores(setup)])
            for setup in plan.conditions.setups
        }
        good = share(sum(one.mean >= BETTER for one in on_maps.values() if one.pairs), len(on_maps))
        parts = [judge(games.score, BETTER) for games in played.values()]
        worst = sorted(on_maps, key=lambda setup: on_maps[setup].mean)[:3]
        page.figure("maps at half or more", f"{good.mean * len(on_maps):.0f} of {len(on_maps)}")
        page.figure("worst maps", ", ".join(worst))
        page.text(
            f"Against all of them together it scores the half or more on {page.figures['maps at half or more']} "
            f"maps; least on {', '.join(f'{name} ({100 * on_maps[name].mean:.0f} %)' for name in worst)}. "
            f"To excel in varied configurations is taken to mean: better than each of them, and the half or more "
            f"on at least {100 * MOST_MAPS:.0f} % of the maps."
        )
        verdict = all_of([*parts, judge(good, MOST_MAPS)])
        page.finding(self.says, self.source, verdict, f"half or more on {good} of the maps")


class TurnTimeSection(Section):
    """How long a player's turn takes at several depths, on every map."""

    name = "depth-times"
    title = "report-2024: depth 3 within 2 seconds, and deeper"
    limit = 2.0
    given_up = 4.0

    def __init__(self, *, player: str, depths: Sequence[int], source: str, learnt: str = "") -> None:
        self.player = player
        self.depths = depths
        self.source = source
        self.learnt = learnt

    def rows(self, plan: Plan) -> dict[str, list[Start]]:
        """The positions by name: each map at its start and after some steps, and the largest map."""
        opening = 10
        generator = plan.conditions.generator
        rows = {
            setup: [Start(setup), Start(setup, 1, opening, generator)] for setup in plan.conditions.setups
        }
        return rows | ({} if plan.quick else {"30×30, 100 houses": [Start(huge_map())]})

    def task(self, start: Start, depth: int) -> TurnTask:
        player = f"{self.player}:depth={depth}"
        return TurnTask("vampires", player, start, depth, self.given_up)

    def tasks(self, plan: Plan) -> list[Task]:
        depths = self.depths[:1] if plan.quick else self.depths
        return [
            self.task(start, depth) for depth in depths for row in self.rows(plan).values() for start in row
        ]

    def write(self, plan: Plan, results: Results, page: Page) -> None:
        page.text(
            f"One turn of `{self.player}` with a fixed depth, on every map at its start and after some random "
            f"steps, and on a 30×30 map with 100 houses; the slower of the positions of a map. A turn that was "
            f"not done after {self.given_up:g} s was given up."
        )
        seconds: dict[str, dict[str, float]] = {}
        within = {depth: [0, 0] for depth in self.depths}
        for name, starts in self.rows(plan).items():
            for depth in self.depths:
                found = [results.get(self.task(start, depth)) for start in starts]
                done = [one for one in found if isinstance(one, TurnResult)]
                if done:
                    slowest = max(one.seconds if one.finished else self.given_up for one in done)
                    seconds.setdefault(name, {})[f"depth {depth}"] = slowest
                    within[depth][0] += slowest <= self.limit
                    within[depth][1] += 1
        page.picture(
            page.plots.times(self.name, seconds, limit=self.limit, label="seconds for a turn"),
            "Seconds for a turn by map and depth; the line is the limit of 2 s",
        )
        rows: list[Sequence[object]] = []
        for depth in self.depths:
            times = [row[f"depth {depth}"] for row in seconds.values() if f"depth {depth}" in row]
            if times:
                kept, all_maps = within[depth]
                longest = f"> {self.given_up:g}" if max(times) >= self.given_up else f"{max(times):.2f}"
                page.figure(f"depth {depth} slowest", longest)
                page.figure(f"depth {depth} within", f"{kept} of {all_maps}")
                rows.append([depth, f"{middle(times):.3f} s", f"{longest} s", f"{kept} of {all_maps}"])
        page.table(["depth", "median", "slowest", "maps within 2 s"], rows)
        for depth, says in ((3, "depth 3 within 2 s"), (4, "within 2 s even for deeper trees (depth 4)")):
            kept, all_maps = within.get(depth, [0, 0])
            if all_maps:
                verdict: Verdict = "confirmed" if kept == all_maps else "refuted"
                figure = f"{kept} of {all_maps} maps, the slowest {page.figures[f'depth {depth} slowest']} s"
                page.finding(says, self.source, verdict, figure)


class SettingsSection(Section):
    """What a player gains with each step of a setting: every value against the one before it."""

    def __init__(
        self, name: str, *, title: str, intro: str, settings: Mapping[str, Sequence[str]], learnt: str = ""
    ) -> None:
        self.name = name
        self.title = title
        self.intro = intro
        self.settings = settings
        self.learnt = learnt

    def tasks(self, plan: Plan) -> list[Task]:
        return [
            task
            for players in self.settings.values()
            for before, after in pairwise(players)
            for task in pairs_of(plan, after, before)
        ]

    def write(self, plan: Plan, results: Results, page: Page) -> None:
        page.text(self.intro)
        panels: dict[str, list[Bar]] = {}
        rows: list[Sequence[object]] = []
        series = []
        for setting, players in self.settings.items():
            bars = []
            for before, after in pairwise(players):
                games = play_of(plan, results, after, before)
                series.append(games)
                value = after.partition(f"{setting}=")[2].partition(",")[0]
                page.figure(f"{setting} {value}", games.score)
                bars.append(Bar(f"{value} against {int(value) - 1}", *games.score[:3]))
                rows.append(
                    [
                        f"`{short(after)}` against `{short(before)}`",
                        games.games,
                        f"**{games.score}**",
                        f"{games.depth:.1f}",
                        f"{games.groups:.1f}",
                        f"{games.plies:.0f}",
                    ]
                )
            panels[setting] = bars
        label = "score in %, with the 95 % interval"
        page.picture(page.plots.steps(self.name, panels, label=label), self.title)
        page.table(["", "games", "score (95 %)", "depth reached", "most groups", "plies"], rows)
        page.missing(series)


class SplittersSection(Section):
    """A player against opponents that never split and against others that do."""

    name = "non-splitters"
    title = "twilight against opponents who do not split"

    def __init__(
        self,
        *,
        player: str,
        whole: Sequence[str],
        splitting: Sequence[str],
        matched: tuple[str, str],
        source: str,
        learnt: str = "",
    ) -> None:
        self.player = player
        self.whole = whole
        self.splitting = splitting
        self.matched = matched
        self.source = source
        self.learnt = learnt

    def tasks(self, plan: Plan) -> list[Task]:
        return [
            task for other in (*self.whole, *self.splitting) for task in pairs_of(plan, self.player, other)
        ]

    def write(self, plan: Plan, results: Results, page: Page) -> None:
        games = {
            other: play_of(plan, results, self.player, other) for other in (*self.whole, *self.splitting)
        }
        page.text(
            f"`{self.player}` against players that keep together and against players that split. "
            f"`{self.matched[0]}` and `{self.matched[1]}` differ in nothing but that."
        )
        bars = [Bar(f"against {name}", *played.score[:3]) for name, played in games.items()]
        page.picture(page.plots.scores(self.name, bars), self.title)
        rows = [
            [
                f"`{other}`",
                "no" if other in self.whole else "yes",
                played.games,
                f"**{played.score}**",
                f"{played.groups:.1f}",
                f"{played.plies:.0f}",
            ]
            for other, played in games.items()
        ]
        page.table(
            ["opponent", "splits", "games", "score (95 %)", f"{self.player}'s most groups", "plies"], rows
        )
        page.missing(games.values())
        strong = together(*(games[other] for other in self.whole))
        against_splitting = together(*(games[other] for other in self.splitting))
        page.figure("against whole", strong)
        page.figure("against splitting", against_splitting)
        page.finding(
            "very strong against opponents who do not split",
            self.source,
            judge(strong, GREAT),
            f"{strong} against these, held to {100 * GREAT:.0f} %; {against_splitting} against those who split",
        )
        more = difference(games[self.matched[0]].score, games[self.matched[1]].score)
        page.finding(
            "stronger against who does not split than against the same player splitting",
            self.source,
            judge(more, 0.0),
            f"{more} more against `{self.matched[0]}` than against `{self.matched[1]}`",
        )


class FaultsSection(Section):
    """Illegal turns, late answers and crashes over all games of the study."""

    name = "faults"
    title = "No bug on many maps"

    def __init__(self, *, players: Sequence[str], source: str, learnt: str = "") -> None:
        self.players = players
        self.source = source
        self.learnt = learnt

    def tasks(self, plan: Plan) -> list[Task]:
        return pairs_of(plan, self.players[1], self.players[0])

    def write(self, plan: Plan, results: Results, page: Page) -> None:
        page.text(
            f"Over all games of this study, on {len(plan.conditions.setups)} maps; late is an answer after more "
            f"than {plan.conditions.seconds:g} s."
        )
        counts: dict[str, list[float]] = {}
        for task, result in results.items():
            if not isinstance(task, GameTask) or not isinstance(result, GameResult):
                continue
            for side in (0, 1):
                count = counts.setdefault(task.players[side].partition(":")[0], [0, 0, 0, 0, 0, 0.0])
                fault = result.reason in FAULTS and result.winner == 1 - side
                here = [1, result.turns[side], result.illegal[side], result.late[side], int(fault)]
                count[:5] = [old + new for old, new in zip(count, here, strict=False)]
                count[5] = max(count[5], result.longest[side])
        rows = [
            [f"`{name}`", *(f"{count:,.0f}" for count in counts[name][:5]), f"{counts[name][5]:.2f} s"]
            for name in sorted(counts)
        ]
        page.table(["player", "games", "turns", "illegal", "late", "lost by a fault", "longest turn"], rows)
        ours = [counts[name] for name in self.players if name in counts]
        turns, faults = int(sum(count[1] for count in ours)), sum(sum(count[2:5]) for count in ours)
        page.figure("turns", f"{turns:,}")
        page.figure("faults", f"{faults:.0f}")
        verdict: Verdict = "refuted" if faults else "confirmed"
        figure = f"{faults:.0f} faults in {turns:,} turns of its {len(ours)} players"
        if not faults:
            figure += f", so fewer than {100 * at_most(turns):.2g} % of turns"
        page.finding("no bug on many maps", self.source, verdict, figure)


class SituationsSection(Section):
    """The dozen specified situations, and who meets them."""

    name = "situations"
    title = "Twelve situations"

    def __init__(self, *, players: Sequence[str], learnt: str = "") -> None:
        self.players = players
        self.learnt = learnt

    def tasks(self, plan: Plan) -> list[Task]:
        return list(self._wanted(plan).values())

    def write(self, plan: Plan, results: Results, page: Page) -> None:
        found = {player: results.get(task) for player, task in self._wanted(plan).items()}
        met = {player: one.met for player, one in found.items() if isinstance(one, SituationResult)}
        page.text(
            "What a sensible player does in a dozen positions (001's conclusion), and who does it with "
            f"{plan.conditions.seconds:g} s for a turn. The positions, and why, are in "
            "`noctagon.games.vampires.players.situations`."
        )
        rows: list[Sequence[object]] = [
            [f"*{one.name}*: {one.wanted}", *("✓" if known.get(one.name) else "·" for known in met.values())]
            for one in SITUATIONS
        ]
        rows.append(["**met**", *(f"**{sum(known.values())}**" for known in met.values())])
        page.table(["situation", *(f"`{player}`" for player in met)], rows)
        for player, known in met.items():
            page.figure(f"situations {player}", sum(known.values()))
        if "merge" in met:
            count = sum(met["merge"].values())
            verdict: Verdict = "confirmed" if count == len(SITUATIONS) else "refuted"
            figure = f"{count} of {len(SITUATIONS)}"
            page.finding("`merge` does what was specified in a dozen situations", "001", verdict, figure)

    def _wanted(self, plan: Plan) -> dict[str, SituationTask]:
        players = self.players[:2] if plan.quick else self.players
        return {player: SituationTask(player, plan.conditions.seconds) for player in players}
