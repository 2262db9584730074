"""docs/algorithms.md says where each section of each document lives: it must be there."""

import re
from functools import reduce
from importlib import import_module
from pathlib import Path

import pytest

PAGE = (Path(__file__).parent.parent / "docs" / "algorithms.md").read_text("utf-8")
PLACES = sorted(set(re.findall(r"\[`([\w.]+)`\]\(\.\./src/noctagon/([\w/]+)\.py\)", PAGE)))
SECTIONS = {
    "000": [
        "1",
        "2",
        "3.1",
        "3.2",
        "3.3",
        "4.1.1",
        "4.1.2",
        "4.1.3",
        "4.1.4",
        "4.1.5",
        "4.1.6",
        "4.2.1",
        "4.2.2",
        "4.2.3",
        "4.2.4",
        "5.1.1",
        "5.1.2",
        "5.1.3",
        "5.1.4",
        "5.1.5",
        "5.2",
        "6",
        "7",
    ],
    "001": ["1", "2", "3", "3.1", "3.2", "3.3", "4.1", "4.2", "5", "Conclusion"],
    "002": ["Rules", "Random battle", "Server communication protocol", "Course of a game", "Using the GUI"],
    "003": ["Command line", "Structure of the code", "Next states generation", "Algorithm", "Heuristic"],
    "004": ["1", "1.1", "1.2", "1.3", "2.1", "2.3", "2.4.1", "2.4.2", "2.5", "3.2", "3.3"],
}


@pytest.mark.parametrize(("name", "module"), PLACES)
def test_a_place_exists(name: str, module: str) -> None:
    reduce(getattr, name.split("."), import_module(f"noctagon.{module.replace('/', '.')}"))


@pytest.mark.parametrize("document", SECTIONS)
def test_every_section_has_a_row_with_a_place(document: str) -> None:
    chapter = PAGE.partition(f"## {document}")[2].partition("\n## ")[0]
    assert chapter, f"no chapter on document {document}"
    rows = [row.split("|") for row in chapter.splitlines() if row.startswith("| ")]
    sections = {row[1].strip().removeprefix("§"): row for row in rows}
    for section in SECTIONS[document]:
        assert section in sections, f"no row for {section}"
        assert "](" in sections[section][3], f"no place for {section}"
