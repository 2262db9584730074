"""The referee: whose turn it is, what a turn costs, and how a game ends."""

from importlib import import_module
from math import inf, nan
from random import Random
from typing import Any

import pytest

from noctagon.cli.watch import describe
from noctagon.core.clock import TimeControl
from noctagon.core.events import Ended, Played, Rewound, Skipped
from noctagon.core.game import BadNotation, NoctagonError, Result
from noctagon.core.match import LONGEST_DETAIL, Match
from noctagon.core.player import Thought
from noctagon.core.record import decode
from noctagon.core.registry import find_game
from noctagon.games.vampires import VampiresState
from noctagon.games.vampires.rules.ruleset import VampiresRules
from noctagon.web.tables.frames import frame_of

VAMPIRES = find_game("vampires")
WARGAME = find_game("wargame")


def small(**rules: Any) -> VampiresState:
    return VampiresState(
        rows=3,
        columns=3,
        vampires={(0, 0): 4},
        werewolves={(2, 2): 3},
        rules=VampiresRules(**rules),
    )


def test_a_turn_is_checked_played_and_recorded() -> None:
    match = Match(VAMPIRES, small())
    request = match.request()
    assert request is not None
    assert (request.side, request.seconds) == (0, 2.0)
    (event,) = match.answer([(0, 0, 4, 1, 1)], seconds=0.5, thought=Thought(depth=3))
    assert isinstance(event, Played)
    assert event.after is match.state
    turn = match.record().turns[0]
    assert (turn.action, turn.seconds, turn.thought) == ("0,0>1,1:4", 0.5, Thought(depth=3))


@pytest.mark.parametrize("number", [inf, -inf, nan])
def test_a_thought_with_a_number_that_no_record_can_hold_is_kept_without_it(number: float) -> None:
    match = Match(VAMPIRES, small())
    thought = Thought(
        depth=3, score=number, seconds=number, table=number, terms={"fear": number, "hope": 1.0}
    )
    match.answer([(0, 0, 4, 1, 1)], seconds=0.5, thought=thought)
    read = decode(match.record().to_json())
    assert read.turns[0].thought == Thought(depth=3, terms={"hope": 1.0})


def test_the_action_is_kept_as_it_was_sent() -> None:
    match = Match(VAMPIRES, small())
    match.answer("0 0 1 1 1; 0 0 3 0 1", seconds=0.1)
    assert match.turns[0].action == "0 0 1 1 1; 0 0 3 0 1"
    assert match.record().final() == match.state


def test_the_game_ends_with_the_board() -> None:
    match = Match(VAMPIRES, VampiresState(rows=3, columns=3, vampires={(0, 0): 6}, werewolves={(2, 2): 4}))
    assert len(match.answer("0,0>1,1", 0.1)) == 1
    assert len(match.answer("2,2>2,1", 0.1)) == 1
    played, ended = match.answer("1,1>2,1", 0.1)
    assert isinstance(played, Played)
    assert isinstance(ended, Ended)
    assert ended.result == Result(0, "elimination", "the Werewolves are gone")
    assert match.request() is None


def test_a_late_answer_is_a_lost_turn_or_a_lost_game() -> None:
    match = Match(VAMPIRES, small())
    (event,) = match.answer([(0, 0, 4, 1, 1)], seconds=2.01)
    assert isinstance(event, Skipped)
    assert match.state.side == 1
    assert match.turns[0].skipped == "late: answered after 2.01 s of 2"
    assert match.late == [1, 0]
    match = Match(WARGAME, time=TimeControl(turn=5))
    match.answer("C4 C3", seconds=5.01)
    assert match.result is not None
    assert (match.result.winner, match.result.reason) == (1, "time")


def test_an_untimed_side_may_take_its_time() -> None:
    match = Match(WARGAME, untimed=[0])
    match.answer("C4 C3", seconds=1000)
    assert match.result is None


@pytest.mark.parametrize(
    ("answer", "reason", "detail"),
    [
        ([(2, 2, 1, 1, 1)], "illegal turn", "cell (2,2) holds 3 werewolves, no vampires of yours: rule 2"),
        ([], "illegal turn", "rule 1"),
        ("gibberish", "garbage", "'gibberish': write x,y>tx,ty:count"),
        (None, "illegal turn", "a turn is a list of moves, not None"),
        ([(1, 2)], "illegal turn", "move 1 is (1, 2); a move is five whole numbers"),
    ],
)
def test_an_illegal_answer_loses_with_its_reason(answer: object, reason: str, detail: str) -> None:
    match = Match(VAMPIRES, small())
    match.answer(answer, 0.1)
    assert match.result is not None
    assert (match.result.winner, match.result.reason) == (1, reason)
    assert detail in match.result.detail
    assert match.illegal == [1, 0]
    assert match.record().final() == match.initial


