"""Perft, the count of all sequences of actions to a depth: a test of the rules of any game."""

from __future__ import annotations

from random import Random
from typing import Any

from noctagon.core.game import NoctagonError, State

HOPELESS = 2e10
"""Maximum expected number of sequences for a game that counts with its own kernel."""
HOPELESS_PLAIN = 5e6
"""Maximum expected number of sequences where every position is built in turn."""


def perft(state: State[Any], depth: int) -> int:
    """Return the number of sequences of exactly `depth` actions (and results of chance).

    Raise an error if there are too many to count.
    """
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
    """Estimate the number of sequences: the average product of branching along random games (Knuth, 1975).

    Where the random games all end before that depth, return the largest product on the way.
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
