"""Strengths from results: Bradley–Terry by maximum likelihood, with the advantage of a side, on the Elo scale.

The first mover with strength a beats the second with strength b with probability 1 / (1 + 10^((b − a − s) / 400)),
where s is what moving first is worth; a draw counts as half a win and half a loss. All strengths and s are fitted at
once.

A weak prior keeps a perfect score finite and a player without games at the mean: every strength is taken to be drawn
from a normal distribution around the mean with a standard deviation of 800 Elo, and s from one of 200 around 0. A
hundred games outweigh it by far. It also rates players of groups that never met on one scale: each group's mean is
then that of all, and the error bars say how little is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np

from noctagon.arena.bout import Finished
from noctagon.arena.statistics import Z, normal

ELO = 400 / log(10)
"""Elo points of a factor of e in the odds."""
PRIOR = 800.0
"""Standard deviation of strengths before any game is known, in Elo."""
SIDE_PRIOR = 200.0
"""Standard deviation of the advantage of moving first, in Elo."""
CLOSE = 1e-9
MOST_STEPS = 100


class Rating(NamedTuple):
    """The strength of a player: the mean of all is 0; the 95 % interval is `elo` ± `error`."""

    name: str
    elo: float
    error: float
    games: int
    points: float


class SideAdvantage(NamedTuple):
    """The worth of moving first, with the half width of its 95 % interval."""

    elo: float
    error: float


class HeadToHead(NamedTuple):
    """Results of one player moving first against another."""

    games: int
    points: float
    """Points of the player who moved first."""


class Ratings:
    """The strengths of all players, the best first."""

    def __init__(
        self,
        players: list[Rating],
        side_advantage: SideAdvantage,
        groups: list[list[str]],
        order: dict[str, int],
        elo: Any,
        covariance: Any,
    ) -> None:
        self.players = players
        self.side_advantage = side_advantage
        self.groups = groups
        """Players who are connected by games; strengths in two groups compare only by the prior."""
        self._by_name = {rating.name: rating for rating in players}
        self._order = order
        self._elo = elo
        self._covariance = covariance

    def __getitem__(self, name: str) -> Rating:
        return self._by_name[name]

    def difference(self, one: str, other: str) -> tuple[float, float]:
        """Return how much stronger one is than the other, with the half width of the 95 % interval.

        The errors of two strengths are correlated, so this is not the sum of them.
        """
        i, j = self._order[one], self._order[other]
        variance = self._covariance[i, i] + self._covariance[j, j] - 2 * self._covariance[i, j]
        return float(self._elo[i] - self._elo[j]), Z * sqrt(max(0.0, float(variance)))

    def superiority(self, one: str, other: str) -> float:
        """Return the probability that one is stronger than the other, given the results."""
        mean, error = self.difference(one, other)
        return normal(mean * Z / error) if error else 0.5


def rate(games: Iterable[Finished], names: Sequence[str] = ()) -> Ratings:
    """Rate all players of these games, and those in `names` who did not play.

    >>> rate([]).players
    []
    """
    results: dict[tuple[str, str], list[float]] = {}
    for game in games:
        tally = results.setdefault(game.players, [0, 0.0])
        tally[0] += 1
        tally[1] += 0.5 if game.winner is None else 1 - game.winner
    return rate_tallies(
        {players: HeadToHead(int(n), points) for players, (n, points) in results.items()}, names
    )


def rate_tallies(results: dict[tuple[str, str], HeadToHead], names: Sequence[str] = ()) -> Ratings:
    """Rate players from results that are added up by the first mover and the opponent."""
    players = list(dict.fromkeys([*names, *sorted({name for pair in results for name in pair})]))
    order = {name: number for number, name in enumerate(players)}
    first = np.array([order[one] for one, _ in results], np.intp)
    second = np.array([order[other] for _, other in results], np.intp)
    counts = np.array([tally.games for tally in results.values()], float)
    points = np.array([tally.points for tally in results.values()])
    strengths, hessian = _fit(len(players), first, second, counts, points)

    covariance = np.linalg.inv(hessian) * ELO**2
    elo = strengths[:-1] * ELO
    # Games determine only differences between players. The prior lets the mean of all vary too; that variance is no
    # error of any player, so the covariance is projected on strengths that add up to 0.
    centre = np.eye(len(players)) - (1 / max(1, len(players)))
    centred = centre @ covariance[:-1, :-1] @ centre
    errors = Z * np.sqrt(np.maximum(0.0, np.diag(centred)))

    played, scored = np.zeros(len(players), int), np.zeros(len(players))
    np.add.at(played, first, counts.astype(int))
    np.add.at(played, second, counts.astype(int))
    np.add.at(scored, first, points)
    np.add.at(scored, second, counts - points)
    ratings = [
        Rating(name, float(elo[i]), float(errors[i]), int(played[i]), float(scored[i]))
        for name, i in order.items()
    ]
    ratings.sort(key=lambda rating: -rating.elo)
    advantage = SideAdvantage(float(strengths[-1] * ELO), float(Z * sqrt(covariance[-1, -1])))
    return Ratings(ratings, advantage, _groups(players, results), order, elo, centred)


def _fit(players: int, first: Any, second: Any, counts: Any, points: Any) -> tuple[Any, Any]:
    """Return the strengths and the side advantage of highest posterior, in natural units, and the curvature there.

    Newton's method: the logarithm of the posterior is strictly concave, so it has one maximum. A step that does
    not lead upwards, which happens far from the maximum, is halved. The gradient of the games alone adds up to 0
    over the players, so with the prior the mean strength at the maximum is 0.
    """
    # The prior adds 1/variance to the curvature; in natural units a standard deviation of PRIOR Elo is PRIOR / ELO.
    precision = np.full(players + 1, (ELO / PRIOR) ** 2)
    precision[-1] = (ELO / SIDE_PRIOR) ** 2
    at = np.zeros(players + 1)

    def height(at: Any) -> float:
        margin = at[first] - at[second] + at[-1]
        # log(1 / (1 + e^-x)) is −logaddexp(0, −x), which neither overflows nor loses digits far from 0.
        likelihood = -points @ np.logaddexp(0, -margin) - (counts - points) @ np.logaddexp(0, margin)
        return float(likelihood - precision @ (at * at) / 2)

    for _ in range(MOST_STEPS):
        expected = np.exp(-np.logaddexp(0, at[second] - at[first] - at[-1]))
        surplus = points - counts * expected
        weight = counts * expected * (1 - expected)
        gradient = -precision * at
        np.add.at(gradient, first, surplus)
        np.add.at(gradient, second, -surplus)
        gradient[-1] += surplus.sum()
        # The negative second derivatives: each pair's weight on the diagonal of both players, and between them.
        hessian = np.diag(precision)
        np.add.at(hessian, (first, first), weight)
        np.add.at(hessian, (second, second), weight)
        np.add.at(hessian, (first, second), -weight)
        np.add.at(hessian, (second, first), -weight)
        for place, sign in ((first, 1), (second, -1)):
            np.add.at(hessian, (place, players), sign * weight)
            np.add.at(hessian, (players, place), sign * weight)
        hessian[-1, -1] += weight.sum()
        step = np.linalg.solve(hessian, gradient)
        if np.abs(step).max() < CLOSE:
            break
        before = height(at)
        while height(at + step) < before and np.abs(step).max() > CLOSE:
            step = step / 2
        at = at + step
    return at, hessian


def _groups(players: Sequence[str], results: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return the groups of players who are connected by games, the largest first."""
    leader = {name: name for name in players}  # union-find: each player points towards its group's leader

    def lead(name: str) -> str:
        while leader[name] != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    for one, other in results:
        leader[lead(one)] = lead(other)
    groups: dict[str, list[str]] = {}
    for name in players:
        groups.setdefault(lead(name), []).append(name)
    return sorted(groups.values(), key=lambda group: -len(group))
