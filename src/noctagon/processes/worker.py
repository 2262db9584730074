"""The process in which a bot's class plays: `python -m noctagon.processes.worker`, messages on stdin and stdout.

What the bot prints goes to the error stream, never between the messages. The process ends when its input does:
with the referee, however that ends.
"""

from __future__ import annotations

import importlib.util
import os
import queue
import sys
import threading
import traceback
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import msgspec

from noctagon.core.clock import Clock, TimeControl
from noctagon.core.game import Game, NoctagonError, Result
from noctagon.core.player import Decision, GameStart, PlayerSpec, Thought
from noctagon.core.registry import find_game
from noctagon.core.text import quoted, shortened
from noctagon.players import make_player
from noctagon.processes import messages
from noctagon.processes.messages import Begin, Choose, Chosen, Failed, Finish, Finished, Garbage, Ready

LONGEST_ANSWER = 256 * 1024
"""No action is written in so many letters."""
LONGEST_LINE = 500
LONGEST_TRACEBACK = 10_000
"""So much is told of what a bot raised: no pipe need carry all that it puts into an exception."""


def main() -> None:
    inlet = os.fdopen(os.dup(0), "rb")
    outlet = os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # a bot that asks for input gets none
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr] # what it printed is seen if it hangs
    inbox: queue.SimpleQueue[messages.ToBot] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(inlet, inbox), daemon=True).start()
    try:
        _answer_all(inbox, outlet)
    except BaseException:
        traceback.print_exc()
    sys.stderr.flush()
    os._exit(1)  # at once: the listening thread would make an ordinary end fail


def _answer_all(inbox: queue.SimpleQueue[messages.ToBot], outlet: FileIO) -> NoReturn:
    bot = BotAtWork()
    while True:
        message = inbox.get()
        try:
            encoded = messages.encode(bot.handle(message))
        except BaseException as error:  # a bot may even raise SystemExit
            line, whole = describe(error)
            if isinstance(message, Finish):  # the game is over: that is for its author alone
                print(whole or line, file=sys.stderr, flush=True)
                encoded = messages.encode(Finished())
            else:
                encoded = messages.encode(Failed(line, whole))
        outlet.write(encoded)


def _listen(stream: BinaryIO, inbox: queue.SimpleQueue[messages.ToBot]) -> None:
    """Pass messages on; at the end of the input end the process, even under a bot that never returns."""
    while True:
        head = stream.read(messages.HEAD)
        if len(head) < messages.HEAD:
            os._exit(0)
        inbox.put(messages.decode_to_bot(stream.read(int.from_bytes(head, "big"))))


class BotAtWork:
    """The player and the game it is in."""

    def __init__(self) -> None:
        self.loaded = ""
        self.player: Any = None
        self.game: Game[Any]
        self.rules: Any = None

    def handle(self, message: messages.ToBot) -> messages.FromBot:
        match message:
            case Begin():
                return self.begin(message)
            case Choose():
                return self.choose(message)
            case Finish():
                self.player.finish(Result(message.winner, message.reason, message.detail))  # type: ignore[arg-type]
                return Finished()

    def begin(self, message: Begin) -> Ready:
        self.game = find_game(message.game)
        self.game.load()
        if self.loaded != message.spec:
            self.player = load_player(PlayerSpec.parse(message.spec), self.game)
            self.loaded = message.spec
        usual = next(iter(self.game.rule_sets.values()))
        self.rules = msgspec.convert(message.rules, type(usual))
        if hasattr(self.player, "start"):
            state = self.game.parse_position(message.position, self.rules)
            time = TimeControl(message.turn_seconds, message.total_seconds)
            self.player.start(GameStart(state, time, message.seed), message.side)
        return Ready(os.getpid(), finishes=hasattr(self.player, "finish"))

    def choose(self, message: Choose) -> Chosen | Garbage:
        clock = Clock(message.seconds)
        state = self.game.parse_position(message.position, self.rules)
        answer = self.player.choose(state, clock)
        thought = Thought()
        if isinstance(answer, Decision):
            answer, thought = answer.action, answer.thought
        if not isinstance(thought, Thought):
            thought = Thought(note=str(thought)[:200])
        try:
            text = answer if isinstance(answer, str) else self.game.format_action(answer)
        except Exception as error:
            why = str(error) if isinstance(error, NoctagonError) else ""
            return Garbage(message.number, quoted(answer), shortened(why, LONGEST_LINE))
        if not isinstance(text, str):  # a stranger's game may take anything for an action
            return Garbage(message.number, quoted(answer))
        if len(text) > LONGEST_ANSWER:
            return Garbage(message.number, f"a text of {len(text):,} letters")
        return Chosen(message.number, text.encode("utf-8", "replace").decode(), thought)


def load_player(spec: PlayerSpec, game: Game[Any]) -> Any:
    """The player of a spec: ours, or a file's class; modules beside that file can be imported by it."""
    if not spec.path:
        return make_player(spec, game)
    path = Path(spec.path)
    if not path.is_file():
        raise NoctagonError(f"{spec}: there is no file {spec.path}")
    sys.path.insert(0, str(path.parent.resolve()))
    found = importlib.util.spec_from_file_location(path.stem, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[path.stem] = module
    found.loader.exec_module(module)
    make = getattr(module, spec.name, None)
    if make is None:
        classes = [name for name, thing in vars(module).items() if hasattr(thing, "choose")]
        raise NoctagonError(
            f"{spec}: {spec.path} has no class {spec.name}; with a choose method it has: {', '.join(classes) or 'none'}"
        )
    return make_player(spec, game, make)


def describe(error: BaseException) -> tuple[str, str]:
    """An exception in one line, with the bot's own line it came from; and the whole of it, from the bot's file on.

    Of an error that is told in the user's words, as that there is no such option, the line is all, unless the bot's
    own code ran into it.
    """
    try:
        line = shortened(str(error), LONGEST_LINE)
    except BaseException:  # a stranger's exception may even fail at that
        line = ""
    if not isinstance(error, NoctagonError):
        line = f"{type(error).__name__}: {line}" if line else type(error).__name__
    ours = (str(Path(__file__).parent.parent), "<")
    libraries = (sys.prefix, sys.base_prefix)
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not frame.filename.startswith((*ours, *libraries))]
    if theirs:
        line += f" ({Path(theirs[-1].filename).name}, line {theirs[-1].lineno})"
    elif isinstance(error, NoctagonError):
        return line, ""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(ours):
        trace = trace.tb_next
    if trace is not None:  # else it is a fault of our own
        error = error.with_traceback(trace)
    return line, shortened("".join(traceback.format_exception(error)), LONGEST_TRACEBACK)


if __name__ == "__main__":
    main()
