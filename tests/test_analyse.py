"""The best moves of a position, by any search, and `noctagon analyse` that shows them."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from typer.testing import CliRunner

from noctagon.cli import app
from noctagon.cli.analyse import Analysis
from noctagon.core.clock import Clock
from noctagon.core.game import NoctagonError
from noctagon.core.match import Match
from noctagon.core.player import PlayerSpec, Thought
from noctagon.core.registry import find_game
from noctagon.players import make_player
from noctagon.search.alphabeta import AlphaBeta
from noctagon.search.minimax import Minimax
from noctagon.search.tree import DECIDED, Budget, Finding, for_side
from tests.search.games import NumberGame, evaluate

VIRUS = "dA9 . . . . . . . . . aV9 . . . . . . . . . . . . . aA9 a 6"
"""The Virus steps beside the AI and takes it: the attacker wins with the second ply, if it likes."""


def ranked(findings: list[Finding[Any]], side: int) -> bool:
    values = [for_side(found.value, side) for found in findings]  # type: ignore[arg-type]
    return values == sorted(values, reverse=True)


# The search


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 6), st.integers(0, 3), st.booleans())
def test_the_lines_are_the_best_actions_with_their_values(
    seed: int, depth: int, lines: int, ply: int, chance: bool
) -> None:
    state = NumberGame(seed, ply=ply, chance=chance)
    if state.result is not None:
        return
    quick: AlphaBeta[int] = AlphaBeta(evaluate)
    plain: Minimax[int] = Minimax(evaluate)
    *_, last = quick.analyse(state, depth, lines)
    exact = plain.values(state, last[0].depth)
    best = sorted(exact.values(), key=lambda value: -for_side(value, state.side))
    assert len(last) == min(lines, len(exact))
    assert len({found.action for found in last}) == len(last)
    assert ranked(last, state.side)
    for found, value in zip(last, best, strict=False):
        assert found.value == pytest.approx(exact[found.action]) == pytest.approx(value)
        assert found.line[0] == found.action
    assert last[0].depth == depth or all(abs(found.value) > DECIDED for found in last)


@given(st.integers(0, 10**6), st.integers(0, 300))
def test_whenever_the_budget_ends_there_is_something(seed: int, nodes: int) -> None:
    state = NumberGame(seed, chance=False, plies=20)
    search: AlphaBeta[int] = AlphaBeta(evaluate, budget=Budget(nodes=nodes))
    told = list(search.analyse(state, 12, 3))
    assert told
    assert all(len({found.action for found in ranking}) == len(ranking) <= 3 for ranking in told)
    assert search.tally.nodes <= nodes
    depths = [ranking[0].depth for ranking in told]
    assert depths == sorted(depths)


def test_the_table_is_counted() -> None:
    state = NumberGame(3, chance=False, plies=20)
    search: AlphaBeta[int] = AlphaBeta(evaluate)
    search.search(state, 6)
    assert 0 < search.tally.hits < search.tally.probes
    assert search.tally.table_use == search.tally.hits / search.tally.probes
    without: AlphaBeta[int] = AlphaBeta(evaluate, table=False)
    without.search(state, 6)
    assert without.tally.table_use is None


# The players


@pytest.mark.parametrize("player", ["alphabeta", "minimax", "expectiminimax", "merge", "twilight", "mcts"])
def test_tree_players_tell_lines(player: str) -> None:
    game = find_game("vampires")
    state = game.initial("closet")
    searcher = make_player(PlayerSpec.parse(f"{player}:nodes=300"), game)
    *_, last = searcher.analyse(state, Clock(), 3)
    assert len(last) == (1 if player == "mcts" else 3)
    for decision in last:
        state.check(decision.action)
        assert decision.thought.line[0] == game.format_action(decision.action)


def test_the_compiled_search_tells_how_soon_each_line_wins() -> None:
    game = find_game("wargame")
    searcher = make_player(PlayerSpec.parse("alphabeta:depth=6"), game)
    *_, last = searcher.analyse(game.parse_position(VIRUS), Clock(), 3)
    assert [game.format_action(decision.action) for decision in last[:2]] == ["C0 B0", "C0 C1"]
    assert [decision.thought.score for decision in last[:2]] == [999_998, 999_996]


# The command


def analysed(*words: str, columns: int = 100) -> str:
    """What the command prints."""
    done = CliRunner().invoke(app, ["analyse", *words], env={"COLUMNS": str(columns)})
    if done.exception is not None:
        raise done.exception
    return done.stdout


def rows(text: str) -> list[str]:
    return re.findall(r"^\d+  .*$", text.partition("and then")[2], re.MULTILINE)


def test_moves_with_scores_and_lines() -> None:
    out = analysed("wargame", VIRUS, "--player", "alphabeta:depth=6", "--lines", "3")
    assert re.search(r"^depth +2 .* wins in 2  C0 B0  A0 B0", out, re.MULTILINE)
    assert "ply 6 of 100" in out
    assert "alphabeta:depth=6 for the Attacker · depth 6 · " in out
    assert [" ".join(row.split()) for row in rows(out)[:2]] == [
        "1 C0 B0 wins in 2 6 A0 B0",
        "2 C0 C1 wins in 4 6 A0 A1 · C1 B1 · A1 B1",
    ]
    assert len(rows(out)) == 3
    assert "ply 6" not in analysed("wargame", VIRUS, "--player", "alphabeta:depth=2", "--no-board")


def test_json_is_one_object_for_programs() -> None:
    out = analysed("wargame", VIRUS, "--player", "alphabeta:depth=6", "--lines", "2", "--json")
    told = msgspec.json.decode(out)
    assert find_game("wargame").parse_position(told["position"]).ply == 6
    assert (told["game"], told["side"], told["depth"]) == ("wargame", "Attacker", 4)  # both are decided then
    assert [(move["action"], move["says"], move["line"]) for move in told["moves"]] == [
        ("C0 B0", "wins in 2", ["C0 B0", "A0 B0"]),
        ("C0 C1", "wins in 4", ["C0 C1", "A0 A1", "C1 B1", "A1 B1"]),
    ]
    assert [move["score"] for move in told["moves"]] == [999_998, 999_996]


def test_chances_read_as_chances() -> None:
    out = analysed("vampires", "duel", "--player", "champion:nodes=2000", "--lines", "2")
    assert re.search(r"^1 .* \d\d% to win ", out, re.MULTILINE)


SHUFFLING = "3x3 H1,1:4 V0,0:3 W2,2:3 V 0"
"""Nobody dares to move on: every second depth finds the same again."""


def test_one_scale_and_a_line_only_for_what_is_new() -> None:
    out = analysed("vampires", SHUFFLING, "--player", "champion:depth=21", "--lines", "3")
    deepening = [line.split() for line in out.splitlines() if line.startswith("depth")]
    assert deepening[-1][1] == "21"
    assert len(deepening) < 12
    assert {" ".join(words[7:9]) for words in deepening} == {"to win"}
    assert "+0" not in out
    assert "not complete" not in out


def test_a_depth_that_was_not_finished_is_told() -> None:
    game = find_game("wargame")
    analysis = Analysis(game, PlayerSpec.parse("alphabeta:depth=3"), game.initial(), lines=3, seconds=1.0)
    *_, last = analysis.run()
    assert not analysis.remark()
    first, *others = last
    analysis.ranking = [first._replace(thought=Thought(depth=4, score=first.thought.score)), *others]
    assert not analysis.remark()  # it may still be finished
    analysis.ended = True
    assert analysis.remark() == "Depth 4 is not complete; scores of depth 3 do not compare with its own."


@pytest.mark.parametrize("columns", [30, 60, 200])
def test_it_fits_any_terminal(columns: int) -> None:
    game = find_game("vampires")
    spec = PlayerSpec.parse("merge:nodes=200")
    analysis = Analysis(game, spec, game.initial("split"), lines=5, seconds=1.0)
    for _ in analysis.run():
        pass
    console = Console(width=columns, record=True)
    console.print(analysis.render(columns, 40, board=False, ascii_only=False))
    out = console.export_text()
    assert all(len(line) <= columns for line in out.splitlines())
    assert rows(out) or columns < 60


def test_a_pipe_gets_every_line_whole() -> None:
    out = analysed("wargame", "start", "--player", "alphabeta:depth=7", "--lines", "2", columns=40)
    assert "…" not in out
    deepest = next(line for line in out.splitlines() if line.startswith("depth  7"))
    following = deepest.partition(rows(out)[0].split("  ")[1])[2].strip()
    assert following.count(" · ") >= 3
    assert rows(out)[0].rstrip().endswith(following)


@pytest.mark.parametrize(("height", "board"), [(40, True), (12, False)])
def test_the_board_is_drawn_where_there_is_room(height: int, board: bool) -> None:
    game = find_game("wargame")
    spec = PlayerSpec.parse("alphabeta:depth=2")
    analysis = Analysis(game, spec, game.initial(), lines=5, seconds=1.0)
    for _ in analysis.run():
        pass
    console = Console(width=80, height=height, record=True)
    console.print(analysis.render(80, height, board=board, ascii_only=False))
    text = console.export_text()
    assert ("dA9" in text) == board
    assert len(text.splitlines()) < height


def test_a_record_at_a_ply(tmp_path: Path) -> None:
    match = Match(find_game("wargame"))
    for _ in range(3):
        match.answer(next(iter(match.state.candidates())), 0.1)
    file = tmp_path / "game.json"
    match.record().append_to(file)
    words = ("--player", "alphabeta:depth=2")
    assert "for the Defender" in analysed("wargame", str(file), "--ply", "3", *words)
    assert "for the Attacker" in analysed("wargame", f"{file}@2", *words)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("vampires", "dule"), "did you mean duel"),
        (("vampires", "5x5 V1,1:5 V 3"), "there is nothing to search, the game is over"),
        (("vampires", "5x5 V1,1:5 W9,9:3 V 3"), "off the 5 × 5 grid"),
        (("wargame", VIRUS.replace("dA9 .", "dA9 dA9")), "two AIs"),
        (("vampires", "duel", "--player", "random"), "does not look ahead"),
        (("vampires", "duel", "--player", "mine.py:Mine"), "process of its own"),
        (("vampires", "duel", "--player", "alphabeta", "--threads", "2"), "no option 'threads'"),
        (("vampires", "duel", "--time", "0"), "--time 0"),
        (("vampires", "duel", "--lines", "0"), "--lines 0"),
        (("vampires", ""), "the position is empty"),
        (("vampires", "duel", "--player", ""), "player '': '' is not a name"),
        (("wargame", "start", "--ply", "3"), "--ply 3 is for a record's file, and 'start' is none"),
        (("wargame", "g.jsonl@5", "--ply", "3"), "the ply is given twice: by g.jsonl@5, and by --ply 3"),
    ],
)
def test_mistakes_are_told(words: tuple[str, ...], told: str) -> None:
    with pytest.raises(NoctagonError) as caught:
        analysed(*words)
    assert told in str(caught.value)
