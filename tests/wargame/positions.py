"""Positions to test with: ends of random games, and boards that no game would ever reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from noctagon.games.wargame import game
from tests.wargame import oracle

if TYPE_CHECKING:
    from random import Random

    from noctagon.games.wargame import WargameState

CELL_NAMES = [row + column for row in "ABCDE" for column in "01234"]


def artificial(rng: Random) -> str:
    """The text of a board with any number of units, usually with both AIs, near some turn or other."""
    names = ["."] * 25
    cells = rng.sample(range(25), rng.randint(0, 23))
    for cell in cells:
        names[cell] = rng.choice("ad") + rng.choice("VTFP") + str(rng.randint(1, 9))
    for side in "ad":
        if rng.random() < 0.95:
            free = [cell for cell in range(25) if names[cell] == "."]
            names[rng.choice(free)] = f"{side}A{rng.randint(1, 9)}"
    return " ".join([*names, rng.choice("ad"), str(rng.randint(0, 8))])


def pair(text: str, *, plies: int = 100, limit_first: bool = False) -> tuple[WargameState, oracle.Position]:
    """The same position twice: ours and the oracle's."""
    rules = game.make_rules("engine" if limit_first else "document", plies=plies)
    return game.initial(text, rules), oracle.Position.read(text, plies, limit_first)


def after(moves: str) -> WargameState:
    """The position after some moves from the start."""
    state = game.initial()
    for move in moves.split():
        state = state.play(game.parse_action(move, state))
    return state


@st.composite
def position_texts(draw: st.DrawFn) -> str:
    return artificial(draw(st.randoms(use_true_random=False)))
