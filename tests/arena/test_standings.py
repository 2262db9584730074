"""Standings: points, tie-breaks in each format, shared places and bonus, and programs that do not play."""

from itertools import permutations
from math import isnan
from random import Random
from typing import Any

import pytest

from noctagon.arena.bout import Finished
from noctagon.arena.faults import disqualified
from noctagon.arena.ledger import Ledger
from noctagon.arena.plan import Plan, PlayerPlan
from noctagon.arena.standings import Cell, Standings
from tests.arena.games import a_game, standings_of

NAMES = ["ada", "bob", "cleo", "dan"]


def game(first: str, second: str, result: str = "1-0", **more: Any) -> Finished:
    """A game by its result, as chess players write it."""
    winner = {"1-0": 0, "0-1": 1, "½": None}[result]
    return a_game(players=(first, second), winner=winner, record=b"", **more)


def order(standings: Standings) -> list[tuple[int, str]]:
    return [(row.place, row.name) for row in standings.rows]


def test_points_wins_draws_losses_and_the_crosstable() -> None:
    games = [game("ada", "bob"), game("bob", "ada", "½"), game("cleo", "ada", "0-1"), game("bob", "cleo")]
    standings = standings_of(Plan(), ["ada", "bob", "cleo"], games)
    ada, bob, cleo = standings.rows
    assert (ada.name, ada.points, ada.games, ada.wins, ada.draws, ada.losses) == ("ada", 2.5, 3, 2, 1, 0)
    assert (bob.name, bob.points, cleo.points) == ("bob", 1.5, 0)
    assert [row.bonus for row in standings.rows] == [3, 2, 1]
    assert standings.cells["ada", "bob"] == Cell(1.5, 2)
    assert standings.cells["bob", "ada"] == Cell(0.5, 2)
    assert ("ada", "ada") not in standings.cells
    assert standings.counted == games
    assert ada.elo > bob.elo > cleo.elo
    assert ada.error > 0


def test_direct_encounter_then_sonneborn_berger_then_wins() -> None:
    # ada and bob have 2 points each; bob beat ada.
    games = [
        game("bob", "ada"),
        game("ada", "cleo"),
        game("ada", "dan"),
        game("bob", "cleo"),
        game("dan", "bob"),
        game("cleo", "dan"),
    ]
    standings = standings_of(Plan(), NAMES, games)
    assert standings.tie_break_names == ("Direct encounter", "Sonneborn–Berger", "Wins")
    assert order(standings) == [(1, "bob"), (2, "ada"), (3, "cleo"), (4, "dan")]
    assert standings.rows[0].tie_breaks[0] == 1
    # cleo beat dan; their Sonneborn–Berger: cleo beat dan (1 point), dan beat bob (2 points).
    assert [row.tie_breaks[:2] for row in standings.rows[2:]] == [(1, 1), (0, 2)]

    # Without the game between them it is the strength of those they beat.
    standings = standings_of(Plan(), NAMES, [game("ada", "cleo"), game("bob", "dan"), game("cleo", "dan")])
    assert order(standings) == [(1, "ada"), (2, "bob"), (2, "cleo"), (4, "dan")]
    assert standings.rows[0].tie_breaks == (0, 1, 1)


def test_wins_decide_last() -> None:
    # A ring of draws and a ring of wins: all have the same points and met the same.
    games = [game("ada", "bob"), game("bob", "ada"), game("ada", "cleo", "½"), game("cleo", "ada", "½")]
    games += [game("bob", "cleo", "½"), game("cleo", "bob", "½")]
    standings = standings_of(Plan(), ["cleo", "ada", "bob"], games)
    assert order(standings) == [(1, "ada"), (1, "bob"), (3, "cleo")]
    assert [row.tie_breaks for row in standings.rows] == [(2, 4, 1), (2, 4, 1), (2, 4, 0)]


def test_equals_share_the_place_and_the_bonus() -> None:
    games = [game("ada", "bob", "½"), game("bob", "ada", "½"), game("ada", "cleo"), game("bob", "cleo")]
    standings = standings_of(Plan(), ["dan", "ada", "bob", "cleo"], games)
    # dan has as many points as cleo, but has not played: he takes no place, and no bonus is lost with it.
    assert order(standings) == [(1, "ada"), (1, "bob"), (3, "cleo"), (4, "dan")]
    assert [row.bonus for row in standings.rows] == [2.5, 2.5, 1, 0]
    assert any("share equally the bonus" in rule for rule in standings.rules)


