"""The studies of the documents' claims: TOML files with the claims, modules with what else is measured."""

from __future__ import annotations

from collections.abc import Mapping

from lab.studies.situations import SituationsSection
from lab.studies.tree import TreeSection
from lab.studies.turns import CostSection, TurnTimesSection
from noctagon.studies.file import KINDS
from noctagon.studies.section import Section

NAMES = ("vampires", "wargame", "champions")
ALL_KINDS: Mapping[str, type[Section]] = {
    **KINDS,
    "tree": TreeSection,
    "turn-times": TurnTimesSection,
    "cost": CostSection,
    "situations": SituationsSection,
}
"""The kinds of sections of any study, and those that only the documentation needs."""
