"""Seats and the driver: whole games, and bots that do everything wrong."""

import asyncio
import contextlib
import os
import re
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

from noctagon.core.clock import TimeControl
from noctagon.core.events import Ended, Played, Rewound, Skipped
from noctagon.core.game import NoctagonError, Result
from noctagon.core.match import Match
from noctagon.core.player import Decision, PlayerSpec, Resign, Undo
from noctagon.core.registry import find_game
from noctagon.core.seat import LocalSeat, drive
from noctagon.processes import playing
from noctagon.processes.calls import Call
from noctagon.processes.messages import Done, framed, packed
from noctagon.processes.playing import Chosen
from noctagon.processes.seats import open_seats
from noctagon.processes.workers import Worker

BROKEN = Path(__file__).parent / "bots" / "broken.py"


def play(
    game: str, first: str, second: str, *, seconds: float = 2.0, plies: int = 8, lenient: bool = False
) -> tuple[Match, list[Any], str]:
    """A game between two specs; the match, its events, and what crashed players left to say."""
    found = find_game(game)
    found.load()
    events: list[Any] = []

    async def whole() -> tuple[Match, str]:
        async with open_seats((PlayerSpec.parse(first), PlayerSpec.parse(second)), found) as seats:
            state = found.initial(None, found.make_rules(plies=plies))
            match = Match(
                found, state, players=(first, second), time=TimeControl(turn=seconds), lenient=lenient
            )
            await drive(match, seats, events.append)
            return match, seats[0].log + seats[1].log

    match, log = asyncio.run(whole())
    return match, events, log


def bot(name: str) -> str:
    return f"{BROKEN}:{name}"


@pytest.mark.parametrize("game", ["vampires", "wargame"])
def test_a_whole_game_between_our_players(game: str) -> None:
    match, events, _ = play(game, "greedy", "random", plies=60)
    assert isinstance(events[-1], Ended)
    assert events[-1].result == match.result
    assert sum(isinstance(event, Played) for event in events) == len(match.turns)
    assert match.record().final() == match.state


@pytest.mark.parametrize("game", ["vampires", "wargame"])
def test_a_bot_from_a_file_plays(game: str) -> None:
    match, _, _ = play(game, bot("Good:depth=7"), "random", seconds=10)
    assert match.result is not None
    assert match.result.reason in ("ply limit", "turn limit", "elimination", "AI destroyed")
    thought = match.turns[0].thought
    assert thought is not None
    assert thought.depth == 7


NO_PLAYERS = [
    ("Crash", "crash", r"KeyError: 'no such key' \(broken.py, line 18\)"),
    ("CrashAtLength", "crash", r": ValueError: board: x+\[… [\d,]+ letters …\]x+ \(broken.py, line \d+\)$"),
    ("CrashWordlessly", "crash", r": WordlessError \(broken.py, line \d+\)$"),
    ("CrashLater", "crash", "that is enough"),
    ("Exit", "crash", "SystemExit: 3"),
    ("Die", "crash", "exit code 7"),
    ("Megaphone", "crash", r"it sent a message of 50000\d\d bytes"),
    ("Unprepared", "crash", "could not start: ValueError: no opening book"),
    ("Deaf", "crash", "needs a method choose"),
    ("Clockless", "crash", r"too many positional .* define choose\(self, state, clock\)"),
    ("Good:width=3", "crash", "Good has no option 'width'; it has depth=1"),
    ("Needy", "crash", "could not start: Needy cannot be made without book=…"),
]
"""Bots that fail before the game has a word in it: which one they play makes no difference."""
NO_ANSWERS = [
    ("Garbage", "garbage", "choose returned <object"),
    ("Nothing", "garbage", "choose returned None, which is no action"),
    ("Blanks", "garbage", "choose returned a text of 1,000,001 letters, which is no action"),
    ("NoEnd", "garbage", "choose returned a text of 5,000,000 letters, which is no action"),
    ("Illegal", "illegal turn", "rule"),
]
"""Bots whose answer the game refuses in words of its own."""


