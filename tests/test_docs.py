"""The documentation holds: its examples run, its links lead somewhere, its pictures are what the code draws."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from noctagon.core import svg
from noctagon.core.registry import find_game
from tests.command import run

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str, str]]:
    return [(found[1], found[2] or "", found[3]) for found in BLOCK.finditer(page.read_text("utf-8"))]


def commands(page: Path) -> list[str]:
    """The `noctagon …` lines of a page; what installs or tests is run by CI itself."""
    shell = [text for language, _, text in blocks(page) if language == "console"]
    return [line for text in shell for line in text.splitlines() if line.startswith("noctagon ")]


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name)
def test_the_examples_run_in_order(page: Path, tmp_path: Path) -> None:
    for language, name, text in blocks(page):
        if name:
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text, "utf-8")
        elif language == "python":
            done = subprocess.run(
                [sys.executable, "-W", "error", "-c", text],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            for expected in re.findall(r"print\(.*\)  +# (<.*>)$", text, re.MULTILINE):
                assert expected in done.stdout
    for command in commands(page):
        words = shlex.split(command)[1:]
        keys = "help\nmoves\nresign\n" if "human" in words else ""
        ended = run(*words, keys=keys, cwd=tmp_path)
        assert ended.code == 0, f"{command}\n{ended.out[-500:]}\n{ended.err[-2000:]}"
        assert ended.out.strip(), command
        if words[0] == "match":
            assert "is stronger than" in ended.out, f"{command}: the first is meant to be the stronger one"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_links_lead_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    for link in re.findall(r"\]\(([^)#]+)\)|src=\"([^\"]+)\"", text):
        target = link[0] or link[1]
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"{page.name} points to {target}"


def test_the_two_commands_are_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert "pip install . && noctagon play\n" in text
    assert "pip install '.[dev]' && pytest\n" in text


def test_every_command_is_documented() -> None:
    from noctagon.cli.commands import all_commands

    told = " ".join(page.read_text("utf-8") for page in PAGES)
    for name in all_commands():
        assert f"noctagon {name}" in told


@pytest.mark.parametrize(
    ("name", "game", "position", "action", "title"),
    [
        ("vampires", "vampires", None, "8,6>7,5:4 8,6>7,7:4", "Vampires vs Werewolves"),
        (
            "wargame",
            "wargame",
            "dA9 dT9 . dF9 . dT9 . . . . dF9 . dP9 aF9 aP9 . . aV9 . aV9 . . aP9 . aA9 a 6",
            "D2 C2",
            "AI Wargame",
        ),
    ],
)
def test_the_pictures_are_drawn_by_the_code(
    name: str, game: str, position: str | None, action: str, title: str
) -> None:
    found = find_game(game)
    state = found.parse_position(position) if position else found.initial()
    arrows = state.arrows(found.parse_action(action, state))
    drawn = svg.draw(state.view(), state.symbols(), arrows=arrows, title=title)
    path = ROOT / "docs" / "images" / f"{name}.svg"
    assert path.read_text("utf-8").strip() == drawn.strip(), f"draw {path} again"


def test_the_constraints_pin_what_the_package_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    for text in project["dependencies"]:
        requirement = Requirement(text)
        assert pinned[requirement.name] in requirement.specifier, f"run scripts/constraints: {text}"
