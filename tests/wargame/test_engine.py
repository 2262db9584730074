"""The champion's search: the same values as minimax, wins that are wins, and never more than it was given."""

from __future__ import annotations

import time
from random import Random
from threading import Timer
from typing import Any

import pytest

from noctagon.core.clock import Clock
from noctagon.core.game import NoctagonError
from noctagon.core.player import PlayerSpec
from noctagon.games.wargame import Action, WargameState, game
from noctagon.games.wargame.champion import endings
from noctagon.games.wargame.champion.search import DEEPEST, FULL_WINDOW, LOSSY, Engine, new_table
from noctagon.games.wargame.players import evaluation
from noctagon.games.wargame.players.search import KernelSearch
from noctagon.games.wargame.players.searchers import ChampionPlayer
from noctagon.games.wargame.rules import notation
from noctagon.players import make_player
from noctagon.search.tree import DECIDED, WIN, Budget
from tests.wargame.positions import artificial

MIDDLE = ". . dT9 . aP9 dA9 dP9 dF5 aF2 . . dT9 . . aV9 aP9 . dF9 . . . . . aV9 aA9 a 24"
FORCED = "dA9 . . . . . dT3 . . . . . aV9 . . . . . aP9 . . . . . aA9 a 30"
"""The attacker wins in a few plies."""
BLIND = ("e0", "e1", "health")
"""Evaluations that do not know how many turns there are left."""


def positions(rng: Random, count: int) -> list[WargameState]:
    """Positions that still go on, of random games and made up, far from the turn limit and near it, by both rules."""
    found: list[WargameState] = []
    while len(found) < count:
        rules = game.make_rules(rng.choice(["document", "engine"]), plies=rng.choice([9, 10, 40, 100]))
        state = game.initial(artificial(rng) if rng.random() < 0.5 else None, rules)
        for _ in range(rng.randint(0, 38) if state.ply == 0 else 0):
            if state.result is None:
                actions = [action for action in state.actions() if action.source != action.target]
                state = state.play(rng.choice(actions or list(state.actions())))
        if state.result is None:
            found.append(state)
    return found


def exact(heuristic: evaluation.Heuristic, *without: str, **options: Any) -> Engine:
    """An engine that leaves nothing out and stops at the horizon."""
    return Engine(heuristic, without=(*LOSSY, *without), quiet=0, **options)


