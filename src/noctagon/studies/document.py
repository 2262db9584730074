"""A report as a list of blocks, written as Markdown and as one HTML page that prints well."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import NamedTuple

from noctagon.core.svg import escape


class Heading(NamedTuple):
    """A heading; level 1 is the title."""

    text: str
    level: int = 2


class Text(NamedTuple):
    """A paragraph; `code`, **strong**, *emphasis* and [links](target) are marked as in Markdown."""

    text: str


class Bullets(NamedTuple):
    """A list."""

    items: Sequence[str]


class TableBlock(NamedTuple):
    """A table; columns after the first `text_columns` are figures and stand to the right."""

    titles: Sequence[str]
    rows: Sequence[Sequence[str]]
    text_columns: int = 1


class Picture(NamedTuple):
    """An SVG picture, in a file of its own beside the Markdown, inside the HTML."""

    file: str
    says: str
    svg: str


Block = Heading | Text | Bullets | TableBlock | Picture


def markdown(blocks: Iterable[Block]) -> str:
    """Return the report as Markdown."""
    parts: list[str] = []
    for block in blocks:
        match block:
            case Heading(text, level):
                parts.append(f"{'#' * level} {text}")
            case Text(text):
                parts.append(text)
            case Bullets(items):
                parts.append("\n".join(f"- {item}" for item in items))
            case TableBlock(titles, rows, text_columns):
                marks = ["---"] * text_columns + ["---:"] * (len(titles) - text_columns)
                parts.append("\n".join(_markdown_row(cells) for cells in (titles, marks, *rows)))
            case Picture(file, says, _):
                parts.append(f"![{says}]({file})")
    return "\n\n".join(parts) + "\n"


def html(blocks: Sequence[Block]) -> str:
    """Return the report as one HTML page that needs nothing else."""
    title = next((block.text for block in blocks if isinstance(block, Heading)), "Study")
    style = resources.files(__package__).joinpath("report.css").read_text("utf-8")
    body = "\n".join(_html_block(block) for block in blocks)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'">
<title>{escape(title)}</title>
<style>
{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def _html_block(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"<h{level}>{inline(text)}</h{level}>"
        case Text(text):
            return f"<p>{inline(text)}</p>"
        case Bullets(items):
            return f"<ul>\n{''.join(f'<li>{inline(item)}</li>' + chr(10) for item in items)}</ul>"
        case TableBlock(titles, rows, text_columns):
            head = _html_row("th", titles, text_columns)
            body = "\n".join(_html_row("td", row, text_columns) for row in rows)
            inside = f"<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>"
            return f'<div class="box" tabindex="0"><table>\n{inside}\n</table></div>'
        case Picture(_, says, svg):
            return f"<figure>{svg}<figcaption>{inline(says)}</figcaption></figure>"


def _html_row(tag: str, cells: Sequence[str], text_columns: int) -> str:
    classes = ["" if place < text_columns else ' class="figure"' for place in range(len(cells))]
    inside = "".join(f"<{tag}{cls}>{inline(cell)}</{tag}>" for cls, cell in zip(classes, cells, strict=True))
    return f"<tr>{inside}</tr>"


def inline(text: str) -> str:
    """Return a line of Markdown as HTML.

    >>> inline("`a<b` is **not** *so*: [see](x.md)")
    '<code>a&lt;b</code> is <strong>not</strong> <em>so</em>: <a href="x.md">see</a>'
    """
    parts = re.split(r"`([^`]+)`", text)
    return "".join(
        f"<code>{escape(part)}</code>" if place % 2 else _marked(escape(part))
        for place, part in enumerate(parts)
    )


def _marked(text: str) -> str:
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"\*(.+?)\*", r"<em>\1</em>", text)
    return re.sub(
        r"\[([^]]+)\]\(((?!javascript:|data:)[^\s)]+)\)", r'<a href="\2">\1</a>', text, flags=re.IGNORECASE
    )


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"
