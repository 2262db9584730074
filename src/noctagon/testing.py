"""A conformance check for games, to be used by whoever writes one.

    from noctagon.testing import check_game

    def test_my_game():
        check_game(my_game)

It plays random games and holds the `Game` and its `State`s to all that `noctagon.game` promises; the first
promise that is broken is an `AssertionError` that names it, with the position at hand.
"""

from __future__ import annotations

import math
import pickle
from itertools import islice
from random import Random
from typing import Any

from noctagon.game import BadNotation, Game, IllegalAction, NoctagonError, Rules, State
from noctagon.match import Match
from noctagon.record import decode

MOST_RESULTS = 2000
"""Products of chance larger than this are not played through."""


def check_game(game: Game[Any], *, games: int = 20, seed: int = 0, setups: int = 5) -> None:
    """Play random games on a few setups under every rule set, and check every promise on the way."""
    rng = Random(seed)
    _check_description(game)
    game.load()
    names = list(game.setups())
    chosen = names if len(names) <= setups else [names[0], *rng.sample(names[1:], setups - 1)]
    cases = [(setup, rules) for setup in chosen for rules in game.rule_sets.values()]
    elsewhere: list[Any] = list(islice(game.initial().actions(), 40))
    """Actions of other positions: legal here or not, but always of the right form."""
    for number in range(max(games, len(cases))):
        setup, rules = cases[number % len(cases)]
        _check_random_game(game, setup, rules, Random(rng.getrandbits(32)), elsewhere)


def _check_description(game: Game[Any]) -> None:
    assert game.name.isidentifier(), f"a game's name is a plain word, not {game.name!r}"
    assert game.title, "a game has a title"
    assert game.about, "a game says in a sentence what it is"
    assert len(game.sides) == 2, "there are two sides"
    assert game.rule_sets, "there is at least one rule set"
    assert game.setups(), "there is at least one setup"
    for name, rules in game.rule_sets.items():
        assert rules.name == name, f"the rule set {name!r} calls itself {rules.name!r}"
    assert game.initial() == game.initial(next(iter(game.setups()))), "the first setup is the usual one"
    for wrong in ("no such setup \N{SNOWMAN}", "../nowhere"):
        _refused(lambda wrong=wrong: game.initial(wrong), NoctagonError, f"the setup {wrong!r}")
    _refused(lambda: game.make_rules("no such rules"), NoctagonError, "an unknown rule set")
    _refused(lambda: game.parse_position("\N{SNOWMAN}"), NoctagonError, "a position that is no position")
    _refused(lambda: game.parse_action("\N{SNOWMAN}", game.initial()), BadNotation, "an action that is none")


def _check_random_game(game: Game[Any], setup: str, rules: Rules, rng: Random, elsewhere: list[Any]) -> None:
    match = Match(game, game.initial(setup, rules), setup=setup, seed=rng.getrandbits(32))
    while match.result is None:
        state = match.state
        where = game.format_position(state)
        _check_state(game, state, where, rng)
        action = state.actions().sample(rng)
        _check_actions(game, state, action, where, elsewhere)
        _check_chances(state, action, where, rng)
        elsewhere.append(action)
        del elsewhere[:-200]
        if game.abilities.skip and rng.random() < 0.02:
            after = state.skip()
            assert after.side != state.side, f"a skipped turn passes the move on: {where}"
            assert after.ply == state.ply + 1, f"a skipped turn counts as a ply: {where}"
            match.miss(0.0)
        else:
            match.answer(action, 0.0)
    _check_end(game, match)


def _check_state(game: Game[Any], state: State[Any], where: str, rng: Random) -> None:
    same = game.parse_position(where, state.rules)
    assert same == state, f"the text of a position gives it back: {where}"
    assert hash(same) == hash(state), f"equal positions have equal hashes: {where}"
    assert same.key == state.key, f"equal positions have equal keys: {where}"
    assert game.format_position(same) == where, f"a position has one text: {where}"
    assert pickle.loads(pickle.dumps(state)) == state, f"a position can be sent to another process: {where}"
    assert state.side in (0, 1), f"side is 0 or 1: {where}"
    assert state.ply >= 0, f"ply counts from 0: {where}"
    assert len(state.sides) == 2, f"both sides have a name: {where}"
    for attribute in ("side", "ply", "rules"):
        _refused(lambda name=attribute: setattr(state, name, 0), AttributeError, f"setting {attribute}")
    assert state.adjudicate() is not None, f"play can stop anywhere: {where}"
    view = state.view()
    cells = {(piece.x, piece.y) for piece in view.pieces}
    assert len(cells) == len(view.pieces), f"one piece a cell: {where}"
    assert all(0 <= x < view.columns and 0 <= y < view.rows for x, y in cells), (
        f"pieces stand on the board: {where}"
    )
    assert str(state).strip(), f"a position can be printed: {where}"
    if rng.random() < 0.1:
        assert state._repr_svg_().startswith("<svg"), f"a position can be drawn: {where}"


