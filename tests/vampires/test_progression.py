"""The players of the 2019 report: their moves, what each may and may not do, their options, their time."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from noctagon.core.clock import Clock
from noctagon.core.game import NoctagonError
from noctagon.core.player import GameStart, PlayerSpec
from noctagon.games.vampires import game
from noctagon.games.vampires.maps.maker import make_map
from noctagon.games.vampires.players.groupmoves import (
    MOST_GROUPS,
    combined,
    evened_out,
    options,
    split_moves,
    whole_moves,
)
from noctagon.games.vampires.players.progression import ENEMIES, HUMANS, TOTALS, first_heuristic, sure_turns
from noctagon.games.vampires.rules.ruleset import VampiresRules
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Turn
from noctagon.players import make_player
from tests.vampires.positions import random_position

ALL = ("conservative", "smart-greedy", "smart", "smart-split", "merge")
WHOLE = ("conservative", "smart-greedy", "smart")
QUICK = {name: f"{name}:depth=3,nodes=60" for name in ALL}


def player(spec: str) -> Any:
    return make_player(PlayerSpec.parse(spec), game)


def turns_of(spec: str, other: str, start: VampiresState, seed: int) -> list[tuple[VampiresState, Turn]]:
    """The positions in which the player of the first spec was to move, and what it did."""
    rng = Random(seed)
    players = (player(spec), player(other))
    for side in (0, 1):
        players[side].start(GameStart(start, seed=seed), side)
    state, played = start, []
    while state.result is None:
        turn = players[state.side].choose(state, Clock(None)).action
        if state.side == 0:
            played.append((state, turn))
        state = state.play(turn, state.roll(turn, rng))  # raises if it is illegal
    return played


def small_map(seed: int) -> VampiresState:
    rng = Random(seed)
    rows, columns = rng.randint(3, 9), rng.randint(3, 9)
    houses = 2 * rng.randint(1, rows * columns // 8 + 1)
    rules = VampiresRules(plies=60)
    return VampiresState.from_map(make_map(rng, rows=rows, columns=columns, houses=houses, start=None), rules)


# Move generation: section 2.

DOCUMENT = VampiresState(
    rows=3, columns=9, humans={(2, 0): 4, (0, 2): 5, (2, 2): 2}, vampires={(0, 0): 8}, werewolves={(8, 2): 3}
)
"""The report's board of figures 1 and 2 (and some room on the right for an enemy)."""


def test_the_documents_board_gives_its_five_moves() -> None:
    whole = {Turn(moves) for moves in whole_moves(DOCUMENT, (0, 0))}
    split = {Turn(moves) for moves in split_moves(DOCUMENT, (0, 0))}
    assert whole == {Turn([(0, 0, 8, 0, 1)]), Turn([(0, 0, 8, 1, 1)]), Turn([(0, 0, 8, 1, 0)])}
    assert split == {
        Turn([(0, 0, 5, 0, 1), (0, 0, 3, 1, 1)]),
        Turn([(0, 0, 4, 1, 0), (0, 0, 4, 1, 1)]),
    }
    choices = options(DOCUMENT, lambda source, target, count: 0.0, splits=True)
    assert set(combined(DOCUMENT, choices, 100)) == whole | split


@pytest.mark.parametrize(
    ("count", "houses", "parts"),
    [
        (8, (5, 2), (5, 3)),
        (8, (2, 5), (3, 5)),
        (8, (4, 2), (4, 4)),
        (20, (5, 2), (10, 10)),
        (7, (5, 2), (5, 2)),
    ],
)
def test_parts_are_evened_out(count: int, houses: tuple[int, int], parts: tuple[int, int]) -> None:
    assert evened_out(count, *houses) == parts


