"""The benchmark compares like with like: a kernel and its twin count the same."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from noctagon.cli import app, bench, cold
from noctagon.cli.bench import against_twin, build_twin, run_twin, twin_source
from noctagon.core.game import Benchmark, BenchmarkRun, NoctagonError
from noctagon.core.registry import find_game

IN_CI = bool(os.environ.get("NOCTAGON_CI"))
WITH_TWINS = [
    (game, benchmark.twin[1:])
    for game in ("vampires", "wargame")
    for benchmark in find_game(game).benchmarks(quick=True)
    if benchmark.twin
]


def source_of(name: str) -> Path:
    source = twin_source(name)
    assert source is not None
    return source


@pytest.mark.skipif(
    shutil.which("g++") is None and not IN_CI, reason="there is no g++ to build the C++ twins with"
)
@pytest.mark.parametrize(("game", "arguments"), WITH_TWINS)
def test_a_kernel_and_its_twin_count_the_same(game: str, arguments: tuple[str, ...], tmp_path: Path) -> None:
    benchmark = next(found for found in find_game(game).benchmarks(quick=True) if found.twin[1:] == arguments)
    program = build_twin(source_of(game), tmp_path)
    assert program is not None, "CI needs g++"
    assert benchmark.run().counts == run_twin(program, arguments).counts


def test_every_shipped_game_has_a_twin_and_a_benchmark_of_two_threads() -> None:
    assert [game for game, _ in WITH_TWINS] == ["vampires", "wargame", "wargame"]
    for game in ("vampires", "wargame"):
        assert sum(not benchmark.twin for benchmark in find_game(game).benchmarks(quick=True)) == 1


def test_a_compiler_that_does_not_work_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "COMPILER", ("false",))
    assert build_twin(source_of("vampires"), tmp_path) is None


def test_outside_a_checkout_the_rest_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel has no twins: the kernel is still measured, and the line says what is missing."""
    monkeypatch.setattr(bench, "find_checkout", lambda: None)
    work = Benchmark("counting", "steps", lambda: BenchmarkRun((3, 1), 3_000_000, 0.5), ("vampires", "1"))
    found = against_twin(work, tmp_path, rounds=1)
    assert (found.this, found.other, found.ratio) == ("6.0M steps/s", "C++ twin only in a checkout", "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell a child's processor time")
def test_the_first_minute_is_measured_from_an_empty_cache_and_a_warm_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran: list[str] = []
    monkeypatch.setattr(cold, "TASKS", {"the games": [["games"]]})
    monkeypatch.setattr(cold, "install_size", lambda python: 123)
    monkeypatch.setattr(bench, "find_checkout", lambda: None)
    run = subprocess.run

    def watched(command: list[str], **options: Any) -> subprocess.CompletedProcess[bytes]:
        ran.append(options["env"]["NOCTAGON_CACHE_DIR"])
        return run(command, **options)

    monkeypatch.setattr(subprocess, "run", watched)
    shown = CliRunner().invoke(app, ["bench", "--cold"], catch_exceptions=False).stdout
    assert re.search(r"^the games +\d+\.\d s, \d+\.\d s ", shown, re.MULTILINE)
    assert "Installed: 123 MB" in shown
    assert len(ran) == (5 if hasattr(os, "sched_setaffinity") else 4)
    assert len(set(ran[:4])) == 1, "the warm runs find what the cold one kept"


def test_another_installation_is_for_the_first_minute_only() -> None:
    with pytest.raises(NoctagonError, match="--other is for --cold"):
        CliRunner().invoke(app, ["bench", "--other", "python"], catch_exceptions=False)
