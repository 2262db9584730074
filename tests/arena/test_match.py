"""Matches that measure: pairs in order, a verdict that does not depend on who was fast, and the two commands."""

import json
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from noctagon.arena.bout import Bout, Finished
from noctagon.arena.duel import Duel
from noctagon.arena.plan import make_plan
from noctagon.arena.sprt import Running, Sprt
from noctagon.arena.store.store import Store
from noctagon.arena.tournament import Tournament
from noctagon.cli import app
from noctagon.cli.match_screen import MatchScreen, games_left, report
from noctagon.core.game import NoctagonError
from noctagon.core.record import read_records
from tests.arena.games import a_game
from tests.command import noctagon

BOTS = Path(__file__).parent.parent / "bots" / "broken.py"


def duel(*, pairs: int = 1000, test: Sprt | None = None, openings: int | None = None, **more: Any) -> Duel:
    trinomial = more.pop("trinomial", False)
    told = {"players": ["greedy", "random"], "maps": ["duel", "ring"], "concurrency": 1, **more}
    tournament = Tournament(make_plan(told, "test"))
    return Duel(tournament, pairs=pairs, test=test, openings=openings, trinomial=trinomial)


def result(bout: Bout, points: float) -> Finished:
    """As if the game had been played, and the first mover had scored so much."""
    winner = None if points == 0.5 else int(points == 0)
    names = (bout.entrants[0].name, bout.entrants[1].name)
    return a_game(players=names, winner=winner, round=bout.round, slot=bout.slot, record=b"")


def points_of(bout: Bout) -> float:
    """What the first mover scores: by chance, but always the same in the same game; greedy is the stronger."""
    mean = 0.75 if bout.entrants[0].name == "greedy" else 0.3
    chance = Random(bout.slot).random()
    return 1.0 if chance < mean - 0.05 else 0.5 if chance < mean + 0.05 else 0.0


def play(match: Duel, *, at_once: int = 1, seed: int = 0) -> None:
    """Let games end in any order."""
    rng = Random(seed)
    running: list[Bout] = []
    while True:
        while len(running) < at_once and (bout := match.next()) is not None:
            running.append(bout)
        if not running:
            return
        bout = running.pop(rng.randrange(len(running)))
        match.add(bout, result(bout, points_of(bout)))


def test_the_games_of_a_pair_differ_in_nothing_but_the_sides() -> None:
    match = duel()
    one, other = match.pair(4)
    assert [entrant.name for entrant in one.entrants] == ["greedy", "random"]
    assert other.entrants == one.entrants[::-1]
    assert (one.position, one.seed, one.setup, one.round) == (
        other.position,
        other.seed,
        other.setup,
        other.round,
    )
    assert one.slot != other.slot
    assert [match.pair(number)[0].setup for number in range(4)] == ["duel", "ring", "duel", "ring"]
    assert match.pair(0)[0].seed != match.pair(2)[0].seed  # other dice each time
    assert duel(seed=2).pair(0)[0].seed != match.pair(0)[0].seed
    assert duel().pair(0) == match.pair(0)


def test_a_game_without_dice_has_another_opening_for_every_pair() -> None:
    match = duel(game="wargame", maps=["all"])
    starts = [match.start(number).name for number in range(5)]
    assert len(set(starts)) == 5
    assert match.most == 1000
    assert match.pair(0)[0].position != match.pair(1)[0].position
    # Of so many openings there are only so many different pairs.
    few = duel(game="wargame", maps=["all"], openings=3)
    assert few.most == 3
    play(few)
    assert few.tally.games == 6
    assert few.is_over


def test_maps_drawn_by_chance() -> None:
    match = duel(maps=["generated", "duel"])
    assert [match.start(number).setup for number in range(4)] == [
        "generated:1",
        "duel",
        "generated:2",
        "duel",
    ]
    assert match.pair(0)[0].position != match.pair(2)[0].position
    with pytest.raises(NoctagonError, match="unknown setup of wargame 'generated'"):
        duel(game="wargame", maps=["generated"]).pair(0)


def test_the_verdict_does_not_depend_on_which_game_ended_first() -> None:
    test = Sprt(0, 50)
    one = duel(test=test)
    play(one)
    assert one.running is not None
    assert one.running.verdict is True
    for seed in range(5):
        other = duel(test=test)
        play(other, at_once=8, seed=seed)
        assert other.running is not None
        assert other.running.verdict is True
        assert (other.counts, other.running.llr) == (one.counts, one.running.llr)
        assert other.tally == one.tally  # games beyond the decision do not count
        assert other.played >= one.played


def test_the_test_is_told_what_was_played() -> None:
    test = Sprt(0, 50)
    match = duel(test=test)
    play(match)
    again = Running(test)
    for number in range(match.counts.total):
        first, second = match.pair(number)
        again.add((points_of(first) + 1 - points_of(second)) / 2)
    assert match.running is not None
    assert again.counts == match.counts
    assert again.llr == match.running.llr
    tally = match.tally
    assert tally.games == match.counts.games
    assert tally.points / tally.games == pytest.approx(match.counts.score.mean)


