"""A player in a wargame through an HTTP broker: it posts its own turns and polls for the other side's.

A broker holds the last move and nothing else, and may still hold that of an earlier game. Such a move is
known by its `turn`, unless it is a first one; so a first move that is already there is played, but when the
attacker then begins, the game starts again with it.
"""

from __future__ import annotations

import asyncio
import random
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable
from http.client import HTTPException
from typing import NamedTuple

import msgspec

from noctagon.core.clock import TimeControl
from noctagon.core.game import IllegalAction, NoctagonError, Result, Side, UnknownName
from noctagon.core.match import Request
from noctagon.core.player import GameStart
from noctagon.core.seat import Seat
from noctagon.core.wire import Client, JoinOptions, Report
from noctagon.games.wargame import Action, WargameRules, WargameState
from noctagon.games.wargame import game as wargame
from noctagon.games.wargame.rules.units import DEFENDER, SIDES
from noctagon.games.wargame.wire.broker import PostedMove
from noctagon.processes.deadline import Reserve, cancel, wait_until
from noctagon.processes.thinking import take_answer

LARGEST_ANSWER = 64 * 1024
OVER = "Noctagon-Result"
"""Header in which our own broker says how a game ended."""
OTHER_RULES = "--rules document counts an AI that falls on the last turn, --rules engine does not"
FIRST_WAIT, LONGEST_WAIT = 0.2, 5.0
"""Seconds before an exchange that failed is tried again: doubled every time."""


class BrokerError(NoctagonError):
    """The broker refuses: trying again is of no use."""


class BrokerFault(NoctagonError):  # noqa: N818 - it may pass
    """The broker cannot be reached or makes no sense, for now."""


class BrokerAnswer(msgspec.Struct, frozen=True):
    """A broker's answer. `over`: how the game ended, where the broker says so."""

    success: bool
    data: PostedMove | None = None
    error: str = ""
    over: str = ""


def exchange(url: str, move: PostedMove | None = None, *, timeout: float = 5.0) -> BrokerAnswer:
    """Ask a broker for the last move, or post a move; raise `BrokerError` or `BrokerFault`. It blocks."""
    try:
        request = urllib.request.Request(url, headers={"Accept": "application/json"})
    except ValueError as error:
        raise BrokerError(f"{url} is no address: {error}") from None
    if move is not None:
        request.data = move.to_json()
        request.add_header("Content-Type", "application/json")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # a broker is next door
    try:
        try:
            response = opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            body, told = response.read(LARGEST_ANSWER), response.headers.get(OVER, "")
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        if isinstance(reason, ConnectionRefusedError):
            raise BrokerFault(f"nobody listens at {url}: connection refused") from None
        raise BrokerFault(f"{url} cannot be reached: {reason}") from None
    except ValueError as error:
        raise BrokerError(f"{url} is no address: {error}") from None
    return msgspec.structs.replace(_read(url, body, response.status or 0), over=told)


def _read(url: str, body: bytes, status: int) -> BrokerAnswer:
    try:
        answer = msgspec.json.decode(body, type=BrokerAnswer)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        if 400 <= status < 500:
            raise BrokerError(f"{url} answered with status {status}: that is no game's address") from None
        raise BrokerFault(f"{url} answered what no broker does (status {status}): {error}") from None
    if answer.success and status < 400:
        return answer
    said = answer.error or "no reason given"
    if status == 404:
        raise BrokerError(f"the broker knows no game at {url}: {said}")
    if status >= 500:
        raise BrokerFault(f"{url}: the broker failed with status {status}: {said}")
    raise BrokerError(f"{url}: the broker refuses: {said}")


class BrokerReport(NamedTuple):
    """A game as it ended for us."""

    side: Side
    turns: int
    ending: str

    def __str__(self) -> str:
        turns = "1 turn" if self.turns == 1 else f"{self.turns} turns"
        return f"{SIDES[self.side]}: {turns}; {self.ending}"


class Over(Exception):  # noqa: N818 - what happened
    """The game ended otherwise than on the board."""


