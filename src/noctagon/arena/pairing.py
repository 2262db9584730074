"""Who meets whom: everybody, one against all, Swiss rounds by matching, a knockout bracket. Names in, pairs out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from math import ceil, log2
from typing import NamedTuple

Pair = tuple[str, str]


class SwissRound(NamedTuple):
    """The pairs of a round, and who rests where the number of players is odd."""

    pairs: list[Pair]
    bye: str = ""


def round_robin(names: Sequence[str]) -> list[Pair]:
    """Everybody against everybody, in the order of the circle: after each round all have met as many others.

    >>> round_robin(["a", "b", "c", "d"])
    [('a', 'd'), ('b', 'c'), ('a', 'c'), ('d', 'b'), ('a', 'b'), ('c', 'd')]
    """
    circle = [*names, ""] if len(names) % 2 else list(names)
    pairs: list[Pair] = []
    for _ in range(len(circle) - 1):
        half = len(circle) // 2
        pairs += zip(circle[:half], reversed(circle[half:]), strict=True)
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return [pair for pair in pairs if all(pair)]


def gauntlet(names: Sequence[str]) -> list[Pair]:
    """The first against each of the others."""
    return [(names[0], other) for other in names[1:]]


def swiss_rounds(players: int) -> int:
    """How many rounds a Swiss tournament needs to tell who is first: as many as a knockout, but at least three.

    >>> swiss_rounds(4), swiss_rounds(9), swiss_rounds(100)
    (3, 4, 7)
    """
    return min(max(3, ceil(log2(max(players, 2)))), max(1, players - 1))


def swiss_round(
    points: Mapping[str, float], met: Collection[frozenset[str]], rested: Collection[str] = ()
) -> SwissRound:
    """The next round: players with equal points meet if they have not yet, by a matching of the largest weight.

    `points` lists the players in the order of their seeds. Among equals the upper half meets the lower. Where the
    number is odd the last rests, who has not rested before. Players meet again only where nothing else is left.
    """
    import networkx

    order = sorted(points, key=lambda name: -points[name])  # stable: equals stay in the order of their seeds
    bye = ""
    if len(order) % 2:
        bye = next((name for name in reversed(order) if name not in rested), order[-1])
        order.remove(bye)
    widest = max(points.values(), default=0.0) - min(points.values(), default=0.0)
    rematch = len(order) * (10 * widest * widest + 1)  # more than all gaps of a round together
    graph = networkx.Graph()
    graph.add_nodes_from(range(len(order)))
    for (one, first), (other, second) in combinations(enumerate(order), 2):
        equals = [name for name in order if points[name] == points[first]]
        gap = points[first] - points[second]
        # A player who meets the one half a group below costs nothing; the farther from there, the more.
        distance = abs((other - one) - len(equals) // 2) / len(order) if gap == 0 else 1.0
        cost = 10 * gap * gap + distance + (rematch if frozenset((first, second)) in met else 0.0)
        graph.add_edge(one, other, weight=-cost)
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    pairs = sorted((min(pair), max(pair)) for pair in matching)
    return SwissRound([(order[one], order[other]) for one, other in pairs], bye)


def bracket(names: Sequence[str]) -> list[str]:
    """The first round of a knockout as a list of places, two and two; an empty name is a bye.

    The first two seeds can meet only in the final, the first four only in the semi-finals, and so on.

    >>> bracket(["a", "b", "c", "d", "e"])
    ['a', '', 'd', 'e', 'b', '', 'c', '']
    """
    places = [1]
    while len(places) < len(names):
        total = 2 * len(places) + 1
        places = [seed for place in places for seed in (place, total - place)]
    return [names[place - 1] if place <= len(names) else "" for place in places]
