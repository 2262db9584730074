"""Studies: paired games that are never played twice, a page from data alone, statistics with known values."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from noctagon.arena.starts import Start, is_calm
from noctagon.arena.statistics import (
    Difference,
    Score,
    at_most,
    difference,
    geometric,
    middle,
    score,
    share,
)
from noctagon.cli import app
from noctagon.core.game import NoctagonError
from noctagon.core.registry import find_game
from noctagon.games.vampires import VampiresState
from noctagon.studies.claims import all_of, explain, judge
from noctagon.studies.file import EXAMPLE, read_study
from noctagon.studies.report import fill_in
from noctagon.studies.series import BOTH, Aim, Conditions, Sequential, Series, WantedTasks, program_version
from noctagon.studies.study import Study
from noctagon.studies.tasks import GameResult, GameTask
from noctagon.studies.work import ResultsFile, do_all, has_room

CONDITIONS = Conditions("wargame", ("start",), seconds=5.0, plies=12, think=0.01, opening=4)
GENERATED_2 = "11x20 H3,0:11 H5,0:7 H10,0:6 H12,0:8 H6,1:12 "
SMALL = """
title = "A small study"
about = "Two players."
game = "wargame"
games = 6
time = 5
think = 0.01
plies = 12

[[claims]]
name = "greedy"
says = "greedy is better than random"
source = "here"
player = "greedy"
opponent = "random"
confirmed = "It scored {greedy}, not {nothing}."
refuted = "It scored {greedy}, not {nothing}."
undecided = "It scored {greedy}, not {nothing}."
"""


def study_of(folder: Path, text: str = SMALL, **options: Any) -> Study:
    """Write a study's file, and read it."""
    path = folder / "small.toml"
    path.write_text(text, "utf-8")
    return read_study(path, **options)


def thread() -> Executor:
    """Work here, one piece after the other."""
    return ThreadPoolExecutor(1)


def play(study: Study, folder: Path) -> ResultsFile:
    store = ResultsFile(folder / "small.jsonl", study.name, study.work)
    do_all(study.tasks(), store, jobs=1, games=["wargame"], executor=thread)
    return store


def report_of(study: Study, store: ResultsFile, folder: Path) -> str:
    """Write a study's report, and return its Markdown."""
    return study.write(store, folder, written_by="a test")[0].read_text("utf-8")


# Statistics


