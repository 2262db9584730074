"""The benchmark compares like with like: a kernel and its twin count the same."""

import os
import shutil
from pathlib import Path

import pytest

from noctagon.cli.measure import build_twin, contests, run_twin

IN_CI = bool(os.environ.get("NOCTAGON_CI"))


@pytest.mark.skipif(
    shutil.which("g++") is None and not IN_CI, reason="there is no g++ to build the C++ twins with"
)
@pytest.mark.parametrize("number", range(3))
def test_a_kernel_and_its_twin_count_the_same(number: int, tmp_path: Path) -> None:
    contest = contests(quick=True)[number]
    program = build_twin(contest.twin, tmp_path)
    assert program is not None, "CI needs g++"
    assert contest.ours().counts == run_twin(program, contest.arguments).counts


def test_a_compiler_that_does_not_work_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noctagon.cli.measure.COMPILER", ("false",))
    assert build_twin(contests(quick=True)[0].twin, tmp_path) is None
