"""SmartScan: a quick score of a move as a sum of incentives (2019 report, section 5).

    score = humans_and_enemies + eatable_humans_proximity + enemies + merge + end_of_game

The scan considers the position before the turn and one unit after its move: the cell it comes from, the cell it
goes to, its number. A turn's score is the sum over the units it leaves on the board. The report gives the
shape of every term and the numbers 0.5, 1, 1.2 and 1.5; the scale of the incentives was found by matches
(docs/smartscan.md says how).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from noctagon.games.vampires.players.groupmoves import combined, options
from noctagon.games.vampires.rules.limits import CELL_LIMIT
from noctagon.games.vampires.rules.turn import Turn

if TYPE_CHECKING:
    from noctagon.games.vampires.rules.ruleset import Cell, Content
    from noctagon.games.vampires.rules.state import VampiresState


Q_THEIRS = 0.5
"""Factor of a house much nearer to the enemy."""
Q_OURS = 1.0
"""Factor of a house much nearer to us."""
Q_DISPUTED = 1.2
"""Factor of a house that either may reach first: taking it also denies it to the other."""
MUCH_NEARER = 2
"""Difference in steps that counts as much nearer."""
MOST_HOUSES = 128
"""Number of houses above which only those around our units are scanned."""
MOST_FOES = 64
"""Number of enemy groups above which only those around our units are scanned."""
WINDOW = 6
"""Distance in steps that counts as around a unit."""


@dataclass(frozen=True, kw_only=True)
class Incentives:
    """The scale of every incentive, in creatures: left open by the report, tuned by matches."""

    eat_humans: float = 2.0
    """Worth of each human eaten for sure on the target."""
    eat_enemies: float = 3.0
    """Worth of each enemy eaten for sure: relatively higher."""
    gamble: float = 2.0
    """Cost of each creature that a random battle against humans loses on average."""
    avoid_big: float = 3.0
    """Cost of each own creature that walks into an enemy 1.5 times as many."""
    attack_smaller: float = 0.05
    """Worth of each creature by which we outnumber an enemy attacked or approached without certainty."""
    fear_bigger: float = 0.1
    """Cost of each creature by which such an enemy outnumbers us."""
    proximity: float = 0.3
    """Factor of the sum n / (d + 1) · p · q over the houses ahead."""
    prey: float = 0.1
    """Worth of each enemy in a group we can eat for sure, divided by its distance + 1."""
    keep_away: float = 2.0
    """Cost of each own creature that ends its move beside a much bigger enemy."""
    wary: float = 0.05
    """Cost of each own creature, divided by the distance + 1 of a much bigger enemy farther away."""
    merge_medium: float = 0.5
    """Cost of each step between two units when the enemy can no longer win without attacking."""
    merge_strong: float = 1.0
    """Cost of each step between two units when no humans are left."""
    merge_small: float = 0.2
    """Cost of each step between two units when few houses are left."""
    few_houses: int = 2
    """Maximum number of houses that counts as few."""
    end_attack: float = 1.0
    """Worth of each step towards the enemy group to attack when no humans are left."""
    end_run: float = 0.5
    """Worth of each own creature far from the enemy when no humans are left and we are slightly ahead."""
    run_far: int = 6
    """Distance in steps that counts as far; nearer counts in proportion."""

    def with_aggression(self, factor: float) -> Incentives:
        """Return these incentives with those to attack scaled by a factor."""
        return replace(
            self,
            eat_enemies=self.eat_enemies * factor,
            attack_smaller=self.attack_smaller * factor,
            prey=self.prey * factor,
            end_attack=self.end_attack * factor,
        )

    def without_merging(self) -> Incentives:
        """Return these incentives as before `merge`: without merging and without a strategy for the end."""
        return replace(self, merge_medium=0.0, merge_strong=0.0, merge_small=0.0, end_attack=0.0, end_run=0.0)


class ScanTerms(NamedTuple):
    """The terms of a score."""

    humans_and_enemies: float = 0.0
    eatable_humans_proximity: float = 0.0
    enemies: float = 0.0
    merge: float = 0.0
    end_of_game: float = 0.0

    @property
    def score(self) -> float:
        return sum(self)


Arrivals = dict["Cell", tuple["Cell", int]]
"""The units after a turn: target to source (of most of it) and size."""


class SmartScan:
    """The scan of one position, for the species to move.

    The terms of every unit (x, y, n) from a cell are computed once and kept; `looks` and `hits` count their use.

    >>> from noctagon.games.vampires.rules.state import VampiresState
    >>> state = VampiresState(
    ...     rows=3, columns=9, humans={(1, 1): 2}, vampires={(0, 0): 4}, werewolves={(8, 2): 4}
    ... )
    >>> SmartScan(state).unit((0, 0), (1, 1), 4).humans_and_enemies
    4.0
    """

    def __init__(self, state: VampiresState, incentives: Incentives = Incentives()) -> None:
        self.incentives = incentives
        self.humans: Content = state.humans
        self.own: Content = state.own
        self.foes: Content = state.foes
        self.wraps = state.rules.name == "server"
        """True where a count above the cell limit wraps, as on the course's server."""
        self.own_total = sum(self.own.values())
        self.foes_total = sum(self.foes.values())
        houses = around(self.humans, self.own, MOST_HOUSES)
        self.near_foes = around(self.foes, self.own, MOST_FOES)
        self.houses = [(x, y, count, self._rival(x, y)) for x, y, count in houses]
        self.merge_weight = self._merge_weight()
        self.goal, self.runs = self._end_goal()
        self.looks = self.hits = 0
        self._known: dict[Cell, dict[tuple[int, int, int], ScanTerms]] = {}

    # The five terms.

    def unit(self, source: Cell, target: Cell, count: int) -> ScanTerms:
        """Return the terms of a unit that goes from one cell to another; merging is scored for the whole turn."""
        known = self._known.setdefault(source, {})
        key = (*target, count)
        self.looks += 1
        if (terms := known.get(key)) is not None:
            self.hits += 1
            return terms
        meeting, size = self.meeting(target, count)
        if size == 0:
            terms = ScanTerms(meeting)
        else:
            proximity = self.proximity(source, target, size)
            enemies, end = self.enemies(target, size), self.end_of_game(target, size)
            terms = ScanTerms(meeting, proximity, enemies, 0.0, end)
        known[key] = terms
        return terms

    def turn(self, turn: Turn) -> ScanTerms:
        """Return the terms of a turn: the sums over the units it leaves on the board, those that stay included."""
        units = self.arrivals(turn)
        meeting = proximity = enemies = end = 0.0
        for target, (source, count) in units.items():
            one = self.unit(source, target, count)
            meeting += one.humans_and_enemies
            proximity += one.eatable_humans_proximity
            enemies += one.enemies
            end += one.end_of_game
        return ScanTerms(meeting, proximity, enemies, self.merge(list(units)), end)

    def meeting(self, target: Cell, count: int) -> tuple[float, int]:
        """Return the worth of the content of a target (meal, battle, certain death), and the unit's size after it."""
        scale = self.incentives
        if humans := self.humans.get(target):
            if self.wraps and count + humans > CELL_LIMIT:
                left = (count + humans) % (CELL_LIMIT + 1)
                return scale.gamble * (left - count), left
            if count >= humans:
                return scale.eat_humans * humans, count + humans
            odds = count / (2 * humans)
            expected = odds * odds * (count + humans)
            return scale.gamble * (expected - count), round(expected)
        if foes := self.foes.get(target):
            if 2 * count >= 3 * foes:
                return scale.eat_enemies * foes, count
            if 2 * foes >= 3 * count:
                return -scale.avoid_big * count, 0
            if count > foes:
                return scale.attack_smaller * (count - foes), count
            return -scale.fear_bigger * (foes - count), count
        return 0.0, count

    def proximity(self, source: Cell, target: Cell, size: int) -> float:
        """Return the sum of n / (d + 1) · p · q over the houses that the move brings nearer.

        From the nearest on, each house that the unit can eat makes it larger for those behind it.
        """
        (sx, sy), (tx, ty) = source, target
        ahead = []
        for x, y, count, rival in self.houses:
            dx, dy = abs(x - tx), abs(y - ty)
            away = dx if dx > dy else dy
            if away == 0:
                continue
            dx, dy = abs(x - sx), abs(y - sy)
            if away < (dx if dx > dy else dy):
                ahead.append((away, count, rival))
        ahead.sort()
        total = 0.0
        for away, count, rival in ahead:
            if size >= count:
                odds = 1.0
                size += count
            else:
                odds = size / (2 * count)
            lead = rival - away
            first = Q_OURS if lead >= MUCH_NEARER else Q_THEIRS if lead <= -MUCH_NEARER else Q_DISPUTED
            total += count / (away + 1) * odds * first
        return self.incentives.proximity * total

    def enemies(self, target: Cell, size: int) -> float:
        """Return the worth of the enemies around a cell: prey, hunters, and those about as strong."""
        tx, ty = target
        scale = self.incentives
        total = 0.0
        for x, y, count in self.near_foes:
            dx, dy = abs(x - tx), abs(y - ty)
            away = dx if dx > dy else dy
            if away == 0:
                continue
            if 2 * size >= 3 * count:
                total += scale.prey * count / (away + 1)
            elif 2 * count >= 3 * size:
                total -= scale.keep_away * size if away == 1 else scale.wary * size / (away + 1)
            elif size > count:
                total += scale.attack_smaller * (size - count) / (away + 1)
            else:
                total -= scale.fear_bigger * (count - size) / (away + 1)
        return total

    def nearness(self, unit: Cell, others: list[Cell]) -> float:
        """Return the cost of the steps between a unit and the others; how much depends on what is left to win."""
        if not others or self.merge_weight == 0.0:
            return 0.0
        x, y = unit
        apart = 0
        for ox, oy in others:
            dx, dy = abs(x - ox), abs(y - oy)
            apart += dx if dx > dy else dy
        return -self.merge_weight * apart / len(others)

    def merge(self, units: list[Cell]) -> float:
        """Return the cost of the steps between all units."""
        if len(units) < 2 or self.merge_weight == 0.0:
            return 0.0
        return sum(
            self.nearness(unit, units[:number] + units[number + 1 :]) for number, unit in enumerate(units)
        )

    def end_of_game(self, target: Cell, size: int) -> float:
        """Return the worth, with no humans left, of nearing the enemy group to attack or of keeping away from all."""
        tx, ty = target
        if self.goal is not None:
            x, y = self.goal
            return -self.incentives.end_attack * max(abs(x - tx), abs(y - ty))
        if self.runs and self.near_foes:
            near = min(max(abs(x - tx), abs(y - ty)) for x, y, _ in self.near_foes)
            return (
                self.incentives.end_run * size * min(near, self.incentives.run_far) / self.incentives.run_far
            )
        return 0.0

    # Quantities the terms share.

    def arrivals(self, turn: Turn) -> Arrivals:
        """Return the units after a turn; one from several sources counts as coming from where most of it came."""
        left = dict(self.own)
        units: Arrivals = {}
        most: dict[Cell, int] = {}
        for x, y, count, tx, ty in turn:
            left[x, y] -= count
            source, together = units.get((tx, ty), ((x, y), 0))
            if count > most.get((tx, ty), 0):
                most[tx, ty] = count
                source = (x, y)
            units[tx, ty] = (source, together + count)
        for cell, count in left.items():
            if count:
                source, together = units.get(cell, (cell, 0))
                units[cell] = (source, together + count)
        return units

    def _rival(self, x: int, y: int) -> int:
        """Return the distance of the nearest enemy from a house."""
        nearest = 1000
        for fx, fy, _ in self.near_foes:
            dx, dy = abs(x - fx), abs(y - fy)
            away = dx if dx > dy else dy
            if away < nearest:
                nearest = away
        return nearest

    def _merge_weight(self) -> float:
        scale = self.incentives
        if not self.humans:
            return scale.merge_strong
        if sum(self.humans.values()) + self.foes_total < self.own_total:
            return scale.merge_medium
        return scale.merge_small if len(self.humans) <= scale.few_houses else 0.0

    def _end_goal(self) -> tuple[Cell | None, bool]:
        """Return the enemy group to attack at the end, and whether to run instead; neither while there are humans."""
        if self.humans or not self.near_foes or not self.own:
            return None, False
        smallest = min(
            self.near_foes,
            key=lambda foe: (foe[2], min(max(abs(foe[0] - x), abs(foe[1] - y)) for x, y in self.own)),
        )
        ours, theirs = self.own_total, self.foes_total
        if len(self.foes) > 1 or 2 * ours >= 3 * theirs or theirs > ours:
            return (smallest[:2] if self.incentives.end_attack else None), False
        return None, ours > theirs


