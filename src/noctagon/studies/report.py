"""The report of a study while it is written: its blocks, the findings on the way, figures by name for texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from noctagon.studies.claims import JudgedClaim
from noctagon.studies.document import Block, Bullets, Heading, Picture, TableBlock, Text


class Report:
    """The body of a report, written from top to bottom from results alone."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.blocks: list[Block] = []
        self.findings: list[JudgedClaim] = []
        self.figures: dict[str, str] = {}
        """Figures by name, which texts quote in braces."""

    def heading(self, title: str) -> None:
        """Begin a section."""
        self.blocks.append(Heading(title))

    def text(self, text: str) -> None:
        """Add a paragraph, if there is one."""
        if text.strip():
            self.blocks.append(Text(text.strip()))

    def table(self, titles: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Add a table; the first column is text, the others are figures. Columns without any figure are left out."""
        cells = [[str(cell) for cell in row] for row in rows]
        kept = [place for place in range(len(titles)) if not place or any(row[place] for row in cells)]
        self.blocks.append(
            TableBlock([titles[place] for place in kept], [[row[place] for place in kept] for row in cells])
        )

    def bullets(self, items: Sequence[str]) -> None:
        """Add a list, if there is anything in it."""
        if items:
            self.blocks.append(Bullets(items))

    def picture(self, name: str, svg: str, says: str) -> None:
        """Add a picture; its file gets the study's name in front."""
        self.blocks.append(Picture(f"{self.prefix}-{name}.svg", says, svg))

    def figure(self, name: str, value: object) -> None:
        """Remember a figure by name."""
        self.figures[name] = str(value)

    def verdicts(self, findings: Sequence[JudgedClaim]) -> None:
        """Add verdicts with what they mean, and remember them for the head of the report."""
        self.findings += findings
        self.bullets([_sentence(one) for one in findings])

    def missing(self, missing: int) -> None:
        """Say how many starts have not been played yet."""
        if missing:
            self.text(f"*{missing} start{'s'[: missing != 1]} not played yet.*")

    def filled(self) -> list[Block]:
        """Return the blocks with the figures in their texts."""
        return [self._fill(block) for block in self.blocks]

    def _fill(self, block: Block) -> Block:
        match block:
            case Text(text):
                return Text(fill_in(text, self.figures))
            case Bullets(items):
                return Bullets([fill_in(item, self.figures) for item in items])
        return block


def fill_in(text: str, figures: Mapping[str, str]) -> str:
    """Return a text with figures for the names in braces; one that is not known yet is an ellipsis.

    >>> fill_in("It scored {split}, and then {merge}.", {"split": "71 %"})
    'It scored 71 %, and then ….'
    """
    return re.sub(r"\{([^{}]+)\}", lambda found: figures.get(found[1], "…"), text)


def _sentence(finding: JudgedClaim) -> str:
    source = f" ({finding.source})" if finding.source else ""
    meaning = f" {finding.meaning}" if finding.meaning else ""
    return f"**{finding.mark}**: {finding.says}{source}: {finding.figure}.{meaning}"
