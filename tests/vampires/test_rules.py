"""The kernel against the oracle: what is legal, what a turn does, how a game ends."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from noctagon.compiled.jit import Record
from noctagon.core.game import IllegalAction, NoctagonError, Result
from noctagon.games.vampires import game
from noctagon.games.vampires.rules import kernel, packing, playout
from noctagon.games.vampires.rules.notation import parse_position
from noctagon.games.vampires.rules.ruleset import SERVER, VampiresRules
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Turn
from tests.vampires import oracle
from tests.vampires.positions import as_oracle, mutated, random_position, small

if TYPE_CHECKING:
    from collections.abc import Iterable

BENCH = (
    "10x10 H3,0:5 H1,1:3 H8,1:1 H5,2:2 H3,3:9 H7,3:7 H0,4:4 H4,4:6 H5,5:6 H9,5:4 H2,6:7 H6,6:9 H4,7:2 "
    "H1,8:1 H8,8:3 H6,9:5 V7,5:8 W2,4:8 V 0"
)
"""The position of lab/twins/vampires.cpp."""


# Random turns


def agree(state: VampiresState, moves: Iterable[oracle.Move], rng: Random) -> VampiresState | None:
    """Whether kernel and oracle say the same about a turn in every respect; the position after a legal one."""
    given, plain = list(moves), as_oracle(state)
    broken = oracle.broken_rules(plain, given)
    if broken:
        with pytest.raises(IllegalAction) as refused:
            state.check(given)
        assert refused.value.rule in broken
        if len(broken) == 1:
            assert refused.value.rule == broken.pop()
        with pytest.raises(IllegalAction):
            state.play(given)
        assert given not in state.actions()
        return None

    state.check(given)
    turn = Turn(given)
    battles = state.chances(given)
    expected = oracle.battles(plain, turn)
    assert [(b.cell, b.attackers, b.defenders, b.humans) for b in battles] == [tuple(b) for b in expected]
    dice = state.roll(given, rng)
    after = state.play(given, dice)
    assert as_oracle(after) == oracle.resolve(plain, turn, dice)
    assert after == rebuilt(after)
    assert summary(after) == oracle.end(as_oracle(after))
    assert after.first == state.first
    return after


def rebuilt(state: VampiresState) -> VampiresState:
    """The same position, not played but put together: the canonical numbers must be the same."""
    return VampiresState(
        rows=state.rows,
        columns=state.columns,
        humans=state.humans,
        vampires=state.vampires,
        werewolves=state.werewolves,
        to_move=state.species,
        first=state.first,
        ply=state.ply,
        rules=state.rules,
    )


def summary(state: VampiresState) -> oracle.End | None:
    """A result in the oracle's words."""
    result = state.result
    if result is None:
        return None
    winner = None if result.winner is None else state.sides[result.winner].lower()
    return oracle.End(winner, result.reason)


@pytest.mark.kernel
@pytest.mark.parametrize("seed", range(4))
def test_a_hundred_turns_of_each_kind(seed: int) -> None:
    rng = Random(seed)
    for _ in range(100):
        state = random_position(rng, scale=(1, 12))
        turn = state.actions().sample(rng)
        assert agree(state, turn, rng) is not None
        agree(state, mutated(turn, state, rng), rng)


@pytest.mark.parametrize("seed", range(10))
def test_thousands_of_legal_turns(seed: int) -> None:
    rng = Random(f"legal {seed}")
    for _ in range(300):
        state = random_position(rng)
        assert agree(state, state.actions().sample(rng), rng) is not None


@pytest.mark.parametrize("seed", range(10))
def test_thousands_of_mutated_turns(seed: int) -> None:
    rng = Random(f"illegal {seed}")
    illegal = 0
    for _ in range(500):
        state = random_position(rng)
        illegal += agree(state, mutated(state.actions().sample(rng), state, rng), rng) is None
    assert illegal > 250


