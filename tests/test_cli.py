"""The commands as a user types them: what they print, what they say of a mistake, how they exit."""

import json
import os
import re
import signal
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tests.command
from noctagon.arena.store.store import Store
from noctagon.cli import app
from noctagon.cli.commands import all_commands
from noctagon.core.record import read_records
from noctagon.core.registry import find_game
from tests.arena.games import a_game

BOTS = Path(__file__).parent / "bots" / "broken.py"
RAW = Path(__file__).parent / "bots" / "wire_raw.py"
KEYS = {
    "game",
    "map",
    "rules",
    "seed",
    "players",
    "winner",
    "reason",
    "plies",
    "score",
    "seconds",
    "late",
    "illegal",
}


def noctagon(*words: str, code: int = 0, keys: str = "", cwd: Path | None = None) -> tuple[str, str]:
    """Run a command; no traceback reaches its user, but for that of a bot which raised it."""
    out, err = tests.command.noctagon(*words, code=code, keys=keys, cwd=cwd)
    if not any(str(bots) in word for bots in (BOTS, RAW) for word in words):
        assert "Traceback" not in err
    return out, err


def test_help_tells_all_commands() -> None:
    out, _ = noctagon("--help")
    for command in ("play", "replay", "games", "players", "maps", "perft", "bench"):
        assert command in out
    assert noctagon("--version")[0].startswith("noctagon ")
    for command in ("play", "replay", "perft", "bench"):
        told = noctagon(command, "--help")[0]
        assert "Usage" in told
        assert "<bool>" not in told  # a flag takes no value


@cache
def listed() -> str:
    return CliRunner().invoke(app, ["--help"], env={"COLUMNS": "300"}).stdout


@pytest.mark.parametrize("name", all_commands())
def test_every_command_has_help_and_is_listed_with_its_first_words(name: str) -> None:
    done = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "300"})
    assert done.exit_code == 0
    about = next(line.strip() for line in done.stdout.splitlines()[3:] if line.strip())
    entry = all_commands()[name]
    assert entry.hidden or re.search(rf"│ {name} +{re.escape(about[:40])}", listed())


@pytest.mark.parametrize(
    "words",
    [[], ["maps"], ["maps", "make"], ["records", "list"], ["tournament"], ["tournament", "run"], ["match"]],
)
def test_no_flag_is_said_to_take_a_value(words: list[str]) -> None:
    told = CliRunner().invoke(app, [*words, "--help"]).stdout
    assert "--help" in told
    assert "<bool>" not in told


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("words", [["match"], ["analyse"], ["replay"], ["tournament", "run"]])
def test_help_breaks_where_the_terminal_does(words: list[str], columns: int) -> None:
    done = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": str(columns)})
    text = done.stdout.partition("╭")[0].partition("Usage:")[2]
    for paragraph in re.split(r"\n\s*\n", text):
        lines = paragraph.strip().splitlines()
        for line, following in pairwise(lines):
            room = columns - 2 - len(line.strip())  # one space is kept at each edge
            assert len(following.split()[0]) >= room, (line, following)


def test_the_help_of_play_tells_what_is_usual() -> None:
    out = re.sub(r"[\s│]+", " ", noctagon("play", "--help")[0])
    vampires, wargame = find_game("vampires"), find_game("wargame")
    rules = [" or ".join(game.rule_sets) for game in (vampires, wargame)]
    maps = [next(iter(game.setups())) for game in (vampires, wargame)]
    plies = [game.make_rules().plies for game in (vampires, wargame)]
    assert f"[{maps[0]}; wargame: {maps[1]}]" in out
    assert f"The rule set: {rules[0]}; wargame: {rules[1]}. [the first]" in out
    assert f"[{vampires.turn_seconds:g}; wargame: {wargame.turn_seconds:g}]" in out
    assert f"[{plies[0]}; wargame: {plies[1]}]" in out
    assert f"[{vampires.game_seconds:g}; wargame, or with a person: never]" in out
    assert wargame.game_seconds is None
    assert "cmd:COMMAND" in out
    assert "cmd:COMMAND" in noctagon("players", "wargame")[0]