@pytest.mark.parametrize(
    ("game", "name", "reason", "says"),
    [
        *(("wargame", *bot) for bot in NO_PLAYERS),
        *((game, *bot) for game in ("vampires", "wargame") for bot in NO_ANSWERS),
    ],
)
def test_a_broken_bot_loses_its_game_with_the_reason(game: str, name: str, reason: str, says: str) -> None:
    match, _, log = play(game, "random", bot(name), plies=20)
    assert match.result is not None
    assert (match.result.winner, match.result.reason) == (0, reason)
    assert re.search(says, match.result.detail), match.result.detail
    if log:
        assert re.match(rf'Traceback .*\n  File "{re.escape(str(BROKEN))}"', log), (
            "it begins in the bot's own file"
        )
    assert bool(log) == (name.startswith("Crash") or name in ("Exit", "Unprepared"))
    assert len(match.result.detail) < 1000
    assert len(log) < 11_000


def test_an_answer_that_is_cut_by_the_end_of_a_turn_is_read_on_in_the_next() -> None:
    async def two_turns() -> tuple[object, object]:
        reader, writer = asyncio.StreamReader(), SimpleNamespace(write=lambda data: None)
        worker = Worker(cast(Any, SimpleNamespace(reader=reader, writer=writer, abandon=lambda: None)))
        late, timely = (
            framed(Done(number, packed(Chosen(action)))) for number, action in ((1, "C4 C3"), (2, "D3 C3"))
        )
        reader.feed_data(late[:-3])
        call = Call(playing.choose, "", 1.0)
        reading = asyncio.ensure_future(worker.ask(call))
        await asyncio.sleep(0)
        reading.cancel()
        await asyncio.wait({reading})
        reader.feed_data(late[-3:] + timely)
        return reading.cancelled(), await worker.follow(call, print)

    assert asyncio.run(two_turns()) == (True, Chosen("D3 C3"))


def test_an_error_of_ours_that_a_bot_ran_into_is_told_with_the_bots_own_line() -> None:
    match, _, log = play("wargame", bot("Reckless"), "random")
    assert match.result is not None
    assert re.search(r"rule .* \(broken.py, line \d+\)$", match.result.detail), match.result.detail
    assert f'  File "{BROKEN}"' in log.splitlines()[1]
    assert "noctagon.core.game.IllegalAction: " in log


@pytest.mark.parametrize(
    ("name", "reason", "says"),
    [
        ("NoMove", "illegal turn", "the turn has no move; at least one group must move: rule 1"),
        (
            "Halves",
            "garbage",
            (
                "choose returned [(8, 6, 4.0, 7, 6)], which is no action: move 1 is (8, 6, 4.0, 7, 6); "
                "a move is five whole numbers: x, y, count, target x, target y; "
                "4.0 is none (in Python, // divides whole numbers)"
            ),
        ),
        (
            "OneMove",
            "garbage",
            (
                "choose returned (8, 6, 8, 7, 6), which is no action: that is one move; "
                "a turn is a list of moves: [(8, 6, 8, 7, 6)]"
            ),
        ),
    ],
)
def test_an_answer_in_the_wrong_form_is_told_what_it_should_be(name: str, reason: str, says: str) -> None:
    match, _, _ = play("vampires", bot(name), "random", plies=4)
    assert match.result is not None
    assert match.result.reason == reason
    assert says in match.result.detail


def test_a_hanging_bot_loses_its_turns_where_a_turn_can_be_lost() -> None:
    match, events, _ = play("vampires", bot("Hang"), "random", seconds=0.2, plies=8)
    assert match.late == [4, 0]
    once, twice = (
        "late: no answer in 0.2 s",
        "late: no answer in 0.2 s; after 2 such turns it is restarted",
    )
    assert [turn.skipped for turn in match.turns[::2]] == [once, twice, once, twice]
    assert {turn.seconds for turn in match.turns[::2]} == {0.2}, "a new start is not charged to the bot"
    assert sum(isinstance(event, Skipped) for event in events) == 4
    assert match.result is not None
    assert match.result.reason == "ply limit"


def test_a_hanging_bot_loses_where_a_turn_cannot_be_lost() -> None:
    match, _, _ = play("wargame", bot("Hang"), "random", seconds=0.2)
    assert match.result == Result(1, "time", "Attacker: no answer in 0.2 s")
    assert match.late == [1, 0]


