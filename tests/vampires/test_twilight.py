"""Twilight: its utility and what its authors claim of it, the turns it looks at, and how it plays."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from noctagon.core.clock import Clock
from noctagon.core.game import NoctagonError
from noctagon.core.player import GameStart, PlayerSpec
from noctagon.core.registry import find_game
from noctagon.games.vampires.players.twilight import (
    METHODS,
    TwilightPlayer,
    everybody,
    terminal_utility,
    utility,
    utility_terms,
)
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.targeted import (
    FAR,
    MOST_TURNS,
    Race,
    around_danger,
    every_turn,
    races,
    splitting,
    targeted_turns,
)
from noctagon.games.vampires.rules.turn import Turn
from noctagon.players import make_player
from tests.vampires.hard_positions import hard_position
from tests.vampires.positions import positions, random_position, seeds, small

VAMPIRES = find_game("vampires")


def test_a_house_is_raced_for_by_the_groups_that_can_take_it() -> None:
    state = small(
        rows=9,
        columns=9,
        humans={(4, 4): 5, (8, 0): 9},
        vampires={(0, 4): 6, (3, 4): 2},
        werewolves={(8, 8): 5, (4, 5): 4},
    )
    assert races(state) == [Race((8, 0), 9, FAR, FAR), Race((4, 4), 5, 4, 4)]


def test_the_utility_by_hand() -> None:
    state = small(
        rows=9,
        columns=9,
        humans={(4, 4): 5, (6, 8): 3, (8, 0): 9},
        vampires={(0, 4): 6, (3, 4): 1},
        werewolves={(8, 8): 6},
    )
    assert utility_terms(state) == (2.0 * (7 - 6), 5 - 3)  # at equal distance the side to move is first
    assert utility(state) == 4.0
    waiting = small(
        rows=9,
        columns=9,
        humans={(4, 4): 5},
        vampires={(0, 4): 6},
        werewolves={(8, 8): 6},
        to_move="werewolves",
    )
    assert utility(waiting) == -5.0


def test_half_as_many_again_change_the_first_term() -> None:
    def creatures(vampires: int, werewolves: int) -> float:
        return utility_terms(small(vampires={(0, 0): vampires}, werewolves={(2, 2): werewolves}))[0]

    assert creatures(5, 4) == 2.0
    assert creatures(6, 4) == 6.0
    assert creatures(4, 6) == -6.0
    assert creatures(3, 4) == -2.0


def test_a_terminal_position_is_worth_everybody_and_one() -> None:
    won = small(humans={(2, 2): 3}, vampires={(0, 0): 4})
    assert terminal_utility(won) == 8.0
    assert terminal_utility(small(humans={(2, 2): 3}, werewolves={(0, 0): 4})) == -8.0
    assert terminal_utility(small(humans={(2, 2): 3}, werewolves={(0, 0): 4}, first="werewolves")) == 8.0
    assert terminal_utility(small(vampires={(0, 0): 4}, werewolves={(2, 2): 4}, ply=200)) == 0.0


@settings(deadline=None)
@given(positions())
def test_terminal_beats_every_other_position_of_as_many(state: VampiresState) -> None:
    """The document's claim, for any two positions with the same g + v + h."""
    assume(state.own and state.foes)
    assert abs(utility(state)) < everybody(state)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_a_win_without_losses_beats_whatever_can_still_be_reached(seed: int) -> None:
    """g + h, which bounds the utility from above, never grows: so no line leads to more than a clean win now."""
    rng = Random(seed)
    state = random_position(rng)
    bounds = [float("inf"), float("inf")]
    for _ in range(25):
        humans = sum(state.humans.values())
        now = [state.score()[0] + humans, state.score()[1] + humans]
        assert now[0] <= bounds[0]
        assert now[1] <= bounds[1]
        bounds = now
        if state.result is not None:
            break
        assert -bounds[1] <= utility(state) <= bounds[0] < bounds[0] + 1
        turn = state.actions().sample(rng)
        state = state.play(turn, state.roll(turn, rng))


