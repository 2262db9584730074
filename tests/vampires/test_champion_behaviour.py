"""How the champion behaves: the twelve situations and more, each a position and what is sensible in it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from noctagon.compiled.jit import Record
from noctagon.core.clock import Clock
from noctagon.core.player import GameStart, PlayerSpec
from noctagon.games.vampires import game
from noctagon.games.vampires.champion.records import WORK
from noctagon.games.vampires.champion.value import find_strengths, race_worth
from noctagon.games.vampires.players.situations import (
    approaches,
    is_safe,
    is_sure,
    situations_met,
    takes,
    units_after,
)
from noctagon.games.vampires.rules.kernel import COMPACT
from noctagon.games.vampires.rules.notation import parse_position
from noctagon.games.vampires.rules.packing import unpack
from noctagon.games.vampires.rules.ruleset import Cell, VampiresRules, distance
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Turn
from noctagon.players import make_player
from noctagon.search.tree import DECIDED
from tests.vampires.test_champion import NODES, decision

HANDOUT, SERVER = VampiresRules(), VampiresRules(name="server")
Sensible = Callable[[VampiresState, Turn], bool]


def test_it_meets_the_twelve_situations() -> None:
    met = situations_met(f"champion:nodes={NODES}", game, seconds=None)
    assert [name for name, done in met.items() if not done] == []


def both_beside(cell: Cell) -> Sensible:
    """All groups end beside the cell."""
    return lambda state, turn: all(distance(unit, cell) == 1 for unit in units_after(state, turn))


def stays_whole(state: VampiresState, turn: Turn) -> bool:
    return len(units_after(state, turn)) == 1


def gambles(state: VampiresState, turn: Turn) -> bool:
    return not is_sure(state, turn)


def gathers(state: VampiresState, turn: Turn) -> bool:
    """The groups come nearer to each other, and none beside an enemy that eats it."""

    def spread(units: dict[Cell, int]) -> int:
        return sum(distance(one, other) for one in units for other in units)

    return spread(units_after(state, turn)) < spread(dict(state.own)) and is_safe(state, turn)


LARGE_HOUSES = " ".join(f"H{column},{row}:99" for row in (23, 25) for column in range(26))
"""More than forty houses that nobody can take."""

BEHAVIOURS: tuple[tuple[str, str, Sensible], ...] = (
    # Slightly ahead near the end, the limit wins the game and a battle may lose it.
    ("ahead, enemy two steps away", "7x9 V3,3:11 W5,3:10 V 190", is_sure),
    ("ahead, enemy beside", "7x9 V3,3:11 W4,3:10 V 196", is_sure),
    ("ahead on the last ply", "7x9 V3,3:11 W4,3:10 V 199", is_sure),
    ("ahead as Werewolves", "9x9 W3,3:14 V5,5:11 W 171", is_sure),
    # One behind on the last ply, only a battle can still win; or a house, if there is one.
    ("behind on the last ply", "5x5 V2,2:9 W3,2:10 V 199", gambles),
    ("one house on the last ply", "5x5 H1,2:2 V2,2:9 W3,2:10 V 199", takes((1, 2))),
    # Twenty-eight against nine win by coming together; eight against nine may lose their eight.
    ("leading, bad odds against enemies", "9x9 V2,3:8 V8,8:20 W3,3:9 V 40", is_sure),
    ("leading, bad odds against humans", "7x9 H4,3:9 V3,3:6 V0,0:9 W8,6:5 V 40", is_sure),
    # Two halves would be prey to an enemy that is no danger, or a smaller one, to the whole.
    ("houses on both sides of a hunter", "7x9 H3,1:3 H5,5:3 V4,3:14 W6,3:20 V 0", stays_whole),
    ("houses far apart", "9x9 H0,0:4 H8,0:4 V4,0:9 W4,2:12 V 0", stays_whole),
    ("an equal comes near", "7x9 V4,3:14 W7,3:16 V 30", stays_whole),
    # What both can reach goes to whoever is first; what only we can reach does not run away.
    ("disputed house, as Werewolves", "5x9 H8,2:5 H4,2:5 W6,2:6 V2,2:6 W 0 first=W", approaches((4, 2))),
    ("disputed house, upright", "9x5 H2,0:5 H2,4:5 V2,2:6 W2,6:6 V 0", approaches((2, 4))),
    ("disputed house, the larger", "9x15 H1,4:4 H7,4:8 V4,4:8 W10,4:8 V 0", approaches((7, 4))),
    (
        "disputed house in a harvest",
        f"26x26 H7,12:5 H13,12:5 {LARGE_HOUSES} V10,12:6 W18,12:6 V 0",
        approaches((13, 12)),
    ),
    # Three cannot take five humans, six can: who is there already waits for the others.
    ("waits for help", "3x9 H2,1:5 V1,1:3 V4,1:3 W8,1:5 V 0", both_beside((2, 1))),
    # Neither alone has 1.5 times as many, together they have.
    ("from two sides", "5x5 V1,2:6 V3,2:6 W2,2:7 W4,4:3 V 20", takes((2, 2))),
    ("from two corners", "7x7 V1,1:7 V3,3:7 W2,2:9 V 20", takes((2, 2))),
    ("from three sides", "7x7 V2,3:5 V4,3:5 V3,2:5 W3,3:10 W6,6:8 V 20", takes((3, 3))),
    ("a house from two sides", "5x7 H3,2:9 V2,2:5 V4,2:5 W6,4:8 V 20", takes((3, 2))),
    # Six beside ten are eaten.
    ("flees to a house", "15x15 H3,7:6 V6,7:6 W8,7:10 V 30", is_safe),
    ("flees from two", "15x15 V7,7:6 V1,1:6 W9,7:10 W7,9:10 V 30", is_safe),
    ("flees to its own", "9x9 V4,4:6 V2,4:8 W5,4:10 V 30", is_safe),
    # Apart they are prey, together they are not.
    ("gathers two", "9x9 V2,2:8 V6,2:8 W4,4:13 V 60", gathers),
    ("gathers two beside the hunter's way", "9x9 V1,4:7 V6,4:7 W4,7:11 V 60", gathers),
    ("gathers three", "9x9 V2,2:5 V4,2:5 V6,2:5 W4,5:9 V 60", gathers),
)


@pytest.mark.parametrize(
    ("position", "sensible"), [row[1:] for row in BEHAVIOURS], ids=[row[0] for row in BEHAVIOURS]
)
@pytest.mark.parametrize("rules", [HANDOUT, SERVER], ids=["handout", "server"])
def test_it_does_what_is_sensible(position: str, sensible: Sensible, rules: VampiresRules) -> None:
    state = parse_position(position, rules)
    decided = decision(state)
    assert sensible(state, Turn(decided.action)), decided


@pytest.mark.parametrize(
    ("size", "large_houses", "first"),
    [
        ("26x26", LARGE_HOUSES, (13, 12)),
        ("26x26", "", (8, 12)),
        ("26x25", LARGE_HOUSES.replace("H25,23:99 ", "").replace(" H25,25:99", ""), (8, 12)),
    ],
    ids=["a harvest", "few houses", "a smaller board"],
)
def test_in_a_harvest_the_race_is_for_disputed_houses_first(
    size: str, large_houses: str, first: Cell
) -> None:
    state = parse_position(f"{size} H8,12:5 H13,12:5 {large_houses} V10,12:6 W18,12:6 V 0", HANDOUT)
    s, w = Record.new(COMPACT), Record.new(WORK)
    unpack(s, state._packed)
    find_strengths(s, w)
    race_worth(s, w, 1.0, 0.0)
    goal = int(s.house_cell[w.racer_first[0, 0]])
    assert (goal & 255, goal >> 8) == first


@pytest.mark.parametrize(
    ("position", "waiting"),
    [
        # By the server's rules even prey may win the battle that it begins. Who has no other group has to move.
        ("1x6 V2,0:9 V5,0:1 W0,0:5 V 10", (2, 0)),
        ("1x7 W4,0:9 W1,0:2 V6,0:5 W 10", (4, 0)),
        # One step, and the four are eaten; the twelve come to help.
        ("1x8 V0,0:4 V5,0:12 W2,0:8 V 10", (0, 0)),
    ],
)
def test_one_group_waits_while_another_moves(position: str, waiting: Cell) -> None:
    state = parse_position(position, SERVER)
    turn = Turn(decision(state).action)
    assert all((move.x, move.y) != waiting for move in turn), turn


@pytest.mark.parametrize(
    "position",
    [
        "5x5 V2,2:9 V3,0:9 W0,0:5 V 50",
        "7x7 V2,1:9 V2,3:9 W0,2:5 V 50",
        "7x7 V3,3:9 V5,2:9 W1,1:5 V 50",
    ],
)
def test_it_traps_at_the_border(position: str) -> None:
    score = decision(parse_position(position)).thought.score
    assert score is not None
    assert score > DECIDED


def flee(state: VampiresState, rng: Random) -> Turn:
    """A turn that keeps everybody as far from the enemy as can be."""

    def away(turn: Turn) -> tuple[int, float]:
        units = units_after(state, turn)
        far = sum(
            count * min(4, *(distance(unit, foe) for foe in state.foes)) for unit, count in units.items()
        )
        return far, rng.random()

    turns = [turn for turn in state.candidates("joint") if not state.foes.keys() & units_after(state, turn)]
    return max(turns or list(state.candidates("joint")), key=away)


def against_one_who_flees(state: VampiresState, seed: int) -> list[tuple[VampiresState, Turn]]:
    """A game of the champion against one who only flees: its positions and turns."""
    rng = Random(seed)
    side = state.side
    player = make_player(PlayerSpec.parse("champion:nodes=2000"), game)
    player.start(GameStart(state, seed=seed), side)
    played = []
    while state.result is None:
        turn = Turn(player.choose(state, Clock(None)).action) if state.side == side else flee(state, rng)
        played.append((state, turn))
        state = state.play(turn, state.roll(turn, rng))
    assert state.result.winner == side
    return played


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    "position",
    [
        "7x9 V2,3:20 W6,3:5 V 120",
        "20x20 V1,1:24 W18,18:6 V 120",
        "10x10 V1,1:30 W8,8:6 W8,1:4 V 120",
        "9x9 H4,4:3 W1,1:24 V8,8:10 W 120 first=W",
    ],
)
def test_it_hunts_down_who_flees(position: str, seed: int) -> None:
    played = against_one_who_flees(parse_position(position), seed)
    last, turn = played[-1]
    result = last.play(turn, last.roll(turn, Random(seed))).result
    assert result is not None
    assert result.reason == "elimination"


@pytest.mark.parametrize("rules", [HANDOUT, SERVER], ids=["handout", "server"])
def test_a_small_lead_is_brought_home_without_a_battle(rules: VampiresRules) -> None:
    played = against_one_who_flees(parse_position("9x9 V2,2:11 W6,6:10 V 160", rules), 0)
    assert not any(state.chances(turn) for state, turn in played)
