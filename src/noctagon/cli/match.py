"""`noctagon match`: measure two players by pairs of games until a sequential test decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from noctagon.cli.commands import Command
from noctagon.cli.recording import RECORD, STORE, Recorder
from noctagon.cli.sprt import ALPHA, BETA, NORMALIZED

if TYPE_CHECKING:
    from noctagon.arena.duel import Duel

PLAYER = typer.Argument(help="Who plays: a spec as for noctagon play.", show_default=False)
MOST_GAMES = 40_000
"""Default maximum of games with a test."""
GAMES = 100
"""Default number of games without one."""


class MatchCommand(Command):
    """A command whose `--maps a b` means `--maps a,b`, as for a tournament, if both players are given elsewhere."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        joined = maps_joined(args)
        given = self.make_parser(ctx).parse_args(list(joined))[0]
        return super().parse_args(ctx, joined if isinstance(given.get("second"), str) else args)


def maps_joined(args: list[str]) -> list[str]:
    """Join the words after `--maps`, up to the next option.

    >>> maps_joined(["greedy", "random", "--maps", "duel", "ring", "--time", "1"])
    ['greedy', 'random', '--maps', 'duel,ring', '--time', '1']
    """
    if "--maps" not in args:
        return args
    start = args.index("--maps") + 1
    end = next((at for at in range(start, len(args)) if args[at].startswith("-")), len(args))
    return [*args[:start], *([",".join(args[start:end])] if end > start else []), *args[end:]]


def match(
    first: Annotated[str, PLAYER],
    second: Annotated[str, PLAYER],
    game: Annotated[str, typer.Option(help="Which game.")] = "vampires",
    maps: Annotated[
        str,
        typer.Option(
            metavar="A,B,…",
            help="Maps, in turn: names, all, generated:N, or generated (a new one for every pair).",
        ),
    ] = "all",
    openings: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Number of random openings from each map; by default a new one for every pair of a game without dice.",
            show_default=False,
        ),
    ] = None,
    time: Annotated[float | None, typer.Option(help="Seconds for a turn.", show_default=False)] = None,
    plies: Annotated[
        int | None, typer.Option(help="Maximum number of turns in a game.", show_default=False)
    ] = None,
    rules: Annotated[str, typer.Option(metavar="NAME", help="The rule set.", show_default=False)] = "",
    sprt: Annotated[
        str,
        typer.Option(
            metavar="LOW,HIGH",
            help="Play until it is clear whether FIRST leads by HIGH Elo rather than by LOW.",
            show_default=False,
        ),
    ] = "",
    alpha: Annotated[float, ALPHA] = 0.05,
    beta: Annotated[float, BETA] = 0.05,
    normalized: Annotated[bool, NORMALIZED] = False,
    trinomial: Annotated[
        bool, typer.Option("--trinomial", help="Count games, not pairs: more cautious, and slower.")
    ] = False,
    games: Annotated[
        int | None,
        typer.Option(
            help=f"Maximum number of games; by default {GAMES}, with --sprt {MOST_GAMES}.", show_default=False
        ),
    ] = None,
    concurrency: Annotated[
        int,
        typer.Option(
            min=0, help="Number of games at once; by default as the cores allow.", show_default=False
        ),
    ] = 0,
    seed: Annotated[int, typer.Option(help="Makes chance repeatable.")] = 1,
    record: Annotated[str | None, RECORD] = None,
    store: Annotated[str | None, STORE] = None,
    json: Annotated[
        bool, typer.Option("--json", help="The result as one JSON line on stdout, nothing else.")
    ] = False,
) -> None:
    """Measure two players: noctagon match A B --sprt 0,10 plays pairs of games until it can tell who is stronger.

    The games of a pair have the same start and the same dice, with the sides swapped. Ctrl-C finishes the running
    games and shows the result so far; pressed again it stops at once.
    """
    from contextlib import ExitStack

    from noctagon.arena.duel import Duel
    from noctagon.arena.plan import make_plan, split_maps
    from noctagon.arena.tournament import Tournament
    from noctagon.cli.match_screen import MatchScreen, report, say
    from noctagon.cli.verdict import make_test
    from noctagon.core.game import NoctagonError

    test = make_test(sprt, "--sprt", alpha=alpha, beta=beta, normalized=normalized) if sprt else None
    wanted = games if games is not None else MOST_GAMES if test else GAMES
    if wanted < 2:
        raise NoctagonError(f"--games {wanted}: games are played in pairs, so it takes two at least")
    if wanted % 2 and not json:
        say(f"games are played in pairs, so {wanted - 1} of {wanted}")
    content = {
        "name": "match",
        "game": game,
        "players": [first, second],
        "maps": split_maps(maps),
        "time": time,
        "plies": plies,
        "rules": rules,
        "seed": seed,
        "concurrency": concurrency,
    }
    tournament = Tournament(make_plan(content, "match"))
    with ExitStack() as stack:
        recorder = stack.enter_context(Recorder(record, store))
        duel = Duel(
            tournament,
            pairs=wanted // 2,
            test=test,
            openings=openings,
            trinomial=trinomial,
            keep=recorder.keep,
        )
        duel.check_starts()  # report a bad map before anything is compiled
        if duel.most < wanted // 2 and not json:
            say(f"no dice, and {duel.most} different starts: at most {2 * duel.most} games")
        tournament.prepare()
        stopped = False
        screen = stack.enter_context(MatchScreen(duel, quiet=json))
        try:
            duel.play(look=screen.look)
        except KeyboardInterrupt:
            stopped = True
        screen.stop()
        if json:
            _print_json(duel)
        else:
            report(duel, stopped=stopped, show=recorder.shown_by)
    if stopped:
        raise typer.Exit(130)


def _print_json(duel: Duel) -> None:
    import msgspec

    from noctagon.cli.sprt import summary

    tally = duel.tally
    line = {
        "players": duel.names,
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "faults": tally.faults,
        "played": duel.played,
        **summary(duel.test, duel.counts),
    }
    print(msgspec.json.encode(line).decode())
