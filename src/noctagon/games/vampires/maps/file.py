"""The course's map format, from bytes to numbers: every complaint names its line."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple, NoReturn
from xml.parsers import expat

from noctagon.core.game import NoctagonError
from noctagon.games.vampires.rules.limits import LARGEST_BYTE

if TYPE_CHECKING:
    from collections.abc import Iterable

Cell = tuple[int, int]
"""A place: column x, row y; (0, 0) is top left."""

Group = tuple[int, int, int]
"""A group of one kind: x, y, count."""

FILE_LIMIT = 4 * 1024 * 1024
"""The largest file that is read; a full map of 255 × 255 takes 3 MB."""


class MapError(NoctagonError):
    """A map that cannot be, or a file that is not one; where it was read, `source` and `line` say."""

    def __init__(self, problem: str, *, source: str = "", line: int | None = None) -> None:
        place = ", ".join([source] * bool(source) + [f"line {line}"] * (line is not None))
        super().__init__(f"{place}: {problem}" if place else problem)
        self.problem = problem
        self.source = source
        self.line = line


class Content(NamedTuple):
    """The content of a map file, and everything odd about it."""

    rows: int
    columns: int
    humans: tuple[Group, ...]
    vampires: Group
    werewolves: Group
    warnings: list[str]


def check_size(rows: int, columns: int) -> None:
    """Raise `MapError` unless a map can have that size."""
    for name, size in (("Rows", rows), ("Columns", columns)):
        if not 1 <= size <= LARGEST_BYTE:
            why = "a map without cells" if size == 0 else "a size is one byte on the wire"
            raise MapError(f'Map {name}="{size}": {why}; {name} is 1 to {LARGEST_BYTE}')


def check_group(kind: str, x: int, y: int, count: int, rows: int, columns: int) -> None:
    """Raise `MapError` unless such a group can stand on a map of that size."""
    for name, place, size, unit in (("X", x, columns, "column"), ("Y", y, rows, "row")):
        if not 0 <= place < size:
            there = (
                f"{size} {unit}s, so {name} is 0 to {size - 1}" if size > 1 else f"1 {unit}, so {name} is 0"
            )
            raise MapError(f'{kind} {name}="{place}": the map has {there}')
    if not 0 <= count <= LARGEST_BYTE:
        raise MapError(f'{kind} Count="{count}": a count is 0 to {LARGEST_BYTE}')
    if count == 0 and kind != "Humans":
        raise MapError(f'{kind} Count="0": a species starts with 1 to {LARGEST_BYTE}')


_ATTRIBUTES = {"Map": ("Rows", "Columns")} | dict.fromkeys(
    ("Humans", "Werewolves", "Vampires"), ("X", "Y", "Count")
)


def read_content(data: bytes, *, source: str = "") -> Content:
    """Read a map file's bytes; raise `MapError`."""
    if len(data) > FILE_LIMIT:
        raise MapError("the file is over 4 MB; no map is that large", source=source)
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        raise MapError("the file is empty", source=source)
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")):
        raise MapError("the file is in UTF-16; save it as UTF-8", source=source)
    if b"\0" in data:
        raise MapError("this is a binary file, not a map", source=source)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{data[error.start]:02X} is not UTF-8; save the file as UTF-8"
        raise MapError(byte, source=source, line=line) from None
    if not data.lstrip().startswith(b"<"):
        text = data.decode()
        line = text[: len(text) - len(text.lstrip())].count("\n") + 1
        raise MapError(f'this is not XML: it starts with "{_short(text)}"', source=source, line=line)
    return _Reader(source).read(data)


