"""The checks of a bot for the course's protocol: it is started for each, and the server's part is played.

>>> import asyncio, sys
>>> checking = VampiresChecker().run([sys.executable, "-c", "print('hello')"], only=["connects"])
>>> [verdict] = asyncio.run(checking)
>>> verdict.outcome, verdict.problem, verdict.log
('failed', 'it ended with exit code 0 before it connected', 'hello')
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from random import Random

from noctagon.core.wire import Bytes, Check, Checker, CheckResult
from noctagon.games.vampires import game
from noctagon.games.vampires.maps.map import Map
from noctagon.games.vampires.wire.checker_hints import describe, describe_bytes, dump
from noctagon.games.vampires.wire.checker_trial import (
    HOST,
    SILENCE,
    STEP,
    Answer,
    Delivery,
    Fault,
    Play,
    Scenario,
    Silence,
    Trial,
)
from noctagon.games.vampires.wire.packets import Bye, encode
from noctagon.wire.checker import choose_checks, run_checks


@dataclass
class Exam:
    """The state shared by all checks of one bot: the time for a turn, the number of turns, and every answer
    up to now.
    """

    seconds: float = 2.0
    turns: int = 20
    answers: list[Answer] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class PacketCheck(Check):
    """One demand on a bot, with what is probably wrong where it does not meet it.

    `run` plays the server's part and returns a note, or raises `Fault`.
    """

    hint: str
    run: Callable[[Trial, Exam], Awaitable[str]]
    host: str = HOST
    about_turns: bool = False
    """True if its hint is about the content of a turn: of no use where none came."""


# The maps.


def _scattered(rows: int, columns: int, houses: int, *, most: int, start: int, seed: int = 1) -> Map:
    """Return a map with houses at random and the species in opposite corners: Vampires where the numbers are
    largest.
    """
    rng = Random(seed)
    cells = [(x, y) for y in range(rows) for x in range(columns)][1:-1]
    humans = tuple((x, y, rng.randint(1, most)) for x, y in rng.sample(cells, houses))
    return Map(
        rows=rows,
        columns=columns,
        humans=humans,
        vampires=(columns - 1, rows - 1, start),
        werewolves=(0, 0, start),
    )


SMALL = Map(
    rows=5,
    columns=10,
    humans=((6, 2, 4), (3, 2, 4), (9, 0, 2), (0, 4, 2), (5, 4, 1), (4, 1, 8)),
    vampires=(8, 3, 5),
    werewolves=(1, 0, 5),
)
TALL = Map(
    rows=12,
    columns=6,
    humans=((2, 5, 4), (3, 6, 4), (0, 9, 2)),
    vampires=(1, 9, 6),
    werewolves=(4, 2, 6),
)
EMPTY = Map(rows=6, columns=7, humans=(), vampires=(5, 4, 7), werewolves=(1, 0, 7))
CROWDED = _scattered(15, 17, 253, most=19, start=12)
HUGE = _scattered(255, 255, 200, most=12, start=12)
CORRIDOR = _scattered(1, 30, 8, most=14, start=8)
SHAFT = _scattered(30, 1, 8, most=14, start=8)
COUNTS = Map(
    rows=7,
    columns=9,
    humans=((5, 3, 55), (3, 3, 255), (8, 0, 128), (0, 6, 255), (6, 6, 200)),
    vampires=(7, 3, 200),
    werewolves=(1, 3, 255),
)
OUTNUMBERED = "8x8 H1,1:19 H6,2:19 V3,4:12 W6,6:60 V 0"
LAST_ONE = "7x7 H1,1:9 H5,2:9 V3,3:1 W6,6:30 V 0"
CORNERED = "6x7 H1,1:9 V6,5:5 W5,5:9 W6,4:9 W5,4:9 V 0"


# What the checks do.


def _told(trial: Trial) -> str:
    slowest = max((answer.seconds for answer in trial.answers), default=0.0)
    turns = len(trial.answers)
    return f"{turns} turn{'s' * (turns != 1)}, the slowest in {slowest:.3f} s"


async def _connect(trial: Trial, exam: Exam) -> str:
    await trial.connect()
    return ""


async def _name(trial: Trial, exam: Exam) -> str:
    await trial.connect()
    name = await trial.name()
    return f"as {name.decode()!r}" if name else "with an empty name"


async def _begin(trial: Trial, scenario: Scenario, exam: Exam) -> Play:
    await trial.connect()
    await trial.any_name()
    return Play(trial, scenario, turns=exam.turns)


async def _answer(trial: Trial, exam: Exam) -> str:
    play = await _begin(trial, Scenario(map=SMALL), exam)
    await play.open()
    await play.ask()
    await trial.answer(1)
    return ""


async def _keep_silent(trial: Trial, exam: Exam) -> str:
    play = await _begin(trial, Scenario(map=SMALL), exam)
    await trial.forget()
    await play.open()
    await trial.expect_silence(SILENCE, "after MAP and before the first UPD")
    await play.ask()
    await trial.answer(1)
    await trial.expect_silence(exam.seconds, "after its MOV, while the other player thinks")
    await play.finish()
    await trial.expect_silence(SILENCE, "after END", consequence="unclean")
    return ""


def _playing(*scenarios: Scenario) -> Callable[[Trial, Exam], Awaitable[str]]:
    """Play these games on one connection."""

    async def run(trial: Trial, exam: Exam) -> str:
        await trial.connect()
        await trial.any_name()
        for number, scenario in enumerate(scenarios, 1):
            play = Play(trial, scenario, turns=exam.turns, seed=number)
            try:
                await play.run()
            except Fault as fault:
                fault.where = f"game {number}: " if number > 1 else ""
                raise
            await play.finish()
        await trial.say(Bye())
        return _told(trial)

    return run


def _ending(*, end: bool, bye: bool, close: bool) -> Callable[[Trial, Exam], Awaitable[str]]:
    """Play a little, then end the game in this way."""

    async def run(trial: Trial, exam: Exam) -> str:
        play = await _begin(trial, Scenario(map=SMALL, most_turns=2), exam)
        await play.run()
        if end:
            await play.finish()
        if bye:
            await trial.say(Bye())
            await asyncio.sleep(STEP)
        if close:
            await trial.close()
        code = await trial.end()
        return f"with exit code {code}" if code else ""

    return run


async def _keep_time(trial: Trial, exam: Exam) -> str:
    await _playing(Scenario(map=SMALL))(trial, exam)
    answers = [*exam.answers, *trial.answers]
    slowest = max(answers)
    slow = f"the slowest took {slowest.seconds:.3f} s ({slowest.check}, turn {slowest.turn})"
    if late := sum(answer.seconds > exam.seconds for answer in answers):
        trial.sent = ()  # the BYE at the end has no part in it
        raise Fault(f"{late} of {len(answers)} answers came after more than {exam.seconds:g} s; {slow}")
    return f"of {len(answers)} answers {slow}"


# The list.

_LEGAL = ("legal",)

CHECKS: tuple[PacketCheck, ...] = (
    PacketCheck(
        name="connects",
        about="connects to the host and port that are its last two arguments",
        hint="take the host and the port from the end of the command line, and connect before any long preparation",
        run=_connect,
    ),
    PacketCheck(
        name="host-name",
        about="connects when the host is a name",
        hint="resolve the host (getaddrinfo), and try every address that the name has",
        run=_connect,
        needs=("connects",),
        host="localhost",
        consequence="elsewhere",
    ),
    PacketCheck(
        name="name",
        about="names itself with a well-formed NME",
        hint="N M E, then one byte with the number of bytes that follow, then the name in ASCII; nothing else",
        run=_name,
        needs=("connects",),
        consequence="unclean",
    ),
    PacketCheck(
        name="answers",
        about="answers the first UPD with a MOV",
        hint="each packet says how long it is: read exactly that much, and answer every UPD with one MOV, at once",
        run=_answer,
        needs=("connects",),
    ),
    PacketCheck(
        name="silent",
        about="says nothing when it is not asked",
        hint="exactly one MOV for each UPD, and not a byte at any other time",
        run=_keep_silent,
        needs=("answers",),
    ),
    PacketCheck(
        name="legal",
        about="plays legal turns on a small map",
        hint="keep a board from MAP and every UPD, and check your turn against rules 1 to 6 before you send it",
        run=_playing(Scenario(map=SMALL)),
        needs=("silent",),
        about_turns=True,
    ),
    PacketCheck(
        name="werewolves",
        about="plays the Werewolves, moving second",
        hint="your species is the one on the MAP cell that HME names, whoever connects or moves first",
        run=_playing(Scenario(map=SMALL, species="werewolves")),
        needs=_LEGAL,
    ),
    PacketCheck(
        name="werewolves-first",
        about="plays the Werewolves where they begin",
        hint="species and order are two things: learn the species from MAP and HME, your turn from UPD",
        run=_playing(Scenario(map=TALL, species="werewolves", first="werewolves")),
        needs=("werewolves",),
        consequence="elsewhere",
    ),
    PacketCheck(
        name="vampires-second",
        about="plays the Vampires where the Werewolves begin",
        hint="species and order are two things: learn the species from MAP and HME, your turn from UPD",
        run=_playing(Scenario(map=TALL, first="werewolves")),
        needs=("werewolves-first",),
        consequence="elsewhere",
    ),
    PacketCheck(
        name="huge",
        about="plays on 255 rows and columns with 200 houses",
        hint="bytes are unsigned: a coordinate goes up to 254 (in Java, b & 0xFF); and MAP may have 1000 bytes",
        run=_playing(Scenario(map=HUGE)),
        needs=_LEGAL,
        consequence="elsewhere",
    ),
    PacketCheck(
        name="no-humans",
        about="plays on a map without humans",
        hint="HUM 0 can happen: it has no bytes after its number; and there may be nothing to convert",
        run=_playing(Scenario(map=EMPTY)),
        needs=_LEGAL,
        consequence="elsewhere",
    ),
    PacketCheck(
        name="crowded",
        about="plays where every cell is taken",
        hint="MAP holds up to 255 cells; there may be no safe step, and some step has to be made",
        run=_playing(Scenario(map=CROWDED)),
        needs=_LEGAL,
    ),
    PacketCheck(
        name="outnumbered",
        about="plays on where the game is lost",
        hint="a lost game is played to its end: without a good turn send any legal one, for MOV 0 loses at once",
        run=_playing(Scenario(map=OUTNUMBERED)),
        needs=_LEGAL,
    ),
    PacketCheck(
        name="last-one",
        about="plays with a single creature",
        hint="one creature cannot be divided: half of it is 0, and a move takes at least one along: rule 6",
        run=_playing(Scenario(map=LAST_ONE)),
        needs=("outnumbered",),
        about_turns=True,
    ),
    PacketCheck(
        name="cornered",
        about="plays where every step is an attack on a stronger group",
        hint="a cornered group has to go somewhere: without a safe step take the best of the bad ones",
        run=_playing(Scenario(map=CORNERED)),
        needs=("last-one", "crowded"),
        about_turns=True,
    ),
    PacketCheck(
        name="corridor",
        about="plays in one row",
        hint="the grid's edges: with one row every step goes left or right",
        run=_playing(Scenario(map=CORRIDOR)),
        needs=_LEGAL,
        consequence="elsewhere",
    ),
    PacketCheck(
        name="shaft",
        about="plays in one column",
        hint="the grid's edges: with one column every step goes up or down (SET gives the rows first)",
        run=_playing(Scenario(map=SHAFT)),
        needs=_LEGAL,
        consequence="elsewhere",
    ),
    PacketCheck(
        name="counts",
        about="plays with groups of up to 255",
        hint="bytes are unsigned: 200 is not −56 (in Java, b & 0xFF); a move takes at most 255",
        run=_playing(Scenario(map=COUNTS)),
        needs=_LEGAL,
    ),
    PacketCheck(
        name="separate",
        about="reads the opening packet by packet",
        hint="do not expect SET, HUM and HME in one receive: read three letters, then what that packet needs",
        run=_playing(Scenario(map=SMALL, delivery=Delivery.APART, most_turns=3)),
        needs=_LEGAL,
        consequence="elsewhere",
    ),
    PacketCheck(
        name="glued",
        about="reads the opening and the first UPD from one piece",
        hint="one receive may bring several packets: keep what is left after the first for the next",
        run=_playing(Scenario(map=SMALL, delivery=Delivery.GLUED, most_turns=3)),
        needs=_LEGAL,
        consequence="elsewhere",
    ),
    PacketCheck(
        name="byte-by-byte",
        about="reads an opening that comes byte by byte",
        hint="reads must loop until all bytes have arrived: one receive may bring less than a packet",
        run=_playing(Scenario(map=SMALL, delivery=Delivery.BYTEWISE, most_turns=3)),
        needs=("separate",),
        consequence="elsewhere",
    ),
    PacketCheck(
        name="fragments",
        about="reads UPD in fragments",
        hint="reads must loop until all bytes have arrived: also those of UPD, in the middle of a game",
        run=_playing(Scenario(map=SMALL, delivery=Delivery.FRAGMENTED, most_turns=5)),
        needs=("byte-by-byte",),
        consequence="elsewhere",
    ),
    PacketCheck(
        name="whole-map",
        about="takes a first UPD that tells the whole map",
        hint="UPD sets what its cells hold, it does not add to it; and the first one need not be empty",
        run=_playing(Scenario(map=SMALL, whole_map=True, most_turns=5)),
        needs=_LEGAL,
        consequence="elsewhere",
    ),
    PacketCheck(
        name="several-games",
        about="plays three games on one connection, sides swapped",
        hint="after END may come SET again: stay connected, forget the old board, learn size and species anew",
        run=_playing(
            Scenario(map=SMALL, most_turns=5),
            Scenario(map=SMALL, species="werewolves", most_turns=5),
            Scenario(map=TALL, most_turns=5),
        ),
        needs=("werewolves",),
        consequence="elsewhere",
    ),
    PacketCheck(
        name="end-bye",
        about="ends after END and BYE",
        hint="on BYE close the connection and end the process; the server may never close it",
        run=_ending(end=True, bye=True, close=False),
        needs=_LEGAL,
        consequence="unclean",
    ),
    PacketCheck(
        name="bye",
        about="ends after BYE without END",
        hint="BYE ends everything at any time, also where no END came before it",
        run=_ending(end=False, bye=True, close=False),
        needs=("end-bye",),
        consequence="unclean",
    ),
    PacketCheck(
        name="closed",
        about="ends when the connection is closed without a word",
        hint="a receive of nothing (or −1) means that the server has closed: end, and do not read on for ever",
        run=_ending(end=False, bye=False, close=True),
        needs=_LEGAL,
        consequence="unclean",
    ),
    PacketCheck(
        name="time",
        about="keeps the time in every check",
        hint="stop thinking well before the time is over; starting up and the garbage collector need some of it",
        run=_keep_time,
        needs=_LEGAL,
        last=True,
    ),
)
"""All checks, in an order that has each after what it needs."""


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
            consequence=fault.consequence or check.consequence,
            problem=f"{fault.where}{fault}",
            hints=tuple(dict.fromkeys(filter(None, hints))),
            told=tuple(Bytes(dump(encode(packet)), describe(packet)) for packet in fault.sent),
            said=Bytes(dump(fault.received), describe_bytes(fault.received)) if fault.received else None,
            log=fault.log,
        )
    finally:
        exam.answers += trial.answers
    return CheckResult(check=check.name, about=check.about, outcome="passed", note=note)
