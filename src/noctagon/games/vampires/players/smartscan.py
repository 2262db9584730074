"""SmartScan: what a move looks like at a glance, as a sum of incentives (2019 report, section 5).

    score = humans_and_enemies + eatable_humans_proximity + enemies + merge + end_of_game

It looks at the position as it stands and at one unit after its move: the cell it comes from, the cell it
goes to, how many it is. A turn is worth the sum over the units it leaves on the board. The report gives the
shape of every part and the numbers 0.5, 1, 1.2 and 1.5; the scale of the incentives is ours, found by
matches (docs/smartscan.md says how).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from noctagon.games.vampires.players.groupmoves import combined, options
from noctagon.games.vampires.rules.ruleset import CELL_LIMIT
from noctagon.games.vampires.rules.turn import Turn

if TYPE_CHECKING:
    from noctagon.games.vampires.rules.ruleset import Cell, Content
    from noctagon.games.vampires.rules.state import VampiresState
    from noctagon.games.vampires.rules.turn import Turn


Q_THEIRS = 0.5
"""A house much nearer to the enemy counts half."""
Q_OURS = 1.0
"""A house much nearer to us counts whole."""
Q_DISPUTED = 1.2
"""A house that either may reach first counts most: whoever takes it also takes it away from the other."""
MUCH_NEARER = 2
"""So many steps less are much nearer."""
MOST_HOUSES = 128
"""On a map with more houses only those around our units are looked at, so that a scan stays quick."""
MOST_FOES = 64
"""The same for enemy groups."""
WINDOW = 6
"""How far around a unit that is."""


@dataclass(frozen=True, kw_only=True)
class Incentives:
    """The scale of every incentive, in creatures. The report leaves these open; they were tuned by matches."""

    eat_humans: float = 2.0
    """Each human eaten for sure on the cell we go to."""
    eat_enemies: float = 3.0
    """Each enemy eaten for sure: relatively higher."""
    gamble: float = 2.0
    """Each creature that a random battle against humans costs on average."""
    avoid_big: float = 3.0
    """Each of our own that walks into an enemy 1.5 times as many."""
    attack_smaller: float = 0.05
    """Each creature that we are more than an enemy we attack, or walk towards, without being sure."""
    fear_bigger: float = 0.1
    """Each creature that such an enemy is more than we are."""
    proximity: float = 0.3
    """The scale of the sum n / (d + 1) · p · q over the houses ahead."""
    prey: float = 0.1
    """Each enemy of a group we can eat for sure, over its distance + 1."""
    keep_away: float = 2.0
    """Each of our own that ends its move within a distance of 1 of a much bigger enemy."""
    wary: float = 0.05
    """Each of our own, over the distance + 1 of a much bigger enemy that is not so near."""
    merge_medium: float = 0.5
    """Each step between two units, when the enemy cannot win any more without attacking."""
    merge_strong: float = 1.0
    """The same when no humans are left."""
    merge_small: float = 0.2
    """The same when only few humans are left."""
    few_houses: int = 2
    """So many houses are few."""
    end_attack: float = 1.0
    """Each step towards the enemy group that is to be attacked when no humans are left."""
    end_run: float = 0.5
    """Each of our own that is far from the enemy when no humans are left and we are slightly ahead."""
    run_far: int = 6
    """So many steps are far; nearer counts in proportion."""

    def with_aggression(self, factor: float) -> Incentives:
        """The same player, so many times as eager to attack."""
        return replace(
            self,
            eat_enemies=self.eat_enemies * factor,
            attack_smaller=self.attack_smaller * factor,
            prey=self.prey * factor,
            end_attack=self.end_attack * factor,
        )

    def without_merging(self) -> Incentives:
        """Those of the players before `merge`: neither merging nor a strategy for the end."""
        return replace(self, merge_medium=0.0, merge_strong=0.0, merge_small=0.0, end_attack=0.0, end_run=0.0)


class Terms(NamedTuple):
    """What a score is made of."""

    humans_and_enemies: float = 0.0
    eatable_humans_proximity: float = 0.0
    enemies: float = 0.0
    merge: float = 0.0
    end_of_game: float = 0.0

    @property
    def score(self) -> float:
        return sum(self)


Arrivals = dict["Cell", tuple["Cell", int]]
"""The units after a turn: where each is, from where (most of) it came, and how many it is."""


class SmartScan:
    """The scan of one position, for the species to move.

    Every unit (x, y, n) that comes from a cell is looked at once and kept; `looks` and `hits` count how often
    that helped.

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
        """Whether a count beyond the cell limit wraps, as on the course's server."""
        self.own_total = sum(self.own.values())
        self.foes_total = sum(self.foes.values())
        houses = around(self.humans, self.own, MOST_HOUSES)
        self.near_foes = around(self.foes, self.own, MOST_FOES)
        self.houses = [(x, y, count, self._rival(x, y)) for x, y, count in houses]
        self.merge_weight = self._merge_weight()
        self.goal, self.runs = self._end_goal()
        self.looks = self.hits = 0
        self._known: dict[Cell, dict[tuple[int, int, int], Terms]] = {}

    # The five parts.

    def unit(self, source: Cell, target: Cell, count: int) -> Terms:
        """What it looks like that so many go from a cell to another; merging is the whole turn's affair."""
        known = self._known.setdefault(source, {})
        key = (*target, count)
        self.looks += 1
        if (terms := known.get(key)) is not None:
            self.hits += 1
            return terms
        meeting, size = self.meeting(target, count)
        if size == 0:
            terms = Terms(meeting)
        else:
            proximity = self.proximity(source, target, size)
            enemies, end = self.enemies(target, size), self.end_of_game(target, size)
            terms = Terms(meeting, proximity, enemies, 0.0, end)
        known[key] = terms
        return terms

    def turn(self, turn: Turn) -> Terms:
        """What a whole turn looks like: the sum over the units it leaves on the board, those that stay included."""
        units = self.arrivals(turn)
        meeting = proximity = enemies = end = 0.0
        for target, (source, count) in units.items():
            one = self.unit(source, target, count)
            meeting += one.humans_and_enemies
            proximity += one.eatable_humans_proximity
            enemies += one.enemies
            end += one.end_of_game
        return Terms(meeting, proximity, enemies, self.merge(list(units)), end)

    def meeting(self, target: Cell, count: int) -> tuple[float, int]:
        """Who stands on the cell we go to: a sure meal, a doubtful battle, certain death; and how many we are then."""
        scale = self.incentives
        if humans := self.humans.get(target):
            if self.wraps and count + humans > CELL_LIMIT:
                left = (count + humans) & CELL_LIMIT
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
        """The sum of n / (d + 1) · p · q over the houses that the move brings nearer.

        From the nearest on, each house that we can eat makes us more for those behind it.
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
        """The enemies that are not on the cell: prey, hunters, and those about as strong as we are."""
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
        """Less for every step between a unit and the others, by what is left to win on the map."""
        if not others or self.merge_weight == 0.0:
            return 0.0
        x, y = unit
        apart = 0
        for ox, oy in others:
            dx, dy = abs(x - ox), abs(y - oy)
            apart += dx if dx > dy else dy
        return -self.merge_weight * apart / len(others)

    def merge(self, units: list[Cell]) -> float:
        """The nearness of all our units to each other."""
        if len(units) < 2 or self.merge_weight == 0.0:
            return 0.0
        return sum(
            self.nearness(unit, units[:number] + units[number + 1 :]) for number, unit in enumerate(units)
        )

    def end_of_game(self, target: Cell, size: int) -> float:
        """With no humans left: towards the enemy group that is to be attacked, or away from all."""
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

    # What they need.

    def arrivals(self, turn: Turn) -> Arrivals:
        """The units after a turn; those of several sources count as coming from where most of them came."""
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
        """How far the nearest enemy is from a house."""
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
        """Whom to attack at the end, and whether to run instead; neither while there are humans."""
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
    """What stands on the map; where that is very much, what stands around our units (the largest few of them)."""
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
"""Of the turns whose parts look best, so many times k are scanned as a whole."""
_PLY = slice(12, 16)
"""Where a position's key holds the number of plies, on which no scan depends."""


class Ranking:
    """The k best turns of any position, for whoever is to move there. Made anew for every turn of a game.

    `boards` is the cache by the whole board; the one by (x, y, n) is each scan's own.
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
        """The k best turns with their scores, best first."""
        key = state.key[: _PLY.start] + state.key[_PLY.stop :]
        self.board_looks += 1
        known = self.boards.get(key)
        if known is not None:
            self.board_hits += 1
            return known
        found = self.boards[key] = self._scan(state)
        return found

    def note(self) -> str:
        """How often the caches helped, in words."""
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