def _check_actions(game: Game[Any], state: State[Any], action: Any, where: str, elsewhere: list[Any]) -> None:
    actions = state.actions()
    assert actions, f"a game that goes on has actions: {where}"
    assert action in actions, f"a sampled action is one of them: {action} in {where}"
    listed = list(islice(actions, 200))
    assert len(set(listed)) == len(listed), f"no action is listed twice: {where}"
    for one in listed[:20]:
        state.check(one)
    if len(listed) < 200:
        assert actions.count() == len(listed), f"count() is how many there are: {where}"
        assert action in set(listed), f"every sampled action is listed: {action} in {where}"
    for one in (action, *listed[:10]):
        text = game.format_action(one)
        assert game.parse_action(text, state) == one, (
            f"the text of an action gives it back: {text} in {where}"
        )
    _refused(lambda: state.check(None), IllegalAction, f"None in {where}")
    complete = set(listed) if len(listed) < 200 else None
    for stranger in (*elsewhere[-40:], None, "", 17):
        if complete is not None:
            legal = stranger in complete
            assert (stranger in actions) == legal, f"check and the list agree on {stranger}: {where}"
        if stranger not in actions:
            _refused(lambda other=stranger: state.check(other), IllegalAction, f"{stranger} in {where}")
            _refused(
                lambda other=stranger: state.play(other), IllegalAction, f"playing {stranger} in {where}"
            )
    for generator in (None, *game.generators):
        for candidate in islice(state.candidates(generator), 20):
            assert candidate in actions, f"{generator} generates legal actions: {candidate} in {where}"
    _refused(lambda: state.candidates("no such generator"), NoctagonError, "an unknown generator")


def _check_chances(state: State[Any], action: Any, where: str, rng: Random) -> None:
    before = state.key
    chances = state.chances(action)
    for chance in chances:
        for results in (chance.results, chance.brief()):
            total = sum(results.values())
            assert math.isclose(total, 1, abs_tol=1e-9), f"{chance.name} sums to {total}, not 1: {where}"
        assert 0 <= chance.odds <= 1, f"the odds of {chance.name} are a probability: {where}"
        assert set(chance.brief()) <= set(chance.results), f"{chance.name}: brief results can happen: {where}"
        assert chance.describe(next(iter(chance.results))), f"a result can be told: {chance.name}"
    one, other = Random(rng.getrandbits(32)), Random()
    other.setstate(one.getstate())
    dice = state.roll(action, one)
    assert state.roll(action, other) == dice, f"the same generator rolls the same dice: {where}"
    assert len(dice) == len(chances), f"one die for each chance: {where}"
    for chance, result in zip(chances, dice, strict=True):
        assert result in chance.results, f"{result} can happen in {chance.name}: {where}"
    after = state.play(action, dice)
    assert after == state.play(action, dice), f"play is a function: {where}"
    assert after.ply == state.ply + 1, f"an action is a ply: {where}"
    assert after != state, f"two different positions are not equal: {where}"
    if math.prod(len(chance.results) for chance in chances) <= MOST_RESULTS:
        outcomes = list(state.outcomes(action))
        total = sum(outcome.probability for outcome in outcomes)
        assert math.isclose(total, 1, abs_tol=1e-9), f"the outcomes of {action} sum to 1: {where}"
        assert after in [outcome.state for outcome in outcomes], f"what happened is an outcome: {where}"
    assert state.key == before, f"playing leaves the position as it was: {where}"


def _check_end(game: Game[Any], match: Match) -> None:
    state, where = match.state, game.format_position(match.state)
    assert match.result is not None
    assert match.result.reason, f"every end has a reason: {where}"
    assert not state.actions(), f"a finished game has no actions: {where}"
    assert list(state.actions()) == [], f"a finished game has no actions: {where}"
    record = match.record()
    again = decode(record.to_json())
    assert again == record, f"a record survives its JSON: {where}"
    states = list(again.states(game))
    assert states == match.states, f"a record replays to the same positions: {where}"
    assert states[-1].result == state.result, f"a record replays to the same end: {where}"


def _refused(step: Any, kind: type[Exception], what: str) -> None:
    try:
        step()
    except kind:
        return
    raise AssertionError(f"{what} should be refused with {kind.__name__}")
