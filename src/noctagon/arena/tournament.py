"""A tournament made ready from its plan: its entrants, its starts, and the games of every meeting."""

from __future__ import annotations

import os
from functools import cached_property
from math import isfinite
from random import Random
from typing import Any

import msgspec

from noctagon.arena.bout import Bout, Entrant, threads_of
from noctagon.arena.meetings import Fixture, Meeting, fixtures
from noctagon.arena.plan import MOST_PLAYERS, LimitsPlan, Plan, PlayerPlan, names_of
from noctagon.arena.starts import Start, starts_of
from noctagon.arena.versions import version_of
from noctagon.core.clock import TimeControl
from noctagon.core.game import Game, NoctagonError
from noctagon.core.limits import Limits
from noctagon.core.player import PlayerSpec
from noctagon.core.registry import find_game
from noctagon.players import find_player, make_player
from noctagon.players.options import read_options
from noctagon.processes.seats import check_start, make_seat

MOST_OF_A_LIMIT = 10**9


class Tournament:
    """A plan whose players, maps and limits have been checked. Nothing has been started or compiled."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.game: Game[Any] = find_game(plan.game)
        self.rules = self.game.make_rules(plan.rules or None, plies=plan.plies, majority=plan.majority)
        self.time = TimeControl(turn=plan.time or self.game.turn_seconds, total=plan.duration)
        _check_numbers(plan)
        self.entrants = entrants_of(plan, self.game)
        self.names = [entrant.name for entrant in self.entrants]
        self.starts = starts_of(plan.maps, self.game, plan.openings, plan.opening_plies)
        self.cores = cores()
        self.threads = max(threads_of(entrant.spec) for entrant in self.entrants)
        if (plan.concurrency or 1) * self.threads > self.cores:
            what = f"{plan.concurrency or 1} games at once with {self.threads} thread{'s'[: self.threads != 1]} each"
            raise NoctagonError(
                f"{what}: this machine has {self.cores} cores for them, and players who wait for a core lose on time"
            )
        self.concurrency = plan.concurrency or max(1, self.cores // self.threads)

    @cached_property
    def positions(self) -> dict[Start, str]:
        """Starts of the games as text, so that a worker needs no map."""
        return {start: self.position(start) for start in self.starts}

    def position(self, start: Start) -> str:
        """Return a start as text; raise `NoctagonError` if a player's protocol cannot express it."""
        state = start.state(self.game, self.rules)
        for entrant in self.entrants:
            try:
                check_start(PlayerSpec.parse(entrant.spec), self.game, state)
            except NoctagonError as error:
                raise NoctagonError(f"{entrant.name} cannot play on {start.name}: {error}") from error
        return self.game.format_position(state)

    def prepare(self) -> None:
        """Compile all that the players need before any clock runs; the workers read it from the cache."""
        self.game.load()
        for entrant in self.entrants:
            spec = PlayerSpec.parse(entrant.spec)
            if not spec.path and not spec.command:
                make_player(spec, self.game)

    def bouts(self, meeting: Meeting) -> list[Bout]:
        """Return the games of a meeting; both from the same start have the same dice."""
        return [self._bout(meeting, fixture) for fixture in fixtures(meeting, self.starts)]

    def _bout(self, meeting: Meeting, fixture: Fixture) -> Bout:
        pair = "/".join(sorted((fixture.first, fixture.second)))
        where = f"{self.plan.seed}/{meeting.round}/{pair}/{fixture.start.name}/{meeting.replay}"
        first, second = self.names.index(fixture.first), self.names.index(fixture.second)
        return Bout(
            slot=fixture.slot,
            round=meeting.round,
            game=self.game.name,
            entrants=(self.entrants[first], self.entrants[second]),
            setup=fixture.start.setup,
            position=self.positions[fixture.start],
            rules=msgspec.to_builtins(self.rules),
            time=self.time,
            seed=Random(where).getrandbits(32),
        )


def entrants_of(plan: Plan, game: Game[Any]) -> list[Entrant]:
    """Return the players of a plan; raise `NoctagonError` naming those who cannot take part."""
    if not 2 <= len(plan.players) <= MOST_PLAYERS:
        count = len(plan.players)
        raise NoctagonError(f"{count} player{'s'[: count != 1]}: it takes two, and at most {MOST_PLAYERS}")
    _check_limits(plan.limits, "limits: ")
    wrong: list[str] = []
    for number, player in enumerate(plan.players, 1):
        try:
            _check(player, game)
        except NoctagonError as error:
            why = str(error).removeprefix(f"player {player.spec!r}: ")
            wrong.append(f"{player.name or f'player {number}'}: {why}")
    if wrong:
        several = f"{len(wrong)} players cannot take part:"
        raise NoctagonError("\n  ".join([several, *wrong]) if len(wrong) > 1 else wrong[0])
    specs = [PlayerSpec.parse(player.spec) for player in plan.players]
    return [
        Entrant(name, str(spec), version_of(spec), _limits(player, plan.limits))
        for name, spec, player in zip(names_of(plan), specs, plan.players, strict=True)
    ]


def _check(player: PlayerPlan, game: Game[Any]) -> None:
    """Raise `NoctagonError` for a player that cannot take part."""
    check_player(PlayerSpec.parse(player.spec), game)
    _check_limits(player)


def check_player(spec: PlayerSpec, game: Game[Any]) -> None:
    """Raise `NoctagonError` for a player that cannot take part in games without a person at the keyboard."""
    if spec.name == "human" and not spec.path:
        raise NoctagonError("a person cannot take part: these games are played unattended")
    if spec.path or spec.command:
        make_seat(spec, game)  # raises what is wrong, and starts nothing
    else:
        read_options(spec.name, find_player(spec.name, game), spec.options)


def _limits(player: PlayerPlan, usual: LimitsPlan) -> Limits:
    return Limits(
        cpu=usual.cpu if player.cpu is None else player.cpu,
        memory=usual.memory if player.memory is None else player.memory,
        processes=usual.processes if player.processes is None else player.processes,
        disk=usual.disk if player.disk is None else player.disk,
    )


def _check_limits(given: LimitsPlan | PlayerPlan, where: str = "") -> None:
    for what, value in (
        ("cpu", given.cpu),
        ("memory", given.memory),
        ("processes", given.processes),
        ("disk", given.disk),
    ):
        if value is not None and not 0 < value <= MOST_OF_A_LIMIT:
            raise NoctagonError(
                f"{where}{what} = {value:g}: a limit is more than 0, and at most {MOST_OF_A_LIMIT:,}"
            )


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _check_numbers(plan: Plan) -> None:
    for what, value, least in (
        ("rounds", plan.rounds, 0),
        ("openings", plan.openings, 0),
        ("opening_plies", plan.opening_plies, 1),
        ("concurrency", plan.concurrency, 0),
        ("disqualify", plan.disqualify, 0),
    ):
        if value < least:
            raise NoctagonError(f"{what} = {value}: it is at least {least}")
    for what, seconds in (("time", plan.time), ("duration", plan.duration)):
        if seconds is not None and not 0 < seconds < 86400:
            raise NoctagonError(f"{what} = {seconds:g}: more than 0 seconds, and less than a day")
    for points in plan.bonus:
        if not isfinite(points):
            raise NoctagonError(f"bonus: {points:g} is no number of points")
