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
from noctagon.core.game import NoctagonError
from noctagon.core.player import PlayerSpec
from noctagon.core.registry import find_game
from noctagon.games.vampires import VampiresState
from noctagon.players import make_player
from noctagon.studies.claims import Claim, all_of, judge, judge_aim
from noctagon.studies.pairs import Conditions, collect
from noctagon.studies.sections import ClaimsSection, Method, TreeSection
from noctagon.studies.series import Aim, Schedule, Sequential, Series
from noctagon.studies.studies import NAMES, find_study
from noctagon.studies.study import Study, fill_in
from noctagon.studies.tasks import GameResult, GameTask, SearchTask, TurnResult, TurnTask
from noctagon.studies.work import Store, do_all, has_room

CONDITIONS = Conditions("wargame", ("start",), seconds=5.0, plies=12, think=0.01, opening=4)
GENERATED_2 = "11x20 H3,0:11 H5,0:7 H10,0:6 H12,0:8 H6,1:12 "
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
    do_all(study.tasks(study.plan(games)), store, jobs=1, games=["wargame"], executor=thread)
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


def test_an_aim_is_reached_by_the_mean_and_confirmed_by_the_interval() -> None:
    verdicts = [judge_aim(share(won, 100), 0.9) for won in (100, 92, 88, 70)]
    assert verdicts == ["confirmed", "reached", "short", "refuted"]


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
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        do_all(tasks, store, jobs=1, games=["wargame"], done=interrupt, executor=thread)
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
    do_all(tasks, store, jobs=1, games=["wargame"], executor=lambda: Fragile(1))
    assert set(store.results) == set(tasks)
    Fragile.breaks = 100
    with pytest.raises(NoctagonError, match="died 3 times"):
        do_all(
            tasks,
            Store(tmp_path / "other.jsonl", "small"),
            jobs=1,
            games=["wargame"],
            executor=lambda: Fragile(1),
        )


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL there")
def test_workers_end_with_a_parent_that_is_killed() -> None:
    code = "import os; from noctagon.processes.pool import Workers; "
    code += "print(Workers(1, ['wargame']).submit(os.getpid).result(), flush=True); os.kill(os.getpid(), 9)"
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


# Series that end early


def results_of(points: list[float], series: Series) -> dict[Any, Any]:
    """Pairs that brought the player so many points, in the order of the series."""
    found: dict[Any, Any] = {}
    for start, brought in zip(series.starts, points, strict=False):
        for side, task in enumerate(series.games[start]):
            won = brought == 1 or (brought == 0.5 and side == 0)
            found[task] = GameResult(side if won else 1 - side, "x", (6, 6))
    return found


def series_of(pairs: int, **options: Any) -> Series:
    return Series(CONDITIONS, "greedy", "random", tuple(CONDITIONS.mixed_starts(pairs)), **options)


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
    assert series.pairs(results).games == 54
    assert series_of(60, aims=(Aim(0.9),), least=40).stop(results) == 40
    assert series_of(60).stop(results) is None
    assert series_of(20, aims=(Aim(0.9),)).stop(results) is None
    losing = results_of([0.5] * 60, series)
    assert series.stop(losing) == 10
    assert series.score(series.aims[0], losing).mean == 0.5
    # the attacker's games alone are won in these pairs, so one aim is reached and the other is not
    sides = series_of(60, aims=(Aim(0.9, 0), Aim(0.9, 1)))
    assert sides.stop(losing) == 27
    assert [sides.score(aim, losing).mean for aim in sides.aims] == [1.0, 0.0]


def test_the_order_of_the_results_does_not_count() -> None:
    series = series_of(60, aims=(Aim(0.9),))
    results = results_of([1.0, 0.5, 1.0] * 20, series)
    stop = series.stop(results)
    assert stop is not None
    assert series.stop(dict(reversed(results.items()))) == stop
    first = series.games[series.starts[0]][0]
    assert series.stop({task: one for task, one in results.items() if task != first}) is None


def test_setups_apart_are_played_but_not_counted() -> None:
    conditions = CONDITIONS._replace(game="vampires", setups=("duel", "closet"), generator="single")
    starts = tuple(conditions.mixed_starts(60))
    series = Series(conditions, "greedy", "random", starts, (Aim(0.9),), apart=lambda results: {"closet"})
    shares = [0.0 if start.setup == "closet" else 1.0 for start in starts]
    results = results_of(shares, series)
    assert series.stop(results) in (53, 54)
    assert series.score(series.aims[0], results).mean == 1.0
    assert series.score(series.aims[0], results, apart=True).mean == 0.0


def test_what_is_decided_is_not_played_on(tmp_path: Path) -> None:
    """Also when the study is interrupted and goes on, it ends with the same games."""
    conditions = CONDITIONS._replace(plies=4)
    starts = tuple(conditions.mixed_starts(40))
    series = Series(conditions, "random", "greedy", starts, (Aim(0.9),), least=3)
    for name, pieces in (("once", 1), ("in parts", 7)):
        store = Store(tmp_path / f"{name}.jsonl", "small")
        done = 0

        def count() -> None:
            nonlocal done
            done += 1

        tasks = series.tasks()
        for piece in range(pieces):
            part = tasks if piece == pieces - 1 else tasks[: 2 * piece]
            schedule = Schedule([series], store.results)
            do_all(part, store, jobs=1, games=[], wanted=schedule.wants, executor=thread)
        schedule = Schedule([series], store.results)
        do_all(tasks, store, jobs=1, games=[], wanted=schedule.wants, executor=thread, done=count)
        stop = series.stop(store.results)
        assert stop is not None
        assert stop < 40
        assert len(store.results) <= 2 * stop + 2  # what was begun when it was decided
        assert done == len(tasks) - len(store.results)
        assert series.stop(Store(tmp_path / f"{name}.jsonl", "small").results) == stop


