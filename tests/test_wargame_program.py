"""`noctagon wargame`, the assignment's program: its traces word for word, in all four modes, whatever is typed.

`NOCTAGON_WRITE_GOLDEN=1 pytest tests/test_wargame_program.py` writes the traces anew; read them before they are kept.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from noctagon.core.player import Thought
from noctagon.games.wargame import game
from noctagon.games.wargame.program.trace import Statistics
from tests.command import noctagon

GOLDEN = Path(__file__).parent / "wargame" / "golden"
MANY = "600"
"""Seconds enough for a search of a few plies on any machine: what it finds is then always the same."""


def program(*words: str, keys: str = "", code: int = 0, cwd: Path) -> tuple[str, str]:
    """Run the program; what it printed on both streams."""
    out, err = noctagon("wargame", *words, keys=keys, code=code, cwd=cwd)
    assert "Traceback" not in err
    return out, err


def masked(trace: str) -> str:
    """A trace without what differs from run to run."""
    return re.sub(r"(?<=time for this action: )\S+", "*", trace)


@pytest.mark.parametrize(
    ("mode", "options", "keys"),
    [
        ("H-H", ["--turns", "5"], "C4 B4\nA2 A3\nB4 A4\nA3 A4\nd4-c4\n"),
        ("H-AI", ["--turns", "6", "--depth", "3", "--defender", "e1"], "D3 D2\nW3 C3\nE4 D4\nD2C2\nc2 c1\n"),
        ("AI-H", ["--turns", "4", "--depth", "3", "--attacker", "e2"], "A2 B2\nB2 B3\n"),
        ("AI-AI", ["--depth", "4", "--attacker", "e1", "--defender", "e0"], ""),
        ("AI-AI", ["--turns", "8", "--alpha-beta", "false", "--depth", "3", "--attacker", "e0"], ""),
    ],
    ids=["H-H", "H-AI", "AI-H", "AI-AI", "AI-AI-minimax"],
)
def test_the_trace_is_the_documents(
    mode: str, options: list[str], keys: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    program("--mode", mode, "--time", MANY, *options, keys=keys, cwd=tmp_path)
    (trace,) = tmp_path.iterdir()
    turns = options[options.index("--turns") + 1] if "--turns" in options else "100"
    alpha_beta = "false" if "--alpha-beta" in options else "true"
    assert trace.name == f"gameTrace-{alpha_beta}-{MANY}-{turns}.txt"
    told = masked(trace.read_text("utf-8"))
    golden = GOLDEN / f"{request.node.callspec.id}.txt"
    if os.environ.get("NOCTAGON_WRITE_GOLDEN"):
        golden.write_text(told, "utf-8", newline="\n")
    assert told == golden.read_text("utf-8")


def test_a_trace_has_every_item_in_order(tmp_path: Path) -> None:
    program("--mode", "AI-AI", "--time", MANY, "--turns", "2", "--depth", "3", cwd=tmp_path)
    told = (tmp_path / f"gameTrace-true-{MANY}-2.txt").read_text("utf-8")
    board = r"     0   1   2   3   4\n([A-E]: (  \. ?| [ad][AVTFP]\d){5}\n){5}"
    number = r"\d+(\.\d[kM])?"
    action = (
        r"turn #{turn}\n{side}\nmove from [A-E]\d to [A-E]\d\ntime for this action: \d+\.\d+ sec\n"
        r"heuristic score: -?\d+\n{board}\nCumulative evals: {number}\n"
        r"Cumulative evals by depth: 1={number}( \d={number})*\n"
        r"Cumulative % evals by depth: \d=[\d.]+%( \d=[\d.]+%)*\nAverage branching factor: \d+\.\d\n\n"
    )
    pattern = (
        rf"the value of the timeout in seconds: {MANY}\nthe max number of turns: 2\nalpha-beta: on\n"
        r"the play modes: player 1 = AI & player 2 = AI\nthe heuristic of player 1 \(Attacker\): e2\n"
        r"the heuristic of player 2 \(Defender\): e2\n\n" + board + r"\n"
    )
    for turn, side in enumerate(("Attacker", "Defender"), 1):
        filled = action.replace("{turn}", str(turn)).replace("{side}", side)
        pattern += filled.replace("{board}", board).replace("{number}", number)
    assert re.fullmatch(pattern + r"Defender wins in 2 turns\n", told), told


def test_the_statistics_are_written_as_in_the_document() -> None:
    statistics = Statistics()
    statistics.add(
        Thought(
            nodes=48, expanded=10, evaluations={1: 39, 2: 277, 3: 2300, 4: 17_900, 5: 95_400, 6: 6_500_000}
        )
    )
    statistics.add(Thought(evaluations={7: 11_400_000}))
    assert statistics.lines() == [
        "Cumulative evals: 18.0M",
        "Cumulative evals by depth: 1=39 2=277 3=2.3k 4=17.9k 5=95.4k 6=6.5M 7=11.4M",
        "Cumulative % evals by depth: 5=0.5% 6=36% 7=63%",
        "Average branching factor: 4.8",
    ]
    assert Statistics().lines()[0] == "Cumulative evals: 0"


def test_the_time_is_in_the_name_as_typed_and_is_kept(tmp_path: Path) -> None:
    out, _ = program("--mode", "AI-AI", "--time", "0.20", "--turns", "06", cwd=tmp_path)
    told = (tmp_path / "gameTrace-true-0.20-06.txt").read_text("utf-8")
    assert "Defender wins in 6 turns" in out
    assert told.endswith("\nDefender wins in 6 turns\n")
    assert "the value of the timeout in seconds: 0.20\nthe max number of turns: 06\n" in told


def test_a_person_is_warned_and_asked_again(tmp_path: Path) -> None:
    keys = "W3\nC4 C4 C4\nA0 B0\nC4 D4\nE4 E4\n"
    out, _ = program("--mode", "H-H", keys=keys, cwd=tmp_path)
    assert "Attacker, your turn (or help): W3\nNot understood: action 'W3': two cells are needed" in out
    assert "Illegal: A0: dA9 is the enemy's, and the Attacker is to move: rule 2. Try again." in out
    assert "Illegal: C4 D4: a Program cannot repair a Virus" in out
    told = (tmp_path / "gameTrace-true-5-100.txt").read_text("utf-8")
    assert "Illegal" not in told
    assert "turn #1\nAttacker\nself-destruct at E4\n" in told
    assert told.endswith("\nDefender wins in 1 turn\n")


def test_the_end_of_the_input_ends_the_game(tmp_path: Path) -> None:
    out, _ = program("--mode", "H-AI", "--depth", "2", keys="C4 B4\n", cwd=tmp_path)
    told = (tmp_path / "gameTrace-true-5-100.txt").read_text("utf-8")
    assert told.endswith("\nAttacker: the input ended\nDefender wins in 2 turns\n")
    assert "trace in gameTrace-true-5-100.txt" in out
    program("--mode", "AI-H", "--depth", "2", keys="quit\n", cwd=tmp_path)
    told = (tmp_path / "gameTrace-true-5-100.txt").read_text("utf-8")
    assert told.endswith("\nDefender: resigned\nAttacker wins in 1 turn\n")
    assert told.count("the max number of turns") == 1, "an older trace is overwritten"


def test_taking_back_is_told(tmp_path: Path) -> None:
    keys = "C4 B4\nA2 A3\nundo\nC4 C3\nquit\n"
    out, _ = program("--mode", "H-H", keys=keys, cwd=tmp_path)
    told = (tmp_path / "gameTrace-true-5-100.txt").read_text("utf-8")
    assert re.search(
        r"turn #2\n(.|\n)*taken back to turn #0\n(.|\n)*turn #1\nAttacker\nmove from C4 to C3", told
    )
    assert "taken back to turn #0" in out


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent as a signal")
def test_ctrl_c_leaves_the_trace_so_far(tmp_path: Path) -> None:
    words = ["--mode", "H-AI", "--time", MANY, "--trace-dir", "deep/er"]
    with subprocess.Popen(
        [sys.executable, "-m", "noctagon", "wargame", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        text=True,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write("C4 B4\n")
        running.stdin.flush()
        for line in running.stdout:
            if line.startswith("turn #1"):
                break
        running.send_signal(signal.SIGINT)  # the computer has ten minutes to think, and is interrupted in it
        _, errors = running.communicate(timeout=60)
    assert running.returncode == 130
    path = tmp_path / "deep" / "er" / f"gameTrace-true-{MANY}-100.txt"
    assert f"interrupted; the trace so far is in {path.relative_to(tmp_path)}" in errors
    told = path.read_text("utf-8")
    assert "turn #1\nAttacker\nmove from C4 to B4\n" in told
    assert told.endswith("\ninterrupted by the user after 1 turn\n")


def test_ctrl_c_during_start_up_names_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(type(game), "load", interrupted)
    older = tmp_path / "gameTrace-true-5-100.txt"
    older.write_text("of an earlier game")
    _, errors = program("--mode", "AI-AI", code=130, cwd=tmp_path)
    assert errors == "\nnoctagon: interrupted, before the game began\n"
    assert older.read_text() == "of an earlier game"


def test_a_closed_pipe_leaves_the_trace_so_far(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "noctagon", "wargame", "--mode", "AI-AI", "--time", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        text=True,
    ) as running:
        assert running.stdout is not None
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr is not None
        assert "Traceback" not in running.stderr.read()
    told = (tmp_path / "gameTrace-true-1-100.txt").read_text("utf-8")
    assert re.search(r"\ninterrupted because nobody reads the output any more after \d+ turns?\n$", told)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--mode", "AI"], "--mode AI: choose H-H, H-AI, AI-H or AI-AI"),
        (["--alpha-beta", "maybe"], "--alpha-beta maybe: choose true or false"),
        (["--attacker", "e3"], "--attacker e3: choose e0, e1 or e2"),
        (["--defender", "health"], "--defender health: choose e0, e1 or e2"),
        (["--time", "0"], "--time 0: from 0.01 s"),
        (["--time", "0.001"], "a computer cannot be sure of less"),
        (["--time", "nan"], "--time nan: from 0.01 s"),
        (["--time", "../5"], "--time ../5: from 0.01 s"),
        (["--turns", "0"], "--turns 0: a whole number from 1 to 2147483647"),
        (["--turns", "1e2"], "--turns 1e2: a whole number from 1"),
        (["--depth", "0"], "--depth 0: the computer looks 1 to 100 turns ahead"),
        (["--trace-dir", "file/below"], "no trace can be written to file/below"),
    ],
)
def test_bad_options_are_told_with_the_good_ones(words: list[str], says: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    _, errors = program(*words, code=2, cwd=tmp_path)
    assert says in errors
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_same_players_play_by_spec() -> None:
    assert {"minimax", "alphabeta", "turtle"} <= set(game.players)
    assert list(game.evaluations)[:1] == ["e2"]
