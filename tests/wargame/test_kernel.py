"""The compiled rules against an independent oracle, and against known counts and values."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest

from noctagon.core.game import NoctagonError
from noctagon.games.wargame import Action, WargameState, game
from noctagon.games.wargame.players import evaluation
from noctagon.games.wargame.rules.state import scratch
from noctagon.games.wargame.rules.units import START
from tests.wargame import oracle
from tests.wargame.positions import after, artificial, pair
from tests.wargame.truth import INITIAL_PERFT, MIDDLES, MINIMAX, Middle, Minimax

FAR = 1 << 30


def as_turns(state: WargameState) -> list[oracle.Turn]:
    return [(divmod(source, 5), divmod(target, 5)) for source, target in state.actions()]


def agree(state: WargameState, expected: oracle.Position) -> None:
    """Everything both can tell about a position is the same."""
    assert game.format_position(state) == expected.write()
    winner = expected.winner()
    if winner is None:
        assert state.result is None
        turns = as_turns(state)
        assert len(turns) == len(set(turns)) == state.actions().count()
        assert set(turns) == expected.legal()
    else:
        assert state.result is not None
        assert state.sides[state.result.winner or 0][0].lower() == winner
        assert not list(state.actions())
        assert not state.actions()
    assert evaluation.e0(state) == expected.e0()


def play_and_compare(text: str, rng: Random, turns: int, *, plies: int, limit_first: bool) -> int:
    """Play a random game in both; returns how many turns it lasted."""
    state, expected = pair(text, plies=plies, limit_first=limit_first)
    agree(state, expected)
    for turn in range(turns):
        if state.result:
            return turn
        # Self-destruction is half of what can be done and would end most games early.
        actions = [
            action for action in state.actions() if action.source != action.target or rng.random() < 0.05
        ]
        if not actions:
            actions = list(state.actions())
        action = rng.choice(actions)
        state = state.play(action)
        expected = expected.play(divmod(action.source, 5), divmod(action.target, 5))
        agree(state, expected)
    return turns


@pytest.mark.kernel
@pytest.mark.parametrize("limit_first", [False, True])
def test_a_few_random_games_agree_with_the_oracle(limit_first: bool) -> None:
    rng = Random(1)
    turns = sum(play_and_compare(START, rng, 60, plies=50, limit_first=limit_first) for _ in range(3))
    turns += sum(
        play_and_compare(artificial(rng), rng, 3, plies=10, limit_first=limit_first) for _ in range(60)
    )
    assert turns >= 200


@pytest.mark.parametrize("limit_first", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_random_games_agree_with_the_oracle(seed: int, limit_first: bool) -> None:
    rng = Random(seed)
    turns = sum(
        play_and_compare(START, rng, 120, plies=rng.choice([7, 30, 100]), limit_first=limit_first)
        for _ in range(25)
    )
    assert turns > 500


@pytest.mark.parametrize("limit_first", [False, True])
def test_artificial_positions_agree_with_the_oracle(limit_first: bool) -> None:
    rng = Random(99)
    for _ in range(1000):
        play_and_compare(artificial(rng), rng, 2, plies=rng.randint(1, 10), limit_first=limit_first)


def test_every_action_of_artificial_positions_leads_where_the_oracle_says() -> None:
    rng = Random(5)
    for _ in range(60):
        state, expected = pair(artificial(rng))
        for action in state.actions():
            agree(state.play(action), expected.play(divmod(action.source, 5), divmod(action.target, 5)))


@pytest.mark.kernel
def test_every_pair_of_cells_breaks_the_rule_the_oracle_says() -> None:
    rng = Random(6)
    d = scratch()
    for _ in range(15):
        state, expected = pair(artificial(rng), plies=8)
        d.put(state.key)
        for source in range(25):
            for target in range(25):
                broken = expected.broken_rule(divmod(source, 5), divmod(target, 5))
                assert d.kernel.illegal(d.record, source, target) == broken
                assert d.kernel.illegal(d.record, source, 25) in (1, 8)
                assert d.kernel.illegal(d.record, -1, target) in (1, 8)


@pytest.mark.kernel
def test_perft_from_the_start() -> None:
    assert [game.initial().perft(depth) for depth in range(5)] == [1, *INITIAL_PERFT[:4]]


@pytest.mark.parametrize("depth", [5, 6])
def test_deeper_perft_from_the_start(depth: int) -> None:
    assert game.initial().perft(depth) == INITIAL_PERFT[depth - 1]


@pytest.mark.kernel
@pytest.mark.parametrize("middle", MIDDLES)
def test_perft_from_the_middle_of_games(middle: Middle) -> None:
    state = after(middle.moves)
    assert game.format_position(state) == middle.position
    assert [state.perft(depth) for depth in (1, 2, 3)] == list(middle.perft[:3])


@pytest.mark.parametrize("middle", MIDDLES)
def test_deeper_perft_from_the_middle_of_games(middle: Middle) -> None:
    state = game.parse_position(middle.position)
    assert [state.perft(depth) for depth in (4, 5)] == list(middle.perft[3:])


def test_perft_does_not_look_beyond_the_limit() -> None:
    state = game.initial(rules=game.make_rules(plies=2))
    assert [state.perft(depth) for depth in (1, 2, 3)] == [12, 132, 0]


def test_perft_refuses_what_its_log_cannot_hold() -> None:
    with pytest.raises(NoctagonError, match="0 to 128 actions deep, not 129"):
        game.initial().perft(129)


def minimax(state: WargameState, depth: int, height: int, evaluations: dict[int, int]) -> float:
    """Plain minimax over states, counting the evaluated positions by their depth."""
    if height == 0 or state.result:
        evaluations[depth] = evaluations.get(depth, 0) + 1
        return evaluation.e0(state)
    values = [minimax(state.play(action), depth + 1, height - 1, evaluations) for action in state.actions()]
    return max(values) if state.side == 0 else min(values)


@pytest.mark.parametrize("truth", MINIMAX)
def test_minimax_values_best_actions_and_evaluations_by_depth(truth: Minimax) -> None:
    state = after(truth.moves)
    evaluations: dict[int, int] = {}
    values = {
        str(action).replace(" ", ""): minimax(state.play(action), 1, truth.depth - 1, evaluations)
        for action in state.actions()
    }
    best = (max if state.side == 0 else min)(values.values())
    assert best == truth.value
    assert {name for name, value in values.items() if value == best} == set(truth.best.split())
    assert evaluations == truth.evaluations


@pytest.mark.kernel
@pytest.mark.parametrize("truth", [truth for truth in MINIMAX if truth.depth <= 3])
def test_alphabeta_finds_the_known_values(truth: Minimax) -> None:
    d = scratch()
    d.put(after(truth.moves).key)
    assert d.kernel.alphabeta(d.record, truth.depth, -FAR, FAR) == truth.value


def test_alphabeta_is_minimax_with_fewer_positions() -> None:
    rng = Random(8)
    d = scratch()
    for _ in range(25):
        state, expected = pair(artificial(rng), plies=rng.choice([7, 100]))
        for depth in (0, 1, 2):
            d.put(state.key)
            assert d.kernel.alphabeta(d.record, depth, -FAR, FAR) == expected.minimax(depth)
            assert d.record.nodes <= sum(state.perft(height) for height in range(depth + 1))


@pytest.mark.kernel
def test_alphabeta_counts_positions() -> None:
    d = scratch()
    counts = []
    for depth in range(5):
        d.put(game.initial().key)
        d.kernel.alphabeta(d.record, depth, -FAR, FAR)
        counts.append(int(d.record.nodes))
    assert counts == [1, 13, 50, 272, 753]


def contents(record: Any) -> dict[str, Any]:
    """All of a record but the free part of its log."""
    return {name: record[name].tolist() for name in record.dtype.names if name not in ("log", "blasts")}


@pytest.mark.kernel
def test_unmake_restores_the_record_exactly() -> None:
    rng = Random(3)
    d = scratch()
    for _ in range(40):
        state, _ = pair(artificial(rng))
        d.put(state.key)
        before = [contents(d.record)]
        for _ in range(6):
            count = d.kernel.actions(d.record, d.found)
            if count == 0:
                break
            d.kernel.make(d.record, *divmod(int(d.found[rng.randrange(count)]), 25))
            before.append(contents(d.record))
        while len(before) > 1:
            assert contents(d.record) == before.pop()
            d.kernel.unmake(d.record)
        assert contents(d.record) == before[0]


@pytest.mark.kernel
def test_what_make_keeps_up_to_date_is_what_unpack_computes_afresh() -> None:
    rng = Random(4)
    d = scratch()
    for _ in range(100):
        state, _ = pair(artificial(rng))
        if state.result:
            continue
        d.put(state.key)
        count = d.kernel.actions(d.record, d.found)
        d.kernel.make(d.record, *divmod(int(d.found[rng.randrange(count)]), 25))
        made = contents(d.record)
        d.kernel.pack(d.record, d.key)
        d.kernel.unpack(d.record, d.key)
        assert contents(d.record) == {**made, "made": 0}


def test_threads_do_not_disturb_each_other() -> None:
    states = [game.initial(), game.parse_position(MIDDLES[0].position)] * 8
    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(lambda state: state.perft(5), states))
    assert counts == [INITIAL_PERFT[4], MIDDLES[0].perft[4]] * 8


def test_actions_come_in_their_fixed_order() -> None:
    assert [str(action) for action in game.initial().actions()] == [
        *("C4 B4", "C4 C3", "C4 C4", "D3 C3", "D3 D2", "D3 D3", "D4 D4"),
        *("E2 D2", "E2 E1", "E2 E2", "E3 E3", "E4 E4"),
    ]


def test_sample_gives_every_action_a_chance() -> None:
    actions = game.initial().actions()
    rng = Random(0)
    assert {actions.sample(rng) for _ in range(300)} == set(actions)
    assert Action(14, 13) in actions
    assert Action(13, 14) not in actions