def test_half_a_pair_does_not_count() -> None:
    match = duel(pairs=5)
    bouts = [bout for bout in (match.next() for _ in range(4)) if bout is not None]
    for bout in (bouts[0], bouts[2], bouts[3]):  # the second game of the first pair is still being played
        match.add(bout, result(bout, 1.0))
    assert match.tally.games == 0
    match.add(bouts[1], result(bouts[1], 1.0))
    assert match.tally.games == 4
    assert match.counts.outcomes == (0, 0, 2, 0, 0)


def test_without_a_test_all_games_are_played() -> None:
    match = duel(pairs=20)
    play(match, at_once=3)
    assert match.played == match.tally.games == 40
    assert match.running is None


def test_games_instead_of_pairs() -> None:
    match = duel(test=Sprt(0, 50), trinomial=True)
    play(match)
    assert len(match.counts.outcomes) == 3
    assert match.running is not None
    assert match.running.verdict is True
    assert 0 <= match.tally.games - match.counts.total <= 1  # it may decide in the middle of a pair


def test_faults_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    match = duel(pairs=1)
    for bout in match.pair(0):
        winner = int(bout.entrants[0].name == "greedy")
        game = msgspec.structs.replace(result(bout, 0.5), winner=winner, reason="crash", detail="E: 1")
        match.add(bout, game)
    assert match.tally.faults == (2, 0)
    report(match, show=lambda game: f"; see round {game.round}")
    assert "greedy crashed 2 times: those losses say nothing" in (told := capsys.readouterr().out)
    assert re.search(r"the last was against random on \w+: E: 1; see round 1\n", told)


def test_the_live_lines_and_what_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    match = duel(test=Sprt(0, 20), pairs=400)
    screen = MatchScreen(match)
    assert games_left(match) is None
    bouts = []
    for _ in range(60):
        bout = match.next()
        assert bout is not None
        bouts.append(bout)
        match.add(bout, result(bout, points_of(bout)))
    assert "60 of at most 800 games" in screen.pace([], 0)
    assert "left" in screen.pace(bouts[:2], 0)
    assert "Ctrl-C again" in screen.pace([], 1)
    left = games_left(match)
    assert left is not None
    assert 0 < left < 800
    report(match, stopped=True)
    out = capsys.readouterr().out
    assert "Not decided" in out
    assert "log-likelihood ratio" in out


QUICK = ("--game", "wargame", "--plies", "10", "--time", "30")


def test_the_command_decides_and_keeps_the_games(tmp_path: Path) -> None:
    out, _ = noctagon(
        *("match", "alphabeta:depth=2", "random", *QUICK, "--plies", "80", "--sprt", "0,300"),
        *("--record", "games.jsonl", "--store", "games.db"),
        cwd=tmp_path,
    )
    assert out.startswith("alphabeta:depth=2 is stronger than random: ")
    assert "Elo +" in out
    assert "pairs: both lost" in out
    reading = read_records(tmp_path / "games.jsonl")
    assert not reading.trouble
    assert len(reading.records) >= 8
    with Store.open(tmp_path / "games.db") as store:
        assert sum(1 for _ in store.records()) == len(reading.records)


def test_the_same_seed_gives_the_same_result_as_json() -> None:
    words = ("match", "greedy", "random", *QUICK, "--games", "6", "--seed", "3", "--json")
    one, errors = noctagon(*words)
    other, _ = noctagon(*words, "--concurrency", "1")
    found = json.loads(one)
    assert errors == ""
    assert found == json.loads(other)
    assert found["players"] == ["greedy", "random"]
    assert found["wins"] + found["draws"] + found["losses"] == found["games"] == 6
    assert sum(found["outcomes"]) == 3
    assert "llr" not in found


def test_a_limit_may_come_before_the_verdict() -> None:
    out, err = noctagon("match", "random", "random", *QUICK, "--sprt", "0,5", "--games", "5")
    assert "games are played in pairs, so 4 of 5" in out + err
    assert out.startswith("Not decided: ")
    assert "4 games: that was the most to be played" in out


