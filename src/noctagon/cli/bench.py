"""`noctagon bench`: the speed on this machine, as ratios measured in one run."""

from __future__ import annotations

from typing import Annotated

import typer


def bench(
    quick: Annotated[
        bool, typer.Option("--quick", help="Shorter runs, and no start from an empty cache.")
    ] = False,
) -> None:
    """Measure the kernels against their C++ twins, two threads against one, and the start-up.

    A twin is the same algorithm in C++, built here with g++ -O3; runs alternate, and the best of each counts.
    """
    from rich.console import Console
    from rich.table import Table

    from noctagon.cli.measure import measure_all

    console = Console()
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("What")
    for title in ("This", "Other", "Ratio", "Aim"):
        table.add_column(title, justify="right", no_wrap=True)
    with console.status("measuring …") as status:
        for found in measure_all(quick=quick, say=status.update):
            met = "[green]✓[/green]" if found.met else "[yellow]–[/yellow]"
            table.add_row(found.what, found.this, found.other, found.ratio, f"{found.aim} {met}")
    console.print(table)