def around(content: Content, own: Content, most: int) -> list[tuple[int, int, int]]:
    """Return the content of the map; where that is more than `most`, only what is around our eight largest units."""
    if len(content) <= most:
        return [(x, y, count) for (x, y), count in content.items()]
    found = {}
    for x, y in sorted(own, key=lambda cell: -own[cell])[:8]:
        for cy in range(y - WINDOW, y + WINDOW + 1):
            for cx in range(x - WINDOW, x + WINDOW + 1):
                if count := content.get((cx, cy)):
                    found[cx, cy] = count
    return [(x, y, count) for (x, y), count in found.items()]


COMBINED = 4
"""Number of turns scanned as a whole, as a multiple of k: those with the best sums of single units."""
_PLY = slice(12, 16)
"""Bytes of a position's key that hold the ply, on which no scan depends."""


class Ranking:
    """The k best turns of any position, for the side to move there; one ranking lasts one turn of a game.

    `boards` is the cache by the whole board; each scan has its own by (x, y, n).
    """

    def __init__(
        self, incentives: Incentives, *, k: int, splits: bool = False, rng: Random | None = None
    ) -> None:
        self.incentives = incentives
        self.k = k
        self.splits = splits
        self.rng = rng
        self.boards: dict[bytes, dict[Turn, float]] = {}
        self.board_looks = self.board_hits = self.unit_looks = self.unit_hits = 0

    def scores(self, state: VampiresState) -> dict[Turn, float]:
        """Return the k best turns with their scores, best first."""
        key = state.key[: _PLY.start] + state.key[_PLY.stop :]
        self.board_looks += 1
        known = self.boards.get(key)
        if known is not None:
            self.board_hits += 1
            return known
        found = self.boards[key] = self._scan(state)
        return found

    def note(self) -> str:
        """Describe how often the caches helped."""
        units = self.unit_hits / self.unit_looks if self.unit_looks else 0.0
        boards = self.board_hits / self.board_looks if self.board_looks else 0.0
        return (
            f"cache hits: {units:.0%} of {self.unit_looks} units, {boards:.0%} of {self.board_looks} boards"
        )

    def _scan(self, state: VampiresState) -> dict[Turn, float]:
        if state.result is not None:
            return {}
        scan = SmartScan(state, self.incentives)

        def appraise(source: Cell, target: Cell, count: int) -> float:
            others = [cell for cell in state.own if cell != source]
            return scan.unit(source, target, count).score + scan.nearness(target, others)

        choices = options(state, appraise, splits=self.splits)
        if len(choices) == 1:
            turns = [Turn(departure) for _, departure in choices[0]]
        else:
            turns = list(combined(state, choices, COMBINED * self.k))
        if not turns:
            turns = [next(iter(state.candidates("single")))]
        if self.rng is not None and not self.boards:  # ties of the root are broken by the game's seed
            self.rng.shuffle(turns)
        scores = {turn: scan.turn(turn).score for turn in turns}
        best = sorted(scores, key=lambda turn: -scores[turn])[: self.k]
        self.unit_looks += scan.looks
        self.unit_hits += scan.hits
        return {turn: scores[turn] for turn in best}
