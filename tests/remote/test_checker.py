"""The compliance checker: each broken bot is caught at the one thing it does wrong, and told what it is."""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

import tests.command
from noctagon.cli import check_bot
from noctagon.core.game import IllegalAction, NoctagonError, UnknownName
from noctagon.core.wire import CheckResult, Consequence
from noctagon.games.vampires.rules.ruleset import SERVER
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.wire import checker_hints
from noctagon.games.vampires.wire.checker import CHECKS, VampiresChecker

pytestmark = pytest.mark.xdist_group("checker")

BROKEN = Path(__file__).parent.parent / "bots" / "wire" / "broken.py"
AT_ONCE = 10
"""So many bots are checked side by side: they mostly wait."""


class Case(NamedTuple):
    """A broken bot, the check that is meant for it, and a piece of the hint."""

    kind: str
    check: str
    hint: str
    seconds: float = 2.0
    turns: int = 3


CASES = [
    Case("NeverConnects", "connects", "from the end of the command line"),
    Case("NumericHostOnly", "host-name", "resolve the host"),
    Case("LongName", "name", "number of bytes that follow"),
    Case("ShortName", "name", "number of bytes that follow"),
    Case("Nameless", "name", "the first thing to say is NME"),
    Case("OddName", "name", "in ASCII"),
    Case("Silent", "answers", "answer every UPD with one MOV", seconds=0.5),
    Case("Crash", "answers", "it crashed"),
    Case("Garbage", "answers", "x y count tx ty", seconds=0.5),
    Case("Unfinished", "answers", "is n the number of moves", seconds=0.5),
    Case("TwoAnswers", "silent", "exactly one MOV for each UPD"),
    Case("Eager", "silent", "exactly one MOV for each UPD"),
    Case("LastWord", "silent", "exactly one MOV for each UPD", seconds=0.5),
    Case("Flood", "silent", "exactly one MOV for each UPD"),
    Case("WrongByteOrder", "legal", "x is the column"),
    Case("CountLast", "legal", "the count stands between"),
    Case("MoreThanItHas", "legal", "more than the cell holds"),
    Case("Greedy", "legal", "all moves from one cell are added up"),
    Case("NoMove", "legal", "MOV 0 is no turn"),
    Case("NoCreature", "legal", "rule 6"),
    Case("Stay", "legal", "both source and target: rule 5"),
    Case("Leap", "legal", "rule 4"),
    Case("OverTheEdge", "legal", "SET gives the rows first"),
    Case("Forgetful", "legal", "apply UPD"),
    Case("Thief", "legal", "you moved the other species"),
    Case("AlwaysVampires", "werewolves", "you moved the other species"),
    Case("VampiresBegin", "werewolves-first", "species and order are two things"),
    Case("SmallGrid", "huge", "a coordinate goes up to 254"),
    Case("NeedsHumans", "no-humans", "HUM 0 can happen"),
    Case("NeedsRoom", "crowded", "there may be no safe step"),
    Case("GivesUp", "outnumbered", "MOV 0 loses at once"),
    Case("NoAttack", "cornered", "take the best of the bad ones"),
    Case("LeavesAGuard", "last-one", "one creature cannot be divided"),
    Case("NeedsRows", "corridor", "with one row"),
    Case("NeedsColumns", "shaft", "with one column"),
    Case("SignedBytes", "counts", "bytes are unsigned"),
    Case("TwoReceives", "separate", "do not expect SET, HUM and HME in one receive"),
    Case("OnePacket", "glued", "one receive may bring several packets", seconds=1.0),
    Case("OneReceive", "byte-by-byte", "reads must loop until all bytes have arrived"),
    Case("WholeUpdates", "fragments", "reads must loop until all bytes have arrived"),
    Case("Adds", "whole-map", "it does not add to it"),
    Case("OneGame", "several-games", "stay connected"),
    Case("OldBoard", "several-games", "learn size and species anew"),
    Case("NeverEnds", "end-bye", "end the process"),
    Case("LeavesAChild", "end-bye", "end your child processes too"),
    Case("WaitsForEnd", "bye", "where no END came before it"),
    Case("ReadsOn", "closed", "the server has closed"),
    Case("Slow", "time", "stop thinking well before", seconds=0.5, turns=1),
]


def command(kind: str) -> list[str]:
    return [sys.executable, "-E", "-s", "-S", str(BROKEN), kind]


@pytest.fixture(scope="session")
def verdicts() -> dict[str, list[CheckResult]]:
    """What all bots get in all checks."""
    free = asyncio.Semaphore(AT_ONCE)

    async def examine(case: Case) -> tuple[str, list[CheckResult]]:
        async with free:
            found = await VampiresChecker(jobs=4).run(
                command(case.kind), seconds=case.seconds, turns=case.turns
            )
            return case.kind, found

    async def examine_all() -> dict[str, list[CheckResult]]:
        return dict(await asyncio.gather(*map(examine, [*CASES, Case("Bot", "", "")])))

    return asyncio.run(examine_all())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kind)
