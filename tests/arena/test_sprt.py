"""The sequential test: published values, brute force, and how often it is wrong."""

from math import log
from random import Random

import pytest

from noctagon.arena.sprt import NO_PAIRS, Counts, Running, Sprt, expected_score

PUBLISHED = [
    # outcomes, bounds, LLR as printed (two digits), where
    ((491, 7345, 29693, 7670, 465), (-0.25, 1.25), 2.96, "official-stockfish/Stockfish#3098, STC"),
    ((53, 2220, 21459, 2445, 47), (0.25, 1.25), 2.97, "official-stockfish/Stockfish#3098, LTC"),
    ((17, 253, 1042, 337, 39), (-0.5, 1.5), 2.96, "official-stockfish/Stockfish#2971, STC"),
    ((11, 407, 3238, 513, 11), (0.25, 1.75), 2.93, "official-stockfish/Stockfish#2971, LTC"),
    ((424, 2948, 5832, 3045, 460), (-1, 3), 2.94, "official-stockfish/Stockfish#2493, STC"),
    ((2073, 13759, 27890, 13977, 1973), (-1.5, 0.5), 2.97, "official-stockfish/Stockfish#2913, STC"),
    ((3927, 13878, 4115), (-1, 1), 2.95, "vshcherbyna/igel#333, VSTC: games, not pairs"),
    ((4794, 32462, 5035), (0, 2), 2.95, "vshcherbyna/igel#333, STC: games, not pairs"),
    ((759, 1863, 880), (0, 5), 2.95, "cutechess/cutechess#543: games, not pairs"),
]
PUBLISHED_NORMALIZED = [
    ((264, 5737, 31270, 5964, 269), (-0.5, 2.5), 2.97, "official-stockfish/Stockfish#3514, STC"),
    ((29, 2205, 35000, 2392, 34), (0.5, 3.5), 2.94, "official-stockfish/Stockfish#3514, LTC"),
    ((831, 31795, 68460, 32448, 834), (0, 2), 2.93, "official-stockfish/Stockfish#5712, STC"),
    ((584, 11950, 25215, 11975, 596), (0, 3), -2.96, "cosmobobak/viridithas#292"),
    ((81, 563, 1163, 687, 114), (0, 4), 3.16, "official-monty/Monty#23, STC"),
    ((84, 240, 451, 274, 119), (0, 10), 3.01, "ProgramciDusunur/Potential#12"),
    (
        (0, 2027, 5931, 2193, 1),
        (0, 4),
        2.90,
        "codedeliveryservice/Reckless#664: an outcome that never happened",
    ),
]


@pytest.mark.parametrize(("outcomes", "bounds", "llr", "source"), PUBLISHED)
def test_published_values(
    outcomes: tuple[int, ...], bounds: tuple[float, float], llr: float, source: str
) -> None:
    assert Sprt(*bounds).llr(Counts(outcomes)) == pytest.approx(llr, abs=0.0051), source


@pytest.mark.parametrize(("outcomes", "bounds", "llr", "source"), PUBLISHED_NORMALIZED)
def test_published_values_with_normalized_bounds(
    outcomes: tuple[int, ...], bounds: tuple[float, float], llr: float, source: str
) -> None:
    assert Sprt(*bounds, normalized=True).llr(Counts(outcomes)) == pytest.approx(llr, abs=0.0051), source


def test_published_statistics_to_five_digits() -> None:
    """Raw statistics of a test on montytest.muzhen.org (69d3c8dc7c5b3724e29d2712), bounds [0, 4] normalised."""
    counts = Counts((13, 37, 50, 25, 3))
    assert Sprt(0, 4, normalized=True).llr(counts) == pytest.approx(-0.54912, abs=1e-5)
    # The same bounds in logistic Elo, as the page gives them: 0 and 2.716.
    assert Sprt(0, 2.716).llr(counts) == pytest.approx(-0.53772, abs=1e-4)
    assert counts.score.mean == pytest.approx(0.4375)
    assert counts.variance == pytest.approx(0.05762, abs=1e-5)
    assert counts.elo == pytest.approx(-43.6578, abs=1e-3)
    assert counts.normalized_elo == pytest.approx(-63.97, abs=0.01)


