"""Counting all ways to play on: the check that rules are right, for any game."""

from __future__ import annotations

from random import Random
from typing import Any

from noctagon.core.game import NoctagonError, State

HOPELESS = 2e10
"""More sequences than this are not counted by a game that counts with a kernel of its own."""
HOPELESS_PLAIN = 5e6
"""More than this are not counted where every position is made in turn."""


def perft(state: State[Any], depth: int) -> int:
    """How many sequences of exactly `depth` actions (and results of chance) there are; refuses the hopeless."""
    if depth < 0:
        raise NoctagonError(f"a depth is 0 or more, not {depth}")
    expected = estimate(state, depth)
    own_kernel = type(state).perft is not State.perft
    if expected > (HOPELESS if own_kernel else HOPELESS_PLAIN):
        raise NoctagonError(
            f"counting to depth {depth} is hopeless here: about {expected:.1g} sequences; take a smaller depth"
        )
    if depth < 3:
        return state.perft(depth)
    return sum(  # in parts, so that Ctrl-C gets a word in
        outcome.state.perft(depth - 1) for action in state.actions() for outcome in state.outcomes(action)
    )


def estimate(state: State[Any], depth: int, samples: int = 20) -> float:
    """About how many there will be: the average product of branching along random games (Knuth's estimate).

    Random games may all end before that depth: then as many as there are on the way.
    """
    rng = Random(0)
    total = largest = 0.0
    for _ in range(samples):
        product, here = 1.0, state
        for _ in range(depth):
            branching = float(here.actions().count())
            if not branching:
                product = 0.0
                break
            action = here.actions().sample(rng)
            for chance in here.chances(action):
                branching *= len(chance.results)
            product *= branching
            largest = max(largest, product)
            if largest > HOPELESS * samples:
                return largest
            here = here.play(action, here.roll(action, rng))
        total += product
    return max(total, largest) / samples