def mirrored(state: WargameState) -> WargameState:
    cells = [state.cells[cell % 5 * 5 + cell // 5] for cell in range(25)]
    return game.parse_position(notation.format_position(cells, state.side, state.ply), state.rules)


@pytest.mark.kernel
def test_a_shallow_look_finds_what_minimax_finds() -> None:
    state = game.parse_position(MIDDLE)
    for depth in (1, 2):
        found = exact(evaluation.e1).search(state, depth)
        plain = KernelSearch(evaluation.e1, prune=False).search(state, depth)
        assert (found.value, len(found.line)) == (plain.value, depth)


@pytest.mark.parametrize(
    "without", ["", "table", "principal variation", "symmetry", "capture order", "killers and history"]
)
def test_what_leaves_nothing_out_finds_what_alphabeta_finds(without: str) -> None:
    rng = Random(without)
    for state in positions(rng, 100):
        heuristic = game.evaluations[rng.choice(BLIND)]
        depth = rng.randint(1, 4)
        plain = KernelSearch(heuristic).search(state, depth)
        found = exact(heuristic, without).search(state, depth)
        assert found.value == plain.value
        assert found.action == found.line[0]


@pytest.mark.parametrize("without", [(), LOSSY])
def test_a_forced_win_is_one_and_takes_as_long_as_told(without: tuple[str, ...]) -> None:
    rng = Random(1)
    seen = 0
    for state in positions(rng, 250):
        *_, found = Engine(evaluation.champion, without=without).deepen(state, 4)
        plies = int(WIN - abs(found.value))
        if abs(found.value) < DECIDED or plies > 7:
            continue
        seen += 1
        assert KernelSearch(evaluation.e0).search(state, plies).value == found.value
    assert seen > 60


def test_one_table_for_all_turns_never_claims_a_win_that_comes_too_late() -> None:
    rng = Random(2)
    seen = 0
    for _ in range(40):
        text = artificial(rng).rsplit(" ", 1)[0]
        for rules in ("document", "engine"):
            table = new_table()
            for ply in (0, 2, 94, 91, 96, 97, 98, 90, 99):
                state = game.initial(f"{text} {ply}", game.make_rules(rules))
                if state.result is not None:
                    continue
                for depth in (5, 2, 3):
                    found = exact(evaluation.health, table=table).search(state, depth)
                    plies = int(WIN - abs(found.value))
                    if plies <= 6:
                        seen += 1
                        assert plies <= 100 - ply
                        assert KernelSearch(evaluation.e0).search(state, plies).value == found.value
                    elif abs(found.value) < DECIDED:
                        assert abs(KernelSearch(evaluation.e0).search(state, depth).value) < DECIDED
    assert seen > 200


def test_a_position_and_its_mirror_image_are_worth_the_same() -> None:
    for state in positions(Random(3), 30):
        table = new_table()
        one = exact(evaluation.e1, table=table).search(state, 3)
        other = exact(evaluation.e1, table=table).search(mirrored(state), 3)
        assert one.value == other.value
        assert other.action in mirrored(state).actions()


def test_only_the_given_actions_are_looked_at_whatever_the_table_knows() -> None:
    for state in (game.initial(), game.parse_position(MIDDLE), game.parse_position(FORCED)):
        engine = Engine(evaluation.champion)
        *_, found = engine.deepen(state, 6)
        actions = list(state.actions())
        for _ in range(3):
            actions.remove(found.action)
            finished, best = engine._look(state, list(actions), 6)
            assert finished
            assert best is not None
            assert best.action in actions
            assert best.line[0] == best.action
            found = best


def test_a_budget_of_nodes_is_never_exceeded_and_repeats() -> None:
    for state in (game.initial(), game.parse_position(MIDDLE)):
        depths = []
        for nodes in (0, 1, 11, 13, 100, 3000, 30_000):
            results = []
            for _ in range(2):
                engine = Engine(evaluation.champion, budget=Budget(nodes=nodes))
                findings = list(engine.deepen(state, DEEPEST))
                assert engine.tally.nodes == nodes
                assert findings[-1].action in state.actions()
                results.append(findings)
            assert results[0] == results[1]
            depths.append(results[0][-1].depth)
        assert depths == sorted(depths)
        assert depths[-1] >= 6


def test_a_look_that_the_budget_ended_may_still_have_found_something_better() -> None:
    changed = 0
    for state in positions(Random(4), 30):
        for nodes in (500, 2000):
            findings = list(Engine(evaluation.champion, budget=Budget(nodes=nodes)).deepen(state, DEEPEST))
            before, last = findings[-2:] if len(findings) > 1 else findings * 2
            assert last.line[0] == last.action
            changed += last.depth == before.depth and last.action != before.action
    assert changed > 0


def test_late_or_stopped_it_gives_what_it_has() -> None:
    state = game.initial()
    late = Engine(evaluation.champion, budget=Budget(deadline=time.monotonic() - 1))
    *_, last = late.deepen(state, DEEPEST)
    assert (last.depth, late.tally.nodes) == (0, 0)
    assert last.action in state.actions()
    for threads in (1, 2):
        engine = Engine(evaluation.champion, threads=threads)
        timer = Timer(0.1, engine.stop)
        timer.start()
        *_, last = engine.deepen(state, DEEPEST)
        timer.join()
        assert last.depth < DEEPEST


def test_threads_share_the_table_and_the_nodes() -> None:
    engine = Engine(evaluation.champion, threads=2, budget=Budget(nodes=20_000))
    *_, last = engine.deepen(game.initial(), DEEPEST)
    assert last.depth >= 4
    assert 10_000 <= engine.tally.nodes <= 20_000
    *_, alone = Engine(evaluation.champion).deepen(game.parse_position(FORCED), 9)
    *_, together = Engine(evaluation.champion, threads=2).deepen(game.parse_position(FORCED), 9)
    assert alone.value == together.value > DECIDED


def test_it_wins_what_is_won_and_tells_how() -> None:
    state = game.parse_position(FORCED)
    *_, found = Engine(evaluation.champion).deepen(state, 20)
    assert found.value > DECIDED
    assert len(found.line) == WIN - found.value
    for action in found.line:
        state = state.play(action)
    assert state.result is not None
    assert state.result.winner == 0


def test_the_limit_counts_as_what_it_is() -> None:
    """Three plies before the end the attacker cannot win any more; one ply more or less does not change that."""
    text = "dA9 dT9 . . . . . . . . . . . . . . . . . . . . . aV9 aA9"
    for ply, side in ((97, "d"), (96, "a"), (99, "d")):
        *_, found = Engine(evaluation.champion).deepen(game.parse_position(f"{text} {side} {ply}"), 10)
        assert found.value == -(WIN - (100 - ply))


def test_with_the_tables_of_endings_the_last_plies_are_known_at_once() -> None:
    rng = Random(6)
    tables = endings.gather({endings.PAIR: endings.work_out(endings.PAIR, b"")})
    for _ in range(60):
        cells = ["."] * 25
        for cell, side in zip(rng.sample(range(25), 2), "ad", strict=True):
            cells[cell] = f"{side}A{rng.randint(1, 9)}"
        left = rng.randint(2, 7)
        text = " ".join([*cells, rng.choice("ad"), str(100 - left)])
        state = game.initial(text, game.make_rules(rng.choice(["document", "engine"])))
        found = Engine(evaluation.champion, endings=tables).search(state, 2)
        assert found.value == KernelSearch(evaluation.e0).search(state, left).value


def test_what_an_ending_is_worth_with_some_turns_left_is_not_taken_for_what_it_is_with_others() -> None:
    rng = Random(7)
    pair = endings.work_out(endings.PAIR, b"")
    tables = endings.gather({endings.PAIR: pair, "aF": endings.work_out("aF", pair)})
    spare = new_table()
    for _ in range(120):
        cells = ["."] * 25
        for cell, unit in zip(rng.sample(range(25), 4), ("aA", "dA", "aF", "dP"), strict=True):
            cells[cell] = f"{unit}{rng.randint(1, 3)}"
        text = " ".join([*cells, rng.choice("ad")])
        table = new_table()
        for ply in (85, 91, 88):
            state = game.initial(f"{text} {ply}")
            found = exact(evaluation.health, endings=tables, table=table).search(state, 3)
            alone = exact(evaluation.health, "table", endings=tables, table=spare).search(state, 3)
            assert found.value == alone.value


def test_what_is_better_than_expected_is_kept_if_the_budget_ends_before_it_is_known_how_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = game.parse_position(MIDDLE)
    actions = list(state.actions())
    engine = Engine(evaluation.champion)
    engine.last_value = -5000
    look = engine._look_within

    def look_and_have_no_nodes_left(*arguments: Any) -> bool:
        finished = look(*arguments)
        engine.works[0].most_nodes = engine.works[0].nodes
        return finished

    monkeypatch.setattr(engine, "_look_within", look_and_have_no_nodes_left)
    finished, found = engine._look(state, actions, FULL_WINDOW + 1)
    assert not finished
    assert found is not None
    assert found.action in actions
    assert found.value > engine.last_value


def test_the_champion_tells_what_it_did() -> None:
    player = make_player(PlayerSpec.parse("champion:nodes=20000"), game)
    decisions = list(player.think(game.initial(), Clock(None)))
    last = decisions[-1]
    thought = last.thought
    assert thought.depth >= 5
    assert thought.nodes == 20_000
    assert thought.score is not None
    assert max(len(decision.thought.line) for decision in decisions) >= 5
    assert thought.line[0] == game.format_action(last.action)
    terms = player.explain(game.initial(), last.action)
    assert sum(terms.values()) == evaluation.onslaught(game.initial().play(last.action))


def test_two_hundredths_of_a_second_are_enough_for_a_legal_action() -> None:
    player = make_player(PlayerSpec.parse("champion"), game)
    for state in positions(Random(5), 20):
        assert player.choose(state, Clock(0.02)).action in state.actions()
    over = game.parse_position("dA9 . . . . . . . . . . . . . . . . . . . . . . . . a 3")
    with pytest.raises(NoctagonError, match="the game is over"):
        player.choose(over, Clock(0.02))


def test_the_champion_attacks_and_defends_by_weights_of_their_own() -> None:
    player = make_player(PlayerSpec.parse("champion:nodes=1000"), game)
    assert isinstance(player, ChampionPlayer)
    assert player.search(game.initial(), Budget()).heuristic is evaluation.onslaught
    table = player.table
    assert player.search(game.initial(), Budget()).table is table
    defending = player.search(game.initial().play(Action(14, 13)), Budget())
    assert defending.heuristic is evaluation.bulwark
    assert defending.table is not table
    strange = game.initial("dA9 . . . . . . . . . . . . . . . . . . . . . . aT9 aA9 a 0")
    assert player.search(strange, Budget()).heuristic is evaluation.assault
    assert player.search(strange.play(Action(23, 22)), Budget()).heuristic is evaluation.champion
    other = make_player(PlayerSpec.parse("champion:heuristic=e2"), game)
    assert isinstance(other, ChampionPlayer)
    assert other.search(game.initial(), Budget()).heuristic is evaluation.e2


def test_an_engaged_ai_that_cannot_strike_its_besieger_down_is_in_trouble() -> None:
    free = WargameState.from_units({"D3": "aA6", "D1": "dF9", "E4": "aV9", "A0": "dA9", "A4": "dT9"})
    besieged = WargameState.from_units({"D3": "aA6", "D2": "dF9", "E4": "aV9", "A0": "dA9", "A4": "dT9"})
    weak = WargameState.from_units({"D3": "aA6", "D2": "dF2", "E4": "aV9", "A0": "dA9", "A4": "dT9"})
    siege = [evaluation.assault.terms(state)["siege"] for state in (free, weak, besieged)]
    assert siege[0] == 0
    assert siege[1] > 0 > siege[2]


def test_the_champion_knows_the_endings_from_its_first_turn() -> None:
    player = make_player(PlayerSpec.parse("champion:depth=1"), game)
    assert player.endings.names == endings.NAMES


def test_the_champion_without_a_clock_ends() -> None:
    player = make_player(PlayerSpec.parse("champion:depth=5"), game)
    decision = player.choose(game.initial(), Clock(None))
    assert decision.thought.depth == 5


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("champion:threads=0", "champion: threads=0 should be from 1 to 64"),
        ("champion:threads=65", "champion: threads=65 should be from 1 to 64"),
        ("champion:depth=0", "champion: depth=0"),
        ("champion:depth=61", "champion: depth=61 is too large; it looks 1 to 60 plies ahead"),
        ("champion:heuristic=e9", "unknown evaluation of wargame 'e9'"),
    ],
)
def test_bad_options_are_refused_with_the_good_ones(text: str, says: str) -> None:
    with pytest.raises(NoctagonError) as caught:
        make_player(PlayerSpec.parse(text), game)
    assert says in str(caught.value)
