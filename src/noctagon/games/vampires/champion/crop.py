"""What of a large position a compiled search has room for."""

from __future__ import annotations

from itertools import chain

import numpy as np

from noctagon.games.vampires.rules.ruleset import Content
from noctagon.games.vampires.rules.state import COMPACT_GROUPS, COMPACT_HOUSES, VampiresState


def neighbourhood(state: VampiresState) -> VampiresState:
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
