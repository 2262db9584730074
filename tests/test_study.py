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

from noctagon.game import NoctagonError
from noctagon.games import find_game
from noctagon.player import PlayerSpec
from noctagon.players import make_player
from noctagon.studies.claims import Claim, all_of, judge
from noctagon.studies.pairs import Conditions, collect
from noctagon.studies.sections import ClaimsSection, Method, TreeSection
from noctagon.studies.statistics import (
    Difference,
    Score,
    at_most,
    difference,
    geometric,
    middle,
    score,
    share,
)
from noctagon.studies.studies import NAMES, find_study
from noctagon.studies.study import Study, fill_in
from noctagon.studies.tasks import GameResult, GameTask, SearchTask, Start, TurnTask
from noctagon.studies.work import Store, do_all

CONDITIONS = Conditions("wargame", ("start",), seconds=5.0, plies=12, think=0.01, opening=4)
CLAIM = Claim("greedy", "greedy is better than random", "here", "greedy", "random")
SECTION = ClaimsSection(
    "greedy",
    title="Greedy",
    intro="Two players.",
    claims=[CLAIM],
    learnt="It scored {greedy}, not {nothing}.",
)
TREE = TreeSection(
    title="The tree",
    intro="{positions} positions.",
    game="wargame",
    methods={
        "minimax": Method("minimax:heuristic=e0", 10_000),
        "alpha-beta": Method("alphabeta:heuristic=e0", 10_000),
    },
    starts=[Start("start"), Start("start", 1, 6)],
    depths=range(1, 4),
    quick_depths=range(1, 2),
    said={"12 each": lambda depth: 12.0**depth},
)
STUDY = Study(
    "small",
    "A small study",
    "About.",
    CONDITIONS,
    CONDITIONS,
    "{games} games.",
    [TREE, SECTION],
    "End: {greedy}.",
)


def thread() -> Executor:
    """Work here, one piece after the other."""
    return ThreadPoolExecutor(1)


def play(study: Study, path: Path, games: int = 6) -> Store:
    store = Store(path, study.name)
    do_all(study.tasks(study.plan(games)), store, jobs=1, game="wargame", executor=thread)
    return store


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
    starts = CONDITIONS.starts(6)
    assert [start.number for start in starts] == [0, 1, 2]
    one, other = CONDITIONS.pair("greedy", "alphabeta:depth=2", starts[1])
    assert one.start == other.start
    assert one.players == ("greedy", "alphabeta:depth=2,time=0.01")
    assert other.players == one.players[::-1]
    assert CONDITIONS._replace(most=0.005).timed("alphabeta:time=3") == "alphabeta:time=0.005"


def test_every_setup_is_played_as_often() -> None:
    conditions = CONDITIONS._replace(game="vampires", setups=("tiny", "closet", "duel"), generator="single")
    starts = conditions.starts(8)
    assert sorted(start.setup for start in starts) == ["closet"] * 2 + ["duel"] * 2 + ["tiny"] * 2


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
    starts = [Start("start"), Start("start", 1, 4)]
    (won, lost), (drawn, unplayed) = (CONDITIONS.pair("greedy", "random", start) for start in starts)
    results: dict[Any, Any] = {
        won: GameResult(0, "x", (6, 6), moves="a"),
        lost: GameResult(1, "x", (5, 5), moves="a"),
        drawn: GameResult(None, "x", (6, 6), moves="b"),
    }
    played = collect(CONDITIONS, "greedy", "random", starts, results)
    assert played.score.mean == 1.0
    assert (played.games, played.wanted, played.different) == (2, 2, 1)
    assert played.plies == 11
    results[unplayed] = GameResult(0, "x", (6, 6), moves="c")
    played = collect(CONDITIONS, "greedy", "random", starts, results)
    assert played.pair_scores() == [1.0, 0.25]
    assert played.seated(0) == 0.75
    assert played.by_setup()["start"].pairs == 2


# Work


def test_a_game_is_the_same_wherever_it_is_played() -> None:
    conditions = CONDITIONS._replace(game="vampires", setups=("closet",), generator="single")
    task = conditions.game_task("greedy", "random", Start("closet", 3, 2, "single"))
    one, other = task.perform(), task.perform()
    assert one.moves == other.moves
    assert one.winner == other.winner
    assert sum(one.turns) <= 12


