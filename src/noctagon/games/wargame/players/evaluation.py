"""Evaluations of a position for the attacker (side 0), who maximises; the defender minimises.

All are computed by `evaluation_kernel`, the learned ones by `network_kernel`; importing this module compiles
nothing. The weights here were chosen by matches, except those of `e0`, which are the course's.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from noctagon.games.wargame.rules import units
from noctagon.games.wargame.rules.state import scratch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from noctagon.games.wargame.rules.state import WargameState


class Heuristic:
    """A compiled evaluation with its weights by term, in the order in which the kernel takes them.

    `kernel` names the compiled function where it is not called as the evaluation is.
    """

    def __init__(
        self, name: str, about: str, weights: Mapping[str, tuple[int, ...]], *, kernel: str = ""
    ) -> None:
        """Name the `kernel` as MODULE:FUNCTION, unless it is the function of this name in `evaluation_kernel`."""
        self.__name__ = name
        self.__doc__ = about
        self._kernel = kernel or f"players.evaluation_kernel:{name}"
        self.by_term = dict(weights)

    def __call__(self, state: WargameState) -> float:
        return self._value(state, self.weights)

    def terms(self, state: WargameState) -> dict[str, float]:
        """Return the terms that the value is made of; a finished game is one term."""
        if state.result is not None:
            return {"game over": self(state)}
        return {term: self._value(state, weights) for term, weights in self._single_terms.items()}

    @cached_property
    def kernel(self) -> Callable[[Any, Any], int]:
        """The compiled function, of a position's record and the weights."""
        module, _, function = self._kernel.partition(":")
        return getattr(import_module(f"noctagon.games.wargame.{module}"), function)  # type: ignore[no-any-return]

    @cached_property
    def weights(self) -> Any:
        """All weights in a row."""
        return self._row(self.by_term)

    @cached_property
    def _single_terms(self) -> dict[str, Any]:
        """For each term, the weights with those of the others 0."""
        return {term: self._row((term,)) for term in self.by_term}

    def _row(self, terms: Any) -> Any:
        import numpy as np

        row = [weight if term in terms else 0 for term, weights in self.by_term.items() for weight in weights]
        return np.array(row, np.int32)

    def _value(self, state: WargameState, weights: Any) -> float:
        d = scratch()
        d.put(state.key)
        return float(self.kernel(d.record, weights))


class Network(Heuristic):
    """A learned evaluation: a network of `network_kernel`, or a deep one and another together.

    Their weights lie beside this module, under the evaluation's name and that of the `other`; `lab/training/`
    describes how they were learned.
    """

    def __init__(self, name: str, about: str, *, other: str = "") -> None:
        super().__init__(name, about, {})
        self.files = [name, other] if other else [name]

    @staticmethod
    def knows(state: WargameState) -> bool:
        """Return True if it has learned from units such as these: no attacker has Techs, no defender Viruses."""
        strange = {units.unit(0, units.TECH, 0), units.unit(1, units.VIRUS, 0)}
        return strange.isdisjoint(code & ~15 for code in state.cells)

    def terms(self, state: WargameState) -> dict[str, float]:
        """Return what each part of the table adds to those before it."""
        if state.result is not None:
            return {"game over": self(state)}
        from noctagon.games.wargame.champion import network_kernel as network
        from noctagon.games.wargame.players import evaluation_kernel

        def judge(taken: list[int]) -> int:
            if len(self.files) == 1:
                return network.judge(self.weights, taken, len(taken), left)
            deep = network.judge_deeply(self.weights, taken, len(taken), left)
            other = network.judge(self.weights[network.OTHER :], taken, len(taken), left)
            return int(network.mean(deep, other))

        d = scratch()
        d.put(state.key)
        rows = d.record.scratch[: network.list_rows(d.record)].tolist()
        left = evaluation_kernel.eights(d.record)
        begins = sorted(network.GROUPS.values())
        taken: list[int] = []
        value, found = 0, {}
        for name, begin in network.GROUPS.items():
            end = next((other for other in begins if other > begin), network.ROWS)
            taken += [row for row in rows if begin <= row < end]
            before, value = value, judge(taken)
            found[name] = float(value - before)
        return found

    @cached_property
    def kernel(self) -> Callable[[Any, Any], int]:
        from noctagon.games.wargame.champion import network_kernel

        return network_kernel.networks if len(self.files) == 2 else network_kernel.network

    @cached_property
    def weights(self) -> Any:
        import numpy as np

        from noctagon.compiled.integer_layers import PARTS, packed

        parts = []
        for name in self.files:
            with (
                files("noctagon.games.wargame.champion").joinpath(f"{name}.npz").open("rb") as file,
                np.load(file) as saved,
            ):
                parts.append([saved[part] for part in PARTS if part in saved])
        return packed(*parts)


class _Course(Heuristic):
    def terms(self, state: WargameState) -> dict[str, float]:
        """Return the terms by kind of unit; a finished game is nothing special."""
        counts = Counter(code & ~15 for code in state.cells if code)
        return {
            name: float((counts[units.unit(0, kind, 0)] - counts[units.unit(1, kind, 0)]) * E0_WORTH[kind])
            for kind, name in enumerate(units.KINDS)
        }


E0_WORTH = (9999, 3, 3, 3, 3)
"""The course's worth of a unit, in the order of `units.KINDS`."""

e0 = _Course(
    "e0",
    "The course's e0: 3 for each unit, 9999 for the AI, attacker minus defender; blind to the turn limit.",
    {},
)

