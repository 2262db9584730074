"""The champion's network: compiled and plain code agree, no board is too much for it, and it is blind to mirrors."""

from __future__ import annotations

from random import Random

import pytest

from noctagon.games.wargame import WargameState, evaluation, game, notation
from noctagon.games.wargame.state import desk
from noctagon.search.tree import DECIDED
from tests.wargame.positions import artificial

game.load()

from noctagon.games.wargame import network_kernel as network  # noqa: E402 - it compiles
from noctagon.games.wargame import vectors  # noqa: E402

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
    d = desk()
    d.put(state.key)
    count = int(network.list_rows(d.record))
    assert count <= len(d.record.scratch)
    return d.record.scratch[:count].tolist()  # type: ignore[no-any-return]


@pytest.mark.kernel
def test_compiled_and_plain_code_agree() -> None:
    for state in boards(Random(1), 60):
        rows, left = rows_of(state), min((state.rules.plies - state.ply) >> 3, 15)
        for heuristic in NETWORKS:
            weights = heuristic.weights
            weighed = vectors.weigh(weights, rows, len(rows), network.ROWS + left)
            assert heuristic(state) == (weighed >> network.FINE) + weights[network.CONSTANTS + left]


@pytest.mark.kernel
def test_every_board_switches_on_rows_of_the_table() -> None:
    for state in [game.initial(CROWD), *boards(Random(2), 300)]:
        rows = rows_of(state)
        assert min(rows) >= 0
        assert max(rows) < network.ROWS
        units = sorted(row for row in rows if row < network.PAIRS)
        cells = enumerate(state.cells)
        assert units == sorted(
            ((code >> 7) * 125 + (code >> 4 & 7) * 25 + cell) * 9 + (code & 15) - 1
            for cell, code in cells
            if code
        )
    assert all(len(heuristic.weights) == network.LENGTH for heuristic in NETWORKS)


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
