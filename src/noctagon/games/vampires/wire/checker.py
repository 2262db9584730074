"""Does a bot speak the course's protocol? Start it for each check, play the server's part, tell what it did.

>>> import asyncio, sys
>>> [verdict] = asyncio.run(check_bot([sys.executable, "-c", "print('hello')"], only=["connects"]))
>>> verdict.outcome, verdict.problem, verdict.log
('failed', 'it ended with exit code 0 before it connected', 'hello')
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from typing import Literal

import msgspec

from noctagon.core.game import UnknownName
from noctagon.games.vampires.wire.checker_hints import describe, describe_bytes, dump
from noctagon.games.vampires.wire.checker_list import CHECKS, Check, Exam
from noctagon.games.vampires.wire.checker_trial import Fault, Silence, Trial
from noctagon.games.vampires.wire.packets import encode

__all__ = ["CHECKS", "Check", "Verdict", "check_bot", "choose_checks"]


class Bytes(msgspec.Struct, frozen=True):
    """What went over the wire, in hexadecimal and in words."""

    hex: str
    text: str


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one check."""

    check: str
    about: str
    outcome: Literal["passed", "failed", "skipped"]
    note: str = ""
    problem: str = ""
    hints: tuple[str, ...] = ()
    told: tuple[Bytes, ...] = ()
    """The packets that the bot was sent last."""
    said: Bytes | None = None
    """What it said then."""
    log: str = ""
    """The end of what it printed."""


def choose_checks(names: Collection[str] = ()) -> tuple[Check, ...]:
    """The checks of these names, or all; raises `UnknownName`."""
    known = {check.name for check in CHECKS}
    for name in names:
        if name not in known:
            raise UnknownName("check", name, known)
    return tuple(check for check in CHECKS if not names or check.name in names)


async def check_bot(
    command: Sequence[str],
    *,
    only: Collection[str] = (),
    seconds: float = 2.0,
    turns: int = 20,
    jobs: int = 1,
    listen: Callable[[Verdict], None] | None = None,
) -> list[Verdict]:
    """Check the bot that this command starts, host and port appended; `listen` hears each verdict in its order.

    `jobs` checks run at once. More than one makes it faster, and the bot slower. A command that cannot be
    started at all is a `NoctagonError`.
    """
    examination = _Examination(command, choose_checks(only), Exam(seconds, turns), jobs)
    return await examination.run(listen)


class _Examination:
    """The checks of one bot, each after what it needs."""

    def __init__(self, command: Sequence[str], checks: Sequence[Check], exam: Exam, jobs: int) -> None:
        self.command = command
        self.checks = checks
        self.exam = exam
        self.free = asyncio.Semaphore(jobs)
        self.tasks: dict[str, asyncio.Task[Verdict]] = {}

    async def run(self, listen: Callable[[Verdict], None] | None) -> list[Verdict]:
        for check in self.checks:
            self.tasks[check.name] = asyncio.create_task(self.verdict(check))
        verdicts = []
        try:
            for task in self.tasks.values():
                verdicts.append(await task)
                if listen is not None:
                    listen(verdicts[-1])
        finally:
            for task in self.tasks.values():
                task.cancel()
            await asyncio.gather(*self.tasks.values(), return_exceptions=True)
        return verdicts

    async def verdict(self, check: Check) -> Verdict:
        before = [task for name, task in self.tasks.items() if check.last and name != check.name]
        needs = [self.tasks[name] for name in check.needs if name in self.tasks]
        if before:
            await asyncio.wait(before)
        for need in needs:
            if (await asyncio.shield(need)).outcome != "passed":
                problem = f"left out, since {need.result().check!r} did not pass"
                return Verdict(check=check.name, about=check.about, outcome="skipped", problem=problem)
        async with self.free:
            return await self.examine(check)

    async def examine(self, check: Check) -> Verdict:
        trial = Trial(self.command, seconds=self.exam.seconds, check=check.name, host=check.host)
        try:
            async with trial:
                note = await check.run(trial, self.exam)
        except Fault as fault:
            hints = [fault.hint]
            if not (check.about_turns and isinstance(fault, Silence)):
                hints.append(check.hint)
            return Verdict(
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
            self.exam.answers += trial.answers
        return Verdict(check=check.name, about=check.about, outcome="passed", note=note)
