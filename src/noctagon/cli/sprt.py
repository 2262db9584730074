"""`noctagon sprt`: the sequential test as a calculator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from noctagon.arena.sprt import Counts, Sprt

PAIRS = "10,50,120,60,15"
GAMES = "320,150,300"
BOUNDS = typer.Option(metavar="LOW,HIGH", help="The two Elo differences to decide between.")
ALPHA = typer.Option(help="How often it may accept HIGH where LOW is true.")
BETA = typer.Option(help="How often it may accept LOW where HIGH is true.")
NORMALIZED = typer.Option("--normalized", help="LOW and HIGH are normalised Elo.")


def sprt(
    pairs: Annotated[
        str,
        typer.Option(
            metavar="LL,LD,E,DW,WW",
            help="Pairs of games: both lost; loss and draw; even; draw and win; both won.",
            show_default=False,
        ),
    ] = "",
    games: Annotated[
        str,
        typer.Option(metavar="W,D,L", help="Or single games: won, drawn, lost.", show_default=False),
    ] = "",
    elo: Annotated[str, BOUNDS] = "0,10",
    alpha: Annotated[float, ALPHA] = 0.05,
    beta: Annotated[float, BETA] = 0.05,
    normalized: Annotated[bool, NORMALIZED] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON line on stdout, nothing else.")] = False,
) -> None:
    """Evaluate results of two players, and estimate how many more it takes: noctagon sprt --pairs 10,50,120,60,15."""
    from noctagon.arena.sprt import Counts
    from noctagon.cli.verdict import counts_of, make_test
    from noctagon.core.game import NoctagonError

    if bool(pairs) == bool(games):
        raise NoctagonError(f"give either --pairs {PAIRS} or --games {GAMES}")
    if pairs:
        counts = Counts(tuple(counts_of(pairs, "--pairs", PAIRS, 5)))
    else:
        won, drawn, lost = counts_of(games, "--games", GAMES, 3)
        counts = Counts((lost, drawn, won))
    if not counts.total:
        raise NoctagonError(f"--{'pairs' if pairs else 'games'}: there are no results yet")
    test = make_test(elo, "--elo", alpha=alpha, beta=beta, normalized=normalized)
    if json:
        import msgspec

        print(msgspec.json.encode(summary(test, counts)).decode())
    else:
        _show(test, counts)


def summary(test: Sprt | None, counts: Counts) -> dict[str, object]:
    """Return the figures as plain data."""
    from noctagon.cli.verdict import outlooks

    found: dict[str, object] = {
        "unit": counts.unit,
        "outcomes": counts.outcomes,
        "games": counts.games,
        "score": round(counts.score.mean, 6),
        "elo": round(counts.elo, 3),
        "elo_interval": [round(end, 3) for end in counts.elo_interval],
        "superiority": round(counts.superiority, 6),
        "even": round(counts.draws, 6),
        "variance": round(counts.variance, 6),
    }
    if test is not None:
        llr = test.llr(counts)
        found |= {
            "bounds": (test.elo0, test.elo1),
            "normalized": test.normalized,
            "alpha": test.alpha,
            "beta": test.beta,
            "llr": round(llr, 6),
            "lower": round(test.lower, 6),
            "upper": round(test.upper, 6),
            "accepted": {True: test.elo1, False: test.elo0, None: None}[test.verdict(llr)],
        }
        if counts.total:
            found["expected"] = [
                {"elo": elo, "accepts": round(accepts, 4), f"{counts.unit}s": round(units)}
                for elo, accepts, units in outlooks(test, counts)
            ]
    return found


def _show(test: Sprt, counts: Counts) -> None:
    from rich.console import Console
    from rich.table import Table

    from noctagon.cli.verdict import bar, estimate, mistakes, outlooks, verdict

    llr = test.llr(counts)
    unit = counts.unit
    console = Console(highlight=False)
    console.print(verdict(test, llr, "A", "B"), style="bold", soft_wrap=True)
    console.print(mistakes(test), soft_wrap=True)
    print()
    print(f"log-likelihood ratio {llr:.2f}   {bar(test, llr)}")
    print(f"{estimate(counts)} · normalised Elo {counts.normalized_elo:+.1f}")
    print(
        f"{counts.games} games · score {counts.score} · even {unit}s {100 * counts.draws:.1f} % · "
        f"variance of a {unit} {counts.variance:.4f}"
    )
    print()
    table = Table(box=None, header_style="bold", padding=(0, 3, 0, 0))
    kind = "normalised Elo" if test.normalized else "Elo"
    table.add_column(f"If the lead is ({kind})", justify="right")
    table.add_column(f"{unit}s needed, on average", justify="right")
    table.add_column(f"accepts {test.elo1:g}", justify="right")
    for elo, accepts, units in outlooks(test, counts):
        table.add_row(f"{elo:+g}" if elo else "0", f"{units:,.0f}", f"{100 * accepts:.1f} %")
    console.print(table)