@pytest.mark.parametrize(
    ("successes", "count", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_where_pairs_are_all_or_nothing_it_is_wilsons_interval(
    successes: int, count: int, low: float, high: float
) -> None:
    """The values are those of Newcombe (1998), method 3, and of the closed form at the ends."""
    found = share(successes, count)
    assert found.mean == pytest.approx(successes / count)
    assert found.low == pytest.approx(low, abs=1e-4)
    assert found.high == pytest.approx(high, abs=1e-4)


def test_shared_pairs_say_more_than_games_would() -> None:
    even = score([0.5] * 50)
    split = score([1.0, 0.0] * 25)
    assert even.mean == split.mean == 0.5
    assert 0 < even.high - even.low < split.high - split.low
    assert score([]) == Score(0.5, 0.0, 1.0, 0)
    for pairs in ([0.75] * 3, [1.0], [0.0, 0.25], [1.0] * 99 + [0.5]):
        found = score(pairs)
        assert 0 <= found.low <= found.mean <= found.high <= 1
        assert found.low < found.high


def test_the_interval_holds_about_as_often_as_it_says() -> None:
    import random

    rng = random.Random(1)
    held = 0
    for _ in range(1000):
        pairs = [(rng.random() < 0.7) / 2 + (rng.random() < 0.6) / 2 for _ in range(60)]
        found = score(pairs)
        held += found.low <= 0.65 <= found.high
    assert 930 <= held <= 980


def test_a_difference_is_newcombes() -> None:
    found = difference(share(56, 70), share(48, 80))  # Newcombe (1998), part two, example a, method 10
    assert found == pytest.approx(Difference(0.2, 0.0524, 0.3339), abs=1e-4)
    assert difference(share(10, 10), share(0, 10)) == pytest.approx(Difference(1.0, 0.6075, 1.0), abs=1e-4)


def test_small_figures() -> None:
    assert at_most(0) == 1.0
    assert at_most(1) == pytest.approx(0.95)
    assert middle([3, 1, 2]) == 2
    assert middle([4, 1, 2, 3]) == 2.5
    assert geometric([1, 100]) == pytest.approx(10)
    assert str(Score(0.5, 0.4, 0.6, 10)) == "50 % (40–60)"


def test_a_claim_needs_the_whole_interval() -> None:
    assert judge(Score(0.7, 0.66, 0.74, 9), 0.65) == "confirmed"
    assert judge(Score(0.7, 0.64, 0.74, 9), 0.65) == "undecided"
    assert judge(Score(0.5, 0.4, 0.6, 9), 0.65) == "refuted"
    assert all_of(["confirmed", "refuted", "undecided"]) == "refuted"
    assert all_of(["confirmed", "undecided"]) == "undecided"
    assert all_of([]) == "undecided"


# Pairs


def test_a_pair_is_the_same_start_with_the_sides_swapped() -> None:
    starts = CONDITIONS.starts(3)
    assert [start.number for start in starts] == [0, 1, 2]
    one, other = CONDITIONS.pair("greedy", "alphabeta:depth=2", starts[1])
    assert one.start == other.start
    assert one.players == ("greedy", "alphabeta:depth=2,time=0.01")
    assert other.players == one.players[::-1]
    assert CONDITIONS._replace(most=0.005).timed("alphabeta:time=3") == "alphabeta:time=0.005"
    assert CONDITIONS._replace(think=None).timed("alphabeta:depth=2") == "alphabeta:depth=2"


@pytest.mark.parametrize("name", ["vampires", "wargame"])
def test_openings_cost_nobody_anything(name: str) -> None:
    game = find_game(name)
    game.load()
    generator = "single" if name == "vampires" else ""
    setup = next(iter(game.setups()))
    seen = set()
    for number in range(1, 8):
        start = Start(setup, number, 4, generator)
        state = start.state(game)
        assert state == start.state(game)
        assert state.result is None
        assert state.ply == 4
        assert (
            min(
                after - before
                for before, after in zip(game.initial(setup).score(), state.score(), strict=True)
            )
            >= 0
        )
        seen.add(state.key)
    assert len(seen) > 4
    assert Start(setup).state(game) == game.initial(setup)


def test_points_go_to_the_player_whatever_its_side() -> None:
    series = series_of(2)
    won, drawn = ({side: tasks[side] for side in BOTH} for tasks in series.games.values())
    results: dict[Any, Any] = {
        won[0]: GameResult(0, "x", (6, 6), moves="a"),
        won[1]: GameResult(1, "x", (5, 5), moves="a"),
        drawn[0]: GameResult(None, "x", (6, 6), moves="b"),
    }
    played = series.played(results)
    assert played.score.mean == 1.0
    assert (played.games, played.wanted, played.different) == (2, 2, 1)
    assert played.plies == 11
    results[drawn[1]] = GameResult(0, "x", (6, 6), moves="c")
    played = series.played(results)
    assert played.scores() == [1.0, 0.25]
    assert [Aim(0, 0).points(games) for games in played.pairs.values()] == [1.0, 0.5]
    assert played.of(1).games == 2
    assert played.by_setup()["start"].pairs == 2


def test_an_undecided_claim_says_how_many_games_would_decide() -> None:
    """The estimate holds: with that many games of the same score the interval leaves out the bar."""
    told = explain(share(95, 100), 0.9, 200)
    wanted = int(re.search(r"about ([\d,]+) games", told)[1].replace(",", ""))  # type: ignore[index]
    assert judge(share(95, 100), 0.9) == "undecided"
    assert judge(share(round(0.95 * wanted / 2), wanted // 2), 0.9) == "confirmed"
    assert judge(share(round(0.95 * wanted / 2.2), round(wanted / 2.2)), 0.9) == "undecided"
    assert "no number of games" in explain(share(50, 100), 0.5, 200)


# Work


def test_a_game_is_the_same_wherever_it_is_played() -> None:
    conditions = CONDITIONS._replace(game="vampires", setups=("closet",), generator="single")
    task = conditions.game_task("greedy", "random", Start("closet", 3, 2, "single"))
    one, other = task.perform(), task.perform()
    assert one.moves == other.moves
    assert one.winner == other.winner
    assert sum(one.turns) <= 12


def test_no_game_is_played_twice(tmp_path: Path) -> None:
    store = play(study_of(tmp_path), tmp_path)
    lines = (tmp_path / "small.jsonl").read_bytes().splitlines()
    wanted = study_of(tmp_path).tasks()
    assert len(lines) == 1 + len(wanted) == 1 + 6
    assert set(store.results) == set(wanted)
    play(study_of(tmp_path), tmp_path)
    assert (tmp_path / "small.jsonl").read_bytes().splitlines() == lines
    play(study_of(tmp_path, games=8), tmp_path)
    assert len((tmp_path / "small.jsonl").read_bytes().splitlines()) == len(lines) + 2


def test_an_interruption_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "small.jsonl"
    store = ResultsFile(path, "small")
    tasks = study_of(tmp_path).tasks()
    count = 0

    def interrupt() -> None:
        nonlocal count
        count += 1
        if count == 2:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        do_all(tasks, store, jobs=1, games=["wargame"], done=interrupt, executor=thread)
    kept = set(store.results)
    assert 2 <= len(kept) < len(tasks)
    with path.open("ab") as file:
        file.write(b'{"type":"done","task":{"type":"ga')  # and the power failed, too
    assert set(ResultsFile(path, "small").results) == kept
    play(study_of(tmp_path), tmp_path)
    lines = path.read_bytes().splitlines()
    assert len(lines) == len(set(lines)) == 1 + len(tasks)


class Fragile(ThreadPoolExecutor):
    """A pool that breaks at its first piece of work, `breaks` times."""

    breaks = 0

    def submit(self, *args: Any, **options: Any) -> Future[Any]:
        if Fragile.breaks:
            Fragile.breaks -= 1
            future: Future[Any] = Future()
            future.set_exception(BrokenProcessPool("a worker was killed"))
            return future
        return super().submit(*args, **options)


def test_a_killed_worker_is_replaced(tmp_path: Path) -> None:
    tasks = study_of(tmp_path).tasks()
    store = ResultsFile(tmp_path / "small.jsonl", "small")
    Fragile.breaks = 2
    do_all(tasks, store, jobs=1, games=["wargame"], executor=lambda: Fragile(1))
    assert set(store.results) == set(tasks)
    Fragile.breaks = 100
    with pytest.raises(NoctagonError, match="died 3 times"):
        do_all(
            tasks,
            ResultsFile(tmp_path / "other.jsonl", "small"),
            jobs=1,
            games=["wargame"],
            executor=lambda: Fragile(1),
        )


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL there")
def test_workers_end_with_a_parent_that_is_killed() -> None:
    code = "import os; from noctagon.processes.executor import ProcessExecutor; "
    code += "print(ProcessExecutor(1, ['wargame']).submit(os.getpid).result(), flush=True); os.kill(os.getpid(), 9)"
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    parent.communicate(timeout=60)  # the worker holds the other ends of these pipes until it ends
    assert parent.returncode == -signal.SIGKILL


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    play(study_of(tmp_path, games=2), tmp_path)
    with pytest.raises(NoctagonError, match="holds the study of small, not of large"):
        ResultsFile(tmp_path / "small.jsonl", "large")
    (tmp_path / "bad.jsonl").write_text("{}\n{}\n")
    with pytest.raises(NoctagonError, match="line 1"):
        ResultsFile(tmp_path / "bad.jsonl", "small")


# Series that end early


def results_of(points: list[float], series: Series) -> dict[Any, Any]:
    """Return results of pairs that brought the player these points, in the order of the series."""
    found: dict[Any, Any] = {}
    for start, brought in zip(series.starts, points, strict=False):
        for side, task in series.games[start].items():
            won = brought == 1 or (brought == 0.5 and side == 0)
            found[task] = GameResult(side if won else 1 - side, "x", (6, 6))
    return found


def series_of(pairs: int, **options: Any) -> Series:
    return Series(CONDITIONS, "greedy", "random", CONDITIONS.starts(pairs), **options)


def test_the_sequential_test_is_seldom_wrong() -> None:
    """A score just as low (or as high) as the test is to tell apart is taken for the other in 5 % at most."""
    import random

    rng = random.Random(1)
    for mean, wrong in ((0.75, True), (0.9, False)):
        verdicts = []
        for _ in range(400):
            test = Sequential(0.8)
            verdict = None
            while verdict is None:
                verdict = test.add((rng.random() < mean) / 2 + (rng.random() < mean) / 2)
            verdicts.append(verdict)
        assert verdicts.count(wrong) <= 0.05 * 400


def test_a_series_ends_when_its_aim_is_decided() -> None:
    series = series_of(60, aims=(Aim(0.9),), least=10)
    results = results_of([1.0] * 60, series)
    assert series.stop(results) == 27
    assert series.played(results).games == 54
    assert series_of(60, aims=(Aim(0.9),), least=40).stop(results) == 40
    assert series_of(60).stop(results) is None
    assert series_of(20, aims=(Aim(0.9),), least=10).stop(results) is None
    assert series_of(60, aims=(Aim(0.9),)).stop(results) is None
    losing = results_of([0.5] * 60, series)
    assert series.stop(losing) == 10
    assert series.score(series.aims[0], losing).mean == 0.5
    # the attacker's games alone are won in these pairs, so one aim is reached and the other is not
    sides = series_of(60, aims=(Aim(0.9, 0), Aim(0.9, 1)), least=0)
    assert sides.stop(losing) == 27
    assert [sides.score(aim, losing).mean for aim in sides.aims] == [1.0, 0.0]


def test_the_order_of_the_results_does_not_count() -> None:
    series = series_of(60, aims=(Aim(0.9),), least=0)
    results = results_of([1.0, 0.5, 1.0] * 20, series)
    stop = series.stop(results)
    assert stop is not None
    assert series.stop(dict(reversed(results.items()))) == stop
    first = series.games[series.starts[0]][0]
    assert series.stop({task: one for task, one in results.items() if task != first}) is None


def test_setups_apart_are_played_but_not_counted() -> None:
    conditions = CONDITIONS._replace(game="vampires", setups=("duel", "closet"), generator="single")
    starts = conditions.starts(60)
    series = Series(conditions, "greedy", "random", starts, (Aim(0.9),), 0, apart=lambda results: {"closet"})
    shares = [0.0 if start.setup == "closet" else 1.0 for start in starts]
    results = results_of(shares, series)
    assert series.stop(results) in (53, 54)
    assert series.score(series.aims[0], results).mean == 1.0
    assert series.score(series.aims[0], results, apart=True).mean == 0.0


def test_what_is_decided_is_not_played_on(tmp_path: Path) -> None:
    """Also when the study is interrupted and goes on, it ends with the same games."""
    conditions = CONDITIONS._replace(plies=4)
    starts = conditions.starts(40)
    series = Series(conditions, "random", "greedy", starts, (Aim(0.9),), least=3)
    for name, pieces in (("once", 1), ("in parts", 7)):
        store = ResultsFile(tmp_path / f"{name}.jsonl", "small")
        done = 0

        def count() -> None:
            nonlocal done
            done += 1

        tasks = series.tasks()
        for piece in range(pieces):
            part = tasks if piece == pieces - 1 else tasks[: 2 * piece]
            schedule = WantedTasks([series], store.results)
            do_all(part, store, jobs=1, games=[], wanted=schedule.wants, executor=thread)
        schedule = WantedTasks([series], store.results)
        do_all(tasks, store, jobs=1, games=[], wanted=schedule.wants, executor=thread, done=count)
        stop = series.stop(store.results)
        assert stop is not None
        assert stop < 40
        assert len(store.results) <= 2 * stop + 2  # what was begun when it was decided
        assert done == len(tasks) - len(store.results)
        assert series.stop(ResultsFile(tmp_path / f"{name}.jsonl", "small").results) == stop


def test_threads_want_the_machine_for_themselves() -> None:
    alone = GameTask("wargame", ("champion:threads=2", "champion"), Start("start"), 1.0, 10)
    plain = GameTask("wargame", ("champion:threads=1", "champion"), Start("start"), 1.0, 10)
    assert has_room(plain, [plain] * 3, 2)
    assert not has_room(plain, [plain] * 4, 2)
    assert has_room(alone, [], 2)
    assert not has_room(alone, [plain], 2)
    assert not has_room(plain, [alone], 2)


def test_sections_of_a_stage_are_played_side_by_side(tmp_path: Path) -> None:
    sections = "".join(
        f"""
        [[sections]]
        name = "{name}"
        [[sections.claims]]
        player = "{player}"
        opponent = "random"
        """
        for name, player in (("late", "greedy"), ("one", "minimax"), ("other", "alphabeta"))
    )
    text = f'game = "wargame"\ngames = 4\nstages = [["one", "other"], ["late"]]\n{sections}'
    study = study_of(tmp_path, text)
    tasks = [task for task in study.tasks() if isinstance(task, GameTask)]
    named = [next(name for name in ("greedy", "minimax", "alphabeta") if name in str(task)) for task in tasks]
    assert named == ["minimax", "alphabeta"] * 4 + ["greedy"] * 4
    assert study.tasks("late") == tasks[8:]


# Starts


def test_every_setup_is_played_once_before_any_is_played_twice() -> None:
    conditions = CONDITIONS._replace(setups=("a", "b", "c", "d"))
    starts = conditions.starts(10)
    assert [{start.setup for start in starts[first : first + 4]} for first in (0, 4)] == [set("abcd")] * 2
    assert [start.number for start in starts] == [0] * 4 + [1] * 4 + [2] * 2
    assert len(set(starts)) == 10
    assert starts == conditions.starts(12)[:10]


def test_generated_maps_are_the_same_everywhere() -> None:
    game = find_game("vampires")
    states = [Start(f"generated:{number}").state(game, game.make_rules(plies=50)) for number in range(1, 21)]
    assert len({state.key for state in states}) == 20
    assert all(
        state == Start(f"generated:{number}").state(game, game.make_rules(plies=50))
        for number, state in enumerate(states, 1)
    )
    assert game.format_position(states[1]).startswith(GENERATED_2)
    wished = Start("generated:side=30,houses=64,groups=10,seed=3").state(game)
    assert isinstance(wished, VampiresState)
    assert (len(wished.humans), len(wished.vampires), len(wished.werewolves)) == (64, 10, 10)
    for wrong in ("generated:houses=x", "generated:trees=3"):
        with pytest.raises(NoctagonError, match="a number, or some of side, houses, groups, seed"):
            Start(wrong).state(game)
    for wrong in ("generated:groups=0", "generated:groups=46"):
        with pytest.raises(NoctagonError, match="room for 1 to 45 groups a side"):
            Start(wrong).state(game)


def test_calm_openings_leave_nobody_a_forced_win() -> None:
    game = find_game("wargame")
    near = "dA9 . . . . . . . . . . . aV9 . . . . . . . . . . . aA9 a 6"
    wild = {Start(near, number, 2).state(game) for number in range(1, 20)}
    assert any(not is_calm("wargame", state, 2) for state in wild)
    calm = [Start(near, number, 2, calm=2) for number in range(1, 20)]
    assert all(is_calm("wargame", start.state(game), 2) for start in calm)
    assert [start.state(game) for start in calm] == [start.state(game) for start in calm]
    hopeless = "dA9 . . . . aV9 . . . . . . . . . . . . . . . . . . aA9 a 6"
    with pytest.raises(NoctagonError, match="a forced win after each"):
        Start(hopeless, 1, 0, calm=2).state(game)


# The report


def test_the_report_is_made_of_the_data_alone(tmp_path: Path) -> None:
    study = study_of(tmp_path)
    store = play(study, tmp_path)
    text = report_of(study, store, tmp_path)
    found = study.sections[0].series(study)[0].played(store.results).score
    verdict = judge(found, 0.5)
    assert f"It scored {found}, not …." in text
    assert f"The claim is {verdict}." in text
    assert f"| greedy is better than random | here | {found}, 6 games |" in text
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)
    assert pictures == ["small-claims.svg"]
    first = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    report_of(study_of(tmp_path), ResultsFile(tmp_path / "small.jsonl", "small"), tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == first


def test_the_page_needs_nothing_but_itself(tmp_path: Path) -> None:
    """Also where the claims hold what could break a page."""
    text = SMALL.replace("Two players.", "A <script>alert(1)</script> & [x](javascript:alert) **b**.")
    study = study_of(tmp_path, text)
    report_of(study, play(study, tmp_path), tmp_path)
    page = (tmp_path / "small.html").read_text("utf-8")
    assert "<svg" in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; [x](javascript:alert) <strong>b</strong>." in page
    assert "<script" not in page
    assert not re.search(r"(src|href)=", page)
    assert "@page" in page
    assert "default-src 'none'" in page


def test_the_report_says_what_is_missing(tmp_path: Path) -> None:
    study = study_of(tmp_path)
    store = ResultsFile(tmp_path / "small.jsonl", "small")
    for task in study.tasks()[:4]:
        store.add(task, task.perform())
    assert "1 start not played yet" in report_of(study, store, tmp_path)


EVERYTHING = """
game = "wargame"
games = 40
players = { good = "greedy", poor = "random" }

[[conclusions]]
when = { better = "confirmed", worse = "refuted" }
text = "It holds: {better}."

[[conclusions]]
when = { better = "refuted" }
text = "It does not."

[[claims]]
name = "better"
player = "good"
opponent = ["poor", "minimax"]

[[claims]]
name = "worse"
player = "poor"
opponent = "good"
at_least = 0.3
side = "defender"
confirmed = "Defending is easy."
refuted = "Defending is hard."

[[claims]]
player = "good"
opponent = ["poor", "minimax"]
each = true
side = "attacker"

[[claims]]
player = "good"
opponent = "poor"
than = "minimax"

[[claims]]
faultless = ["good", "poor"]

[[sections]]
kind = "ladder"
name = "steps"
along = "depth"
rungs = { 1 = "alphabeta:depth=1", 2 = "alphabeta:depth=2" }
"""


def test_each_kind_of_claim_gets_its_verdict(tmp_path: Path) -> None:
    """From made-up games: `good` wins its games against `poor` and half of those against minimax."""
    study = study_of(tmp_path, EVERYTHING)
    store = ResultsFile(tmp_path / "small.jsonl", "small")
    for task in study.tasks():
        assert isinstance(task, GameTask)
        first, second = (study.who(player) for player in task.players)
        if "minimax" in (first, second):
            winner: int | None = task.start.number % 2
        elif {first, second} == {"good", "poor"}:
            winner = int(second == "good")
        else:
            winner = None
        illegal = (0, 0) if "minimax" in (first, second) else (int(first == "poor"), int(second == "poor"))
        store.results[task] = GameResult(winner, "x", (9, 9), illegal=illegal)
    text = report_of(study, store, tmp_path)
    assert "Of 5 claims 2 are confirmed, 2 refuted and 1 undecided (0 of them leaning to yes)." in text
    assert "| `good` is better than `poor`, `minimax` | 75 % (64–81), 80 games | ✓ confirmed |" in text
    assert "✗ refuted**: `poor` scores 30 % against `good`, as defender: 0 % (0–16), 20 games." in text
    assert "lies below the 30 % that the claim needs. Defending is hard." in text
    assert "at least 50 % (30–70), against `minimax` | ? undecided |" in text
    assert "`good` scores more against `poor` than against `minimax`" in text
    assert "+50 (+32 to +58) points" in text
    assert "faults in 1,080 turns of 2 players | ✗ refuted |" in text
    assert "It holds: 75 % (64–81)." in text
    assert "It does not." not in text
    assert "| 2 against 1 | 40 | **50 % (42–58)** | +0 (-56 to +56) | +0 | 40 |" in text
    assert "Not decided by these games: 2 over 1" in text
    assert "- `good` is `greedy`" in text


def test_an_edited_bot_is_another_player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bot = "class Bot:\n    def choose(self, state, clock):\n        return next(iter(state.actions()))\n"
    Path("mine.py").write_text(bot)
    text = SMALL.replace('"greedy"\nopponent', '"mine.py:Bot"\nopponent')
    study = study_of(tmp_path, text, games=2)
    store = play(study, tmp_path)
    assert not study.edited(study.tasks(), store)
    Path("mine.py").write_text(bot + "# better\n")
    program_version.cache_clear()
    again = study_of(tmp_path, text, games=2)
    assert not any(task in store.results for task in again.tasks())
    assert again.edited(again.tasks(), store) == ["mine.py:Bot"]


def test_a_bot_that_crashes_loses_and_the_report_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("class Bot:\n    def choose(self, state, clock):\n        return 1 / 0\n")
    study = study_of(tmp_path, SMALL.replace('"greedy"\nopponent', '"mine.py:Bot"\nopponent'), games=2)
    text = report_of(study, play(study, tmp_path), tmp_path)
    assert "| `mine.py:Bot` | 2 | 0 | 0 | 0 | 2 |" in text
    assert re.search(
        r"The last fault of `mine.py:Bot`: crash against `random` on start.*: `.*ZeroDivisionError", text
    )


def test_figures_in_sentences() -> None:
    assert fill_in("{a b} of {c}", {"a b": "3"}) == "3 of …"


# The file


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("[[claims]]", "[[claims"), "small.toml is not TOML: .*line 10"),
        (
            ('opponent = "random"', 'oponent = "random"'),
            r"line 10: claim 1 \(greedy is .*did you mean opponent",
        ),
        (('opponent = "random"', ""), "claim 1: opponent is missing"),
        (('opponent = "random"', 'opponent = "randon"'), "claim 1: player 'randon': .*did you mean random"),
        (('opponent = "random"', 'opponent = "no.py:Bot"'), "claim 1: player 'no.py:Bot': .*no.py"),
        (('opponent = "random"', 'opponent = "human"'), "a person cannot take part"),
        (('source = "here"', 'at_least = "more"'), "claim 1 .*at_least should be a number.* not text"),
        (('source = "here"', "at_least = 65"), "at_least = 65 should be a share"),
        (('source = "here"', 'side = "left"'), "unknown side 'left'; there are: attacker, defender"),
        (('source = "here"', "each = true\non_maps = 0.5"), "do not go together"),
        (("games = 6", "games = 1"), "games = 1: it is at least 2"),
        (("time = 5", "time = 0"), "time = 0: more than 0 seconds"),
        (('game = "wargame"', 'game = "chess"'), "unknown game 'chess'"),
        (("games = 6", "gmes = 6"), "unknown name 'gmes'; did you mean .*games"),
        (
            ("[[claims]]", '[[sections]]\nkind = "lader"\n[[claims]]'),
            "line 10: section 1: unknown kind 'lader'",
        ),
        (("[[claims]]", '[[sections]]\nname = "a b"\n[[claims]]'), "section 'a b': a name is letters"),
        (
            ("[[claims]]", '[[conclusions]]\ntext = "x"\nwhen = {b = "refuted"}\n[[claims]]'),
            "unknown claim 'b'",
        ),
    ],
)
def test_a_mistake_in_the_file_is_named(change: tuple[str, str], told: str, tmp_path: Path) -> None:
    with pytest.raises(NoctagonError, match=rf"(?s)small\.toml.*{told}|{told}"):
        study_of(tmp_path, SMALL.replace(*change))


def test_the_example_can_be_played(tmp_path: Path) -> None:
    study = study_of(tmp_path, EXAMPLE, quick=True)
    assert study.name == "small-quick"
    assert len(study.tasks()) == 4


# The command


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "noctagon", "study", *words]


