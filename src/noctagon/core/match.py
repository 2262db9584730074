"""The referee, without I/O and without a clock: it asks the side to move and judges its answer."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from importlib.metadata import version
from random import Random
from typing import Any, NamedTuple

import msgspec

from noctagon.core.clock import TimeControl
from noctagon.core.events import Ended, Event, Played, Rewound, Skipped
from noctagon.core.game import Chance, Game, IllegalAction, NoctagonError, Result, Side, State
from noctagon.core.player import GameStart, Thought
from noctagon.core.record import Conduct, Record, TurnRecord
from noctagon.core.text import quoted, shortened

LONGEST_DETAIL = 1000
"""Maximum length in letters of the explanation of what was wrong with an answer."""


class Request(NamedTuple):
    """The referee's question to the side on move: the position, and the seconds it has."""

    side: Side
    state: State[Any]
    seconds: float | None


class Match:
    """One game between two sides: take the `request`, give the `answer` and its seconds, until the game ends.

    >>> from noctagon.core.registry import find_game
    >>> match = Match(find_game("wargame"))
    >>> events = match.answer("C4 C3", seconds=0.1)
    >>> match.state.sides[match.request().side]
    'Defender'
    """

    def __init__(
        self,
        game: Game[Any],
        state: State[Any] | None = None,
        *,
        setup: str = "",
        players: tuple[str, str] = ("", ""),
        time: TimeControl | None = None,
        seed: int = 0,
        date: str = "",
        lenient: bool = False,
        untimed: Collection[Side] = (),
    ) -> None:
        self.game = game
        self.initial = state if state is not None else game.initial(setup or None)
        self.setup = setup or next(iter(game.setups()), "")
        self.players = players
        self.time = time or TimeControl(turn=game.turn_seconds, total=game.game_seconds)
        self.seed = seed
        self.date = date
        self.lenient = lenient
        self.untimed = frozenset(untimed)
        self.states = [self.initial]
        self.turns: list[TurnRecord] = []
        self.result: Result | None = self.initial.result
        self.late = [0, 0]
        self.illegal = [0, 0]
        self.unasked = [0, 0]
        """Number of packets that each side sent without being asked."""
        self.idle_cpu = [0.0, 0.0]
        """Seconds of processor time that each side used on the opponent's turns, where they can be measured."""
        self._rng = Random(seed)

    @property
    def state(self) -> State[Any]:
        return self.states[-1]

    def start_for(self, side: Side) -> GameStart:
        """Return the start of the game for a side; each side has its own seed."""
        return GameStart(self.initial, self.time, Random(f"{self.seed}/{side}").getrandbits(32))

    def request(self) -> Request | None:
        """Return the question to the side on move; None once the game is over."""
        if self.result is not None:
            return None
        side = self.state.side
        return Request(side, self.state, None if side in self.untimed else self.time.turn)

    def answer(self, answer: object, seconds: float, thought: Thought | None = None) -> list[Event]:
        """Judge the answer of the side on move, an action or its text, and return the events that follow."""
        request = self._asked()
        if request.seconds is not None and seconds > request.seconds:
            return self.miss(seconds, f"answered after {seconds:.2f} s of {request.seconds:g}")
        try:
            return self.play(answer, seconds, thought)
        except NoctagonError as error:
            reason = "illegal turn" if isinstance(error, IllegalAction) else "garbage"
            sent = answer if isinstance(answer, str) else quoted(answer)
            return self._penalise(reason, sent, str(error), seconds)

    def play(self, answer: object, seconds: float, thought: Thought | None = None) -> list[Event]:
        """Play an answer, however late; if it is illegal, raise `NoctagonError` and change nothing.

        The action is checked here and nowhere else: whatever shows, keeps or sends the turn reads the event.
        """
        side = self._asked().side
        before = self.state
        action, chances, dice, after = before.resolve(self.game.action(answer, before), self._roll)
        sent = answer if isinstance(answer, str) else self.game.format_action(action)
        kept = thought.finite() if thought is not None else None
        turn = TurnRecord(side, sent, dice, round(seconds, 6), thought=kept)
        self._advance(turn, after)
        return [Played(side, before, action, chances, dice, after, turn), *self._end_if_over()]

    def miss(self, seconds: float, detail: str = "") -> list[Event]:
        """Penalise the side on move for a late answer: it loses the turn, or in some games the game."""
        request = self._asked()
        self.late[request.side] += 1
        detail = detail or f"no answer in {seconds:.2f} s"
        if self.game.late == "lose":
            return self.forfeit(request.side, "time", f"{self.state.sides[request.side]}: {detail}")
        return self._skip(TurnRecord(request.side, seconds=round(seconds, 6), skipped=f"late: {detail}"))

    def refuse(self, detail: str, seconds: float, reason: str = "malformed packet") -> list[Event]:
        """Penalise the side on move for a message that is not an answer at all."""
        self._asked()
        return self._penalise(reason, "", detail, seconds)

    def skip(self, detail: str) -> list[Event]:
        """Skip the turn of a side without a player."""
        return self._skip(TurnRecord(self._asked().side, skipped=detail))

    def forfeit(self, side: Side, reason: str, detail: str) -> list[Event]:
        """End the game against a side for a reason off the board: a crash, a broken connection, resignation."""
        self._asked()
        return self._end(Result(1 - side, reason, detail))  # type: ignore[arg-type] # 1 - side is a side

    def stop(self, reason: str, detail: str) -> list[Event]:
        """End the game now; the position decides."""
        self._asked()
        stopped = self.state.adjudicate()
        whole = f"{detail}: {stopped.detail}" if stopped.detail else detail
        return self._end(Result(stopped.winner, reason, whole))

    def rewind(self, ply: int) -> list[Event]:
        """Take turns back until `ply` turns of this match are left."""
        if not 0 <= ply <= len(self.turns):
            raise NoctagonError(
                f"{len(self.turns)} turns have been played, so ply {ply} cannot be gone back to"
            )
        del self.turns[ply:], self.states[ply + 1 :]
        self.result = self.state.result
        return [Rewound(self.state)]

    @property
    def seconds(self) -> tuple[float, float]:
        """The seconds that each side has used."""
        return self._thought(0), self._thought(1)

    def record(self) -> Record:
        """Return the record of the game so far."""
        return Record(
            game=self.game.name,
            rules=msgspec.to_builtins(self.initial.rules),
            setup=self.setup,
            position=self.game.format_position(self.initial),
            players=self.players,
            time=self.time,
            seed=self.seed,
            date=self.date,
            versions={"noctagon": version("noctagon")},
            turns=tuple(self.turns),
            result=self.result,
            conduct=self.conduct,
        )

    @property
    def conduct(self) -> tuple[Conduct, Conduct]:
        """The conduct of each side: late answers, illegal turns, packets out of turn."""
        return self._conduct(0), self._conduct(1)

    def _conduct(self, side: int) -> Conduct:
        return Conduct(self.late[side], self.illegal[side], self.unasked[side], self.idle_cpu[side])

    def _asked(self) -> Request:
        request = self.request()
        if request is None:
            raise NoctagonError("the game is over: nobody was asked")
        return request

    def _penalise(self, reason: str, sent: str, detail: str, seconds: float) -> list[Event]:
        """Penalise an illegal turn: it costs the game, or in a lenient match the turn."""
        side = self.state.side
        # A game's explanation may quote the whole answer, however long it is.
        detail = shortened(detail, LONGEST_DETAIL)
        self.illegal[side] += 1
        if self.lenient and self.game.abilities.skip:
            return self._skip(TurnRecord(side, sent, seconds=round(seconds, 6), skipped=f"illegal: {detail}"))
        return self._end(Result(1 - side, reason, f"{self.state.sides[side]}: {detail}"))  # type: ignore[arg-type]

    def _skip(self, turn: TurnRecord) -> list[Event]:
        before, after = self.state, self.state.skip()
        self._advance(turn, after)
        return [Skipped(turn.side, before, after, turn), *self._end_if_over()]

    def _roll(self, chance: Chance) -> int:
        return chance.roll(self._rng)

    def _advance(self, turn: TurnRecord, after: State[Any]) -> None:
        self.turns.append(turn)
        self.states.append(after)

    def _end_if_over(self) -> Iterable[Event]:
        if (result := self.state.result) is not None:
            return self._end(result)
        both_played = self.state.side == self.initial.side
        if self.time.total is not None and both_played and sum(self.seconds) >= self.time.total:
            return self.stop("time limit", f"the game's {self.time.total:g} s are over")
        return []

    def _end(self, result: Result) -> list[Event]:
        self.result = result
        return [Ended(self.state, result)]

    def _thought(self, side: int) -> float:
        return sum(turn.seconds for turn in self.turns if turn.side == side)