def test_published_estimates() -> None:
    """ProgramciDusunur/Potential#12: Elo 15.48 ± 10.60, nElo 20.60, LOS 99.79 %, draw ratio 38.61 %."""
    counts = Counts((84, 240, 451, 274, 119))
    assert counts.games == 2336
    assert counts.elo == pytest.approx(15.48, abs=0.005)
    low, high = counts.elo_interval
    assert (high - low) / 2 == pytest.approx(10.60, abs=0.05)
    assert counts.normalized_elo == pytest.approx(20.60, abs=0.005)
    assert counts.superiority == pytest.approx(0.9979, abs=0.0002)
    assert counts.draws == pytest.approx(0.3861, abs=0.00005)


def test_the_bounds_are_walds() -> None:
    test = Sprt(0, 5)
    assert [test.lower, test.upper] == pytest.approx([-2.944, 2.944], abs=0.001)
    test = Sprt(0, 5, alpha=0.05, beta=0.1)
    assert [test.lower, test.upper] == pytest.approx([-2.25, 2.89], abs=0.005)
    assert (test.verdict(3.0), test.verdict(0.0), test.verdict(-2.5)) == (True, None, False)


@pytest.mark.parametrize(
    ("outcomes", "llr", "normalized"),
    [
        ((3, 10, 30, 14, 5), 0.4478497715957, 1.1111868104809),
        ((20, 1, 2, 9, 40), 5.2168284713817, 6.4309274516063),
        ((5, 7, 11), 1.5584138984594, 1.3538506006313),
        ((40, 2, 9), -8.1167130990283, -7.9176837520751),
    ],
)
def test_a_general_optimiser_finds_the_same(outcomes: tuple[int, ...], llr: float, normalized: float) -> None:
    """Likelihoods maximised by SciPy's SLSQP under the constraints of the hypotheses, without Lagrange's formula."""
    counts = Counts(outcomes)
    assert Sprt(-20, 60).llr(counts) == pytest.approx(llr, abs=1e-9)
    assert Sprt(-20, 60, normalized=True).llr(counts) == pytest.approx(normalized, abs=1e-9)


@pytest.mark.parametrize(
    ("outcomes", "bounds", "llr", "normalized"),
    [
        ((0, 0, 0, 0, 1), (0, 10), 0.02842381153948704, 0.039882924976237126),
        ((300, 150, 320), (0, 10), 0.31888348313325543, 0.32262472828497285),
        ((0, 3, 500, 90, 1), (0, 10), 16.84978877945955, 6.1988134203850525),
        ((100000, 5, 3, 2, 0), (0, 10), -2919.938663773103, -4152.324740447298),
    ],
)
def test_known_ratios_of_lopsided_results(
    outcomes: tuple[int, ...], bounds: tuple[float, float], llr: float, normalized: float
) -> None:
    """Values computed once with Brent's method (SciPy)."""
    counts = Counts(outcomes)
    assert Sprt(*bounds).llr(counts) == pytest.approx(llr, rel=1e-9)
    assert Sprt(*bounds, normalized=True).llr(counts) == pytest.approx(normalized, rel=1e-9)


def test_the_other_players_view_is_the_mirror_image() -> None:
    for normalized in (False, True):
        one = Sprt(-3, 12, normalized=normalized).llr(Counts((10, 50, 120, 60, 15)))
        other = Sprt(-12, 3, normalized=normalized).llr(Counts((15, 60, 120, 50, 10)))
        assert one == pytest.approx(-other)


