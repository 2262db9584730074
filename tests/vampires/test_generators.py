"""The named lists of turns: legal, nested in each other, and sensible where they say so."""

from __future__ import annotations

from random import Random

import pytest

from noctagon.core.game import UnknownName
from noctagon.games.vampires import game
from noctagon.games.vampires.rules.generators import GENERATORS, MOST_SENSIBLE
from noctagon.games.vampires.rules.ruleset import VampiresRules
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Turn
from tests.vampires.positions import random_position, small


def test_the_game_names_them_all() -> None:
    assert list(game.generators) == list(GENERATORS)
    with pytest.raises(UnknownName, match="did you mean splits"):
        small(vampires={(0, 0): 1}, werewolves={(2, 2): 1}).candidates("split")


@pytest.mark.parametrize("seed", range(20))
def test_each_is_part_of_the_next(seed: int) -> None:
    state = random_position(Random(seed), largest=3, scale=(1, 2))
    while len(state.own) > 3:
        state = random_position(Random(seed := seed + 1000), largest=3, scale=(1, 2))
    single, joint, splits = (list(state.candidates(name)) for name in ("single", "joint", "splits"))
    for turns in (single, joint, splits):
        assert len(set(turns)) == len(turns)
    assert set(single) <= set(joint) <= set(splits) <= set(state.actions())
    assert set(state.candidates()) <= set(splits)
    assert state.candidates() == state.candidates("sensible")


def test_single_moves_one_whole_group() -> None:
    state = small(vampires={(0, 0): 4, (2, 0): 1}, werewolves={(2, 2): 1})
    assert list(state.candidates("single")) == [
        Turn([(x, y, count, tx, ty)])
        for x, y, count, targets in ((0, 0, 4, [(1, 0), (0, 1), (1, 1)]), (2, 0, 1, [(1, 0), (1, 1), (2, 1)]))
        for tx, ty in targets
    ]


def test_joint_moves_all_groups_that_do_not_stay() -> None:
    state = small(vampires={(0, 0): 4, (2, 2): 1}, werewolves={(2, 0): 1})
    assert len(list(state.candidates("joint"))) == 4 * 4 - 1


def test_splits_come_in_all_sizes() -> None:
    state = small(rows=1, columns=3, vampires={(1, 0): 3}, werewolves={(2, 0): 1})
    assert set(state.candidates("splits")) == {
        Turn([(1, 0, 3, 0, 0)]),
        Turn([(1, 0, 3, 2, 0)]),
        Turn([(1, 0, 1, 0, 0)]),
        Turn([(1, 0, 2, 0, 0)]),
        Turn([(1, 0, 1, 2, 0)]),
        Turn([(1, 0, 2, 2, 0)]),
        Turn([(1, 0, 1, 0, 0), (1, 0, 2, 2, 0)]),
        Turn([(1, 0, 2, 0, 0), (1, 0, 1, 2, 0)]),
    }


@pytest.mark.parametrize("seed", range(8))
def test_only_legal_turns_on_crowded_small_boards(seed: int) -> None:
    rng = Random(seed)
    for _ in range(150):
        state = random_position(rng, scale=rng.choice(((1, 4), (100, 255))))
        sensible = list(state.candidates())
        assert 1 <= len(sensible) <= MOST_SENSIBLE
        assert len(set(sensible)) == len(sensible)
        for name in ("sensible", "single"):
            for turn in state.candidates(name):
                state.check(turn)
        if len(state.own) <= 2 and sum(state.own.values()) < 10:
            for name in ("joint", "splits"):
                for turn in state.candidates(name):
                    state.check(turn)


def test_the_servers_limit_on_arrivals_is_kept() -> None:
    state = small(
        humans={(1, 1): 99},
        vampires={(0, 0): 200, (2, 0): 200, (0, 2): 200},
        werewolves={(2, 2): 1},
        server=True,
    )
    for name in ("sensible", "joint"):
        turns = list(state.candidates(name))
        assert turns
        assert all(turn in state.actions() for turn in turns)
    handout = small(humans={(1, 1): 99}, vampires=state.vampires, werewolves={(2, 2): 1})
    assert set(state.candidates("joint")) < set(handout.candidates("joint"))


def large_position(rng: Random, rules: VampiresRules) -> VampiresState:
    """30 × 30, 100 houses, 40 groups a side."""
    cells = rng.sample([(x, y) for x in range(30) for y in range(30)], 180)
    counts = {cell: rng.randint(1, 20) for cell in cells}
    return VampiresState(
        rows=30,
        columns=30,
        humans={cell: counts[cell] for cell in cells[:100]},
        vampires={cell: counts[cell] for cell in cells[100:140]},
        werewolves={cell: counts[cell] for cell in cells[140:]},
        rules=rules,
    )


@pytest.mark.parametrize("rules", ["handout", "server"])
def test_a_short_list_on_large_boards(rules: str) -> None:
    rng = Random(rules)
    for _ in range(15):
        state = large_position(rng, VampiresRules(name="server" if rules == "server" else "handout"))
        turns = list(state.candidates())
        assert 1 <= len(turns) <= MOST_SENSIBLE
        for turn in turns:
            state.check(turn)


def test_groups_that_bar_each_others_way_still_move() -> None:
    crowd = {(x, y): 9 for x in range(4) for y in range(4)}
    state = small(rows=4, columns=5, vampires=crowd, werewolves={(4, 0): 1})
    turns = list(state.candidates())
    assert turns
    assert all(turn in state.actions() for turn in turns)


def test_a_house_for_the_taking_is_taken() -> None:
    rng = Random(8)
    for _ in range(100):
        x, y = rng.randint(1, 8), rng.randint(1, 8)
        hx, hy = x + rng.choice((-1, 1)), y + rng.randint(-1, 1)
        count = rng.randint(2, 20)
        foe = (9 if x < 5 else 0, 9 if y < 5 else 0)
        if foe == (hx, hy):
            continue
        state = small(
            rows=10,
            columns=10,
            humans={(hx, hy): rng.randint(1, count)},
            vampires={(x, y): count},
            werewolves={foe: 1},
        )
        assert next(iter(state.candidates())) == Turn([(x, y, count, hx, hy)])


def test_prey_beside_is_eaten() -> None:
    state = small(rows=9, columns=9, vampires={(4, 4): 6}, werewolves={(5, 4): 4})
    assert next(iter(state.candidates())) == Turn([(4, 4, 6, 5, 4)])


def test_a_hunter_is_fled() -> None:
    for hx, hy in ((6, 4), (2, 2), (4, 6)):
        state = small(rows=9, columns=9, vampires={(4, 4): 4}, werewolves={(hx, hy): 9})
        ((_, _, _, tx, ty),) = next(iter(state.candidates()))
        assert max(abs(tx - hx), abs(ty - hy)) > 2


def test_two_houses_invite_a_split() -> None:
    state = small(
        rows=3, columns=7, humans={(2, 1): 4, (4, 1): 4}, vampires={(3, 1): 8}, werewolves={(0, 0): 1}
    )
    assert Turn([(3, 1, 4, 2, 1), (3, 1, 4, 4, 1)]) in list(state.candidates())


@pytest.mark.parametrize("name", GENERATORS)
def test_nothing_when_the_game_is_over(name: str) -> None:
    for over in (
        small(vampires={(0, 0): 2}, werewolves={(2, 2): 1}, ply=200),
        small(vampires={(0, 0): 2}),
        small(),
    ):
        assert list(over.candidates(name)) == []
