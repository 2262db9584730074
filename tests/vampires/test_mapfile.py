"""The course's map format: read exactly, written so that it reads back, broken files refused clearly."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING
from xml.dom import minidom

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctagon.games.vampires.maps.file import FILE_LIMIT
from noctagon.games.vampires.maps.map import Group, Map, MapError, parse_map, read_map, write_map

if TYPE_CHECKING:
    from pathlib import Path

DECLARATION = '<?xml version="1.0" encoding="utf-8" ?>\n'

EXAMPLE = """<?xml version="1.0" encoding="utf-8" ?>
<Map Rows="5" Columns="10">
  <Humans X="2" Y="2" Count="4"/>
  <Werewolves X="4" Y="1" Count="4"/>
  <Vampires X="4" Y="3" Count="4"/>
</Map>
"""
EXAMPLE_MAP = Map(rows=5, columns=10, humans=((2, 2, 4),), vampires=(4, 3, 4), werewolves=(4, 1, 4))


def changed(old: str, new: str) -> bytes:
    """The example with one thing otherwise."""
    assert EXAMPLE.count(old) == 1
    return EXAMPLE.replace(old, new).encode()


@st.composite
def maps(draw: st.DrawFn) -> Map:
    rows = draw(st.integers(1, 255))
    columns = draw(st.integers(1 if rows > 1 else 2, 255))
    cells = st.tuples(st.integers(0, columns - 1), st.integers(0, rows - 1))
    places = draw(st.lists(cells, min_size=2, max_size=min(12, rows * columns), unique=True))
    groups: list[Group] = [(x, y, draw(st.integers(1, 255))) for x, y in places]
    return Map(rows, columns, tuple(groups[2:]), groups[0], groups[1])


def test_the_example_of_the_rules_is_read_and_written_exactly() -> None:
    assert parse_map(EXAMPLE.encode()) == (EXAMPLE_MAP, [])
    assert write_map(EXAMPLE_MAP) == EXAMPLE


@given(maps())
def test_what_is_written_is_read_back(map_: Map) -> None:
    assert parse_map(write_map(map_).encode()) == (map_, [])


@given(maps())
def test_another_xml_reader_agrees(map_: Map) -> None:
    root = minidom.parseString(write_map(map_)).documentElement
    assert root is not None
    houses = [
        tuple(int(element.getAttribute(name)) for name in ("X", "Y", "Count"))
        for element in root.getElementsByTagName("Humans")
    ]
    assert houses == sorted(map_.humans, key=lambda house: (house[1], house[0]))
    assert root.getAttribute("Rows") == str(map_.rows)


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + EXAMPLE.encode(),
        EXAMPLE.replace("\n", "\r\n").encode(),
        EXAMPLE.replace("\n", "").encode(),
        changed('X="2" Y="2" Count="4"', 'Count="4"\n Y="2"   X="2"'),
        changed('Count="4"/>\n  <Were', 'Count="4"></Humans>\n  <Were'),
        changed('X="2"', 'X="002"'),
        changed("  <Humans", "<!-- a comment inside, as editors leave it: é --><Humans"),
        changed("</Map>\n", "</Map>\n<!-- and one after -->"),
        changed('encoding="utf-8" ', 'encoding="UTF-8" standalone="yes"'),
        changed(' encoding="utf-8"', ""),
    ],
    ids=[
        "bom",
        "crlf",
        "one-line",
        "order",
        "closing-tag",
        "zeros",
        "comment",
        "after",
        "utf8",
        "no-encoding",
    ],
)
def test_harmless_variations_are_read_without_a_word(data: bytes) -> None:
    assert parse_map(data) == (EXAMPLE_MAP, [])


def test_houses_are_kept_by_row_then_column() -> None:
    shuffled = Map(3, 3, ((2, 2, 1), (0, 1, 2), (1, 0, 3)), (0, 0, 1), (2, 0, 1))
    assert shuffled.humans == ((1, 0, 3), (0, 1, 2), (2, 2, 1))


def test_a_missing_declaration_is_a_warning() -> None:
    map_, warnings = parse_map(EXAMPLE.removeprefix(DECLARATION).encode())
    assert map_ == EXAMPLE_MAP
    assert warnings == ['line 1: the declaration <?xml version="1.0" encoding="utf-8" ?> is missing']


def test_of_a_repeated_house_the_last_count_wins() -> None:
    again = '  <Humans X="2" Y="2" Count="9"/>\n</Map>'
    map_, warnings = parse_map(changed("</Map>", again))
    assert map_.humans == ((2, 2, 9),)
    assert warnings == ["line 6: Humans at (2,2) again: 9 replaces the 4 of line 3"]


def test_an_empty_house_is_an_empty_cell_with_a_warning() -> None:
    map_, warnings = parse_map(changed('Y="2" Count="4"', 'Y="2" Count="0"'))
    assert map_.humans == ()
    assert warnings == ["line 3: Humans at (2,2) with a count of 0: an empty cell"]


def test_a_start_may_stand_where_a_house_was_emptied() -> None:
    emptied = '<Humans X="4" Y="1" Count="7"/><Humans X="4" Y="1" Count="0"/>\n</Map>'
    assert parse_map(changed("</Map>", emptied))[0] == EXAMPLE_MAP


BROKEN: dict[str, tuple[bytes, str]] = {
    # not a map file at all
    "empty": (b"", "the file is empty"),
    "blank": (b"\xef\xbb\xbf \r\n\n", "the file is empty"),
    "binary": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "this is a binary file, not a map"),
    "plain-text": (b"Dear reader,\n", 'line 1: this is not XML: it starts with "Dear reader,"'),
    "json": (b'\n{"rows": 5}', 'line 2: this is not XML: it starts with "{"rows": 5}"'),
    "too-large": (b" " * (FILE_LIMIT + 1), "the file is over 4 MB; no map is that large"),
    # encodings
    "utf-16": (EXAMPLE.encode("utf-16"), "the file is in UTF-16; save it as UTF-8"),
    "utf-16-no-mark": (EXAMPLE.encode("utf-16-be"), "the file is in UTF-16; save it as UTF-8"),
    "latin-1": (
        changed("  <Were", "  <!-- \xe9 --><Were").decode().encode("latin-1"),
        "line 4: byte 0xE9 is not UTF-8; save the file as UTF-8",
    ),
    "declared-otherwise": (
        changed('"utf-8"', '"iso-8859-1"'),
        'line 1: the declaration says encoding="iso-8859-1"; a map is in "utf-8"',
    ),
    # the frame
    "cut-off": (
        EXAMPLE.removesuffix("</Map>\n").encode(),
        "line 6: the file ends too early: <Map> of line 2 is not closed",
    ),
    "cut-in-a-tag": (
        EXAMPLE.encode()[:100],
        "line 3: the file ends too early: <Map> of line 2 is not closed",
    ),
    "cut-in-the-first-tag": (EXAMPLE.encode()[:50], "line 2: the file ends in the middle of a tag"),
    "declaration-only": (DECLARATION.encode(), "line 2: the file ends without a <Map>"),
    "late-declaration": (
        b"\n" + EXAMPLE.encode(),
        "line 2: the declaration <?xml …?> is not at the very start",
    ),
    "comment-before": (
        changed("<Map ", "<!-- mine -->\n<Map "),
        "line 2: a comment before <Map>: <Map> comes directly after the declaration",
    ),
    "instruction-before": (
        changed("<Map ", "<?style nice?><Map "),
        "line 2: <?style …?> before <Map>: <Map> comes directly after the declaration",
    ),
    "text-before": (
        changed("<Map ", "my map <Map "),
        "line 2: text before <Map>: <Map> comes directly after the declaration",
    ),
    "doctype": (
        changed("<Map ", '<!DOCTYPE Map [<!ENTITY four "4">]>\n<Map '),
        "line 2: a map has no DOCTYPE and no entities",
    ),
    "entity": (changed('X="2"', 'X="&two;"'), "line 3: a map has no DOCTYPE and no entities"),
    "text-inside": (
        changed("  <Were", "  four\n  <Were"),
        'line 4: text "four" inside <Map>: a map holds elements only',
    ),
    "more-after": (
        EXAMPLE.encode() + b"<Map/>",
        "line 7: something follows </Map>; the map ends there",
    ),
    "wrong-closing-tag": (
        changed("</Map>", "</Humans>"),
        "line 6: the closing tag does not match <Map> of line 2",
    ),
    "bare-ampersand": (
        changed('X="2"', 'X="&"'),
        "line 3: not XML at character 15: a missing quote, or a stray < or &?",
    ),
    "no-quotes": (
        changed('X="2"', "X=2"),
        "line 3: not XML at character 13: a missing quote, or a stray < or &?",
    ),
    "bad-declaration": (
        changed('version="1.0"', 'edition="1.0"'),
        'line 1: the declaration is not <?xml version="1.0" encoding="utf-8" ?>',
    ),
    # names
    "another-root": (b"<Carte/>", "line 1: <Carte>: a map file holds one <Map>"),
    "root-in-lower-case": (changed("<Map ", "<map "), "line 2: map: capitals count, write Map"),
    "element-in-lower-case": (
        changed("<Humans", "<humans"),
        "line 3: humans: capitals count, write Humans",
    ),
    "attribute-in-lower-case": (changed('X="2"', 'x="2"'), "line 3: x: capitals count, write X"),
    "singular": (
        changed("<Humans", "<Human"),
        "line 3: unknown element <Human>; <Map> holds Humans, Werewolves and Vampires; did you mean Humans?",
    ),
    "unknown-element": (
        changed("  <Humans", "  <Zombies/>\n  <Humans"),
        "line 3: unknown element <Zombies>; <Map> holds Humans, Werewolves and Vampires",
    ),
    "nested": (
        changed('Count="4"/>\n  <Were', 'Count="4"><Humans/></Humans>\n  <Were'),
        "line 3: <Humans> inside <Humans>: nothing may stand there",
    ),
    "unknown-attribute": (
        changed('X="2"', 'X="2" Z="1"'),
        "line 3: Humans has no attribute Z; it has X, Y and Count",
    ),
    "twice": (changed('X="2"', 'X="2" X="3"'), "line 3: an attribute is given twice"),
    "missing-attribute": (changed(' X="2"', ""), "line 3: Humans without X"),
    "missing-attributes": (changed(' X="2" Y="2"', ""), "line 3: Humans without X and Y"),
    "no-size": (changed(' Rows="5"', ""), "line 2: Map without Rows"),
    # numbers
    "word": (changed('X="2"', 'X="two"'), 'line 3: Humans X="two": not a whole number in plain digits'),
    "negative": (changed('X="2"', 'X="-2"'), 'line 3: Humans X="-2": not a whole number in plain digits'),
    "plus": (changed('X="2"', 'X="+2"'), 'line 3: Humans X="+2": not a whole number in plain digits'),
    "space": (changed('X="2"', 'X=" 2"'), 'line 3: Humans X="2": not a whole number in plain digits'),
    "fraction": (changed('X="2"', 'X="2.0"'), 'line 3: Humans X="2.0": not a whole number in plain digits'),
    "no-number": (changed('X="2"', 'X=""'), 'line 3: Humans X="": not a whole number in plain digits'),
    "other-digits": (changed('X="2"', 'X="٢"'), 'line 3: Humans X="٢": not a whole number in plain digits'),
    "endless-number": (
        changed('X="2"', f'X="{"9" * 5000}"'),
        'line 3: Humans X="99999999999999999999999…": numbers go up to 255',
    ),
    # what the rules of a map forbid
    "no-rows": (
        changed('Rows="5"', 'Rows="0"'),
        'line 2: Map Rows="0": a map without cells; Rows is 1 to 255',
    ),
    "too-many-columns": (
        changed('Columns="10"', 'Columns="256"'),
        'line 2: Map Columns="256": a size is one byte on the wire; Columns is 1 to 255',
    ),
    "off-to-the-right": (
        changed('X="2"', 'X="12"'),
        'line 3: Humans X="12": the map has 10 columns, so X is 0 to 9',
    ),
    "off-below": (
        changed('X="4" Y="3"', 'X="4" Y="5"'),
        'line 5: Vampires Y="5": the map has 5 rows, so Y is 0 to 4',
    ),
    "off-a-single-row": (
        changed('Rows="5"', 'Rows="1"'),
        'line 3: Humans Y="2": the map has 1 row, so Y is 0',
    ),
    "count-over-a-byte": (
        changed('Y="2" Count="4"', 'Y="2" Count="256"'),
        'line 3: Humans Count="256": a count is 0 to 255',
    ),
    "nobody-starts": (
        changed('Y="1" Count="4"', 'Y="1" Count="0"'),
        'line 4: Werewolves Count="0": a species starts with 1 to 255',
    ),
    "no-werewolves": (
        changed('  <Werewolves X="4" Y="1" Count="4"/>\n', ""),
        "line 5: the map has no Werewolves element",
    ),
    "no-vampires": (
        changed('  <Vampires X="4" Y="3" Count="4"/>\n', ""),
        "line 5: the map has no Vampires element",
    ),
    "two-starts": (
        changed("</Map>", '  <Vampires X="0" Y="0" Count="4"/>\n</Map>'),
        "line 6: a second Vampires element; the first is on line 5",
    ),
    "start-on-a-house": (
        changed('X="4" Y="1"', 'X="2" Y="2"'),
        "line 4: Werewolves at (2,2): Humans are there already (line 3)",
    ),
    "start-on-a-start": (
        changed('X="4" Y="3"', 'X="4" Y="1"'),
        "line 5: Vampires at (4,1): Werewolves are there already (line 4)",
    ),
}


@pytest.mark.parametrize(("data", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_is_refused_with_its_name_line_and_reason(data: bytes, message: str) -> None:
    with pytest.raises(MapError) as caught:
        parse_map(data, source="broken.xml")
    separator = ", " if message.startswith("line ") else ": "
    assert str(caught.value) == f"broken.xml{separator}{message}"


@given(st.integers(0, len(EXAMPLE) - 1), st.binary(max_size=4))
def test_a_damaged_file_is_read_or_refused_but_never_crashes(place: int, junk: bytes) -> None:
    data = EXAMPLE.encode()
    with suppress(MapError):
        parse_map(data[:place] + junk + data[place + len(junk) :])


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(MapError, match=r"nowhere\.xml: there is no such file"):
        read_map(tmp_path / "nowhere.xml")
    with pytest.raises(MapError, match="this is a directory, not a map file"):
        read_map(tmp_path)
    with pytest.raises(MapError, match="the file cannot be read"):
        read_map("a\0b.xml")
