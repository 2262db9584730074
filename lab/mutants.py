"""Single bugs that the tests must notice: `python -m lab mutants`, with the bugs in mutants.toml.

Each bug is put into a copy of the source, and the tests that must notice it run against that copy. The checkout
stays as it is.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import typer

from noctagon.core.game import NoctagonError

ROOT = Path(__file__).parent.parent
TABLE = Path(__file__).with_name("mutants.toml")
SOURCE = ROOT / "src" / "noctagon"
FAILED = 1
"""Exit code of pytest where tests ran and some failed."""
LONGEST = 600.0
"""Maximum number of seconds for the tests of one mutant."""
WHICH = "import noctagon, sys; sys.exit(0 if noctagon.__file__.startswith(sys.argv[1]) else 1)"
"""Program that checks that the package comes from a folder."""


class Mutant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One bug: where, the exact text and what it becomes, what it breaks, and the tests that must notice."""

    file: str
    breaks: str
    old: str
    new: str
    tests: tuple[str, ...]
    compiled: bool = False


class Outcome(NamedTuple):
    """The result of the tests of a mutant, and their output."""

    caught: bool
    word: str
    output: str


def read_mutants(path: Path = TABLE) -> list[Mutant]:
    """Read the table of bugs."""
    content = msgspec.toml.decode(path.read_bytes(), type=dict[str, list[Mutant]])
    return content["mutant"]


def mutated(mutant: Mutant, source: Path = SOURCE) -> str:
    """Return the text of a mutant's file with its bug; refuse one whose old text is not there exactly once."""
    text = (source / mutant.file).read_text("utf-8")
    times = text.count(mutant.old)
    if times != 1:
        raise NoctagonError(f"{mutant.file}: {mutant.old!r} is there {times} times, not once")
    return text.replace(mutant.old, mutant.new)


def run_tests(folder: Path, tests: Iterable[str], *, compiled: bool) -> tuple[int, str]:
    """Run tests against the package in a folder, up to the first that fails; return pytest's exit code and output.

    The tests and all processes they start find the package by PYTHONPATH, before the installed one, and keep
    their machine code in the folder.
    """
    env = {
        **os.environ,
        "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NOCTAGON_CACHE_DIR": str(folder / "cache"),
    }
    env.pop("PYTEST_XDIST_WORKER", None)
    command = [sys.executable, "-m", "pytest", "-x", "-n", "0", "-p", "no:cacheprovider", "--tb=line"]
    if compiled:
        command.append("--noconftest")  # it compiles what the whole suite needs: far more than a few tests
    else:
        env["NUMBA_DISABLE_JIT"] = "1"
    subprocess.run([sys.executable, "-c", WHICH, str(folder)], env=env, cwd=ROOT, check=True)
    command += [f"tests/{test}" for test in dict.fromkeys(tests)]
    try:
        done = subprocess.run(
            command, env=env, cwd=ROOT, capture_output=True, text=True, timeout=LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        return -1, f"no end within {LONGEST:.0f} s"
    return done.returncode, done.stdout + done.stderr


def try_mutant(mutant: Mutant) -> Outcome:
    """Put a bug into a copy of the source, and run the tests that must notice it."""
    with tempfile.TemporaryDirectory(prefix="noctagon-mutant-") as name:
        folder = Path(name)
        shutil.copytree(SOURCE, folder / "noctagon", ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "noctagon" / mutant.file).write_text(mutated(mutant), "utf-8")
        code, output = run_tests(folder, mutant.tests, compiled=mutant.compiled)
    if code == FAILED:
        return Outcome(True, "caught", output)
    # A run that ends otherwise, without tests for example, shows nothing.
    return Outcome(False, "ESCAPED" if code == 0 else f"pytest ended with {code}", output)


def check_tests(mutants: Sequence[Mutant]) -> None:
    """Run the tests of all mutants against the source as it is: what fails without a bug notices none."""
    with tempfile.TemporaryDirectory(prefix="noctagon-mutant-") as name:
        shutil.copytree(SOURCE, Path(name) / "noctagon", ignore=shutil.ignore_patterns("__pycache__"))
        for compiled in (False, True):
            tests = [test for mutant in mutants if mutant.compiled == compiled for test in mutant.tests]
            if tests:
                code, output = run_tests(Path(name), tests, compiled=compiled)
                if code:
                    raise NoctagonError(f"the tests fail without a mutant:\n{output[-3000:]}")


def mutants(
    only: Annotated[
        str, typer.Option(metavar="TEXT", help="Try those with this text in their file or description.")
    ] = "",
    jobs: Annotated[int, typer.Option(min=1, help="Number of mutants tried at once.")] = os.cpu_count() or 1,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show the output of tests that pass.")] = False,
) -> None:
    """Try whether the tests notice bugs that are put into copies of the source, one at a time.

    The exit code is 1 if a bug escapes them.
    """
    chosen = [mutant for mutant in read_mutants() if only in mutant.file or only in mutant.breaks]
    if not chosen:
        raise NoctagonError(f"no mutant has {only!r} in its file or description")
    check_tests(chosen)
    escaped = 0
    with ThreadPoolExecutor(jobs) as pool:
        for mutant, outcome in zip(chosen, pool.map(try_mutant, chosen), strict=True):
            escaped += not outcome.caught
            print(f"{outcome.word:8}  {mutant.file}: {mutant.breaks}", flush=True)
            if verbose and not outcome.caught:
                print(outcome.output)
    print(f"{len(chosen) - escaped} of {len(chosen)} mutants caught")
    if escaped:
        raise typer.Exit(1)
