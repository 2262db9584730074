"""The prover against plain recursion, with and without its bound, and what it says at the edges."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from noctagon.cli import app
from noctagon.core.game import NoctagonError
from noctagon.games.wargame import WargameRules, WargameState, game
from noctagon.games.wargame.proofs.prover import (
    LEAST_MEMORY,
    MOST_MEMORY,
    MOST_PLIES,
    Proof,
    Prover,
    parse_side,
    prove,
)
from tests.wargame import oracle
from tests.wargame.positions import artificial, pair

if TYPE_CHECKING:
    from noctagon.core.game import Side

SIDES: tuple[Side, Side] = (0, 1)
SMALL = 0.001
CORNER = "dA9 . . . . . . . . . . aV9 . . . . . . . . . . . . aA9"
"""The Virus comes to B1, and wherever the defender's AI goes, it is destroyed: 3 plies."""


def forced(state: WargameState, side: Side, plies: int) -> bool:
    """Plain recursion: whether a side wins within so many plies by a destroyed AI."""
    if state.result is not None:
        return state.result.winner == side
    if plies == 0:
        return False
    answers = (forced(state.play(action), side, plies - 1) for action in state.actions())
    return any(answers) if state.side == side else all(answers)


def forced_by_oracle(position: oracle.Position, side: str, plies: int) -> bool:
    if winner := position.winner():
        return winner == side
    if plies == 0:
        return False
    answers = (forced_by_oracle(position.play(*turn), side, plies - 1) for turn in position.legal())
    return any(answers) if position.side == side else all(answers)


def sparse(rng: Random, most: int = 5) -> str:
    """A position of both AIs and a few weak units close together: somebody often wins, or must harm itself."""
    rows, columns = rng.choice([(5, 5), (3, 4), (4, 3), (3, 3)])
    cells = [row * 5 + column for row in range(rows) for column in range(columns)]
    others = rng.randint(0, min(most, len(cells) - 2))
    kinds = ["aA", "dA", *(rng.choice("ad") + rng.choice("VTFP") for _ in range(others))]
    names = ["."] * 25
    strongest = rng.choice([2, 4, 9])
    for cell, kind in zip(rng.sample(cells, len(kinds)), kinds, strict=True):
        names[cell] = f"{kind}{rng.randint(1, strongest)}"
    return " ".join([*names, rng.choice("ad"), "0"])


def prover(text: str, side: Side, *, bounded: bool = True) -> Prover:
    return Prover(game.parse_position(text), side=side, memory=SMALL, bounded=bounded)


@pytest.mark.kernel
@pytest.mark.parametrize("side", SIDES)
def test_one_and_two_plies_as_the_oracle_has_it(side: Side) -> None:
    rng = Random(side)
    wins = 0
    for number in range(60):
        text = sparse(rng) if number % 3 else artificial(rng)
        state, expected = pair(text)
        if state.result is not None:
            continue
        for plies in (1, 2):
            answer = forced_by_oracle(expected, "ad"[side], plies)
            assert prover(text, side).wins(plies) == answer, (text, plies)
            wins += answer
    assert wins > 10


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    ("plies", "positions", "most"), [(1, 1500, 9), (2, 1000, 7), (3, 500, 5), (4, 200, 3), (5, 60, 2)]
)
def test_plain_recursion_gives_the_same_answers(side: Side, plies: int, positions: int, most: int) -> None:
    rng = Random(plies)
    wins = 0
    for _ in range(positions):
        text = sparse(rng, most)
        answer = forced(game.parse_position(text), side, plies)
        assert prover(text, side).wins(plies) == answer, text
        wins += answer
    assert positions / 50 < wins < positions


@pytest.mark.parametrize("side", SIDES)
def test_nothing_is_called_too_far_that_is_not(side: Side) -> None:
    rng = Random(10 + side)
    spared = wins = 0
    for _ in range(600):
        text = sparse(rng, rng.choice([2, 4, 8]))
        with_bound, without = prover(text, side), prover(text, side, bounded=False)
        for plies in range(1, 8):
            answer = without.wins(plies)
            assert with_bound.wins(plies) == answer, (text, plies)
            wins += answer
            if answer or without.nodes > 200_000:
                break
        spared += int(with_bound.work.far)
    assert spared > 1000
    assert wins > 50


