"""Each decision of the rules and each way to break them, by example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from noctagon.core.game import IllegalAction, NoctagonError, Result, Rules
from noctagon.games.wargame import Action, WargameRules, WargameState, game
from noctagon.games.wargame.rules.notation import parse_action

if TYPE_CHECKING:
    from noctagon.core.game import Side

AIS = {"A0": "dA9", "E4": "aA9"}
"""Both AIs, far from everything in the middle."""


def place(units: dict[str, str], *, side: Side = 0, ply: int = 0, **rules: Any) -> WargameState:
    return WargameState.from_units({**AIS, **units}, side=side, ply=ply, rules=WargameRules(**rules))


def after(state: WargameState, *moves: str) -> dict[str, str]:
    """The units after some moves, without the two AIs that only stand by."""
    for move in moves:
        state = state.play(parse_action(move))
    return {cell: unit for cell, unit in state.units.items() if AIS.get(cell) != unit}


def test_a_unit_moves_to_an_empty_neighbour() -> None:
    assert after(game.initial(), "C4 C3")["C3"] == "aP9"
    assert "C4" not in after(game.initial(), "C4 C3")


def test_combat_hurts_both() -> None:
    assert after(place({"C2": "aV9", "C3": "dT9"}), "C2 C3") == {"C2": "aV3", "C3": "dT3"}


def test_both_take_the_full_damage_even_when_one_dies() -> None:
    assert after(place({"C2": "aV9", "C3": "dT1"}), "C2 C3") == {"C2": "aV3"}
    assert after(place({"C2": "aV6", "C3": "dT6"}), "C2 C3") == {}


def test_attack_reaches_the_four_neighbours_only() -> None:
    state = place({"C2": "aP9", "B2": "dF9", "C1": "dF9", "C3": "dF9", "D2": "dF9", "B1": "dF9"})
    for target in ("B2", "C1", "C3", "D2"):
        assert parse_action(f"C2 {target}") in state.actions()
    refused(state, "C2 B1", 3, "B1 is not beside C2")


@pytest.mark.parametrize(
    ("healer", "patient", "healed"),
    [
        ("aA9", "aV3", "aV4"),
        ("aA9", "aT8", "aT9"),
        ("aT1", "aA3", "aA6"),
        ("aT1", "aF8", "aF9"),
        ("aT1", "aP1", "aP4"),
    ],
)
def test_repair_adds_the_table_value_up_to_nine(healer: str, patient: str, healed: str) -> None:
    state = WargameState.from_units({"A0": "dA9", "C2": healer, "C3": patient})
    if "A" not in healer + patient:
        state = WargameState.from_units({**AIS, "C2": healer, "C3": patient})
    assert state.play(parse_action("C2 C3")).units["C3"] == healed


@pytest.mark.parametrize("kind", ["A", "F", "P"])
def test_engaged_units_stay_except_virus_and_tech(kind: str) -> None:
    others = {"A0": "dA9"} if kind == "A" else AIS
    state = WargameState.from_units({**others, "C2": f"a{kind}9", "D2": "dF9"})
    with pytest.raises(IllegalAction, match="cannot move"):
        state.play(parse_action("C2 B2"))
    for nimble in "VT":
        assert parse_action("C2 B2") in place({"C2": f"a{nimble}9", "D2": "dF9"}).actions()


def test_a_diagonal_enemy_engages_nobody() -> None:
    assert parse_action("C2 B2") in place({"C2": "aP9", "D3": "dT9", "B1": "dT9"}).actions()


@pytest.mark.parametrize(("side", "ways"), [(0, "B2 C1"), (1, "C3 D2")])
def test_slow_units_go_one_way_and_nimble_ones_any(side: Side, ways: str) -> None:
    letter = "ad"[side]
    for kind in "FPVT":
        state = place({"C2": f"{letter}{kind}9"}, side=side)
        moves = {str(action)[3:] for action in state.actions() if action.source == 12 != action.target}
        assert moves == (set(ways.split()) if kind in "FP" else {"B2", "C1", "C3", "D2"})


def test_self_destruct_hits_all_eight_neighbours_friends_too() -> None:
    around = {
        "B1": "dF9",
        "B2": "aP9",
        "B3": "dP2",
        "C1": "aV1",
        "C3": "aT3",
        "D1": "dT9",
        "D2": "dV9",
        "D3": "aF9",
    }
    state = place({"C2": "aP1", **around, "E2": "dF9"})
    assert after(state, "C2 C2") == {
        "B1": "dF7",
        "B2": "aP7",
        "C3": "aT1",
        "D1": "dT7",
        "D2": "dV7",
        "D3": "aF7",
        "E2": "dF9",
    }


def test_self_destruct_is_always_legal() -> None:
    state = place({"C2": "aF9", "C3": "dF9", "B2": "dF9", "D2": "dF9", "C1": "dF9"})
    assert parse_action("C2 C2") in state.actions()


def test_an_ai_that_destroys_itself_is_destroyed() -> None:
    result = game.initial().play(parse_action("E4 E4")).result
    assert result == Result(1, "AI destroyed", "the Attacker's AI is destroyed after 1 turn")


def test_the_defender_loses_with_its_ai() -> None:
    result = place({"A1": "aV9"}).play(parse_action("A1 A0")).result
    assert result == Result(0, "AI destroyed", "the Defender's AI is destroyed after 1 turn")


def test_both_ais_destroyed_is_a_win_for_the_defender() -> None:
    state = WargameState.from_units({"B2": "dA2", "B3": "aA2"}, side=1, ply=6)
    result = state.play(parse_action("B2 B3")).result
    assert result == Result(1, "both AIs destroyed", "both AIs are destroyed after 7 turns")
    assert WargameState.from_units({"B2": "dA2", "B3": "aA2"}).play(parse_action("B3 B3")).result == Result(
        1, "both AIs destroyed", "both AIs are destroyed after 1 turn"
    )


def test_the_limit_counts_the_turns_of_both_and_is_the_defenders() -> None:
    state = game.initial(rules=game.make_rules(plies=2)).play(parse_action("C4 C3"))
    assert state.result is None
    assert state.play(parse_action("C0 D0")).result == Result(
        1, "turn limit", "the limit is reached after 2 turns"
    )


@pytest.mark.parametrize(
    ("limit_first", "winner", "reason"), [(False, 0, "AI destroyed"), (True, 1, "turn limit")]
)
def test_a_kill_on_the_last_turn(limit_first: bool, winner: int, reason: str) -> None:
    state = place({"A1": "aV9"}, ply=9, plies=10, limit_first=limit_first)
    result = state.play(parse_action("A1 A0")).result
    assert result is not None
    assert (result.winner, result.reason) == (winner, reason)
    before = place({"A1": "aV9"}, ply=8, plies=10, limit_first=limit_first)
    assert before.play(parse_action("A1 A0")).result == Result(
        0, "AI destroyed", "the Defender's AI is destroyed after 9 turns"
    )


def test_the_usual_limit_is_a_hundred_turns() -> None:
    assert game.initial().rules == WargameRules(name="document", plies=100, limit_first=False)
    assert game.make_rules("engine") == WargameRules(name="engine", plies=100, limit_first=True)


def test_stopped_early_the_attacker_has_not_won() -> None:
    assert game.initial().adjudicate() == Result(1, "stopped", "play stopped with both AIs alive")
    assert place({"A1": "aV9"}).play(parse_action("A1 A0")).adjudicate().winner == 0


def test_late_is_lost_and_no_turn_is_skipped() -> None:
    assert (game.late, game.turn_seconds, game.abilities.skip) == ("lose", 5.0, False)
    with pytest.raises(IllegalAction, match="cannot be skipped"):
        game.initial().skip()


def refused(state: WargameState, action: str | Action, rule: int, message: str) -> None:
    """The action is illegal, by `check`, by `play` and by `in`, for that reason."""
    if isinstance(action, str):
        action = parse_action(action)
    for attempt in (state.check, state.play):
        with pytest.raises(IllegalAction) as caught:
            attempt(action)
        assert message in str(caught.value)
        assert caught.value.rule == rule
    assert action not in state.actions()


def test_rule_1_cells_of_the_board() -> None:
    refused(game.initial(), Action(14, 25), 1, "the target is not on the board")
    refused(game.initial(), Action(-1, 3), 1, "the source is not on the board")
    refused(game.initial(), Action(10**30, 0), 1, "the source is not on the board")


@pytest.mark.parametrize("stranger", [None, (1, 2, 3), ("C4", "C3"), 7, (1.5, 2), "ab"])
def test_rule_1_strange_objects(stranger: Any) -> None:
    with pytest.raises(IllegalAction, match="is not an action") as caught:
        game.initial().check(stranger)
    assert caught.value.rule == 1
    assert stranger not in game.initial().actions()


def test_rule_2_a_unit_of_the_mover() -> None:
    refused(game.initial(), "B2 B3", 2, "B2: no unit stands there")
    refused(game.initial(), "A0 A0", 2, "A0: dA9 is the enemy's, and the Attacker is to move")
    refused(place({}, side=1), "E4 E4", 2, "E4: aA9 is the enemy's, and the Defender is to move")


@pytest.mark.parametrize("target", ["A4", "D3", "B3", "C2", "E4", "D0"])
def test_rule_3_neighbours(target: str) -> None:
    refused(game.initial(), f"C4 {target}", 3, f"{target} is not beside C4")


def test_rule_3_rows_do_not_wrap() -> None:
    refused(place({"C0": "aV9"}), "C0 B4", 3, "B4 is not beside C0")
    refused(place({"B4": "aV9"}), "B4 C0", 3, "C0 is not beside B4")


def test_rule_4_engaged() -> None:
    state = place({"C4": "aP9", "C3": "dT9"})
    refused(state, "C4 B4", 4, "C4: an engaged Program cannot move: a dTech stands beside it at C3")
    state = place({"C3": "dF9", "C4": "aV9"}, side=1)
    refused(state, "C3 D3", 4, "C3: an engaged Firewall cannot move: an aVirus stands beside it at C4")


def test_rule_5_directions() -> None:
    refused(game.initial(), "D3 E3", 6, "a Firewall cannot repair a Virus")
    refused(game.initial(), "C4 D4", 6, "a Program cannot repair a Virus")
    refused(place({"C2": "aP9"}), "C2 C3", 5, "C2 C3: the Attacker's Program moves only up or left")
    refused(
        place({"C2": "dF9"}, side=1), "C2 B2", 5, "C2 B2: the Defender's Firewall moves only down or right"
    )
    refused(
        place({}, side=1).play(Action(0, 1)).play(Action(24, 23)), "A1 A0", 5, "AI moves only down or right"
    )


def test_rule_6_repair_values() -> None:
    refused(place({"C2": "aT9", "C3": "aV3"}), "C2 C3", 6, "C2 C3: a Tech cannot repair a Virus")
    refused(place({"E3": "aP3"}), "E4 E3", 6, "E4 E3: an AI cannot repair a Program")
    refused(place({"E3": "aV3"}), "E3 E4", 6, "E3 E4: a Virus cannot repair an AI")


def test_rule_7_repair_of_the_healthy() -> None:
    refused(place({"C2": "aT9", "C3": "aP9"}), "C2 C3", 7, "the Program at C3 has full health")


def test_rule_8_after_the_end() -> None:
    over = game.initial().play(parse_action("E4 E4"))
    refused(over, "A2 A3", 8, "the game is over")
    refused(over, Action(77, 0), 8, "the game is over")
    assert over.actions().count() == 0


def test_dice_are_refused_and_chance_is_empty() -> None:
    state = game.initial()
    assert state.chances(parse_action("C4 C3")) == ()
    with pytest.raises(IllegalAction, match="nothing is left to chance"):
        state.play(parse_action("C4 C3"), (1,))


@pytest.mark.parametrize("plies", [0, -3, 2**31])
def test_impossible_limits_are_refused(plies: int) -> None:
    with pytest.raises(NoctagonError, match="plies"):
        game.make_rules(plies=plies)


def test_rules_of_another_game_are_refused() -> None:
    with pytest.raises(NoctagonError, match="played by WargameRules, not Rules"):
        game.initial(rules=Rules())
