"""The pictures of a study's page, as SVG: small, the same from the same figures, on a light card of their own.

The card keeps them legible on a dark page too. Colours differ in lightness, and every line has a mark of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from noctagon.core.game import NoctagonError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Draw = TypeVar("Draw", bound=Callable[..., str])

CARD, INK, FAINT = "#fdfcf9", "#22262e", "#c9c6bd"
COLOURS = ("#1f5fa8", "#d1495b", "#2f8f5b", "#e09f1f", "#7b4fa3", "#555b66")
MARKS = "osD^vP"
STYLE = {
    "svg.hashsalt": "noctagon",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "figure.facecolor": CARD,
    "axes.facecolor": CARD,
    "savefig.facecolor": CARD,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
}


class Curve(NamedTuple):
    """One line of a plot: a name and its points; dashed where it is not measured but said."""

    name: str
    points: Mapping[float, float]
    dashed: bool = False


class Bar(NamedTuple):
    """A score with its interval, in percent of the points."""

    name: str
    mean: float
    low: float
    high: float
    bar: float | None = None
    """What it is held to, where that is not the half."""


class Measured(NamedTuple):
    """A line of points with their intervals: x → (value, lowest, highest)."""

    name: str
    points: Mapping[float, tuple[float, float, float]]


def styled(draw: Draw) -> Draw:
    """A method that draws in our style, from the first line to the file."""

    @wraps(draw)
    def drawn(*args: Any, **options: Any) -> str:
        with check_matplotlib().rc_context(STYLE):
            return draw(*args, **options)

    return cast("Draw", drawn)


class Plots:
    """Draws into a folder; every name gets the study's name in front."""

    def __init__(self, folder: Path, prefix: str) -> None:
        self.folder = folder
        self.prefix = prefix

    @styled
    def growth(self, name: str, panels: Mapping[str, Sequence[Curve]], *, along: str) -> str:
        """Quantities that grow by factors, one panel each, on a logarithmic scale."""
        figure, axes = self._figure(len(panels), width=4.4 * len(panels), height=3.8)
        for place, (title, curves) in enumerate(panels.items()):
            axis = axes[place]
            for number, curve in enumerate(curves):
                _draw_curve(axis, curve, number)
            axis.set_yscale("log")
            axis.set_title(title)
            axis.set_xlabel(along)
            axis.set_xticks(sorted({x for curve in curves for x in curve.points}))
            axis.grid(axis="y")
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
        return self._save(figure, name)

    @styled
    def scores(self, name: str, bars: Sequence[Bar]) -> str:
        """Scores with their intervals, one below the other; the half in the middle."""
        figure, (axis,) = self._figure(1, width=7.6, height=0.9 + 0.34 * len(bars))
        for place, bar in enumerate(bars):
            if bar.bar is not None and bar.bar != 0.5:
                axis.plot([100 * bar.bar] * 2, [place - 0.32, place + 0.32], color=COLOURS[1], linewidth=2)
            axis.plot([100 * bar.low, 100 * bar.high], [place, place], color=COLOURS[0], linewidth=2.4)
            axis.plot(100 * bar.mean, place, marker="o", color=COLOURS[0], markersize=6)
        axis.axvline(50, color=INK, linewidth=1, linestyle=(0, (2, 2)))
        axis.set_xlim(-2, 102)
        axis.set_ylim(len(bars) - 0.4, -0.6)
        axis.set_yticks(range(len(bars)), [bar.name for bar in bars])
        axis.set_xlabel("score in %, with the 95 % interval")
        axis.grid(axis="x")
        return self._save(figure, name)

    @styled
    def steps(self, name: str, panels: Mapping[str, Sequence[Bar]], *, label: str) -> str:
        """Scores with their intervals side by side, one panel for each setting."""
        figure, axes = self._figure(len(panels), width=4.2 * len(panels), height=3.4)
        for axis, (title, bars) in zip(axes, panels.items(), strict=True):
            for place, bar in enumerate(bars):
                axis.plot([place, place], [100 * bar.low, 100 * bar.high], color=COLOURS[0], linewidth=2.4)
                axis.plot(place, 100 * bar.mean, marker="o", color=COLOURS[0], markersize=6)
            axis.axhline(50, color=INK, linewidth=1, linestyle=(0, (2, 2)))
            axis.set_xticks(range(len(bars)), [bar.name for bar in bars])
            axis.set_xlim(-0.6, len(bars) - 0.4)
            axis.set_ylim(-2, 102)
            axis.set_title(title)
            axis.grid(axis="y")
        axes[0].set_ylabel(label)
        return self._save(figure, name)

    @styled
    def measured(self, name: str, panels: Mapping[str, Sequence[Measured]], *, label: str) -> str:
        """Quantities with their intervals at a few steps of something that grows; one panel each."""
        figure, axes = self._figure(len(panels), width=max(5.6, 3.6 * len(panels)), height=3.6)
        for axis, (what, lines) in zip(axes, panels.items(), strict=True):
            ticks = sorted({x for line in lines for x in line.points})
            for number, line in enumerate(lines):
                places = [
                    ticks.index(x) + 0.06 * number for x in line.points
                ]  # beside each other, not on top
                for place, (_, low, high) in zip(places, line.points.values(), strict=True):
                    axis.plot([place, place], [low, high], color=COLOURS[number], linewidth=1.6)
                middles = [value for value, _, _ in line.points.values()]
                style: dict[str, Any] = {"color": COLOURS[number], "marker": MARKS[number], "markersize": 5}
                axis.plot(places, middles, label=line.name, **style)
            axis.set_xticks(range(len(ticks)), [f"{x:g}" for x in ticks])
            axis.set_ylim(bottom=min(0.0, axis.get_ylim()[0]))
            axis.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
            axis.set_xlabel(what)
            axis.grid(axis="y")
        axes[0].set_ylabel(label)
        handles, labels = axes[0].get_legend_handles_labels()
        if len(labels) > 1:
            figure.legend(handles, labels, loc="outside lower center", ncols=2)
        return self._save(figure, name)

    @styled
    def times(self, name: str, rows: Mapping[str, Mapping[str, float]], *, limit: float, label: str) -> str:
        """Seconds by row and kind on a logarithmic scale, with the limit they are held to."""
        figure, (axis,) = self._figure(1, width=7.6, height=1.3 + 0.22 * len(rows))
        kinds = list(dict.fromkeys(kind for row in rows.values() for kind in row))
        for number, kind in enumerate(kinds):
            points = [(max(row[kind], 1e-4), place) for place, row in enumerate(rows.values()) if kind in row]
            axis.plot(
                [x for x, _ in points],
                [y for _, y in points],
                linestyle="none",
                marker=MARKS[number],
                color=COLOURS[number],
                markersize=5,
                label=kind,
            )
        axis.axvline(limit, color=COLOURS[1], linewidth=1.4, linestyle=(0, (4, 2)))
        axis.set_xscale("log")
        axis.set_ylim(len(rows) - 0.4, -0.6)
        axis.set_yticks(range(len(rows)), list(rows))
        axis.set_xlabel(label)
        axis.grid(axis="x")
        figure.legend(loc="outside lower center", ncols=len(kinds))
        return self._save(figure, name)

    def _figure(self, panels: int, *, width: float, height: float) -> tuple[Figure, list[Axes]]:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, list(figure.subplots(1, panels, squeeze=False)[0])

    def _save(self, figure: Figure, name: str) -> str:
        """Write the picture; its file's name."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = f"{self.prefix}-{name}.svg"
        figure.savefig(self.folder / file, metadata={"Date": None, "Creator": None})
        return file


def _draw_curve(axis: Axes, curve: Curve, number: int) -> None:
    style: dict[str, Any] = {"color": COLOURS[number], "marker": MARKS[number], "markersize": 5}
    if curve.dashed:
        style = {"color": INK, "linestyle": (0, (4, 3)), "linewidth": 1.2}
    axis.plot(list(curve.points), list(curve.points.values()), label=curve.name, **style)


def check_matplotlib() -> Any:
    """Matplotlib, or an error that says how to get it."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        raise NoctagonError(
            "the pictures of a study need matplotlib: pip install 'noctagon[plot]', or 'pip install .[plot]' here"
        ) from None
    return matplotlib
