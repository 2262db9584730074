"""Recorded games for the tests of the page: of random turns, and one with a blunder that everybody sees."""

from __future__ import annotations

from random import Random

from noctagon.core.match import Match
from noctagon.core.player import Thought
from noctagon.core.record import Record
from noctagon.core.registry import find_game

BLUNDERED = ("dA1 aV9 . . . . . . . . . . . . . . . . . . . . . dV9 aA1 a 0", ("A1 A2", "E3 E4"))
"""The attacker could destroy the defender's AI at once, walks away, and loses its own."""


def random_game(
    game: str = "vampires",
    setup: str = "",
    *,
    seed: int = 3,
    plies: int = 30,
    players: tuple[str, str] = ("random", "greedy:depth=1"),
    thought: Thought | None = None,
) -> Match:
    """A game of random turns that ends after so many plies."""
    found, rng = find_game(game), Random(seed)
    found.load()
    rules = found.make_rules(plies=plies)
    state = found.initial(setup or None, rules)
    match = Match(found, state, setup=setup, players=players, seed=seed, date="2026-11-15T20:00:00+00:00")
    while match.result is None:
        match.answer(match.state.actions().sample(rng), 0.25, thought)
    return match


def blundered() -> Record:
    position, actions = BLUNDERED
    game = find_game("wargame")
    game.load()
    match = Match(game, game.parse_position(position), players=("hasty", "careful"))
    for action in actions:
        match.answer(action, 0.1)
    assert match.result is not None
    assert match.result.winner == 1
    return match.record()


def patient_game(plies: int) -> Record:
    """A game in which both sides walk to and fro."""
    game = find_game("vampires")
    game.load()
    match = Match(game, game.initial("duel", game.make_rules(plies=plies)), setup="duel")
    while match.result is None:
        match.answer(("8,6>8,7:8", "1,3>1,4:8", "8,7>8,6:8", "1,4>1,3:8")[len(match.turns) % 4], 0.1)
    return match.record()
