"""Battles as distributions: exact against the oracle, fair when rolled, refused when impossible."""

from __future__ import annotations

import pickle
from collections import Counter
from fractions import Fraction
from math import fsum, prod, sqrt
from random import Random

import pytest

from noctagon.core.game import NoctagonError
from noctagon.games.vampires.rules.battle import Battle
from noctagon.games.vampires.rules.ruleset import VampiresRules
from noctagon.games.vampires.rules.turn import Turn
from tests.vampires import oracle
from tests.vampires.positions import as_oracle, random_position, small


def battle(attackers: int, defenders: int, *, humans: bool = False) -> Battle:
    return Battle((1, 1), attackers, defenders, humans=humans, who="humans" if humans else "werewolves")


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("attackers", "defenders", "odds"),
    [(4, 4, Fraction(1, 2)), (3, 4, Fraction(3, 8)), (1, 100, Fraction(1, 200)), (7, 5, Fraction(9, 10))],
)
def test_odds_of_the_document(attackers: int, defenders: int, odds: Fraction) -> None:
    assert battle(attackers, defenders).odds == pytest.approx(float(odds), abs=1e-15)
    assert oracle.odds(attackers, defenders) == odds


def test_a_battle_travels_to_another_process_also_once_it_was_looked_at() -> None:
    looked_at = battle(6, 5)
    assert looked_at.results
    assert pickle.loads(pickle.dumps(looked_at)).results == looked_at.results


