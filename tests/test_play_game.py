"""A whole game in one call: players as specs, objects and functions."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from noctagon.core.clock import Clock
from noctagon.core.events import Ended, Event, Played
from noctagon.core.game import NoctagonError, State
from noctagon.core.match import Match
from noctagon.core.registry import find_game
from noctagon.processes.play import play_game

BOT = Path(__file__).parent / "bots" / "broken.py"


class First:
    """The smallest player: `choose` and nothing else."""

    def choose(self, state: State[Any], clock: Clock) -> Any:
        return next(iter(state.actions()))


def last(state: State[Any], clock: Clock) -> Any:
    *_, action = state.actions()
    return action


def test_players_are_specs_objects_and_functions_in_either_seat() -> None:
    for first, second in ((First(), "greedy"), ("greedy", last), (last, First())):
        match = play_game("wargame", first, second, time=5)
        assert match.result is not None
        assert match.result.reason in ("AI destroyed", "both AIs destroyed", "turn limit")
        assert match.record().final() == match.state
    assert match.players == ("last", "First")


def test_setup_rules_time_and_seed_go_into_the_record() -> None:
    match = play_game("vampires", "random", "greedy", setup="ring", rules="server", time=3, seed=7)
    record = match.record()
    assert (record.setup, record.rules["name"], record.time.turn, record.seed) == ("ring", "server", 3, 7)
    again = play_game("vampires", "random", "greedy", setup="ring", rules="server", time=3, seed=7)
    assert again.states == match.states


def test_a_game_goes_on_from_a_position() -> None:
    game = find_game("wargame")
    middle = play_game(game, "random", "random", seed=3).states[10]
    match = play_game(game, First(), First(), setup=middle)
    assert match.initial == middle
    with pytest.raises(NoctagonError, match="a position has rules already"):
        play_game(game, First(), First(), setup=middle, rules="engine")


def test_events_are_heard() -> None:
    heard: list[Event] = []
    match = play_game("wargame", First(), last, listen=heard.append)
    assert [event.action for event in heard if isinstance(event, Played)] == [
        find_game("wargame").parse_action(turn.action, state)
        for turn, state in zip(match.turns, match.states, strict=False)
    ]
    assert isinstance(heard[-1], Ended)


def test_a_player_that_raises_loses_and_its_traceback_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    def broken(state: State[Any], clock: Clock) -> float:
        return 1 / 0

    with caplog.at_level(logging.ERROR):
        match = play_game("wargame", broken, "random")
    assert match.result is not None
    assert (match.result.winner, match.result.reason) == (1, "crash")
    assert "ZeroDivisionError" in caplog.text
    assert "1 / 0" in caplog.text


def test_what_is_no_player_is_refused() -> None:
    with pytest.raises(NoctagonError, match=r"give a player made of it, as in First\(\)"):
        play_game("wargame", First, "random")  # type: ignore[arg-type]
    with pytest.raises(NoctagonError, match="17 is no player"):
        play_game("wargame", 17, "random")  # type: ignore[arg-type]
    with pytest.raises(NoctagonError, match="unknown player of wargame 'gredy'; did you mean greedy"):
        play_game("wargame", "gredy", "random")


def test_a_file_of_a_player_sits_in_a_process_of_its_own() -> None:
    match = play_game("wargame", First(), f"{BOT}:Die")
    assert match.result is not None
    assert (match.result.winner, match.result.reason) == (0, "crash")


def test_it_works_where_a_loop_is_running() -> None:
    async def notebook() -> Match:
        return play_game("wargame", First(), last)

    assert asyncio.run(notebook()).result is not None
