"""The bot kit: each example is complete and small, and passes every check where its language is installed."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from noctagon.games.vampires.wire.checker import VampiresChecker

pytestmark = pytest.mark.xdist_group("checker")

KIT = Path(__file__).parent.parent.parent / "examples" / "bots"
MOST_LINES = 120

Build = Callable[[Path], list[str]]


def need(tool: str) -> str:
    """Where a language's tool is; without it the test is skipped, but not where everything must be tested."""
    found = shutil.which(tool)
    if found is None:
        if os.environ.get("NOCTAGON_CI"):
            pytest.fail(f"{tool} is not installed")
        pytest.skip(f"{tool} is not installed")
    return found


def python(folder: Path) -> list[str]:
    return [sys.executable, "-I", "-S", str(KIT / "python" / "bot.py")]


def javascript(folder: Path) -> list[str]:
    return [need("node"), str(KIT / "javascript" / "bot.js")]


def c(folder: Path) -> list[str]:
    strict = ["-Wall", "-Wextra", "-Werror"]
    subprocess.run([need("cc"), *strict, str(KIT / "c" / "bot.c"), "-o", str(folder / "bot")], check=True)
    return [str(folder / "bot")]


def java(folder: Path) -> list[str]:
    subprocess.run(
        [need("javac"), "-Xlint:all", "-Werror", "-d", str(folder), str(KIT / "java" / "Bot.java")],
        check=True,
    )
    return [need("java"), "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp", str(folder), "Bot"]


@pytest.mark.parametrize("build", [python, javascript, c, java])
def test_a_bot_of_the_kit_passes_every_check(build: Build, tmp_path: Path) -> None:
    verdicts = asyncio.run(VampiresChecker(jobs=5).run(build(tmp_path), turns=8))
    assert [verdict for verdict in verdicts if verdict.outcome != "passed"] == []
    [named] = [verdict for verdict in verdicts if verdict.check == "name"]
    assert named.note.lower() == f"as 'pico {build.__name__}'"
    assert [verdict.note for verdict in verdicts if verdict.check in ("end-bye", "bye", "closed")] == [""] * 3


def test_java_runs_from_its_source_too(tmp_path: Path) -> None:
    command = [need("java"), str(KIT / "java" / "Bot.java")]
    [verdict] = asyncio.run(VampiresChecker().run(command, only=["end-bye"]))
    assert verdict.outcome == "passed", verdict


@pytest.mark.parametrize("path", ["python/bot.py", "javascript/bot.js", "c/bot.c", "java/Bot.java"])
def test_a_bot_of_the_kit_is_small_and_in_the_readme(path: str) -> None:
    lines = (KIT / path).read_text("utf-8").splitlines()
    assert len(lines) < MOST_LINES
    assert max(map(len, lines)) <= 110
    assert Path(path).name in (KIT / "README.md").read_text("utf-8")


def test_the_python_bot_needs_only_the_standard_library() -> None:
    text = (KIT / "python" / "bot.py").read_text("utf-8")
    assert set(re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)) <= set(sys.stdlib_module_names)
