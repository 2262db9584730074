"""A conformance check for authors of games.

    from noctagon.testing import check_game

    def test_my_game():
        check_game(my_game)

It plays random games and holds the `Game` and its `State`s to all that `noctagon.core.game` promises; the first
promise that is broken is an `AssertionError` that names it, with the position at hand. So is whatever else a game
raises where it should not.
"""

from __future__ import annotations

import math
import pickle
import pkgutil
from itertools import islice
from random import Random
from typing import Any

import msgspec

from noctagon.core.board import View
from noctagon.core.game import BadNotation, Game, IllegalAction, NoctagonError, Result, Rules, State
from noctagon.core.match import Match
from noctagon.core.player import PlayerSpec
from noctagon.core.record import decode
from noctagon.players import find_player
from noctagon.search.tree import DECIDED

MOST_RESULTS = 2000
"""Products of chance larger than this are not played through."""
FEW = 50
"""Positions with more actions are not counted through."""
DRAWS = 60
"""Number of random draws in which more than one action has to be drawn where there are several."""


def check_game(game: Game[Any], *, games: int = 20, seed: int = 0, setups: int = 5) -> None:
    """Play random games on a few setups under every rule set, and check every promise on the way."""
    rng = Random(seed)
    _check_description(game)
    game.load()
    _check_players(game)
    _check_commands(game)
    _check_wire(game)
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
    assert game.late in ("skip", "lose"), (
        f"who is late loses the turn (skip) or the game (lose): {game.late!r}"
    )
    assert game.late == "lose" or game.abilities.skip, (
        "a late turn can be skipped only in a game that can skip"
    )
    for name, rules in game.rule_sets.items():
        assert rules.name == name, f"the rule set {name!r} calls itself {rules.name!r}"
    assert game.initial() == game.initial(next(iter(game.setups()))), "the first setup is the usual one"
    for wrong in ("no such setup \N{SNOWMAN}", "../nowhere"):
        _refused(lambda wrong=wrong: game.initial(wrong), NoctagonError, f"the setup {wrong!r}")
    _refused(lambda: game.make_rules("no such rules"), NoctagonError, "an unknown rule set")
    _refused(lambda: game.parse_position("\N{SNOWMAN}"), NoctagonError, "a position that is no position")
    _refused(lambda: game.parse_action("\N{SNOWMAN}", game.initial()), BadNotation, "an action that is none")


def _check_players(game: Game[Any]) -> None:
    for name in (*game.players, *(PlayerSpec.parse(spec).name for spec in game.demo)):
        try:
            find_player(name, game)
        except Exception as error:
            raise AssertionError(f"the player {name!r} can be found: {error}") from error


def _check_commands(game: Game[Any]) -> None:
    for name, target in game.commands.items():
        try:
            command = pkgutil.resolve_name(target)
        except Exception as error:
            raise AssertionError(f"the command {name!r} can be imported: {error}") from error
        assert callable(command), f"the command {name!r} is a function or a typer.Typer, not {command!r}"


def _check_wire(game: Game[Any]) -> None:
    wire = game.wire()
    if wire is None:
        return
    assert wire.game is game, "a game's wire is its own"
    assert wire.protocol, "a wire says in a few words which protocol it speaks"
    assert 0 < wire.port < 65536, f"a wire has a usual port, not {wire.port!r}"
    wire.check_start(game.initial())


def _check_random_game(game: Game[Any], setup: str, rules: Rules, rng: Random, elsewhere: list[Any]) -> None:
    first = game.initial(setup, rules)
    assert first.rules == rules, f"the first position has the rules it was given: {setup}"
    match = Match(game, first, setup=setup, seed=rng.getrandbits(32))
    texts: dict[bytes, str] = {}
    where = setup
    try:
        _check_perft(match.state)
        while match.result is None:
            state = match.state
            where = game.format_position(state)
            assert texts.setdefault(state.key, where) == where, f"two positions have one key: {where}"
            _check_state(game, state, where, rng)
            _check_turn(game, match, where, rng, elsewhere)
        _check_end(game, match)
    except AssertionError:
        raise
    except Exception as error:
        raise AssertionError(f"{type(error).__name__}, which nobody expects: {error}: {where}") from error


def _check_turn(game: Game[Any], match: Match, where: str, rng: Random, elsewhere: list[Any]) -> None:
    """Play one turn of a random game, or skip it."""
    state = match.state
    assert state.ply < state.rules.plies, f"no game goes on after {state.rules.plies} plies: {where}"
    assert state.actions(), f"a game that goes on has actions: {where}"
    action = state.actions().sample(rng)
    _check_actions(game, state, action, where, elsewhere)
    _check_chances(game, state, action, where, rng)
    elsewhere.append(action)
    del elsewhere[:-200]
    if game.abilities.skip and rng.random() < 0.02:
        after = state.skip()
        assert after.side != state.side, f"a skipped turn passes the move on: {where}"
        assert after.ply == state.ply + 1, f"a skipped turn counts as a ply: {where}"
        match.miss(0.0)
    else:
        match.answer(action, 0.0)
    if (result := match.state.result) is not None:
        _check_result(result, game.format_position(match.state))