@pytest.mark.kernel
@pytest.mark.parametrize("rules", ["handout", "server"])
def test_whole_games(rules: Any) -> None:
    rng = Random(rules)
    for _ in range(6):
        state = random_position(rng, rules=VampiresRules(name=rules, plies=40))
        while state.result is None:
            after = agree(state, state.actions().sample(rng), rng)
            assert after is not None
            state = after
        with pytest.raises(IllegalAction, match="the game is over"):
            state.check([(0, 0, 1, 0, 1)])


# Large boards


def full_board(rules: VampiresRules, spread: int) -> VampiresState:
    """255 × 255, a group or a house on every `spread`-th cell."""
    rng = Random(spread)
    contents: tuple[dict[tuple[int, int], int], ...] = ({}, {}, {})
    for number in range(0, 255 * 255, spread):
        contents[number // spread % 3][number % 255, number // 255] = rng.randint(1, 255)
    return VampiresState(
        rows=255,
        columns=255,
        humans=contents[0],
        vampires=contents[1],
        werewolves=contents[2],
        rules=rules,
    )


@pytest.mark.parametrize("rules", [VampiresRules(), SERVER])
def test_a_turn_of_thousands_of_groups(rules: VampiresRules) -> None:
    state = full_board(rules, 9)
    assert len(state.own) > 2000
    turn: list[oracle.Move] = []
    for (x, y), count in state.own.items():
        part = (count + 1) // 2
        targets = [(x + 1, y), (x, y + 1)] if count > 1 else [(x + 1, y)]
        for (tx, ty), some in zip(targets, (part, count - part), strict=False):
            if tx < 255 and ty < 255:
                turn.append((x, y, some, tx, ty))
    after = agree(state, turn, Random(1))
    assert after is not None
    assert len(after.foes) > 4000


def test_every_cell_taken() -> None:
    state = full_board(VampiresRules(), 1)
    rng = Random(2)
    for _ in range(3):
        own = rng.sample(sorted(state.own), 40)
        turn = [(x, y, state.own[x, y], x + 1, y) for x, y in own if x < 254 and (x + 1, y) not in own]
        after = agree(state, turn, rng)
        assert after is not None
        state = after
    illegal = [(x, y, 1, x, y - 1) for x, y in state.own if y > 0]
    assert agree(state, [*illegal, (300, 0, 1, 0, 0)], rng) is None


# What happens on a target


@pytest.mark.parametrize(
    ("humans", "foes", "server", "after"),
    [
        (0, 0, False, {"vampires": 6}),
        (6, 0, False, {"vampires": 12}),
        (1, 0, True, {"vampires": 7}),
        (0, 4, False, {"vampires": 6}),  # exactly 1.5 times as many
        (0, 4, True, {"vampires": 6}),
        (0, 9, False, {"werewolves": 9}),  # exactly 1.5 times as many: by the handout they surely die
        (0, 100, False, {"werewolves": 100}),
    ],
)
def test_certain_meetings(humans: int, foes: int, server: bool, after: dict[str, int]) -> None:
    state = small(
        humans={(1, 1): humans} if humans else {},
        vampires={(0, 0): 6},
        werewolves={(1, 1): foes} if foes else {(2, 2): 1},
        server=server,
    )
    turn = [(0, 0, 6, 1, 1)]
    assert state.chances(turn) == ()
    played = state.play(turn)
    assert {kind: getattr(played, kind).get((1, 1)) for kind in after} == after
    assert (0, 0) not in played.vampires


@pytest.mark.parametrize(
    ("humans", "foes", "server"), [(7, 0, False), (0, 5, False), (0, 8, False), (0, 9, True)]
)
def test_random_battles(humans: int, foes: int, server: bool) -> None:
    state = small(
        humans={(1, 1): humans} if humans else {},
        vampires={(0, 0): 6},
        werewolves={(1, 1): foes} if foes else {(2, 2): 1},
        server=server,
    )
    turn = [(0, 0, 6, 1, 1)]
    assert len(state.chances(turn)) == 1
    assert dict(state.play(turn, (3,)).vampires) == {(1, 1): 3}
    lost = state.play(turn, (-2,))
    assert (lost.humans if humans else lost.werewolves)[1, 1] == 2
    assert not lost.vampires
    nobody = state.play(turn, (0,))
    assert (1, 1) not in {**nobody.humans, **nobody.vampires, **nobody.werewolves}


def test_all_arrivals_on_a_target_meet_its_content_once() -> None:
    state = small(humans={(1, 1): 9}, vampires={(0, 0): 5, (2, 0): 6, (0, 2): 1}, werewolves={(2, 2): 1})
    after = state.play([(0, 0, 4, 1, 1), (2, 0, 5, 1, 1)])
    assert dict(after.vampires) == {(0, 0): 1, (2, 0): 1, (0, 2): 1, (1, 1): 18}


def test_counts_beyond_255_are_kept_by_the_handout_and_wrap_on_the_server() -> None:
    for server, joined, converted in ((False, 300, 400), (True, 44, 144)):
        state = small(
            humans={(2, 0): 200}, vampires={(0, 0): 200, (1, 0): 100}, werewolves={(2, 2): 1}, server=server
        )
        assert state.play([(0, 0, 200, 1, 0)]).vampires[1, 0] == joined
        alone = small(humans={(1, 0): 200}, vampires={(0, 0): 200}, werewolves={(2, 2): 1}, server=server)
        assert alone.play([(0, 0, 200, 1, 0)]).vampires[1, 0] == converted


def test_a_count_that_wraps_to_nothing_leaves_an_empty_cell() -> None:
    state = small(humans={(1, 0): 56}, vampires={(0, 0): 200}, werewolves={(2, 2): 1}, server=True)
    after = state.play([(0, 0, 200, 1, 0)])
    assert (dict(after.humans), dict(after.vampires)) == ({}, {})
    assert after.result == Result(1, "elimination", "the Vampires are gone")
    battle = small(humans={(1, 0): 200}, vampires={(0, 0): 100}, werewolves={(2, 2): 1}, server=True)
    assert dict(battle.play([(0, 0, 100, 1, 0)], (300,)).vampires) == {(1, 0): 44}
    assert dict(battle.play([(0, 0, 100, 1, 0)], (256,)).vampires) == {}


def test_creatures_in_thousands() -> None:
    state = small(humans={(1, 1): 40_000}, vampires={(0, 0): 70_000}, werewolves={(2, 2): 90_000})
    after = state.play([(0, 0, 70_000, 1, 1)])
    assert after.vampires[1, 1] == 110_000
    assert after.chances([(2, 2, 90_000, 1, 1)])[0].odds == pytest.approx(90 / 220)


# Illegal turns


ILLEGAL = [
    ([], 1, "the turn has no move; at least one group must move: rule 1"),
    ([(1, 0, 1, 1, 1)], 2, "move 1: cell (1,0) holds nothing, no vampires of yours: rule 2"),
    ([(1, 1, 1, 1, 0)], 2, "move 1: cell (1,1) holds 2 humans, no vampires of yours: rule 2"),
    ([(2, 2, 1, 2, 1)], 2, "move 1: cell (2,2) holds 5 werewolves, no vampires of yours: rule 2"),
    (
        [(-1, 0, 1, 0, 1)],
        2,
        "move 1: cell (-1,0) holds nothing, being off the grid, no vampires of yours: rule 2",
    ),
    ([(0, 0, 1, 0, 1), (3, 1, 1, 2, 2)], 2, "move 2: cell (3,1) holds nothing, being off the grid"),
    ([(0, 0, 5, 1, 1)], 3, "move 1: cell (0,0) holds 4 vampires, 5 were to leave it: rule 3"),
    ([(0, 0, 3, 1, 1), (2, 0, 1, 1, 1), (0, 0, 2, 0, 1)], 3, "move 3: cell (0,0) holds 4 vampires, 5 were"),
    (
        [(0, 0, 3, 1, 1), (0, 0, 3, 1, 1)],
        3,
        "move 2: cell (0,0) holds 4 vampires, 6 were to leave it: rule 3",
    ),
    ([(0, 0, 1, 2, 2)], 4, "move 1: (2,2) is not one of the 8 neighbours of (0,0): rule 4"),
    ([(0, 0, 1, 2, 0)], 4, "move 1: (2,0) is not one of the 8 neighbours of (0,0): rule 4"),
    ([(0, 0, 1, 0, 2)], 4, "move 1: (0,2) is not one of the 8 neighbours of (0,0): rule 4"),
    ([(2, 0, 1, 3, 0)], 4, "move 1: (3,0) is off the grid: rule 4"),
    ([(0, 0, 1, 0, -1)], 4, "move 1: (0,-1) is off the grid: rule 4"),
    ([(0, 0, 1, 0, 0)], 5, "move 1: cell (0,0) is both a source and a target of the turn: rule 5"),
    (
        [(0, 0, 4, 1, 0), (2, 0, 1, 1, 1), (0, 1, 1, 0, 0)],
        5,
        "move 3: cell (0,0) is both a source and a target",
    ),
    (
        [(0, 1, 1, 1, 1), (0, 0, 4, 0, 1)],
        5,
        "move 2: cell (0,1) is both a source and a target of the turn: rule 5",
    ),
    ([(0, 0, 0, 1, 1)], 6, "move 1: 0 creatures were to leave cell (0,0); at least one must: rule 6"),
    ([(0, 0, 4, 1, 1), (2, 0, 0, 1, 1)], 6, "move 2: 0 creatures were to leave cell (2,0)"),
    ([(0, 0, 4, 1, 1), (0, 0, 0, 1, 1)], 6, "move 2: 0 creatures were to leave cell (0,0)"),
    ([(0, 0, -1, 1, 1)], 6, "move 1: -1 creatures were to leave cell (0,0)"),
]


@pytest.mark.kernel
@pytest.mark.parametrize(("moves", "rule", "message"), ILLEGAL)
@pytest.mark.parametrize("server", [False, True])
def test_illegal_turns_are_refused_by_rule_and_move(
    moves: list[oracle.Move], rule: int, message: str, server: bool
) -> None:
    state = small(
        humans={(1, 1): 2}, vampires={(0, 0): 4, (2, 0): 1, (0, 1): 1}, werewolves={(2, 2): 5}, server=server
    )
    with pytest.raises(IllegalAction) as refused:
        state.check(moves)
    assert refused.value.rule == rule
    assert str(refused.value).startswith(message)
    assert oracle.broken_rules(as_oracle(state), moves) == {rule}
    for refuse in (state.chances, state.play):
        with pytest.raises(IllegalAction) as refused:
            refuse(iter(moves))
        assert refused.value.rule == rule
    assert moves not in state.actions()


def test_the_move_that_is_named_is_the_one_that_was_given() -> None:
    state = small(vampires={(0, 0): 4, (2, 0): 3}, werewolves={(2, 2): 4})
    for turn, message in (
        ([(2, 0, 3, 1, 0), (0, 0, 9, 0, 1)], "move 2: cell (0,0) holds 4 vampires, 9 were to leave it"),
        (
            [(2, 0, 1, 1, 0)] * 23 + [(0, 0, 1, 2, 2)],
            "move 24: (2,2) is not one of the 8 neighbours of (0,0)",
        ),
    ):
        for refuse in (state.check, state.chances, state.play):
            with pytest.raises(IllegalAction) as refused:
                refuse(turn)
            assert str(refused.value).startswith(message)
    with pytest.raises(IllegalAction, match="holds 3 vampires, 4 were to leave it"):
        state.check([(2, 0, 2, 1, 0), (2, 0, 2, 1, 1), (2, 0, -1, 2, 1)])


def test_more_than_255_arrivals_lose_only_on_the_server() -> None:
    vampires = {(0, 0): 200, (2, 0): 100}
    turn = [(0, 0, 156, 1, 1), (2, 0, 100, 1, 1)]
    assert small(vampires=vampires, werewolves={(2, 2): 1}).play(turn).vampires[1, 1] == 256
    state = small(vampires=vampires, werewolves={(2, 2): 1}, server=True)
    with pytest.raises(IllegalAction) as refused:
        state.check(turn)
    assert refused.value.rule == 7
    assert str(refused.value) == (
        "move 2: 256 creatures were to arrive on (1,1); the server's rules allow 255: rule 7"
    )
    assert state.play([(0, 0, 155, 1, 1), (2, 0, 100, 1, 1)]).vampires[1, 1] == 255


@pytest.mark.parametrize(
    "answer",
    [None, 7, [7], [(1, 2, 3)], [(0, 0, 1, 0, "1")], [(0, 0, 1.5, 0, 1)], "0,0>0,1", [(0, 0, 2**40, 0, 1)]],
)
def test_what_is_no_turn_at_all_is_illegal_too(answer: Any) -> None:
    state = small(vampires={(0, 0): 4}, werewolves={(2, 2): 5})
    for refuse in (state.check, state.chances, state.play):
        with pytest.raises(IllegalAction):
            refuse(answer)
    assert answer not in state.actions()


def test_counts_out_of_all_bounds_are_illegal_however_they_are_written() -> None:
    state = small(vampires={(0, 0): 4}, werewolves={(2, 2): 5})
    most = 2**31 - 1
    for refuse in (state.check, state.chances, state.play):
        with pytest.raises(IllegalAction):
            refuse([(0, 0, most, 0, 1), (0, 0, most, 0, 1)])
    assert agree(state, [(0, 0, most, 0, 1), (0, 0, most, 1, 1)], Random(0)) is None


# The end


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("state", "winner", "reason", "detail"),
    [
        (small(vampires={(0, 0): 1}), 0, "elimination", "the Werewolves are gone"),
        (small(werewolves={(0, 0): 1}), 1, "elimination", "the Vampires are gone"),
        (small(), 1, "elimination", "both species are gone, which the Werewolves win"),
        (small(first="werewolves"), 0, "elimination", "both species are gone, which the Werewolves win"),
        (
            small(vampires={(0, 0): 3}, werewolves={(1, 1): 2}, ply=200),
            0,
            "ply limit",
            "3 vampires and 2 werewolves after 200 plies",
        ),
        (
            small(vampires={(0, 0): 2}, werewolves={(1, 1): 1, (1, 2): 2}, ply=9, plies=9),
            1,
            "ply limit",
            "2 vampires and 3 werewolves after 9 plies",
        ),
        (
            small(vampires={(0, 0): 3}, werewolves={(1, 1): 3}, ply=201),
            None,
            "ply limit",
            "3 vampires and 3 werewolves after 201 plies",
        ),
        (small(vampires={(0, 0): 3}, ply=200), 0, "elimination", "the Werewolves are gone"),
        (
            small(
                vampires={(x, y): 1 for x in range(2) for y in range(3)},
                werewolves={(2, 2): 9},
                majority=True,
            ),
            0,
            "majority",
            "the Vampires occupy more than half of the cells",
        ),
        (
            small(rows=1, werewolves={(0, 0): 1, (1, 0): 1}, vampires={(2, 0): 9}, majority=True, ply=200),
            1,
            "majority",
            "the Werewolves occupy more than half of the cells",
        ),
    ],
)
def test_ends(state: VampiresState, winner: Any, reason: str, detail: str) -> None:
    assert state.result == Result(winner, reason, detail) == state.adjudicate()
    assert summary(state) == oracle.end(as_oracle(state))
    assert not state.actions()
    assert list(state.actions()) == []
    assert state.actions().count() == 0
    for refuse in (
        state.skip,
        lambda: state.check([(0, 0, 1, 1, 0)]),
        lambda: state.actions().sample(Random(0)),
    ):
        with pytest.raises(IllegalAction, match="the game is over"):
            refuse()