@pytest.mark.parametrize(
    ("answer", "begins", "ends"),
    [
        (
            "x" * 100_000,
            "Vampires: move 1, 'xxx",
            "x': write x,y>tx,ty:count (as in 4,3>5,4:8), x,y>NE, or five numbers",
        ),
        ("4 " * 50_001, "Vampires: '4 4 ", " ': a move in plain numbers is five of them: x y count tx ty"),
        ([("x" * 100_000, 0, 0, 0, 0)], "Vampires: move 1 is ('xxx", ", target x, target y"),
        ([(10**5000, 0, 0, 0, 0)], "Vampires: move 1 has a number", "out of all bounds: <tuple>"),
    ],
    ids=["letters", "numbers", "no number", "huge"],
)
def test_of_a_long_answer_only_the_ends_are_repeated(answer: object, begins: str, ends: str) -> None:
    match = Match(VAMPIRES, small())
    match.answer(answer, seconds=0.1)
    assert match.result is not None
    assert match.result.detail.startswith(begins)
    assert match.result.detail.endswith(ends)
    assert len(match.result.detail) < 500


def test_nor_is_it_where_a_game_tells_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(text: str, state: object) -> None:
        raise BadNotation(f"what is {text}?")

    monkeypatch.setattr(WARGAME, "parse_action", refuse)
    match = Match(WARGAME)
    match.answer("x" * 100_000, seconds=0.1)
    assert match.result is not None
    half = LONGEST_DETAIL // 2
    assert match.result.detail == (
        f"Attacker: what is {'x' * (half - 8)}[… 99,009 letters …]{'x' * (half - 1)}?"
    )


def test_lenient_makes_it_a_lost_turn() -> None:
    match = Match(VAMPIRES, small(), lenient=True)
    (event,) = match.answer([], 0.1)
    assert isinstance(event, Skipped)
    assert event.turn.skipped.startswith("illegal: the turn has no move")


def test_the_games_time_is_looked_at_after_the_second_players_ply() -> None:
    match = Match(VAMPIRES, small(), time=TimeControl(turn=2, total=1.5))
    match.answer("0,0>0,1", 1.6)
    assert match.result is None
    match.answer("2,2>2,1", 0.1)
    assert match.result == Result(
        0, "time limit", "the game's 1.5 s are over: 4 vampires and 3 werewolves when play stopped"
    )


def test_rewinding_goes_back_to_an_earlier_position() -> None:
    match = Match(WARGAME)
    for action in ("C4 C3", "A2 A3", "D3 D2"):
        match.answer(action, 0.1)
    (event,) = match.rewind(1)
    assert isinstance(event, Rewound)
    assert [turn.action for turn in match.turns] == ["C4 C3"]
    assert match.state.ply == 1
    with pytest.raises(NoctagonError, match="ply 5 cannot be gone back to"):
        match.rewind(5)


def test_nobody_is_asked_after_the_end() -> None:
    match = Match(WARGAME)
    match.forfeit(0, "resignation", "enough")
    assert match.request() is None
    with pytest.raises(NoctagonError, match="the game is over"):
        match.answer("C4 C3", 0.1)


def test_the_same_seed_plays_the_same_dice() -> None:
    def play(seed: int) -> list[tuple[int, ...]]:
        match = Match(VAMPIRES, seed=seed)
        rng = Random(5)
        while match.result is None:
            match.answer(match.state.actions().sample(rng), 0.0)
        return [turn.dice for turn in match.turns]

    assert play(1) == play(1)
    assert play(1) != play(2)


def _counted(monkeypatch: pytest.MonkeyPatch, module: Any, names: tuple[str, ...]) -> list[str]:
    """Note every call of the kernel that checks an action."""
    calls: list[str] = []
    for name in names:
        kernel = getattr(module, name)

        def count(*arguments: Any, kernel: Any = kernel, name: str = name) -> Any:
            calls.append(name)
            return kernel(*arguments)

        monkeypatch.setattr(module, name, count)
    return calls


CHECKS = {
    "vampires": ("noctagon.games.vampires.rules.packing", ("check_packed", "battles_packed")),
    "wargame": ("noctagon.games.wargame.rules.kernel", ("illegal", "turn")),
}


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("as_text", [False, True])
def test_an_answer_is_checked_once_however_many_show_it(
    name: str, as_text: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = find_game(name)
    game.load()
    match = Match(game, seed=3)
    rng = Random(5)
    module, names = CHECKS[name]
    calls = _counted(monkeypatch, import_module(module), names)
    battles = 0
    while match.result is None:
        action = match.state.actions().sample(rng)
        calls.clear()
        event = match.answer(game.format_action(action) if as_text else action, 0.1)[0]
        assert isinstance(event, Played)
        describe(event, game)
        frame = frame_of(event, len(match.turns), game)
        assert len(calls) == 1
        battles += len(event.battles)
        assert len(frame.battles) >= len(event.battles)
    assert battles or name == "wargame"
    calls.clear()
    assert match.record().final() == match.state
    assert len(calls) == len(match.turns)