def test_a_house_three_steps_away_is_no_reason_to_split() -> None:
    near = {(2, 0): 2, (0, 2): 2}
    state = VampiresState(rows=9, columns=9, humans=near, vampires={(0, 0): 8}, werewolves={(8, 8): 3})
    assert len(split_moves(state, (0, 0))) == 1
    far = {(3, 0): 2, (0, 2): 2}
    state = VampiresState(rows=9, columns=9, humans=far, vampires={(0, 0): 8}, werewolves={(8, 8): 3})
    assert split_moves(state, (0, 0)) == []


def test_all_groups_move_and_the_choices_multiply() -> None:
    state = VampiresState(rows=3, columns=9, vampires={(0, 0): 8, (8, 0): 2}, werewolves={(4, 2): 3})
    choices = options(state, lambda source, target, count: 0.0, splits=True)
    turns = set(combined(state, choices, 100))
    assert len(turns) == 3 * 3
    assert all({(move.x, move.y) for move in turn} == {(0, 0), (8, 0)} for turn in turns)


def test_a_group_without_a_way_out_stays_and_can_be_joined() -> None:
    state = VampiresState(rows=1, columns=4, vampires={(0, 0): 2, (1, 0): 2}, werewolves={(3, 0): 3})
    choices = options(state, lambda source, target, count: 0.0)
    assert set(combined(state, choices, 100)) == {Turn([(1, 0, 2, 2, 0)]), Turn([(1, 0, 2, 0, 0)])}


@pytest.mark.parametrize("seed", range(40))
def test_combined_turns_are_legal_and_best_first(seed: int) -> None:
    state = random_position(Random(seed))
    choices = options(state, lambda source, target, count: (target[0] * 7 + target[1] * 3) % 5, splits=True)
    turns = list(combined(state, choices, 30))
    assert len(set(turns)) == len(turns)
    for turn in turns:
        state.check(turn)


# The first heuristic: section 3.3.


def test_the_first_heuristic_term_by_term() -> None:
    state = VampiresState(
        rows=9, columns=9, humans={(0, 3): 4, (8, 8): 90}, vampires={(0, 0): 9}, werewolves={(4, 0): 6}
    )
    assert first_heuristic(state, 0) == {
        "totals": TOTALS * 3,
        "humans": HUMANS * 4 / 4,
        "enemies": ENEMIES * 6 / 5,
    }
    theirs = first_heuristic(state, 1)
    assert theirs["totals"] == -3
    assert theirs["enemies"] == -ENEMIES * 6 / 5
    assert first_heuristic(state.skip(), 0) == first_heuristic(state, 0)  # whoever is to move


# What each of them may do.


def battles_are_avoidable(state: VampiresState) -> bool:
    """Whether there is a turn of whole groups without a battle that leaves nobody dead for sure."""
    for turn in state.candidates("joint"):
        if not state.chances(turn):
            after = state.play(turn)
            if sum(after.foes.values()) >= sum(state.own.values()):
                return True
    return False


@pytest.mark.parametrize("seed", range(60))
def test_conservative_risks_nothing_it_can_avoid(seed: int) -> None:
    state = random_position(Random(seed), largest=4)
    if len(state.own) > 4:
        return
    turns = sure_turns(state)
    assert turns
    for turn in turns:
        state.check(turn)
    if battles_are_avoidable(state):
        assert not any(state.chances(turn) for turn in turns)


@pytest.mark.parametrize("seed", range(8))
def test_conservative_fights_no_avoidable_battle(seed: int) -> None:
    for state, turn in turns_of(QUICK["conservative"], QUICK["smart-greedy"], small_map(seed), seed):
        if state.chances(turn):
            assert not battles_are_avoidable(state)


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("seed", range(3))
def test_nobody_before_smart_split_splits(name: str, seed: int) -> None:
    for state, turn in turns_of(QUICK[name], QUICK["smart-split"], small_map(seed), seed):
        assert len(state.own) == len(turn) == 1
        assert turn[0].count == state.own[turn[0].x, turn[0].y]


