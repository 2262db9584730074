"""The sequential probability ratio test, which plays just until it is clear whether A is stronger than B.

The unit is a pair of games, the same start with the sides swapped, which has five outcomes (pentanomial); where games
were not paired it is the game, which has three (trinomial). Nothing is assumed about how often each happens: of all
distributions with the mean that a hypothesis asks for, the one under which the results are likeliest speaks for it
(the generalised test).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from typing import NamedTuple

from noctagon.arena.statistics import Score, elo, interval, superiority

PAIR = 5
"""Number of outcomes of a pair: two losses; loss and draw; even; draw and win; two wins."""
GAME = 3
"""Number of outcomes of a game: loss, draw, win."""
UNSEEN = 0.001
"""Count of an outcome that has not happened, which is not therefore impossible."""
PER_NORMALIZED = log(10) / 800
"""Normalised Elo in standard deviations of a game: where no game is drawn and none is far, it is Elo."""
MOST_ELO = 1000
MOST_NORMALIZED = 100
CLOSE = 1e-12
MOST_STEPS = 100
STEEPEST = 50.0
"""Exponent beyond which the drift towards one bound makes the outcome certain."""


class Counts(NamedTuple):
    """Counts of the outcomes, the worst first: of pairs if there are five, of games if there are three."""

    outcomes: tuple[int, ...]

    @property
    def unit(self) -> str:
        return "pair" if len(self.outcomes) == PAIR else "game"

    @property
    def total(self) -> int:
        return sum(self.outcomes)

    @property
    def games(self) -> int:
        return self.total * (2 if len(self.outcomes) == PAIR else 1)

    @property
    def scores(self) -> list[float]:
        """Share of the points that each outcome is worth."""
        last = len(self.outcomes) - 1
        return [number / last for number in range(last + 1)]

    def add(self, points: float) -> Counts:
        """Return the counts with one more, given by the share of the points that was won."""
        place = round(points * (len(self.outcomes) - 1))
        return Counts((*self.outcomes[:place], self.outcomes[place] + 1, *self.outcomes[place + 1 :]))

    @property
    def score(self) -> Score:
        """The mean score, with its 95 % interval."""
        return interval(self.total, self._sum, self._squares)

    @property
    def elo(self) -> float:
        return elo(self.score.mean)

    @property
    def elo_interval(self) -> tuple[float, float]:
        """The ends of the 95 % interval in Elo; where a score is lopsided, they are not equally far away."""
        score = self.score
        return elo(score.low), elo(score.high)

    @property
    def superiority(self) -> float:
        """Probability that the player is the stronger one."""
        return superiority(self.total, self._sum, self._squares)

    @property
    def draws(self) -> float:
        """Share of the pairs (or games) that were even."""
        return self.outcomes[len(self.outcomes) // 2] / max(1, self.total)

    @property
    def variance(self) -> float:
        """Variance of the score of a pair, or of a game."""
        return self._squares / max(1, self.total)

    @property
    def normalized_elo(self) -> float:
        """The score above one half in standard deviations of a game, on a scale like Elo's."""
        shares = _shares(self.outcomes)
        mean, deviation = _moments(shares, self.scores)
        return (mean - 0.5) / deviation / _games_root(self) / PER_NORMALIZED

    @property
    def _sum(self) -> float:
        return sum(count * score for count, score in zip(self.outcomes, self.scores, strict=True))

    @property
    def _squares(self) -> float:
        mean = self._sum / max(1, self.total)
        return sum(
            count * (score - mean) ** 2 for count, score in zip(self.outcomes, self.scores, strict=True)
        )


NO_PAIRS = Counts((0,) * PAIR)


class Outlook(NamedTuple):
    """The test at some true strength: the probability that it accepts, and the pairs or games it takes on average."""

    elo: float
    accepts: float
    units: float


