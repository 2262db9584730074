"""A random battle as a probability distribution over the survivors."""

from __future__ import annotations

import math
from functools import cached_property
from numbers import Integral
from types import MappingProxyType
from typing import TYPE_CHECKING

from noctagon.core.game import Chance, NoctagonError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random


class Battle(Chance):
    """A battle of attackers against defenders on a cell, decided by the handout's draw.

    Result n > 0: n attackers (and converts) hold the cell. n < 0: -n defenders remain. 0: nobody is left.
    """

    def __init__(
        self, cell: tuple[int, int], attackers: int, defenders: int, *, humans: bool, who: str
    ) -> None:
        from noctagon.games.vampires.rules import kernel

        self.cell = cell
        self.attackers = attackers
        self.defenders = defenders
        self.humans = humans
        self.odds = kernel.odds(attackers, defenders)
        self.name = f"{attackers} against {defenders} {who} at ({cell[0]},{cell[1]})"

    def __getstate__(self) -> dict[str, object]:
        """Return the fields without the results, which another process works out when it needs them."""
        return {name: value for name, value in vars(self).items() if name != "results"}

    def __repr__(self) -> str:
        return f"<Battle {self.name}: {self.odds:.0%}>"

    @property
    def strength(self) -> int:
        """Return how many hold the cell if the attackers win and everybody survives."""
        return self.attackers + self.defenders if self.humans else self.attackers

    @cached_property
    def results(self) -> Mapping[int, float]:
        # One draw decides who wins; then every creature on that side survives by a draw of its own.
        found: dict[int, float] = {}
        for survivors, probability in enumerate(binomial(self.strength, self.odds)):
            found[survivors] = self.odds * probability
        for survivors, probability in enumerate(binomial(self.defenders, 1 - self.odds)):
            found[-survivors] = found.get(-survivors, 0.0) + (1 - self.odds) * probability
        return MappingProxyType(found)

    def brief(self) -> Mapping[int, float]:
        """Return the average win and the average loss; all results where these are the same (1 against 1)."""
        won = round(self.odds * self.strength)
        lost = -round((1 - self.odds) * self.defenders)
        return self.results if won == lost else {won: self.odds, lost: 1 - self.odds}

    def describe(self, result: int) -> str:
        if result == 0:
            return "nobody is left"
        return f"won, {result} stand" if result > 0 else f"lost, {-result} remain"

    def roll(self, rng: Random) -> int:
        from noctagon.compiled.jit import Record
        from noctagon.games.vampires.rules import kernel

        turn = Record.new(kernel.COMPACT_TURN)
        turn.seed = rng.getrandbits(64)
        return int(kernel.fight(turn, self.attackers, self.defenders, int(self.humans)))

    def admit(self, result: int) -> None:
        """Raise an error if the battle cannot have that result."""
        if not isinstance(result, Integral) or not -self.defenders <= result <= self.strength:
            raise NoctagonError(f"{self.name} cannot end with {result}")


def binomial(n: int, p: float) -> list[float]:
    """Return the probabilities of 0 to n successes in n draws, for 0 < p < 1."""
    # By logarithms: the binomial coefficients of large armies overflow.
    logs = [
        math.lgamma(n + 1)
        - math.lgamma(k + 1)
        - math.lgamma(n - k + 1)
        + k * math.log(p)
        + (n - k) * math.log1p(-p)
        for k in range(n + 1)
    ]
    weights = [math.exp(log) for log in logs]
    total = math.fsum(weights)
    return [weight / total for weight in weights]
