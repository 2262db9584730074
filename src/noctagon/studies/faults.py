"""Faults over all games of a study: illegal turns, late answers, games lost by a crash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noctagon.studies.report import Report
from noctagon.studies.series import BOTH, Results
from noctagon.studies.tasks import GameResult, GameTask

if TYPE_CHECKING:
    from noctagon.studies.study import Study


def write_faults(study: Study, results: Results, report: Report) -> None:
    """Write the table of illegal turns, late answers and crashes over all games of the study."""
    counts = count_faults(study, results)
    if not counts:
        return
    report.heading("Faults and times")
    report.text("Over all games of the study; an answer is late after the referee's limit.")
    rows = [
        [f"`{name}`", *(f"{count:,.0f}" for count in counts[name][:5]), f"{counts[name][5]:.2f} s"]
        for name in sorted(counts)
    ]
    report.table(["player", "games", "turns", "illegal", "late", "lost by a fault", "longest turn"], rows)
    report.bullets(list(last_faults(study, results).values()))


def last_faults(study: Study, results: Results) -> dict[str, str]:
    """Return for each player that lost by a fault the last one and its cause, as a sentence."""
    found: dict[str, str] = {}
    for task, result in results.items():
        if isinstance(task, GameTask) and isinstance(result, GameResult):
            for side in BOTH:
                if result.is_fault(side):
                    name, other = (study.who(task.players[place]) for place in (side, 1 - side))
                    cause = f": `{result.detail.replace('`', chr(39))}`" if result.detail else ""
                    found[name] = (
                        f"The last fault of `{name}`: {result.reason} against `{other}` on {task.start.name}{cause}."
                    )
    return found


def count_faults(study: Study, results: Results) -> dict[str, list[float]]:
    """Return by player: games, turns, illegal turns, late answers, games lost by a fault, the longest turn."""
    counts: dict[str, list[float]] = {}
    for task, result in results.items():
        if not isinstance(task, GameTask) or not isinstance(result, GameResult):
            continue
        for side in BOTH:
            count = counts.setdefault(study.who(task.players[side]), [0, 0, 0, 0, 0, 0.0])
            fault = int(result.is_fault(side))
            here = [1, result.turns[side], result.illegal[side], result.late[side], fault]
            count[:5] = [old + new for old, new in zip(count, here, strict=False)]
            count[5] = max(count[5], result.longest[side])
    return counts
