"""A replay as one HTML file that needs nothing else: no server, no network, no other file.

Our own ES modules are put into one script, each as a function that returns what it exports. That is enough for the
few forms of `import` and `export` that they are written in; anything else is refused when the file is made.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from noctagon.core import svg
from noctagon.core.game import NoctagonError
from noctagon.core.record import Record
from noctagon.core.registry import find_game
from noctagon.web.messages.records import EvaluatedTurn, ReplayView
from noctagon.web.records.replaying import Source, read_record, read_source, replay_of

STATIC = Path(__file__).parents[1] / "static"
ENTRY = "standalone.js"
STYLES = ("page.css", "replay.css")
LONGEST_THOUGHT = 4
"""Number of plies of the players' lines that are kept: as many as are drawn."""

_IMPORT = re.compile(r'^import \{([\w$,\s]+)\} from "\./([\w-]+\.js)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) ([\w$]+))", re.MULTILINE)


class _Content(msgspec.Struct, frozen=True):
    """The data that the page's script reads."""

    replay: ReplayView
    symbols: str
    evaluation: Sequence[EvaluatedTurn]


def html(record: Record, evaluation: Iterable[EvaluatedTurn] = ()) -> str:
    """Return a record as a page of its own, with the champion's evaluation where there is one."""
    game = find_game(record.game)
    game.load()
    replay = _lighter(replay_of(record))
    symbols = svg.read_symbols(game.initial().symbols(), game.name)
    sheet = f'<svg xmlns="{svg.SVG}">{"".join(symbol.element for symbol in symbols.values())}</svg>'
    content = msgspec.json.encode(_Content(replay, sheet, list(evaluation))).decode()
    title = svg.escape(f"{replay.players[0]} – {replay.players[1]} · Noctagon")
    return _page(title, embedded(content), script(), style())


def html_of(source: Source) -> str | None:
    """Return a record as a page of its own; None if it is not in the store."""
    content = read_source(source)
    return None if content is None else html(read_record(content))


def embedded(json: str) -> str:
    """Return JSON that can stand in a page: nothing in it begins a tag or a comment, or ends its element."""
    return json.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _lighter(replay: ReplayView) -> ReplayView:
    """Return a replay without the parts of the players' thoughts that are not shown."""
    frames = [
        msgspec.structs.replace(
            frame,
            thought=msgspec.structs.replace(
                frame.thought,
                line=frame.thought.line[: LONGEST_THOUGHT + 2],
                arrows=frame.thought.arrows[: LONGEST_THOUGHT + 1],
            ),
        )
        if frame.thought
        else frame
        for frame in replay.frames
    ]
    return msgspec.structs.replace(replay, frames=frames)


@cache
def style() -> str:
    """Return all styles; pictures that lie beside the stylesheets are left out."""
    sheets = [svg.stylesheet(), *(_read(STATIC / name) for name in STYLES)]
    return re.sub(r"url\([^)]*\)", "none", "\n".join(sheets)).replace("</", "<\\/")


@cache
def script() -> str:
    """Return the page's modules as one script."""
    return bundle(STATIC / "js", ENTRY)


def bundle(folder: Path, entry: str) -> str:
    """Return a module and all that it imports as one script; raise `NoctagonError` for unknown syntax."""
    parts: dict[str, _Module] = {}
    _add(folder, entry, parts, ())
    return "\n".join(['"use strict";', *(part.script for part in parts.values())])


class _Module(NamedTuple):
    script: str
    exported: list[str]


def _add(folder: Path, name: str, parts: dict[str, _Module], within: tuple[str, ...]) -> None:
    """Add what a module imports, then the module."""
    if name in parts:
        return
    if name in within:
        raise NoctagonError(f"{name} imports itself, by way of {' and '.join(within[within.index(name) :])}")
    source = _read(folder / name)
    for names, other in _IMPORT.findall(source):
        _add(folder, other, parts, (*within, name))
        for wanted in (part.split()[0] for part in names.split(",") if part.strip()):
            if wanted not in parts[other].exported:
                raise NoctagonError(f"{name} imports {wanted!r}, which {other} does not export by itself")
    exported = _EXPORT.findall(source)
    body = _EXPORT.sub("", _IMPORT.sub(_as_constants, source))
    if left := re.search(r"^\s*(?:import|export)\b.*|\bimport\s*\(.*|</script.*|<!--.*", body, re.MULTILINE):
        raise NoctagonError(f"{name}: this cannot be put into one file: {left[0].strip()}")
    result = f"return {{ {', '.join(exported)} }};"
    parts[name] = _Module(f"const {_variable(name)} = (() => {{\n{body.strip()}\n{result}\n}})();", exported)


def _as_constants(found: re.Match[str]) -> str:
    names = ", ".join(re.sub(r"\s+as\s+", ": ", name.strip()) for name in found[1].split(",") if name.strip())
    return f"const {{ {names} }} = {_variable(found[2])};"


def _variable(name: str) -> str:
    return f"module_{re.sub(r'[^A-Za-z0-9]', '_', name.removesuffix('.js'))}"


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def _page(title: str, content: str, script: str, style: str) -> str:
    """Return the file. Its policy allows this script and this style and no request at all."""
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = {"title": title, "policy": policy, "style": style, "game": content, "script": script}
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _read(STATIC / "standalone.html"))
