"""Checks of programs: the frame that runs them in order, and checks that fit every wire."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeVar

from noctagon.core.clock import TimeControl
from noctagon.core.game import Side, UnknownName
from noctagon.core.match import Match
from noctagon.core.player import PlayerSpec
from noctagon.core.seat import drive, logs_of
from noctagon.core.wire import Check, Checker, CheckResult, Wire
from noctagon.processes.seats import open_seats

C = TypeVar("C", bound=Check)


def choose_checks(checks: Sequence[C], names: Collection[str]) -> Sequence[C]:
    """Return the checks of these names, or all; raises `UnknownName`."""
    known = {check.name for check in checks}
    for name in names:
        if name not in known:
            raise UnknownName("check", name, known)
    return [check for check in checks if not names or check.name in names]


async def run_checks(
    checks: Sequence[C],
    examine: Callable[[C], Awaitable[CheckResult]],
    jobs: int = 1,
    listen: Callable[[CheckResult], None] | None = None,
) -> list[CheckResult]:
    """Run checks, each after those that it needs and `jobs` at once; `listen` gets each verdict in their order."""
    free = asyncio.Semaphore(jobs)
    tasks: dict[str, asyncio.Task[CheckResult]] = {}

    async def judge(check: C) -> CheckResult:
        before = [task for name, task in tasks.items() if check.last and name != check.name]
        needs = [tasks[name] for name in check.needs if name in tasks]
        if before:
            await asyncio.wait(before)
        for need in needs:
            if (await asyncio.shield(need)).outcome != "passed":
                problem = f"left out, since {need.result().check!r} did not pass"
                return CheckResult(check=check.name, about=check.about, outcome="skipped", problem=problem)
        async with free:
            return await examine(check)

    for check in checks:
        tasks[check.name] = asyncio.create_task(judge(check))
    verdicts = []
    try:
        for task in tasks.values():
            verdicts.append(await task)
            if listen is not None:
                listen(verdicts[-1])
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
    return verdicts


@dataclass(frozen=True, kw_only=True)
class GameCheck(Check):
    """A game that a program has to play to its end, or some turns of it."""

    side: Side = 0
    turns: int | None = None
    """Its turns at most; None: as many as are asked for."""


GAME_CHECKS = (
    GameCheck(name="answers", about="starts, connects and answers with a legal turn", turns=1),
    GameCheck(name="first", about="plays as the first player", needs=("answers",)),
    GameCheck(name="second", about="plays as the second player", needs=("answers",), side=1),
)


class GameChecker(Checker):
    """Checks for any wire: the program plays, as a `cmd:` player does, against random turns."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire

    def choose(self, names: Collection[str] = ()) -> Sequence[GameCheck]:
        return choose_checks(GAME_CHECKS, names)

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
        self.wire.game.load()
        words = shlex.join(command) if os.name == "posix" else subprocess.list2cmdline(command)
        spec = PlayerSpec.parse(f"cmd:{words}")
        return await run_checks(
            checks, lambda check: self._examine(check, spec, seconds, turns), listen=listen
        )

    async def _examine(self, check: GameCheck, spec: PlayerSpec, seconds: float, turns: int) -> CheckResult:
        """Play a game; it passes where nothing but the board has ended it, and no turn was lost."""
        game, other = self.wire.game, PlayerSpec.parse("random")
        own_turns = min(turns, check.turns or turns)
        usual = game.make_rules()
        rules = game.make_rules(plies=min(usual.plies, 2 * own_turns - 1 + check.side))
        async with open_seats((spec, other) if check.side == 0 else (other, spec), game) as seats:
            match = Match(game, game.initial(None, rules), time=TimeControl(turn=seconds))
            result = await drive(match, seats)
            log = logs_of(match, seats)[check.side]
        mine = [turn.seconds for turn in match.turns if turn.side == check.side]
        faulty = match.state.result is None or match.late[check.side] or match.illegal[check.side]
        if faulty:
            lost = next((turn.skipped for turn in match.turns if turn.skipped), result.detail)
            return CheckResult(check=check.name, about=check.about, outcome="failed", problem=lost, log=log)
        note = f"{len(mine)} turn{'s' * (len(mine) != 1)}, the slowest in {max(mine, default=0.0):.3f} s"
        return CheckResult(check=check.name, about=check.about, outcome="passed", note=note)
