"""`noctagon bench`: the speed on this machine, as ratios measured in one run: kernels, C++ twins, threads, start-up."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

import noctagon
from noctagon.core.game import Benchmark, BenchmarkRun, NoctagonError
from noctagon.core.registry import find_game, game_names
from noctagon.core.text import describe_count

if TYPE_CHECKING:
    from rich.console import Console

COMPILER = ["g++", "-O3", "-march=native", "-std=c++17"]
RATIO = 0.85
"""The aim for a kernel's speed as a part of its twin's."""
THREADS_RATIO = 1.8
"""The aim for the speed of two threads as a multiple of one's."""
FIRST_ANSWER = ["play", "vampires", "greedy", "random", "--json", "--plies", "1"]
"""A command that imports and compiles a game and plays one turn."""


class Measurement(NamedTuple):
    """One line of the table."""

    what: str
    this: str
    other: str
    ratio: str
    aim: str
    met: bool


def bench(
    quick: Annotated[
        bool, typer.Option("--quick", help="Shorter runs, and no start from an empty cache.")
    ] = False,
    cold: Annotated[
        bool,
        typer.Option("--cold", help="Instead, the waits of the first minute: from an empty cache, and warm."),
    ] = False,
    other: Annotated[
        str,
        typer.Option(
            metavar="PYTHON",
            help="With --cold: the Python of another installation, measured by turns.",
            show_default=False,
        ),
    ] = "",
) -> None:
    """Measure the kernels against their C++ twins, two threads against one, and the start-up.

    A twin is the same algorithm in C++, built here with g++ -O3; runs alternate, and the best of each counts.
    """
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if other and not cold:
        raise NoctagonError("--other is for --cold: it names the Python of another installation")
    if cold:
        _measure_cold(console, other)
        return
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("What")
    for title in ("This", "Other", "Ratio", "Aim"):
        table.add_column(title, justify="right", no_wrap=True)
    with console.status("measuring …") as status:
        for found in measure_all(quick=quick, say=status.update):
            met = "[green]✓[/green]" if found.met else "[yellow]–[/yellow]"
            table.add_row(found.what, found.this, found.other, found.ratio, f"{found.aim} {met}")
    console.print(table)


def _measure_cold(console: Console, other: str) -> None:
    """Print the table of the first minute; with another installation, its figures first."""
    from rich.table import Table

    from noctagon.cli.cold import install_size, measure_starts

    pythons = [other, sys.executable] if other else [sys.executable]
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("Processor, clock")
    for title in ("Empty cache", "On one core", "Warm"):
        table.add_column(title, justify="right", no_wrap=True)
    with console.status("measuring …") as status:
        for rows in zip(*map(measure_starts, pythons), strict=True):
            status.update(f"{rows[0].what} …")
            for python, row in zip(pythons, rows, strict=True):
                name = f"{row.what}{' (other)' if python is other else ''}"
                table.add_row(name, str(row.cold), str(row.alone or ""), str(row.warm))
    console.print(table)
    for python in pythons:
        console.print(f"\nInstalled{' (other)' if python is other else ''}: {install_size(python)} MB")
        for line in _measure_page(python):
            console.print(line, highlight=False, markup=False)


def _measure_page(python: str) -> Iterator[str]:
    """Yield what `bench/start.py` measures in a browser, from an empty cache and from a warm one."""
    checkout = find_checkout()
    program = checkout / "bench" / "start.py" if checkout else None
    if program is None or not program.is_file():
        yield "The page is measured in a checkout only."
        return
    for options in (["--cold", "--runs", "1"], []):
        done = subprocess.run([python, program, *options], capture_output=True, text=True)
        yield from ("", "The page, " + done.stdout.rstrip()) if not done.returncode else ()
    if done.returncode:
        yield "The page is measured where Chromium and pip install '.[dev]' are."


def measure_all(*, quick: bool, say: Callable[[str], None]) -> Iterator[Measurement]:
    """Yield all measurements, one after the other; `say` gets the name of the next."""
    games = [find_game(name) for name in game_names()]
    for game in games:
        game.load()
    benchmarks = [benchmark for game in games for benchmark in game.benchmarks(quick=quick)]
    twins = [benchmark for benchmark in benchmarks if benchmark.twin]
    with tempfile.TemporaryDirectory() as folder:
        for benchmark in twins:
            say(f"{benchmark.name} …")
            yield against_twin(benchmark, Path(folder), rounds=3 if quick else 5)
    say("two threads …")
    for benchmark in benchmarks:
        if not benchmark.twin:
            yield two_threads(benchmark)
    say("start-up …")
    yield start_up("noctagon --help", ["--help"], 0.3)
    yield start_up("first answer, warm cache", FIRST_ANSWER, 1.0)
    if not quick:
        with tempfile.TemporaryDirectory() as folder:
            yield start_up("first answer, empty cache", FIRST_ANSWER, 15.0, cache=folder)


