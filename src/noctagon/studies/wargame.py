"""The study of AI Wargame: how far the searches get, and what the heuristics are worth (004)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from noctagon.arena.starts import Start
from noctagon.arena.statistics import Score, score
from noctagon.studies.claims import GREAT, Claim, judge
from noctagon.studies.page import Page
from noctagon.studies.pairs import Conditions, Played
from noctagon.studies.sections import ClaimsSection, Method, TreeSection, play_of
from noctagon.studies.study import Plan, Results, Section, Study
from noctagon.studies.tasks import GameResult, Task

HEURISTICS = ("e0", "e1", "e2")
DEPTH = 4
"""The equal depth."""
THINK = 0.02
"""Seconds for a turn where the time is equal."""
OPENING = 4

CONDITIONS = Conditions("wargame", ("start",), seconds=5.0, plies=100, think=THINK, opening=OPENING)
QUICK = CONDITIONS._replace(plies=10, think=0.005, most=0.005)

LEARNT = {
    "tree": (
        "Plain minimax grows by × {minimax factor} a ply, alpha-beta by × {alpha-beta factor}: cutting is worth far "
        "more than any speed of the program. Ordering adds little to e0, for which most moves are equal: there is "
        "seldom a better one to try first. Compiled, minimax looks at {minimax speed} positions a second, and in "
        "Python at {minimax, Python speed}."
    ),
    "equal-depth": (
        "Health and nearness (e1) are what e0 is blind to, and they decide: {e1 at equal depth} against it. e2 adds "
        "what a unit can do next and how far a Virus still has to walk, and beats e0 more surely ({e2 at equal "
        "depth}), but e1 only just, if at all ({e2-e1 at equal depth}). What lead e2 has over e1 comes from "
        "attacking: e2 breaks e1 {equal-depth e2 on e1} of the time, e1 breaks e2 {equal-depth e1 on e2}. e0 defends "
        "so badly that even e0 breaks it ({equal-depth e0 on e0})."
    ),
    "equal-time": (
        "The cheaper e0 looks deeper in the same time, which does not help it: {e1 at equal time} and {e2 at equal "
        "time} against it. The deeper both look, the more the defender holds: two players with e2 end at the turn "
        "limit most of the time (the attacker wins {equal-time e2 on e2})."
    ),
    "turtle": (
        "A corner with two Techs is a fortress to e0, which sees no gain until a unit falls ({turtle against e0} "
        "held), and only half of one to e2 ({turtle against e2}). Defending actively with e2 holds more often ({e2 "
        "against e2}): to wait is not the best defence, only the simplest."
    ),
}

CLOSING = (
    "What we learnt: a heuristic must see what changes slowly (health, distance, the turns left), or the search has "
    "nothing to steer by; the turn limit belongs into the value of a position, since it is how most good games end; "
    "and attacker and defender are two different tasks, so that figures for both together hide the most. What we "
    "would change: quiescence over attacks and a transposition table before any further term of the heuristic, "
    "weights tuned for each side apart, and openings in which neither side is already lost."
)


def at_depth(heuristic: str) -> str:
    return f"alphabeta:heuristic={heuristic},depth={DEPTH},time=0"


def at_time(heuristic: str) -> str:
    return f"alphabeta:heuristic={heuristic},depth=50,time={THINK:g}"


class HeuristicsSection(ClaimsSection):
    """The heuristics against each other, and who wins as what."""

    def __init__(self, name: str, *, title: str, intro: str, spec: Mapping[str, str], learnt: str) -> None:
        how = f"at equal {name.partition('-')[2]}"
        claims = [
            Claim(f"{one} {how}", f"{one} scores 65 % against e0 {how}", "004", spec[one], spec["e0"], GREAT)
            for one in HEURISTICS[1:]
        ]
        claims.append(Claim(f"e2-e1 {how}", f"e2 is better than e1 {how}", "004", spec["e2"], spec["e1"]))
        super().__init__(name, title=title, intro=intro, claims=claims, learnt=learnt)
        self.spec = spec

    def tasks(self, plan: Plan) -> list[Task]:
        starts = plan.conditions.starts(plan.games)
        mirrors = [
            plan.conditions.game_task(self.spec[one], self.spec[one], start)
            for one in HEURISTICS
            for start in starts
        ]
        return [*super().tasks(plan), *mirrors]

    def more(self, plan: Plan, results: Results, page: Page, played: Mapping[Claim, Played]) -> None:
        page.text("How often the attacker wins, by who attacks (rows) and who defends:")
        rows: list[Sequence[object]] = []
        for attacker in HEURISTICS:
            row: list[object] = [f"{attacker} attacks"]
            for defender in HEURISTICS:
                games = play_of(plan, results, self.spec[attacker], self.spec[defender])
                won = score([pair[0].points(0) for pair in games.pairs.values()])
                page.figure(f"{self.name} {attacker} on {defender}", won)
                row.append(won if won.pairs else "–")
            rows.append(row)
        page.table(["", *(f"{defender} defends" for defender in HEURISTICS)], rows)


class TurtleSection(Section):
    """A defender that stays in its corner, against every attacker."""

    name = "turtle"
    title = "The turtle"

    def __init__(self, *, learnt: str) -> None:
        self.learnt = learnt
        self.defenders = {"turtle": f"turtle:depth={DEPTH},time=0"} | {
            one: at_depth(one) for one in HEURISTICS
        }

    def tasks(self, plan: Plan) -> list[Task]:
        return [
            plan.conditions.game_task(at_depth(attacker), defender, start)
            for attacker in HEURISTICS
            for defender in self.defenders.values()
            for start in plan.conditions.starts(plan.games)
        ]

    def write(self, plan: Plan, results: Results, page: Page) -> None:
        page.text(
            f"How often the defender wins at depth {DEPTH}: `turtle`, which keeps its AI in the corner behind its "
            "Techs and shuffles, beside the others. It wins when the turns run out."
        )
        rows: list[Sequence[object]] = []
        held: dict[tuple[str, str], Score] = {}
        for name, defender in self.defenders.items():
            for attacker in HEURISTICS:
                games = self._games(plan, results, at_depth(attacker), defender)
                held[name, attacker] = score([game.points(1) for game in games])
                page.figure(f"{name} against {attacker}", held[name, attacker])
            rows.append([f"`{name}` defends", *(held[name, attacker] for attacker in HEURISTICS)])
        page.table(["", *(f"{attacker} attacks" for attacker in HEURISTICS)], rows)
        hardest = min((held["turtle", attacker] for attacker in HEURISTICS), key=lambda one: one.mean)
        page.finding(
            "waiting in the corner holds against every attacker more often than not",
            "ours",
            judge(hardest, 0.5),
            f"at least {hardest}",
        )

    def _games(self, plan: Plan, results: Results, attacker: str, defender: str) -> list[GameResult]:
        conditions = plan.conditions
        tasks = [conditions.game_task(attacker, defender, start) for start in conditions.starts(plan.games)]
        return [found for task in tasks if isinstance(found := results.get(task), GameResult)]


STUDY = Study(
    name="wargame",
    title="AI Wargame: searches and heuristics",
    about=(
        "The assignment (004) asks for minimax and alpha-beta, for two heuristics beside its e0, and for a report on "
        "how they do. This is it."
    ),
    conditions=CONDITIONS,
    quick_conditions=QUICK,
    told=(
        "Conditions: paired games, the same opening twice with the sides swapped, at least {games} games for every "
        "claim. Nothing is random in this game, so that every pair but the first begins after {opening} random "
        "moves that cost nobody anything. {plies} turns, {seconds} s for a turn; at equal time each player thinks "
        f"{{think}} s, at equal depth {DEPTH} plies. A score counts a draw as half; its 95 % interval takes the pair "
        "as the unit (Wilson's, with the pairs' own variance). A claim is confirmed if the whole interval is above "
        "what it is held to, refuted if all of it is below, undecided otherwise."
    ),
    sections=[
        TreeSection(
            title="The tree: nodes and time by depth",
            intro=(
                "The opening and positions after random moves, {positions} in all, searched to each depth with e0; in "
                "Python, as for any game, and compiled, as the players of this game are. Both count the same."
            ),
            game="wargame",
            methods={
                "minimax, Python": Method("minimax:heuristic=e0", 60_000, generic=True),
                "alpha-beta, Python": Method(
                    "alphabeta:heuristic=e0,order=false,table=false", 60_000, generic=True
                ),
                "alpha-beta ordered, Python": Method(
                    "alphabeta:heuristic=e0,table=false", 60_000, generic=True
                ),
                "minimax": Method("minimax:heuristic=e0", 100_000_000),
                "alpha-beta": Method("alphabeta:heuristic=e0,order=false", 100_000_000),
                "alpha-beta ordered": Method("alphabeta:heuristic=e0", 100_000_000),
            },
            starts=[Start("start"), *(Start("start", number, 16) for number in (1, 2, 3, 4))],
            depths=range(1, 9),
            quick_depths=range(1, 4),
            learnt=LEARNT.get("tree", ""),
        ),
        HeuristicsSection(
            "equal-depth",
            title="e0, e1, e2 at equal depth",
            intro=f"Compiled alpha-beta, {DEPTH} plies for everybody.",
            spec={one: at_depth(one) for one in HEURISTICS},
            learnt=LEARNT.get("equal-depth", ""),
        ),
        HeuristicsSection(
            "equal-time",
            title="e0, e1, e2 at equal time",
            intro=f"Compiled alpha-beta, {THINK:g} s a turn for everybody, as deep as that goes.",
            spec={one: at_time(one) for one in HEURISTICS},
            learnt=LEARNT.get("equal-time", ""),
        ),
        TurtleSection(learnt=LEARNT.get("turtle", "")),
    ],
    closing=CLOSING,
)