def test_threads_want_the_machine_for_themselves() -> None:
    alone = GameTask("wargame", ("champion:threads=2", "champion"), Start("start"), 1.0, 10)
    plain = GameTask("wargame", ("champion:threads=1", "champion"), Start("start"), 1.0, 10)
    assert has_room(plain, [plain] * 3, 2)
    assert not has_room(plain, [plain] * 4, 2)
    assert has_room(alone, [], 2)
    assert not has_room(alone, [plain], 2)
    assert not has_room(plain, [alone], 2)


def test_sections_of_a_stage_are_played_side_by_side() -> None:
    study = find_study("champions")
    tasks = study.tasks(study.plan(200))
    place = {task: number for number, task in enumerate(tasks)}
    (equal, tenth, mirror, wargame, *_, threads, _) = (
        section.tasks(study.plan(200)) for section in study.sections
    )
    assert max(map(place.__getitem__, mirror)) < min(map(place.__getitem__, [*equal, *tenth, *wargame]))
    assert {place[section[0]] for section in (equal, tenth, wargame)} < set(
        range(place[equal[0]], place[equal[0]] + 40)
    )
    assert max(map(place.__getitem__, equal)) < min(map(place.__getitem__, threads))
    assert study.tasks(study.plan(200), "turtle") == study.chosen("turtle")[0].tasks(study.plan(200))


# Starts


def test_every_setup_is_played_once_before_any_is_played_twice() -> None:
    conditions = CONDITIONS._replace(setups=("a", "b", "c", "d"))
    starts = conditions.mixed_starts(10)
    assert [{start.setup for start in starts[first : first + 4]} for first in (0, 4)] == [set("abcd")] * 2
    assert [start.number for start in starts] == [0] * 4 + [1] * 4 + [2] * 2
    assert len(set(starts)) == 10
    assert starts == conditions.mixed_starts(12)[:10]


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


def test_the_page_of_the_champions(tmp_path: Path) -> None:
    """From made-up games: the champion wins all of its own, and on one map whoever moves first does."""
    study = find_study("champions")._replace(name="champions-quick")
    plan = study.plan(4, quick=True)
    store = Store(tmp_path / "champions-quick.jsonl", study.name)
    for task in study.tasks(plan):
        if isinstance(task, TurnTask):
            store.results[task] = TurnResult(True, 0.5, 7, 1_000_000)
        elif isinstance(task, GameTask):
            ours = [spec.startswith("champion") for spec in task.players]
            winner = ours.index(True) if not all(ours) else 0 if task.start.setup == "closet" else None
            store.results[task] = GameResult(winner, "x", (9, 9), depth=(6.0, 3.0))
    (tmp_path / "champions-log.md").write_text("# Ideas")
    text = study.write(plan, store, tmp_path).read_text("utf-8")
    assert "By hand: [champions-log.md](champions-log.md)." in text
    assert "The first mover's points on them: closet (100 %)." in text
    assert "| 90 % against merge | vampires-equal | 100 % (21–100), 2 games | ✓ reached |" in text
    assert (
        "| merge | 4 | **100 % (21–100)** | 100 % of 2 games | 100 % | 100 % | 0 | 18 | 4.5 | – | 90 % |"
        in text
    )
    assert (
        "| alphabeta e2, as defender | 2 | **100 % (34–100)** | 0 | 18 | 3.0 | – | 98 % | ✓ reached |" in text
    )
    assert "| wargame: 0.05 against 0.02 | 4 | **50 % (17–83)** |" in text
    assert "| vampires, groups (30×30): 2 | 2,000,000 | 7.0 | 0.50 s |" in text
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)
    assert len(pictures) == 8
    assert all((tmp_path / picture).exists() for picture in pictures)


def test_figures_in_sentences() -> None:
    assert fill_in("{a b} of {c}", {"a b": "3"}) == "3 of …"


@pytest.mark.parametrize("name", NAMES)
def test_the_studies_can_be_played(name: str) -> None:
    """All players exist, and a whole study is of a size that somebody can wait for."""
    study = find_study(name)
    tasks = study.tasks(study.plan(200))
    specs = {(spec, task.game) for task in tasks if isinstance(task, GameTask) for spec in task.players}
    specs |= {(task.player, task.game) for task in tasks if isinstance(task, TurnTask)}
    for spec, game in specs:
        assert game in study.about_games
        make_player(PlayerSpec.parse(spec), find_game(game))
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
        (("wargame", "--fresh", "--only", "turtle"), "leave out --only"),
    ],
)
def test_mistakes_are_told(words: tuple[str, ...], told: str, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from noctagon.cli import app

    done = CliRunner().invoke(app, ["study", *words, "--out", str(tmp_path)])
    assert isinstance(done.exception, NoctagonError)
    assert told in str(done.exception)


def test_what_cannot_be_played_throws_no_data_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from typer.testing import CliRunner

    from noctagon.cli import app

    def missing() -> None:
        raise NoctagonError("matplotlib is missing")

    monkeypatch.setattr("noctagon.studies.plots.check_matplotlib", missing)
    data = tmp_path / "wargame.jsonl"
    data.write_text("games\n")
    done = CliRunner().invoke(app, ["study", "wargame", "--fresh", "--out", str(tmp_path)])
    assert "matplotlib" in str(done.exception)
    assert data.read_text() == "games\n"
