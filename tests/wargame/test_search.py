"""The compiled searches: the known answers, the same as the searches for every game, and never over budget."""

from __future__ import annotations

import math
import time
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from noctagon.core.clock import Clock
from noctagon.core.game import NoctagonError
from noctagon.core.player import PlayerSpec
from noctagon.games.wargame import game
from noctagon.games.wargame.players import evaluation
from noctagon.games.wargame.players.search import KernelSearch
from noctagon.players import make_player
from noctagon.search.alphabeta import AlphaBeta
from noctagon.search.minimax import Minimax
from noctagon.search.tree import DECIDED, WIN, Budget, Finding, Search
from tests.wargame.positions import after, artificial
from tests.wargame.truth import MINIMAX
from tests.wargame.truth import Minimax as Truth

if TYPE_CHECKING:
    from noctagon.games.wargame import WargameState


def plain(**options: Any) -> KernelSearch:
    """Minimax by e0."""
    return KernelSearch(evaluation.e0, prune=False, **options)


def middles(rng: Random, count: int, *, plies: int = 100) -> list[WargameState]:
    """Positions of random games that still go on."""
    rules = game.make_rules(plies=plies)
    found: list[WargameState] = []
    while len(found) < count:
        state = game.initial(rules=rules)
        for _ in range(rng.randint(0, 40)):
            if state.result is None:
                actions = [action for action in state.actions() if action.source != action.target]
                state = state.play(rng.choice(actions or list(state.actions())))
        if state.result is None:
            found.append(state)
    return found


def told(search: Search[Any], found: Finding[Any]) -> tuple[Any, ...]:
    """Everything a search tells."""
    tally = search.tally
    counts = (tally.nodes, tally.expanded, tally.cuts, dict(tally.evaluations))
    return found.action, found.value, found.depth, found.line, *counts


@pytest.mark.kernel
@pytest.mark.parametrize("literal", [False, True])
@pytest.mark.parametrize("truth", [truth for truth in MINIMAX if truth.depth <= 2])
def test_minimax_knows_the_truth(truth: Truth, literal: bool) -> None:
    state, search = after(truth.moves), plain(literal=literal)
    assert search.search(state, truth.depth).value == truth.value
    assert search.tally.evaluations == truth.evaluations
    values = search.values(state, truth.depth)
    best = {str(action).replace(" ", "") for action, value in values.items() if value == truth.value}
    assert best == set(truth.best.split())
    assert search.tally.evaluations == truth.evaluations


@pytest.mark.parametrize("truth", [truth for truth in MINIMAX if truth.depth > 2])
def test_minimax_knows_the_deeper_truth(truth: Truth) -> None:
    test_minimax_knows_the_truth(truth, literal=True)
    test_minimax_knows_the_truth(truth, literal=False)


@pytest.mark.parametrize("truth", MINIMAX)
@pytest.mark.parametrize("order", [False, True])
def test_alphabeta_finds_a_best_action_and_its_value(truth: Truth, order: bool) -> None:
    search = KernelSearch(evaluation.e0, order=order)
    found = search.search(after(truth.moves), truth.depth)
    assert found.value == truth.value
    assert str(found.action).replace(" ", "") in truth.best.split()
    assert search.tally.evaluations.total() <= sum(truth.evaluations.values())


@pytest.mark.parametrize("heuristic", ["e0", "e1", "e2", "health"])
def test_they_do_what_the_searches_for_every_game_do(heuristic: str) -> None:
    rng = Random(heuristic)
    chosen = game.evaluations[heuristic]
    cases = [(state, rng.randint(1, 3)) for state in middles(rng, 8)]
    cases += [(state, rng.randint(1, 3)) for state in middles(rng, 4, plies=43)]
    boards = (game.initial(artificial(rng), game.make_rules(plies=rng.choice([10, 100]))) for _ in range(20))
    cases += [(state, 2) for state in boards if state.result is None]
    for state, depth in cases:
        pairs: list[tuple[Search[Any], KernelSearch]] = [
            (Minimax(chosen), KernelSearch(chosen, prune=False)),
            (AlphaBeta(chosen, order=False, table=False), KernelSearch(chosen, order=False)),
        ]
        for search, ours in pairs:
            assert told(ours, ours.search(state, depth)) == told(search, search.search(state, depth))
            assert [found[:-1] for found in ours.deepen(state, depth)] == [
                found[:-1] for found in search.deepen(state, depth)
            ]
            assert ours.tally == search.tally
        small = min(depth, 2)
        assert ours.values(state, small) == search.values(state, small)
        assert ours.tally == search.tally


@pytest.mark.kernel
def test_plain_and_compiled_agree_with_the_searches_for_every_game() -> None:
    state = game.parse_position(
        ". . dT9 . aP9 dA9 dP9 dF5 aF2 . . dT9 . . aV9 aP9 . dF9 . . . . . aV9 aA9 a 24"
    )
    pairs: list[tuple[bool, Search[Any]]] = [
        (False, Minimax(evaluation.e2)),
        (True, AlphaBeta(evaluation.e2, order=False, table=False)),
    ]
    for prune, search in pairs:
        ours = KernelSearch(evaluation.e2, prune=prune, order=False)
        assert told(ours, ours.search(state, 2)) == told(search, search.search(state, 2))


def test_order_changes_how_long_it_takes_and_nothing_else() -> None:
    nodes = {False: 0, True: 0}
    for state in middles(Random(4), 12):
        values = []
        for order in nodes:
            search = KernelSearch(evaluation.e2, order=order)
            values.append(search.search(state, 5).value)
            nodes[order] += search.tally.nodes
        assert values[0] == values[1]
    assert nodes[True] < 0.8 * nodes[False]