def test_a_broken_bot_fails_exactly_the_check_meant_for_it(
    case: Case, verdicts: dict[str, list[CheckResult]]
) -> None:
    failed = [verdict for verdict in verdicts[case.kind] if verdict.outcome == "failed"]
    assert [verdict.check for verdict in failed] == [case.check], failed
    assert case.hint in " ".join(failed[0].hints)
    assert failed[0].problem


def test_a_right_bot_passes_everything(verdicts: dict[str, list[CheckResult]]) -> None:
    assert [verdict for verdict in verdicts["Bot"] if verdict.outcome != "passed"] == []


@pytest.mark.parametrize(
    ("kind", "consequence"),
    [
        ("NoMove", "loses"),
        ("GivesUp", "loses"),
        ("Slow", "loses"),
        ("Nameless", "loses"),  # a server waits for its name
        ("LongName", "unclean"),
        ("TwoAnswers", "loses"),  # the second is taken for the answer to the next question
        ("LastWord", "unclean"),  # nothing is asked any more
        ("NeverEnds", "unclean"),
        ("VampiresBegin", "elsewhere"),
        ("OnePacket", "elsewhere"),
    ],
)
def test_a_fault_is_told_with_what_it_leads_to(
    kind: str, consequence: str, verdicts: dict[str, list[CheckResult]]
) -> None:
    [verdict] = [verdict for verdict in verdicts[kind] if verdict.outcome == "failed"]
    assert verdict.consequence == consequence


def test_what_loses_games_is_to_be_mended_first() -> None:
    def failed(check: str, consequence: Consequence) -> CheckResult:
        return CheckResult(
            check=check,
            about="",
            outcome="failed",
            consequence=consequence,
            problem="bad",
            hints=(f"mend {check}",),
        )

    verdicts = [
        failed("name", "unclean"),
        failed("glued", "elsewhere"),
        failed("legal", "loses"),
        failed("time", "loses"),
    ]
    assert check_bot._summary(verdicts) == [
        "0 of 4 checks passed, 4 failed.",
        "Loses games on the course's server: legal, time.",
        "Loses games only on some other servers, maps or networks: glued.",
        "Only unclean, no server minds: name.",
        "First: legal: mend legal.",
    ]
    unclean = check_bot._summary(verdicts[:1])
    assert unclean[1:] == ["Only unclean, no server minds: name.", "First: name: mend name."]


def test_every_check_has_a_bot_that_fails_it() -> None:
    missed = {check.name for check in CHECKS} - {case.check for case in CASES}
    assert missed == {"vampires-second"}  # who fails it fails werewolves-first as well


def test_checks_come_after_what_they_need() -> None:
    seen: set[str] = set()
    for check in CHECKS:
        assert set(check.needs) <= seen, check.name
        assert check.name not in seen
        assert check.about, check.name
        assert check.hint, check.name
        seen.add(check.name)


def test_a_verdict_shows_the_bytes_in_both_directions(verdicts: dict[str, list[CheckResult]]) -> None:
    [verdict] = [verdict for verdict in verdicts["WrongByteOrder"] if verdict.outcome == "failed"]
    assert verdict.problem.startswith("turn 1: move 1: ")
    assert [part.text for part in verdict.told] == ["UPD 0"]
    assert verdict.said is not None
    assert verdict.said.hex == "4d 4f 56 01 03 08 05 02 07"
    assert verdict.said.text == "MOV 1: 5 from (3,8) to (2,7)"


def test_a_crash_shows_what_was_printed(verdicts: dict[str, list[CheckResult]]) -> None:
    [verdict] = [verdict for verdict in verdicts["Crash"] if verdict.outcome == "failed"]
    assert "exit code 1" in verdict.problem
    assert "RuntimeError: no opening book" in verdict.log


def test_silence_is_told_with_the_time_and_no_word_on_legality() -> None:
    [verdict] = asyncio.run(VampiresChecker().run(command("Silent"), only=["legal"], seconds=0.1))
    assert verdict.problem == "no answer to turn 1 within 1.2 s, where a turn has 0.1 s"
    [hint] = verdict.hints
    assert hint.startswith("stop thinking before the time for a turn is over")


def test_a_late_answer_is_told_without_the_packets_that_followed(
    verdicts: dict[str, list[CheckResult]],
) -> None:
    [verdict] = [verdict for verdict in verdicts["Slow"] if verdict.outcome == "failed"]
    assert "answers came after more than 0.5 s" in verdict.problem
    assert verdict.told == ()


def test_what_a_failed_check_makes_pointless_is_left_out(verdicts: dict[str, list[CheckResult]]) -> None:
    skipped = [verdict for verdict in verdicts["NeverConnects"] if verdict.outcome == "skipped"]
    assert len(skipped) == len(CHECKS) - 1
    assert skipped[0].problem == "left out, since 'connects' did not pass"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
