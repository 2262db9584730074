"""Replays of the liveliest games on the page, and their records beside it.

A replay is a list of frames, and a frame a list of numbers of elements that all frames share: most of a board is the
same from turn to turn. So the script that shows them knows nothing about any game; it puts texts together.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from heapq import nsmallest
from typing import Any, NamedTuple

import msgspec

from noctagon.arena.bout import Finished, shares
from noctagon.core import board, svg
from noctagon.core.events import Played, Skipped
from noctagon.core.game import Game, NoctagonError, State
from noctagon.core.record import Record, decode
from noctagon.core.registry import find_game
from noctagon.report.charts import lead_curve
from noctagon.report.markup import count, element, link, named, plain, points, words

ReadRecord = Callable[[Finished], bytes]

MOST_LIVELY = 10
MOST_REPLAYS = 5
MOST_FRAMES = 80
MOST_BYTES = 450_000
"""Maximum size of a replay, in bytes; a larger one shows fewer positions."""
LONGEST_STEM = 60


class ReplayFrame(msgspec.Struct, frozen=True, rename={"elements": "e", "says": "s", "ply": "p"}):
    """A position: numbers of elements, a caption, and the plies before it."""

    elements: list[int]
    says: str
    ply: int


class Film(msgspec.Struct, frozen=True):
    """The frames of a game, and the elements that they are made of."""

    width: float
    height: float
    plies: int
    elements: list[str]
    frames: list[ReplayFrame]


class Replay(NamedTuple):
    """A film, with what the page needs once for all films of a game, and the lead over the game."""

    film: Film
    symbols: list[str]
    shares: list[float]
    sides: tuple[str, str]


class Kept(NamedTuple):
    """A game whose record is in a file beside the page."""

    game: Finished
    file: str
    record: bytes


def liveliest(games: Iterable[Finished], most: int = MOST_LIVELY) -> list[Finished]:
    """Return the games with the most changes of the lead, then with the largest swings; no pairing twice on a map.

    Two deterministic players repeat their game whenever they meet on the same map.
    """
    best: dict[tuple[frozenset[str], str], Finished] = {}
    for game in games:
        meeting = (frozenset(game.players), game.setup)
        known = best.get(meeting)
        if game.swing and (known is None or _liveliness(game) < _liveliness(known)):
            best[meeting] = game
    return nsmallest(most, best.values(), key=_liveliness)


def _liveliness(game: Finished) -> tuple[float, float, str, str]:
    return (-game.lead_changes, -game.swing, game.slot, game.key)


def file_name(game: Finished) -> str:
    """Return the name of a record's file, in letters that every system knows; the same game gets the same name."""
    names = unicodedata.normalize("NFKD", "-".join([*game.players, game.setup]))  # É becomes E and its accent
    names = "".join(letter for letter in names if not unicodedata.combining(letter))
    stem = re.sub(r"[^A-Za-z0-9]+", "-", names).strip("-")[:LONGEST_STEM]
    return f"game-{stem or 'of'}-{re.sub(r'[^A-Za-z0-9]+', '', game.key)[:16]}.jsonl"