def test_play_tells_a_game_turn_by_turn() -> None:
    out, _ = noctagon("play", "vampires", "greedy", "random", "--seed", "1")
    assert "Vampires vs Werewolves · Vampires: greedy · Werewolves: random" in out
    assert re.search(r"^  1\. Vampires \S+", out, re.MULTILINE)
    assert "Vampires won: the Werewolves are gone" in out
    assert "--seed 1 plays it again" in out


def test_the_same_seed_plays_the_same_game() -> None:
    def played(seed: int) -> dict[str, object]:
        out, _ = noctagon(
            "play", "vampires", "random", "random", "--json", "--seed", str(seed), "--map", "tiny"
        )
        game = json.loads(out)
        del game["seconds"]
        return dict(game)

    assert played(4) == played(4)
    assert [played(seed)["plies"] for seed in range(4)] != [played(0)["plies"]] * 4


@pytest.mark.parametrize("game", ["vampires", "wargame"])
def test_json_is_one_line_a_game_and_nothing_else(game: str) -> None:
    out, _ = noctagon("play", game, "greedy", "random", "--games", "2", "--json", "--seed", "3")
    first, second = map(json.loads, out.splitlines())
    assert set(first) == KEYS
    assert first["players"] == ["greedy", "random"]
    assert second["players"] == ["random", "greedy"]
    assert first["seed"] == second["seed"] == 3
    assert first["winner"] in (0, 1, None)
    assert all(len(first[key]) == 2 for key in ("score", "seconds", "late", "illegal"))


def test_a_series_ends_with_a_summary() -> None:
    out, _ = noctagon("play", "wargame", "greedy", "random", "--games", "4", "--seed", "1")
    assert "4 games" in out
    assert "ended by:" in out
    assert re.search(r"greedy .*100", out)


def test_options_change_the_game() -> None:
    out, _ = noctagon(
        *(
            "play",
            "vampires",
            "random",
            "random",
            "--json",
            "--plies",
            "3",
            "--rules",
            "server",
            "--map",
            "deserted",
        )
    )
    game = json.loads(out)
    assert (game["plies"], game["rules"], game["map"]) == (3, "server", "deserted")
    out, _ = noctagon(
        "play", "vampires", "random", "random", "--json", "--majority", "--map", "tiny", "--seed", "2"
    )
    assert json.loads(out)["reason"] in ("majority", "elimination", "ply limit")