@pytest.mark.parametrize("name", ["smart-split", "merge"])
@pytest.mark.parametrize("setup", ["split", "crumbs"])
def test_splitters_split_into_at_most_four(name: str, setup: str) -> None:
    start = game.initial(setup, VampiresRules(plies=50))
    groups = [len(state.own) for state, _ in turns_of(QUICK[name], QUICK["smart"], start, 1)]
    assert 1 < max(groups) <= MOST_GROUPS


@pytest.mark.parametrize("name", ALL)
def test_any_position_gets_a_legal_turn(name: str) -> None:
    one = player(QUICK[name])
    for seed in range(60):
        state = random_position(Random(seed))
        state.check(one.choose(state, Clock(None)).action)


@pytest.mark.parametrize("name", ALL)
def test_hopeless_and_strange_positions_get_a_legal_turn(name: str) -> None:
    walled = VampiresState(
        rows=2, columns=2, humans={(0, 1): 9, (1, 0): 9}, vampires={(0, 0): 2}, werewolves={(1, 1): 9}
    )
    scattered = VampiresState(
        rows=12,
        columns=12,
        vampires={(x, y): 1 + x for x in range(8) for y in range(5)},
        werewolves={(x, y): 3 for x in range(8) for y in range(6, 11)},
    )
    crowded = VampiresState(
        rows=2, columns=5, vampires={(x, y): 200 for x in range(4) for y in (0, 1)}, werewolves={(4, 0): 9}
    )
    for state in (walled, scattered, crowded):
        state.check(player(name + ":nodes=40").choose(state, Clock(None)).action)


@pytest.mark.parametrize("name", ALL)
def test_a_large_map_is_answered_however_little_time_there_is(name: str) -> None:
    state = VampiresState.from_map(make_map(Random(3), rows=30, columns=30, houses=100))
    for seconds in (0.0, 0.1):  # whether that is on time, bench/invariants.py measures
        decision = player(f"{name}:depth=15").choose(state, Clock(seconds))
        state.check(decision.action)
        assert decision.thought.depth < 15


# Their heuristics and options.


@pytest.mark.parametrize("name", ["smart", "smart-split", "merge"])
def test_at_depth_one_the_best_scan_is_played(name: str) -> None:
    for seed in range(20):
        state = random_position(Random(seed), largest=6)
        one = player(f"{name}:depth=1,k=100")
        found = one.choose(state, Clock(None))
        if any(outcome.state.result for outcome in state.outcomes(found.action)):
            continue  # the game may end at once, which counts more than any scan
        assert sum(found.thought.terms.values()) == pytest.approx(found.thought.score)


@pytest.mark.parametrize("name", ["smart", "smart-split", "merge"])
@pytest.mark.parametrize("depth", [1, 3])
def test_nobody_looks_farther_than_told(name: str, depth: int) -> None:
    for setup in ("duel", "gamble", "closet"):
        thought = player(f"{name}:depth={depth}").choose(game.initial(setup), Clock(None)).thought
        assert max(thought.evaluations) <= depth
        assert len(thought.line) <= depth


def test_who_does_not_attack_still_runs() -> None:
    state = VampiresState(rows=7, columns=7, vampires={(3, 3): 11}, werewolves={(5, 3): 10})
    for factor in (0, 1):
        ((_, _, _, x, _),) = player(f"merge:aggression={factor}").choose(state, Clock(None)).action
        assert x < 3, "the enemy is on the right"


def test_the_score_is_the_weighted_sum_over_the_own_plies() -> None:
    state = game.initial("islands")
    found = {
        weights: player(f"smart:depth=3,k=8,weights={weights}").choose(state, Clock(None)).thought
        for weights in ("1", "1/0", "2", "0.5/0.25")
    }
    assert found["1/0"].score == pytest.approx(sum(found["1/0"].terms.values()))
    assert found["2"].score == pytest.approx(2 * found["1"].score)
    assert found["1"].score > found["1/0"].score


