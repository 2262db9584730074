"""The champion's network: compiled and plain code agree, no board is too much for it, and it is blind to mirrors."""

from collections.abc import Container
from random import Random
from typing import Any

import numpy as np
import pytest

from noctagon.compiled.jit import Int, Ints, compiled
from noctagon.games.wargame import WargameState, game
from noctagon.games.wargame.players import evaluation
from noctagon.games.wargame.rules import notation
from noctagon.games.wargame.rules.state import scratch
from noctagon.search.tree import DECIDED
from tests.wargame import oracle
from tests.wargame.positions import artificial

game.load()

from noctagon.compiled import integer_layers as vectors  # noqa: E402
from noctagon.games.wargame.champion import network_kernel as network  # noqa: E402 - it compiles

NETWORKS = (evaluation.onslaught, evaluation.bulwark)
CROWD = (
    "aV9 dV9 aT9 dT9 aV1 dV9 aV9 dV9 aT9 dV9 aV9 dV9 aA9 dV9 aV9 dV9 aV9 dA9 aV9 dV9 aV9 dV9 aV9 dV9 aV9 a 0"
)
"""Nobody has a cell to move to, and everybody has enemies on all sides."""


def boards(rng: Random, count: int) -> list[WargameState]:
    """Positions that go on: made up, and of random games."""
    found: list[WargameState] = []
    while len(found) < count:
        state = game.initial(artificial(rng) if rng.random() < 0.5 else None)
        for _ in range(rng.randint(0, 60) if state.ply == 0 else 0):
            if state.result is None:
                state = state.play(rng.choice(list(state.actions())))
        if state.result is None:
            found.append(state)
    return found


def rows_of(state: WargameState) -> list[int]:
    d = scratch()
    d.put(state.key)
    count = int(network.list_rows(d.record))
    assert count <= len(d.record.scratch)
    return d.record.scratch[:count].tolist()  # type: ignore[no-any-return]


@pytest.mark.kernel
def test_compiled_and_plain_code_agree() -> None:
    for state in boards(Random(1), 60):
        rows, left = rows_of(state), min((state.rules.plies - state.ply) >> 3, 15)
        alone = evaluation.bulwark.weights
        assert evaluation.bulwark(state) == network.judge(alone, rows, len(rows), left)
        both = evaluation.onslaught.weights
        deep = network.judge_deeply(both, rows, len(rows), left)
        other = network.judge(both[network.OTHER :], rows, len(rows), left)
        assert evaluation.onslaught(state) == (10 * deep + 6 * other) // 16


