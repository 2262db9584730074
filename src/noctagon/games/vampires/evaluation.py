"""Evaluations of a position: how well the first player stands, in creatures."""

from __future__ import annotations

import numpy as np

from noctagon.games.vampires.state import VampiresState

PROSPECTS = np.array([0.6, 0.9, 0.5, 0.8, 0.3])
"""The weights of `prospects`: house, its fading, prey, its fading, one group more."""


def population(state: VampiresState) -> float:
    """How many creatures more the first player has."""
    first, second = state.score()
    return first - second


def prospects(state: VampiresState) -> float:
    """Creatures, houses within reach and prey within reach (see `noctagon.games.vampires.prospects`)."""
    from noctagon.games.vampires.prospects import prospects_packed

    value = prospects_packed(state._scratch()[0], state._packed, PROSPECTS)
    return float(value if state.first == "vampires" else -value)