def test_a_late_answer_does_not_count_for_the_next_turn() -> None:
    match, _, _ = play("vampires", bot("HangOnce"), bot("Good"), seconds=1.0, plies=8)
    assert match.late == [1, 0]
    assert match.turns[0].skipped
    assert all(turn.action for turn in match.turns[1:])


def test_what_a_bot_prints_disturbs_nothing() -> None:
    match, _, _ = play("wargame", bot("Flood"), "random", seconds=20, plies=4)
    assert match.result is not None
    assert match.result.reason == "turn limit"


@pytest.mark.skipif(os.name != "posix", reason="a process group is ended as a whole on POSIX only")
def test_a_bots_children_end_with_it() -> None:
    match, _, _ = play("wargame", bot("Child"), "random", seconds=20)
    assert match.result is not None
    child = int(re.findall(r"child (\d+)", match.result.detail)[0])
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and _alive(child):
        time.sleep(0.01)
    assert not _alive(child)


def _alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().split(")")[-1].split()[0]
    return False


def test_an_illegal_turn_costs_only_the_turn_when_lenient() -> None:
    match, _, _ = play("vampires", bot("Illegal"), "random", plies=6, lenient=True)
    assert match.illegal == [3, 0]
    assert match.turns[0].skipped.startswith("illegal: ")
    assert match.turns[0].action == "0,0>9,9:1"


def test_a_missing_file_or_class_is_told_before_anything_is_played(tmp_path: Path) -> None:
    with pytest.raises(NoctagonError, match=r"no/such/file.py: No such file"):
        play("wargame", "no/such/file.py:Bot", "random")
    with pytest.raises(NoctagonError, match=r"unknown class of .*broken.py 'Crahs'; did you mean Crash"):
        play("wargame", bot("Crahs"), "random")
    bare = tmp_path / "bare.py"
    bare.write_text("def choose(state, clock): ...\n")
    with pytest.raises(
        NoctagonError, match=r"bare.py has no class Bot, nor any other; a bot is a class with"
    ):
        play("wargame", f"{bare}:Bot", "random")
    path = tmp_path / "wrong.py"
    path.write_text("class Bot\n")
    with pytest.raises(NoctagonError, match="not Python that can be read"):
        play("wargame", f"{path}:Bot", "random")


def test_a_bot_works_where_the_command_was_given_and_finds_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "model.txt").write_text("a model")
    (tmp_path / "reader.py").write_text(
        "from pathlib import Path\n\n\n"
        "class Reader:\n"
        "    def choose(self, state, clock):\n"
        "        beside = open(Path(__file__).parent / 'model.txt').read()\n"
        "        raise RuntimeError(f'{beside}, read in {Path.cwd()}')\n"
    )
    match, _, _ = play("wargame", f"{tmp_path / 'reader.py'}:Reader", "random")
    assert match.result is not None
    assert f"a model, read in {Path.cwd()}" in match.result.detail


def series(name: str, games: int, *, seconds: float = 5.0) -> list[str]:
    """How a bot fares in several games with the same seat."""
    found = find_game("wargame")

    async def whole() -> list[str]:
        reasons = []
        async with open_seats((PlayerSpec.parse(bot(name)), PlayerSpec.parse("random")), found) as seats:
            for seed in range(games):
                state = found.initial(None, found.make_rules(plies=4))
                match = Match(found, state, time=TimeControl(turn=seconds), seed=seed)
                result = await drive(match, seats)
                reasons.append(result.reason)
        return reasons

    return asyncio.run(whole())


def test_a_fault_in_one_game_is_not_carried_into_the_next() -> None:
    assert series("CrashFirst", 3) == ["crash", "crash", "crash"]  # a fresh object, which crashes anew
    assert series("CrashOnFinish", 3) == ["turn limit"] * 3
    assert series("HangFirst", 2, seconds=1.0) == ["time", "time"]


def test_a_bot_may_do_something_when_the_game_is_over(tmp_path: Path) -> None:
    chronicle = tmp_path / "chronicle"
    assert series(f"Chronicler:file={chronicle}", 2) == ["turn limit"] * 2
    assert chronicle.read_text().splitlines() == ["turn limit"] * 2