def test_another_bonus_or_none() -> None:
    games = [game("ada", "bob")]
    assert [row.bonus for row in standings_of(Plan(bonus=(10, 5)), NAMES[:2], games).rows] == [10, 5]
    none = standings_of(Plan(bonus=()), NAMES[:2], games)
    assert [row.bonus for row in none.rows] == [0, 0]
    assert any("no bonus" in rule for rule in none.rules)


def test_swiss_buchholz_first_and_byes() -> None:
    plan = Plan(format="swiss")
    games = [
        game("ada", "bob", round=1),
        game("cleo", "dan", round=1),
        game("ada", "cleo", round=2),
        game("bob", "eve", round=2),
        game("dan", "eve", round=3),
        game("bob", "ada", "½", round=3),
    ]
    standings = standings_of(plan, [*NAMES, "eve"], games, byes={"eve": 1, "dan": 1, "cleo": 1})
    assert standings.tie_break_names[0] == "Buchholz"
    points = {row.name: row.points for row in standings.rows}
    assert points == {"ada": 2.5, "bob": 1.5, "cleo": 2, "dan": 2, "eve": 1}
    buchholz = {row.name: row.tie_breaks[0] for row in standings.rows}
    # cleo met dan (2) and ada (2.5) and rested once (her own 2); dan met cleo (2) and eve (1) and rested (2).
    assert (buchholz["cleo"], buchholz["dan"]) == (6.5, 5)
    assert order(standings)[:3] == [(1, "ada"), (2, "cleo"), (3, "dan")]
    assert any("without an opponent" in rule for rule in standings.rules)


def meeting(number: int, one: str, other: str, *results: str, replay: str = "") -> list[Finished]:
    """The games of a meeting on one map, in the slots of a schedule."""
    pairs = [(one, other), (other, one)]
    return [
        game(*pair, result, round=number, slot=f"{number}/{pair[0]}/{pair[1]}/duel{replay}")
        for pair, result in zip(pairs, results, strict=False)
    ]


def knockout(names: list[str], games: list[Finished], **more: Any) -> Standings:
    players = tuple(PlayerPlan("random", name=name) for name in names)
    return Ledger(Plan(format="knockout", players=players, maps=("duel",), **more), games).standings()


def test_knockout_by_the_round_reached() -> None:
    games = meeting(1, "ada", "dan", "1-0", "0-1") + meeting(1, "bob", "cleo", "1-0", "½")
    half_way = knockout(NAMES, games)
    assert order(half_way) == [(1, "ada"), (2, "bob"), (3, "cleo"), (4, "dan")]
    assert [row.tie_breaks for row in half_way.rows] == [(2, 1), (2, 0.75), (1, 0.25), (1, 0)]
    final = knockout(NAMES, games + meeting(2, "ada", "bob", "0-1", "1-0"))
    assert order(final) == [(1, "bob"), (2, "ada"), (3, "cleo"), (4, "dan")]
    assert [row.tie_breaks[0] for row in final.rows] == [3, 2, 1, 1]
    drawn = [
        meeting(2, "ada", "bob", "1-0", "1-0", replay=replay) for replay in ("", "/replay 1", "/replay 2")
    ]
    assert order(knockout(NAMES, sum(drawn, games)))[:2] == [
        (1, "ada"),
        (2, "bob"),
    ]  # named first in the plan
    # Points would say otherwise: who won by much and went out is behind who won by little and did not.
    assert final.rows[0].points == 3.5
    assert final.rows[1].points == 2


def test_a_drawn_tie_goes_to_the_better_seed_also_if_that_one_is_out_later() -> None:
    names = ["gus", "max", "cleo", "ada", "rob", "cora"]
    games = meeting(1, "ada", "rob", "1-0", "0-1")
    for replay in ("", "/replay 1", "/replay 2"):
        games += meeting(1, "cleo", "cora", "½", "½", replay=replay)  # drawn to the end: cleo goes on
    games += meeting(2, "gus", "ada", "0-1", "½")
    games += [crash("cleo", "max", slot="2/max/cleo/duel", round=2)]
    games += meeting(3, "ada", "max", "1-0", "0-1")
    standings = knockout(names, games, disqualify=1)
    places = [(1, "ada"), (2, "max"), (3, "gus"), (4, "cora"), (5, "rob"), (6, "cleo")]
    assert order(standings) == places
    assert [row.bonus for row in standings.rows] == [3, 2, 1, 0, 0, 0]


