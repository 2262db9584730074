"""Putting turns together, and all legal turns as a set."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from noctagon.core.game import IllegalAction, NoctagonError
from noctagon.games.vampires.rules.builder import Encounter
from noctagon.games.vampires.rules.ruleset import VampiresRules
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Turn
from tests.vampires import oracle
from tests.vampires.positions import as_oracle, random_position, small


def brute_force(state: VampiresState) -> set[Turn]:
    """All legal turns, by trying every number on every way and asking the oracle."""
    position = as_oracle(state)
    per_group: list[list[list[oracle.Move]]] = []
    for (x, y), count in state.own.items():
        ways = [(x + dx, y + dy) for dx, dy in product((-1, 0, 1), repeat=2)]
        ways = [cell for cell in ways if position.on_grid(cell) and cell != (x, y)]
        numbers = [some for some in product(range(count + 1), repeat=len(ways)) if sum(some) <= count]
        per_group.append(
            [[(x, y, n, *cell) for n, cell in zip(some, ways, strict=True) if n] for some in numbers]
        )
    turns = ([move for moves in choice for move in moves] for choice in product(*per_group))
    return {Turn(moves) for moves in turns if not oracle.broken_rules(position, moves)}


# The builder


def test_a_turn_move_by_move() -> None:
    state = small(humans={(1, 1): 3}, vampires={(0, 0): 5, (2, 0): 2}, werewolves={(2, 2): 4})
    start = state.build()
    assert start.left == {(0, 0): 5, (2, 0): 2}
    assert start.sources() == [(0, 0), (2, 0)]
    assert start.targets(0, 0) == [(1, 0), (0, 1), (1, 1)]

    once = start.move(0, 0, 3, 1, 1)
    assert once.left == {(0, 0): 2, (2, 0): 2}
    assert once.turn == Turn([(0, 0, 3, 1, 1)])
    assert start.moves == ()

    twice = once.move(2, 0, 2, 1, 0)
    assert twice.left == {(0, 0): 2}
    assert twice.sources() == [(0, 0)]
    assert twice.undo().turn == once.turn
    assert twice.undo().undo().turn == Turn()
    state.check(twice.turn)


def test_sources_and_targets_keep_out_of_each_others_way() -> None:
    state = small(vampires={(0, 0): 2, (1, 0): 2, (2, 0): 1}, werewolves={(2, 2): 4})
    builder = state.build().move(0, 0, 1, 1, 0)
    assert builder.targets(1, 0) == []  # it is a target now
    assert (0, 0) not in builder.targets(2, 0)
    assert builder.sources() == [(0, 0), (2, 0)]
    assert builder.targets(1, 1) == []  # nobody is there
    assert builder.targets(2, 2) == []  # not yours
    assert builder.move(2, 0, 1, 1, 1).targets(2, 0) == []  # nobody is left


@pytest.mark.parametrize(
    ("move", "rule"),
    [
        ((0, 1, 1, 0, 2), 2),
        ((0, 0, 3, 0, 1), 3),
        ((0, 0, 1, 2, 0), 4),
        ((1, 0, 1, 0, 0), 5),
        ((0, 0, 0, 0, 1), 6),
    ],
)
def test_a_move_that_breaks_a_rule_is_refused_at_once(
    move: tuple[int, int, int, int, int], rule: int
) -> None:
    builder = small(vampires={(0, 0): 4, (1, 0): 2}, werewolves={(2, 2): 4}).build().move(0, 0, 2, 1, 1)
    with pytest.raises(IllegalAction) as refused:
        builder.move(*move)
    assert refused.value.rule == rule
    assert builder.turn == Turn([(0, 0, 2, 1, 1)])


def test_room_is_limited_on_the_server() -> None:
    state = small(vampires={(0, 0): 200, (2, 0): 100}, werewolves={(2, 2): 4}, server=True)
    builder = state.build().move(0, 0, 200, 1, 0)
    assert builder.room(1, 0) == 55
    with pytest.raises(IllegalAction) as refused:
        builder.move(2, 0, 56, 1, 0)
    assert refused.value.rule == 7
    full = builder.move(2, 0, 55, 1, 0)
    assert (1, 0) not in full.targets(2, 0)
    assert (1, 0) in full.undo().targets(2, 0)


def test_nothing_can_be_built_when_the_game_is_over() -> None:
    over = small(vampires={(0, 0): 2}, werewolves={(2, 2): 4}, ply=200)
    assert over.build().sources() == []
    assert over.build().targets(0, 0) == []


@pytest.mark.parametrize(
    ("attackers", "content", "server", "meeting"),
    [
        (4, {}, False, Encounter(4, 0, "empty", 1.0)),
        (4, {"vampires": {(1, 1): 3}}, False, Encounter(4, 3, "join", 1.0)),
        (4, {"humans": {(1, 1): 4}}, False, Encounter(4, 4, "humans", 1.0)),
        (4, {"humans": {(1, 1): 5}}, False, Encounter(4, 5, "humans", 0.4)),
        (6, {"werewolves": {(1, 1): 4}}, False, Encounter(6, 4, "enemies", 1.0)),
        (5, {"werewolves": {(1, 1): 4}}, False, Encounter(5, 4, "enemies", 0.75)),
        (4, {"werewolves": {(1, 1): 6}}, False, Encounter(4, 6, "enemies", 0.0)),
        (4, {"werewolves": {(1, 1): 8}}, True, Encounter(4, 8, "enemies", 0.25)),
        (9, {"humans": {(1, 1): 8}, "werewolves": {(2, 2): 1}}, False, Encounter(9, 8, "humans", 1.0)),
        (200, {"vampires": {(1, 1): 56}}, True, Encounter(200, 56, "join", 0.0)),  # 256 wrap to nobody
    ],
)
def test_meetings(
    attackers: int, content: dict[str, dict[tuple[int, int], int]], server: bool, meeting: Encounter
) -> None:
    state = small(
        humans=content.get("humans"),
        vampires={(0, 0): 250, **content.get("vampires", {})},
        werewolves={(2, 2): 1, **content.get("werewolves", {})},
        server=server,
    )
    builder = state.build().move(0, 0, attackers, 1, 1)
    assert builder.meeting(1, 1) == meeting


def test_arrivals_on_one_target_are_added_up() -> None:
    state = small(humans={(1, 1): 8}, vampires={(0, 0): 4, (2, 0): 4}, werewolves={(2, 2): 1})
    one = state.build().move(0, 0, 4, 1, 1)
    assert one.meeting(1, 1) == Encounter(4, 8, "humans", 0.25)
    assert str(one.meeting(1, 1)) == "4 against 8 humans: 25%"
    both = one.move(2, 0, 4, 1, 1)
    assert both.meeting(1, 1) == Encounter(8, 8, "humans", 1.0)
    assert str(state.build().move(0, 0, 2, 1, 0).meeting(1, 0)) == "2 arrive"


def test_nobody_meets_where_nobody_goes() -> None:
    builder = small(humans={(1, 1): 8}, vampires={(0, 0): 4}, werewolves={(2, 2): 1}).build()
    with pytest.raises(NoctagonError, match=r"nobody goes to \(1,1\)"):
        builder.meeting(1, 1)


# All legal turns


def test_one_creature_in_a_corner_has_three_turns() -> None:
    turns = small(vampires={(0, 0): 1}, werewolves={(2, 2): 1}).actions()
    assert set(turns) == {Turn([(0, 0, 1, *target)]) for target in ((0, 1), (1, 0), (1, 1))}
    assert turns.count() == 3
    assert turns
    assert [(0, 0, 1, 1, 1)] in turns
    assert [(0, 0, 2, 1, 1)] not in turns


@pytest.mark.parametrize("seed", range(25))
def test_turns_equal_brute_force(seed: int) -> None:
    rng = Random(seed)
    state = random_position(rng, largest=3, scale=(1, 2))
    while not (len(state.own) <= 3 and sum(state.own.values()) <= 4):
        state = random_position(rng, largest=3, scale=(1, 2))
    turns = list(state.actions())
    assert len(set(turns)) == len(turns)
    assert set(turns) == brute_force(state)
    assert state.actions().count() == len(turns)


def test_counting_is_as_good_as_listing() -> None:
    rng = Random(7)
    listed = 0
    for _ in range(600):
        state = random_position(rng, largest=4, scale=(1, 2))
        if state.actions().count() <= 3000:
            turns = list(state.actions())
            assert state.actions().count() == len(turns) == len(set(turns))
            listed += len(turns) > 50
    assert listed > 50


@pytest.mark.parametrize("server", [False, True])
def test_the_servers_limit_on_arrivals_is_counted(server: bool) -> None:
    state = small(rows=1, columns=4, vampires={(0, 0): 250, (2, 0): 8}, werewolves={(3, 0): 1}, server=server)
    turns = state.actions()
    # Left and right ones go to (1,0), where they add up; the others go away, to (3,0).
    expected = sum(
        1
        for left in range(251)
        for right in range(9)
        for away in range(9 - right)
        if left + right + away > 0 and (left + right <= 255 or not server)
    )
    assert turns.count() == expected


def test_astronomically_many_turns_are_counted_without_listing() -> None:
    state = small(
        rows=20, columns=20, vampires={(x, x): 50 for x in range(0, 20, 2)}, werewolves={(19, 0): 1}
    )
    assert state.actions().count() > 10**60


def test_too_many_groups_in_touch_are_not_counted() -> None:
    state = small(
        rows=5, columns=5, vampires={(x, y): 1 for x in range(4) for y in range(5)}, werewolves={(4, 4): 1}
    )
    with pytest.raises(NoctagonError, match="20 groups touch each other"):
        state.actions().count()
    assert next(iter(state.actions())) in state.actions()


@pytest.mark.parametrize("rules", ["handout", "server"])
def test_every_turn_has_a_chance_in_a_sample(rules: str) -> None:
    state = small(
        rows=2,
        columns=3,
        humans={(1, 1): 3},
        vampires={(0, 0): 2, (1, 0): 1},
        werewolves={(2, 1): 1},
        server=rules == "server",
    )
    rng = Random(11)
    wanted = set(state.actions())
    assert len(wanted) == state.actions().count() > 20
    assert {state.actions().sample(rng) for _ in range(4000)} == wanted


def test_samples_are_legal_where_room_is_short() -> None:
    rng = Random(12)
    rules = VampiresRules(name="server")
    for _ in range(200):
        state = random_position(rng, largest=3, rules=rules, scale=(100, 255))
        assert state.actions().sample(rng) in state.actions()
