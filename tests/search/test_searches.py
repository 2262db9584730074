"""The searches agree with each other where they must, and count what they do."""

import math
import time
from collections.abc import Iterator
from itertools import cycle
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noctagon.core.game import NoctagonError
from noctagon.core.registry import find_game
from noctagon.games.wargame import WargameState
from noctagon.search.alphabeta import AlphaBeta
from noctagon.search.expectiminimax import Expectiminimax, ways
from noctagon.search.mcts import MonteCarlo, outcome_value
from noctagon.search.minimax import Minimax
from noctagon.search.tree import DECIDED, WIN, Budget, Finding, Search, for_side, worth
from tests.search.games import NumberGame, evaluate, reward
from tests.wargame.truth import MINIMAX
from tests.wargame.truth import Minimax as Truth

WARGAME = find_game("wargame")

seeds = st.integers(0, 10**6)
depths = st.integers(1, 5)


def best_set(search: Search[Any], state: Any, depth: int) -> tuple[float, set[Any]]:
    values = search.values(state, depth)
    best = max(values.values(), key=lambda value: for_side(value, state.side))
    return best, {action for action, value in values.items() if value == pytest.approx(best)}


@given(seeds, depths, st.integers(0, 3), st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_alphabeta_is_minimax(
    seed: int, depth: int, ply: int, order: bool, table: bool, chance: bool, earns: bool
) -> None:
    state = NumberGame(seed, ply=ply, chance=chance)
    if state.result is not None:
        return
    extra: dict[str, Any] = {"reward": reward} if earns else {}
    plain: Minimax[int] = Minimax(evaluate, **extra)
    quick: AlphaBeta[int] = AlphaBeta(evaluate, order=order, table=table, **extra)
    value, best = best_set(plain, state, depth)
    assert plain.search(state, depth).value == pytest.approx(value)
    found = quick.search(state, depth)
    assert found.value == pytest.approx(value)
    assert found.action in best
    assert found.tally.nodes <= plain.tally.nodes
    *_, deepest = AlphaBeta(evaluate, order=order, table=table, **extra).deepen(state, depth)
    assert deepest.value == pytest.approx(value) or abs(deepest.value) > WIN / 2
    again, same = best_set(quick, state, depth)
    assert again == pytest.approx(value)
    assert same == best


@given(seeds, depths, st.booleans(), st.booleans())
def test_expectiminimax_is_minimax_over_the_same_outcomes(
    seed: int, depth: int, chance: bool, tight: bool
) -> None:
    state = NumberGame(seed, chance=chance)
    plain: Minimax[int] = Minimax(evaluate, worth=_small_worth)
    bounds = (-6.0, 6.0) if tight else (-WIN, WIN)
    quick: Expectiminimax[int] = Expectiminimax(evaluate, worth=_small_worth, bounds=bounds)
    value, best = best_set(plain, state, depth)
    found = quick.search(state, depth)
    assert found.value == pytest.approx(value)
    assert found.action in best


@given(seeds, st.integers(1, 4))
def test_exact_expectiminimax_is_the_sum_over_every_outcome(seed: int, depth: int) -> None:
    state = NumberGame(seed, chance=True)

    def exact(state: Any, depth: int) -> float:
        if state.result is not None:
            return _small_worth(state, 0)
        if depth == 0:
            return evaluate(state)
        values = [
            math.fsum(
                outcome.probability * exact(outcome.state, depth - 1) for outcome in state.outcomes(action)
            )
            for action in state.actions()
        ]
        return max(values) if state.side == 0 else min(values)

    search: Expectiminimax[int] = Expectiminimax(
        evaluate, worth=_small_worth, merged=False, bounds=(-6.0, 6.0)
    )
    assert search.search(state, depth).value == pytest.approx(exact(state, depth))


def test_bounds_make_cuts_among_outcomes() -> None:
    def nodes(bounds: tuple[float, float]) -> int:
        total = 0
        for seed in range(30):
            search: Expectiminimax[int] = Expectiminimax(
                evaluate, worth=_small_worth, merged=False, bounds=bounds, table=False
            )
            total += search.search(NumberGame(seed, chance=True), 5).tally.nodes
        return total

    assert nodes((-6.0, 6.0)) < 0.8 * nodes((-WIN, WIN))


def test_more_outcomes_than_anybody_could_list_are_merged() -> None:
    game = find_game("vampires")
    state = game.parse_position("5x5 V1,1:450 V2,0:450 W2,2:450 W3,1:450 V 0")
    (turn,) = [turn for turn in state.candidates("joint") if len(state.chances(turn)) == 2][:1]
    assert ways(state.chances(turn)) > 10**5
    search: Expectiminimax[Any] = Expectiminimax(
        game.evaluations["population"], candidates=lambda state: [turn], merged=False
    )
    assert search.search(state, 1).tally.nodes == 4


def test_a_battle_that_is_nearly_sure_is_not_told_as_won() -> None:
    game = find_game("vampires")
    state = game.parse_position("5x5 V1,1:449 W2,2:300 V 0")
    search: Expectiminimax[Any] = Expectiminimax(game.evaluations["population"])
    found = search.search(state, 1)
    assert found.value == DECIDED
    certain = search.search(game.parse_position("5x5 V1,1:450 W2,2:300 V 0"), 1)
    assert certain.value == WIN - 1


@pytest.mark.parametrize("kind", [Minimax, AlphaBeta, Expectiminimax])
def test_chance_never_decides_a_game_by_a_few_results_that_stand_for_all(kind: Any) -> None:
    """On the last ply 9 against 6 is won by waiting; both typical results of an attack win too, but not all do."""
    game = find_game("vampires")
    state: Any = game.parse_position("3x3 V0,0:5 V2,0:4 W1,1:5 W2,2:1 V 199")
    values = kind(game.evaluations["population"]).values(state, 1)
    gamble = game.parse_action("0,0>1,1:5 2,0>2,1:4", state)
    lost = [one.probability for one in state.outcomes(gamble) if one.state.result.winner != 0]
    assert sum(lost) == pytest.approx(0.25, abs=0.01)
    assert values[gamble] <= DECIDED
    assert max(values.values()) == WIN - 1
    nearly: Any = game.parse_position("1x5 V0,0:254 V4,0:1 W1,0:170 V 0", game.make_rules("server"))
    assert kind(game.evaluations["population"]).search(nearly, 1).value <= DECIDED


def _small_worth(state: Any, ply: int) -> float:
    return {0: 6.0, 1: -6.0, None: 0.0}[state.result.winner]


@pytest.mark.parametrize("case", [case for case in MINIMAX if case.depth <= 3])
def test_the_searches_find_the_known_values_of_e0(case: Truth) -> None:
    state: Any = WARGAME.initial()
    for text in case.moves.split():
        state = state.play(WARGAME.parse_action(text, state))
    e0 = WARGAME.evaluations["e0"]

    def e0_of_the_end(state: WargameState, ply: int) -> float:
        return e0(state)

    plain: Minimax[Any] = Minimax(e0, worth=e0_of_the_end)
    value, best = best_set(plain, state, case.depth)
    assert value == case.value
    assert {WARGAME.format_action(action).replace(" ", "") for action in best} == set(case.best.split())
    assert plain.tally.evaluations == case.evaluations
    for kind in (AlphaBeta, Expectiminimax):
        found: Finding[Any] = kind(e0, worth=e0_of_the_end).search(state, case.depth)
        assert found.value == case.value
        assert found.action in best


def test_the_counts_add_up() -> None:
    for seed in range(20):
        search: Minimax[int] = Minimax(evaluate)
        tally = search.search(NumberGame(seed), 4).tally
        assert tally.nodes == tally.expanded - 1 + sum(tally.evaluations.values())
        assert tally.branching == tally.nodes / tally.expanded
        assert tally.cuts == 0


def test_order_and_table_save_work() -> None:
    def nodes(order: bool, table: bool) -> int:
        total = 0
        for seed in range(30):
            search: AlphaBeta[int] = AlphaBeta(evaluate, order=order, table=table)
            total += search.search(NumberGame(seed, plies=20), 6).tally.nodes
        return total

    plain = nodes(order=False, table=False)
    assert nodes(order=False, table=True) < plain
    assert nodes(order=True, table=False) < plain
    assert nodes(order=True, table=True) < nodes(order=False, table=True)


def test_a_win_is_worth_more_the_sooner_it_comes() -> None:
    by_winner = {}
    for number in range(100):
        state = NumberGame(1, number, ply=8)
        assert state.result is not None
        by_winner[state.result.winner] = state
    won, lost, drawn = by_winner[0], by_winner[1], by_winner[None]
    assert worth(won, 1) > worth(won, 3) > worth(drawn, 1) > worth(lost, 3) > worth(lost, 1)


@pytest.mark.parametrize("kind", [Minimax, AlphaBeta, Expectiminimax])
def test_a_budget_ends_a_search_and_something_is_found(kind: Any) -> None:
    state = NumberGame(3, plies=30)
    found = list(kind(evaluate, budget=Budget(nodes=50)).deepen(state, 30))
    assert found[0].depth == 0
    assert found[-1].action in state.actions()
    assert found[-1].tally.nodes <= 50
    with pytest.raises(NoctagonError, match="budget ended"):
        kind(evaluate, budget=Budget(nodes=1)).search(state, 10)
    with pytest.raises(NoctagonError, match="the game is over"):
        kind(evaluate).search(NumberGame(3, ply=8), 1)


@pytest.mark.parametrize("kind", [Minimax, AlphaBeta, Expectiminimax])
def test_what_a_budget_was_enough_for_is_what_a_search_without_one_finds(kind: Any) -> None:
    def best_last(state: NumberGame) -> list[int]:
        return sorted(state.actions(), key=lambda action: for_side(evaluate(state.play(action)), state.side))

    for seed in range(30):
        state = NumberGame(seed, plies=30)
        value = kind(evaluate, candidates=best_last).search(state, 2).value
        for nodes in range(3, 40):
            search = kind(evaluate, candidates=best_last, budget=Budget(nodes=nodes))
            *_, last = search.deepen(state, 2)
            assert last.depth < 2 or last.value == pytest.approx(value)


@pytest.mark.parametrize("kind", [Minimax, AlphaBeta, Expectiminimax])
def test_a_list_without_end_is_listed_no_further_than_the_budget_goes(kind: Any) -> None:
    def endless(state: NumberGame) -> Iterator[int]:
        return cycle(state.actions())

    state = NumberGame(3, plies=30)
    *_, found = kind(evaluate, candidates=endless, budget=Budget(nodes=200)).deepen(state, 30)
    assert found.action in state.actions()
    deadline = time.monotonic() + 0.05
    *_, found = kind(evaluate, candidates=endless, budget=Budget(deadline=deadline)).deepen(state, 30)
    assert found.action in state.actions()


@settings(deadline=None, max_examples=30)
@given(seeds, st.booleans())
def test_monte_carlo_comes_to_the_best_action(seed: int, chance: bool) -> None:
    """With time enough it finds an action whose true chance to win is the best there is, or nearly."""
    state = NumberGame(seed, chance=chance, plies=4)

    def truth(state: Any) -> float:
        if state.result is not None:
            return outcome_value(state)
        values: list[float] = [action_truth(state, action) for action in state.actions()]
        return max(values) if state.side == 0 else min(values)

    def action_truth(state: Any, action: int) -> float:
        return float(sum(outcome.probability * truth(outcome.state) for outcome in state.outcomes(action)))

    search: MonteCarlo[int] = MonteCarlo(budget=Budget(nodes=3000), rng=Random(seed), width=5.0)
    *_, found = search.improve(state)
    assert action_truth(state, found.action) == pytest.approx(truth(state), abs=0.15)


def test_monte_carlo_widens_with_its_visits() -> None:
    game = find_game("vampires")
    state = game.initial("duel")

    def last(width: float) -> Any:
        search: MonteCarlo[Any] = MonteCarlo(
            lambda state, rng: 0.5, budget=Budget(nodes=60), width=width, widening=0.5
        )
        *_, found = search.improve(state)
        return found

    assert last(1.0).action in state.actions()
    assert last(1.0).line == last(1.0).line
    assert last(1.0).depth > last(8.0).depth, "the fewer actions are looked at, the deeper"


def test_monte_carlo_without_any_time_still_answers() -> None:
    state = NumberGame(3)
    search: MonteCarlo[int] = MonteCarlo(budget=Budget(nodes=0))
    (found,) = search.improve(state)
    assert found.action in state.actions()
    with pytest.raises(NoctagonError, match="the game is over"):
        next(search.improve(NumberGame(3, ply=8)))
