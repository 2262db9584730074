"""A match over N random openings of 4 plies without a forced win within 8.

    python wargame_match.py ATTACKER DEFENDER N SEED

ATTACKER and DEFENDER as in `wargame_players.named`; each opening is played once.
"""

from __future__ import annotations

import sys
from random import Random

from noctagon.games.wargame import game
from noctagon.games.wargame.champion.search import LOSSY, Engine
from noctagon.games.wargame.players import evaluation
from noctagon.games.wargame.rules.state import WargameState
from noctagon.search.tree import DECIDED

game.load()

from wargame_players import Ring, named  # noqa: E402 - it compiles


def openings(count: int, seed: int, plies: int = 4, forced: int = 8) -> list[WargameState]:
    rng = Random(seed)
    found: dict[bytes, WargameState] = {}
    while len(found) < count:
        state = game.initial()
        for _ in range(plies):
            state = state.play(rng.choice([one for one in state.actions() if one.source != one.target]))
            if state.result:
                break
        if state.result or state.key in found:
            continue
        value = Engine(evaluation.health, without=LOSSY, quiet=0).search(state, forced).value
        if abs(value) <= DECIDED:
            found[state.key] = state
    return list(found.values())


def main() -> None:
    attacker, defender = named(sys.argv[1]), named(sys.argv[2])
    ring = Ring()
    starts = openings(int(sys.argv[3]), int(sys.argv[4]))
    won = sum(ring.play(start, attacker, defender)[0] for start in starts)
    print(f"{sys.argv[1]} against {sys.argv[2]}: the attacker won {won} of {len(starts)}")


if __name__ == "__main__":
    main()
