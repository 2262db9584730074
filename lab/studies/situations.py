"""The specified situations of Vampires vs Werewolves, and the players that meet them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from noctagon.core.registry import find_game
from noctagon.games.vampires.players.situations import SITUATIONS, situations_met
from noctagon.studies.claims import JudgedClaim
from noctagon.studies.report import Report
from noctagon.studies.section import Section
from noctagon.studies.series import Results
from noctagon.studies.study import Study
from noctagon.studies.tasks import Task, TaskResult
from noctagon.studies.work import Work


class SituationResult(TaskResult, frozen=True, tag="situations"):
    """The situations by name, and whether each is met."""

    met: dict[str, bool]


class SituationTask(Task, frozen=True, tag="situations"):
    """All situations for one player, with a time for a turn."""

    player: str
    seconds: float

    def perform(self) -> SituationResult:
        """Let the player move in every situation, in this process."""
        game = find_game("vampires")
        game.load()
        return SituationResult(met=situations_met(self.player, game, seconds=self.seconds))


class SituationsSection(Section, frozen=True, kw_only=True):
    """The dozen specified situations, and which of them each player meets."""

    work: ClassVar[tuple[Work, ...]] = ((SituationTask, SituationResult),)

    field: tuple[str, ...]
    """The players."""
    meets_all: str = ""
    """The player of which it is claimed that it meets all."""
    says: str = ""

    def players(self) -> Iterator[tuple[str, str]]:
        """Yield the players."""
        for player in self.field:
            yield player, "field"

    def _wanted(self, study: Study) -> dict[str, SituationTask]:
        players = self.field[:2] if study.quick else self.field
        return {player: SituationTask(player, study.conditions(self).seconds) for player in players}

    def queues(self, study: Study) -> list[list[Task]]:
        """Return a task for each player."""
        return [list(self._wanted(study).values())]

    def write(self, study: Study, results: Results, report: Report) -> None:
        """Write the table and the verdict."""
        found = {player: results.get(task) for player, task in self._wanted(study).items()}
        met = {player: one.met for player, one in found.items() if isinstance(one, SituationResult)}
        rows: list[Sequence[object]] = [
            [f"*{one.name}*: {one.wanted}", *("✓" if known.get(one.name) else "·" for known in met.values())]
            for one in SITUATIONS
        ]
        rows.append(["**met**", *(f"**{sum(known.values())}**" for known in met.values())])
        report.table(["situation", *(f"`{player}`" for player in met)], rows)
        if self.meets_all in met:
            known = met[self.meets_all]
            count = sum(known.values())
            failed = [one.name for one in SITUATIONS if not known.get(one.name)]
            meaning = f"It fails at {', '.join(failed)}." if failed else ""
            verdict = JudgedClaim(
                self.says,
                self.source,
                "refuted" if failed else "confirmed",
                f"{count} of {len(SITUATIONS)}",
                meaning,
            )
            report.verdicts([verdict])