def run(*words: str, cwd: Path) -> str:
    done = subprocess.run(command(*words), cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def test_a_study_from_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    out = run("small.toml", "--quick", cwd=tmp_path)
    page, data = (tmp_path / "small-study" / f"small-quick.{ending}" for ending in ("md", "jsonl"))
    assert out.split() == ["small-study/small-quick.md", "small-study/small-quick.html"]
    before, text = data.read_bytes(), page.read_text("utf-8")
    assert "greedy is better than random" in text
    page.unlink()
    run("small.toml", "--quick", "--report", cwd=tmp_path)
    assert data.read_bytes() == before
    assert page.read_text("utf-8") == text


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent otherwise there")
def test_ctrl_c_keeps_everything(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL.replace("games = 6", "games = 400").replace("plies = 12", ""))
    data = tmp_path / "small-study" / "small.jsonl"
    running = subprocess.Popen(
        command("small.toml", "--jobs", "1"), cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    for _ in patiently():
        if data.exists() and data.read_bytes().count(b"\n") >= 2:
            break
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=60)
    assert running.returncode == 130
    kept = data.read_bytes().count(b"\n") - 1
    assert re.search(rf"interrupted; {kept} of 400 are kept in", told)
    assert not (tmp_path / "small-study" / "small.md").exists()
    run("small.toml", "--report", cwd=tmp_path)
    assert "not played yet" in (tmp_path / "small-study" / "small.md").read_text("utf-8")


def patiently(seconds: float = 120.0) -> Iterator[None]:
    """Yield for a while in which something should happen that only a file shows."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield
        time.sleep(0.05)
    raise AssertionError("nothing happened")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("vampires",), "python -m lab study vampires"),
        ((), "noctagon study --example"),
        (("missing.toml",), "missing.toml: No such file"),
        (("small.toml", "--only", "claim"), "did you mean claims"),
        (("small.toml", "--games", "1"), "--games 1"),
        (("small.toml", "--jobs", "0"), "--jobs 0"),
        (("small.toml", "--report"), "no games are kept"),
        (("small.toml", "--report", "--fresh"), "take one of them"),
        (("small.toml", "--fresh", "--only", "claims"), "leave out --only"),
    ],
)
def test_mistakes_are_named(
    words: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(SMALL)
    done = CliRunner().invoke(app, ["study", *words])
    assert isinstance(done.exception, NoctagonError)
    assert told in str(done.exception)


def test_an_example_is_printed() -> None:
    assert CliRunner().invoke(app, ["study", "--example"]).stdout == EXAMPLE
