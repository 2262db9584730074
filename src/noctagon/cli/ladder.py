"""`noctagon ladder`: a pointer to the ladder, which is played from a checkout."""

from __future__ import annotations


def ladder() -> None:
    """Say where the ladder of all shipped players is played: `python -m lab ladder`, in a checkout."""
    from noctagon.core.game import NoctagonError

    raise NoctagonError("the ladder has moved: in a checkout of the repository run `python -m lab ladder`")