def test_a_win_after_losses_may_be_worth_less_than_going_on() -> None:
    """As the document wants it: a terminal utility is not so large that every random battle is sought."""
    before = small(humans={(0, 2): 9}, vampires={(0, 0): 10}, werewolves={(2, 2): 10})
    won_dearly = small(humans={(0, 2): 2}, vampires={(0, 0): 3})
    assert terminal_utility(won_dearly) < utility(before)


@pytest.mark.parametrize("seed", range(40))
def test_a_dozen_departures_a_group_and_all_legal(seed: int) -> None:
    rng = Random(seed)
    state = random_position(rng, largest=9)
    for limit in (1, 2, 3, 6):
        turns = targeted_turns(state, limit)
        assert 1 <= len(turns) <= MOST_TURNS
        assert len(set(turns)) == len(turns)
        if len(state.own) == 1:
            assert len(turns) <= 12
        biggest = max(state.own.values())
        for turn in turns:
            state.check(turn)
            sources = [(move.x, move.y) for move in turn]
            split = {source for source in sources if sources.count(source) > 1}
            assert all(state.own[source] == biggest for source in split)
            assert len(split) <= (len(state.own) < limit)


def test_one_group_goes_for_houses_foe_and_safety() -> None:
    state = small(
        rows=9,
        columns=9,
        humans={(4, 1): 3, (1, 4): 3},
        vampires={(4, 4): 7},
        werewolves={(8, 4): 5},
    )
    whole = targeted_turns(state, 1)
    assert {turn[0][3:] for turn in whole} >= {(4, 3), (3, 4), (5, 4), (3, 3)}
    assert Turn([(4, 4, 3, 4, 3), (4, 4, 4, 3, 4)]) in targeted_turns(state, 2)


def test_splits_are_enough_for_both_houses() -> None:
    state = small(
        rows=9, columns=9, humans={(4, 1): 3, (1, 4): 5}, vampires={(4, 4): 9}, werewolves={(8, 8): 5}
    )
    parts = [
        {(move.tx, move.ty): move.count for move in split}
        for split in splitting(state, (4, 4), 9, races(state), [])
    ]
    assert parts == [{(4, 3): 4, (3, 4): 5}, {(4, 3): 3, (3, 4): 6}] or parts == [
        {(3, 4): 5, (4, 3): 4},
        {(3, 4): 6, (4, 3): 3},
    ]


def test_the_way_leads_around_what_is_too_strong() -> None:
    state = small(
        rows=5, columns=5, humans={(1, 1): 9, (4, 2): 2}, vampires={(0, 1): 3}, werewolves={(4, 4): 1}
    )
    assert around_danger(state, (0, 1), 3, (4, 2)) == (1, 2)
    assert around_danger(state, (0, 1), 3, (1, 1)) == (1, 1)


@pytest.mark.parametrize("seed", range(10))
def test_all_is_every_legal_turn_once(seed: int) -> None:
    state = random_position(Random(seed), largest=3, scale=(1, 2))
    while len(state.own) > 2:
        state = random_position(Random(seed := seed + 1000), largest=3, scale=(1, 2))
    turns = list(every_turn(state))
    assert len(set(turns)) == len(turns)
    assert set(turns) == set(state.actions()) == set(state.candidates("all"))


def test_every_action_method_has_a_number_and_a_name() -> None:
    for index, name in enumerate(METHODS):
        by_number = make_player(PlayerSpec("twilight", {"action_method": str(index)}), VAMPIRES)
        by_name = make_player(PlayerSpec("twilight", {"action_method": name}), VAMPIRES)
        assert by_number.method == by_name.method == name
        assert name in VAMPIRES.generators


@pytest.mark.parametrize("method", METHODS)
def test_every_action_method_takes_the_prey(method: str) -> None:
    state = small(rows=3, columns=3, vampires={(0, 0): 3}, werewolves={(1, 1): 2})
    player = TwilightPlayer(VAMPIRES, action_method=method, max_depth=2)
    assert player.choose(state, Clock(2.0)).action == Turn([(0, 0, 3, 1, 1)])