@pytest.mark.parametrize("elo", [0, 60])
def test_it_is_wrong_as_rarely_as_it_was_asked_to_be(elo: float) -> None:
    """Simulated pairs whose two games are not independent; and it takes about as long as was foreseen."""
    test = Sprt(0, 60, alpha=0.05, beta=0.1)
    gain = expected_score(elo) - 0.5
    shares = [0.1 - gain / 2, 0.2 - gain / 3, 0.4, 0.2 + gain / 3, 0.1 + gain / 2]
    missing = expected_score(elo) - sum(share * number / 4 for number, share in enumerate(shares))
    shares[0], shares[4] = shares[0] - missing, shares[4] + missing
    rng = Random(11)
    accepted, lengths = 0, []
    for _ in range(400):
        running = Running(test)
        while running.verdict is None:
            running.add(rng.choices((0, 0.25, 0.5, 0.75, 1), shares)[0])
        accepted += running.verdict
        lengths.append(running.counts.total)
    wrong = accepted / 400 if elo == 0 else 1 - accepted / 400
    allowed = test.alpha if elo == 0 else test.beta
    assert wrong <= allowed + 0.022  # two standard deviations of a count in 400
    outlook = test.outlook(elo, Counts(tuple(round(1000 * share) for share in shares)))
    assert outlook.accepts == pytest.approx(0.05 if elo == 0 else 0.9, abs=0.01)
    assert sum(lengths) / 400 == pytest.approx(outlook.units, rel=0.15)


def test_once_decided_it_stays_decided() -> None:
    running = Running(Sprt(0, 100))
    while running.verdict is None:
        running.add(1.0)
    pairs = running.counts.total
    for _ in range(100):
        running.add(0.0)
    assert running.verdict is True
    assert running.counts.total == pairs


def test_the_calm_before_the_first_pair() -> None:
    running = Running(Sprt(0, 10))
    assert (running.llr, running.verdict, running.counts) == (0.0, None, NO_PAIRS)
    assert NO_PAIRS.elo == 0
    assert NO_PAIRS.superiority == 0.5


@pytest.mark.parametrize("outcome", range(5))
@pytest.mark.parametrize("normalized", [False, True])
def test_results_that_are_all_the_same_give_a_finite_ratio(outcome: int, normalized: bool) -> None:
    outcomes = [0] * 5
    outcomes[outcome] = 2000
    llr = Sprt(-1, 5, normalized=normalized).llr(Counts(tuple(outcomes)))
    assert abs(llr) < 1e5
    assert outcome == 2 or (llr > 0) == (outcome > 2)


def test_at_the_middle_of_its_bounds_it_takes_longest() -> None:
    test = Sprt(0, 10)
    counts = Counts((10, 50, 120, 60, 10))
    units = [test.outlook(elo, counts).units for elo in (-10, 0, 5, 10, 20)]
    assert units[2] == max(units)
    assert units[0] < units[1]
    assert units[4] < units[3]
    assert test.outlook(5, counts).accepts == pytest.approx(0.5, abs=0.001)
    assert test.outlook(-900, counts).accepts == pytest.approx(0, abs=1e-9)
    # Wald: at either bound the test has its errors.
    assert test.outlook(10, counts).accepts == pytest.approx(0.95, abs=0.001)
    variance = (expected_score(10) - 0.5) ** 2 / counts.variance
    assert units[2] == pytest.approx(log(19) ** 2 / variance, rel=0.01)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"elo0": 5, "elo1": 5}, "less than"),
        ({"elo0": 0, "elo1": 5000}, "up to 1000"),
        ({"elo0": 0, "elo1": 500, "normalized": True}, "normalised"),
        ({"elo0": 0, "elo1": float("nan")}, "less than"),
        ({"elo0": 0, "elo1": 5, "alpha": 0.7}, "alpha"),
        ({"elo0": 0, "elo1": 5, "beta": 0}, "beta"),
    ],
)
def test_tests_that_make_no_sense(arguments: dict[str, float], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        Sprt(**arguments)  # type: ignore[arg-type]
