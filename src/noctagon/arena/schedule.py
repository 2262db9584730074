"""Which pairings a tournament has, as far as they are known from the games so far: it only says, and plays nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from noctagon.arena.bout import Finished
from noctagon.arena.pairing import bracket, gauntlet, round_robin, swiss_round, swiss_rounds
from noctagon.arena.plan import Plan
from noctagon.arena.starts import Start

MOST_REPLAYS = 2
"""A drawn meeting of a knockout is played again so often; then the better seed goes on."""


class Meeting(NamedTuple):
    """Two players meet: on each map, as both sides. A `replay` is one that follows a drawn one."""

    round: int
    first: str
    second: str
    replay: int = 0


class Place(NamedTuple):
    """One game of a meeting: who begins, and where. `slot` is its name in the tournament."""

    slot: str
    first: str
    second: str
    start: Start


def places(meeting: Meeting, starts: Sequence[Start]) -> list[Place]:
    """The games of a meeting: from every start twice, with the sides swapped.

    >>> [place.slot for place in places(Meeting(1, "ada", "bob"), [Start("duel")])]
    ['1/ada/bob/duel', '1/bob/ada/duel']

    A name may have a slash where a folder is part of it; it is doubled, so that no two games have one slot.
    """
    replay = f"/replay {meeting.replay}" if meeting.replay else ""
    pair = (meeting.first, meeting.second)
    return [
        Place(f"{meeting.round}/{_part(first)}/{_part(second)}/{start.name}{replay}", first, second, start)
        for start in starts
        for first, second in (pair, pair[::-1])
    ]


def _part(name: str) -> str:
    return name.replace("/", "//")


class Tie(NamedTuple):
    """A pair of a knockout's round; an empty name is a bye."""

    first: str
    second: str
    scores: tuple[tuple[float, float], ...] = ()
    """The points of both in their meeting, and in each of its replays."""
    winner: str | None = None
    """Who goes on; empty if nobody does, None while that is not known."""


class Schedule(NamedTuple):
    """The meetings that are known, in the order they are played; byes; and whether it is all there will be."""

    meetings: list[Meeting]
    byes: dict[str, int]
    """Who rested in how many rounds of a Swiss tournament."""
    whole: bool
    through: dict[str, int]
    """Up to which round of a knockout a player has come, counted from 1; the winner one further."""
    rounds: Sequence[Sequence[Tie]] = ()
    """Those of a knockout, as far as they are known: who met whom, and who went on."""


Results = Callable[[Meeting], Sequence[Finished] | None]
"""The games of a meeting once all of them have been played, or will not be since a player is out; None before."""


Out = Callable[[int], Collection[str]]
"""Who was disqualified before a round."""


def draw(plan: Plan, names: Sequence[str], each: int, results: Results, out: Out) -> Schedule:
    """The schedule, from what has been played; a meeting has `each` games. Who is out is not paired any more."""
    match plan.format:
        case "round-robin" | "gauntlet":
            return _fixed(plan, names)
        case "swiss":
            return _swiss(plan, names, each, results, out)
        case "knockout":
            return _knockout(names, results, out)


def _fixed(plan: Plan, names: Sequence[str]) -> Schedule:
    pairs = gauntlet(names) if plan.format == "gauntlet" else round_robin(names)
    cycles = range(1, (plan.rounds or 1) + 1)
    return Schedule([Meeting(cycle, *pair) for cycle in cycles for pair in pairs], {}, True, {})


def _swiss(plan: Plan, names: Sequence[str], each: int, results: Results, out: Out) -> Schedule:
    """Round after round; the points of a meeting are those of its games, a bye's are those of a meeting won."""
    meetings: list[Meeting] = []
    points = dict.fromkeys(names, 0.0)
    byes: dict[str, int] = {}
    rounds = plan.rounds or swiss_rounds(len(names))
    for number in range(1, rounds + 1):
        gone = out(number)
        playing = {name: points[name] for name in names if name not in gone}
        if len(playing) < 2:
            return Schedule(meetings, byes, True, {})
        met = {frozenset((meeting.first, meeting.second)) for meeting in meetings}
        paired = swiss_round(playing, met, byes)
        current = [Meeting(number, *pair) for pair in paired.pairs]
        meetings += current
        played = [results(meeting) for meeting in current]
        if any(games is None for games in played):
            return Schedule(meetings, byes, False, {})
        gone = out(number + 1)
        for meeting, games in zip(current, played, strict=True):
            pair = (meeting.first, meeting.second)
            if any(name in gone for name in pair):  # as a bye: how many of the games were played is chance
                points |= {name: points[name] + each for name in pair if name not in gone}
                continue
            for game in games or ():
                for side in (0, 1):
                    points[game.players[side]] += game.points(side)
        if paired.bye:
            byes[paired.bye] = byes.get(paired.bye, 0) + 1
            points[paired.bye] += each
    return Schedule(meetings, byes, True, {})


def _knockout(names: Sequence[str], results: Results, out: Out) -> Schedule:
    """Round after round, until one is left."""
    meetings: list[Meeting] = []
    rounds: list[list[Tie]] = []
    places = bracket(names)
    through = dict.fromkeys(names, 1)
    while len(places) > 1:
        pairs = list(zip(places[::2], places[1::2], strict=True))
        ties = _ties(len(rounds) + 1, pairs, names, results, out, meetings)
        rounds.append(ties)
        places = [tie.winner for tie in ties if tie.winner is not None]
        if len(places) < len(ties):
            return Schedule(meetings, {}, False, through, rounds)
        through |= {name: len(rounds) + 1 for name in places if name}
    return Schedule(meetings, {}, True, through, rounds)


def _ties(
    number: int,
    pairs: Sequence[tuple[str, str]],
    names: Sequence[str],
    results: Results,
    out: Out,
    meetings: list[Meeting],
) -> list[Tie]:
    """What each pair of a round came to, as far as it is known.

    Adds what has to be played for it: replays after all first meetings, so that the order is always the same.
    """
    ties = [Tie(*pair, winner=_walkover(pair, out(number))) for pair in pairs]
    for replay in range(MOST_REPLAYS + 1):
        undecided = [place for place, tie in enumerate(ties) if tie.winner is None]
        current = [Meeting(number, *pairs[place], replay) for place in undecided]
        meetings += current
        played = [results(meeting) for meeting in current]
        for place, games in zip(undecided, played, strict=True):
            if games is not None:
                ties[place] = _met(ties[place], games, out(number + 1))
        if any(games is None for games in played):
            return ties
    seed = list(names).index
    return [
        tie._replace(winner=min(tie.first, tie.second, key=seed)) if tie.winner is None else tie
        for tie in ties
    ]


def _met(tie: Tie, games: Sequence[Finished], gone: Collection[str]) -> Tie:
    """The same after one more meeting."""
    points = sum((game.points(game.players.index(tie.first)) for game in games), 0.0)
    others = len(games) - points
    winner = _walkover((tie.first, tie.second), gone)
    if winner is None and points != others:
        winner = tie.first if points > others else tie.second
    return tie._replace(scores=(*tie.scores, (points, others)), winner=winner)


def _walkover(pair: tuple[str, str], gone: Collection[str]) -> str | None:
    """Who goes on without playing, an empty name if neither is there; None if both are."""
    present = [name for name in pair if name and name not in gone]
    return None if len(present) == 2 else present[0] if present else ""
