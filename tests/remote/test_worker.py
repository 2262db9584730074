"""What a bot's process makes of what the bot answers."""

from typing import Any

import pytest

from noctagon.core.registry import find_game
from noctagon.processes.messages import Choose, Garbage
from noctagon.processes.worker import BotAtWork

WARGAME = find_game("wargame")


class Wooden:
    """Gives the same answer to everything."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def choose(self, state: Any, clock: Any) -> object:
        return self.answer


@pytest.mark.parametrize("answer", [5, None, b"x", {"from": 1}], ids=repr)
def test_nonsense_is_no_action_even_where_a_game_writes_it_as_it_is(
    answer: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WARGAME, "format_action", lambda action: action)
    bot = BotAtWork()
    bot.game, bot.player, bot.rules = WARGAME, Wooden(answer), WARGAME.make_rules()
    position = WARGAME.format_position(WARGAME.initial())
    assert bot.choose(Choose(7, position, 1.0)) == Garbage(7, repr(answer))