@pytest.mark.parametrize("side", SIDES)
def test_no_quick_win_from_the_start(side: Side) -> None:
    found = prove(game.initial(), side=side, plies=16, memory=SMALL)
    assert (found.won, found.plies, found.refuted, found.line) == (False, 16, 16, ())


def test_a_win_comes_with_its_exact_length_and_a_line() -> None:
    rng = Random(3)
    lengths = set()
    for _ in range(300):
        text = sparse(rng, 4)
        side = SIDES[rng.randint(0, 1)]
        found = prover(text, side).run(6)
        if not found.won:
            continue
        state = game.parse_position(text)
        assert len(found.line) == found.plies
        assert forced(state, side, found.plies)
        assert not forced(state, side, found.plies - 1)
        for action in found.line:
            state = state.play(action)
        assert state.result is not None
        assert state.result.winner == side
        lengths.add(found.plies)
    assert lengths >= {1, 2, 3, 4}


def test_mirror_images_are_one() -> None:
    rng = Random(4)
    for _ in range(50):
        *names, mover, ply = sparse(rng).split()
        mirrored = " ".join([*(names[cell % 5 * 5 + cell // 5] for cell in range(25)), mover, ply])
        text = " ".join([*names, mover, ply])
        assert [prover(text, 0).wins(plies) for plies in (2, 3, 4)] == [
            prover(mirrored, 0).wins(plies) for plies in (2, 3, 4)
        ]


@pytest.mark.parametrize(
    ("limit", "limit_first", "won"), [(3, False, True), (2, False, False), (3, True, False)]
)
def test_the_turn_limit_cuts_the_plies(limit: int, limit_first: bool, won: bool) -> None:
    rules = WargameRules(plies=limit, limit_first=limit_first)
    state = game.parse_position(f"{CORNER} a 0", rules)
    found = prove(state, side=0, plies=9, memory=SMALL)
    assert (found.won, found.plies) == (won, 3 if won else 2)
    assert forced(state, 0, 9) == won


def test_the_last_turn_is_too_late_where_the_limit_comes_first() -> None:
    rules = WargameRules(plies=1, limit_first=True)
    state = WargameState.from_units({"A0": "dA9", "A1": "aV3", "E4": "aA9"}, rules=rules)
    found = prove(state, side=0, plies=5, memory=SMALL)
    assert (found.won, found.plies, found.nodes) == (False, 0, 0)


def test_the_table_grows_and_keeps_what_it_knows() -> None:
    found = Prover(game.initial(), side=0, memory=0.1)
    found.run(18)
    small, kept, nodes = found.table, int(found.work.kept), found.nodes
    found.most_entries = len(small) * 2
    found.work.kept = len(small)
    found._grow()
    assert len(found.table) == len(small) * 2
    assert kept * 0.99 < int((found.table != 0).sum()) <= kept
    assert not found.wins(18)
    assert found.nodes == nodes + 1


def test_an_interrupt_leaves_what_is_proven() -> None:
    def interrupt(plies: int, nodes: int) -> None:
        if plies >= 20:
            raise KeyboardInterrupt

    found = prove(game.initial(), side=0, plies=40, memory=0.1, looked=interrupt)
    assert not found.won
    assert 18 <= found.refuted < found.plies == 40


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"plies": 0}, "1 to 60 plies deep, not 0"),
        ({"plies": MOST_PLIES + 1}, "1 to 60 plies deep, not 61"),
        ({"memory": 0.0}, "0.001 to 256 GiB, not 0"),
        ({"memory": float("nan")}, "not nan"),
        ({"side": 2}, "a side is 0 or 1, not 2"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(NoctagonError, match=message):
        prove(game.initial(), **{"side": 0, "plies": 2, **options})


def test_a_finished_game_has_nothing_to_prove() -> None:
    state = WargameState.from_units({"A0": "dA9"})
    with pytest.raises(NoctagonError, match="the game is over: Defender won"):
        prove(state, side=0, plies=2)


def test_sides_by_name() -> None:
    assert [parse_side(text) for text in ("attacker", "Defender", "a", "d")] == [0, 1, 0, 1]
    with pytest.raises(NoctagonError, match="unknown side 'vampires'; there are attacker and defender"):
        parse_side("vampires")


def command(*words: str) -> str:
    done = CliRunner().invoke(app, ["prove", *words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def test_the_command_tells_the_line() -> None:
    text = command("wargame", "--side", "attacker", "--plies", "6", "--position", f"{CORNER} a 0")
    assert text.startswith("Yes: the Attacker has a forced win in 3 plies.\n")
    assert len(text.splitlines()[1].split()) == 6
    as_argument = command("wargame", f"{CORNER} a 0", "--side", "attacker", "--plies", "6")
    assert as_argument.splitlines()[:2] == text.splitlines()[:2]


def test_the_command_tells_that_there_is_none() -> None:
    text = command("wargame", "--side", "defender", "--plies", "8")
    assert text.startswith("No: the Defender has no forced win within 8 plies.\n")
    text = command("wargame", "--side", "a", "--plies", "9", "--position", f"{CORNER} a 98")
    assert text.startswith("No: the Attacker has no forced win within 2 plies, when the turns are over.\n")


def test_the_help_gives_the_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    text = command("--help")
    assert f"plies, 1 to {MOST_PLIES}." in text
    assert f"table, {LEAST_MEMORY:g} to {MOST_MEMORY:g}." in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("vampires --side attacker --plies 3", "there is no prover for vampires"),
        ("wargame --plies 3", "say who is to win"),
        ("wargame --side attacker", "say within how many plies"),
        ("wargame --side nobody --plies 3", "unknown side 'nobody'"),
        ("wargame --side nobody", "unknown side 'nobody'"),
        ("wargame --side attacker --plies 61", "1 to 60 plies deep, not 61"),
        ("wargame --side attacker --plies 3 --memory 1000", "GiB, not 1000"),
        ("wargame --side attacker --plies 3 --position rubbish", "unknown setup of wargame"),
        ("wargame rubbish --side attacker --plies 3", "unknown setup of wargame"),
        ("wargame start --side a --plies 3 --position x@1", "given twice: 'start', and 'x@1' by --position"),
        ("wargame --endings --plies 3", "it takes no side, plies or position"),
        ("wargame start --endings", "it takes no side, plies or position"),
    ],
)
def test_the_command_refuses(words: str, message: str) -> None:
    with pytest.raises(NoctagonError, match=message):
        command(*words.split())


def test_the_command_tells_what_an_interrupted_proof_has_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    from noctagon.games.wargame.proofs import prover as module

    stopped = Proof(False, 40, (), 18, 12345, 2.0, 1 << 22, 100)
    monkeypatch.setattr(module, "prove", lambda *_, **__: stopped)
    done = CliRunner().invoke(app, ["prove", "wargame", "--side", "a", "--plies", "40"])
    assert done.exit_code == 130
    assert "Proven by then: no forced win of the Attacker within 18 plies." in done.stdout
    assert "12,345 nodes in 2.0 s" in done.stdout
    found = Proof(True, 20, (), 18, 12345, 2.0, 1 << 22, 100)
    monkeypatch.setattr(module, "prove", lambda *_, **__: found)
    done = CliRunner().invoke(app, ["prove", "wargame", "--side", "a", "--plies", "40"])
    assert done.exit_code == 130
    assert done.stdout.startswith("Yes: the Attacker has a forced win within 20 plies; interrupted then.\n")


def test_a_proof_that_is_stopped_once_it_has_a_win_claims_no_more_than_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prover = Prover(game.initial(f"{CORNER} a 0"), side=0, memory=0.01)
    wins = prover.wins

    def stop_at_three(plies: int, *state: Any) -> bool:
        if plies == 3:
            prover.stop()
        return wins(plies, *state)

    monkeypatch.setattr(prover, "wins", stop_at_three)
    proof = prover.run(8)
    assert (proof.won, proof.plies, proof.refuted, proof.line) == (True, 4, 2, ())