def test_searches_and_turns_are_measured() -> None:
    found = SearchTask("wargame", "minimax:heuristic=e0", Start("start"), 3, 10_000).perform()
    same = SearchTask("wargame", "minimax:heuristic=e0", Start("start"), 3, 10_000, generic=True).perform()
    assert (
        (found.nodes, found.leaves, found.finished) == (same.nodes, same.leaves, True) == (1651, 1519, True)
    )
    assert not SearchTask("wargame", "minimax:heuristic=e0", Start("start"), 3, 100).perform().finished
    turn = TurnTask("vampires", "alphabeta", Start("closet"), 2, 5.0)
    assert turn.perform().depth >= 2


def test_no_game_is_played_twice(tmp_path: Path) -> None:
    store = play(STUDY, tmp_path / "small.jsonl")
    lines = (tmp_path / "small.jsonl").read_bytes().splitlines()
    wanted = STUDY.tasks(STUDY.plan(6))
    assert len(lines) == 1 + len(wanted) == 1 + 6 + 12
    assert set(store.results) == set(wanted)
    play(STUDY, tmp_path / "small.jsonl")
    assert (tmp_path / "small.jsonl").read_bytes().splitlines() == lines
    play(STUDY, tmp_path / "small.jsonl", games=8)
    assert len((tmp_path / "small.jsonl").read_bytes().splitlines()) == len(lines) + 2


def test_an_interruption_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "small.jsonl"
    store = Store(path, "small")
    tasks = STUDY.tasks(STUDY.plan(6))
    count = 0

    def interrupt() -> None:
        nonlocal count
        count += 1
        if count == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        do_all(tasks, store, jobs=1, game="wargame", done=interrupt, executor=thread)
    kept = set(store.results)
    assert 4 <= len(kept) < len(tasks)
    with path.open("ab") as file:
        file.write(b'{"type":"done","task":{"type":"ga')  # and the power failed, too
    assert set(Store(path, "small").results) == kept
    play(STUDY, path)
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
    tasks = STUDY.tasks(STUDY.plan(6), "greedy")
    store = Store(tmp_path / "small.jsonl", "small")
    Fragile.breaks = 2
    do_all(tasks, store, jobs=1, game="wargame", executor=lambda: Fragile(1))
    assert set(store.results) == set(tasks)
    Fragile.breaks = 100
    with pytest.raises(NoctagonError, match="died 3 times"):
        do_all(
            tasks,
            Store(tmp_path / "other.jsonl", "small"),
            jobs=1,
            game="wargame",
            executor=lambda: Fragile(1),
        )


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL there")
def test_workers_end_with_a_parent_that_is_killed() -> None:
    code = "import os; from noctagon.studies.work import process_pool; "
    code += (
        "print(process_pool(1, 'wargame').submit(os.getpid).result(), flush=True); os.kill(os.getpid(), 9)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    parent.communicate(timeout=60)  # the worker holds the other ends of these pipes until it ends
    assert parent.returncode == -signal.SIGKILL


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    play(STUDY, tmp_path / "small.jsonl", games=2)
    with pytest.raises(NoctagonError, match="holds the study of small, not of large"):
        Store(tmp_path / "small.jsonl", "large")
    (tmp_path / "bad.jsonl").write_text("{}\n{}\n")
    with pytest.raises(NoctagonError, match="line 1"):
        Store(tmp_path / "bad.jsonl", "small")


# The page


def test_the_page_is_made_of_the_data_alone(tmp_path: Path) -> None:
    store = play(STUDY, tmp_path / "small.jsonl")
    page = STUDY.write(STUDY.plan(6), store, tmp_path)
    text = page.read_text("utf-8")
    score_text = str(collect(CONDITIONS, "greedy", "random", CONDITIONS.starts(6), store.results).score)
    assert f"It scored {score_text}, not …." in text
    assert f"End: {score_text}." in text
    assert f"| greedy is better than random | here | {score_text}, 6 games |" in text
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)
    assert sorted(pictures) == ["small-greedy.svg", "small-tree.svg"]
    first = {name: (tmp_path / name).read_bytes() for name in (*pictures, page.name)}
    again = Store(tmp_path / "small.jsonl", "small")
    STUDY.write(STUDY.plan(6), again, tmp_path)
    assert {name: (tmp_path / name).read_bytes() for name in (*pictures, page.name)} == first
    assert all(b"<dc:date>" not in content for content in first.values())