def test_terms_tell_why() -> None:
    for name in ALL:
        one = player(QUICK[name])
        terms = one.explain(DOCUMENT, Turn([(0, 0, 8, 1, 1)]))
        expected = {"totals", "humans", "enemies"}
        if name not in ("conservative", "smart-greedy"):
            expected = {"humans_and_enemies", "eatable_humans_proximity", "enemies", "merge", "end_of_game"}
        assert set(terms) == expected


def test_the_caches_are_told_of() -> None:
    thought = player("merge:depth=3").choose(game.initial("split"), Clock(None)).thought
    assert "units" in thought.note
    assert "boards" in thought.note
    assert "% of" in thought.note


def test_the_clock_stops_at_1_95_of_2_seconds() -> None:
    for name in ("smart", "smart-split", "merge"):
        one = player(name)
        assert one.kept_back(2.0) == 0.05
        assert one.kept_back(1.0) == 0.1


def test_depths_are_odd() -> None:
    thought = player("smart:depth=5").choose(game.initial("tiny"), Clock(None)).thought
    assert thought.depth % 2 == 1


def test_auto_depth_looks_farther_with_fewer_groups() -> None:
    one = player("merge:depth=auto")
    few = VampiresState(rows=9, columns=9, vampires={(0, 0): 4}, werewolves={(8, 8): 4})
    some = VampiresState(rows=9, columns=9, vampires={(0, 0): 4, (4, 4): 2}, werewolves={(8, 8): 4})
    many = VampiresState(
        rows=9, columns=9, vampires={(0, 0): 4, (4, 4): 2, (2, 2): 3}, werewolves={(8, 8): 4, (6, 6): 2}
    )
    assert [one.horizon(state) for state in (few, some, many)] == [9, 7, 5]
    assert player("merge").horizon(few) == 5


def test_calm_players_attack_less() -> None:
    state = VampiresState(
        rows=5, columns=9, humans={(8, 4): 40}, vampires={(4, 2): 11}, werewolves={(5, 2): 10}
    )
    turn = Turn([(4, 2, 11, 5, 2)])
    calm, wild = (
        player(f"merge:aggression={factor}").explain(state, turn)["humans_and_enemies"] for factor in (0, 3)
    )
    assert calm == 0
    assert wild > 0


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("conservative:depth=4", "conservative: depth=4 is even"),
        ("smart-greedy:depth=0", "smart-greedy: depth=0 should be an odd number from 1 to 15"),
        ("smart-greedy:k=0", "smart-greedy: k=0 should be from 1 to 100"),
        ("smart:weights=1/x", "smart: weights=1/x should be numbers from 0 to 1000"),
        ("smart:weights=-1", "smart: weights=-1 should be"),
        ("smart-split:nodes=-1", "smart-split: nodes=-1 should be 0 (no limit) or more"),
        ("merge:time=-1", "merge: time=-1 should be 0 (no limit) or more seconds"),
        ("merge:depth=deep", "merge: depth=deep should be auto, or an odd number from 1 to 15"),
        ("merge:depth=17", "merge: depth=17 should be an odd number from 1 to 15"),
        ("merge:aggression=11", "merge: aggression=11 should be from 0 to 10"),
        ("merge:aggression=nan", "merge: aggression=nan should be from 0 to 10"),
        ("merge:courage=1", "merge has no option 'courage'; it has depth=5"),
    ],
)
def test_a_wrong_option_is_refused(spec: str, says: str) -> None:
    with pytest.raises(NoctagonError) as caught:
        player(spec)
    assert says in str(caught.value)


def test_equal_turns_are_chosen_by_the_games_seed() -> None:
    state = VampiresState(rows=9, columns=9, vampires={(4, 4): 4}, werewolves={(8, 8): 4})
    chosen = set()
    for seed in range(12):
        one = player("conservative:depth=1")
        one.start(GameStart(state, seed=seed), 0)
        chosen.add(one.choose(state, Clock(None)).action)
    assert len(chosen) > 1
