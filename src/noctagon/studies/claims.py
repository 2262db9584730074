"""Claims: a question, what would settle it, and what the figures say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from noctagon.arena.statistics import Difference, Score

Verdict = Literal["confirmed", "refuted", "undecided", "reached", "short"]

MARKS: dict[Verdict, str] = {
    "confirmed": "✓ confirmed",
    "refuted": "✗ refuted",
    "undecided": "? undecided",
    "reached": "✓ reached",
    "short": "✗ short of it",
}

BETTER = 0.5
"""The score above which one player is better than another."""
GREAT = 0.65
"""The score above which it is better by a leap, or strong: the measure that AI Wargame's heuristics are held to."""


class Claim(NamedTuple):
    """That a player scores more than `at_least` against another, as somebody said it."""

    name: str
    says: str
    """What is claimed, as a sentence."""
    source: str
    """Which document says so; nothing where it is only a part of another claim."""
    player: str
    opponent: str
    at_least: float = BETTER


class Finding(NamedTuple):
    """A claim with what the figures say of it, for the list at the head of the page."""

    says: str
    source: str
    verdict: Verdict
    figure: str


def judge(score: Score | Difference, at_least: float) -> Verdict:
    """Confirmed if the whole interval lies above the bar, refuted if all of it lies below."""
    if score.low > at_least:
        return "confirmed"
    return "refuted" if score.high < at_least else "undecided"


def judge_aim(score: Score, at_least: float) -> Verdict:
    """An aim is reached or not by the mean; confirmed or refuted where the whole interval agrees with it."""
    sure = judge(score, at_least)
    return ("reached" if score.mean >= at_least else "short") if sure == "undecided" else sure


def all_of(verdicts: Sequence[Verdict]) -> Verdict:
    """A claim of several parts: refuted with any of them, confirmed with all."""
    if "refuted" in verdicts:
        return "refuted"
    return "confirmed" if verdicts and all(one == "confirmed" for one in verdicts) else "undecided"
