"""The player of the 2024 report: alpha-beta for the strongest group, scored by the formulas of section 4.1."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Literal, NamedTuple, cast

from noctagon.core.game import Game, Side, State
from noctagon.core.player import GameStart
from noctagon.games.vampires.rules.limits import LARGEST_SIDE
from noctagon.games.vampires.rules.ruleset import Cell, Content, distance, neighbours
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Move, Turn
from noctagon.players.options import checked_choice, checked_number
from noctagon.players.searching import TreePlayer, average_terms
from noctagon.search.alphabeta import AlphaBeta
from noctagon.search.tree import Budget, Search, for_side

Weights = Literal["algorithm-5", "resource-first"]
WEIGHTS: tuple[Weights, Weights] = ("algorithm-5", "resource-first")

UNIT_WEIGHT = 10.0
"""w_units of section 4.1.4."""
EARLY = 0.5
"""Progress ratio below which the game is young (4.1.5)."""
BIAS = 0.1
"""Largest random bias, either way (4.1.6)."""

Group = tuple[Cell, int]
"""A group's cell and size."""


class Constants(NamedTuple):
    """The constants for which the report gives no number, and which of its two orders of weights is used."""

    weights: Weights = "algorithm-5"
    range_limit: int = 10
    """R of 4.1.1 and 4.1.2: maximum distance of houses and enemies in steps."""
    optimal_range: int = 10
    """R of 4.1.3: maximum distance in steps from the opponent of a good position."""
    high: float = 4.0
    low: float = 2.0
    bonus: float = 1.0
    """C of 4.1.3."""
    penalty: float = 1.0
    """P of 4.1.3."""
    dispersion: float = 0.5
    """Cost of one step between allied groups (the Distance Penalty of 5.1.4)."""


class ReportTerms(NamedTuple):
    """The six weighted terms of the score, for the side that thinks."""

    units: float
    resources: float
    attack: float
    positioning: float
    distance: float
    bias: float


def strongest(content: Content) -> Group | None:
    """Return the largest group (the first by row and column among equals), or None."""
    if len(content) == 1:
        return next(iter(content.items()))
    return max(content.items(), key=lambda group: group[1], default=None)


def resource_gain(group: Group, humans: Content, range_limit: int) -> float:
    """Return the best H / d among the houses in range that the group can convert, H ≤ U (Algorithm 1).

    >>> resource_gain(((0, 0), 5), {(2, 1): 4, (1, 1): 6}, 10)
    2.0
    """
    return _best_per_step(group, humans, range_limit, group[1])


def attack_potential(group: Group, foes: Content, range_limit: int) -> float:
    """Return the best E / d among the enemies in range that are strictly fewer, E < U (Algorithm 2).

    >>> attack_potential(((0, 0), 5), {(2, 1): 4, (1, 1): 5}, 10)
    2.0
    """
    return _best_per_step(group, foes, range_limit, group[1] - 1)


def _best_per_step(group: Group, targets: Content, range_limit: int, most: int) -> float:
    """Return the greatest count per step of distance among the targets in range that hold at most `most`."""
    (x, y), _ = group
    best = 0.0
    for (tx, ty), count in targets.items():
        if count <= most:
            across, down = abs(tx - x), abs(ty - y)
            away = across if across > down else down
            if 0 < away <= range_limit and count > best * away:
                best = count / away
    return best


def strategic_positioning(own: Cell, foe: Cell, *, optimal_range: int, bonus: float, penalty: float) -> float:
    """Return C / (d + 1) within the optimal range, −P beyond it (Algorithm 3).

    >>> strategic_positioning((0, 0), (3, 1), optimal_range=5, bonus=2.0, penalty=1.0)
    0.5
    """
    away = distance(own, foe)
    return bonus / (away + 1) if away <= optimal_range else -penalty


def progress_ratio(own: int, foes: int, humans: int) -> float:
    """Return the share of creatures among creatures and humans; 1 on an empty board."""
    everybody = own + foes + humans
    return (own + foes) / everybody if everybody else 1.0


def dynamic_weights(progress: float, constants: Constants) -> tuple[float, float]:
    """Return w_attack and w_resource: Algorithm 5 attacks early, section 5.1.4 (`resource-first`) late."""
    attack_now = (progress < EARLY) == (constants.weights == "algorithm-5")
    return (constants.high, constants.low) if attack_now else (constants.low, constants.high)


def distance_penalty(content: Content, centre: Cell) -> float:
    """Return the average distance of the other groups from the strongest; 0 for a single group.

    >>> distance_penalty({(0, 0): 9, (3, 0): 1, (0, 1): 2}, (0, 0))
    2.0
    """
    if len(content) < 2:
        return 0.0
    return sum(distance(cell, centre) for cell in content) / (len(content) - 1)


def random_bias(seed: int, key: bytes) -> float:
    """Return the random bias of Algorithm 6, uniform in ±0.1, drawn from the game's seed and the position.

    A position then has one value however it is reached: a search that meets it twice agrees with itself.
    """
    digest = blake2b(key, digest_size=8, key=(seed % 2**64).to_bytes(8, "big")).digest()
    return BIAS * (int.from_bytes(digest, "big") / 2**63 - 1.0)