class WargameClient(Client):
    """Takes a player to a broker with the options of `noctagon join`."""

    def __init__(self, options: JoinOptions) -> None:
        url, sides = options.address, [name.lower() for name in SIDES]
        if options.port is not None:
            raise NoctagonError(
                f"{url} {options.port}: a broker's port is part of its address, http://HOST:PORT/game/ID"
            )
        if options.duration is not None:
            raise NoctagonError(
                "--duration is for servers that end a game by time; at a broker turns are counted"
            )
        if not options.side:
            raise NoctagonError(
                "a broker does not say which side is whose: --side attacker or --side defender"
            )
        rules = wargame.make_rules(options.rules, plies=options.plies)
        assert isinstance(rules, WargameRules)
        if options.side.lower() not in sides:
            raise UnknownName("side", options.side, sides)
        self.options = options
        self.rules = rules
        self.side: Side = 0 if options.side.lower() == sides[0] else 1

    def start(self) -> GameStart:
        return GameStart(wargame.initial(None, self.rules), TimeControl(turn=self.options.seconds))

    async def play(self, seat: Seat, *, report: Report, tell: Report) -> None:
        options = self.options
        client = BrokerClient(
            seat,
            options.address,
            self.side,
            rules=self.rules,
            seconds=options.seconds,
            patience=options.patience,
            insist=options.reconnect,
            tell=tell,
        )
        report(str(await client.play()))


