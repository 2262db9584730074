"""The player with the division strategy that section 4.2 of the 2024 report proposes."""

from __future__ import annotations

import time as system_time
from collections.abc import Iterator
from typing import Any

from noctagon.core.clock import Clock
from noctagon.core.game import Game, Side, State
from noctagon.core.player import Decision, Thought
from noctagon.games.vampires.players.division import Subgroup, divide
from noctagon.games.vampires.players.report2024 import (
    OPEN,
    Group,
    Report2024Player,
    ReportEvaluation,
    ReportTerms,
    strongest,
)
from noctagon.games.vampires.rules.limits import LARGEST_SIDE
from noctagon.games.vampires.rules.ruleset import distance, neighbours
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Move, Turn, arrivals
from noctagon.players.options import checked_number
from noctagon.players.searching import average_terms
from noctagon.search.alphabeta import AlphaBeta
from noctagon.search.tree import Budget, Finding, for_side

MOST_MOVERS = 12
"""Maximum number of subgroups that move in a turn: joining ones first, then the largest."""
WATCHED = 2
"""Number of enemy groups that move in a subgroup's search: the nearest to it."""
MERGING = 5.0
"""Factor of the report's distance penalty for a group that joins another."""


class SubgroupsPlayer(Report2024Player):
    """The 2024 report's player with the division into subgroups that it proposes.

    The units divide among clusters of houses (see `division.py`), so that every part is enough for its houses and
    for the enemies near them. Each part then searches its own step by alpha-beta with the report's score, on a
    board where it is alone with the enemies and without the houses that are left to others; the turn is all
    these steps together. Groups near a large foe join. The thought's note lists the objectives.

    The report leaves the distances open: `near` for humans, `defence` for the enemies a part must hold out
    against, `merge_range` for a large foe. It also leaves open when a division pays: here it must convert more humans
    in 12 turns (`harvest`). The report would also send parts against enemies; here none goes, as it would seldom be
    enough.
    """

    def __init__(
        self,
        game: Game[Any],
        *,
        depth: int = 3,
        nodes: int = 0,
        time: float = 0.0,
        weights: str = OPEN.weights,
        range_limit: int = OPEN.range_limit,
        near: int = 5,
        max_groups: int = 4,
        defence: int = 4,
        merge_range: int = 4,
    ) -> None:
        super().__init__(game, depth=depth, nodes=nodes, time=time, weights=weights, range_limit=range_limit)
        self.max_groups = int(checked_number("subgroups", "max_groups", max_groups, 1, 50))
        self.near = int(checked_number("subgroups", "near", near, 1, LARGEST_SIDE))
        self.defence = int(checked_number("subgroups", "defence", defence, 0, LARGEST_SIDE))
        self.merge_range = int(checked_number("subgroups", "merge_range", merge_range, 0, LARGEST_SIDE))

    @property
    def name(self) -> str:
        return "subgroups"

    def think(self, state: State[Any], clock: Clock) -> Iterator[Decision[Any]]:
        assert isinstance(state, VampiresState)
        whole = self.budget(clock)
        subgroups = divide(
            state,
            near=self.near,
            defence=self.defence,
            most=self.max_groups,
            merge_range=self.merge_range,
        )
        subgroups.sort(key=lambda subgroup: (subgroup.kind != "merge", -subgroup.units))
        del subgroups[MOST_MOVERS:]
        moves: list[Move] = []
        findings: list[Finding[Turn]] = []
        for index, subgroup in enumerate(subgroups):
            steps = self.steps(state, subgroup, moves)
            if steps:
                board = own_board(state, subgroup, subgroups, moves)
                findings.append(self.look(board, subgroup, steps, _share(whole, len(subgroups) - index)))
                moves += findings[-1].action
        turn = Turn(moves)
        yield Decision(turn, self.describe(state, turn, subgroups, findings, clock))

    def steps(self, state: VampiresState, subgroup: Subgroup, moves: list[Move]) -> list[Turn]:
        """Return the steps left to a subgroup after the others have chosen: none if one of them comes to its cell."""
        if any((move.tx, move.ty) == subgroup.cell for move in moves):
            return []
        sources = {(move.x, move.y) for move in moves}
        arriving = arrivals(moves)
        limit = state.rules.cell_limit
        return [
            Turn([Move(*subgroup.cell, subgroup.units, *step)])
            for step in neighbours(state, subgroup.cell)
            if step not in sources and arriving.get(step, 0) + subgroup.units <= limit
        ]

    def look(
        self, board: VampiresState, subgroup: Subgroup, steps: list[Turn], budget: Budget
    ) -> Finding[Turn]:
        """Return the best of some steps of a subgroup, by alpha-beta with the report's score on its own board."""
        constants = self.constants
        if subgroup.kind == "merge":
            constants = constants._replace(dispersion=MERGING)
        score = ReportEvaluation(board.side, seed=self.seed, constants=constants)

        def candidates(position: VampiresState) -> list[Turn]:
            return steps if position is board else near_steps(position, board.side)

        search: AlphaBeta[Turn] = AlphaBeta(
            score, candidates=candidates, worth=lambda ended, ply: score(ended), budget=budget
        )
        found = Finding(steps[0], 0.0, 0, (steps[0],), search.tally)
        if board.result is None:
            for deeper in search.deepen(board, self.depth):
                found = deeper
        return found

    def describe(
        self,
        state: VampiresState,
        turn: Turn,
        subgroups: list[Subgroup],
        findings: list[Finding[Turn]],
        clock: Clock,
    ) -> Thought:
        """Return the thought: the objectives, the average score of the subgroups, the sums of all counts."""
        evaluations: dict[int, int] = {}
        for found in findings:
            for ply, count in found.tally.evaluations.items():
                evaluations[ply] = evaluations.get(ply, 0) + count
        return Thought(
            depth=min(found.depth for found in findings),
            nodes=sum(found.tally.nodes for found in findings),
            expanded=sum(found.tally.expanded for found in findings),
            cuts=sum(found.tally.cuts for found in findings),
            evaluations=evaluations,
            score=sum(for_side(found.value, state.side) for found in findings) / len(findings),
            line=(self.game.format_action(turn),),
            seconds=clock.elapsed(),
            note="; ".join(map(str, subgroups)),
        )

    def explain(self, state: State[Any], action: Any) -> dict[str, float]:
        """Return the report's terms, averaged over the groups after the action."""
        evaluation = self.evaluation(state.side)

        def tell(after: VampiresState) -> dict[str, float]:
            own, foes = (after.own, after.foes) if after.side == state.side else (after.foes, after.own)
            groups: list[Group | None] = [*own.items()] or [None]
            scores = [evaluation.score_of(after, own, foes, group, strongest(foes)) for group in groups]
            sums = map(sum, zip(*scores, strict=True))
            return {name: term / len(groups) for name, term in zip(ReportTerms._fields, sums, strict=True)}

        return average_terms(state, action, tell)