def test_who_has_played_has_a_place_and_its_bonus_though_all_those_games_are_struck() -> None:
    games = [crash("dan", "ada", str(number)) for number in range(3)]
    ada, dan = standings_of(Plan(), ["ada", "dan"], games).rows
    assert (ada.place, ada.games, ada.played, ada.bonus) == (1, 0, 3, 3)
    assert (dan.place, dan.bonus) == (2, 0)


def test_in_a_gauntlet_the_share_of_the_points_counts() -> None:
    games = [game("ada", "bob"), game("ada", "cleo", "½"), game("ada", "dan", "0-1")]
    standings = standings_of(Plan(format="gauntlet"), NAMES, games)
    assert order(standings) == [(1, "dan"), (2, "ada"), (2, "cleo"), (4, "bob")]
    assert [row.points for row in standings.rows] == [1, 1.5, 0.5, 0]


def crash(loser: str, winner: str, slot: str, reason: str = "crash", **more: Any) -> Finished:
    return game(winner, loser, "1-0", reason=reason, slot=slot, **more)


def test_three_crashes_in_a_row_are_the_end() -> None:
    games = [
        game("dan", "ada"),
        crash("dan", "bob", "4"),
        crash("dan", "cleo", "9"),
        game("ada", "bob"),
        crash("dan", "ada", "12"),
        game("cleo", "bob", "0-1"),
    ]
    why = "crashed 3 times in a row, the last time against ada on duel"
    assert disqualified(Plan(), games) == {"dan": why}
    standings = standings_of(Plan(), NAMES, games)
    *others, dan = standings.rows
    assert (dan.place, dan.name, dan.points, dan.games, dan.bonus) == (4, "dan", 0, 0, 0)
    assert (dan.faults, dan.disqualified) == (3, why)
    assert isnan(dan.elo)
    assert isnan(dan.error)
    assert len(dan.tie_breaks) == len(standings.tie_break_names)
    # Nobody gains by having met it, and ada, who lost to it, loses nothing.
    assert [(row.name, row.points, row.games) for row in others] == [
        ("ada", 1, 1),
        ("bob", 1, 2),
        ("cleo", 0, 1),
    ]
    assert all("dan" not in played.players for played in standings.counted)
    assert all("dan" not in pair for pair in standings.cells)
    assert not any("dan" in rule for rule in standings.rules), "its row says it"
    assert [rating.name for rating in standings.ratings.players if rating.name == "dan"] == []


def test_a_game_in_between_breaks_the_row() -> None:
    games = [
        crash("dan", "bob", "1"),
        crash("dan", "ada", "2"),
        game("dan", "cleo"),
        crash("dan", "ada", "3"),
    ]
    assert disqualified(Plan(), games) == {}
    assert disqualified(Plan(disqualify=2), games) == {
        "dan": "crashed 2 times in a row, the last time against ada on duel"
    }
    assert disqualified(Plan(disqualify=1), games) == {"dan": "crashed against bob on duel"}
    assert disqualified(Plan(disqualify=0), games * 3) == {}
    assert any("however often" in rule for rule in standings_of(Plan(disqualify=0), NAMES, games).rules)
    lost = [game("bob", "dan") for _ in range(5)]  # on the board: no fault
    assert disqualified(Plan(), lost) == {}


def test_other_ways_to_fail() -> None:
    late = [
        game("ada", "dan", slot=str(number), late=(0, 4), turns=(5, 5), reason="plies") for number in range(3)
    ]
    assert disqualified(Plan(), late) == {
        "dan": "lost on time 3 times in a row, the last time against ada on duel: 4 of 5 turns were late"
    }
    mixed = [crash("dan", "ada", "1"), crash("dan", "ada", "2", "time"), crash("dan", "ada", "3", "garbage")]
    assert disqualified(Plan(), mixed) == {
        "dan": "failed 3 times in a row (crash, time, garbage), the last time against ada on duel"
    }


@pytest.mark.parametrize(
    ("detail", "told"),
    [
        ("Werewolves: RuntimeError: tired (dan.py, line 4)", "RuntimeError: tired (dan.py, line 4)"),
        ("Werewolves could not start: exit code 3", "could not start: exit code 3"),
        ("Werewolves: a\nb \x1b[31m", "a b �[31m"),
        ("Werewolves: " + "x" * 300, "x" * 199 + "…"),
    ],
)
def test_the_last_cause_is_told_in_one_line(detail: str, told: str) -> None:
    out = disqualified(Plan(disqualify=1), [crash("dan", "ada", "1", detail=detail)])
    assert out == {"dan": f"crashed against ada on duel: {told}"}