class BrokerClient:
    """Plays one side of the game at a broker's address. `tell` gets a line about everything odd."""

    def __init__(
        self,
        seat: Seat,
        url: str,
        side: Side,
        *,
        rules: WargameRules | None = None,
        seconds: float = 5.0,
        poll: float = 0.2,
        patience: float = 600.0,
        tolerance: float = 30.0,
        insist: bool = False,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        """Take a seat at an address. `patience`: seconds for the other's move; `tolerance`: for a broker that
        fails; `insist`: from the first request on.
        """
        self.seat = seat
        self.url = url
        self.side = side
        self.rules = rules
        self.seconds = seconds
        self.poll = poll
        self.patience = patience
        self.tolerance = tolerance
        self.tell = tell
        self._reached = insist
        self._last: PostedMove | None = None
        """The move that the broker last held."""
        self._reserve = Reserve(seconds)
        self._asked_at = 0.0
        """Time from which on it may have been our turn: that of the last look at the broker at which it was not."""

    async def play(self) -> BrokerReport:
        """Play a whole game; raise `NoctagonError` if the broker, or the other side, is not there."""
        state = before = await self._begin()
        self._last = (await self._get()).data
        stale = self._stale(state)
        ending = ""
        while state.result is None:
            before = state
            try:
                state = await (self._ours(state) if state.side == self.side else self._theirs(state, stale))
            except Over as over:
                ending = str(over)
                break
        result = state.adjudicate()
        if not ending:
            await self._compare(before, result)
        await self.seat.finish(result)
        return BrokerReport(self.side, state.ply, ending or result.describe(SIDES))

    async def _begin(self) -> WargameState:
        state = wargame.initial(None, self.rules)
        start = GameStart(state, TimeControl(turn=self.seconds), random.SystemRandom().getrandbits(32))
        if broke := await self.seat.start(start, self.side):
            raise NoctagonError(f"the player could not start: {broke.line}")
        return state

    async def _compare(self, before: WargameState, result: Result) -> None:
        """Tell where the other end judges the last turn differently, or may: whether it comes too late is a rule."""
        try:
            over = (await asyncio.to_thread(exchange, self.url)).over
        except NoctagonError:  # it may be gone already
            over = ""
        ours = result.describe(SIDES)
        if over:
            if over != ours:
                self.tell(f"the broker judges the last turn differently: {over}; here: {ours}; {OTHER_RULES}")
            return
        assert self._last is not None
        other = msgspec.structs.replace(before.rules, limit_first=not before.rules.limit_first)
        judged = (
            wargame.parse_position(wargame.format_position(before), other)
            .play(self._last.action())
            .adjudicate()
        )
        if judged.winner != result.winner:
            theirs = judged.describe(SIDES)
            self.tell(
                f"the other end may judge the last turn differently: {theirs}; here: {ours}; {OTHER_RULES}"
            )

    def _stale(self, start: WargameState) -> PostedMove | None:
        """Return the move that lies at the broker before the game, if it cannot be the first."""
        if self._last is None or self.side != DEFENDER:
            return None  # where we begin, our first move takes its place
        held = f"the broker already holds {describe(self._last)}"
        if self._last.turn == 1 and _legal(start, self._last):
            self.tell(f"{held}: played as the attacker's first, unless the attacker begins anew")
            return None
        self.tell(f"{held}, of an earlier game; waiting for the attacker")
        return self._last

    # The other side's turn.

    async def _theirs(self, state: WargameState, stale: PostedMove | None) -> WargameState:
        move = await self._next(state.ply + 1, stale)
        if move.turn <= state.ply:
            state = await self._begin_anew()
        return self._after(state, move)

    async def _begin_anew(self) -> WargameState:
        self.tell("the attacker has begun anew: what was played before belonged to an earlier game")
        return await self._begin()

    def _after(self, state: WargameState, move: PostedMove) -> WargameState:
        """Return the position after the other side's move."""
        try:
            return state.play(move.action())
        except IllegalAction as error:
            who = SIDES[1 - self.side]
            raise Over(f"{SIDES[self.side]} won: {describe(move)} by the {who} is illegal: {error}") from None

    async def _next(self, turn: int, stale: PostedMove | None) -> PostedMove:
        """Return the move of that turn; or of turn 1, if it turns out that the game begins only now."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self.patience
        self._asked_at = loop.time()
        while True:
            looked_at = loop.time()
            before, answer = self._last, await self._get()
            self._last = last = answer.data
            if last is not None and last != stale:
                anew = self.side == DEFENDER and last.turn == 1 and before is not None and before.turn > 1
                if last.turn == turn or anew:
                    return last
                if answer.over and last.turn == turn - 1:
                    raise Over(answer.over)
            self._asked_at = looked_at
            if loop.time() >= until:
                held = "no move" if last is None else describe(last)
                raise NoctagonError(
                    f"no move of turn {turn} came to {self.url} in {self.patience:g} s; it holds {held}"
                )
            slept_at = loop.time()
            await asyncio.sleep(self.poll)
            self._reserve.woken(loop.time() - slept_at - self.poll)

    # Our own turn.

    async def _ours(self, state: WargameState) -> WargameState:
        """Play our turn, if it still is to be played once it is found."""
        action = await self._choose(state)
        if state.ply:  # where we begin, our first move takes the place of whatever is there
            held = await self._get()
            if held.over:
                raise Over(held.over)
            if (
                self.side == DEFENDER
                and held.data is not None
                and held.data.turn == 1
                and held.data != self._last
            ):
                self._last = held.data
                return self._after(await self._begin_anew(), held.data)
        try:
            await self._post(PostedMove.of(action, state.ply + 1))
        except BrokerError:
            if over := (await self._get()).over:  # by the rules of the broker, not of this client
                raise Over(over) from None
            raise
        return state.play(action)

    async def _choose(self, state: WargameState) -> Action:
        """Return the player's action, or its best so far; any legal one if it has never had one."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        clock = self._reserve.clock(self._asked_at if state.ply else now, now)
        thought = asyncio.ensure_future(
            self.seat.answer(Request(self.side, state, max(0.001, clock.ends - now)))
        )

        def read(given: object) -> Action:
            action = wargame.action(given, state)
            state.check(action)
            return Action(*action)

        try:
            await wait_until(clock.last_call, thought)
            taken = take_answer(self.seat, thought, read)
        finally:
            await cancel(thought)
        self._reserve.measured(loop.time() - clock.ends)
        if taken.broke:
            await self._begin()  # so that it is there for the next turn
        if taken.action is None:
            self.tell(f"{taken.trouble}\nany legal turn is played instead")
            return max(state.actions(), key=lambda action: action.source != action.target)
        if taken.trouble:
            self.tell(f"{taken.trouble}\nits best turn so far is played instead")
        return taken.action

    async def _post(self, move: PostedMove) -> None:
        """Hand our move over. After a failure it may be there all the same, so look before trying again."""
        failed = False

        async def attempt() -> BrokerAnswer:
            nonlocal failed
            if failed:
                held = await asyncio.to_thread(exchange, self.url)
                if held.data == move:
                    return held
            failed = True  # until it turns out that it has not
            return await asyncio.to_thread(exchange, self.url, move)

        answer = await self._persist(attempt)
        if answer.data != move:
            taken = "nothing" if answer.data is None else describe(answer.data)
            self.tell(f"the broker took {taken} where {describe(move)} was posted")
        self._last = move

    async def _get(self) -> BrokerAnswer:
        return await self._persist(lambda: asyncio.to_thread(exchange, self.url))

    async def _persist(self, attempt: Callable[[], Awaitable[BrokerAnswer]]) -> BrokerAnswer:
        """Try until the broker answers, or has failed for longer than can be borne."""
        loop = asyncio.get_running_loop()
        until, wait = loop.time() + self.tolerance, FIRST_WAIT
        while True:
            try:
                answer = await attempt()
            except BrokerFault as fault:
                if not self._reached or loop.time() >= until:
                    raise
                self.tell(f"{fault}; trying again")
                await asyncio.sleep(wait)
                wait = min(2 * wait, LONGEST_WAIT)
            else:
                self._reached = True
                return answer


def _legal(state: WargameState, move: PostedMove) -> bool:
    try:
        state.check(move.action())
    except IllegalAction:
        return False
    return True


def describe(move: PostedMove) -> str:
    """Describe a move in words.

    >>> describe(PostedMove.of(Action(14, 13), 1))
    'turn 1, C4 C3'
    """
    try:
        return f"turn {move.turn}, {move.action()}"
    except IllegalAction:
        return f"turn {move.turn}, a move off the board"
