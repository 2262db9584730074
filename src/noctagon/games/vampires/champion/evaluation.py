"""Evaluations of a position in creatures, as the first player sees it, and their terms."""

from __future__ import annotations

from collections.abc import Callable, Container
from itertools import chain
from pathlib import Path
from typing import TypeAlias

import numpy as np

from noctagon.games.vampires.rules.ruleset import Content
from noctagon.games.vampires.rules.state import COMPACT_GROUPS, COMPACT_HOUSES, VampiresState

Row: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float64]]

PROSPECTS = np.array([0.6, 0.9, 0.5, 0.8, 0.3])
"""Weights of `prospects`: a house, its fading per step, prey, its fading per step, the cost of a group."""

PARTS = {"houses in reach": slice(0, 2), "prey in reach": slice(2, 4), "groups": slice(4, 5)}
"""Terms that `prospects` adds to the creatures, each with its weights."""


def population(state: VampiresState) -> float:
    """Return how many creatures more the first player has."""
    first, second = state.score()
    return first - second


def population_terms(state: VampiresState) -> dict[str, float]:
    """Return the one term of `population`."""
    return {"creatures": population(state)}


def prospects(state: VampiresState) -> float:
    """Return the sum of creatures, houses and prey within reach (see `champion.prospects`)."""
    return _weighted(state, PROSPECTS)


def prospects_terms(state: VampiresState) -> dict[str, float]:
    """Return the terms of `prospects`: with all other weights at 0, one term is left beside the creatures."""
    nothing = np.zeros_like(PROSPECTS)
    creatures = _weighted(state, nothing)
    terms = {"creatures": creatures}
    for name, where in PARTS.items():
        weights = nothing.copy()
        weights[where] = PROSPECTS[where]
        terms[name] = _weighted(state, weights) - creatures
    return terms


class ChampionEvaluation:
    """The champion's evaluation in creatures; its search turns that into a chance to win.

    `weights` is a row: the weights of a sum of terms, the steepness, then those of a network that corrects the sum.
    """

    def __init__(self, terms: dict[str, tuple[float, ...]], steepness: float, network: Path) -> None:
        self.by_term = terms
        self.steepness = steepness
        self.weights = np.concatenate([self._row(terms), np.load(network).astype(np.float64)])

    def __call__(self, state: VampiresState) -> float:
        """Return how well the first player stands."""
        from noctagon.games.vampires.champion.network import learned_packed

        return self._value(learned_packed, state, self.weights)

    def terms(self, state: VampiresState) -> dict[str, float]:
        """Return the terms of the value."""
        from noctagon.games.vampires.champion.value import balance_packed

        found = {term: self._value(balance_packed, state, self._row((term,))) for term in self.by_term}
        return found | {"learned": self(state) - sum(found.values())}

    def _row(self, terms: Container[str]) -> Row:
        """Return the weights of the sum, with 0 for all other terms, and the steepness."""
        row = [
            weight if term in terms else 0.0 for term, weights in self.by_term.items() for weight in weights
        ]
        return np.array([*row, self.steepness])

    @staticmethod
    def _value(kernel: Callable[..., float], state: VampiresState, weights: Row) -> float:
        from noctagon.compiled.jit import Record
        from noctagon.games.vampires.champion.records import WORK

        near = crop(state)
        value = kernel(near._scratch()[0], Record.new(WORK), near._packed, weights)
        return float(value if state.first == "vampires" else -value)


champion = ChampionEvaluation(
    {
        "creatures": (1.0,),
        "ahead at the end": (0.37, 0.2),
        "houses in reach": (0.28, 0.3),
        "race for houses": (0.54, 0.57),
        "prey in reach": (0.34, 0.11, 0.5),
        "together": (0.4, 0.5),
    },
    steepness=2.37,
    network=Path(__file__).with_name("champion.npy"),
)


def _weighted(state: VampiresState, weights: Row) -> float:
    from noctagon.games.vampires.champion.prospects import prospects_packed

    value = prospects_packed(state._scratch()[0], state._packed, weights)
    return float(value if state.first == "vampires" else -value)


def crop(state: VampiresState) -> VampiresState:
    """Return the position if it fits the compact record; else the mover's largest groups and what is nearest to them.

    A turn that is legal in the crop is legal in the whole position.
    """
    if len(state.humans) <= COMPACT_HOUSES and max(len(state.own), len(state.foes)) <= COMPACT_GROUPS:
        return state
    own = dict(sorted(state.own.items(), key=lambda group: -group[1])[:COMPACT_GROUPS])
    foes = _nearest(state.foes, own, COMPACT_GROUPS)
    return VampiresState(
        rows=state.rows,
        columns=state.columns,
        humans=_nearest(state.humans, own, COMPACT_HOUSES),
        vampires=own if state.species == "vampires" else foes,
        werewolves=foes if state.species == "vampires" else own,
        to_move=state.species,
        first=state.first,
        ply=state.ply,
        rules=state.rules,
    )


def _nearest(content: Content, own: Content, most: int) -> Content:
    """Return the `most` houses or groups nearest to the mover's groups."""
    cells = list(content)
    if len(cells) <= most:
        return content
    places = np.fromiter(chain.from_iterable(cells), np.int16, 2 * len(cells))
    xs, ys = places[::2].copy(), places[1::2].copy()  # contiguous: several times faster
    away = np.full(len(cells), 1000, np.int16)
    for x, y in own:
        np.minimum(away, np.maximum(np.abs(xs - x), np.abs(ys - y)), out=away)
    return {cells[place]: content[cells[place]] for place in np.argsort(away, kind="stable")[:most].tolist()}