def test_two_who_are_out() -> None:
    games = [crash("dan", "ada", str(number)) for number in range(3)]
    games += [crash("cleo", "bob", str(number)) for number in range(3, 6)]
    games += [game("bob", "ada")]
    standings = standings_of(Plan(), NAMES, games)
    assert order(standings) == [(1, "bob"), (2, "ada"), (3, "cleo"), (3, "dan")]


def test_the_caller_may_know_better_who_is_out() -> None:
    games = [crash("dan", "ada", str(number)) for number in range(3)]
    assert standings_of(Plan(), NAMES, games, out={}).rows[0].points == 3
    out = standings_of(Plan(), NAMES, games[:1], out={"bob": "it cheated"})
    assert out.rows[-1].disqualified == "it cheated"


def test_by_map_counts_pairs_and_by_side_games() -> None:
    games = [
        game("ada", "bob", setup="duel", seed=7),
        game("bob", "ada", "0-1", setup="duel", seed=7),
        game("ada", "bob", setup="ring", seed=8),
        game("bob", "ada", setup="ring", seed=8),
        game("ada", "cleo", setup="ring", seed=9),
    ]
    standings = standings_of(Plan(), ["ada", "bob", "cleo", "dan"], games)
    duel, ring = standings.by_map["duel"], standings.by_map["ring"]
    assert (duel["ada"].mean, duel["ada"].pairs) == (1.0, 1)
    assert (ring["ada"].mean, ring["ada"].pairs) == (0.75, 2)
    assert (ring["bob"].mean, ring["bob"].pairs) == (0.5, 1)
    assert "dan" not in ring
    assert ring["ada"].low < 0.75 < ring["ada"].high
    first, second = standings.by_side["ada"]
    assert (first.mean, first.pairs, second.mean, second.pairs) == (1.0, 3, 0.5, 2)
    assert standings.by_side["dan"][0].pairs == 0


def test_time_and_conduct() -> None:
    games = [
        game("ada", "bob", turns=(5, 4), seconds=(2.0, 8.0), longest=(1.0, 3.0), late=(0, 1), illegal=(0, 2)),
        game("bob", "ada", turns=(4, 3), seconds=(4.0, 2.0), longest=(2.0, 0.5), late=(2, 0), illegal=(1, 0)),
    ]
    rows = {row.name: row for row in standings_of(Plan(), ["ada", "bob"], games).rows}
    assert (rows["bob"].seconds_per_turn, rows["bob"].longest) == (1.5, 3.0)
    assert (rows["bob"].late, rows["bob"].illegal) == (3, 3)
    assert rows["ada"].seconds_per_turn == 0.5


def test_before_the_first_game() -> None:
    standings = standings_of(Plan(), NAMES, [])
    assert order(standings) == [(1, name) for name in NAMES]
    assert all(row.bonus == 0 and row.points == 0 for row in standings.rows)
    assert standings.by_map == {}


@pytest.mark.parametrize("format_", ["round-robin", "swiss", "knockout", "gauntlet"])
def test_every_format_says_how_it_ranks(format_: Any) -> None:
    rules = standings_of(Plan(format=format_), NAMES, [game("ada", "bob")]).rules
    assert all(rule.endswith(".") for rule in rules)
    assert any("order is by" in rule for rule in rules)
    assert any("disqualified" in rule for rule in rules)
    assert any("Elo" in rule for rule in rules)
    assert any("cleo; dan" in rule for rule in rules)  # not connected by games


def test_the_points_of_a_whole_tournament_add_up() -> None:
    rng = Random(4)
    games = [
        game(one, other, rng.choice(("1-0", "0-1", "½")), round=cycle, setup=setup, seed=cycle)
        for cycle in range(5)
        for one, other in permutations(NAMES, 2)
        for setup in ("duel", "ring")
    ]
    standings = standings_of(Plan(), NAMES, games)
    assert sum(row.points for row in standings.rows) == len(games)
    assert sum(row.bonus for row in standings.rows) == 6
    places = [row.points for row in standings.rows]
    assert places == sorted(places, reverse=True)
    assert sum(cell.games for cell in standings.cells.values()) == 2 * len(games)
    mixed = list(games)
    rng.shuffle(mixed)
    assert order(standings_of(Plan(), NAMES, mixed)) == order(standings)
