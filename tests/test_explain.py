"""`noctagon explain`: a choice, its terms, and the candidates beside it."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from noctagon.cli import app
from noctagon.core.clock import Clock
from noctagon.core.game import NoctagonError
from noctagon.core.match import Match
from noctagon.core.player import PlayerSpec
from noctagon.core.position import find_position
from noctagon.core.registry import find_game
from noctagon.players import make_player
from noctagon.search.tree import average, for_side

SPLIT = "5x5 H2,2:4 H1,3:1 V1,1:5 V3,3:2 W4,1:4 W3,4:3 V 3"


def explained(*words: str, columns: int = 100) -> str:
    """What the command prints."""
    done = CliRunner().invoke(app, ["explain", *words], env={"COLUMNS": str(columns)})
    if done.exception is not None:
        raise done.exception
    return done.stdout


def refusal(*words: str) -> str:
    with pytest.raises(NoctagonError) as caught:
        explained(*words)
    return str(caught.value)


def numbers(text: str, row: str) -> list[float]:
    """The values in a row of the table, without the differences beside them."""
    (line,) = [line for line in text.splitlines() if line.startswith(row)]
    return [float(value) for value in re.findall(r"(?<!\()[+-]\d+(?:\.\d+)?", line)]


def test_the_terms_add_up_and_the_rest_is_looking_ahead() -> None:
    out = explained("vampires", SPLIT, "--player", "expectiminimax:depth=2")
    assert "expectiminimax:depth=2, for the Vampires: 1,1>2,2:5" in out
    assert "depth 2" in out
    chosen = {row: numbers(out, row)[0] for row in ("creatures", "houses", "prey", "groups", "sum")}
    assert sum(chosen.values()) - chosen["sum"] == pytest.approx(chosen["sum"], abs=0.01)
    ahead, score = numbers(out, "looking ahead")[0], numbers(out, "score")[0]
    assert chosen["sum"] + ahead == pytest.approx(score, abs=0.01)
    others = numbers(out, "sum")[1:]
    assert others == sorted(others, reverse=True)
    assert len(others) == 3
    assert re.search(r"\([+-]\d", out)


def test_greedy_looks_no_further_than_its_terms() -> None:
    out = explained("vampires", "duel", "--player", "greedy", "--no-board")
    assert "looking ahead" not in out
    assert "by these terms alone, none is better" in out


def test_the_board_is_above_unless_it_is_not_wanted() -> None:
    assert explained("wargame", "start", "--player", "alphabeta:depth=2").lstrip().startswith("0 ")
    assert "dA9" not in explained("wargame", "start", "--player", "alphabeta:depth=2", "--no-board")


@pytest.mark.parametrize("heuristic", ["e0", "e1", "e2"])
def test_the_wargame_tells_terms_too(heuristic: str) -> None:
    position = "dA9 dT9 . dF9 . dT9 . . . . dF9 . dP9 aF9 aP9 . . aV9 . aV9 . . aP9 . aA9 a 6"
    out = explained("wargame", position, "--player", f"alphabeta:heuristic={heuristic},depth=2")
    assert f"alphabeta:heuristic={heuristic},depth=2, for the Attacker: " in out
    assert numbers(out, "sum")


@pytest.mark.parametrize(
    "player", ["conservative", "smart-greedy", "smart", "smart-split", "merge", "report-2024", "twilight"]
)
def test_the_documents_players_tell(player: str) -> None:
    out = explained("vampires", SPLIT, "--player", player, "--time", "0.2", "--others", "1")
    assert f"{player}, for the Vampires: " in out
    assert numbers(out, "sum")


def test_a_player_that_cannot_tell_still_shows_its_choice(tmp_path: Path) -> None:
    out = explained("vampires", "closet", "--player", "random", "--seed", "3")
    assert re.search(r"random, for the Vampires: \d", out)
    assert "does not tell what makes it like a move" in out
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    def choose(self, state, clock):\n        return next(iter(state.candidates()))\n"
    )
    assert "does not tell" in explained("wargame", "start", "--player", f"{tmp_path / 'mine.py'}:Mine")


@pytest.mark.parametrize("columns", [24, 40, 60, 200])
def test_it_fits_any_terminal(columns: int) -> None:
    out = explained("vampires", SPLIT, "--player", "greedy", "--others", "9", columns=columns)
    assert all(len(line.rstrip()) <= columns for line in out.splitlines())
    shown = int(re.findall(r"(\d+) of\s+\d+\s+other", out)[0])
    assert 1 <= shown <= 9
    assert shown >= min(9, (columns - 30) // 20)


def test_terms_are_what_the_evaluation_says() -> None:
    game = find_game("vampires")
    for position in (SPLIT, "5x5 H2,2:4 V1,1:5 W4,1:4 W 4", "5x5 H2,2:4 V1,1:5 W2,1:4 V 4 first=W"):
        state = game.parse_position(position)
        for heuristic in game.evaluations:
            player = make_player(PlayerSpec.parse(f"greedy:heuristic={heuristic}"), game)
            action = player.choose(state, Clock(1.0)).action
            worth = for_side(average(state, action, game.evaluations[heuristic]), state.side)
            assert sum(player.explain(state, action).values()) == pytest.approx(worth)


def test_a_record_at_a_ply(tmp_path: Path) -> None:
    game = find_game("wargame")
    match = Match(game)
    for _ in range(3):
        match.answer(next(iter(match.state.candidates())), 0.1)
    file = tmp_path / "games.jsonl"
    for _ in range(2):
        match.record().append_to(file)
    rules = game.make_rules()
    assert find_position(game, f"{file}@2", rules) == match.states[2]
    assert find_position(game, f"{file}@2:0", rules) == match.initial
    assert "for the Defender" in explained("wargame", f"{file}@3", "--player", "greedy")
    assert "no ply 4" in refusal("wargame", f"{file}@4", "--player", "greedy")
    assert "no game 3" in refusal("wargame", f"{file}@3:1", "--player", "greedy")
    assert "after the @ comes a ply" in refusal("wargame", f"{file}@end", "--player", "greedy")
    assert "say at which ply" in refusal("wargame", str(file), "--player", "greedy")
    assert "is a game of wargame" in refusal("vampires", f"{file}@1", "--player", "greedy")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("vampires", "dule", "--player", "greedy"), "did you mean duel"),
        (("chess", "start", "--player", "greedy"), "unknown game"),
        (("vampires", "duel", "--player", "gredy"), "did you mean greedy"),
        (("vampires", "5x5 V1,1:5", "--player", "greedy"), "ends with the species to move"),
        (("vampires", "5x5 V1,1:5 V 3", "--player", "greedy"), "the game is over"),
        (("vampires", "nowhere.json@3", "--player", "greedy"), "nowhere.json"),
        (("vampires", "duel", "--player", "greedy", "--time", "0"), "--time 0"),
        (("vampires", "duel", "--player", "greedy", "--others", "-1"), "--others -1"),
        (("vampires", "duel", "--player", "human"), "in person"),
    ],
)
def test_mistakes_are_told(words: tuple[str, ...], told: str) -> None:
    assert told in refusal(*words)


def test_a_map_whose_path_has_a_blank_is_a_map(tmp_path: Path) -> None:
    from noctagon.games.vampires.maps.map import bundled_maps, write_map

    folder = tmp_path / "my maps"
    folder.mkdir()
    (folder / "a.xml").write_text(write_map(bundled_maps()["duel"]))
    game = find_game("vampires")
    rules = game.make_rules()
    assert find_position(game, str(folder / "a.xml"), rules) == game.initial("duel", rules)