@pytest.mark.parametrize("humans", [False, True])
@pytest.mark.parametrize("attackers", range(1, 13))
def test_results_are_exact(attackers: int, humans: bool) -> None:
    for defenders in range(attackers + 1 if humans else 2 * attackers // 3 + 1, 20):
        exact = oracle.distribution(attackers, defenders, humans=humans)
        assert sum(exact.values()) == 1
        results = battle(attackers, defenders, humans=humans).results
        assert results.keys() == exact.keys()
        for result, probability in results.items():
            assert probability == pytest.approx(float(exact[result]), abs=1e-12)


@pytest.mark.parametrize(
    ("attackers", "defenders"), [(1, 255), (200, 255), (255, 200), (3000, 3001), (5000, 4000)]
)
@pytest.mark.parametrize("humans", [False, True])
def test_results_of_large_battles_sum_to_one(attackers: int, defenders: int, humans: bool) -> None:
    if humans and attackers > defenders:
        attackers, defenders = defenders, attackers
    large = battle(attackers, defenders, humans=humans)
    assert fsum(large.results.values()) == pytest.approx(1, abs=1e-12)
    won = fsum(probability for result, probability in large.results.items() if result > 0)
    assert won == pytest.approx(large.odds, abs=0.01)
    mean = fsum(result * probability for result, probability in large.results.items())
    expected = large.odds**2 * large.strength - (1 - large.odds) ** 2 * defenders
    assert mean == pytest.approx(expected, rel=1e-9)


def test_a_large_battle_is_exact_too() -> None:
    p, n = Fraction(100, 400), 300
    results = battle(100, 200, humans=True).results
    for survivors in (1, 60, 75, 90, 300):
        exact = p * oracle.binomial(n, survivors, p)
        assert results[survivors] == pytest.approx(float(exact), abs=1e-12)
    for defenders in (1, 150, 200):
        exact = (1 - p) * oracle.binomial(200, defenders, 1 - p)
        assert results[-defenders] == pytest.approx(float(exact), abs=1e-12)


@pytest.mark.parametrize(
    ("attackers", "defenders", "humans"),
    [(4, 4, False), (4, 5, False), (7, 5, False), (1, 9, False), (5, 8, True)],
)
def test_rolls_follow_the_probabilities(attackers: int, defenders: int, humans: bool) -> None:
    fair = battle(attackers, defenders, humans=humans)
    rolls, rng = 20_000, Random(42)
    seen = Counter(fair.roll(rng) for _ in range(rolls))
    assert seen.keys() <= fair.results.keys()
    common = {result: p * rolls for result, p in fair.results.items() if p * rolls >= 8}
    rare = rolls - fsum(common.values())
    deviation = fsum((seen[result] - expected) ** 2 / expected for result, expected in common.items())
    freedom = len(common)
    assert deviation < freedom + 4 * sqrt(2 * freedom)
    assert rolls - sum(seen[result] for result in common) == pytest.approx(rare, abs=5 * sqrt(rare + 1))


def test_each_battle_of_a_turn_is_a_chance_of_its_own() -> None:
    state = small(humans={(0, 1): 9, (1, 1): 2}, vampires={(0, 0): 6, (2, 0): 4}, werewolves={(2, 1): 4})
    turn = [(2, 0, 4, 2, 1), (0, 0, 3, 0, 1), (0, 0, 3, 1, 1)]
    humans, foes = state.chances(turn)
    assert humans.name == "3 against 9 humans at (0,1)"
    assert foes.name == "4 against 4 werewolves at (2,1)"
    assert (humans.cell, humans.attackers, humans.defenders, humans.humans) == ((0, 1), 3, 9, True)
    assert repr(foes) == "<Battle 4 against 4 werewolves at (2,1): 50%>"
    assert state.chances([(0, 0, 3, 1, 1)]) == ()


def test_chances_of_random_turns_are_the_oracles() -> None:
    rng = Random(3)
    battles = 0
    for _ in range(150):
        state = random_position(rng, scale=(1, 9))
        turn = state.actions().sample(rng)
        expected = oracle.battles(as_oracle(state), turn)
        for chance, plain in zip(state.chances(turn), expected, strict=True):
            battles += 1
            exact = oracle.distribution(plain.attackers, plain.defenders, humans=plain.humans)
            assert chance.results == pytest.approx({n: float(p) for n, p in exact.items()}, abs=1e-12)
            assert chance.odds == pytest.approx(float(oracle.odds(plain.attackers, plain.defenders)))
    assert battles > 30


@pytest.mark.kernel
def test_outcomes_are_all_there_is() -> None:
    rng = Random(4)
    for _ in range(30):
        state = random_position(rng, largest=3, scale=(1, 3))
        turn = state.actions().sample(rng)
        outcomes = list(state.outcomes(turn))
        assert fsum(outcome.probability for outcome in outcomes) == pytest.approx(1, abs=1e-12)
        assert len({outcome.dice for outcome in outcomes}) == len(outcomes)
        assert len(outcomes) == prod(len(chance.results) for chance in state.chances(turn))
        for outcome in outcomes[:20]:
            assert outcome.state == state.play(turn, outcome.dice)


def test_brief_results_stand_for_all() -> None:
    for attackers in range(1, 20):
        for defenders in range(1, 20):
            for humans in (False, True):
                chance = battle(attackers, defenders, humans=humans)
                if not 0 < chance.odds < 1:
                    continue
                brief = chance.brief()
                assert fsum(brief.values()) == pytest.approx(1)
                assert brief.keys() <= chance.results.keys()
                if attackers == defenders == 1 and not humans:
                    assert brief == {1: 0.25, 0: 0.5, -1: 0.25}  # an average win, and loss, would be nobody
                else:
                    assert len(brief) == 2
                    assert brief[max(brief)] == chance.odds


def test_brief_outcomes_sum_to_one() -> None:
    state = small(humans={(0, 1): 9}, vampires={(0, 0): 3, (2, 0): 4}, werewolves={(2, 1): 4})
    turn = Turn([(0, 0, 3, 0, 1), (2, 0, 4, 2, 1)])
    outcomes = list(state.outcomes(turn, brief=True))
    assert len(outcomes) == 4
    assert fsum(outcome.probability for outcome in outcomes) == pytest.approx(1)


@pytest.mark.parametrize("dice", [(), (1, 1), (7,), (-5,), (100,)])
def test_wrong_dice_are_refused(dice: tuple[int, ...]) -> None:
    state = small(vampires={(0, 0): 4}, werewolves={(1, 1): 4})
    with pytest.raises(NoctagonError):
        state.play([(0, 0, 4, 1, 1)], dice)


def test_dice_where_nothing_is_random_are_refused() -> None:
    state = small(vampires={(0, 0): 4}, werewolves={(1, 1): 4})
    with pytest.raises(NoctagonError, match="0 random battles and 1 dice"):
        state.play([(0, 0, 4, 0, 1)], (2,))


def test_every_possible_result_is_admitted() -> None:
    state = small(humans={(1, 1): 5}, vampires={(0, 0): 4}, werewolves={(2, 2): 4})
    for result in state.chances([(0, 0, 4, 1, 1)])[0].results:
        after = state.play([(0, 0, 4, 1, 1)], (result,))
        assert after.vampires.get((1, 1), 0) - after.humans.get((1, 1), 0) == result


@pytest.mark.kernel
def test_the_same_seed_rolls_the_same_dice() -> None:
    state = small(humans={(1, 1): 50}, vampires={(0, 0): 40}, werewolves={(2, 2): 4})
    turn = [(0, 0, 40, 1, 1)]
    rolls = [state.roll(turn, Random(seed)) for seed in range(20)]
    assert rolls == [state.roll(turn, Random(seed)) for seed in range(20)]
    assert len(set(rolls)) > 5


def test_certain_death_is_a_chance_only_on_the_server() -> None:
    for rules, chances in (("handout", 0), ("server", 1)):
        state = small(vampires={(0, 0): 4}, werewolves={(1, 1): 6}, server=rules == "server")
        assert state.rules == VampiresRules(name="server" if rules == "server" else "handout")
        assert len(state.chances([(0, 0, 4, 1, 1)])) == chances