def own_board(
    state: VampiresState, subgroup: Subgroup, subgroups: list[Subgroup], moves: list[Move]
) -> VampiresState:
    """Return the position for one subgroup: without the other groups, and without the houses left to them.

    Only the group it joins is there as well, where it stands after the `moves` chosen so far.
    """
    claimed = {house for other in subgroups if other is not subgroup for house in other.houses}
    humans = {cell: count for cell, count in state.humans.items() if cell not in claimed}
    own = {subgroup.cell: subgroup.units}
    if subgroup.kind == "merge" and subgroup.goal in state.own:
        moved = [(move.tx, move.ty) for move in moves if (move.x, move.y) == subgroup.goal]
        friend = moved[0] if moved else subgroup.goal
        if friend not in humans and friend not in state.foes and friend != subgroup.cell:
            own[friend] = state.own[subgroup.goal]
    vampires, werewolves = (own, state.foes) if state.species == "vampires" else (state.foes, own)
    return VampiresState(
        rows=state.rows,
        columns=state.columns,
        humans=humans,
        vampires=vampires,
        werewolves=werewolves,
        to_move=state.species,
        first=state.first,
        ply=state.ply,
        rules=state.rules,
    )


def near_steps(state: VampiresState, side: Side) -> list[Turn]:
    """Return every whole step of the subgroup, or of the enemy groups nearest to it."""
    groups = list(state.own.items())
    if state.side != side and len(groups) > WATCHED:
        centre = next(iter(state.foes), groups[0][0])
        groups = sorted(groups, key=lambda group: distance(group[0], centre))[:WATCHED]
    return [Turn([Move(*cell, count, *step)]) for cell, count in groups for step in neighbours(state, cell)]


def _share(budget: Budget, parts: int) -> Budget:
    """Return one of the equal parts of what is left of a budget."""
    now = system_time.monotonic()
    deadline = None if budget.deadline is None else now + max(0.0, budget.deadline - now) / parts
    return Budget(None if budget.nodes is None else max(1, budget.nodes // parts), deadline)
