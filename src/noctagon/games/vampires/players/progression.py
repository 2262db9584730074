"""The players of the 2019 report, in the order in which its authors made them, from `random` to `merge`.

Each adds one thing to the one before it, as in the report: `conservative` searches, `smart-greedy` takes
risks and scans before it searches, `smart` uses the scan as its heuristic and watches the clock, `smart-split`
splits and keeps its scans, `merge` joins groups again and knows how to end a game.

All search an odd number of plies deep, for their heuristic knows only their own point of view.
"""

from __future__ import annotations

import time as system_time
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any, TypeVar

from noctagon.core.clock import Clock
from noctagon.core.game import Game, IllegalAction, NoctagonError, Side, State
from noctagon.core.player import Decision, GameStart, Player, Thought
from noctagon.games.vampires.players.groupmoves import combined, options, whole_moves
from noctagon.games.vampires.players.smartscan import (
    MOST_FOES,
    MOST_HOUSES,
    Incentives,
    Ranking,
    SmartScan,
    around,
)
from noctagon.games.vampires.rules.ruleset import Cell, neighbours
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Move, Turn
from noctagon.players.searching import TreePlayer, average_terms
from noctagon.search.alphabeta import AlphaBeta
from noctagon.search.expectiminimax import Expectiminimax
from noctagon.search.tree import Budget, Finding, Line, Search, for_side

A = TypeVar("A")

MOST_TURNS = 48
"""Maximum number of turns that `conservative` searches in a position; one group has at most 8."""
DEEPEST = 15
"""Maximum depth in plies."""
WON = 1.5
"""Worth of a won game per creature on the board: more than any position in which the game goes on."""
LOST = 3.0
"""Cost of a lost game per creature: a battle for everything should be better than even."""
SOONER = 0.01
"""Worth that a finished game loses with every ply it takes."""
SPARE = 0.05
"""Seconds of a turn that the report's clock keeps back: it stops at 1.95 of 2 s."""
LONG_TURN = 1.9
"""Seconds of a turn below which a tenth of it is kept back instead."""


class ScanningSearch(Expectiminimax[Turn]):
    """Expectiminimax over the sum of SmartScan: on the last ply the best turn is the one that scans best."""

    def value(
        self, state: State[Turn], depth: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, Line[Turn]]:
        assert isinstance(state, VampiresState)
        if depth != 1 or self.reward is None or state.result is not None or near_end(state):
            return super().value(state, depth, ply, alpha, beta)
        best = next(iter(self.candidates(state)))
        if any(state.humans.get((move.tx, move.ty), 0) > move.count for move in best):
            return super().value(state, depth, ply, alpha, beta)  # a battle may cost the whole group
        self.leaf_value(state, depth, ply)
        self.tally.nodes += 1
        self.tally.evaluations[ply + 1] += 1
        return self.reward(state, best, ply), (best,)


def near_end(state: VampiresState) -> bool:
    """Return whether one more turn may end the game: it is the last, or enemies are within reach."""
    if state.ply + 1 >= state.rules.plies or state.rules.majority:
        return True
    return any((x + dx, y + dy) in state.foes for x, y in state.own for dx in (-1, 0, 1) for dy in (-1, 0, 1))


class ProgressionPlayer(TreePlayer):
    """Base of the report's players: an odd depth, their own point of view, ties broken by the game's seed."""

    name = ""
    step = 2

    def __init__(self, game: Game[Any], *, depth: int, nodes: int, time: float) -> None:
        if not 1 <= depth <= DEEPEST:
            raise NoctagonError(f"{self.name}: depth={depth} should be an odd number from 1 to {DEEPEST}")
        if depth % 2 == 0:
            raise NoctagonError(
                f"{self.name}: depth={depth} is even, but the heuristic knows only the player's own view: "
                f"take an odd depth from 1 to {DEEPEST}"
            )
        super().__init__(game, depth=depth, nodes=nodes, time=time)
        self.rng = Random(0)

    def start(self, game: GameStart, side: Side) -> None:
        self.rng = Random(game.seed)

    def first_look(
        self, state: VampiresState, budget: Budget, look: Callable[[VampiresState], object]
    ) -> Budget:
        """Prepare the search and return its budget, shortened by the time that took: a slow position stays slow."""
        started = system_time.monotonic()
        look(state)
        if budget.deadline is None:
            return budget
        cost = system_time.monotonic() - started
        return budget._replace(deadline=budget.deadline - 2 * cost)

    def thought(self, state: State[Any], found: Finding[Any], clock: Clock) -> Thought:
        from msgspec.structs import replace

        return replace(super().thought(state, found, clock), terms=self.explain(state, found.action))


