"""Recorded games that must stay as they are: `python -m lab replay-check FILE [--write] [--games N]`.

With `--write` the games are played and written to FILE, one record a line. Without it every game of FILE is played
again by the present code, and its record must be the same to the byte; then the stored record is replayed, and must
reach the same last position. This notices any change of the referee, the rules, the notation or the random numbers.

The games are a fixed schedule: both games, all rule sets, several maps, players that need no time, answers as
actions, as texts and as unsorted lists, and now and then one that is late, illegal or no answer at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Annotated, Any

import msgspec
import typer

from noctagon.core.clock import Clock
from noctagon.core.game import Game, State
from noctagon.core.match import Match
from noctagon.core.player import Decision, PlayerSpec, Thought
from noctagon.core.record import Record, decode
from noctagon.core.registry import find_game
from noctagon.players import make_player

PLAYERS = {
    "vampires": ("random", "greedy", "greedy:heuristic=population", "smart-greedy", "conservative", "random"),
    "wargame": ("random", "greedy", "greedy:heuristic=e0", "alphabeta:depth=2", "minimax:depth=1", "random"),
}
SETUPS = {
    "vampires": ("deserted", "duel", "tiny", "generated:3", "generated:8", "wilds"),
    "wargame": ("start",),
}
PLIES = {"vampires": (40, 60, 120), "wargame": (30, 100)}
MISTAKES = 0.03
"""Share of the answers that are late or illegal, in a game that has such."""


class Golden(msgspec.Struct, frozen=True):
    """What is compared of a game: its record's line, and the text of its last position."""

    line: bytes
    final: str


def play(number: int, choice: Mapping[str, Sequence[str]] = PLAYERS) -> Golden:
    """Play the game of that number in the schedule, between two of the players of `choice`."""
    rng = Random(number)
    game = find_game("wargame" if number % 3 == 2 else "vampires")
    game.load()
    players, setups, plies = choice[game.name], SETUPS[game.name], PLIES[game.name]
    names = list(game.rule_sets)
    options: dict[str, Any] = {"plies": rng.choice(plies)}
    if game.name == "vampires" and number % 11 == 0:
        options["majority"] = True
    rules = game.make_rules(names[number // 3 % len(names)], **options)
    setup = setups[number // 7 % len(setups)]
    specs = (rng.choice(players), rng.choice(players))
    match = Match(
        game,
        game.initial(setup, rules),
        setup=setup,
        players=specs,
        seed=number,
        lenient=number % 2 == 0,
    )
    seats = [make_player(PlayerSpec.parse(spec), game) for spec in specs]
    for side in (0, 1):
        seats[side].start(match.start_for(side), side)
    former: Any = None
    while (request := match.request()) is not None:
        decision: Decision[Any] = seats[request.side].choose(request.state, Clock())
        answer = _as_sent(decision.action, game, number, rng)
        seconds = round(rng.uniform(0, 0.5), 3)
        if number % 5 == 3 and rng.random() < MISTAKES:
            answer, seconds = _mistake(answer, former, rng), rng.choice((seconds, seconds, 100.0))
        match.answer(answer, seconds, _timeless(decision.thought))
        former = decision.action
    record = msgspec.structs.replace(match.record(), date="", versions={})
    return Golden(record.to_json(), game.format_position(match.state))


def _as_sent(action: Any, game: Game[Any], number: int, rng: Random) -> Any:
    """An action as a player may send it: as it is, as text, or as a list in another order and in smaller parts."""
    form = number % 4
    if form == 1:
        return game.format_action(action)
    if form == 2 and game.name == "vampires":
        moves = [list(move) for move in action]
        if moves and moves[0][2] > 1:
            x, y, count, tx, ty = moves[0]
            moves[:1] = [[x, y, 1, tx, ty], [x, y, count - 1, tx, ty]]
        rng.shuffle(moves)
        return moves
    return action


def _mistake(answer: Any, former: Any, rng: Random) -> Any:
    return rng.choice(
        (answer, former, "", "nonsense", None, 17, (99, 3), [(0, 0, 0, 1, 1)], "A0 E4", "0,0>NE")
    )


def _timeless(thought: Thought) -> Thought:
    """The same without a measured time."""
    return msgspec.structs.replace(thought, seconds=0.0)


def write_games(path: Path, count: int) -> None:
    """Play the schedule and write it, each record with the text of its last position in a field of its own."""
    with path.open("wb") as file:
        for number in range(count):
            golden = play(number)
            record = msgspec.json.decode(golden.line, type=dict[str, msgspec.Raw])
            file.write(msgspec.json.encode({**record, "final": golden.final}) + b"\n")


def check(path: Path, most: int) -> Iterator[str]:
    """Yield a sentence for each of the first `most` games of the file that comes out otherwise."""
    with path.open("rb") as file:
        for number, line in enumerate(islice(file, most)):
            content = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
            final = msgspec.json.decode(content.pop("final"), type=str)
            stored = msgspec.json.encode(content)
            found = play(number)
            if found.line != stored:
                yield f"game {number}: {_difference(decode(stored), decode(found.line))}"
            elif found.final != final:
                yield f"game {number}: ends in {found.final}, not in {final}"
            last: State[Any] = decode(stored).final()
            game = find_game(decode(stored).game)
            if game.format_position(last) != final:
                yield f"game {number}: its record replays to {game.format_position(last)}, not to {final}"


def _difference(stored: Record, found: Record) -> str:
    for ply, (one, other) in enumerate(zip(stored.turns, found.turns, strict=False), 1):
        if one != other:
            return f"turn {ply} was {one} and is {other}"
    if len(stored.turns) != len(found.turns):
        return f"it had {len(stored.turns)} turns and has {len(found.turns)}"
    return f"its result was {stored.result} and is {found.result}; or its head differs"


def replay_check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of records made by --write.")],
    write: Annotated[bool, typer.Option("--write", help="Play the games and write the file.")] = False,
    games: Annotated[int, typer.Option(min=1, help="Number of games to write, or to check at most.")] = 2000,
) -> None:
    """Play a schedule of games again: their records and last positions must be those of FILE, to the byte.

    Write the file with the code before a change, and check it with the code after it.
    """
    if write:
        write_games(file, games)
        print(f"{games} games written")
        return
    troubles = 0
    for trouble in check(file, games):
        troubles += 1
        print(trouble)
    print(f"{troubles} games differ" if troubles else "no game differs")
    if troubles:
        raise typer.Exit(1)
