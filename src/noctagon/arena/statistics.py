"""Mean scores over pairs of games, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from math import erf, log10, sqrt
from typing import NamedTuple

Z = 1.959963984540054
"""Quantile of the normal distribution for 95 % intervals."""


class Score(NamedTuple):
    """A mean score between 0 and 1 over `pairs` pairs, with its 95 % interval."""

    mean: float
    low: float
    high: float
    pairs: int

    def __str__(self) -> str:
        return f"{100 * self.mean:.0f} % ({100 * self.low:.0f}–{100 * self.high:.0f})"


class Difference(NamedTuple):
    """The difference of two means, with its 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.mean:+.0f} ({100 * self.low:+.0f} to {100 * self.high:+.0f}) points"


def signed(elo: float) -> str:
    """Format an Elo difference with its sign.

    >>> signed(12.4), signed(-7.0), signed(0.2), signed(-0.2)
    ('+12', '-7', '0', '0')
    """
    text = f"{elo:+z.0f}"
    return "0" if text == "+0" else text


def score(pairs: Sequence[float]) -> Score:
    """Return the mean of pair scores with a Wilson-style interval; the pair, not the game, is the unit.

    The two games of a pair share setup, opening and dice seed, so they are not independent; two pairs are.
    Wilson's interval for n yes-or-no results is (Σx + z²/2 ± z·√(n·p(1−p) + z²/4)) / (n + z²). Here n·p(1−p) is
    replaced by what it stands for, the sum of squares around the mean: the same where every pair is won or
    lost 2–0, narrower where pairs are shared, never outside 0 to 1, and never of no width.

    >>> str(score([1.0] * 10))
    '100 % (72–100)'
    >>> str(score([0.5] * 100))
    '50 % (48–52)'
    """
    total = sum(pairs)
    mean = total / max(1, len(pairs))
    return interval(len(pairs), total, sum((pair - mean) ** 2 for pair in pairs))


def interval(count: int, total: float, squares: float) -> Score:
    """Return the same as `score` from the sum of the scores and the sum of their squares around the mean."""
    if not count:
        return Score(0.5, 0.0, 1.0, 0)
    weight = count + Z * Z
    middle = (total + Z * Z / 2) / weight
    half = Z * sqrt(squares + Z * Z / 4) / weight
    return Score(total / count, max(0.0, middle - half), min(1.0, middle + half), count)


def superiority(count: int, total: float, squares: float) -> float:
    """Return the probability that the true score is above one half; above 97.5 % where the whole interval is.

    >>> round(superiority(1, 1.0, 0.0), 2), round(superiority(10, 5.0, 1.0), 2)
    (0.7, 0.5)
    """
    return normal((total - count / 2) / sqrt(squares + Z * Z / 4))


def normal(z: float) -> float:
    """Return the normal distribution's share below z."""
    return (1 + erf(z / sqrt(2))) / 2


def share(successes: int, count: int) -> Score:
    """Return a share of successes with Wilson's interval."""
    return score([1.0] * successes + [0.0] * (count - successes))


def difference(one: Score, other: Score) -> Difference:
    """Return the difference of two independent scores; its interval combines theirs (Newcombe's method 10)."""
    mean = one.mean - other.mean
    below = sqrt((one.mean - one.low) ** 2 + (other.high - other.mean) ** 2)
    above = sqrt((one.high - one.mean) ** 2 + (other.mean - other.low) ** 2)
    return Difference(mean, mean - below, mean + above)


def at_most(count: int) -> float:
    """Return the upper 95 % bound of the rate of something that did not happen in `count` trials.

    >>> round(at_most(300), 4)
    0.0099
    """
    return float(1 - 0.05 ** (1 / count)) if count else 1.0


def middle(values: Sequence[float]) -> float:
    """Return the median; 0 of no values."""
    ordered = sorted(values)
    half = len(ordered) // 2
    if not ordered:
        return 0.0
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def geometric(values: Sequence[float]) -> float:
    """Return the geometric mean, for values that differ by factors; 0 of no values."""
    from math import exp, log

    return exp(sum(log(value) for value in values) / len(values)) if values else 0.0


LARGEST_SCORE = 0.99
"""Score beyond which a match cannot say how large the difference is."""


def elo(mean: float) -> float:
    """Return the difference in Elo that a score stands for; a score beyond 99 % counts as 99 %.

    >>> round(elo(0.64)), round(elo(0.5)), round(elo(1.0))
    (100, 0, 798)
    """
    mean = min(max(mean, 1 - LARGEST_SCORE), LARGEST_SCORE)
    return float(400 * log10(mean / (1 - mean)))