class ReportEvaluation:
    """The report's score of a position, from one side's point of view.

    Called, it gives the value for the first player, as every evaluation does; finished games are scored by the
    same formula (section 3.3), where a side that is gone has no gain, no attack and no position.
    """

    def __init__(self, side: Side, *, seed: int = 0, constants: Constants = Constants()) -> None:  # noqa: B008
        self.side = side
        self.seed = seed
        self.constants = constants

    def __call__(self, state: VampiresState) -> float:
        return for_side(sum(self.score(state)), self.side)

    def terms(self, state: VampiresState) -> dict[str, float]:
        """Return the terms by name, for the first player; they sum to the value."""
        return {name: for_side(term, self.side) for name, term in self.score(state)._asdict().items()}

    def score(self, state: VampiresState) -> ReportTerms:
        """Return the terms for the thinking side, its strongest group against the opponent's."""
        own, foes = (state.own, state.foes) if state.side == self.side else (state.foes, state.own)
        return self.score_of(state, own, foes, strongest(own), strongest(foes))

    def score_of(
        self, state: VampiresState, own: Content, foes: Content, ours: Group | None, theirs: Group | None
    ) -> ReportTerms:
        """Return the terms for one group of each side."""
        constants, humans = self.constants, state.humans
        units, rivals = sum(own.values()), sum(foes.values())
        progress = progress_ratio(units, rivals, sum(humans.values()))
        attack_weight, resource_weight = dynamic_weights(progress, constants)
        gain = attack = positioning = apart = 0.0
        if ours is not None:
            gain = resource_gain(ours, humans, constants.range_limit)
            attack = attack_potential(ours, foes, constants.range_limit)
            apart = distance_penalty(own, ours[0])
        if theirs is not None:
            gain -= resource_gain(theirs, humans, constants.range_limit)
        if ours is not None and theirs is not None:
            positioning = strategic_positioning(
                ours[0],
                theirs[0],
                optimal_range=constants.optimal_range,
                bonus=constants.bonus,
                penalty=constants.penalty,
            )
        return ReportTerms(
            UNIT_WEIGHT * (units - rivals),
            resource_weight * gain,
            attack_weight * attack,
            positioning,
            -constants.dispersion * apart,
            random_bias(self.seed, state.key),
        )


OPEN = Constants()
"""Default constants: first guesses; none tried in matches did better."""


def strongest_steps(state: VampiresState) -> list[Turn]:
    """Return every step of the strongest group, whole: the report's players do not split (its section 7)."""
    group = strongest(state.own)
    if group is None or state.result is not None:
        return []
    cell, count = group
    return [Turn([Move(*cell, count, *target)]) for target in neighbours(state, cell)]


class Report2024Player(TreePlayer):
    """The 2024 report's player: the strongest group, whole, by alpha-beta three plies deep.

    Both sides move their strongest group only. The position at the horizon, and a finished game, is scored by
    `report_evaluation`, from this player's point of view throughout. `weights=algorithm-5` stresses attacks
    while the game is young and houses later, as the report's Algorithm 5 has it; `weights=resource-first` the
    other way round, as its section 5.1.4 says. A random battle counts as the average of its two brief results,
    the average win and the average loss.

    The report gives no numbers for `range_limit`, `optimal_range`, `high`, `low`, `bonus` (C), `penalty` (P)
    and no formula for the distance penalty, here `dispersion` times the average distance of the other groups
    from the strongest. The defaults are our choice; the few others that were tried did no better. On boards of up
    to 10 cells a side nothing is out of range.
    """

    def __init__(
        self,
        game: Game[Any],
        *,
        depth: int = 3,
        nodes: int = 0,
        time: float = 0.0,
        weights: str = OPEN.weights,
        range_limit: int = OPEN.range_limit,
        optimal_range: int = OPEN.optimal_range,
        high: float = OPEN.high,
        low: float = OPEN.low,
        bonus: float = OPEN.bonus,
        penalty: float = OPEN.penalty,
        dispersion: float = OPEN.dispersion,
    ) -> None:
        super().__init__(game, depth=depth, nodes=nodes, time=time)
        name = self.name
        self.constants = Constants(
            weights=cast("Weights", checked_choice(name, "weights", weights, WEIGHTS)),
            range_limit=int(checked_number(name, "range_limit", range_limit, 1, LARGEST_SIDE)),
            optimal_range=int(checked_number(name, "optimal_range", optimal_range, 1, LARGEST_SIDE)),
            high=checked_number(name, "high", high, 0, 1000),
            low=checked_number(name, "low", low, 0, high),
            bonus=checked_number(name, "bonus", bonus, 0, 1000),
            penalty=checked_number(name, "penalty", penalty, 0, 1000),
            dispersion=checked_number(name, "dispersion", dispersion, 0, 1000),
        )
        self.seed = 0

    @property
    def name(self) -> str:
        return "report-2024"

    def start(self, game: GameStart, side: Side) -> None:
        self.seed = game.seed

    def evaluation(self, side: Side) -> ReportEvaluation:
        """Return the report's score from one side's point of view."""
        return ReportEvaluation(side, seed=self.seed, constants=self.constants)

    def candidates(self, state: VampiresState) -> list[Turn]:
        return strongest_steps(state)

    def search(self, state: State[Any], budget: Budget) -> Search[Any]:
        score = self.evaluation(state.side)
        return AlphaBeta(
            score, candidates=self.candidates, worth=lambda ended, ply: score(ended), budget=budget
        )

    def explain(self, state: State[Any], action: Any) -> dict[str, float]:
        evaluation = self.evaluation(state.side)
        return average_terms(state, action, lambda after: evaluation.score(after)._asdict())
