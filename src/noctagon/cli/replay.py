"""`noctagon replay`: watch a recorded game again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A record, or several, one a line.")],
    game: Annotated[int, typer.Option(min=1, help="Which game of the file.")] = 1,
    ply: Annotated[
        int | None,
        typer.Option(min=0, help="Show only the position after so many plies.", show_default=False),
    ] = None,
    delay: Annotated[float, typer.Option(min=0, help="Seconds between turns on a terminal.")] = 0.5,
    board: Annotated[bool, typer.Option("--board/--no-board", help="Draw the board.")] = True,
) -> None:
    """Play a record again, turn by turn, to its end; what is whole of a record that is cut off."""
    import time

    from noctagon.cli.watch import choose_screen
    from noctagon.game import NoctagonError
    from noctagon.games import find_game
    from noctagon.match import Ended, Played, Skipped
    from noctagon.record import read_records

    reading = read_records(file)
    if reading.trouble:
        print(f"noctagon: {reading.trouble}", file=sys.stderr)
    if game > len(reading.records):
        raise NoctagonError(f"{file} holds {len(reading.records)} games, so there is no game {game}")
    record = reading.records[game - 1]
    found = find_game(record.game)
    found.load()
    states = list(record.states())
    if ply is not None:
        if ply > len(states) - 1:
            raise NoctagonError(f"the game has {len(states) - 1} plies, so there is no ply {ply}")
        print(states[ply])
        print(found.format_position(states[ply]))
        return
    kind = choose_screen(board=board)
    with kind(found, states[0], record.players, record.time.turn, board=board) as screen:
        for before, after, turn in zip(states, states[1:], record.turns, strict=False):
            if turn.skipped:
                screen.listen(Skipped(turn.side, after, turn))
            else:
                action = found.parse_action(turn.action, before)
                screen.listen(Played(turn.side, before, action, turn.dice, after, turn))
            if screen.live:
                time.sleep(delay)
        if record.result is not None:
            told = states[-1].result
            if told is not None and told.winner != record.result.winner:
                print(f"noctagon: the board says otherwise than the record: {told}", file=sys.stderr)
            screen.listen(Ended(states[-1], record.result))
    if len(reading.records) > 1:
        print(f"game {game} of {len(reading.records)}; --game N shows another")
    if reading.trouble:
        raise typer.Exit(1)
