"""`noctagon bench`: how fast it is here, as ratios."""

from __future__ import annotations


def bench() -> None:
    """Measure."""