class _Reader:
    """One pass over a map file with expat, which knows the line of everything it meets."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.warnings: list[str] = []
        self.declared = False
        self.open: list[tuple[str, int]] = []
        self.rows = self.columns = 0
        self.houses: dict[Cell, tuple[int, int]] = {}
        self.starts: dict[str, tuple[Group, int]] = {}
        self.parser = expat.ParserCreate("utf-8")
        self.parser.XmlDeclHandler = self._declaration
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.StartElementHandler = self._element
        self.parser.EndElementHandler = self._close
        self.parser.CharacterDataHandler = self._text
        self.parser.CommentHandler = lambda _: self._aside("a comment")
        self.parser.ProcessingInstructionHandler = lambda target, _: self._aside(f"<?{_short(target)} …?>")

    def read(self, data: bytes) -> Content:
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            self._fail(self._malformed(error), line=error.lineno)
        starts = {kind: group for kind, (group, _) in self.starts.items()}
        humans = tuple((x, y, count) for (x, y), (count, _) in self.houses.items() if count)
        return Content(
            self.rows, self.columns, humans, starts["Vampires"], starts["Werewolves"], self.warnings
        )

    def _fail(self, problem: str, *, line: int | None = None) -> NoReturn:
        raise MapError(problem, source=self.source, line=line or self.parser.CurrentLineNumber) from None

    def _warn(self, problem: str) -> None:
        self.warnings.append(f"line {self.parser.CurrentLineNumber}: {problem}")

    def _declaration(self, _version: str, encoding: str | None, _standalone: int) -> None:
        self.declared = True
        if encoding is not None and encoding.lower() not in ("utf-8", "us-ascii"):
            self._fail(f'the declaration says encoding="{_short(encoding)}"; a map is in "utf-8"')

    def _doctype(self, *_: object) -> None:
        self._fail("a map has no DOCTYPE and no entities")

    def _aside(self, what: str) -> None:
        if not self.rows:
            self._fail(f"{what} before <Map>: <Map> comes directly after the declaration")

    def _text(self, text: str) -> None:
        if text.strip():
            self._fail(f'text "{_short(text)}" inside <{self.open[-1][0]}>: a map holds elements only')

    def _element(self, name: str, attributes: dict[str, str]) -> None:
        if not self.open:
            self._known(name, ["Map"], f"<{_short(name)}>: a map file holds one <Map>")
        elif len(self.open) > 1:
            self._fail(f"<{_short(name)}> inside <{self.open[-1][0]}>: nothing may stand there")
        else:
            kinds = list(_ATTRIBUTES)[1:]
            self._known(name, kinds, f"unknown element <{_short(name)}>; <Map> holds {_listed(kinds)}")
        numbers = self._numbers(name, attributes)
        self.open.append((name, self.parser.CurrentLineNumber))
        try:
            if name == "Map":
                check_size(*numbers)
                self.rows, self.columns = numbers
                if not self.declared:
                    self._warn('the declaration <?xml version="1.0" encoding="utf-8" ?> is missing')
            else:
                x, y, count = numbers
                check_group(name, x, y, count, self.rows, self.columns)
                self._group(name, (x, y, count))
        except MapError as error:
            self._fail(error.problem)

    def _group(self, kind: str, group: Group) -> None:
        x, y, count = group
        line = self.parser.CurrentLineNumber
        if kind != "Humans":
            if kind in self.starts:
                self._fail(f"a second {kind} element; the first is on line {self.starts[kind][1]}")
            self.starts[kind] = group, line
            return
        if (x, y) in self.houses:
            before, first = self.houses[x, y]
            self._warn(f"Humans at ({x},{y}) again: {count} replaces the {before} of line {first}")
        if count == 0:
            self._warn(f"Humans at ({x},{y}) with a count of 0: an empty cell")
        self.houses[x, y] = count, line

    def _numbers(self, element: str, attributes: dict[str, str]) -> list[int]:
        known = _ATTRIBUTES[element]
        for name in attributes:
            about = f"{element} has no attribute {_short(name)}; it has {_listed(known)}"
            self._known(name, known, about)
        missing = [name for name in known if name not in attributes]
        if missing:
            self._fail(f"{element} without {_listed(missing)}")
        for name, text in attributes.items():
            if not (text.isascii() and text.isdigit()):
                self._fail(f'{element} {name}="{_short(text)}": not a whole number in plain digits')
            if len(text.lstrip("0")) > 3:  # Python refuses to read very long numbers
                self._fail(f'{element} {name}="{_short(text)}": numbers go up to {LARGEST_BYTE}')
        return [int(attributes[name]) for name in known]

    def _known(self, name: str, known: Iterable[str], problem: str) -> None:
        known = list(known)
        if name in known:
            return
        for right in known:
            if right.lower() == name.lower():
                self._fail(f"{_short(name)}: capitals count, write {right}")
        near = get_close_matches(name[:40], known, n=1) if len(known) > 1 else []
        self._fail(problem + (f"; did you mean {near[0]}?" if near else ""))

    def _close(self, name: str) -> None:
        self.open.pop()
        if name != "Map":
            return
        for kind in ("Werewolves", "Vampires"):
            if kind not in self.starts:
                self._fail(f"the map has no {kind} element")
        taken = {cell: ("Humans", line) for cell, (count, line) in self.houses.items() if count}
        for kind, ((x, y, _), line) in sorted(self.starts.items(), key=lambda item: item[1][1]):
            if (x, y) in taken:
                who, where = taken[x, y]
                self._fail(f"{kind} at ({x},{y}): {who} are there already (line {where})", line=line)
            taken[x, y] = kind, line

    def _malformed(self, error: expat.ExpatError) -> str:
        """Say where expat stumbled, in words that help to put it right."""
        what, names = expat.ErrorString(error.code), expat.errors
        if what in (names.XML_ERROR_NO_ELEMENTS, names.XML_ERROR_UNCLOSED_TOKEN):
            if self.open:
                name, line = self.open[-1]
                return f"the file ends too early: <{name}> of line {line} is not closed"
            if what == names.XML_ERROR_NO_ELEMENTS:
                return "the file ends without a <Map>"
            return "the file ends in the middle of a tag"
        if what == names.XML_ERROR_SYNTAX and not self.rows:
            return "text before <Map>: <Map> comes directly after the declaration"
        if what == names.XML_ERROR_TAG_MISMATCH and self.open:
            name, line = self.open[-1]
            return f"the closing tag does not match <{name}> of line {line}"
        if what == names.XML_ERROR_INVALID_TOKEN:
            return f"not XML at character {error.offset + 1}: a missing quote, or a stray < or &?"
        return {
            names.XML_ERROR_XML_DECL: 'the declaration is not <?xml version="1.0" encoding="utf-8" ?>',
            names.XML_ERROR_MISPLACED_XML_PI: "the declaration <?xml …?> is not at the very start",
            names.XML_ERROR_DUPLICATE_ATTRIBUTE: "an attribute is given twice",
            names.XML_ERROR_UNDEFINED_ENTITY: "a map has no DOCTYPE and no entities",
            names.XML_ERROR_JUNK_AFTER_DOC_ELEMENT: "something follows </Map>; the map ends there",
        }.get(str(what), f"this is not well-formed XML: {what}")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 24 else line[:23] + "…"


def _listed(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
