"""The champion: its search against plain expectiminimax, the turns it looks at, and its limits."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

from noctagon.core.clock import Clock
from noctagon.core.game import NoctagonError
from noctagon.core.player import Decision, GameStart, PlayerSpec
from noctagon.games.vampires import game
from noctagon.games.vampires.champion.evaluation import champion
from noctagon.games.vampires.champion.search import DEEPEST, MOST_TURNS, POLICY, Engine, read_turn
from noctagon.games.vampires.rules.battle import Battle
from noctagon.games.vampires.rules.notation import parse_position
from noctagon.games.vampires.rules.ruleset import SPECIES, VampiresRules
from noctagon.games.vampires.rules.state import COMPACT_GROUPS, COMPACT_HOUSES, VampiresState
from noctagon.games.vampires.rules.turn import Turn
from noctagon.players import make_player
from noctagon.search.tree import DECIDED, WIN
from tests.vampires.hard_positions import HARD, hard_position
from tests.vampires.positions import random_position

NODES = 20_000


def decision(
    state: VampiresState, options: str = f"nodes={NODES}", seconds: float | None = None
) -> Decision[Any]:
    player = make_player(PlayerSpec.parse(f"champion:{options}"), game)
    player.start(GameStart(state), state.side)
    decided: Decision[Any] = player.choose(state, Clock(seconds))
    return decided


# The search against a slow one.


class Plain:
    """Expectiminimax with nothing left out, over the turns and with the evaluation of the champion's search.

    It works on records, for the order of their lists may break ties in the evaluation.
    """

    def __init__(self) -> None:
        from noctagon.compiled.jit import Record
        from noctagon.games.vampires.champion import network as engine_network
        from noctagon.games.vampires.champion import records as engine_work
        from noctagon.games.vampires.champion import turns as engine_turns
        from noctagon.games.vampires.champion import value as engine_value
        from noctagon.games.vampires.rules import kernel, packing

        self.turns, self.values, self.kernel, self.packing = engine_turns, engine_value, kernel, packing
        self.network = engine_network
        self.record, self.turn = Record.new(kernel.COMPACT), Record.new(kernel.COMPACT_TURN)
        self.work = Record.new(engine_work.WORK)
        self.fights = np.zeros((128, 5), np.int32)

    def value(self, state: VampiresState, turns: list[Turn], depth: int) -> int:
        """What a position is worth to the mover, who has these turns."""
        self.packing.unpack(self.record, state._packed)
        return max(self.turn_value(self.record.copy(), turn, depth, 0) for turn in turns)

    def listed(self, position: Any, most: int = MOST_TURNS) -> list[Turn]:
        found = self.turns.list_turns(position, self.work, 0, most, POLICY)
        return [read_turn(self.work.turn_n[0], self.work.turn_moves[0], turn) for turn in range(found)]

    def position_value(self, position: Any, depth: int, ply: int) -> int:
        won = self.values.SCALE - ply
        if ended := self.kernel.ended(position):
            winner = ended >> 3
            return 0 if winner == self.kernel.DRAW else won if winner == position.mover else -won
        if depth == 0:
            value = int(self.network.evaluate(position, self.work, champion.weights))
            return value if position.mover == 0 else -value
        found = self.turns.list_turns(position, self.work, 0, MOST_TURNS, POLICY)
        moves, counts = self.work.turn_moves[0].copy(), self.work.turn_n[0].copy()
        turns = [
            [(a & 255, a >> 8, n, b & 255, b >> 8) for a, n, b in moves[turn, : counts[turn]].tolist()]
            for turn in range(found)
        ]
        return max(self.turn_value(position, turn, depth, ply) for turn in turns)

    def turn_value(self, position: Any, moves: Any, depth: int, ply: int) -> int:
        """The average over what each random battle may come to; it decides no game, unless there is none."""
        self.load(moves)
        fights = [self.ways(*numbers) for numbers in self.fights[: self.battles(position), 2:].tolist()]
        total = 0.0
        for outcome in product(*fights):
            after = position.copy()
            self.load(moves)
            self.turn.dice[: len(fights)] = [left for left, _ in outcome]
            self.kernel.play(after, self.turn)
            probability = math.prod(likely for _, likely in outcome)
            total -= probability * self.position_value(after, depth - 1, ply + 1)
        most = self.values.DECIDED - 1
        value = math.floor(total + 0.5)
        return max(-most, min(most, value)) if fights else value

    def ways(self, attackers: int, defenders: int, humans: int) -> list[tuple[int, float]]:
        """A won battle, a lost one, and nobody left unless that happens less than one time in a hundred."""
        results = Battle((0, 0), attackers, defenders, humans=bool(humans), who="").results
        p = self.kernel.odds(attackers, defenders)
        nobody = results[0]
        if nobody < 0.01:
            strength = attackers + humans * defenders
            return [(math.floor(p * strength + 0.5), p), (-math.floor((1 - p) * defenders + 0.5), 1 - p)]
        found = [(0, nobody)]
        for sign in (1, -1):
            same = {left: likely for left, likely in results.items() if left * sign > 0}
            likely = math.fsum(same.values())
            mean = math.fsum(abs(left) * chance for left, chance in same.items()) / likely
            found.append((sign * math.floor(mean + 0.5), likely))
        return found

    def load(self, moves: Any) -> None:
        self.turn.n = len(moves)
        for place, move in enumerate(moves):
            self.turn.moves[place] = tuple(move)

    def battles(self, position: Any) -> int:
        return int(self.kernel.battles(position, self.turn, self.fights))


def few_groups(rng: Random) -> VampiresState:
    """A small position in which no turn has more than three random battles, all that the search averages over."""
    while True:
        state = random_position(rng, largest=5, scale=rng.choice(((1, 3), (1, 12), (5, 40))))
        if len(state.own) <= 2 and len(state.foes) <= 2 and len(state.humans) <= 5:
            turns = Engine()._root_actions(state)
            if max(len(state.chances(turn)) for turn in turns) <= 3:
                return state


@pytest.mark.parametrize(
    ("position", "percent"),
    [
        ("1x2 V0,0:1 W1,0:1 V 0", 25),  # both are gone half of the time, and then the Werewolves win
        ("1x2 V0,0:1 W1,0:1 W 1", 75),
        ("2x2 V1,1:3 W0,0:3 W 199", 56.25),
        ("3x3 V1,1:1 W1,0:1 V 199", 50),  # a battle on the last ply is worse than to keep away
    ],
)
def test_a_battle_after_which_nobody_may_be_left_is_weighed_exactly(position: str, percent: float) -> None:
    state = parse_position(position)
    thought = decision(state).thought
    assert thought.score is not None
    assert 50 * (thought.score / WIN + 1) == pytest.approx(percent, abs=0.2)


def test_a_battle_decides_nothing_for_sure() -> None:
    state = parse_position(
        "5x5 V0,0:10 V4,4:1 W1,1:7 V 0"
    )  # ten win against seven, and nearly all survive: 97 %
    thought = decision(state).thought
    assert thought.score is not None
    assert 0.9 * WIN < thought.score < DECIDED


@pytest.mark.parametrize(
    ("depth", "positions"), [pytest.param(1, 6, marks=pytest.mark.kernel), (1, 400), (2, 200), (3, 30)]
)
def test_the_search_finds_what_a_plain_one_finds(depth: int, positions: int) -> None:
    rng = Random(depth)
    plain = Plain()
    for _ in range(positions):
        state = few_groups(rng)
        engine = Engine(features=0, width=MOST_TURNS)
        turns = engine._root_actions(state)
        found = engine.search(state, depth)
        assert found.action in turns
        value, expected = int(engine.works[0].value), plain.value(state, turns, depth)
        rounding = 0 if abs(expected) > plain.values.DECIDED else 4  # it keeps odds in millionths
        assert abs(value - expected) <= rounding, state


# The turns it looks at.


def large_position(rng: Random) -> VampiresState:
    """A position of any size: up to 255 × 255, 300 houses, 40 groups a side, as many on a cell as the rules allow."""
    rules = VampiresRules(name=rng.choice(("handout", "server")), plies=rng.choice((20, 200, 1000)))
    rows, columns = rng.choice(((255, 255), (rng.randint(1, 255), rng.randint(2, 255)), (18, 20)))
    groups, houses = rng.choice((1, 2, 3, 4, 8, 40)), rng.choice((0, 3, 40, 300))
    spots = rng.sample(range(rows * columns), min(2 * groups + houses, rows * columns))
    most = rng.choice((3, 30, 255) if rules.name == "server" else (3, 30, 3000, 2_000_000))
    groups = min(groups, len(spots) // 2)
    content = {(spot % columns, spot // columns): rng.randint(1, most) for spot in spots}
    cells = list(content)
    return VampiresState(
        rows=rows,
        columns=columns,
        humans={cell: content[cell] for cell in cells[2 * groups :]},
        vampires={cell: content[cell] for cell in cells[:groups]},
        werewolves={cell: content[cell] for cell in cells[groups : 2 * groups]},
        to_move=rng.choice(SPECIES),
        ply=rng.randrange(rules.plies),
        rules=rules,
    )


@pytest.mark.parametrize("kind", [random_position, large_position])
def test_all_turns_it_looks_at_are_legal_and_different(kind: Callable[[Random], VampiresState]) -> None:
    rng = Random(2)
    engine = Engine()
    for _ in range(1500):
        state = kind(rng)
        turns = engine._root_actions(state)
        assert 0 < len(turns) <= MOST_TURNS
        assert len(set(turns)) == len(turns), state
        for turn in turns:
            state.check(turn)


@pytest.mark.parametrize("width", [1, 2, 3, 16])
def test_there_is_always_a_turn_to_look_at(width: int) -> None:
    rng = Random(3)
    plain = Plain()
    for _ in range(1000):
        state = random_position(rng)
        plain.packing.unpack(plain.record, state._packed)
        assert 0 < len(plain.listed(plain.record, width)) <= width, state


# Its limits.


@pytest.mark.parametrize("nodes", [1, 2, 10, 1000])
@pytest.mark.parametrize("threads", [1, 2])
def test_it_never_looks_at_more_nodes_than_allowed(nodes: int, threads: int) -> None:
    rng = Random(nodes)
    for _ in range(10):
        state = random_position(rng)
        decided = decision(state, f"nodes={nodes},threads={threads}")
        assert decided.thought.nodes <= nodes, state
        state.check(decided.action)


def test_it_does_the_same_again_by_nodes() -> None:
    rng = Random(4)
    for _ in range(10):
        state = random_position(rng)
        once, again = decision(state, "nodes=3000"), decision(state, "nodes=3000")
        assert once.action == again.action
        assert once.thought.line == again.thought.line
        assert (once.thought.nodes, once.thought.score) == (again.thought.nodes, again.thought.score)


def test_it_looks_no_deeper_than_it_can() -> None:
    assert make_player(PlayerSpec.parse(f"champion:depth={DEEPEST}"), game).name == "champion"
    with pytest.raises(NoctagonError, match="champion: depth=41 is too large; it looks 1 to 40 plies ahead"):
        make_player(PlayerSpec.parse("champion:depth=41"), game)


def test_it_tells_what_it_did() -> None:
    state = game.initial()
    decided = decision(state)
    assert decided.thought.depth >= 4
    assert decided.thought.line[0] == game.format_action(decided.action)
    assert decided.thought.table is not None
    assert 0 < decided.thought.table < 1
    after = state
    for text in decided.thought.line:
        turn = game.parse_action(text, after)
        assert not after.chances(turn) or text == decided.thought.line[-1]
        after = after.play(turn, after.roll(turn, Random(0)))


def test_its_score_is_a_chance_to_win_or_a_sure_end() -> None:
    rng = Random(5)
    for _ in range(60):
        score = decision(random_position(rng), "nodes=500").thought.score
        assert score is None or abs(score) <= WIN


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("rules", ["handout", "server"])
def test_hard_positions_get_a_legal_turn(name: str, rules: str) -> None:
    state = hard_position(name, rules)
    for options, seconds in (("nodes=200", None), ("threads=2,nodes=200", None), ("time=0.01", 0.02)):
        state.check(decision(state, options, seconds).action)


def test_more_than_the_compact_record_holds_gets_a_legal_turn() -> None:
    rng = Random(6)
    spots = [(spot % 60, spot // 60) for spot in rng.sample(range(3600), 1000)]
    state = VampiresState(
        rows=60,
        columns=60,
        humans=dict.fromkeys(spots[:600], 3),
        vampires={cell: rng.randint(1, 9) for cell in spots[600:800]},
        werewolves={cell: rng.randint(1, 9) for cell in spots[800:]},
    )
    assert len(state.humans) > COMPACT_HOUSES
    assert len(state.own) > COMPACT_GROUPS
    for options in ("nodes=3000", "nodes=3000,threads=2"):
        decided = decision(state, options)
        state.check(decided.action)
        assert decided.thought.depth >= 1


def test_there_is_nothing_to_decide_in_a_finished_game() -> None:
    for text in ("3x3 V0,0:3 V 10", "3x3 W0,0:3 V 10", "3x3 V0,0:3 W2,2:4 V 200"):
        with pytest.raises(NoctagonError, match="the game is over"):
            decision(parse_position(text))


def test_a_game_takes_no_more_and_more_memory() -> None:
    state = game.initial(rules=VampiresRules(name="server"))
    players = [make_player(PlayerSpec.parse("champion:nodes=300"), game) for _ in range(2)]
    for side, player in enumerate(players):
        player.start(GameStart(state), side)
    rng = Random(7)
    used = []
    tracemalloc.start()
    try:
        for _ in range(60):
            turn = players[state.side].choose(state, Clock(None)).action
            after = state.play(turn, state.roll(turn, rng))
            state = after if after.result is None else game.initial(rules=VampiresRules(name="server"))
            used.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert used[-1] - used[10] < 2_000_000