def test_a_bot_that_thinks_too_long_hears_how_the_game_ended_too(tmp_path: Path) -> None:
    chronicle = tmp_path / "chronicle"
    assert series(f"Chronicler:file={chronicle},seconds=0.5", 2, seconds=0.2) == ["time"] * 2
    assert chronicle.read_text().splitlines() == ["time"] * 2


def test_a_bot_that_does_not_come_back_from_finish_begins_the_next_game_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("noctagon.processes.worker_seat.FINISH_SECONDS", 0.5)
    assert series("HangOnFinish", 2) == ["turn limit"] * 2


def test_a_bot_without_finish_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noctagon.processes.worker_seat.FINISH_SECONDS", 600.0)
    assert series("Hang", 1, seconds=0.2) == ["time"]


def test_numbers_of_numpy_and_odd_texts_do_no_harm() -> None:
    match, _, _ = play("wargame", bot("NumpyThought"), "random", plies=4)
    assert match.turns[0].thought is not None
    assert match.turns[0].thought.score == 1.5
    match, _, _ = play("wargame", bot("Surrogate"), "random", plies=4)
    assert match.result is not None
    assert match.result.reason == "garbage"


def test_a_turn_of_very_many_moves_is_refused_in_no_time() -> None:
    match, _, _ = play("vampires", bot("Verbose"), "random", seconds=20, plies=4)
    assert match.result is not None
    assert match.result.reason in ("illegal turn", "garbage", "crash")


def harmless(state: Any) -> Any:
    """The first candidate that does not end the game."""
    return next(action for action in state.candidates() if state.play(action).result is None)


class Script:
    """A player that does what it is told: an action, or an exception to raise."""

    def __init__(self, *steps: Any) -> None:
        self.steps = list(steps)

    def start(self, game: Any, side: int) -> None:
        pass

    def finish(self, result: Any) -> None:
        pass

    def choose(self, state: Any, clock: Any) -> Decision[Any]:
        step = self.steps.pop(0) if self.steps else Resign("no more steps")
        if isinstance(step, Exception):
            raise step
        return Decision(step)


class Harmless(Script):
    def choose(self, state: Any, clock: Any) -> Decision[Any]:
        return Decision(harmless(state))


def test_undo_takes_back_a_turn_and_its_answer() -> None:
    game = find_game("wargame")
    match = Match(game, game.initial(None, game.make_rules(plies=60)))
    events: list[Any] = []
    seats = (LocalSeat(Script("C4 C3", Undo(), "D3 C3"), timed=False), LocalSeat(Harmless()))
    asyncio.run(drive(match, seats, events.append))
    assert match.turns[0].action == "D3 C3"
    assert sum(isinstance(event, Rewound) for event in events) == 1


def test_undo_takes_back_the_own_turn_also_where_a_side_moves_twice(
    example: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(example.Board, "side", property(lambda self: self.ply // 2 % 2))
    match = Match(example.game)
    seats = (LocalSeat(Script(0, 1, Undo(), 2), timed=False), LocalSeat(Harmless()))
    asyncio.run(drive(match, seats))
    assert [turn.action for turn in match.turns[:2]] == ["0", "2"]


def test_undo_at_the_beginning_changes_nothing() -> None:
    game = find_game("wargame")
    match = Match(game, game.initial(None, game.make_rules(plies=60)))
    asyncio.run(drive(match, (LocalSeat(Script(Undo(), "C4 C3")), LocalSeat(Harmless()))))
    assert match.turns[0].action == "C4 C3"


def test_resigning_gives_the_game_to_the_other() -> None:
    game = find_game("wargame")
    match = Match(game)
    asyncio.run(drive(match, (LocalSeat(Script(Resign("resigned"))), LocalSeat(Script()))))
    assert match.result == Result(1, "resignation", "Attacker: resigned")


def test_a_crash_of_a_player_of_ours_is_its_loss_too() -> None:
    game = find_game("wargame")
    match = Match(game)
    seat = LocalSeat(Script(ZeroDivisionError("oops")))
    asyncio.run(drive(match, (seat, LocalSeat(Script()))))
    assert match.result == Result(1, "crash", "Attacker: ZeroDivisionError: oops")
    assert "Traceback" in seat.log
