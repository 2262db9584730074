"""Ratings: known strengths are found again with honest error bars, and nothing depends on the order of the games."""

from itertools import permutations
from math import log10, sqrt
from random import Random

import pytest

from noctagon.arena.bout import Finished
from noctagon.arena.ratings import ELO, PRIOR, HeadToHead, rate, rate_tallies
from tests.arena.games import a_game

A, B = "ada", "bob"


def series(wins: int, draws: int, losses: int, players: tuple[str, str] = (A, B)) -> list[Finished]:
    """Games of the first against the second player, by turns from both sides."""
    results = [1.0] * wins + [0.5] * draws + [0.0] * losses
    games = []
    for number, points in enumerate(results):
        swapped = number % 2
        winner = None if points == 0.5 else int(points == 0) ^ swapped
        games.append(a_game(players=players[::-1] if swapped else players, winner=winner, record=b""))
    return games


def simulated(
    rng: Random, elos: dict[str, float], side: float, games: int, draws: float = 0.0
) -> dict[tuple[str, str], HeadToHead]:
    """A round robin, each as both sides; `draws` is how often a game between equals is drawn."""
    results = {}
    for one, other in permutations(elos, 2):
        mean = 1 / (1 + 10 ** ((elos[other] - elos[one] - side) / 400))
        even = draws * 2 * min(mean, 1 - mean)
        points = rng.choices((1.0, 0.5, 0.0), (mean - even / 2, even, 1 - mean - even / 2), k=games)
        results[one, other] = HeadToHead(games, sum(points))
    return results


def test_two_players_have_the_difference_that_their_score_stands_for() -> None:
    ratings = rate(series(640, 200, 160))
    score = 0.74
    difference, error = ratings.difference(A, B)
    assert difference == pytest.approx(400 * log10(score / (1 - score)), abs=0.3)
    # The information of n games about a difference is n·p·(1 − p), draws as half a win and half a loss.
    assert error == pytest.approx(1.96 * ELO / sqrt(1000 * score * (1 - score)), rel=0.01)
    best, worst = ratings.players
    assert (best.name, worst.name) == (A, B)
    assert best.elo == pytest.approx(difference / 2)
    assert best.elo + worst.elo == pytest.approx(0, abs=1e-6)
    # With two players each errs by half of the difference.
    assert best.error == pytest.approx(error / 2)
    assert (best.games, best.points, worst.points) == (1000, 740, 260)


def test_the_side_advantage_of_equals() -> None:
    games = [a_game(players=pair, winner=0, record=b"") for pair in ((A, B), (B, A)) for _ in range(150)]
    games += [a_game(players=pair, winner=1, record=b"") for pair in ((A, B), (B, A)) for _ in range(50)]
    ratings = rate(games)
    assert ratings.players[0].elo == pytest.approx(0, abs=1e-6)
    assert ratings.side_advantage.elo == pytest.approx(400 * log10(3), rel=0.01)
    assert ratings.side_advantage.error == pytest.approx(1.96 * ELO / sqrt(400 * 0.75 * 0.25), rel=0.02)


def test_known_ratings() -> None:
    """Values computed with SciPy's Cholesky factors; a Nelder–Mead search found the same summit."""
    results = simulated(Random(5), {"a": 200, "b": 30, "c": -40, "d": -190}, 35, 7, 0.3)
    ratings = rate_tallies(results)
    assert {name: (ratings[name].elo, ratings[name].error) for name in "abcd"} == {
        "a": pytest.approx((67.06310026502148, 83.29498508113066), abs=1e-9),
        "b": pytest.approx((67.06310026502148, 83.29498508113059), abs=1e-9),
        "c": pytest.approx((1.266753250157552, 81.61211767671594), abs=1e-9),
        "d": pytest.approx((-135.39295378020023, 89.69098916034854), abs=1e-9),
    }
    assert ratings.side_advantage == pytest.approx((4.549561950674159, 77.92948391038479), abs=1e-9)
    assert ratings.difference("a", "d") == pytest.approx((202.45605404522172, 143.545185879249), abs=1e-9)


def test_known_ratings_of_a_perfect_score_and_two_groups() -> None:
    ratings = rate_tallies({("a", "b"): HeadToHead(100, 100.0), ("c", "d"): HeadToHead(3, 1.5)}, ["e"])
    assert [rating.name for rating in ratings.players] == ["a", "d", "e", "c", "b"]
    assert [(rating.elo, rating.error) for rating in ratings.players[:3]] == [
        pytest.approx((548.6394709985358, 965.8467587976219), abs=1e-9),
        pytest.approx((16.133640226987374, 899.5431034673999), abs=1e-9),
        pytest.approx((0.0, 1402.4360649225305), abs=1e-9),
    ]
    assert ratings.side_advantage == pytest.approx((33.281614423221775, 381.22814083737927), abs=1e-9)