def find_checkout() -> Path | None:
    """Return the checkout that the package runs from, else the current folder if it is one, else None."""
    package = Path(noctagon.__file__).parent
    for folder in (package.parent.parent, Path.cwd()):
        if (folder / "lab" / "__main__.py").is_file() and (folder / "src" / "noctagon").is_dir():
            return folder
    return None


def twin_source(name: str) -> Path | None:
    """Return the C++ source of a twin, or None outside a checkout of the repository: wheels have no twins."""
    checkout = find_checkout()
    source = checkout / "lab" / "twins" / f"{name}.cpp" if checkout else None
    return source if source is not None and source.is_file() else None


def build_twin(source: Path, folder: Path) -> Path | None:
    """Compile a twin into a folder; return None without a compiler, or if it fails."""
    if shutil.which(COMPILER[0]) is None:
        return None
    program = folder / source.stem
    if not program.exists() and subprocess.run([*COMPILER, "-o", program, source]).returncode:
        return None
    return program


def run_twin(program: Path, arguments: tuple[str, ...]) -> BenchmarkRun:
    """Run a twin and read its count, its checksum and its time."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    count, value, seconds = done.stdout.split()
    return BenchmarkRun((int(count), int(value)), int(count), float(seconds))


def against_twin(benchmark: Benchmark, folder: Path, *, rounds: int) -> Measurement:
    """Measure a kernel and its twin by turns and compare the best time of each."""
    name, *arguments = benchmark.twin
    source = twin_source(name)
    program = build_twin(source, folder) if source else None
    benchmark.run()
    if program is None:
        best = min((benchmark.run() for _ in range(rounds)), key=lambda run: run.seconds)
        missing = "no g++" if source else "C++ twin only in a checkout"
        return Measurement(benchmark.name, speed(best, benchmark.unit), missing, "", f"{RATIO}", False)
    runs, twin_runs = [], []
    for _ in range(rounds):
        runs.append(benchmark.run())
        twin_runs.append(run_twin(program, tuple(arguments)))
    if {run.counts for run in runs} != {run.counts for run in twin_runs}:
        raise NoctagonError(f"{benchmark.name}: {runs[0].counts} here, {twin_runs[0].counts} in the twin")
    best, best_twin = (min(each, key=lambda run: run.seconds) for each in (runs, twin_runs))
    ratio = best_twin.seconds / best.seconds
    return Measurement(
        f"{benchmark.name}, against C++",
        speed(best, benchmark.unit),
        speed(best_twin, benchmark.unit),
        f"{ratio:.2f}",
        f"{RATIO}",
        ratio >= RATIO,
    )


def speed(run: BenchmarkRun, unit: str) -> str:
    """Return a run's speed in words, as in `33 M turns/s`."""
    return f"{describe_count(run.work / run.seconds)} {unit}/s"


def two_threads(benchmark: Benchmark, rounds: int = 3) -> Measurement:
    """Measure the same work in two threads at once against one after the other; 2 would be perfect."""
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: benchmark.run(), range(2)))
        ratios, seconds = [], []
        for _ in range(rounds):
            started = time.perf_counter()
            benchmark.run()
            benchmark.run()
            one = time.perf_counter() - started
            started = time.perf_counter()
            list(pool.map(lambda _: benchmark.run(), range(2)))
            both = time.perf_counter() - started
            ratios.append(one / both)
            seconds.append((both, one))
    best = max(range(rounds), key=lambda i: ratios[i])
    both, one = seconds[best]
    return Measurement(
        f"{benchmark.name} against one",
        f"{both:.2f} s",
        f"{one:.2f} s",
        f"{ratios[best]:.2f}",
        f"{THREADS_RATIO}",
        ratios[best] >= THREADS_RATIO,
    )


def start_up(what: str, words: list[str], aim: float, *, cache: str = "") -> Measurement:
    """Measure a whole command in a fresh process, from its start to its end."""
    environment = {**os.environ, **({"NOCTAGON_CACHE_DIR": cache} if cache else {})}
    best = float("inf")
    for _ in range(1 if cache else 3):
        started = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "noctagon", *words], env=environment, capture_output=True, check=True
        )
        best = min(best, time.perf_counter() - started)
    return Measurement(what, f"{best:.2f} s", "", "", f"{aim:g} s", best <= aim)
