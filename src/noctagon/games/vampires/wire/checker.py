"""The checks of a bot for the course's protocol: it is started for each, and the server's part is played.

>>> import asyncio, sys
>>> checking = VampiresChecker().run([sys.executable, "-c", "print('hello')"], only=["connects"])
>>> [verdict] = asyncio.run(checking)
>>> verdict.outcome, verdict.problem, verdict.log
('failed', 'it ended with exit code 0 before it connected', 'hello')
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from noctagon.core.wire import Bytes, Checker, CheckResult
from noctagon.games.vampires import game
from noctagon.games.vampires.wire.checker_hints import describe, describe_bytes, dump
from noctagon.games.vampires.wire.checker_list import CHECKS, Exam, PacketCheck
from noctagon.games.vampires.wire.checker_trial import Fault, Silence, Trial
from noctagon.games.vampires.wire.packets import encode
from noctagon.wire.checker import choose_checks, run_checks


class VampiresChecker(Checker):
    """Checks the bot that a command starts, host and port appended.

    `jobs` checks run at once. More than one makes it faster, and the bot slower.
    """

    def __init__(self, jobs: int = 1) -> None:
        self.jobs = jobs

    def choose(self, names: Collection[str] = ()) -> Sequence[PacketCheck]:
        return choose_checks(CHECKS, names)

    async def run(
        self,
        command: Sequence[str],
        *,
        only: Collection[str] = (),
        seconds: float = 2.0,
        turns: int = 20,
        listen: Callable[[CheckResult], None] | None = None,
    ) -> list[CheckResult]:
        checks = self.choose(only)
        game.load()
        exam = Exam(seconds, turns)
        return await run_checks(checks, lambda check: _examine(command, check, exam), self.jobs, listen)


async def _examine(command: Sequence[str], check: PacketCheck, exam: Exam) -> CheckResult:
    trial = Trial(command, seconds=exam.seconds, check=check.name, host=check.host)
    try:
        async with trial:
            note = await check.run(trial, exam)
    except Fault as fault:
        hints = [fault.hint]
        if not (check.about_turns and isinstance(fault, Silence)):
            hints.append(check.hint)
        return CheckResult(
            check=check.name,
            about=check.about,
            outcome="failed",
            problem=f"{fault.where}{fault}",
            hints=tuple(dict.fromkeys(filter(None, hints))),
            told=tuple(Bytes(dump(encode(packet)), describe(packet)) for packet in fault.sent),
            said=Bytes(dump(fault.received), describe_bytes(fault.received)) if fault.received else None,
            log=fault.log,
        )
    finally:
        exam.answers += trial.answers
    return CheckResult(check=check.name, about=check.about, outcome="passed", note=note)
