"""Small games made of random numbers, to compare searches on: positions are reached by several ways, ends come
early, and chance may have a say."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from noctagon.core.board import View
from noctagon.core.game import Actions, Chance, Dice, Result, Rules, State


class Throw(Chance):
    """Two or three results, none of them certain."""

    name = "throw"
    odds = 0.5

    def __init__(self, results: dict[int, float]) -> None:
        self._results = results

    @property
    def results(self) -> Mapping[int, float]:
        return self._results

    def brief(self) -> Mapping[int, float]:
        """The first result stands for the rest but the last."""
        last = max(self._results)
        return {0: 1.0 - self._results[last], last: self._results[last]}


class NumberGame(State[int]):
    """A position is a number at a ply; where an action leads, and what that is worth, is drawn from the seed."""

    def __init__(
        self, seed: int, number: int = 0, ply: int = 0, *, chance: bool = False, plies: int = 8
    ) -> None:
        self.seed = seed
        self.number = number
        self.ply = ply
        self.side = ply % 2  # type: ignore[assignment]
        self.chance = chance
        self.rules = Rules(plies=plies)

    def _draw(self, *about: object) -> Random:
        return Random(repr((self.seed, self.number, self.ply, *about)))

    @property
    def key(self) -> bytes:
        return repr((self.seed, self.number, self.ply, self.chance, self.rules.plies)).encode()

    @property
    def result(self) -> Result | None:
        if self.ply and (self.ply >= self.rules.plies or self._draw("over").random() < 0.1):
            return Result(self._draw("winner").choice((0, 1, None)), "over")
        return None

    def actions(self) -> Actions[int]:
        return Actions(self, () if self.result else range(self._draw("actions").randint(1, 5)))

    def check(self, action: int) -> None:
        assert action in self.actions().listed

    def chances(self, action: int) -> tuple[Chance, ...]:
        draw = self._draw("chance", action)
        if not self.chance or draw.random() < 0.5:
            return ()
        weights = [draw.uniform(0.1, 1.0) for _ in range(draw.randint(2, 3))]
        return (Throw({result: weight / sum(weights) for result, weight in enumerate(weights)}),)

    def play(self, action: int, dice: Dice = ()) -> NumberGame:
        number = self._draw("after", action, dice).randrange(7)
        return NumberGame(self.seed, number, self.ply + 1, chance=self.chance, plies=self.rules.plies)

    def view(self) -> View:
        raise NotImplementedError


def evaluate(state: NumberGame) -> float:
    """Small whole numbers, so that ties are frequent."""
    return float(state._draw("value").randint(-5, 5))


def reward(state: NumberGame, action: int, ply: int) -> float:
    return float(state._draw("reward", action).randint(-3, 3))
