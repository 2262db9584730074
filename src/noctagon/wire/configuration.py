"""A server's settings from a file: the course's XML form unchanged, or TOML with the names of the options."""

from __future__ import annotations

import re
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

from noctagon.core.game import NoctagonError, UnknownName

NAMES = {
    "host": str,
    "port": int,
    "map": str,
    "rules": str,
    "majority": bool,
    "time": float,
    "plies": int,
    "duration": float,
    "games": int,
    "reconnect": bool,
    "tables": int,
    "trace": bool,
    "record": str,
    "store": str,
    "lenient": bool,
    "seed": int,
    "solo": bool,
    "opponent": str,
    "restart": bool,
}
"""All settings and what they are."""

_COURSE = {
    "ServerIP": "host",
    "Ip": "host",
    "ServerPort": "port",
    "Port": "port",
    "DebugMode": "trace",
    "Trace": "trace",
    "Map": "map",
    "MaxGameDuration": "duration",
    "MaxPlayDuration": "time",
    "MaxPlays": "plies",
    "AutoRestart": "restart",
    "PlayersCount": "solo",
}
"""The course's keys, and what we call the same."""

LARGEST_FILE = 2**20


def read_configuration(path: Path) -> dict[str, Any]:
    """Return the settings of a file, by the names of the options."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise NoctagonError(f"{path}: too large for a configuration")
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise NoctagonError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise NoctagonError(f"{path}: not a text in UTF-8") from error
    try:
        settings = _read_course(text) if text.lstrip().startswith("<") else _read_toml(text)
    except NoctagonError as error:
        raise NoctagonError(f"{path}: {error}") from error
    if "map" in settings:
        settings["map"] = _find_file(settings["map"], path.parent)
    return settings


def _find_file(name: str, folder: Path) -> str:
    """Return the path of a map's file: also beside the configuration, also written as on Windows."""
    for candidate in (Path(name), Path(name.replace("\\", "/"))):
        for place in (candidate, folder / candidate):
            if place.is_file():
                return str(place)
    return name


def _read_toml(text: str) -> dict[str, Any]:
    try:
        settings = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise NoctagonError(f"not TOML: {error}") from error
    for name, value in settings.items():
        if name not in NAMES:
            raise UnknownName("setting", name, NAMES)
        kind = NAMES[name]
        if not isinstance(value, (int, float) if kind is float else kind) or (
            kind is not bool and value is True
        ):
            raise NoctagonError(f"{name} = {value!r} should be {_WANTED[kind]}")
    return settings


def _read_course(text: str) -> dict[str, Any]:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise NoctagonError("a configuration has no document type and no entities")
    try:
        root = ElementTree.fromstring(text.encode())
    except ElementTree.ParseError as error:
        raise NoctagonError(f"not XML: {error}") from error
    found = root.findall("./appSettings/add") if root.tag == "configuration" else []
    if not found:
        raise NoctagonError("no <configuration><appSettings><add key=… value=…/> in it")
    settings: dict[str, Any] = {}
    for element in found:
        key, value = element.get("key", ""), element.get("value", "").strip()
        if key not in _COURSE:
            raise UnknownName("key", key, _COURSE)
        if value:  # an empty value is an unset one
            settings[_COURSE[key]] = _read_value(key, value)
    return settings


def _read_value(key: str, value: str) -> Any:
    name = _COURSE[key]
    if key == "PlayersCount":
        if value not in ("1", "2"):
            raise NoctagonError(f'{key}="{value}" should be 1 or 2')
        return value == "1"
    kind = NAMES[name]
    if kind is bool and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if kind is int and re.fullmatch(r"\d{1,9}", value):
        return int(value)
    if kind is float and (parts := re.fullmatch(r"(\d{1,3}):(\d\d):(\d\d(?:\.\d+)?)", value)):
        return int(parts[1]) * 3600 + int(parts[2]) * 60 + float(parts[3])
    if kind is str:
        return value
    wanted = "a time as in 00:05:00" if kind is float else _WANTED[kind]
    raise NoctagonError(f'{key}="{value}" should be {wanted}')


_WANTED: dict[Any, str] = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