@pytest.mark.parametrize(("draws", "least", "most"), [(0.0, 0.935, 0.965), (0.5, 0.95, 1.0)])
def test_the_intervals_hold_the_true_strength(draws: float, least: float, most: float) -> None:
    """In 95 % of all cases; more often where many are drawn: a draw tells more than half a win and half a loss."""
    rng = Random(20)
    held = sides = 0
    for _ in range(400):
        elos = {name: rng.gauss(0, 150) for name in "abcdef"}
        mean = sum(elos.values()) / len(elos)
        ratings = rate_tallies(simulated(rng, elos, 40, 15, draws))
        held += sum(abs(player.elo - elos[player.name] + mean) <= player.error for player in ratings.players)
        sides += abs(ratings.side_advantage.elo - 40) <= ratings.side_advantage.error
    assert least <= held / 2400 <= most
    assert 0.92 <= sides / 400 <= 1.0


def test_superiority_is_how_often_the_better_looking_one_is_better() -> None:
    """Where strengths are drawn as the prior says: of pairs with a likelihood around 80 %, 80 % are right."""
    rng = Random(7)
    right, told = 0, 0.0
    count = 0
    for _ in range(300):
        elos = {name: rng.gauss(0, 100) for name in "abcd"}
        ratings = rate_tallies(simulated(rng, elos, 0, 8))
        for one, other in permutations(elos, 2):
            likelihood = ratings.superiority(one, other)
            assert likelihood == pytest.approx(1 - ratings.superiority(other, one))
            if 0.7 < likelihood < 0.9:
                right += elos[one] > elos[other]
                told += likelihood
                count += 1
    assert right / count == pytest.approx(told / count, abs=0.06)


def test_twice_the_games_make_the_error_smaller_by_the_root_of_two() -> None:
    results = simulated(Random(1), {"a": 100, "b": 0, "c": -50}, 20, 100)
    once = rate_tallies(results)
    twice = rate_tallies({pair: HeadToHead(2 * n, 2 * points) for pair, (n, points) in results.items()})
    for name in "abc":
        assert once[name].error / twice[name].error == pytest.approx(sqrt(2), rel=0.005)


def test_the_order_of_games_and_names_is_no_matter() -> None:
    games = series(8, 3, 4) + series(5, 1, 6, (B, "cleo")) + series(2, 2, 2, ("cleo", A))
    one = rate(games)
    mixed = list(games)
    Random(3).shuffle(mixed)
    other = rate(mixed, ["cleo", B, A])
    for name in (A, B, "cleo"):
        assert one[name].elo == pytest.approx(other[name].elo, abs=1e-6)
        assert one[name].error == pytest.approx(other[name].error, abs=1e-6)
    assert one.superiority(A, "cleo") == pytest.approx(other.superiority(A, "cleo"))


def test_the_common_shift_is_no_error() -> None:
    """The raw inverse of the curvature lets all strengths drift together, by as much as the prior allows."""
    ratings = rate(series(500, 0, 500))
    assert ratings[A].error < 12
    assert 1.96 * PRIOR / sqrt(2) > 1000  # what the raw one would say


def test_a_perfect_score_is_finite_and_grows_with_the_games() -> None:
    ten, hundred = rate(series(10, 0, 0)), rate(series(100, 0, 0))
    assert 300 < ten.difference(A, B)[0] < hundred.difference(A, B)[0] < 1500
    assert 0.9 < ten.superiority(A, B) < hundred.superiority(A, B)


def test_players_without_games_and_groups_that_never_met() -> None:
    games = series(30, 0, 10) + series(10, 0, 30, ("cleo", "dan"))
    ratings = rate(games, ["eve", A])
    assert ratings.groups == [[A, B], ["cleo", "dan"], ["eve"]]
    assert ratings["eve"].games == 0
    assert ratings["eve"].elo == pytest.approx(0, abs=1e-6)
    assert ratings["eve"].error > 1000
    # Within a group much is known, between groups next to nothing.
    assert ratings.superiority(A, B) > 0.99
    assert ratings.difference(A, B)[1] < 200
    assert list(ratings.difference(A, "dan")) == pytest.approx([0, 1600], abs=100)
    assert ratings.superiority(A, "dan") == pytest.approx(0.5, abs=1e-6)


def test_nobody_and_one() -> None:
    assert rate([]).players == []
    (only,) = rate([], [A]).players
    assert (only.elo, only.error, only.games) == (0, 0, 0)


def test_games_are_the_same_as_what_they_add_up_to() -> None:
    games = series(3, 1, 2) * 500
    one = rate(games)
    first = sum(game.points(0) for game in games if game.players == (A, B))
    second = sum(game.points(0) for game in games if game.players == (B, A))
    other = rate_tallies({(A, B): HeadToHead(1500, first), (B, A): HeadToHead(1500, second)})
    assert one.players == other.players
    assert one[A].games == 3000
