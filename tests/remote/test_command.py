"""Programs as players: started for a game, refereed over loopback, ended with it, and their failings explained."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from noctagon.core.clock import Clock, TimeControl
from noctagon.core.game import NoctagonError, Side
from noctagon.core.match import Match, Request
from noctagon.core.player import GameStart, PlayerSpec
from noctagon.core.registry import find_game
from noctagon.core.seat import Answer, Answered, drive
from noctagon.processes.command import CommandSeat
from noctagon.processes.seats import make_seat, open_seats
from noctagon.processes.system import descendants
from noctagon.wire.server import cheating
from tests.command import noctagon

RAW = Path(__file__).parent.parent / "bots" / "wire_raw.py"
VAMPIRES = find_game("vampires")
WARGAME = find_game("wargame")

WARGAME_PROGRAM = """
import json, random, sys, time, urllib.request
from noctagon.core.registry import find_game
url, side = sys.argv[1:3]
game = find_game("wargame")
state = game.initial()
rng = random.Random(1)
while state.result is None:
    if state.sides[state.side].lower() == side:
        action = next(a for a in state.actions() if a.source != a.target)
        state = state.play(action)
        (r, c), (tr, tc) = divmod(action.source, 5), divmod(action.target, 5)
        body = json.dumps({"from": {"row": r, "col": c}, "to": {"row": tr, "col": tc}, "turn": state.ply})
        request = urllib.request.Request(url, body.encode(), {"Content-Type": "application/json"})
        urllib.request.urlopen(request).read()
    else:
        data = json.load(urllib.request.urlopen(url))["data"]
        if data and data["turn"] == state.ply + 1:
            source = data["from"]["row"] * 5 + data["from"]["col"]
            target = data["to"]["row"] * 5 + data["to"]["col"]
            state = state.play((source, target))
        else:
            time.sleep(0.01)
"""


def play(
    game: str, first: str, second: str, *, plies: int = 12, setup: str | None = None
) -> tuple[Match, str]:
    found = find_game(game)
    found.load()

    async def whole() -> tuple[Match, str]:
        async with open_seats((PlayerSpec.parse(first), PlayerSpec.parse(second)), found) as seats:
            state = found.initial(setup, found.make_rules(plies=plies))
            match = Match(found, state, players=(first, second), time=TimeControl(turn=5))
            await drive(match, seats)
            return match, seats[0].log + seats[1].log

    return asyncio.run(whole())


def raw(habit: str = "") -> str:
    return f"cmd:{sys.executable} {RAW} {habit}"


def test_a_program_plays_and_ends_with_the_game() -> None:
    match, _ = play("vampires", raw(), "random", setup="deserted")
    assert match.result is not None
    assert match.result.reason in ("ply limit", "elimination")
    assert match.illegal == [0, 0]
    assert not [pid for pid in descendants(os.getpid()) if "wire_raw" in _command_line(pid)]


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def test_two_programs_play_each_other() -> None:
    match, _ = play("vampires", raw(), raw(), setup="tiny", plies=30)
    assert match.result is not None
    assert match.record().final() == match.state


def test_a_crash_is_explained_with_the_programs_own_words() -> None:
    match, log = play("vampires", raw("crash"), "random", setup="deserted")
    assert match.result is not None
    assert (match.result.winner, match.result.reason) == (1, "disconnected")
    assert "exit" in match.result.detail
    assert "three is enough" in log
    assert "hello from the bot" in log


def test_what_a_program_printed_can_be_seen_without_a_crash() -> None:
    async def whole() -> str:
        async with open_seats((PlayerSpec.parse(raw()), PlayerSpec.parse("random")), VAMPIRES) as seats:
            match = Match(VAMPIRES, VAMPIRES.initial("deserted", VAMPIRES.make_rules(plies=2)))
            assert seats[0].printed() == ""
            await drive(match, seats)
            return seats[0].printed()

    path, said = asyncio.run(whole()).splitlines()
    assert Path(path.removesuffix(":")).read_text().strip() == said == "hello from the bot"


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (f"cmd:{sys.executable} -c pass", "ended before it connected"),
        (f"cmd:{sys.executable} -c 'raise SystemExit(5)'", "ended before it connected"),
    ],
)
def test_a_program_that_does_not_come_loses(command: str, says: str) -> None:
    match, _ = play("vampires", command, "random")
    assert match.result is not None
    assert match.result.winner == 1
    assert says in match.result.detail


def test_a_program_that_goes_once_it_has_told_its_name_is_explained(tmp_path: Path) -> None:
    program = tmp_path / "shy.py"
    program.write_text(
        "import socket, sys\n"
        "server = socket.create_connection((sys.argv[1], int(sys.argv[2])))\n"
        "server.sendall(b'NME\\x03Shy')\n"
        "sys.exit(7)\n"
    )
    match, _ = play("vampires", f"cmd:{sys.executable} {program}", "random")
    assert match.result is not None
    assert "it ended with exit code 7" in match.result.detail


def test_thinking_in_the_others_time_is_seen() -> None:
    if sys.platform != "linux":
        pytest.skip("processor time of others is read from /proc")
    slow = "alphabeta:depth=2"
    match, _ = play("vampires", raw("busy"), slow, setup="deserted", plies=8)
    assert match.conduct[0].idle_cpu < 0.5
    pondering, _ = play("vampires", raw("ponder"), raw("busy"), setup="deserted", plies=4)
    assert pondering.conduct[0].idle_cpu > match.conduct[0].idle_cpu


def test_what_looks_like_cheating_is_said() -> None:
    match = Match(VAMPIRES)
    assert cheating(match, 0) == ""
    match.unasked[0] = 3
    match.idle_cpu[0] = 9.5
    assert (
        cheating(match, 0)
        == "3 packets out of turn, 9.5 s of processor time while the other was on move (0.0 s)"
    )


def test_a_wargame_program_plays_through_a_broker_of_its_own(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(WARGAME_PROGRAM)
    command = f"cmd:{sys.executable} {program} {{url}} {{side}}"
    match, log = play("wargame", command, "greedy", plies=20)
    assert match.result is not None
    assert match.result.reason in ("turn limit", "AI destroyed"), (match.result, log)
    match, log = play("wargame", "greedy", command, plies=20)
    assert match.result is not None
    assert match.result.reason in ("turn limit", "AI destroyed"), (match.result, log)


@pytest.mark.parametrize(("side", "told"), [(0, "attacker defender"), (1, "defender attacker")])
def test_a_wargame_program_is_told_both_sides(side: Side, told: str, tmp_path: Path) -> None:
    """The course's own clients are told the other side."""
    note = tmp_path / "note"
    write = f"import sys; open({str(note)!r}, 'w').write(' '.join(sys.argv[2:]))"

    async def start() -> None:
        seat = make_seat(
            PlayerSpec("cmd", command=f'{sys.executable} -c "{write}" {{url}} {{side}} {{other}}'), WARGAME
        )
        await seat.start(GameStart(WARGAME.initial()), side)
        assert isinstance(seat, CommandSeat)
        assert seat.launched is not None
        await seat.launched.wait()
        await seat.close()

    asyncio.run(start())
    assert note.read_text() == told


