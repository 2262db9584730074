"""Starts of games: a setup, or a random opening from it that its number reproduces on any machine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from random import Random
from typing import Any

import msgspec

from noctagon.core.game import Game, NoctagonError, Rules, State
from noctagon.core.player import PlayerSpec
from noctagon.core.position import is_position
from noctagon.core.registry import find_game
from noctagon.players import make_player
from noctagon.search.tree import DECIDED, Budget

ALL = "all"
MOST_STEPS = 200
"""Maximum number of steps from which an opening's next one is drawn."""
MOST_ATTEMPTS = 100


class Start(msgspec.Struct, frozen=True, omit_defaults=True):
    """A position to begin at: a setup or a position's text, and random steps from there.

    Number 0 is the setup itself; every other number draws `opening` quiet steps from the game's `generator`. If a side
    then has a forced win within `calm` plies, the steps are drawn again.
    """

    setup: str
    number: int = 0
    opening: int = 0
    generator: str = ""
    calm: int = 0

    @property
    def name(self) -> str:
        """The setup, and the number of the opening."""
        return f"{self.setup}#{self.number}" if self.number else self.setup

    def state(self, game: Game[Any], rules: Rules | None = None) -> State[Any]:
        rules = rules or game.make_rules()
        place = game.parse_position if is_position(self.setup) else game.initial
        setup = place(self.setup, rules)
        if not self.number:
            return setup
        for attempt in range(MOST_ATTEMPTS):
            state = self._opened(setup, Random(f"{self.setup}/{self.number}{f'/{attempt}' * (attempt > 0)}"))
            if not self.calm or is_calm(game.name, state, self.calm):
                return state
        raise NoctagonError(f"{self}: a forced win after each of {MOST_ATTEMPTS} openings")

    def _opened(self, state: State[Any], rng: Random) -> State[Any]:
        for _ in range(self.opening):
            steps = islice(state.candidates(self.generator or None), MOST_STEPS)
            quiet = [step for step in steps if is_quiet(state, step)]
            if not quiet:
                break
            state = state.play(rng.choice(quiet))
        return state


def starts_of(setups: Sequence[str], game: Game[Any], openings: int = 0, plies: int = 4) -> list[Start]:
    """Return a start for each setup, or a number of openings from each; `all` stands for all bundled setups."""
    named = (name for given in setups for name in (game.setups() if given == ALL else (given,)))
    found = list(dict.fromkeys(named))
    if not found:
        raise NoctagonError("maps: none are named; all stands for every bundled one")
    if not openings:
        return [Start(setup) for setup in found]
    return [Start(setup, number, plies) for number in range(1, openings + 1) for setup in found]


def is_quiet(state: State[Any], action: Any) -> bool:
    """Return whether an action leaves nothing to chance, costs its player nothing and does not end the game."""
    if state.chances(action):
        return False
    after = state.play(action)
    return after.result is None and after.score()[state.side] >= state.score()[state.side]


@lru_cache(maxsize=1024)
def is_calm(game: str, state: State[Any], plies: int) -> bool:
    """Return whether neither side can force a win within some plies; alpha-beta to that depth finds every one."""
    found = find_game(game)
    player = make_player(PlayerSpec("alphabeta", {"depth": str(plies)}), found)
    return bool(abs(player.search(state, Budget()).search(state, plies).value) <= DECIDED)
