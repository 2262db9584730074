"""The endings of two and three units: against the prover, solved again, and with the turn limit."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from noctagon.cli import app
from noctagon.core.game import NoctagonError
from noctagon.games.wargame import WargameRules, WargameState, game
from noctagon.games.wargame.champion import endings
from noctagon.games.wargame.proofs.prover import Prover
from noctagon.games.wargame.rules.state import scratch

if TYPE_CHECKING:
    from noctagon.core.game import Side

SIDES: tuple[Side, Side] = (0, 1)


def few(rng: Random, third: str) -> WargameState:
    """A random position of both AIs and a third unit, or of the AIs alone."""
    names = ["."] * 25
    kinds = ["aA", "dA"] if third == endings.PAIR else ["aA", "dA", third]
    for cell, kind in zip(rng.sample(range(25), len(kinds)), kinds, strict=True):
        names[cell] = f"{kind}{rng.randint(1, 9)}"
    return game.parse_position(" ".join([*names, rng.choice("ad"), "0"]))


def verdict(state: WargameState) -> int:
    from noctagon.games.wargame.champion import endings_kernel

    d = scratch()
    d.put(state.key)
    tables = endings.load()
    return int(endings_kernel.verdict(d.record, tables.tables, tables.offsets))


@pytest.mark.parametrize("third", endings.NAMES)
def test_the_prover_agrees(third: str) -> None:
    rng = Random(third)
    tables = endings.load()
    for _ in range(25):
        state = few(rng, third)
        found = tables.lookup(state)
        assert found is not None
        for side in SIDES:
            prover = Prover(state, side=side, memory=0.001)
            if found and (found > 0) == (side == 0):
                assert prover.wins(abs(found)), (state, found)
                assert not prover.wins(abs(found) - 1), (state, found)
            else:
                assert not prover.wins(12), (state, found)


def test_every_ending_of_three_units_is_decided() -> None:
    import numpy as np

    legal = 15 * 24 * 23 * 2 * 729
    attacker_wins = {"aV": 10335330, "aF": 8891370, "aP": 9009198, "dT": 982278, "dF": 1848294, "dP": 1799190}
    tables = endings.load()
    for name in endings.THIRDS:
        begin = tables.offsets[endings.number(name)]
        table = tables.tables[begin : begin + endings.positions(name)]
        assert np.count_nonzero(table) == legal
        assert np.count_nonzero(table & 128 == 0) - (len(table) - legal) == attacker_wins[name]


def test_mirror_images_end_alike() -> None:
    rng = Random(5)
    tables = endings.load()
    for _ in range(100):
        state = few(rng, rng.choice(endings.NAMES))
        cells = [state.cells[cell % 5 * 5 + cell // 5] for cell in range(25)]
        assert tables.lookup(state) == tables.lookup(WargameState(cells, side=state.side))


def test_what_no_table_has() -> None:
    tables = endings.load()
    assert tables.lookup(game.initial()) is None
    assert tables.lookup(WargameState.from_units({"A0": "dA9"})) is None
    assert tables.lookup(WargameState.from_units({"A0": "dA9", "A4": "aA1", "E4": "aT9"})) is None
    assert verdict(game.initial()) == 0


def test_the_verdict_knows_the_turn_limit() -> None:
    units = {"A0": "dA9", "C1": "aV9", "E4": "aA9"}

    def with_limit(plies: int, *, limit_first: bool = False) -> int:
        rules = WargameRules(plies=plies, limit_first=limit_first)
        return verdict(WargameState.from_units(units, rules=rules))

    assert [with_limit(plies) for plies in (100, 3, 2, 1)] == [3, 3, -2, -1]
    assert [with_limit(plies, limit_first=True) for plies in (4, 3)] == [3, -3]
    lost = WargameState.from_units({"A0": "dA9", "A1": "aA3"}, side=1)
    assert verdict(lost) == -1


def test_without_tables_nothing_is_known() -> None:
    assert endings.gather({}).lookup(few(Random(1), "aV")) is None


def test_the_command_solves_them_again_and_compares(monkeypatch: pytest.MonkeyPatch) -> None:
    done = CliRunner().invoke(app, ["prove", "wargame", "--endings"], catch_exceptions=False)
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "7 tables of endings (AA, aV, aF, aP, dT, dF, dP): 72,491,760 positions solved.",
        "They are the same as the tables that ship with this version.",
    ]
    shipped = endings.load()
    begins = {name: int(shipped.offsets[endings.number(name)]) for name in endings.NAMES}
    solved = {
        name: bytes(shipped.tables[begin : begin + endings.positions(name)]) for name, begin in begins.items()
    }
    monkeypatch.setattr(endings, "solve", lambda decided: solved)  # they were solved above
    changed = shipped._replace(tables=shipped.tables.copy())
    changed.tables[-1] ^= 1
    monkeypatch.setattr(endings, "load", lambda: changed)
    with pytest.raises(NoctagonError, match="they differ from the tables that ship"):
        CliRunner().invoke(app, ["prove", "wargame", "--endings"], catch_exceptions=False)
