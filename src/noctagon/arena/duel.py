"""Measured matches: pairs of games with the sides swapped, until a sequential test decides."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random

import msgspec

from noctagon.arena.bout import Bout, Finished
from noctagon.arena.sprt import NO_PAIRS, Counts, Running, Sprt
from noctagon.arena.starts import Start, starts_of
from noctagon.arena.tournament import Tournament
from noctagon.processes.executor import ProcessExecutor, run_all

NO_GAMES = Counts((0, 0, 0))


@dataclass
class MatchTally:
    """The games that count, from the first player's point of view."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    failed: tuple[list[Finished], list[Finished]] = field(default_factory=lambda: ([], []))
    """Games that each player lost by a crash, on time or by nonsense, without their records."""
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    @property
    def faults(self) -> tuple[int, int]:
        return len(self.failed[0]), len(self.failed[1])

    def add(self, game: Finished, side: int) -> None:
        """Add a game in which the first player had this side."""
        self.wins += game.winner == side
        self.draws += game.winner is None
        self.losses += game.winner == 1 - side
        self.reasons[game.reason] += 1
        if game.fault is not None:
            self.failed[game.fault != side].append(game)


class Duel:
    """A match between the first two entrants of a tournament, in pairs of games.

    Pairs count in the order of their numbers, and only up to the first that has not been played, so that the verdict
    does not depend on which game took longest. Without a test all `pairs` are played. A game without dice gets a new
    opening for every pair; with `openings` there are that many, and no more pairs than those.
    """

    def __init__(
        self,
        tournament: Tournament,
        *,
        pairs: int,
        test: Sprt | None = None,
        openings: int | None = None,
        trinomial: bool = False,
        keep: Callable[[Finished], None] = lambda game: None,
    ) -> None:
        self.tournament = tournament
        self.names = (tournament.names[0], tournament.names[1])
        self.test = test
        self.trinomial = trinomial
        self.tally = MatchTally()
        nothing = NO_GAMES if trinomial else NO_PAIRS
        self.running = Running(test, nothing) if test else None
        self.counts = nothing
        self.played = 0
        """Number of games that have ended, including those after the decision."""
        self._keep = keep
        self._openings = openings
        self._setups = [start.setup for start in starts_of(tournament.plan.maps, tournament.game)]
        self._dice = tournament.game.abilities.random
        self.most = pairs if self._endless else min(pairs, len(self._setups) * max(1, openings or 0))
        """Maximum number of pairs."""
        self._next_pair = 0
        self._waiting: deque[Bout] = deque()
        self._results: dict[int, dict[int, Finished]] = {}
        self._judged = 0
        self._position = lru_cache(maxsize=4096)(tournament.position)

    @property
    def is_over(self) -> bool:
        decided = self.running is not None and self.running.verdict is not None
        return decided or self._judged >= self.most

    def play(
        self,
        executor: Executor | None = None,
        *,
        look: Callable[[Collection[Bout], int], None] | None = None,
    ) -> None:
        """Play until the match is decided; Ctrl-C as in `run_all`."""
        at_once = self.tournament.concurrency

        def next_bout(running: Collection[Bout]) -> Bout | None:
            return self.next() if len(running) < at_once else None

        with executor or ProcessExecutor(at_once, [self.tournament.game.name]) as pool:
            run_all(pool, Bout.play, next_bout, self.add, look=look)

    def next(self) -> Bout | None:
        """Return the next game to play, if one is wanted."""
        if self.is_over:
            return None
        if not self._waiting and self._next_pair < self.most:
            self._waiting += self.pair(self._next_pair)
            self._next_pair += 1
        return self._waiting.popleft() if self._waiting else None

    def add(self, bout: Bout, game: Finished) -> None:
        """Count a game that has ended."""
        self._keep(game)
        self.played += 1
        results = self._results.setdefault(bout.round - 1, {})
        results[int(bout.entrants[0].name != self.names[0])] = msgspec.structs.replace(game, record=b"")
        while not self.is_over and len(self._results.get(self._judged, {})) == 2:
            pair = self._results.pop(self._judged)
            self._judged += 1
            self._judge(pair)

    def pair(self, number: int) -> tuple[Bout, Bout]:
        """Return both games of a pair, the one in which the first player moves first before the other."""
        start = self.start(number)
        tournament = self.tournament
        seed = Random(f"{tournament.plan.seed}/{number}/{start.name}").getrandbits(32)
        one, other = tournament.entrants[:2]
        first, second = (
            Bout(
                slot=f"{number + 1}/{order[0].name}/{order[1].name}/{start.name}",
                round=number + 1,
                game=tournament.game.name,
                entrants=order,
                setup=start.setup,
                position=self._position(start),
                rules=msgspec.to_builtins(tournament.rules),
                time=tournament.time,
                seed=seed,
            )
            for order in ((one, other), (other, one))
        )
        return first, second

    def check_starts(self) -> None:
        """Make every start once; raise `NoctagonError` naming a map that is wrong."""
        for number in range(min(self.most, len(self._setups))):
            self._position(self.start(number))

    def start(self, number: int) -> Start:
        """Return the start of a pair: the maps in turn."""
        cycle, place = divmod(number, len(self._setups))
        setup = self._setups[place]
        if drawn := self._is_drawn(setup):
            setup = f"{self.tournament.game.drawn_setups}{cycle + 1}"
        if self._openings:
            return Start(setup, cycle % self._openings + 1, self.tournament.plan.opening_plies)
        if self._openings is None and not self._dice and not drawn:
            return Start(setup, cycle + 1, self.tournament.plan.opening_plies)
        return Start(setup)

    @property
    def _endless(self) -> bool:
        """True where no two pairs are the same, by dice or by starts of their own, however many are played."""
        fresh = all(map(self._is_drawn, self._setups))
        return self._dice or fresh or self._openings is None

    def _is_drawn(self, setup: str) -> bool:
        """Return whether every pair draws its own setup: `generated` alone, without a number."""
        return f"{setup}:" == self.tournament.game.drawn_setups

    def _judge(self, pair: dict[int, Finished]) -> None:
        """Count a pair, given its games by the side that the first player had."""
        for side, game in sorted(pair.items()):
            self.tally.add(game, side)
        points = [game.points(side) for side, game in sorted(pair.items())]
        for share in points if self.trinomial else [sum(points) / 2]:
            if self.running is None:
                self.counts = self.counts.add(share)
            else:
                self.running.add(share)
                self.counts = self.running.counts