def test_it_is_deeper_without_humans() -> None:
    player = TwilightPlayer(VAMPIRES)
    assert player.horizon(small(vampires={(0, 0): 3}, werewolves={(2, 2): 3})) == 6
    assert player.horizon(small(humans={(1, 1): 1}, vampires={(0, 0): 3}, werewolves={(2, 2): 3})) == 4


def test_the_opponent_is_taken_to_split_as_far_as_it_was_seen_to() -> None:
    whole = small(rows=7, columns=7, vampires={(0, 0): 6}, werewolves={(6, 6): 6})
    split = small(rows=7, columns=7, vampires={(0, 0): 6}, werewolves={(6, 6): 3, (4, 6): 3})
    player = TwilightPlayer(VAMPIRES, max_depth=1)
    player.start(GameStart(whole), 0)
    for state, seen in ((whole, 1), (split, 2), (whole, 2)):
        note = player.choose(state, Clock()).thought.note
        assert player.seen == seen
        assert f"at most {seen} group" in note
    player.start(GameStart(whole), 0)
    assert player.seen == 1


def test_both_houses_at_once() -> None:
    state = small(
        rows=7, columns=7, humans={(0, 3): 4, (6, 3): 4}, vampires={(3, 3): 8}, werewolves={(3, 0): 4}
    )
    action = TwilightPlayer(VAMPIRES, max_depth=3).choose(state, Clock()).action
    assert len(action) == 2
    assert TwilightPlayer(VAMPIRES, max_depth=3, max_groups=1).choose(state, Clock()).action != action


def test_explaining_adds_up() -> None:
    state = small(humans={(1, 1): 3, (0, 2): 2}, vampires={(0, 0): 4}, werewolves={(2, 2): 5})
    player = TwilightPlayer(VAMPIRES)
    assert player.explain(state, Turn([(0, 0, 4, 1, 1)])) == {"creatures": 4.0, "humans": 2.0}
    prey = small(vampires={(0, 0): 4}, werewolves={(1, 1): 2})
    assert player.explain(prey, Turn([(0, 0, 4, 1, 1)])) == {"end": 5.0}


@given(st.integers(0, 3))
def test_a_search_does_not_depend_on_the_seed(seed: int) -> None:
    state = VAMPIRES.initial("tiny")
    player = TwilightPlayer(VAMPIRES, max_depth=2)
    player.start(GameStart(state, seed=seed), 0)
    assert (
        player.choose(state, Clock()).action
        == TwilightPlayer(VAMPIRES, max_depth=2).choose(state, Clock()).action
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("twilight:max_depth=0", "twilight: max_depth=0 should be 1 to 100"),
        ("twilight:max_groups=0", "twilight: max_groups=0 should be 1 to 50"),
        (
            "twilight:action_method=5",
            "twilight: action_method=5 should be 0 to 4, or all, splits, joint, single, targeted",
        ),
        ("twilight:action_method=smart", "action_method=smart should be"),
        (
            "twilight:depth=4",
            "twilight has no option 'depth'; it has max_depth=4, action_method=4, max_groups=3",
        ),
    ],
)
def test_options_out_of_range_are_refused(text: str, says: str) -> None:
    with pytest.raises(NoctagonError) as caught:
        make_player(PlayerSpec.parse(text), VAMPIRES)
    assert says in str(caught.value)


def test_legal_with_every_result_of_giant_battles() -> None:
    state = hard_position("giants", "handout")
    state.check(TwilightPlayer(VAMPIRES, merged=False, time=0.3).choose(state, Clock(2.0)).action)


@pytest.mark.parametrize("method", METHODS[:-1])
@pytest.mark.parametrize("name", ["forty-groups", "largest-board", "giants"])
def test_legal_by_every_method(name: str, method: str) -> None:
    state = hard_position(name, "handout")
    state.check(TwilightPlayer(VAMPIRES, action_method=method, time=0.3).choose(state, Clock(2.0)).action)