def test_a_program_is_heard_while_a_player_of_ours_thinks(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = threading.Event()

    class Patient:
        def choose(self, state: Any, clock: Clock) -> Any:
            return next(iter(state.actions())) if heard.wait(30) else None

    for room in ("noctagon.processes.seats", "noctagon.processes.thinking"):
        monkeypatch.setattr(f"{room}.make_player", lambda spec, game: Patient())

    async def test() -> Answer:
        game = find_game("wargame")
        specs = (PlayerSpec.parse("random"), PlayerSpec.parse(f"cmd:{sys.executable} -c pass {{url}}"))
        async with open_seats(specs, game) as (ours, _):
            asyncio.get_running_loop().call_later(0.01, heard.set)
            return await ours.answer(Request(0, game.initial(), 60.0))

    answer = asyncio.run(test())
    assert isinstance(answer, Answered)
    assert answer.action is not None


def test_specs_that_cannot_be_seats_say_why() -> None:
    with pytest.raises(NoctagonError, match=r"by \{url\} in the command"):
        make_seat(PlayerSpec.parse(f"cmd:{sys.executable}"), WARGAME)
    with pytest.raises(NoctagonError, match="there is no command '/no/such/program'"):
        make_seat(PlayerSpec.parse("cmd:/no/such/program"), VAMPIRES)
    with pytest.raises(NoctagonError, match="No closing quotation"):
        make_seat(PlayerSpec.parse("cmd:./bot 'x"), VAMPIRES)


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
def test_ctrl_c_stops_the_server_in_order(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "noctagon",
        "serve",
        "vampires",
        "--port",
        "0",
        "--map",
        "deserted",
        "--json",
    ]
    with subprocess.Popen(
        [*command, "--record", str(tmp_path / "records"), "--trace"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as server:
        assert server.stderr is not None
        assert server.stdout is not None
        port = ""
        while not port:
            found = re.search(r"listening on 127.0.0.1:(\d+)", server.stderr.readline())
            port = found[1] if found else ""
        bots = [
            subprocess.Popen([sys.executable, RAW, "busy", "127.0.0.1", port], stdout=subprocess.DEVNULL)
            for _ in range(2)
        ]
        trace = next(iter(tmp_path.glob("trace_*.txt")))
        deadline = time.monotonic() + 30
        while "  6. " not in trace.read_text() and time.monotonic() < deadline:
            time.sleep(0.02)
        server.send_signal(signal.SIGINT)
        out, _ = server.communicate(timeout=30)
        assert server.returncode == 0
        for bot in bots:
            assert bot.wait(timeout=20) == 0
    game = json.loads(out)
    assert game["reason"] == "stopped"
    assert game["players"] == ["RawTest", "RawTest"]
    assert len(list((tmp_path / "records").iterdir())) == 1
    assert "> BYE" in trace.read_text()


def test_serve_refuses_what_it_cannot_do() -> None:
    def error(*words: str) -> str:
        return noctagon("serve", *words, code=2)[1]

    assert "unknown game to serve 'chess'" in error("chess")
    assert "unknown map 'dule'; did you mean duel" in error("vampires", "--map", "dule")
    assert "no setting 'map'" in error("wargame", "--map", "duel")