def told(state: WargameState) -> list[int]:
    """The rows of a position by the words of `network_kernel`, over plain dictionaries."""
    text = game.format_position(state)
    board = oracle.Position.read(text, state.rules.plies).board
    kinds = "AVTFP"
    left = min((state.rules.plies - state.ply) // 8, 15)
    rows = [network.TURN + 2 * left + state.side]
    for (row, column), (side, kind, health) in board.items():
        rows.append((("ad".index(side) * 5 + kinds.index(kind)) * 25 + 5 * row + column) * 9 + health - 1)

    def near(cell: oracle.Cell, *, corners: bool = False) -> list[oracle.Cell]:
        steps = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]
        found = [(cell[0] + down, cell[1] + right) for down, right in steps if corners or not down * right]
        return [other for other in found if other in oracle.CELLS]

    def blow(kind: str, other: str, health: int) -> bool:
        return oracle.DAMAGE[kind][other] >= health

    moves_left = {}
    for number, side in enumerate("ad"):
        own = {cell: unit for cell, unit in board.items() if unit[0] == side}
        enemies = {cell: unit for cell, unit in board.items() if unit[0] != side}
        ai = next(cell for cell, unit in own.items() if unit[1] == "A")
        health = own[ai][2]
        bombs = min(sum(cell in enemies for cell in near(ai, corners=True)), 4)
        rows.append(network.BOMBS + 10 * number + bombs + 5 * (2 * bombs >= health))
        free, friends = (
            sum(cell in where for cell in near(ai)) for where in (set(oracle.CELLS) - set(board), own)
        )
        rows.append(network.WALLS + 25 * number + 5 * free + friends)
        besiegers = [enemies[cell] for cell in near(ai) if cell in enemies]
        if besiegers:
            taken = sum(
                -(-theirs // oracle.DAMAGE["A"][kind]) * oracle.DAMAGE[kind]["A"]
                for _, kind, theirs in besiegers
            )
            helped = any(cell in own and own[cell][1] in "VT" for cell in near(ai))
            rows.append(network.SIEGES + 4 * number + (1 if taken < health else 2 if helped else 3))
        waits = moves = 0
        for cell, (_, kind, _) in own.items():
            open_cells = [other for other in near(cell) if other not in board]
            if kind in "VT":
                waits += len(open_cells)
            elif not any(other in enemies for other in near(cell)):
                ways = [(cell[0] + down, cell[1] + right) for down, right in oracle.WAYS[side]]
                moves += sum(other in ways for other in open_cells)
        rows += [network.WAITS + 8 * number + min(waits, 7), network.MOVES + 8 * number + min(moves, 7)]
        nimble = any(kind in "VT" for _, kind, _ in own.values())
        steps_home = sum(sum(cell) if side == "a" else 8 - sum(cell) for cell in own)
        reserve = len(own) - 1 + steps_home
        rows.append(network.PATIENCE + 32 * number + (31 if nimble else min(reserve, 30)))
        moves_left[side] = 4 * left + 4 if nimble else min(reserve, 4 * left + 4)
        if side == "a":
            for cell, (_, kind, ours) in own.items():
                for _, other, theirs in (enemies[there] for there in near(cell) if there in enemies):
                    pair = 4 * (5 * kinds.index(kind) + kinds.index(other))
                    rows.append(
                        network.PAIRS + pair + 2 * blow(kind, other, theirs) + blow(other, kind, ours)
                    )
            their_ai = next(cell for cell, unit in enemies.items() if unit[1] == "A")
            for cell, (_, kind, _) in own.items():
                if kind == "V":
                    rows.append(network.WAYS + way(board, cell, near(their_ai), near))
    race = 1 if moves_left["d"] < moves_left["a"] else 2 if moves_left["a"] < 4 * left + 4 else 0
    return [*rows, network.RACE + race]


def way(board: Container[oracle.Cell], start: oracle.Cell, goals: list[oracle.Cell], near: Any) -> int:
    """The moves from a cell to one of some others, over free cells; 8 if there are more, or no way."""
    steps, seen, reached = 0, set(goals), set(goals)
    while start not in reached and steps < 8:
        reached = {other for cell in reached if cell not in board for other in near(cell)} - seen
        seen |= reached
        steps += 1
    return steps


@pytest.mark.kernel
def test_every_board_switches_on_the_rows_that_are_told() -> None:
    for state in [game.initial(CROWD), *boards(Random(2), 300)]:
        rows = rows_of(state)
        assert sorted(rows) == sorted(told(state))
        assert min(rows) >= 0
        assert max(rows) < network.ROWS


judge_small = vectors.layers(3, 2, width=8)
judge_small_deeply = vectors.layers(3, 2, width=8, second=4)


@compiled
def judged(weights: Ints, rows: Ints, count: Int, phase: Int) -> Int:
    return judge_small(weights, rows, count, phase)


@compiled
def judged_deeply(weights: Ints, rows: Ints, count: Int, phase: Int) -> Int:
    return judge_small_deeply(weights, rows, count, phase)


@pytest.mark.kernel
def test_a_sum_too_large_for_its_number_ends_there() -> None:
    table = np.full((3, 8), 20_000)
    table[1] = -5
    outputs = np.array([[16] * 8, [-16] * 8])
    weights = vectors.packed([table, outputs, [7, 9]])
    assert weights.ctypes.data % 64 == 0
    rows = np.array([0, 2, 1], np.int32)
    expected = 16 * (2 * (vectors.MOST - 5) + 6 * vectors.ONE) >> vectors.FINE
    assert judge_small(weights, rows, 3, 0) == expected + 7 == judged(weights, rows, 3, 0)
    fewer = -16 * (2 * 20_000 + 6 * vectors.ONE) >> vectors.FINE
    assert judge_small(weights, rows, 1, 1) == fewer + 9 == judged(weights, rows, 1, 1)


@pytest.mark.kernel
def test_a_second_layer_adds_what_it_makes_of_the_first() -> None:
    """By hand: the first layer is 0, 0, 1, 1, 0.5, 0.5, 0, 0; of the second only 0.25 and 1 come through."""
    one, weight = vectors.ONE, 1 << 14
    table = np.zeros((3, 8), np.int64)
    table[2] = [0, 0, one, 2 * one, one // 2, one // 2, -one, 0]
    second = np.zeros((8, 4), np.int64)
    second[4, 0] = weight // 2  # 0.5 of 0.5
    second[2:4, 1] = weight  # 2, cut off at 1
    second[2, 2] = -weight  # -1, cut off at 0
    biases = [[0] * 4, [vectors.SECOND_ONE // 2, 0, 0, 0]]
    finals = [[16 * 100, 16 * 10, 16, 16]] * 2
    weights = vectors.packed([table, np.zeros((2, 8)), second, biases, finals, [3, 4]])
    rows = np.array([2], np.int32)
    assert judge_small_deeply(weights, rows, 1, 0) == 25 + 10 + 3 == judged_deeply(weights, rows, 1, 0)
    assert judge_small_deeply(weights, rows, 1, 1) == 75 + 10 + 4 == judged_deeply(weights, rows, 1, 1)


@pytest.mark.kernel
def test_compiled_and_plain_layers_agree_on_any_weights() -> None:
    rng = np.random.default_rng(5)
    for most in (1500, 32767):
        for _ in range(100):
            shapes = (3, 8), (2, 8), (8, 4), (2, 4), (2, 4), 2
            table, outputs, *others = (rng.integers(-most, most, shape) for shape in shapes)
            weights = vectors.packed([table, outputs % 1000, *others])
            rows = rng.integers(0, 3, 6).astype(np.int32)
            for phase in range(2):
                expected = judge_small_deeply(weights, rows, 6, phase)
                assert expected == judged_deeply(weights, rows, 6, phase)


def test_a_mirrored_board_is_worth_the_same() -> None:
    for state in boards(Random(3), 100):
        cells = [state.cells[cell % 5 * 5 + cell // 5] for cell in range(25)]
        mirrored = game.parse_position(notation.format_position(cells, state.side, state.ply), state.rules)
        for heuristic in NETWORKS:
            assert heuristic(state) == heuristic(mirrored)


def test_no_board_is_worth_as_much_as_a_won_game() -> None:
    rng = Random(4)
    for state in [game.initial(CROWD), *(game.initial(artificial(rng)) for _ in range(300))]:
        for heuristic in NETWORKS:
            assert (abs(heuristic(state)) > DECIDED) == (state.result is not None)


def test_it_knows_units_of_real_games_only() -> None:
    assert evaluation.bulwark.knows(game.initial())
    assert not evaluation.bulwark.knows(game.initial(CROWD))


def test_it_has_learned_what_matters() -> None:
    def worth(board: dict[str, str], **more: int) -> float:
        return evaluation.onslaught(WargameState.from_units(board, **more))  # type: ignore[arg-type]

    ais = {"A0": "dA9", "E4": "aA9"}
    assert worth({**ais, "D4": "aV9"}) > worth(ais) > worth({**ais, "A1": "dT9"})
    full = {**ais, "D4": "aV9", "E3": "aV9", "B0": "dT9", "A1": "dT9"}
    assert worth(full, ply=20) > worth(full, ply=90)