def _check_result(result: Any, where: str) -> None:
    assert isinstance(result, Result), f"a game ends with a Result, not {result!r}: {where}"
    assert result.winner in (0, 1, None), f"0 or 1 wins, or nobody (None), not {result.winner!r}: {where}"


def _check_perft(state: State[Any]) -> None:
    """Check that a game's own count of its actions is the plain one."""
    actions = list(islice(state.actions(), FEW + 1))
    if len(actions) <= FEW and not any(state.chances(action) for action in actions):
        for depth in (1, 2):
            counted = sum(state.play(action).perft(depth - 1) for action in actions)
            assert state.perft(depth) == counted, f"perft({depth}) is {counted}, not {state.perft(depth)}"


def _check_state(game: Game[Any], state: State[Any], where: str, rng: Random) -> None:
    assert isinstance(state.key, bytes), f"a position's key is bytes, not {state.key!r}: {where}"
    same = game.parse_position(where, state.rules)
    assert same == state, f"the text of a position gives it back: {where}"
    assert hash(same) == hash(state), f"equal positions have equal hashes: {where}"
    assert same.key == state.key, f"equal positions have equal keys: {where}"
    assert game.format_position(same) == where, f"a position has one text: {where}"
    other = _other_rules(state.rules)
    elsewhere = game.parse_position(where, other)
    assert elsewhere.rules == other, f"a position has the rules it was given: {where}"
    assert elsewhere != state, f"under other rules it is another position: {where}"
    assert pickle.loads(pickle.dumps(state)) == state, f"a position can be sent to another process: {where}"
    assert state.side in (0, 1), f"side is 0 or 1: {where}"
    assert state.ply >= 0, f"ply counts from 0: {where}"
    assert len(state.sides) == 2, f"both sides have a name: {where}"
    for attribute in ("side", "ply", "rules"):
        _refused(lambda name=attribute: setattr(state, name, 0), AttributeError, f"setting {attribute}")
    _check_result(state.adjudicate(), f"play can stop anywhere: {where}")
    score = state.score()
    assert len(score) == 2, f"score() tells what each of two sides has: {where}"
    assert all(math.isfinite(each) for each in score), f"what a side has is a number: {where}"
    for name, evaluate in game.evaluations.items():
        value = evaluate(state)
        assert isinstance(value, int | float), (
            f"the evaluation {name!r} gives a number, not {value!r}: {where}"
        )
        assert abs(value) < DECIDED, f"{name!r} gives {value}, and a won game is worth {DECIDED:.0f}: {where}"
    view = state.view()
    assert isinstance(view, View), f"a position shows a View, not {view!r}: {where}"
    cells = {(piece.x, piece.y) for piece in view.pieces}
    assert len(cells) == len(view.pieces), f"one piece a cell: {where}"
    assert all(0 <= x < view.columns and 0 <= y < view.rows for x, y in cells), (
        f"pieces stand on the board: {where}"
    )
    assert str(state).strip(), f"a position can be printed: {where}"
    if rng.random() < 0.1:
        assert state._repr_svg_().startswith("<svg"), f"a position can be drawn: {where}"


def _other_rules(rules: Rules) -> Rules:
    """Check the same for a game that may last a ply longer, or a ply less if it may last no longer."""
    try:
        return msgspec.structs.replace(rules, plies=rules.plies + 1)
    except NoctagonError:
        return msgspec.structs.replace(rules, plies=rules.plies - 1)


def _check_actions(game: Game[Any], state: State[Any], action: Any, where: str, elsewhere: list[Any]) -> None:
    actions = state.actions()
    assert action in actions, f"a sampled action is one of them: {action} in {where}"
    listed = list(islice(actions, 200))
    assert len(set(listed)) == len(listed), f"no action is listed twice: {where}"
    for one in listed[:20]:
        state.check(one)
    if len(listed) < 200:
        assert actions.count() == len(listed), f"count() is how many there are: {where}"
        assert action in set(listed), f"every sampled action is listed: {action} in {where}"
    if state.ply == 0 and len(listed) > 1:
        drawn = {actions.sample(Random(number)) for number in range(DRAWS)}
        assert len(drawn) > 1, f"every action has a chance, and {drawn.pop()} is all that is drawn: {where}"
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
    if game.generators:
        usual, first = state.candidates(), state.candidates(next(iter(game.generators)))
        assert list(islice(usual, 20)) == list(islice(first, 20)), (
            f"the first generator is the usual: {where}"
        )
    _refused(lambda: state.candidates("no such generator"), NoctagonError, "an unknown generator")


def _check_chances(game: Game[Any], state: State[Any], action: Any, where: str, rng: Random) -> None:
    before = state.key
    chances = state.chances(action)
    assert not chances or game.abilities.random, f"a game with chances is able to be random: {where}"
    for chance in chances:
        assert chance.name, f"a chance has a name: {where}"
        assert all(0 <= p <= 1 for p in chance.results.values()), f"{chance.name}: probabilities: {where}"
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
    for wrong in ((), (*dice, 0), (10**6, *dice[1:])) if chances else ():
        _refused(lambda wrong=wrong: state.play(action, wrong), NoctagonError, f"dice {wrong} in {where}")
    after = state.play(action, dice)
    assert after.rules == state.rules, f"the rules do not change in a game: {where}"
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
    assert state.result is None or state.adjudicate() == state.result, f"an end stays what it is: {where}"
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
