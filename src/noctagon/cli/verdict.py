"""The sequential test in words: its bounds, its state, its verdict."""

from __future__ import annotations

from math import isfinite

from noctagon.arena.sprt import Counts, Outlook, Sprt
from noctagon.arena.statistics import LARGEST_SCORE
from noctagon.core.game import NoctagonError

BAR = 30


def numbers(text: str, option: str, example: str, count: int) -> list[float]:
    """Read a fixed number of numbers with commas between them."""
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if len(found) != count or not all(isfinite(number) for number in found):
        raise NoctagonError(
            f"{option} {text}: {count} numbers with commas and no blanks between them, as in {option} {example}"
        )
    return found


def counts_of(text: str, option: str, example: str, count: int) -> list[int]:
    """Read a fixed number of counts with commas between them."""
    found = numbers(text, option, example, count)
    if not all(number >= 0 and number == int(number) for number in found):
        raise NoctagonError(f"{option} {text}: counts are whole numbers, and not negative")
    return [int(number) for number in found]


def make_test(bounds: str, option: str, *, alpha: float, beta: float, normalized: bool) -> Sprt:
    """Make a test from the values of its options."""
    low, high = numbers(bounds, option, "0,10", 2)
    try:
        return Sprt(low, high, alpha, beta, normalized)
    except ValueError as error:
        raise NoctagonError(str(error)) from error


def verdict(test: Sprt, llr: float, one: str, other: str) -> str:
    """Explain the verdict to a reader who does not know the test.

    >>> verdict(Sprt(0, 10), 3.0, "A", "B")
    'A is stronger than B: the results fit a lead of +10 Elo (or more) far better than 0 (or less).'
    """
    unit = "normalised Elo" if test.normalized else "Elo"
    low, high = (f"{elo:+g}" if elo else "0" for elo in (test.elo0, test.elo1))
    match test.verdict(llr):
        case True:
            if test.elo0 >= 0:
                found = f"{one} is stronger than {other}"
            else:
                found = f"{one} is not weaker than {other} by {-test.elo0:g} {unit}"
            return (
                f"{found}: the results fit a lead of {high} {unit} (or more) far better than {low} (or less)."
            )
        case False:
            if test.elo1 <= 0:
                found = f"{one} is weaker than {other}"
            else:
                found = f"{one} is not stronger than {other} by {test.elo1:g} {unit}"
            return (
                f"{found}: the results fit a lead of {low} {unit} (or less) far better than {high} (or more)."
            )
        case None:
            return f"Not decided: leads of {low} and of {high} {unit} both still fit the results."


def mistakes(test: Sprt) -> str:
    """Say how often such a verdict is wrong."""
    return (
        f"A verdict is wrong in about {100 * test.alpha:g} % of cases if the lead is {test.elo0:g} or less, "
        f"and in {100 * test.beta:g} % if it is {test.elo1:g} or more."
    )


def bar(test: Sprt, llr: float) -> str:
    """Draw the likelihood ratio between its bounds.

    >>> bar(Sprt(0, 10), 1.5)
    '-2.94 ···············│███████▌······· 2.94'
    """
    share = (min(max(llr, test.lower), test.upper) - test.lower) / (test.upper - test.lower)
    middle = round(BAR * -test.lower / (test.upper - test.lower))
    place = share * BAR
    cells = []
    for cell in range(BAR):
        filled = min(place, cell + 1) - max(middle, cell) if cell >= middle else cell + 1 - max(place, cell)
        cells.append("█" if filled > 0.75 else ("▌" if cell >= middle else "▐") if filled > 0.25 else "·")
    return f"{test.lower:.2f} {''.join(cells[:middle])}│{''.join(cells[middle:])} {test.upper:.2f}"


def estimate(counts: Counts) -> str:
    """Describe Elo with its 95 % interval, and the probability that the player is the stronger one.

    >>> estimate(Counts((10, 50, 120, 60, 15)))
    'Elo +13.6 (-6.3 to +33.2) · stronger with a likelihood of 90.9 %'
    >>> estimate(Counts((0, 0, 0, 0, 1)))
    'Elo +798.3 or more (-233.8 to …) · stronger with a likelihood of 69.5 %'
    """
    likelihood = f"stronger with a likelihood of {100 * counts.superiority:.1f} %"
    mean, low, high, _ = counts.score
    beyond = " or more" if mean > LARGEST_SCORE else " or less" if mean < 1 - LARGEST_SCORE else ""
    least, most = counts.elo_interval
    ends = (
        "…" if low < 1 - LARGEST_SCORE else f"{least:+.1f}",
        "…" if high > LARGEST_SCORE else f"{most:+.1f}",
    )
    return f"Elo {counts.elo:+.1f}{beyond} ({ends[0]} to {ends[1]}) · {likelihood}"


def outlooks(test: Sprt, counts: Counts) -> list[Outlook]:
    """List what to expect at true differences around the bounds."""
    low, high = test.elo0, test.elo1
    width = high - low
    return [test.outlook(elo, counts) for elo in (low - width, low, low + width / 2, high, high + width)]
