"""A study's page: Markdown with tables and pictures, made from results alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from noctagon.studies.claims import MARKS, Claim, Finding, Verdict, judge
from noctagon.studies.pairs import Played
from noctagon.studies.plots import Bar, Plots


class Page:
    """The body of the page, written from top to bottom, and the verdicts collected on the way."""

    def __init__(self, plots: Plots) -> None:
        self.plots = plots
        self.lines: list[str] = []
        self.findings: list[Finding] = []
        self.figures: dict[str, str] = {}
        """Named figures, for the sentences that are written by hand."""

    def heading(self, title: str) -> None:
        self.lines += [f"## {title}", ""]

    def text(self, text: str) -> None:
        if text.strip():
            self.lines += [text.strip(), ""]

    def table(self, titles: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """A table; the first column is text, the others are figures."""
        self.lines += [_row(titles), _row(["---", *["---:"] * (len(titles) - 1)])]
        self.lines += [_row(row) for row in rows]
        self.lines.append("")

    def picture(self, file: str, says: str) -> None:
        self.lines += [f"![{says}]({file})", ""]

    def finding(self, says: str, source: str, verdict: Verdict, figure: str) -> None:
        """A verdict, told here and at the head of the page."""
        self.findings.append(Finding(says, source, verdict, figure))
        self.lines += [f"**{MARKS[verdict]}**: {says} ({source}): {figure}.", ""]

    def figure(self, name: str, value: object) -> None:
        """Remember a figure by name."""
        self.figures[name] = str(value)

    def claims(self, played: Mapping[Claim, Played]) -> None:
        """Claims about one player against another: the table of their games, and the verdicts."""
        rows = []
        for claim, games in played.items():
            if not games.pairs:
                continue
            score = games.score
            verdict = judge(score, claim.at_least)
            self.figure(claim.name, score)
            self.figure(f"{claim.name}.verdict", verdict)
            if claim.source:
                self.findings.append(
                    Finding(claim.says, claim.source, verdict, f"{score}, {games.games} games")
                )
            rows.append(
                [
                    f"`{short(claim.player)}` against `{short(claim.opponent)}`",
                    games.games,
                    games.different,
                    f"**{score}**",
                    f"{100 * games.seated(0):.0f} %",
                    f"{100 * games.seated(1):.0f} %",
                    games.draws,
                    f"{games.plies:.0f}",
                    f"{games.depth:.1f}",
                    f"{100 * claim.at_least:.0f} %",
                    MARKS[verdict],
                ]
            )
        titles = [
            "",
            "games",
            "different",
            "score (95 %)",
            "moving first",
            "second",
            "draws",
            "plies",
            "depth",
            "held to",
            "",
        ]
        self.table(titles, rows)
        self.missing(played.values())

    def missing(self, played: Iterable[Played]) -> None:
        """Say so where not all games have been played."""
        missing = sum(games.wanted - len(games.pairs) for games in played)
        if missing:
            self.text(f"*{missing} pair{'s'[: missing != 1]} of games not played yet.*")

    def by_setup(self, columns: Mapping[str, Played], setups: Sequence[str], what: str = "map") -> None:
        """A table of scores by setup, one column for each series of games."""
        columns = {name: games for name, games in columns.items() if games.pairs}
        scores = {name: games.by_setup() for name, games in columns.items()}
        rows = []
        for setup in setups:
            found = [scores[name].get(setup) for name in columns]
            rows.append([setup, *("" if one is None else f"{100 * one.mean:.0f} %" for one in found)])
        rows.append(["**all**", *(f"**{games.score}**" for games in columns.values())])
        self.table([what, *columns], rows)

    def score_bars(self, name: str, says: str, played: Mapping[Claim, Played]) -> None:
        """The scores of claims as a picture."""
        bars = [
            Bar(versus(claim.player, claim.opponent), *games.score[:3], claim.at_least)
            for claim, games in played.items()
            if games.pairs
        ]
        self.picture(self.plots.scores(name, bars), says)

    def verdicts(self) -> list[str]:
        """The list of all verdicts, for the head of the page."""
        lines = [_row(["claim", "source", "figures", ""]), _row(["---", "---", "---", "---"])]
        lines += [_row([one.says, one.source, one.figure, MARKS[one.verdict]]) for one in self.findings]
        return [*lines, ""]


def short(spec: str) -> str:
    """A player's name with its options, without the clock that all have."""
    name, _, options = spec.partition(":")
    kept = [option for option in options.split(",") if option and not option.startswith("time=")]
    return f"{name} {' '.join(kept)}".strip()


def versus(player: str, opponent: str) -> str:
    """Two players, on one line or on two."""
    one, other = short(player), short(opponent)
    return f"{one} – {other}" if len(one) + len(other) < 30 else f"{one}\n– {other}"


def _row(cells: Sequence[object]) -> str:
    return f"| {' | '.join(str(cell).replace('|', '/') for cell in cells)} |"