def film(record: Record, game: Game[Any]) -> Replay:
    """Make a game's film; raise `NoctagonError` if the record does not hold or the board is too large to show."""
    first = record.first(game)
    events = list(record.events(first, game))
    states = [first, *(event.after for event in events)]
    most = MOST_FRAMES
    while True:
        made, symbols = _film(record, events, states, thinned(len(states), most))
        if len(msgspec.json.encode(made)) <= MOST_BYTES:
            return Replay(made, symbols, shares(states), states[0].sides)
        if most <= 2:
            raise NoctagonError("its board is too large for this page")
        most = max(2, most // 2)


def thinned(length: int, most: int) -> list[int]:
    """Return at most `most` of `length` positions, evenly spread, including the first and the last.

    >>> thinned(5, 80), thinned(9, 3)
    ([0, 1, 2, 3, 4], [0, 4, 8])
    """
    if length <= most:
        return list(range(length))
    return [round(step * (length - 1) / (most - 1)) for step in range(most)]


def _film(
    record: Record, events: Sequence[Played | Skipped], states: Sequence[State[Any]], plies: Sequence[int]
) -> tuple[Film, list[str]]:
    """Return the frames of some plies, each with the move that is made there."""
    numbers: dict[str, int] = {}
    symbols: dict[str, None] = {}
    frames, height, width = [], 0.0, 0.0
    for ply in plies:
        state, event = states[ply], events[ply] if ply < len(events) else None
        arrows: Sequence[board.Arrow] = ()
        view = state.view()
        says = board.status(view)
        if isinstance(event, Skipped):
            says += f" · turn lost: {plain(event.turn.skipped)}"
        elif isinstance(event, Played):
            arrows = state.arrows(event.action)
            says += f": {plain(event.turn.action, 120)}"
        elif record.result is not None and not view.result:
            says += f" · {plain(record.result.describe(state.sides))}"
        drawing = svg.take_apart(view, state.symbols(), arrows=arrows)
        symbols |= dict.fromkeys(drawing.symbols)
        width, height = drawing.width, max(height, drawing.height)
        used = [numbers.setdefault(part, len(numbers)) for part in drawing.elements]
        frames.append(ReplayFrame(used, says, ply))
    return Film(width, height, len(states) - 1, list(numbers), frames), list(symbols)


def encode(made: Film) -> str:
    """Encode a film as JSON in which nothing ends or begins a script or a comment."""
    text = msgspec.json.encode(made).decode()
    return (
        text.replace("</", "<\\/")
        .replace("<!", "\\u003c!")
        .replace("<s", "\\u003cs")
        .replace("<S", "\\u003cS")
    )


def show(kept: Sequence[Kept], folder: str) -> tuple[str, str]:
    """Return the section's content, and the symbols that its boards use."""
    symbols: dict[str, None] = {}
    shown: list[str] = []
    others: list[str] = []
    for number, one in enumerate(kept, 1):
        if len(shown) < MOST_REPLAYS:
            try:
                record = decode(one.record)
                found = find_game(record.game)
                found.load()
                replay = film(record, found)
            except NoctagonError as error:
                others.append(_mention(one, folder, f"It cannot be shown here: {plain(str(error))}."))
                continue
            symbols |= dict.fromkeys(replay.symbols)
            shown.append(_replay(one, replay, folder, opened=not shown, number=number))
        else:
            others.append(_mention(one, folder))
    more = element("ul", "\n".join(others), cls="more") if others else ""
    return "\n".join([*shown, more]), "\n".join(symbols)


def title(game: Finished) -> str:
    """Return a title: the players, the map, and the result."""
    first, second = (named(name) for name in game.players)
    ended = "a draw" if game.winner is None else f"{named(game.players[game.winner])} won"
    score = f"{points(game.points(0))}–{points(game.points(1))}"
    return (
        f"{first} – {second} <b>{score}</b> on {words(game.setup, 40)}: {ended} after {count(game.plies, 'turn')}, "
        f"{count(game.lead_changes, 'lead change')}"
    )


def _mention(one: Kept, folder: str, trouble: str = "") -> str:
    said = f"{title(one.game)}. {source(one, folder)}"
    return element("li", f"{said} {svg.escape(trouble)}" if trouble else said)


def source(one: Kept, folder: str) -> str:
    """Return a link to the record, and the command that shows it."""
    path = f"{folder}/{one.file}"
    return f"{link(path, 'Record')}, or {element('code', f'noctagon replay {svg.escape(path)}')}"


def _replay(one: Kept, replay: Replay, folder: str, *, opened: bool, number: int) -> str:
    """Return a replay with its controls; it shows its first frame before any script runs."""
    made = replay.film
    first = made.frames[0]
    box = f"0 0 {svg.number(made.width)} {svg.number(made.height)}"
    picture = element(
        "svg",
        "".join(made.elements[part] for part in first.elements),
        cls="noctagon-board auto",
        viewBox=box,
        style=f"--ratio: {made.width / made.height:.4g}",
        role="img",
        aria_label=first.says,
    )
    last = str(len(made.frames) - 1)
    controls = "".join(
        element("button", sign, type="button", cls=cls, aria_label=says, title=says)
        for sign, cls, says in (
            ("|◀\ufe0e", "start", "To the start"),
            ("◀\ufe0e", "back", "One back"),
            ("▶\ufe0e Play", "play", "Play or pause"),
            ("▶\ufe0e", "next", "One on"),
            ("▶\ufe0e|", "end", "To the end"),
            ("Full screen", "large", "Fill the screen, and back"),
        )
    )
    slider = f'<input type="range" min="0" max="{last}" value="0" aria-label="Position in the game">'
    thin = (
        ""
        if len(made.frames) > made.plies
        else f" {len(made.frames)} of {made.plies + 1} positions are shown."
    )
    sides = "".join(
        element("span", f"{sign} {named(name)} ({svg.escape(side)}) ahead")
        for sign, name, side in zip("▲▼", one.game.players, replay.sides, strict=True)
    )
    inside = (
        element("div", picture, cls="stage")
        + element(
            "div", element("div", sides, cls="leads") + lead_curve(replay.shares) + slider, cls="course"
        )
        + element("div", controls, cls="controls")
        + element("p", svg.escape(first.says), cls="says")
    )
    data = f'<script type="application/json">{encode(made)}</script>'
    figure = element(
        "figure", inside + data, cls="replay", tabindex="0", aria_label="A replay: arrow keys step"
    )
    below = element("p", f"{source(one, folder)}.{thin}", cls="source")
    name = f"replay-{number}"
    head = element("summary", title(one.game))
    return f'<details class="game" id="{name}"{" open" * opened}>{head}{figure}{below}</details>'
