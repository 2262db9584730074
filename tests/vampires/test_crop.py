"""What a compiled search keeps of a position that is too large for it."""

from __future__ import annotations

from random import Random

import pytest

from noctagon.games.vampires.champion.evaluation import crop
from noctagon.games.vampires.rules.state import COMPACT_GROUPS, COMPACT_HOUSES, VampiresState


def scattered(rng: Random, houses: int, groups: int) -> VampiresState:
    cells = rng.sample([(x, y) for x in range(200) for y in range(255)], houses + 2 * groups)
    counts = {cell: rng.randint(1, 200) for cell in cells}
    humans, vampires, werewolves = cells[:houses], cells[houses : houses + groups], cells[houses + groups :]
    return VampiresState(
        rows=255,
        columns=200,
        humans={cell: counts[cell] for cell in humans},
        vampires={cell: counts[cell] for cell in vampires},
        werewolves={cell: counts[cell] for cell in werewolves},
        to_move=rng.choice(["vampires", "werewolves"]),
    )


def test_what_there_is_room_for_is_looked_at_as_it_is() -> None:
    state = scattered(Random(1), COMPACT_HOUSES, COMPACT_GROUPS)
    assert crop(state) is state


@pytest.mark.parametrize(
    ("houses", "groups"), [(COMPACT_HOUSES + 1, 3), (3000, 40), (20, COMPACT_GROUPS + 1)]
)
def test_of_a_larger_one_the_largest_groups_are_kept_and_what_is_nearest_to_them(
    houses: int, groups: int
) -> None:
    state = scattered(Random(houses), houses, groups)
    near = crop(state)

    def away(cell: tuple[int, int]) -> int:
        return min(max(abs(cell[0] - x), abs(cell[1] - y)) for x, y in near.own)

    assert len(near.own) == min(groups, COMPACT_GROUPS)
    assert sorted(near.own.values()) == sorted(state.own.values())[-COMPACT_GROUPS:]
    for kept, all_of_them, most in (
        (near.humans, state.humans, COMPACT_HOUSES),
        (near.foes, state.foes, COMPACT_GROUPS),
    ):
        assert kept.items() <= all_of_them.items()
        nearest = sorted(map(away, all_of_them))[:most]
        assert sorted(map(away, kept)) == nearest