@pytest.mark.parametrize(
    "state",
    [
        small(vampires={(0, 0): 3}, werewolves={(1, 1): 2}, ply=199),
        small(vampires={(x, y): 1 for x in range(2) for y in range(3)}, werewolves={(2, 2): 9}),
        small(rows=2, columns=2, vampires={(0, 0): 1, (1, 1): 1}, werewolves={(0, 1): 9}, majority=True),
    ],
)
def test_games_that_go_on(state: VampiresState) -> None:
    assert state.result is None
    assert state.actions()


def test_adjudication_counts_creatures() -> None:
    ahead = small(vampires={(0, 0): 3, (0, 1): 1}, werewolves={(1, 1): 2})
    assert ahead.adjudicate() == Result(0, "stopped", "4 vampires and 2 werewolves when play stopped")
    assert small(vampires={(0, 0): 2}, werewolves={(1, 1): 2}).adjudicate().winner is None
    assert ahead.result is None


def test_sides_are_an_order_and_species_are_not() -> None:
    state = small(
        vampires={(0, 0): 4}, werewolves={(2, 2): 5}, to_move="werewolves", first="werewolves", plies=2
    )
    assert (state.side, state.species, state.sides) == (0, "werewolves", ("Werewolves", "Vampires"))
    assert state.score() == (5, 4)
    assert (dict(state.own), dict(state.foes)) == ({(2, 2): 5}, {(0, 0): 4})
    after = state.play([(2, 2, 1, 2, 1)])
    assert (after.side, after.species) == (1, "vampires")
    end = after.skip()
    assert end.result is not None
    assert end.result.winner == 0
    assert end.result.describe(end.sides).startswith("Werewolves")


