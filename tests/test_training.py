"""What the champions learned from: the training programs play the champion's own search, and note what happened."""

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from noctagon.games.wargame import game
from noctagon.games.wargame.champion.search import Engine, new_table
from noctagon.games.wargame.players import evaluation
from noctagon.games.wargame.rules.state import WargameState
from noctagon.search.tree import DECIDED, Budget

TRAINING = Path(__file__).parents[1] / "lab" / "training"
pytestmark = pytest.mark.xdist_group("training")  # what one test compiles the next one needs
NODES = 5000


@pytest.fixture(scope="module")
def players() -> Iterator[Any]:
    game.load()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(TRAINING)
        yield import_module("wargame_players")


def run(program: str, *arguments: object) -> str:
    command = [sys.executable, TRAINING / program, *arguments]
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout


def decided_positions(count: int) -> list[tuple[WargameState, bool]]:
    """Positions of random games in which the champion sees a forced win, and whether it is the attacker's."""
    rng, table = Random(5), new_table()
    found: list[tuple[WargameState, bool]] = []
    while len(found) < count:
        state = game.initial()
        while state.result is None and state.ply < 60:
            if state.ply >= 20:
                champion = Engine(evaluation.onslaught, table=table, budget=Budget(nodes=NODES))
                value = list(champion.deepen(state, 7))[-1].value
                if abs(value) > DECIDED:
                    found.append((state, value > 0))
                    break
            state = state.play(rng.choice(list(state.actions())))
    return found


def test_a_compiled_game_is_won_by_whom_the_champion_sees_winning(players: Any) -> None:
    ring = players.Ring()
    onslaught, bulwark = (players.named(f"{name}@{NODES}") for name in ("onslaught", "bulwark"))
    foe = players.named("alphabeta-e2@2000")
    for state, attacker in decided_positions(12):
        sides = (onslaught, foe) if attacker else (foe, bulwark)
        won, rows, values = ring.play(state, *sides)
        assert won == attacker
        assert len(rows) == len(values) > 0
        assert bytes(rows[0][:25]) == state.key[:25]


def test_compiled_games_are_searched_with_all_techniques(players: Any) -> None:
    ring = players.Ring()
    ring.play(game.initial(), players.named(f"onslaught@{NODES}"), players.named("alphabeta-e2@500"))
    assert ring.work.uses == Engine(evaluation.onslaught).works[0].uses
    assert ring.work.hits > 0, "the table of positions was never of use"


def test_games_of_wargame_to_learn_from(tmp_path: Path) -> None:
    told = run("wargame_games.py", tmp_path / "games.npz", 2, 7, "onslaught", "bulwark")
    games = np.load(tmp_path / "games.npz")
    lengths = {len(games[name]) for name in games.files}
    assert told == f"{games['game'][-1] + 1} games, {lengths.pop()} positions\n"
    assert not lengths, "the columns differ in length"
    from noctagon.games.wargame.champion.network_kernel import ROWS, TURN

    rows = games["rows"]
    assert ((rows[:, 0] >= TURN) & (rows[:, 0] < TURN + 32)).all()
    assert rows.max() <= ROWS
    for number in np.unique(games["game"]):
        assert len(set(games["won"][games["game"] == number])) == 1, "a game has one result"


def test_a_match_of_wargame() -> None:
    told = run("wargame_match.py", "onslaught@3000", "alphabeta-e0@1", 2, 1)
    assert told == "onslaught@3000 against alphabeta-e0@1: the attacker won 2 of 2\n"


def test_games_of_vampires_to_learn_from(tmp_path: Path) -> None:
    run("vampires_selfplay.py", 1, 1, tmp_path / "games.npz")
    games = np.load(tmp_path / "games.npz")
    assert len(games["houses"]) == len(games["whole"]) > 0
    assert set(np.unique(games["result"])) <= {0.0, 0.5, 1.0}
    assert ((games["thought"] >= 0) & (games["thought"] <= 1)).all()
