"""A game from another package plugs in: installed beside noctagon, it is played, replayed and counted."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parent.parent / "examples" / "tictactoe"
PERFT = [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
"""Known numbers of tic-tac-toe games by length, finished ones not played on."""

PROGRAM = """
import socket, sys
server = socket.create_connection((sys.argv[-2], int(sys.argv[-1])))
lines = server.makefile("rw", encoding="utf-8", newline="\\n")
print("Grace", file=lines, flush=True)
for line in lines:
    words = line.split()
    if words[0] == "turn":
        cell = words[2].index("." if HONEST else "x" if "x" in words[2] else ".")
        print("play", words[1], cell, file=lines, flush=True)
    elif words[0] == "bye":
        break
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which the example is installed, as pip would for a stranger's package."""
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--target", target, EXAMPLE], check=True, capture_output=True)
    path = filter(None, [str(target), os.environ.get("PYTHONPATH")])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


def install(folder: Path, name: str, content: str) -> None:
    """Put a game of one module into a folder as an installed package."""
    (folder / f"{name}.py").write_text(content)
    metadata = folder / f"{name}-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(f"[noctagon.games]\n{name} = {name}:game\n")


def noctagon(environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "-m", "noctagon", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_example_is_small() -> None:
    assert len((EXAMPLE / "tictactoe.py").read_text().splitlines()) < 80


def test_it_is_listed(installed: dict[str, str]) -> None:
    assert "Tic-tac-toe" in noctagon(installed, "games")
    assert "alphabeta" in noctagon(installed, "players", "tictactoe")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("import nowhere_to_be_found", "ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
        ("raise SystemExit(3)", "cannot be imported: SystemExit: 3"),
        ("game = 5", "the entry point of 'broken' is int, not a noctagon Game"),
        ("from tictactoe import game", "the game installed as 'broken' calls itself 'tictactoe'"),
        ("import tictactoe\nclass G(tictactoe.TicTacToe): title = None\ngame = G()", "has no title"),
    ],
)
def test_a_broken_game_takes_none_of_the_others_away(
    installed: dict[str, str], tmp_path: Path, content: str, why: str
) -> None:
    install(tmp_path, "broken", content)
    path = os.pathsep.join([str(tmp_path), installed["PYTHONPATH"]])
    environment = {**installed, "PYTHONPATH": path, "COLUMNS": "200"}
    for command in ("games", "players"):
        told = noctagon(environment, command)
        assert why in told
        assert "Tic-tac-toe" in told
        assert "AI Wargame" in told
    code = "from noctagon.core.registry import game_names; print(game_names())"
    listed = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert listed.stdout.strip() == "['tictactoe', 'vampires', 'wargame']"


OX = """
import tictactoe
class Ox(tictactoe.TicTacToe):
    name, title = "ox", "Noughts and crosses"
    commands = {"lines": "ox_commands:lines", "board": "ox_commands:board", "play": "ox_commands:lines",
                "lost": "nowhere:lost"}
game = Ox()
"""
OX_COMMANDS = """
import tictactoe, typer
def lines(cell: int, count: bool = typer.Option(False, "--count", help="Only count them.")):
    "List the lines through a cell."
    found = [line for line in tictactoe.LINES if cell in line]
    print(len(found) if count else found)
board = typer.Typer(help="Boards: draw, turn.")
@board.command()
def draw(cells: str):
    print(tictactoe.game.parse_position(cells))
@board.command()
def turn(cells: str):
    print(cells[::-1])
"""