def test_records_are_added_and_replayed(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    for seed in ("1", "2"):
        noctagon("play", "wargame", "greedy", "random", "--json", "--record", str(path), "--seed", seed)
    records = read_records(path).records
    assert [record.seed for record in records] == [1, 2]
    out, _ = noctagon("replay", str(path), "--game", "2")
    assert f"{len(records[1].turns)}. " in out
    assert "game 2 of 2" in out
    game = find_game("wargame")
    states = list(records[0].states())
    out, _ = noctagon("replay", str(path), "--ply", "5")
    assert out.splitlines()[-1] == game.format_position(states[5])
    _, err = noctagon("replay", str(path), "--ply", "5000", code=2)
    assert "there is no ply 5000" in err


def test_a_cut_record_is_shown_as_far_as_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    noctagon("play", "wargame", "greedy", "random", "--json", "--record", str(path), "--seed", "1")
    path.write_bytes(path.read_bytes()[:1500])
    out, err = noctagon("replay", str(path), code=1)
    assert "line 1: cut off after 1500 bytes" in err
    assert "turns are whole" in err
    assert "  1. Attacker" in out


def test_a_person_plays_at_the_prompt() -> None:
    keys = "help\nmoves\nZ9\nA0 A1\nC4 C3\nundo\nD3 C3\nresign\n"
    out, _ = noctagon("play", "wargame", "human", "greedy", keys=keys)
    assert "Type an action" in out
    assert "rule 2" in out
    assert "Back to ply 0." in out
    assert "Attacker D3 C3" in out
    assert out.count("Defender won: Attacker: resigned") == 1
    assert out.splitlines()[-3].endswith(" · the game is over"), "nobody is to move any more"
    assert out.splitlines()[-2] == "Defender won: Attacker: resigned"
    assert re.search(r"--seed \d+ plays it again", out.splitlines()[-1])


def test_the_input_may_end() -> None:
    out, _ = noctagon("play", "vampires", "human", "greedy", keys="")
    assert "the input ended" in out


def test_a_crashing_bot_gets_its_traceback_and_its_loss() -> None:
    out, err = noctagon("play", "wargame", f"{BOTS}:Crash", "random", "--json")
    assert json.loads(out)["reason"] == "crash"
    assert "KeyError: 'no such key'" in err


@pytest.mark.parametrize(
    ("fault", "said"), [("illegal", ["it is ply 0"]), ("late", ["it is ply 0", "it is ply 4"]), ("none", [])]
)
def test_what_a_bot_printed_is_shown_when_it_was_at_fault(fault: str, said: list[str]) -> None:
    chatty = f"{BOTS}:Chatty:fault={fault}"
    seconds = "0.5" if fault == "late" else "5"
    _, err = noctagon(
        "play", "vampires", chatty, "random", "--no-board", "--plies", "6", "--time", seconds, "--seed", "1"
    )
    assert err.splitlines() == ([f"--- {chatty} ---", *said] if said else [])


@pytest.mark.skipif(os.name == "nt", reason="a shell that can close a stream")
@pytest.mark.parametrize(
    "words", ["records list", "games", "--version", "play wargame greedy random --plies 2"]
)
@pytest.mark.parametrize("closed", [">&-", "<&- >&- 2>&-"])
def test_a_closed_stream_leads_nowhere(tmp_path: Path, words: str, closed: str) -> None:
    with Store.open(tmp_path / "noctagon.db") as store:
        store.add(a_game())
    line = f"{sys.executable} -m noctagon {words} {closed}"
    done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    assert "Error" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
@pytest.mark.parametrize("words", ["games", "--version"])
@pytest.mark.parametrize(
    ("unbuffered", "told"), [("", "the output cannot be written"), ("1", "the output, or a file")]
)
def test_it_is_the_output_that_cannot_be_written(words: str, unbuffered: str, told: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "noctagon", words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith(f"noctagon: {told}")
    assert done.stderr.endswith(": No space left on device\n")
    assert len(done.stderr.splitlines()) == 1


def test_no_word_of_a_bot_is_obeyed_by_the_terminal() -> None:
    out, err = noctagon("play", "wargame", f"{BOTS}:Painter", "random", "--no-board", "--plies", "6")
    assert all(letter.isprintable() or letter == "\n" for letter in out + err)
    painted = "�[2J�]0;owned�"
    assert f"; {painted})" in out.splitlines()[1], "what it thinks"
    assert f"Defender won: Attacker: ValueError: {painted} (broken.py, line" in out
    assert err.count(f"        look: {painted}\n") == 2
    assert f"\nValueError: {painted}\n" in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
def test_a_record_that_cannot_be_written_is_told_with_its_file() -> None:
    words = ("--no-board", "--plies", "2", "--record", "/dev/full")
    _, err = noctagon("play", "wargame", "random", "random", *words, code=2)
    assert "/dev/full: the record cannot be written: No space left" in err


def test_a_program_that_dies_in_mid_game_shows_the_end_of_its_log_and_where_it_is() -> None:
    program = f"cmd:{sys.executable} {RAW} crash"
    out, err = noctagon("play", "vampires", program, "random", "--no-board", "--map", "deserted")
    assert "Werewolves won: Vampires: disconnected" in out
    assert f"--- {program} ---" in err
    assert re.search(r"^\S.*\.log:$", err, re.MULTILINE)
    assert "three is enough" in err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["play", "vampirs"], "unknown game 'vampirs'; did you mean vampires?"),
        (["play", "human"], "name the game before the players: noctagon play vampires human"),
        (["play", "chess"], "unknown game 'chess'; there are: "),
        (["play", "vampires", "gredy"], "unknown player of vampires 'gredy'; did you mean greedy?"),
        (["play", "vampires", "alphabeta:deep=3"], "alphabeta has no option 'deep'; it has depth=3"),
        (["play", "vampires", "", "random"], "player '': '' is not a name"),
        (["play", "vampires", "random", ""], "player '': '' is not a name"),
        (["analyse", "vampires", ""], "the position is empty"),
        (["prove", "wargame", "", "--side", "attacker", "--plies", "3"], "the position is empty"),
        (["play", "vampires", "--map", "dual"], "did you mean duel?"),
        (["play", "vampires", "--map", "no.xml"], "no.xml: "),
        (["play", "vampires", "--rules", "servr"], "did you mean server?"),
        (["play", "wargame", "--majority"], "wargame has no rule 'majority'; it has: plies"),
        (["play", "vampires", "human", "--games", "2"], "--games 2: a person plays one game at a time"),
        (["play", "vampires", "human", "--json"], "a person needs a board, not --json"),
        (["play", "--plies", "0"], "a game lasts 1 to 1000000000 plies, not 0"),
        (["play", "--games", "0"], "--games 0: at least one game"),
        (["play", "--time", "0"], "--time 0: a turn takes more than 0 seconds"),
        (["play", "--time", "nan"], "a turn takes more than 0 seconds"),
        (["play", "--record", "/no/such/folder/x.json"], "--record /no/such/folder/x.json: No such file"),
        (["play", "--sed", "3"], "No such option"),
        (["plya"], "there is no command 'plya'; did you mean play"),
        (["replay", "no-such.json"], "no-such.json: No such file"),
        (["players", "chess"], "unknown game 'chess'"),
        (["perft", "wargame", "--", "-1"], "a depth is 0 or more"),
        (["perft", "wargame", "3", "--position", "dA9 aA9 a 0"], "25 cells row by row"),
        (["perft", "vampires", "4"], "hopeless"),
        (["perft", "wargame", "12"], "hopeless here: about"),
        (["tournament", "shwo"], "there is no command and no file 'shwo'; did you mean show?"),
        (["tournament", "shwo.toml"], "shwo.toml: No such file"),
        (["maps", "show", "nowhere"], "unknown map 'nowhere'"),
        (["maps", "make", "--rows", "256"], "256"),
    ],
)
def test_a_mistake_is_one_clear_message_and_exit_code_2(words: list[str], says: str) -> None:
    _, err = noctagon(*words, code=2)
    assert says in re.sub(r"\s*│\n│ ", " ", err)


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (["wargame", "4"], 18738),
        (["wargame", "0"], 1),
        (["wargame", "3", "--position", "dA9 . . . . . . . . . . . . . . . . . . . . . . . aA9 a 0"], 12),
        (["vampires", "1"], 12869),
        (["vampires", "2", "--position", "1x3 V0,0:1 W2,0:1 V 0"], 3),
    ],
)
def test_the_last_number_of_perft_is_the_count(words: list[str], count: int) -> None:
    out, _ = noctagon("perft", *words)
    assert int(out.split()[-1]) == count


@pytest.mark.skipif(os.name != "posix", reason="the signal of Ctrl-C is sent as on POSIX")
def test_ctrl_c_keeps_what_was_played(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    careful = "conservative:depth=1"  # two who are in no hurry to end a game
    play = [sys.executable, "-m", "noctagon", "play", "vampires", careful, careful, "--delay", "0.05"]
    process = subprocess.Popen(
        [*play, "--plies", "1000000", "--map", "plains", "--record", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(" 10."):
            break
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted" in err
    (record,) = read_records(path).records
    assert len(record.turns) >= 10
    assert record.result is None


def test_a_closed_pipe_is_no_error() -> None:
    play = [sys.executable, "-m", "noctagon", "play", "vampires", "random", "random", "--seed", "1"]
    with subprocess.Popen(play, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert "Traceback" not in process.stderr.read()
