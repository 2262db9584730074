"""Before the page listens: everything is compiled, the champions once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from noctagon.compiled import cache
from noctagon.web import preparing


def test_the_champions_are_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[bytes]:
        asked.append(command)
        return subprocess.CompletedProcess(command, 1 if len(asked) == 1 else 0)

    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    monkeypatch.setattr(subprocess, "run", run)
    for _ in range(4):
        preparing.prepare()
    # the first time it failed, the second time it was done
    assert asked == [[sys.executable, "-m", "noctagon.web.preparing"]] * 2


def test_every_champion_thinks_for_a_moment(capsys: pytest.CaptureFixture[str]) -> None:
    preparing.main()
    assert capsys.readouterr().out == ""
