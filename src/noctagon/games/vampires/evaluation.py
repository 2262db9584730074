"""Evaluations of a position: how well the first player stands, in creatures; and what that is made of."""

from __future__ import annotations

import numpy as np

from noctagon.games.vampires.state import VampiresState

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
    """Creatures, houses within reach and prey within reach (see `noctagon.games.vampires.prospects`)."""
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


def _weighted(state: VampiresState, weights: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    from noctagon.games.vampires.prospects import prospects_packed

    value = prospects_packed(state._scratch()[0], state._packed, weights)
    return float(value if state.first == "vampires" else -value)
