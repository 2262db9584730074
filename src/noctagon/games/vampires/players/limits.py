"""Options of players that must lie within limits: the value if it does, an error that says which do."""

from __future__ import annotations

from collections.abc import Sequence

from noctagon.core.game import NoctagonError


def number(player: str, option: str, value: float, low: float, high: float) -> float:
    """A number from `low` to `high`, both allowed."""
    if not low <= value <= high:
        raise NoctagonError(f"{player}: {option}={value:g} should be {low:g} to {high:g}")
    return value


def choice(player: str, option: str, value: str, known: Sequence[str]) -> str:
    """One of a few words."""
    if value not in known:
        raise NoctagonError(f"{player}: {option}={value} should be {' or '.join(known)}")
    return value
