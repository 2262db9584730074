"""`noctagon perft`: the number of ways to play on."""

from __future__ import annotations

from typing import Annotated

import typer


def perft(
    game: Annotated[str, typer.Argument(help="Which game.")],
    depth: Annotated[int, typer.Argument(help="How many plies deep.")],
    position: Annotated[
        str, typer.Option(metavar="TEXT", help="Start from this position instead.", show_default=False)
    ] = "",
    map: Annotated[  # noqa: A002 - the option's name
        str, typer.Option(metavar="NAME", help="Start on this map or opening.", show_default=False)
    ] = "",
    rules: Annotated[str, typer.Option(metavar="NAME", help="The rule set.", show_default=False)] = "",
) -> None:
    """Count the sequences of exactly DEPTH actions; finished games are not played on.

    Where chance decides, each of its results counts. The last number printed is the count.
    """
    import time

    from noctagon.core.game import NoctagonError
    from noctagon.core.registry import find_game
    from noctagon.core.text import describe_count
    from noctagon.search.perft import perft as count_all

    found = find_game(game)
    if position and map:
        raise NoctagonError("give a position or a map, not both")
    if depth < 0:
        raise NoctagonError(f"a depth is 0 or more, not {depth}")
    found.load()
    chosen = found.make_rules(rules or None)
    state = found.parse_position(position, chosen) if position else found.initial(map or None, chosen)
    started = time.perf_counter()
    count = count_all(state, depth)
    seconds = time.perf_counter() - started
    speed = f"{describe_count(count / seconds)} a second" if seconds > 0.01 else "at once"
    print(f"depth {depth} ({speed}): {count}")