def test_the_page_says_what_is_missing(tmp_path: Path) -> None:
    store = Store(tmp_path / "small.jsonl", "small")
    for task in STUDY.tasks(STUDY.plan(6), "greedy")[:4]:
        store.add(task, task.perform())
    text = STUDY.write(STUDY.plan(6), store, tmp_path).read_text("utf-8")
    assert "1 pair of games not played yet" in text
    assert "The tree" not in text


def test_figures_in_sentences() -> None:
    assert fill_in("{a b} of {c}", {"a b": "3"}) == "3 of …"


@pytest.mark.parametrize("name", NAMES)
def test_the_studies_can_be_played(name: str) -> None:
    """All players exist, and a whole study is of a size that somebody can wait for."""
    study = find_study(name)
    tasks = study.tasks(study.plan(200))
    specs = {spec for task in tasks if isinstance(task, GameTask) for spec in task.players}
    specs |= {task.player for task in tasks if isinstance(task, TurnTask)}
    for spec in specs:
        make_player(PlayerSpec.parse(spec), find_game(name))
    games = [task for task in tasks if isinstance(task, GameTask)]
    assert 1000 < len(games) < 8000
    for section in study.sections:
        if isinstance(section, ClaimsSection):
            assert len(section.tasks(study.plan(200))) >= 200 * len(section.claims)


# The command


def command(*words: str, cwd: Path) -> list[str]:
    return [sys.executable, "-m", "noctagon", "study", *words, "--out", str(cwd)]


def run(*words: str, cwd: Path, code: int = 0) -> tuple[str, str]:
    done = subprocess.run(command(*words, cwd=cwd), capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


def test_a_study_from_the_command_line(tmp_path: Path) -> None:
    out, _ = run("wargame", "--quick", "--only", "equal-depth", cwd=tmp_path)
    page, data = tmp_path / "wargame-quick.md", tmp_path / "wargame-quick.jsonl"
    assert out.strip() == str(page)
    before, text = data.read_bytes(), page.read_text("utf-8")
    assert "e1 scores 65 % against e0 at equal depth" in text
    page.unlink()
    run("wargame", "--quick", "--report", cwd=tmp_path)
    assert data.read_bytes() == before
    assert page.read_text("utf-8") == text


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent otherwise there")
def test_ctrl_c_keeps_everything(tmp_path: Path) -> None:
    data = tmp_path / "wargame.jsonl"
    words = ("wargame", "--games", "4", "--only", "equal-time", "--jobs", "1")
    running = subprocess.Popen(command(*words, cwd=tmp_path), stderr=subprocess.PIPE, text=True)
    for _ in patiently():
        if data.exists() and data.read_bytes().count(b"\n") >= 2:
            break
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=60)
    assert running.returncode == 130
    kept = data.read_bytes().count(b"\n") - 1
    assert re.search(rf"interrupted; {kept} of 18 are kept in", told)
    assert not (tmp_path / "wargame.md").exists()
    run("wargame", "--games", "4", "--report", cwd=tmp_path)
    assert "not played yet" in (tmp_path / "wargame.md").read_text("utf-8")


def patiently(seconds: float = 120.0) -> Iterator[None]:
    """A while in which something should happen that only a file tells."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield
        time.sleep(0.05)
    raise AssertionError("nothing happened")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("chess",), "unknown study 'chess'"),
        (("wargame", "--only", "turtles"), "did you mean turtle"),
        (("wargame", "--games", "1"), "--games 1"),
        (("wargame", "--jobs", "0"), "--jobs 0"),
        (("wargame", "--report"), "there are no data"),
        (("wargame", "--report", "--fresh"), "take one of them"),
    ],
)
def test_mistakes_are_told(words: tuple[str, ...], told: str, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from noctagon.cli import app

    done = CliRunner().invoke(app, ["study", *words, "--out", str(tmp_path)])
    assert isinstance(done.exception, NoctagonError)
    assert told in str(done.exception)
