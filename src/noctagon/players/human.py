"""A person at the terminal: asked for an action until it is a legal one."""

from __future__ import annotations

import contextlib
import shutil
import textwrap
from collections.abc import Callable
from itertools import islice
from typing import Any

from noctagon.core.clock import Clock
from noctagon.core.game import BadNotation, Game, IllegalAction, State
from noctagon.core.player import Decision, Player, Resign, Undo

LISTED = 30
"""Number of actions that `moves` shows."""
WIDEST = 100
"""Maximum line length in characters."""


def wrapped(text: str, width: int) -> str:
    """Return a text in lines of at most `width` characters, broken between words, indentation kept.

    >>> print(wrapped("- in a turn you send\\nmoves", 12))
    - in a turn
      you send
    moves
    """
    lines = []
    for line in text.splitlines():
        margin = " " * (len(line) - len(line.lstrip(" -")))
        parts = textwrap.wrap(
            line, width, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False
        )
        lines += parts or [""]
    return "\n".join(lines)


def _loses(state: State[Any], action: Any) -> bool:
    """Return whether an action loses the game at once for sure."""
    if state.chances(action):
        return False
    result = state.play(action).result
    return result is not None and result.winner == 1 - state.side


def _say(text: str) -> None:
    print(wrapped(text, min(shutil.get_terminal_size().columns, WIDEST)))


class HumanPlayer(Player):
    """You, at the prompt: type an action, or help, moves, odds ACTION, undo, resign."""

    def __init__(self, game: Game[Any]) -> None:
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401 - arrow keys and history at the prompt, where the system has it
        self.game = game
        self.ask: Callable[[str], str] = input
        self.say: Callable[[str], None] = _say

    def choose(self, state: State[Any], clock: Clock) -> Decision[Any]:
        while True:
            try:
                line = self.ask(f"{state.sides[state.side]}, your turn (or help): ")
                line = line.removeprefix("\ufeff").strip()  # a file of turns from Windows may start with it
            except EOFError:
                raise Resign("the input ended") from None
            word, _, rest = line.partition(" ")
            match word.lower():
                case "":
                    continue
                case "help" | "?" | "h":
                    self.say(self._help(state))
                case "moves":
                    self.say(self._moves(state))
                case "undo":
                    raise Undo
                case "resign" | "quit" | "exit":
                    raise Resign("resigned")
                case "odds":
                    self._try(lambda rest=rest: self.say(self._odds(state, rest)))  # type: ignore[misc]
                case _:
                    action = self._try(lambda line=line: self._read(state, line))  # type: ignore[misc]
                    if action is not None:
                        return Decision(action)

    def _try(self, step: Callable[[], Any]) -> Any:
        try:
            return step()
        except IllegalAction as error:
            self.say(f"Illegal: {error}. Try again.")
        except BadNotation as error:
            self.say(f"Not understood: {error}")
        return None

    def _read(self, state: State[Any], text: str) -> Any:
        action = self.game.parse_action(text, state)
        state.check(action)
        return action

    def _odds(self, state: State[Any], text: str) -> str:
        chances = state.chances(self._read(state, text))
        if not chances:
            return "Nothing is left to chance."
        return "\n".join(f"{chance.name}: {chance.odds:.0%}" for chance in chances)

    def _moves(self, state: State[Any]) -> str:
        wise = (action for action in state.candidates() if not _loses(state, action))
        shown = list(islice(wise, LISTED + 1)) or list(islice(state.candidates(), LISTED + 1))
        more = "\n… and more" if len(shown) > LISTED else ""
        lines = (f"  {self.game.format_action(action)}  {state.kind(action)}" for action in shown[:LISTED])
        return "\n".join(map(str.rstrip, lines)) + more

    def _help(self, state: State[Any]) -> str:
        rules = ["How it is played:", *(f"- {point}" for point in self.game.how_to_play.splitlines()), ""]
        example = self.game.format_action(next(iter(state.candidates())))
        odds = "odds ACTION    the odds of its battles, without playing it"
        lines = [
            *(rules if self.game.how_to_play else []),
            *self.game.notation.splitlines(),
            "",
            f"Type an action, for example: {example}",
            "moves          some actions worth considering",
            *([odds] if self.game.abilities.random else []),
            "undo           take back your last turn and the answer to it",
            "resign, quit   give up the game",
        ]
        return "\n".join(lines)
