"""`noctagon prove`: a forced win within a number of plies, or the proof that there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from noctagon.core.game import Side
    from noctagon.games.wargame.proofs.prover import Proof
    from noctagon.games.wargame.rules.state import WargameState


def prove(
    game: Annotated[str, typer.Argument(help="Which game; there is a prover for wargame.")],
    place: Annotated[
        str | None,
        typer.Argument(
            metavar="POSITION",
            help="A position as text, or a record at a ply: FILE@PLY, FILE@GAME:PLY. By default the start.",
            show_default=False,
        ),
    ] = None,
    side: Annotated[
        str,
        typer.Option(metavar="SIDE", help="Who is to win: attacker or defender. Needed.", show_default=False),
    ] = "",
    plies: Annotated[
        int | None,
        typer.Option(metavar="N", help="Maximum number of plies, 1 to 60. Needed.", show_default=False),
    ] = None,
    position: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The same as POSITION.", show_default=False)
    ] = None,
    memory: Annotated[
        float, typer.Option(metavar="GIB", help="Gibibytes for the table, 0.001 to 256.")
    ] = 1.0,
    rules: Annotated[str, typer.Option(metavar="NAME", help="The rule set.", show_default=False)] = "",
    endings: Annotated[
        bool,
        typer.Option(
            "--endings",
            help="Instead, solve all endings of three units again and compare with those that ship.",
        ),
    ] = False,
) -> None:
    """Prove that a side can destroy the enemy's AI within a number of plies whatever the other does, or that it cannot.

    For example: noctagon prove wargame game.jsonl@20 --side attacker --plies 6. Ctrl-C ends it and tells what is
    proven by then.
    """
    from rich.console import Console

    from noctagon.core.game import NoctagonError
    from noctagon.core.position import find_position
    from noctagon.core.registry import find_game
    from noctagon.games.wargame.proofs.prover import parse_side
    from noctagon.games.wargame.rules.state import WargameState

    found = find_game(game)
    if found.name != "wargame":
        raise NoctagonError(f"there is no prover for {found.name}; there is one for wargame")
    if place is not None and position is not None:
        raise NoctagonError(f"the position is given twice: {place!r}, and {position!r} by --position")
    position = place if position is None else position
    screen = Console(stderr=True)
    if endings:
        if side or plies is not None or position is not None:
            raise NoctagonError("--endings solves all endings: it takes no side, plies or position")
        found.load()
        _solve_endings(screen)
        return
    if not side:
        raise NoctagonError("say who is to win: --side attacker or --side defender")
    winner = parse_side(side)
    if plies is None:
        raise NoctagonError("say within how many plies: --plies 12")
    state = find_position(found, "start" if position is None else position, found.make_rules(rules or None))
    assert isinstance(state, WargameState)
    found.load()
    _prove(screen, state, winner, plies, memory)


def _prove(screen: Console, state: WargameState, winner: Side, plies: int, memory: float) -> None:
    import signal

    from noctagon.core.text import describe_count, describe_nodes
    from noctagon.games.wargame.proofs.prover import prove

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would ignore it
    name = state.sides[winner]
    with screen.status(f"{name}: preparing") as status:

        def show(depth: int, nodes: int) -> None:
            status.update(f"{name}: within {depth} of {plies} plies · {describe_nodes(nodes)}")

        proof = prove(state, side=winner, plies=plies, memory=memory, looked=show)
    stopped = proof.refuted < proof.plies - proof.won
    for line in _verdict(name, proof, plies):
        print(line)
    speed = f", {describe_count(proof.nodes / proof.seconds)} a second" if proof.seconds > 0.1 else ""
    nodes = "1 node" if proof.nodes == 1 else f"{proof.nodes:,} nodes"
    print(
        f"{nodes} in {proof.seconds:.1f} s{speed}; "
        f"table of {proof.entries * 8 / 2**30:.2g} GiB, {proof.kept / proof.entries:.1%} full"
    )
    if stopped:
        raise typer.Exit(130)


def _verdict(name: str, proof: Proof, asked: int) -> list[str]:
    """Return the proof in a line or two."""
    from noctagon.core.text import describe_plies

    if proof.won and not proof.line:
        return [f"Yes: the {name} has a forced win within {describe_plies(proof.plies)}; interrupted then."]
    if proof.won:
        moves = "  ".join(str(action) for action in proof.line)
        return [f"Yes: the {name} has a forced win in {describe_plies(proof.plies)}.", moves]
    if proof.refuted < proof.plies:
        none = f"no forced win of the {name} within {describe_plies(proof.refuted)}"
        known = none if proof.refuted else "nothing"
        return [f"Interrupted within {describe_plies(asked)}. Proven by then: {known}."]
    answer = f"No: the {name} has no forced win within {describe_plies(proof.plies)}"
    return [answer + (", when the turns are over." if proof.plies < asked else ".")]


def _solve_endings(screen: Console) -> None:
    from noctagon.core.game import NoctagonError
    from noctagon.games.wargame.champion import endings

    counts = dict.fromkeys(endings.NAMES, 0)
    with screen.status("Endings") as status:

        def show(name: str, plies: int, count: int) -> None:
            counts[name] += count
            status.update(f"Endings {name}: {counts[name]:,} positions decided, the last in {plies} plies")

        solved = endings.gather(endings.solve(show))
    shipped = endings.load()
    print(
        f"{len(solved.names)} tables of endings ({', '.join(solved.names)}): {sum(counts.values()):,} positions solved."
    )
    if solved.tables.tobytes() != shipped.tables.tobytes():
        raise NoctagonError("they differ from the tables that ship with this version")
    print("They are the same as the tables that ship with this version.")