class ConservativePlayer(ProgressionPlayer):
    """Alpha-beta without splitting and without risk: only sure targets, and the report's first heuristic.

    It fights a random battle only when every other turn loses for sure. The report leaves the depth open; 3 plies
    are our choice.
    """

    name = "conservative"

    def __init__(self, game: Game[Any], *, depth: int = 3, nodes: int = 0, time: float = 0.0) -> None:
        super().__init__(game, depth=depth, nodes=nodes, time=time)

    def search(self, state: State[Any], budget: Budget) -> Search[Any]:
        assert isinstance(state, VampiresState)
        root: list[Turn] = []
        budget = self.first_look(state, budget, lambda state: root.extend(sure_turns(state)))
        self.rng.shuffle(root)
        return AlphaBeta(
            self_view(state.side),
            candidates=lambda here: root if here is state else sure_turns(here),
            worth=won_or_lost(state),
            budget=budget,
        )

    def candidates(self, state: VampiresState) -> list[Turn]:
        return sure_turns(state)

    def explain(self, state: State[Any], action: Any) -> dict[str, float]:
        return average_terms(state, action, lambda after: first_heuristic(after, state.side))


class ScanningPlayer(ProgressionPlayer):
    """Base of the players with a SmartScan: for both sides, only its k best turns are searched."""

    incentives = Incentives().without_merging()
    splits = False

    def __init__(self, game: Game[Any], *, depth: int, k: int, nodes: int, time: float) -> None:
        super().__init__(game, depth=depth, nodes=nodes, time=time)
        if not 1 <= k <= 100:
            raise NoctagonError(f"{self.name}: k={k} should be from 1 to 100")
        self.k = k
        self.ranking = Ranking(self.incentives, k=k, splits=self.splits)

    def ranked(self, state: VampiresState, budget: Budget) -> Budget:
        """Start a turn with an empty cache, scan the root, and return the budget left."""
        self.ranking = Ranking(self.incentives, k=self.k, splits=self.splits, rng=self.rng)
        return self.first_look(state, budget, self.ranking.scores)

    def candidates(self, state: VampiresState) -> Iterable[Turn]:
        return self.ranking.scores(state)


class SmartGreedyPlayer(ScanningPlayer):
    """Takes random battles by their odds, and searches only the k turns that SmartScan scores best.

    The heuristic is still the first one. The report leaves the number of turns `k` and the `depth` open.
    """

    name = "smart-greedy"

    def __init__(
        self, game: Game[Any], *, depth: int = 3, k: int = 6, nodes: int = 0, time: float = 0.0
    ) -> None:
        super().__init__(game, depth=depth, k=k, nodes=nodes, time=time)

    def search(self, state: State[Any], budget: Budget) -> Search[Any]:
        assert isinstance(state, VampiresState)
        budget = self.ranked(state, budget)
        return Expectiminimax(
            self_view(state.side), candidates=self.candidates, worth=won_or_lost(state), budget=budget
        )

    def explain(self, state: State[Any], action: Any) -> dict[str, float]:
        return average_terms(state, action, lambda after: first_heuristic(after, state.side))