health = Heuristic(
    "health",
    "Units and their health, Viruses near the enemy's AI; a won game is worth more than all of that.",
    {"units": (0, 30, 24, 12, 16), "health": (12, 6, 4, 2, 3), "approach": (2,)},
)

e1 = Heuristic(
    "e1",
    "Units and their health, everybody's distance to the enemy's AI, the open cells beside each AI.",
    {
        "units": (0, 30, 24, 12, 16),
        "health": (12, 6, 4, 2, 3),
        "approach": (0, 4, 0, 1, 1),
        "open cells": (4,),
        "threats": (16,),
    },
)
"""Our first: what a side has, and how exposed the AIs are.

Not every unit is worth the same 3: a Virus decides games, a Tech holds it up, a Firewall only stands in the way;
and a unit with 3 health left is nearly gone, which e0 does not see before it is. The rest is the danger to an AI
as a glance shows it: how far the enemies are (as if nothing stood between), which cells beside it are free, and
which of these a Virus can reach with its next step.
"""

e2 = Heuristic(
    "e2",
    "Units and their health, the way a Virus has to walk to the enemy's AI, guards, blows and freedom to move.",
    {
        "units": (0, 30, 24, 12, 16),
        "health": (12, 6, 4, 2, 3),
        "virus's way": (80, 40, 28, 20, 14, 8, 4, 2, 0),
        "guards": (3,),
        "blows": (4,),
        "freedom": (1,),
        "hurry": (2,),
        "approach": (0, 3, 0, 1, 1),
    },
)
"""Our second: what a side has, and what it can do next.

The danger to an AI is the number of moves a Virus really needs, around everything that stands in the way, to get
beside it: the way is worth the more the shorter it is, and as much less as the turn limit comes nearer. Against it
stand Techs beside the AI. Every point of health that a unit could take at once from those beside it counts, so
that it seeks the fights it gets the better of; and so does every cell it could move to.
"""

champion = Heuristic(
    "champion",
    "Units and their health, the Viruses' way, the safety of each AI, who can wait longer, and the turn limit.",
    {
        "units": (0, 39, 40, 12, 20),
        "health": (2, 7, 9, 4, 4),
        "virus's way": (76, 29, 14, 12, 12, 11, 14, 10, 12),
        "hurry": (-2,),
        "approach": (2, -2, 0, -2, -4, -2, -3, 0, 3, -1),
        "guards": (-6, -7),
        "exposure": (-8, -4, -11, -19),
        "blows": (3, 3),
        "freedom": (2, 2, -2),
        "waiters": (2, -20, -19, 21, 9, -5, 20, 4, 1),
        "race": (98, -32, -4, 2),
        "turn": (1,),
        "turn limit": (-400, -200, -120, -85, -65, -54, -48, -44, -42, -41, -40, -40, -40, -40, -40, -40),
        "siege": (0,) * 10,
        "home": (0, 0),
        "wounds": (0, 0),
        "haste": (0, 0, 0, 0),
    },
    kernel="champion.evaluation_kernel:champion",
)
"""The champion's weights: what a side has, what it can do next, and who can wait.

A player loses if its only move left is to blow up its AI, and only a Virus or a Tech can go to and fro for
ever. So the evaluation counts who still has one (`waiters`) and, where a side has none, whose moves are used
up first (`race`): the others' steps ahead and their self-destructions. The turn limit takes from the
attacker, the more the nearer it is.

The weights began as e2's, were fitted to the results of games that the champion's search played against
itself, and then changed by hand where paired matches said so.
"""

assault = Heuristic(
    "assault",
    "The champion's evaluation with the weights it attacks by.",
    {
        "units": (0, 39, 62, 46, 45),
        "health": (6, 13, 12, 7, 9),
        "virus's way": (102, 19, -12, -8, 5, 11, 24, 12, 28),
        "hurry": (-8,),
        "approach": (4, -5, 0, -1, -3, -4, -3, 0, 4, -1),
        "guards": (5, -20),
        "exposure": (0, -16, -2, -118),
        "blows": (5, 5),
        "freedom": (3, -3, -51),
        "waiters": (-12, -17, -42, 9, -9, -16, 3, 24, 16),
        "race": (32, -30, -2, -1),
        "turn": (9,),
        "turn limit": (-202, -93, -41, -12, 6, 14, 19, 23, 25, 24, 21, 18, 12, 43, 43, 43),
        "siege": (6, 23, -2, -2, 6, 15, -34, 37, 5, -33),
        "home": (0, -20),
        "wounds": (-4, 1),
        "haste": (2, 2, -2, 1),
    },
    kernel="champion.evaluation_kernel:champion",
)
"""The same terms, weighed for the attacker, who must win and not merely stand well.

The weights were fitted to the results of games as the attacker against `e2`, `e1` and the turtle. They know
two things more than the champion's: an AI with enemies beside it cannot move, and even a Firewall strikes it
down if it gets no help (`siege`); and an AI that has left home has fewer moves to wait with (`home`).
"""

bulwark = Network("bulwark", "The champion's network, as the defender.")
"""Learned from the results of games that the champion defended, and of games against itself."""

onslaught = Network("onslaught", "The champion's two networks, as the attacker.", other="vanguard")
"""Learned from games that it attacked, none of them against itself: what it takes to win in the turns that are left.

The other network is the one that the champion attacked by before. It knows less, but errs elsewhere.
"""

turtle = Heuristic(
    "turtle",
    "All a side has, its AI in the corner with friends beside it, and nobody far from home.",
    {
        "units": (0, 30, 24, 12, 16),
        "health": (12, 6, 4, 2, 3),
        "home": (100, 2, 6, 3, 3),
        "wall": (10,),
    },
)
