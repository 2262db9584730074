"""Evaluations of a position: how well the first player stands, in creatures; and what that is made of."""

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
"""The weights of `prospects`: house, its fading, prey, its fading, one group more."""

PARTS = {"houses in reach": slice(0, 2), "prey in reach": slice(2, 4), "groups": slice(4, 5)}
"""What `prospects` adds to the creatures, and which of its weights say how much."""


def population(state: VampiresState) -> float:
    """How many creatures more the first player has."""
    first, second = state.score()
    return first - second


def population_terms(state: VampiresState) -> dict[str, float]:
    """What `population` is made of."""
    return {"creatures": population(state)}


def prospects(state: VampiresState) -> float:
    """Creatures, houses within reach and prey within reach (see `noctagon.games.vampires.champion.prospects`)."""
    return _weighted(state, PROSPECTS)


def prospects_terms(state: VampiresState) -> dict[str, float]:
    """What `prospects` is made of: with all but one part's weights at nothing, that part is left."""
    nothing = np.zeros_like(PROSPECTS)
    creatures = _weighted(state, nothing)
    terms = {"creatures": creatures}
    for name, where in PARTS.items():
        weights = nothing.copy()
        weights[where] = PROSPECTS[where]
        terms[name] = _weighted(state, weights) - creatures
    return terms


class ChampionEvaluation:
    """What the champion looks for, in creatures; its search turns that into a chance to win.

    `weights` is a row: those of a sum of terms, the steepness, then those of a network that adds what it learned.
    """

    def __init__(self, terms: dict[str, tuple[float, ...]], steepness: float, network: Path) -> None:
        self.by_term = terms
        self.steepness = steepness
        self.weights = np.concatenate([self._row(terms), np.load(network).astype(np.float64)])

    def __call__(self, state: VampiresState) -> float:
        """How well the first player stands."""
        from noctagon.games.vampires.champion.network import learned_packed

        return self._told(learned_packed, state, self.weights)

    def terms(self, state: VampiresState) -> dict[str, float]:
        """What the value is made of."""
        from noctagon.games.vampires.champion.value import balance_packed

        found = {term: self._told(balance_packed, state, self._row((term,))) for term in self.by_term}
        return found | {"learned": self(state) - sum(found.values())}

    def _row(self, terms: Container[str]) -> Row:
        """The weights of the sum, those of other terms nothing, and the steepness."""
        row = [
            weight if term in terms else 0.0 for term, weights in self.by_term.items() for weight in weights
        ]
        return np.array([*row, self.steepness])

    @staticmethod
    def _told(told: Callable[..., float], state: VampiresState, weights: Row) -> float:
        from noctagon.compiled.jit import Record
        from noctagon.games.vampires.champion.evaluation import crop
        from noctagon.games.vampires.champion.records import WORK

        near = crop(state)
        value = told(near._scratch()[0], Record.new(WORK), near._packed, weights)
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
    """The position if there is room for it; else the mover's largest groups and what is nearest to them.

    A turn that is legal there is legal in the whole position.
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
    """Of what is on the board, so many nearest to the mover's groups."""
    cells = list(content)
    if len(cells) <= most:
        return content
    places = np.fromiter(chain.from_iterable(cells), np.int16, 2 * len(cells))
    xs, ys = places[::2].copy(), places[1::2].copy()  # each in a row of its own: many times as fast
    away = np.full(len(cells), 1000, np.int16)
    for x, y in own:
        np.minimum(away, np.maximum(np.abs(xs - x), np.abs(ys - y)), out=away)
    return {cells[place]: content[cells[place]] for place in np.argsort(away, kind="stable")[:most].tolist()}