@pytest.mark.kernel
def test_a_win_now_is_better_than_a_win_later_and_the_limit_is_known() -> None:
    state = game.parse_position("dA9 aV9 . . . . . . . . . . . . . . . . . . . . . . aA9 a 0")
    assert KernelSearch(evaluation.e0).search(state, 3).value == 999_999
    assert KernelSearch(evaluation.e0, literal=True).search(state, 3).value == 9999 + 3
    last = game.initial(rules=game.make_rules(plies=1))
    assert KernelSearch(evaluation.e0).search(last, 2).value == -999_999
    assert KernelSearch(evaluation.e0, literal=True).search(last, 2).value == 0


def test_a_budget_of_nodes_is_kept_exactly_and_repeats() -> None:
    findings = []
    for nodes in (0, 1, 11, 12, 13, 5000, 5000):
        search = KernelSearch(evaluation.e2, budget=Budget(nodes=nodes))
        *_, last = search.deepen(game.initial(), 50)
        assert search.tally.nodes == nodes
        findings.append(last)
    assert findings[-1] == findings[-2]
    assert [found.depth for found in findings] == sorted(found.depth for found in findings)
    with pytest.raises(NoctagonError, match="budget ended"):
        KernelSearch(evaluation.e2, budget=Budget(nodes=5)).search(game.initial(), 2)


def test_the_clock_ends_a_search_however_deep_it_may_look() -> None:
    for prune in (False, True):
        search = KernelSearch(evaluation.e2, prune=prune, budget=Budget(deadline=time.monotonic() + 0.5))
        *_, last = search.deepen(game.initial(), 100)
        assert 1 <= last.depth < 40
    late = KernelSearch(evaluation.e2, budget=Budget(deadline=time.monotonic() - 1))
    *_, last = late.deepen(game.initial(), 100)
    assert last.action in game.initial().actions()
    assert late.tally.nodes == 0


def test_a_search_told_to_stop_gives_what_it_has() -> None:
    from threading import Timer

    search = KernelSearch(evaluation.e2)
    timer = Timer(0.2, search.stop)
    timer.start()
    *_, last = search.deepen(game.initial(), 60)
    timer.join()
    assert 1 <= last.depth < 60


@pytest.mark.kernel
@pytest.mark.parametrize(("winner", "value"), [("a", WIN - 1), ("d", 2 - WIN)])
def test_an_end_is_worth_less_by_the_plies_to_it(winner: str, value: float) -> None:
    """The attacker's Virus destroys the AI at once; the defender's Virus does so a ply later, whatever is done."""
    boards = {"a": f"dA9 aV9 {'. ' * 22}aA9", "d": f"dA9 {'. ' * 18}dV9 aT9 . . dV9 aA1"}
    state = game.parse_position(f"{boards[winner]} a 0")
    assert KernelSearch(evaluation.e1).search(state, 2).value == value


@pytest.mark.kernel
@pytest.mark.parametrize("name", list(game.evaluations))
def test_the_terms_sum_to_the_value(name: str) -> None:
    rng = Random(1)
    heuristic = game.evaluations[name]
    states = [*middles(rng, 4), *(game.initial(artificial(rng)) for _ in range(20))]
    for state in states:
        assert sum(heuristic.terms(state).values()) == heuristic(state)
    initial = heuristic.terms(game.initial())
    assert len(initial) >= 3
    assert all(isinstance(value, float) for value in initial.values())


@pytest.mark.parametrize("name", ["e1", "e2", "health", "turtle"])
def test_no_board_is_worth_as_much_as_a_won_game(name: str) -> None:
    rng = Random(2)
    for _ in range(300):
        state = game.initial(artificial(rng))
        value = game.evaluations[name](state)
        assert (abs(value) > DECIDED) == (state.result is not None)
        if state.result is not None:
            assert (value > 0) == (state.result.winner == 0)


def test_players_explain_themselves_by_the_board_they_reach() -> None:
    state = game.initial()
    for text in ("minimax:heuristic=e0", "alphabeta", "alphabeta:heuristic=e1", "turtle"):
        player = make_player(PlayerSpec.parse(text), game)
        for action in state.actions():
            terms = player.explain(state, action)
            reached = state.play(action)
            if reached.result is None:
                assert sum(terms.values()) == player.heuristic(reached)
            else:
                assert terms == {"game over": -999_999.0}
    defender = state.play(next(iter(state.candidates())))
    player = make_player(PlayerSpec.parse("alphabeta"), game)
    action = next(iter(defender.candidates()))
    assert math.isclose(sum(player.explain(defender, action).values()), -evaluation.e2(defender.play(action)))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("minimax:depth=0", "minimax: depth=0"),
        ("alphabeta:depth=101", "alphabeta: depth=101 is too large; it looks 1 to 100 plies ahead"),
        ("alphabeta:nodes=-1", "nodes=-1 should be 0"),
        ("alphabeta:heuristic=e9", "unknown evaluation of wargame 'e9'"),
        ("minimax:order=true", "minimax has no option 'order'; it has depth=4"),
        ("turtle:heuristic=e0", "turtle has no option 'heuristic'"),
    ],
)
def test_bad_options_are_refused_with_the_good_ones(text: str, says: str) -> None:
    with pytest.raises(NoctagonError) as caught:
        make_player(PlayerSpec.parse(text), game)
    assert says in str(caught.value)


def test_all_that_was_looked_at_is_told_even_if_the_last_look_came_to_nothing() -> None:
    player = make_player(PlayerSpec.parse("minimax:depth=9,nodes=200"), game)
    thought = player.choose(game.initial(), Clock(None)).thought
    assert thought.nodes == 200
    assert thought.depth == 2 or thought.depth == 3
    assert sum(thought.evaluations.values()) + thought.expanded >= 200
