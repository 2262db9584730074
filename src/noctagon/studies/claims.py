"""Claims about players: how a file states them, and what the figures say of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, inf
from typing import Literal, NamedTuple

import msgspec

from noctagon.arena.statistics import Difference, Score, Z, interval

Verdict = Literal["confirmed", "refuted", "undecided"]

MARKS: dict[Verdict, str] = {"confirmed": "✓ confirmed", "refuted": "✗ refuted", "undecided": "? undecided"}
BETTER = 0.5
"""The score above which one player is better than another."""
MOST_GAMES = 100_000
"""Estimates of the games that a decision takes end here."""

Names = str | tuple[str, ...]


class Claim(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A claim that figures can settle, as a file states it.

    With `opponent` alone, `player` scores more than `at_least`: against several opponents over all games together, or
    with `each` against every one of them, or with `on_maps` the half or more on this share of the maps. With `than`,
    the score is higher against `opponent` than against those. With `faultless` these players make no fault.
    """

    says: str = ""
    """The claim as a sentence; by default it is made from the rest."""
    source: str = ""
    """The document that claims it."""
    name: str = ""
    """A short name for tables, conclusions and figures in texts."""
    player: str = ""
    opponent: Names = ()
    than: Names = ()
    at_least: float | None = None
    """The score that is exceeded; by default the half, and with `than` a difference of none."""
    side: str = ""
    """The side with which the player's games count, by the game's name for it; by default both."""
    each: bool = False
    on_maps: float | None = None
    faultless: Names = ()
    confirmed: str = ""
    """Text of the author for this verdict."""
    refuted: str = ""
    undecided: str = ""

    @property
    def bar(self) -> float:
        """The score, or the difference of scores, that the claim needs."""
        return self.at_least if self.at_least is not None else 0.0 if self.than else BETTER

    @property
    def opponents(self) -> tuple[str, ...]:
        """All opponents whose games the claim needs."""
        return tuple(dict.fromkeys((*listed(self.opponent), *listed(self.than))))


def listed(names: Names) -> tuple[str, ...]:
    """Return one name or several as several."""
    return (names,) if isinstance(names, str) else names


class JudgedClaim(NamedTuple):
    """A claim with its verdict, its figures in a few words, and what they mean."""

    says: str
    source: str
    verdict: Verdict
    figure: str
    meaning: str = ""
    name: str = ""
    lead: float = 0.0
    """The distance of the score from what the claim needs."""

    @property
    def mark(self) -> str:
        """The verdict as it stands in tables."""
        return mark(self.verdict, self.lead)


def mark(verdict: Verdict, lead: float) -> str:
    """Return a verdict as it stands in tables; an undecided one leans to the side of the score.

    >>> mark("undecided", -0.02)
    '? undecided, leaning to no'
    """
    leaning = f", leaning to {'yes' if lead > 0 else 'no'}" if verdict == "undecided" and lead else ""
    return f"{MARKS[verdict]}{leaning}"


def judge(score: Score | Difference, at_least: float) -> Verdict:
    """Return confirmed if the whole interval lies above the bar, refuted if all of it lies below."""
    if score.low > at_least:
        return "confirmed"
    return "refuted" if score.high < at_least else "undecided"


def all_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict on a claim of several parts: refuted with any of them, confirmed with all."""
    if "refuted" in verdicts:
        return "refuted"
    return "confirmed" if verdicts and all(one == "confirmed" for one in verdicts) else "undecided"


def explain(score: Score, at_least: float, games: int) -> str:
    """Return what a score over this many games means for a claim, in sentences.

    >>> explain(Score(0.43, 0.40, 0.47, 115), 0.5, 230)
    'The whole interval lies below the 50 % that the claim needs.'
    >>> explain(Score(0.61, 0.55, 0.66, 115), 0.65, 230)
    'The interval includes the 65 % that the claim needs; if the score stays as it is, about 440 games decide.'
    """
    needs = f"the {100 * at_least:.0f} % that the claim needs"
    verdict = judge(score, at_least)
    if verdict != "undecided":
        return f"The whole interval lies {'above' if verdict == 'confirmed' else 'below'} {needs}."
    wanted = pairs_to_decide(score, at_least) * games / score.pairs
    outlook = (
        f"about {round_up(wanted):,} games decide"
        if wanted <= MOST_GAMES
        else "no number of games decides soon"
    )
    return f"The interval includes {needs}; if the score stays as it is, {outlook}."


def pairs_to_decide(score: Score, at_least: float) -> float:
    """Return how many pairs like these it takes until the interval leaves out the bar; infinity beyond any reason."""
    weight = score.pairs + Z * Z
    middle = (score.mean * score.pairs + Z * Z / 2) / weight
    half = max(middle - score.low, score.high - middle)
    squares = max(0.0, (half * weight / Z) ** 2 - Z * Z / 4)
    factor = 1.0
    while factor * score.pairs <= MOST_GAMES:
        total = score.mean * score.pairs * factor
        if judge(interval(round(score.pairs * factor), total, squares * factor), at_least) != "undecided":
            return score.pairs * factor
        factor *= 1.02
    return inf


def explain_difference(difference: Difference, at_least: float) -> str:
    """Return what a difference of two scores means for a claim."""
    needs = f"{100 * at_least:.0f} points"
    verdict = judge(difference, at_least)
    if verdict == "undecided":
        return f"The interval includes {needs}: these games do not decide it."
    return f"The whole interval lies {'above' if verdict == 'confirmed' else 'below'} {needs}."


def round_up(count: float) -> int:
    """Round up to two digits.

    >>> round_up(437), round_up(12.3), round_up(3)
    (440, 13, 3)
    """
    step = int(10 ** max(0, len(str(ceil(count))) - 2))
    return ceil(count / step) * step


def tally(findings: Sequence[JudgedClaim]) -> str:
    """Return how many claims are confirmed, refuted and undecided, as a sentence."""
    if len(findings) == 1:
        return f"The claim is {findings[0].verdict}."
    count = {verdict: sum(one.verdict == verdict for one in findings) for verdict in MARKS}
    parts = [f"{number} {verdict}" for verdict, number in count.items() if number]
    parts[0] = parts[0].replace(" ", " is " if parts[0].startswith("1 ") else " are ")
    if len(parts) == 1:
        return f"All {len(findings)} claims are {findings[0].verdict}."
    leaning = sum(one.verdict == "undecided" and one.lead > 0 for one in findings)
    leans = f" ({leaning} of them leaning to yes)" if count["undecided"] else ""
    return f"Of {len(findings)} claims {', '.join(parts[:-1])} and {parts[-1]}{leans}."


def percent(share: float) -> str:
    """Return a share in percent."""
    return f"{100 * share:.0f} %"