def test_it_brings_commands_of_its_own(installed: dict[str, str], tmp_path: Path) -> None:
    install(tmp_path, "ox", OX)
    (tmp_path / "ox_commands.py").write_text(OX_COMMANDS)
    path = os.pathsep.join([str(tmp_path), installed["PYTHONPATH"]])
    environment = {**installed, "PYTHONPATH": path, "COLUMNS": "140"}
    listed = noctagon(environment, "--help")
    assert "─ Noughts and crosses ─" in listed
    assert re.search("lines +List the lines through a cell", listed)
    assert re.search("board +Boards: draw, turn", listed)
    assert re.search("lost +The command 'lost' of Noughts and crosses cannot be imported: Module", listed)
    assert re.search("play +Watch two players", listed), "a game cannot take a name that is taken"
    assert noctagon(environment, "lines", "4", "--count") == "4\n"
    assert "<bool>" not in noctagon(environment, "lines", "--help")
    assert noctagon(environment, "board", "turn", "x.......o") == "o.......x\n"
    command = [sys.executable, "-m", "noctagon", "lost"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("noctagon: the command 'lost' of Noughts and crosses cannot be imported: ")


def test_it_conforms(installed: dict[str, str]) -> None:
    code = "from noctagon.core.registry import find_game; from noctagon.testing import check_game; "
    code += "check_game(find_game('tictactoe'), games=50)"
    subprocess.run([sys.executable, "-c", code], env=installed, check=True)


def test_it_is_played_and_replayed(installed: dict[str, str], tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    options = ["--games", "4", "--seed", "1", "--json", "--record", str(record)]
    lines = noctagon(installed, "play", "tictactoe", "alphabeta:depth=9", "random", *options).splitlines()
    games = [json.loads(line) for line in lines]
    assert len(games) == 4
    assert all(game["winner"] is None or "alpha" in game["players"][game["winner"]] for game in games)
    shown = noctagon(installed, "replay", str(record))
    assert "1. X" in shown
    assert "game 1 of 4" in shown


def test_its_own_file_bot_plays(installed: dict[str, str], tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text(
        "class Last:\n    def choose(self, state, clock):\n        return list(state.actions())[-1]\n"
    )
    line = noctagon(installed, "play", "tictactoe", f"{bot}:Last", "random", "--seed", "2", "--json")
    assert json.loads(line)["reason"] in ("three in a row", "full board")


@pytest.mark.parametrize("depth", [1, 5, 7])
def test_perft_counts_it(installed: dict[str, str], depth: int) -> None:
    out = noctagon(installed, "perft", "tictactoe", str(depth))
    assert int(out.split()[-1]) == PERFT[depth - 1]


# Programs play it wherever they play the shipped games.


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that plays the first free cell."""
    path = tmp_path_factory.mktemp("program") / "program.py"
    path.write_text(PROGRAM.replace("HONEST", "True"))
    return path


@pytest.fixture(scope="module")
def mute(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of an installed game without a wire."""
    folder = tmp_path_factory.mktemp("mute")
    content = (
        "import tictactoe\nclass Mute(tictactoe.TicTacToe):\n    name, wire = 'mute', lambda game: None\n"
    )
    install(folder, "mute", f"{content}game = Mute()")
    return str(folder)


def test_a_program_plays(installed: dict[str, str], program: Path) -> None:
    command = f"cmd:{sys.executable} {program}"
    [line] = noctagon(
        installed, "play", "tictactoe", command, "alphabeta:depth=9", "--json", "--seed", "1"
    ).splitlines()
    game = json.loads(line)
    assert (game["winner"], game["reason"], game["illegal"]) == (1, "three in a row", [0, 0])


def test_a_bot_is_checked(installed: dict[str, str], program: Path, tmp_path: Path) -> None:
    checking = ["check-bot", "--game", "tictactoe"]
    assert "All 3 checks passed." in noctagon(installed, *checking, sys.executable, str(program))
    rude = tmp_path / "rude.py"
    rude.write_text(PROGRAM.replace("HONEST", "False"))
    done = subprocess.run(
        [sys.executable, "-m", "noctagon", *checking, "--json", sys.executable, str(rude)],
        env=installed,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    verdicts = {one["check"]: one for one in json.loads(done.stdout)["checks"]}
    assert [verdicts[name]["outcome"] for name in ("answers", "first", "second")] == [
        "passed",
        "failed",
        "failed",
    ]
    assert "cell 0 is not a free cell" in verdicts["first"]["problem"]


def test_it_is_served_and_joined(installed: dict[str, str], program: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "noctagon"]
    options = ["--port", "0", "--games", "2", "--json", "--record", "records", "--trace"]
    options += ["--store", "games.db"]
    with subprocess.Popen(
        [*command, "serve", "tictactoe", *options],
        env=installed,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stderr is not None
        where = re.search(r"listening on 127.0.0.1:(\d+)", server.stderr.readline())
        assert where is not None
        with subprocess.Popen([sys.executable, str(program), "127.0.0.1", where[1]]) as bot:
            player = ["--game", "tictactoe", "--player", "alphabeta:depth=9"]
            said = noctagon(installed, "join", *player, "127.0.0.1", where[1])
            assert bot.wait(30) == 0
        played, errors = server.communicate(timeout=30)
    assert server.returncode == 0, errors
    games = [json.loads(line) for line in played.splitlines()]
    assert [set(game["players"]) for game in games] == [{"Grace", "alphabeta:depth=9"}] * 2
    assert [game["players"][game["winner"]] for game in games] == ["alphabeta:depth=9"] * 2
    assert [len(list((tmp_path / "records").iterdir())), said.count("three in a row")] == [2, 2]
    assert "Grace – alphabeta:depth=9" in noctagon(
        installed, "records", "list", "--store", f"{tmp_path}/games.db"
    )
    trace = next(tmp_path.glob("trace_*.txt")).read_text()
    assert "player 1 < Grace" in trace
    assert "> turn 0 ........." in trace


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["serve", "tictactoe", "--majority"], "tictactoe has no rule 'majority'"),
        (["serve", "tictactoe", "--solo"], "solo is for games in which a turn can be lost"),
        (
            ["join", "--game", "tictactoe", "--reconnect"],
            "--side and --reconnect are not for tic-tac-toe",
        ),
        (
            ["serve", "mute"],
            "mute has no wire, so programs cannot connect to it; those that have: tictactoe, vampires, wargame",
        ),
        (["join", "--game", "mute"], "mute has no wire"),
        (["check-bot", "--game", "mute", "python"], "there are no checks for bots of mute"),
        (
            ["play", "mute", f"cmd:{sys.executable}", "random"],
            "programs play tictactoe and vampires and wargame only; for mute write PATH.py:CLASS",
        ),
    ],
)
def test_what_a_wire_or_its_lack_refuses(
    installed: dict[str, str], mute: str, words: list[str], says: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "noctagon", *words],
        env={**installed, "PYTHONPATH": os.pathsep.join([mute, installed["PYTHONPATH"]])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert says in " ".join(done.stderr.split())