class SmartPlayer(ScanningPlayer):
    """The heuristic is the sum of SmartScan over the player's own plies; the clock stops it 0.05 s before 2 s.

    `weights` are those of its first, second, … ply, as in 1/0.8/0.5; the last one holds for all later plies. With
    equal weights a meal can wait, and with a deeper search it waits longer: 3 plies beat 5 in matches.
    """

    name = "smart"

    def __init__(
        self,
        game: Game[Any],
        *,
        depth: int = 3,
        k: int = 6,
        weights: str = "1",
        nodes: int = 0,
        time: float = 0.0,
    ) -> None:
        super().__init__(game, depth=depth, k=k, nodes=nodes, time=time)
        self.weights = self._read_weights(weights)

    def kept_back(self, seconds: float) -> float:
        return SPARE if seconds >= LONG_TURN else super().kept_back(seconds)

    def search(self, state: State[Any], budget: Budget) -> Search[Any]:
        assert isinstance(state, VampiresState)
        me, weights = state.side, self.weights
        budget = self.ranked(state, budget)
        scores = self.ranking.scores
        last = len(weights) - 1

        def reward(here: VampiresState, turn: Turn, ply: int) -> float:
            if here.side != me:
                return 0.0
            return for_side(weights[min(ply // 2, last)] * scores(here)[turn], me)

        return ScanningSearch(
            lambda here: 0.0,
            candidates=self.candidates,
            reward=reward,
            worth=won_or_lost(state),
            budget=budget,
        )

    def explain(self, state: State[Any], action: Any) -> dict[str, float]:
        assert isinstance(state, VampiresState)
        terms = SmartScan(state, self.incentives).turn(Turn(action))._asdict()
        return {term: self.weights[0] * value for term, value in terms.items()}

    def _read_weights(self, text: str) -> list[float]:
        try:
            weights = [float(part) for part in str(text).split("/")]
        except ValueError:
            weights = []
        if not weights or not all(0 <= weight < 1000 for weight in weights):
            raise NoctagonError(
                f"{self.name}: weights={text} should be numbers from 0 to 1000 with / between, as in 1/0.8/0.5"
            )
        return weights


class SmartSplitPlayer(SmartPlayer):
    """`smart` that splits: in two, towards two sure houses within distance 2, into at most 4 groups.

    It keeps its scans, by (x, y, n) and by the whole board; the note of its thought says how often they were reused.
    """

    name = "smart-split"
    splits = True

    def thought(self, state: State[Any], found: Finding[Any], clock: Clock) -> Thought:
        from msgspec.structs import replace

        return replace(super().thought(state, found, clock), note=self.ranking.note())


class MergePlayer(SmartSplitPlayer):
    """`smart-split` that joins its groups again when it should, and knows how to end a game.

    Its `weights` fall, so that a meal now is better than one later. `depth=auto` searches deeper the fewer groups
    there are. `aggression` scales everything that makes it attack.
    """

    name = "merge"
    incentives = Incentives()

    def __init__(
        self,
        game: Game[Any],
        *,
        depth: int | str = 5,
        k: int = 6,
        weights: str = "1/0.8/0.6",
        aggression: float = 1.0,
        nodes: int = 0,
        time: float = 0.0,
    ) -> None:
        self.automatic = depth == "auto"
        super().__init__(game, depth=self._read_depth(depth), k=k, weights=weights, nodes=nodes, time=time)
        if not 0 <= aggression <= 10:
            raise NoctagonError(f"{self.name}: aggression={aggression:g} should be from 0 to 10")
        self.incentives = Incentives().with_aggression(aggression)

    def horizon(self, state: State[Any]) -> int:
        """Return the depth in plies: 9 with two groups, 7 with up to four, otherwise 5, as there are more turns."""
        if not self.automatic:
            return self.depth
        assert isinstance(state, VampiresState)
        groups = len(state.own) + len(state.foes)
        return 9 if groups <= 2 else 7 if groups <= 4 else 5

    def _read_depth(self, depth: int | str) -> int:
        if self.automatic:
            return 5
        try:
            return int(depth)
        except ValueError:
            raise NoctagonError(
                f"merge: depth={depth} should be auto, or an odd number from 1 to {DEEPEST}"
            ) from None


def self_view(me: Side) -> Callable[[VampiresState], float]:
    """Return the first heuristic, from one player's point of view, as an evaluation for a search."""

    def evaluate(state: VampiresState) -> float:
        return for_side(sum(first_heuristic(state, me).values()), me)

    return evaluate


def won_or_lost(root: VampiresState) -> Callable[[VampiresState, int], float]:
    """Return the worth of finished games in creatures: small enough that other terms count beside a chance of it."""
    creatures = sum(root.own.values()) + sum(root.foes.values()) + sum(root.humans.values())

    def worth(state: VampiresState, ply: int) -> float:
        assert state.result is not None
        if state.result.winner is None:
            return 0.0
        game = WON if state.result.winner == root.side else LOST
        return for_side(game * creatures - SOONER * ply, state.result.winner)

    return worth


def sure_turns(state: VampiresState) -> list[Turn]:
    """Return the turns in which every group moves, whole, without risk; risky ones if there are no others."""

    def sure(cell: Cell, count: int) -> bool:
        return count >= state.humans.get(cell, 0) and 2 * count >= 3 * state.foes.get(cell, 0)

    def appetite(source: Cell, cell: Cell, count: int) -> float:
        return state.humans.get(cell, 0) + state.foes.get(cell, 0)

    if found := list(combined(state, options(state, appetite, allows=sure), MOST_TURNS)):
        return found
    if found := list(_together(state, sure)):
        return found
    return list(combined(state, options(state, appetite), MOST_TURNS)) or [any_turn(state)]


def _together(state: VampiresState, sure: Callable[[Cell, int], bool]) -> Iterator[Turn]:
    """Yield the turns in which all groups around a cell go there at once and only together take it for sure."""
    arriving: dict[Cell, list[Move]] = {}
    for cell in state.own:
        for (move,) in whole_moves(state, cell):
            arriving.setdefault((move.tx, move.ty), []).append(move)
    for target, moves in arriving.items():
        together = sum(move.count for move in moves)
        if target not in state.own and sure(target, together) and together <= state.rules.cell_limit:
            yield Turn(moves)


def any_turn(state: VampiresState) -> Turn:
    """Return some legal turn."""
    return next(iter(state.candidates("single")))


TOTALS = 1.0
"""Worth of one more creature."""
HUMANS = 0.3
"""Worth of a human within reach, before it is divided by the distance."""
ENEMIES = 0.3
"""Worth of an enemy within reach, and cost of an own creature within theirs."""

Groups = list[tuple[int, int, int]]


def first_heuristic(state: VampiresState, side: Side) -> dict[str, float]:
    """Return the terms of a side's standing, in creatures."""
    own, foes = (state.own, state.foes) if state.side == side else (state.foes, state.own)
    ours, theirs = around(own, foes, MOST_FOES), around(foes, own, MOST_FOES)
    return {
        "totals": TOTALS * (sum(own.values()) - sum(foes.values())),
        "humans": HUMANS * _within_reach(ours, around(state.humans, own, MOST_HOUSES), 1.0),
        "enemies": ENEMIES * (_within_reach(ours, theirs, 1.5) - _within_reach(theirs, ours, 1.5)),
    }


def _within_reach(hunters: Groups, prey: Groups, needed: float) -> float:
    """Return the prey that some hunters are numerous enough for, each group divided by its distance + 1."""
    total = 0.0
    for x, y, count in prey:
        nearest = 1000
        for hx, hy, hunting in hunters:
            if hunting >= needed * count:
                dx, dy = abs(x - hx), abs(y - hy)
                away = dx if dx > dy else dy
                if away < nearest:
                    nearest = away
        if nearest < 1000:
            total += count / (nearest + 1)
    return total


class RandomGroupPlayer(Player):
    """One group, whole, to any of its up to 8 neighbours, all equally likely; drawn with the game's seed."""

    def __init__(self) -> None:
        self.rng = Random(0)

    def start(self, game: GameStart, side: Side) -> None:
        self.rng = Random(game.seed)

    def choose(self, state: State[Any], clock: Clock) -> Decision[Turn]:
        assert isinstance(state, VampiresState)
        if state.result is not None:
            raise IllegalAction("there is nothing to play: the game is over")
        cell, count = self.rng.choice(list(state.own.items()))
        target = self.rng.choice(neighbours(state, cell))
        return Decision(Turn([(*cell, count, *target)]))
