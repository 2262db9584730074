"""What a score of a search says, in words."""

from __future__ import annotations

from noctagon.search.tree import DECIDED, WIN

MOST_POINTS = WIN / 100
"""A larger score is taken for an average over games won and lost: few positions are worth as many points."""


def describe_score(score: float, *, chances: bool = False) -> str:
    """A score as the mover sees it: points, a chance to win, or in how many plies the game is decided.

    `chances` says that it comes from a player whose scores all are chances: nothing for either is then 50%.

    >>> describe_score(3.14159), describe_score(999_997.0), describe_score(-999_998.0)
    ('+3.142', 'wins in 3', 'loses in 2')
    >>> describe_score(600_000.0), describe_score(2.2e-16)
    ('80% to win', '+0')
    >>> describe_score(0.0, chances=True)
    '50% to win'
    >>> describe_score(DECIDED), describe_score(-DECIDED)  # as good as sure is not sure
    ('99% to win', '1% to win')
    """
    if abs(score) > DECIDED:
        return f"{'wins' if score > 0 else 'loses'} in {WIN - abs(score):.0f}"
    chance = chance_of(score, chances=chances)
    return f"{round(score, 6) + 0.0:+.4g}" if chance is None else f"{max(0.01, min(0.99, chance)):.0%} to win"


def chance_of(score: float, *, chances: bool = False) -> float | None:
    """The chance to win that a score stands for, where some games below it are won or lost, or all are `chances`."""
    return (score / WIN + 1) / 2 if chances or abs(score) > MOST_POINTS else None