@dataclass(frozen=True)
class Sprt:
    """Wald's test of two hypotheses about A against B: that the difference is `elo0`, and that it is `elo1`.

    If it is elo0 or less, the test says elo1 by mistake in about `alpha` of all cases; if it is elo1 or more, it says
    elo0 in about `beta`. With `normalized`, both are normalised Elo: see `Counts.normalized_elo`.

    >>> test = Sprt(0, 10)
    >>> counts = Counts((10, 50, 120, 60, 15))
    >>> f"{test.lower:.2f} < {test.llr(counts):.2f} < {test.upper:.2f}"
    '-2.94 < 0.89 < 2.94'
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    normalized: bool = False

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(
                f"the first Elo difference has to be less than the second: {self.elo0:g},{self.elo1:g}"
            )
        most = MOST_NORMALIZED if self.normalized else MOST_ELO
        if not max(abs(self.elo0), abs(self.elo1)) <= most:
            kind = "normalised Elo" if self.normalized else "Elo"
            raise ValueError(f"{self.elo0:g},{self.elo1:g}: the test is for differences up to {most} {kind}")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise ValueError(
                    f"{name} {value:g}: how often the test may be wrong is above 0 and below 0.5"
                )

    @property
    def lower(self) -> float:
        """Log-likelihood ratio at or below which elo0 is accepted."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """Log-likelihood ratio at or above which elo1 is accepted."""
        return log((1 - self.beta) / self.alpha)

    def llr(self, counts: Counts) -> float:
        """Return the logarithm of how much likelier the results are under elo1 than under elo0, each at its best."""
        if not counts.total:
            return 0.0
        shares = _shares(counts.outcomes)
        # Of all distributions with the mean of a hypothesis, the likeliest one speaks for it (generalised test).
        likeliest = self._likeliest_normalized if self.normalized else self._likeliest
        low, high = likeliest(shares, counts, self.elo0), likeliest(shares, counts, self.elo1)
        weight = sum(count or UNSEEN for count in counts.outcomes)
        return weight * sum(
            share * log(one / other) for share, one, other in zip(shares, high, low, strict=True)
        )

    def verdict(self, llr: float) -> bool | None:
        """Return True if elo1 is accepted, False if elo0 is, None while neither is."""
        return True if llr >= self.upper else False if llr <= self.lower else None

    def outlook(self, elo: float, counts: Counts, llr: float = 0.0) -> Outlook:
        """Return what to expect at a true difference from the current ratio, if pairs vary as those that were counted.

        Near the bounds the ratio moves like a Brownian motion with drift, for which Wald's formulas are exact; that
        a test ends a little beyond its bounds is left out.
        """
        _, deviation = _moments(_shares(counts.outcomes), counts.scores)
        low, high, true = (self._score(value, counts, deviation) for value in (self.elo0, self.elo1, elo))
        # A unit moves the ratio by about (high − low)·(score − middle)/deviation²: its mean and variance follow.
        drift = (high - low) * (true - (low + high) / 2) / deviation**2
        variance = (high - low) ** 2 / deviation**2
        below, above = min(0.0, self.lower - llr), max(0.0, self.upper - llr)
        pull = 2 * drift / variance
        if abs(pull) < 1e-9:  # no drift: the limits of the formulas below, which would divide 0 by 0
            return Outlook(elo, -below / (above - below), -below * above / variance)
        pull = max(-STEEPEST, min(STEEPEST, pull))
        down, up = exp(-pull * below), exp(-pull * above)
        accepts = (1 - down) / (up - down)
        return Outlook(elo, accepts, (accepts * above + (1 - accepts) * below) / drift)

    def _score(self, elo: float, counts: Counts, deviation: float) -> float:
        """Return the mean score that an Elo difference stands for."""
        if self.normalized:
            return 0.5 + elo * PER_NORMALIZED * _games_root(counts) * deviation
        return expected_score(elo)

    def _likeliest(self, shares: list[float], counts: Counts, elo: float) -> list[float]:
        mean = expected_score(elo)
        return _tilted(shares, [score - mean for score in counts.scores])

    def _likeliest_normalized(self, shares: list[float], counts: Counts, elo: float) -> list[float]:
        """Return the likeliest shares with mean = ½ + aim·deviation.

        The condition is not linear in the shares; it is replaced by its tangent, again and again.
        """
        aim = elo * PER_NORMALIZED * _games_root(counts)
        found = [1 / len(shares)] * len(shares)
        for _ in range(MOST_STEPS):
            mean, deviation = _moments(found, counts.scores)
            slope = aim * deviation / 2
            before = found
            found = _tilted(
                shares,
                [score - 0.5 - slope * (1 + ((score - mean) / deviation) ** 2) for score in counts.scores],
            )
            if max(abs(one - other) for one, other in zip(found, before, strict=True)) < CLOSE:
                break
        return found


class Running:
    """A test that gets pair after pair in the order of the schedule; its decision is final.

    >>> running = Running(Sprt(0, 200))
    >>> for _ in range(10):
    ...     running.add(1.0)
    >>> running.verdict, running.counts.total
    (True, 8)
    """

    def __init__(self, test: Sprt, counts: Counts = NO_PAIRS) -> None:
        self.test = test
        self.counts = counts
        self.llr = test.llr(counts)
        self.verdict = test.verdict(self.llr)

    def add(self, points: float) -> None:
        """Add the next pair, by the share of its points that was won; none counts after the decision."""
        if self.verdict is None:
            self.counts = self.counts.add(points)
            self.llr = self.test.llr(self.counts)
            self.verdict = self.test.verdict(self.llr)


def expected_score(elo: float) -> float:
    """Return the score that an Elo difference stands for."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def _shares(outcomes: Sequence[int]) -> list[float]:
    counts = [count or UNSEEN for count in outcomes]
    total = sum(counts)
    return [count / total for count in counts]


def _moments(shares: Sequence[float], scores: Sequence[float]) -> tuple[float, float]:
    """Return the mean and the standard deviation."""
    mean = sum(share * score for share, score in zip(shares, scores, strict=True))
    return mean, sqrt(sum(share * (score - mean) ** 2 for share, score in zip(shares, scores, strict=True)))


def _games_root(counts: Counts) -> float:
    """Return the root of the games in a unit, by which the deviation of their mean is smaller."""
    return sqrt(2 if len(counts.outcomes) == PAIR else 1)


def _tilted(shares: list[float], values: list[float]) -> list[float]:
    """Return the shares q with Σ q·value = 0 under which counts in the proportions `shares` are likeliest.

    By Lagrange q = share / (1 + t·value), and t makes the sum 0: it falls from +∞ to −∞ between the two t at
    which a q would be infinite, so there is exactly one. Newton's method finds it, and a step that would leave the
    interval known to hold it is replaced by the middle of that interval.
    """
    least, most = -1 / max(values), -1 / min(values)
    t = 0.0 if least < 0 < most else (least + most) / 2
    for _ in range(MOST_STEPS):
        terms = [share * value / (1 + t * value) for share, value in zip(shares, values, strict=True)]
        total = sum(terms)
        least, most = (t, most) if total > 0 else (least, t)
        slope = sum(term * term / share for term, share in zip(terms, shares, strict=True))
        step = t + total / slope
        before, t = t, step if least < step < most else (least + most) / 2
        if abs(t - before) < 1e-14:
            break
    return [share / (1 + t * value) for share, value in zip(shares, values, strict=True)]