def test_the_bot_s_children_end_with_the_check(tmp_path: Path) -> None:
    """Whatever it started in its group is gone when the check is over."""
    script = tmp_path / "parent.py"
    script.write_text(
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "open(sys.argv[1], 'w').write(str(child.pid))\n"
        "sys.exit('no connection')\n"
    )
    note = tmp_path / "pid"
    [verdict] = asyncio.run(
        VampiresChecker().run([sys.executable, str(script), str(note)], only=["connects"])
    )
    assert verdict.outcome == "failed"
    child = int(note.read_text())
    while runs(child):  # until the system has cleared it away; a child that lives on is a test that hangs
        time.sleep(0.01)


def runs(pid: int) -> bool:
    """Whether there is such a process; a dead one that nobody has waited for does not run."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


# Hints.

STATE = VampiresState(
    rows=3,
    columns=6,
    humans={(4, 1): 2},
    vampires={(5, 1): 4, (4, 2): 1},
    werewolves={(0, 1): 4},
    rules=SERVER,
)


@pytest.mark.parametrize(
    ("moves", "hint"),
    [
        ((), checker_hints.BY_RULE[1]),
        (((1, 5, 4, 1, 4),), checker_hints.BYTE_ORDER),
        (((5, 1, 4, 1, 4),), checker_hints.FIELD_ORDER),
        (((4, 5, 1, 4, 1),), checker_hints.FIELD_ORDER),
        (((0, 1, 4, 1, 1),), checker_hints.OTHER_SPECIES),
        (((3, 0, 1, 2, 0),), checker_hints.BY_RULE[2]),
        (((5, 1, 5, 5, 0),), checker_hints.BY_RULE[3]),
        (((5, 1, 4, 6, 1),), checker_hints.AT_THE_EDGE),
        (((5, 1, 4, 3, 1),), checker_hints.BY_RULE[4]),
        (((5, 1, 4, 4, 2), (4, 2, 1, 4, 1)), checker_hints.BY_RULE[5]),
        (((5, 1, 0, 5, 0),), checker_hints.BY_RULE[6]),
    ],
)
def test_hints_tell_the_likeliest_reason(moves: checker_hints.Moves, hint: str) -> None:
    with pytest.raises(IllegalAction) as caught:
        STATE.check(moves)
    assert checker_hints.diagnose(STATE, moves, caught.value) == hint


def test_a_turn_by_an_old_board_is_told() -> None:
    moves = ((5, 1, 4, 5, 0),)
    after = STATE.play(moves).skip()
    with pytest.raises(IllegalAction) as caught:
        after.check(moves)
    assert checker_hints.diagnose(after, moves, caught.value, STATE) == checker_hints.STALE


# The command.


def noctagon(*words: str, code: int) -> tuple[str, str]:
    out, err = tests.command.noctagon("check-bot", *words, code=code)
    assert "Traceback" not in err
    return out, err


def test_the_command_ticks_what_passes() -> None:
    out, _ = noctagon("--only", "name", "--only", "glued", "--turns", "2", *command("Bot"), code=0)
    assert "✓ name" in out
    assert "✓ glued" in out
    assert "(as 'right')" in out
    assert out.endswith("All 2 checks passed.\n")


def test_the_command_tells_what_fails() -> None:
    out, _ = noctagon("--only", "legal", *command("WrongByteOrder"), code=1)
    assert "✗ legal" in out
    assert "hint     byte order: x is the column" in out
    assert "4d 4f 56 01 03 08 05 02 07" in out
    assert "    loses games on the course's server\n" in out
    assert out.splitlines()[-3:-1] == [
        "0 of 1 checks passed, 1 failed.",
        "Loses games on the course's server: legal.",
    ]
    assert out.splitlines()[-1].startswith("First: legal: byte order: x is the column")


def test_the_command_speaks_json() -> None:
    out, _ = noctagon("--json", "--only", "connects", " ".join(command("NeverConnects")), code=1)
    told = json.loads(out)
    assert told["passed"] is False
    assert told["first"] == "connects"
    assert told["command"] == command("NeverConnects")
    [verdict] = told["checks"]
    assert (verdict["check"], verdict["outcome"], verdict["log"]) == ("connects", "failed", "not today")


def test_the_command_lists_the_checks() -> None:
    out, _ = noctagon("--list", code=0)
    assert [line.split()[0] for line in out.splitlines()] == [check.name for check in CHECKS]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "say what starts the bot"),
        (["no-such-bot"], "'no-such-bot': there is no such command"),
        (["mine.py:MyBot"], "try a class with: noctagon play vampires mine.py:MyBot random"),
        (["--only", "glue", "bot"], "did you mean glued?"),
        (["--time", "0", sys.executable], "more than 0 seconds"),
        ([str(BROKEN)], "it may not be run"),
    ],
)
def test_the_command_s_misuse_is_told(words: list[str], message: str) -> None:
    _, err = noctagon(*words, code=2)
    assert message in err


def test_what_cannot_be_started_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NoctagonError, match="cannot be started"):
        asyncio.run(VampiresChecker().run([str(tmp_path / "nothing")], only=["connects", "name"]))
    with pytest.raises(UnknownName, match="check 'connect'; did you mean connects"):
        VampiresChecker().choose(["connect"])