@pytest.mark.skipif(sys.platform == "win32", reason="there Ctrl-C cannot be sent to one process")
def test_ctrl_c_finishes_the_running_games_and_tells(tmp_path: Path) -> None:
    record = tmp_path / "games.jsonl"
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(120)
        bot = tmp_path / "calling.py"
        # The bot calls when it is on move: once a game, as six plies are four of the opening and one for each player.
        bot.write_text(
            "import socket\n"
            "class Calling:\n"
            "    def choose(self, state, clock):\n"
            f"        with socket.create_connection({server.getsockname()!r}) as line:\n"
            "            line.recv(1)\n"
            "        return next(iter(state.actions()))\n"
        )
        words = [f"{bot}:Calling", "random", *QUICK, "--plies", "6", "--concurrency", "1", "--games", "1000"]
        process = subprocess.Popen(
            [sys.executable, "-m", "noctagon", "match", *words, "--record", str(record)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(4):
            line, _ = server.accept()
            with line:
                if number == 3:  # the fourth game is being played
                    process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    games = len(read_records(record).records)
    assert games == 4
    counted = re.search(r"won (\d+), drawn (\d+), lost (\d+)", out)
    assert counted is not None
    assert sum(int(count) for count in counted.groups()) == games - games % 2  # half a pair does not count


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("greedy", "rando"), "did you mean random"),
        (("greedy", "human"), "a person"),
        (("greedy", "random", "--maps", "dule"), "did you mean duel"),
        (("greedy", "random", "--concurrency", "4000"), "cores"),
        (("greedy", "random", "--sprt", "10,0"), "less than"),
        (("greedy", "random", "--sprt", "ten"), "--sprt 0,10"),
        (("greedy", "random", "--sprt", "0,10", "--alpha", "2"), "alpha"),
        (("greedy", "random", "--games", "1"), "pairs"),
        (("greedy", "random", "--record", "/nowhere/games.jsonl"), "--record"),
        (("greedy", "random", "--time", "-1"), "time"),
    ],
)
def test_mistakes_are_told_in_a_line(words: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(NoctagonError, match=complaint) as error:
        app(["match", *words], standalone_mode=False)
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("greedy", "random", "--maps", "dule", "ring"),
        ("greedy", "random", "--maps", "ring,dule"),
        ("--maps", "dule", "greedy", "random"),
        ("greedy", "--maps", "dule", "random"),
    ],
)
def test_maps_are_named_with_commas_or_with_blanks(words: tuple[str, ...]) -> None:
    with pytest.raises(NoctagonError, match="unknown map 'dule'; did you mean duel"):
        app(["match", *words, "--games", "4"], standalone_mode=False)


def test_the_calculator(capsys: pytest.CaptureFixture[str]) -> None:
    def told(*words: str) -> str:
        app(["sprt", *words], standalone_mode=False)
        return capsys.readouterr().out

    out = told("--pairs", "17,253,1042,337,39", "--elo=-0.5,1.5")
    assert "log-likelihood ratio 2.96" in out
    assert "A is not weaker than B by 0.5 Elo" in out
    assert "3376 games" in out
    assert "50.0 %" in out
    out = told("--games", "880,1863,759", "--elo", "0,5")
    assert "A is stronger than B" in out
    assert "Elo +12.0 (+4.1 to +19.9)" in out  # cutechess#543 has 12.0 +/- 7.9
    lopsided = told("--pairs", "0,0,0,0,1", "--elo", "0,10")
    assert "Elo +798.3 or more (-233.8 to …)" in lopsided  # as the score says, and its interval
    assert "score 100 % (21–100)" in lopsided
    found = json.loads(told("--pairs", "1,0,0,0,0", "--json"))
    assert found["elo_interval"] == pytest.approx([-798.25, 233.8], abs=0.1)
    found = json.loads(told("--pairs", "81,563,1163,687,114", "--elo", "0,4", "--normalized", "--json"))
    assert found["llr"] == pytest.approx(3.16, abs=0.005)
    assert found["accepted"] == 4
    assert [line["elo"] for line in found["expected"]] == [-4, 0, 2, 4, 8]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "either --pairs"),
        (("--pairs", "1,2,3,4,5", "--games", "1,2,3"), "either --pairs"),
        (("--pairs", "1,2,3"), "5 numbers"),
        (("--pairs", "1,2,3,4,x"), "5 numbers"),
        (("--games", "1,2.5,3"), "whole"),
        (("--games", "1,-2,3"), "not negative"),
        (("--games", "0,0,0"), "no results"),
        (("--games", "1,2,3", "--elo", "0,2000"), "up to 1000"),
        (("--games", "1,2,nan"), "3 numbers"),
    ],
)
def test_the_calculator_tells_what_it_does_not_understand(words: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(NoctagonError, match=complaint):
        app(["sprt", *words], standalone_mode=False)


def test_a_mistake_is_one_line_and_exit_code_2() -> None:
    out, errors = noctagon("sprt", "--pairs", "1,2,3", code=2)
    assert out == ""
    assert errors.splitlines() == [
        "noctagon: --pairs 1,2,3: 5 numbers with commas and no blanks between them, as in --pairs 10,50,120,60,15"
    ]


def test_a_bot_that_crashes_loses_and_is_told() -> None:
    out, _ = noctagon(
        "match", f"{BOTS}:Crash", "random", *QUICK, "--games", "2", "--openings", "1", "--maps", "all"
    )
    assert "broken crashed 2 times" in out
    assert "KeyError: 'no such key' (broken.py, line 18)" in out
