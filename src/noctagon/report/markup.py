"""Building blocks of the page: elements, tables, untrusted names, figures in readable form."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import quote

from noctagon.arena.statistics import signed
from noctagon.core.svg import escape

LONGEST_NAME = 32
LONGEST_TITLE = 300

_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
"""Control characters, and those that change the direction of the text around them."""


class Column(NamedTuple):
    """A column of a table: its title, an explanation, and whether it holds figures, text or a picture."""

    title: str
    about: str = ""
    cls: str = "number"


def plain(text: str, most: int = LONGEST_TITLE) -> str:
    """Return an untrusted text on one line, without invisible characters, and cut off where it is too long."""
    text = " ".join(_UNSEEN.sub("", text).split()) or "(no name)"
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def words(text: str, most: int = LONGEST_TITLE) -> str:
    """Return an untrusted text as HTML whose direction does not affect the text around it."""
    return f"<bdi>{escape(plain(text, most))}</bdi>"


def named(name: str, most: int = LONGEST_NAME) -> str:
    """Return a name as HTML; of a long one its beginning and end, with all of it as a tooltip."""
    shown = whole = plain(name)
    if len(whole) > most:  # `bot final 2` and `bot final 3` differ at the end
        shown = f"{whole[: most * 2 // 3].rstrip()}…{whole[most * 2 // 3 + 1 - most :].lstrip()}"
    return element("bdi", escape(shown), title=whole) if shown != whole else f"<bdi>{escape(shown)}</bdi>"


def element(name: str, inside: str = "", /, **attributes: str) -> str:
    """Return an element with its end tag; `cls` is its class, and empty attributes are left out."""
    written = "".join(
        f' {"class" if key == "cls" else key.replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value
    )
    return f"<{name}{written}>{inside}</{name}>"


def link(path: str, says: str = "") -> str:
    """Return a link to a file beside the page, quoted as its name requires."""
    return element("a", escape(says or path), href=quote(path))


def table(columns: Sequence[Column], rows: Iterable[Sequence[str]], *, caption: str, cls: str = "") -> str:
    """Return a table in a box that scrolls where the page is too narrow; the cells are HTML.

    The first text column is the header of its row.
    """
    subject = next((number for number, column in enumerate(columns) if column.cls == "text"), 0)
    head = "".join(
        element("th", column.title, scope="col", cls=column.cls, title=column.about) for column in columns
    )
    body = []
    for row in rows:
        cells = [
            element("th", cell, scope="row", cls=column.cls)
            if number == subject
            else element("td", cell, cls=column.cls)
            for number, (column, cell) in enumerate(zip(columns, row, strict=True))
        ]
        body.append(element("tr", "".join(cells)))
    inside = element("thead", element("tr", head)) + "\n" + element("tbody", "\n".join(body))
    return box(element("table", f"{element('caption', caption)}\n{inside}", cls=cls), caption)


def box(inside: str, about: str, cls: str = "box") -> str:
    """Return a box for what may be wider than the page; it scrolls by itself, with the keyboard too."""
    return element("div", inside, cls=cls, tabindex="0", role="region", aria_label=about)


def section(name: str, title: str, *parts: str) -> str:
    heading = element("h2", title, id=f"{name}-title")
    inside = "\n".join(part for part in (heading, *parts) if part)
    return element("section", f"\n{inside}\n", id=name, aria_labelledby=f"{name}-title")


def count(number: int, thing: str) -> str:
    """Return a number with its noun: `1 game`, `1,200 games`."""
    return f"{number:,} {thing}{'s' * (number != 1)}"


def points(value: float) -> str:
    """Format points as chess players write them.

    >>> points(6.5), points(0.5), points(3.0), points(2.25)
    ('6½', '½', '3', '2.25')
    """
    if value % 1 == 0.5 and value > 0:
        return f"{int(value):,}½" if value > 1 else "½"
    return figure(value, 2)


def figure(value: float, places: int) -> str:
    """Format a number with at most some decimal places, and a true minus sign.

    >>> figure(-3.10, 2), figure(1234567.0, 1), figure(-0.001, 2), figure(float("inf"), 1)
    ('−3.1', '1,234,567', '0', '–')
    """
    if not math.isfinite(value):
        return "–"
    text = f"{value:,.{places}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text.replace("-", "−")


def percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"


def elo(value: float) -> str:
    """Format a rating with its sign, a true minus sign.

    >>> elo(-3.1), elo(-0.3), elo(float("nan"))
    ('−3', '0', '–')
    """
    return signed(value).replace("-", "−") if math.isfinite(value) else "–"


def seconds(value: float) -> str:
    """Format a time in a suitable unit.

    >>> seconds(0.0123), seconds(2.5), seconds(0.0), seconds(0.00004), seconds(75.0)
    ('12 ms', '2.5 s', '0 ms', '< 1 ms', '75 s')
    """
    if not math.isfinite(value):
        return "–"
    if 0 < value < 0.001:
        return "< 1 ms"
    if value < 1:
        return f"{1000 * value:.0f} ms"
    return f"{value:.0f} s" if value >= 10 else f"{figure(value, 2)} s"


def days(dates: Iterable[str]) -> str:
    """Format the first and the last day of some dates.

    >>> days(["2026-11-15T12:00:00+00:00", "2026-11-16T01:00:00+00:00"])
    '15 November 2026 to 16 November 2026'
    """
    known = [date for date in dates if date]
    found = []
    for date in (min(known, default=""), max(known, default="")):
        try:
            day = datetime.datetime.fromisoformat(date)
        except ValueError:
            continue
        found.append(f"{day.day} {day:%B %Y}")
    return " to ".join(dict.fromkeys(found))


def listed(items: Sequence[str], most: int = 8) -> str:
    """Format items as a list in a sentence; of many, only some.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b", "c"], most=2)
    ('a', 'a, b and c', 'a, b and 1 more')
    """
    shown = list(items) if len(items) <= most else [*items[:most], f"{len(items) - most} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else "none"
