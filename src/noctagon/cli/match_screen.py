"""A match on the terminal: score, Elo, the test between its bounds, the time that is left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from noctagon.arena.bout import Bout, Finished
from noctagon.arena.duel import Duel
from noctagon.arena.faults import how_often, kind_of, last_of
from noctagon.cli.tournament_screen import duration
from noctagon.cli.verdict import bar, estimate, mistakes, verdict

LINES_EVERY = 10.0
"""Seconds between two lines where there is no terminal."""
FEW = 10
"""Number of pairs before which nothing is predicted."""


def say(message: str) -> None:
    """Print a message beside the result."""
    print(f"noctagon: {message}", file=sys.stderr)


class MatchScreen:
    """The display of a running match: lines redrawn on a terminal, a line now and then elsewhere."""

    def __init__(self, duel: Duel, *, quiet: bool = False) -> None:
        self.duel = duel
        self.console = Console(stderr=True, highlight=False)
        self.quiet = quiet
        self.live: Live | None = None
        self.began = time.monotonic()
        self._next_line = self.began + LINES_EVERY

    def __enter__(self) -> MatchScreen:
        self.began = time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Remove the live lines."""
        if self.live is not None:
            self.live.stop()
            self.live = None

    def look(self, running: Collection[Bout], presses: int) -> None:
        if self.quiet:
            return
        if self.console.is_terminal:
            if self.live is None:
                self.live = Live(console=self.console, auto_refresh=False, transient=True)
                self.live.start()
            lines = [Text(score(self.duel), "bold"), *(Text(line) for line in standing(self.duel))]
            self.live.update(Group(*lines, Text(self.pace(running, presses), "dim")), refresh=True)
        elif time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + LINES_EVERY
            say(" · ".join([score(self.duel), *standing(self.duel), self.pace(running, presses)]))

    def pace(self, running: Collection[Bout], presses: int) -> str:
        """Describe the speed, and the time that is left."""
        played, seconds = self.duel.played, time.monotonic() - self.began
        pace = f"{played} of at most {2 * self.duel.most} games"
        if running:
            pace += f", {len(running)} running"
        if played >= 2:
            pace += (
                f" · {played / seconds:.1f} a second"
                if played > seconds
                else f" · {60 * played / seconds:.0f} a minute"
            )
            games = games_left(self.duel)
            if games is not None:
                pace += f" · about {duration(games * seconds / played)} left"
        if presses:
            pace += " · finishing the running games (Ctrl-C again stops now)"
        return pace


def score(duel: Duel) -> str:
    """Describe the score of the games that count."""
    one, other = duel.names
    points = duel.tally.points
    return f"{one} {points:g} – {duel.tally.games - points:g} {other}"


def standing(duel: Duel) -> list[str]:
    """Describe the estimate and the test so far."""
    lines = [estimate(duel.counts)] if duel.counts.total else []
    if duel.running is not None:
        llr = duel.running.llr
        lines.append(f"log-likelihood ratio {llr:.2f}   {bar(duel.running.test, llr)}")
    return lines


def games_left(duel: Duel) -> float | None:
    """Return how many games are left if it goes on as so far; None while that is unknown."""
    most = 2.0 * duel.most - duel.tally.games
    if duel.running is None:
        return most
    wanted = games_wanted(duel)
    return None if wanted is None else min(most, wanted)


def games_wanted(duel: Duel) -> float | None:
    """Return how many more games the test would take without a maximum."""
    counts = duel.counts
    if duel.running is None or counts.games < 2 * FEW:
        return None
    test = duel.running.test
    elo = counts.normalized_elo if test.normalized else counts.elo
    return test.outlook(elo, counts, duel.running.llr).units * counts.games / counts.total


def report(duel: Duel, *, stopped: bool = False, show: Callable[[Finished], str] = lambda game: "") -> None:
    """Print the result; `show` adds the command that shows a game."""
    one, other = duel.names
    tally, counts = duel.tally, duel.counts
    console = Console(highlight=False)
    if duel.running is not None:
        console.print(verdict(duel.running.test, duel.running.llr, one, other), style="bold", soft_wrap=True)
        if duel.running.verdict is not None:
            console.print(mistakes(duel.running.test), soft_wrap=True)
        elif not stopped:
            wanted = games_wanted(duel)
            more = f"; about {wanted:,.0f} more might tell" if wanted is not None else ""
            console.print(f"{2 * duel.most} games: that was the most to be played{more}.", soft_wrap=True)
    if not tally.games:
        print("No pair was finished.")
        return
    print(f"{score(duel)}   won {tally.wins}, drawn {tally.draws}, lost {tally.losses}")
    for line in standing(duel):
        print(line)
    if not duel.trinomial:
        names = ("both lost", "loss and draw", "even", "draw and win", "both won")
        print(
            "pairs: "
            + " · ".join(f"{name} {count}" for name, count in zip(names, counts.outcomes, strict=True))
        )
    reasons = ", ".join(f"{reason} {count}" for reason, count in tally.reasons.most_common())
    print(f"ended by: {reasons}")
    for name, failed in zip(duel.names, tally.failed, strict=True):
        if failed:
            often = how_often(map(kind_of, failed))
            print(f"{name} {often}: those losses say nothing about its strength.")
            print(f"the last was {last_of(failed[-1])}{show(failed[-1])}")