@pytest.mark.kernel
def test_a_skipped_turn_changes_only_who_is_to_move() -> None:
    state = small(humans={(1, 1): 2}, vampires={(0, 0): 4}, werewolves={(2, 2): 5}, plies=2)
    once = state.skip()
    assert (once.ply, once.species, once.side) == (1, "werewolves", 1)
    assert (once.humans, once.vampires, once.werewolves) == (state.humans, state.vampires, state.werewolves)
    assert once.skip().result == Result(1, "ply limit", "4 vampires and 5 werewolves after 2 plies")


# Random play, compiled


def records(seed: int) -> tuple[Any, Any]:
    turn = Record.new(kernel.COMPACT_TURN)
    turn.seed = seed
    return Record.new(kernel.COMPACT), turn


@pytest.mark.kernel
def test_random_turns_are_legal() -> None:
    rng = Random(5)
    record, turn = records(5)
    for _ in range(150):
        scale = rng.choice(((1, 9), (100, 255)))
        state = random_position(rng, scale=scale)
        packing.unpack(record, state._packed)
        playout.random_turn(record, turn)
        moves = turn.moves[: turn.n].tolist()
        state.check(moves)
        assert all(count == state.own[x, y] for x, y, count, _, _ in moves)
        assert np.all(turn.dice[: turn.n] == kernel.UNROLLED)


