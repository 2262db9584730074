"""The books of a tournament, without playing: schedules from results, byes, replays, disqualification."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from random import Random

import msgspec
import pytest

from noctagon.arena.bout import Finished
from noctagon.arena.formats.knockout import Bracket
from noctagon.arena.ledger import Ledger
from noctagon.arena.meetings import Fixture
from noctagon.arena.plan import Plan, make_plan
from tests.arena.games import a_game

Winner = Callable[[Fixture], int | None]


def plan(format: str, players: int, **more: object) -> Plan:  # noqa: A002 - as the plan calls it
    names = [{"spec": "random", "name": chr(ord("a") + number)} for number in range(players)]
    return make_plan({"name": "t", "format": format, "players": names, "maps": ["duel"], **more}, "test")


def better_letter_wins(place: Fixture) -> int | None:
    return 0 if place.first < place.second else 1


def played(found: Plan, winner: Winner = better_letter_wins, *, faults: str = "") -> Ledger:
    """A tournament played out, one game after the other in the order of the schedule."""
    ledger = Ledger(found)
    for _ in count():
        slot = next(
            (slot for slot in ledger.fixtures if slot not in ledger.games and not ledger.is_off(slot)), None
        )
        if slot is None:
            break
        game = finished(ledger, slot, winner, faults)
        ledger = Ledger(found, [*ledger.games.values(), game])
    return ledger


def finished(ledger: Ledger, slot: str, winner: Winner = better_letter_wins, faults: str = "") -> Finished:
    place = ledger.fixtures[slot]
    won = winner(place)
    loser = None if won is None else (place.first, place.second)[1 - won]
    return a_game(
        slot=slot,
        round=int(slot.split("/")[0]),
        players=(place.first, place.second),
        setup="duel",
        winner=won,
        reason="crash" if loser and loser in faults else "eaten",
    )


def test_a_round_robin_knows_all_games_at_once() -> None:
    ledger = Ledger(plan("round-robin", 4, rounds=2))
    assert ledger.schedule.whole
    assert ledger.expected == 2 * 6 * 2
    assert list(ledger.fixtures)[:2] == ["1/a/d/duel", "1/d/a/duel"]
    over = played(plan("round-robin", 4))
    assert over.is_over
    assert [row.name for row in over.standings().rows] == ["a", "b", "c", "d"]


def test_a_gauntlet_is_run_by_the_first() -> None:
    met = {(meeting.first, meeting.second) for meeting in Ledger(plan("gauntlet", 3)).schedule.meetings}
    assert met == {("a", "b"), ("a", "c")}


def test_one_more_player_keeps_the_games_of_the_others() -> None:
    before = played(plan("round-robin", 3))
    after = Ledger(plan("round-robin", 4), before.finished)
    assert set(after.games) == set(before.games)
    assert after.expected == len(before.games) + 6


@pytest.mark.parametrize("players", [4, 7])
def test_a_swiss_tournament_goes_round_by_round(players: int) -> None:
    found = plan("swiss", players)
    first = Ledger(found)
    assert not first.schedule.whole
    assert {slot.split("/")[0] for slot in first.fixtures} == {"1"}
    over = played(found)
    assert over.is_over
    assert over.expected == len(over.games) == 3 * (players // 2) * 2
    assert over.standings().rows[0].name == "a"
    assert sum(over.schedule.byes.values()) == (3 if players % 2 else 0)


def test_a_knockout_ends_with_one() -> None:
    over = played(plan("knockout", 6))
    assert over.is_over
    assert len(over.games) == 5 * 2
    assert over.standings().rows[0].name == "a"
    assert isinstance(over.schedule, Bracket)
    assert over.schedule.reached == {"a": 4, "b": 3, "c": 2, "d": 2, "e": 1, "f": 1}


def test_a_drawn_meeting_of_a_knockout_is_played_again_and_then_goes_to_the_better_seed() -> None:
    over = played(plan("knockout", 2), lambda place: None)
    assert len(over.games) == 2 * (1 + 2)
    assert isinstance(over.schedule, Bracket)
    assert over.schedule.reached["a"] == 2
    again = played(
        plan("knockout", 2), lambda place: 0 if "replay 1" not in place.slot else better_letter_wins(place)
    )
    assert len(again.games) == 4
    assert len(played(plan("knockout:replays=0", 2), lambda place: None).games) == 2


def test_who_wins_a_knockout_without_having_the_points_has_come_as_far_as_the_schedule_says() -> None:
    # a wins four games of the final and crashes in the last two: it is out, and b has won.
    lost = {"2/b/a/tiny", "2/a/b/tiny"}

    def winner(place: Fixture) -> int:
        return int((place.first < place.second) == (place.slot in lost))

    found = plan("knockout", 3, maps=["duel", "closet", "tiny"], disqualify=2)
    ledger = Ledger(found)
    while not ledger.is_over:
        slot = next(slot for slot in ledger.fixtures if slot not in ledger.games)
        game = finished(ledger, slot, winner, faults="a" if slot in lost else "")
        ledger = Ledger(found, [*ledger.games.values(), game])
    assert set(ledger.out) == {"a"}
    rows = ledger.standings().rows
    assert [(row.name, row.tie_breaks[0]) for row in rows] == [("b", 3), ("c", 1), ("a", 0)]
    assert [row.bonus for row in rows] == [3, 2, 0]


def test_a_player_that_always_crashes_is_out_and_the_others_play_on() -> None:
    over = played(plan("round-robin", 4, rounds=3), faults="d")
    assert set(over.out) == {"d"}
    assert over.is_over
    assert len(over.games) < 3 * 6 * 2
    others = [game for game in over.finished if "d" not in game.players]
    assert len(others) == 3 * 3 * 2
    never = played(plan("round-robin", 4, rounds=3, disqualify=0), faults="d")
    assert never.out == {}
    assert len(never.games) == 3 * 6 * 2


def test_whoever_is_out_is_not_paired_any_more() -> None:
    over = played(plan("swiss", 6, rounds=4, disqualify=2), faults="f")
    assert over.is_over
    last = [game for game in over.finished if game.round == 4]
    assert all("f" not in game.players for game in last)
    assert len(over.games) == 4 * 3 * 2 - 2 * sum(over.schedule.byes.values())


@pytest.mark.parametrize("format", ["swiss", "knockout"])
def test_it_goes_on_though_a_player_is_out_in_the_middle_of_a_meeting(format: str) -> None:  # noqa: A002
    over = played(plan(format, 6, maps=["duel", "tiny"], disqualify=3), faults="d")
    assert over.is_over
    assert set(over.out) == {"d"}
    rows = over.standings().rows
    assert rows[-1].name == "d"
    assert rows[0].name == "a"
    if format == "swiss":  # a met d, which is a meeting won, though not all of it was played
        assert rows[0].points == 3 * over.games_per_meeting


def test_what_ends_first_does_not_matter() -> None:
    found = plan("round-robin", 4, rounds=3, disqualify=2)
    order = list(Ledger(found).fixtures)
    games = [finished(Ledger(found), slot, faults="d") for slot in order]
    forward, backward = Ledger(found), Ledger(found)
    for game in games:
        forward.count(game)
    for game in reversed(games):
        backward.count(game)
    assert set(forward.out) == {"d"}
    assert forward.out == backward.out
    assert [msgspec.structs.astuple(game) for game in forward.finished] == [
        msgspec.structs.astuple(game) for game in backward.finished
    ]


def flaky(ledger: Ledger, slot: str) -> Finished:
    """A game in which c always crashes and d often does, the same in every run."""
    place = ledger.fixtures[slot]
    chance = Random(slot).random()
    faults = {"c": True, "d": chance < 0.8}
    loser = next(
        (name for name in (place.first, place.second) if faults.get(name)), max(place.first, place.second)
    )
    return finished(ledger, slot, lambda place: int(place.first == loser), loser if loser in faults else "")


def test_with_many_games_at_once_the_same_players_are_out_as_with_one() -> None:
    found = plan("round-robin", 6, rounds=2)
    tables = set()
    for seed in range(40):
        rng = Random(seed)
        ledger = Ledger(found)
        todo, running = list(ledger.fixtures), list[str]()
        while todo or running:
            while todo and len(running) < (6 if seed else 1):
                if not ledger.is_off(slot := todo.pop(0)):
                    running.append(slot)
            if running:
                ledger.count(flaky(ledger, running.pop(rng.randrange(len(running)))))
        again = Ledger(found, ledger.games.values())
        assert ledger.is_over
        assert again.is_over
        assert again.out == ledger.out
        rows = ledger.standings().rows
        tables.add((*ledger.out.items(), *((row.name, row.points) for row in rows)))
    assert len(tables) == 1


def test_nobody_is_out_while_a_game_is_running_that_may_tell_otherwise() -> None:
    found = plan("round-robin", 3, rounds=4, disqualify=3)
    ledger = Ledger(found)
    slots = [slot for slot, place in ledger.fixtures.items() if "c" in (place.first, place.second)]
    for slot in (slots[0], *slots[2:5]):
        ledger.count(finished(ledger, slot, faults="c"))
    assert not ledger.out
    ledger.count(finished(ledger, slots[1], faults="c"))
    assert set(ledger.out) == {"c"}