@pytest.mark.kernel
def test_a_playout_ends_where_the_game_ends() -> None:
    rng = Random(6)
    record, turn = records(6)
    for _ in range(20):
        state = random_position(rng, rules=VampiresRules(name=rng.choice(("handout", "server")), plies=30))
        plies = playout.playout(record, turn, state._packed)
        assert 1 <= plies <= 30 - state.ply
        packed = np.empty(2000, np.int32)
        end = VampiresState._from_packed(packed[: packing.pack(record, 0, packed)], state.rules)
        assert end.ply == state.ply + plies
        assert end.result is not None
        assert [sum(end.vampires.values()), sum(end.werewolves.values())] == record.people.tolist()


def test_playouts_count_what_the_twin_in_c_counts() -> None:
    record, turn = records(7)
    people = np.zeros(2, np.int64)
    turns = playout.playouts(record, turn, parse_position(BENCH)._packed, 200, people)
    checksum = int(3 * people[0] + people[1]) + int(turn.seed) % 2**31
    assert (turns, checksum) == TWIN


TWIN = (17623, 383449618)
"""What `vampires 200 7` prints."""


def test_a_position_that_cannot_be_is_refused() -> None:
    with pytest.raises(NoctagonError, match="holds both humans and vampires"):
        small(humans={(0, 0): 1}, vampires={(0, 0): 1})


def test_a_move_is_told_by_its_number_as_it_was_sent() -> None:
    state = game.parse_position("9x9 V5,5:3 W8,8:3 V 0")
    moves = [(5, 5, 1, 5, 6), (0, 0, 9, 0, 1)]
    for step in (state.check, state.play, state.chances, lambda moves: state.resolve(moves, ())):
        with pytest.raises(IllegalAction, match="move 2"):
            step(moves)
