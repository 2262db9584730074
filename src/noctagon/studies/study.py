"""A study: its players, conditions and sections; their work in order; the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import msgspec

from noctagon.arena.plan import split_maps
from noctagon.arena.starts import ALL, Start
from noctagon.arena.tournament import check_player
from noctagon.core.game import Game, NoctagonError, UnknownName
from noctagon.core.player import PlayerSpec
from noctagon.core.registry import find_game
from noctagon.studies.claims import Verdict, listed, tally
from noctagon.studies.comparison import ClaimsSection
from noctagon.studies.document import Block, Bullets, Heading, Picture, TableBlock, Text, html, markdown
from noctagon.studies.faults import write_faults
from noctagon.studies.mirror import MirrorSection
from noctagon.studies.report import Report, fill_in
from noctagon.studies.section import Section, Setting
from noctagon.studies.series import Conditions, WantedTasks, program_version
from noctagon.studies.tasks import GameTask, Task
from noctagon.studies.work import Origin, ResultsFile, Work

GAMES, TIME = 100, 0.2
"""Games for each pairing, and seconds for a turn, unless the file says otherwise."""
DICE_OPENING, OPENING = 2, 4
"""Random moves before a game: where there are dice, and where without them all games would be the same."""
QUICK_TIME, QUICK_PLIES = 0.005, 8
QUICK = "-quick"
"""The end of the name of a report on very few short games."""
MOST_NAMED = 8
"""Maps that are named in the conditions; more are only counted."""


class Conclusion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text of the author that holds where claims have these verdicts."""

    text: str
    when: dict[str, Verdict] = {}


class StudyFile(Setting, frozen=True, kw_only=True):
    """A study as its file states it; claims outside any section form the first one."""

    title: str = ""
    about: str = ""
    source: str = ""
    players: dict[str, str] = {}
    claims: tuple[dict[str, Any], ...] = ()
    sections: tuple[dict[str, Any], ...] = ()
    conclusions: tuple[Conclusion, ...] = ()
    stages: tuple[tuple[str, ...], ...] = ()
    """Sections by name whose games are played side by side, stage after stage; else one section after the other."""


class Study:
    """A study whose file has been read: players, conditions and sections under their names."""

    def __init__(
        self,
        name: str,
        file: StudyFile,
        sections: Sequence[Section],
        *,
        games: int | None = None,
        quick: bool = False,
    ) -> None:
        self.name = f"{name}{QUICK}" if quick else name
        self.file = file
        self.sections = sections
        self.source = file.source
        self.quick = quick
        self._games = games
        self._named = {
            _without_time(spec): name for name, spec in file.players.items() if spec not in file.players
        }

    # What its sections ask

    def spec(self, player: str) -> str:
        """Return the spec of a player that may be one of the file's names."""
        return self.file.players.get(player, player)

    def label(self, player: str) -> str:
        """Return a player's name for the report: the file's, else its spec without the time."""
        if player in self.file.players:
            return player
        return self._named.get(_without_time(player)) or short(player)

    def versus(self, player: str, opponent: str) -> str:
        """Return two players' names for the report."""
        return f"`{self.label(player)}` against `{self.label(opponent)}`"

    def who(self, spec: str) -> str:
        """Return the name under which a player's faults are counted: all options of a player of the package are one."""
        named = self._named.get(_without_time(spec))
        read = PlayerSpec.parse(spec)
        return named or (short(spec) if read.path or read.command else read.name)

    def game(self, section: Setting) -> Game[Any]:
        """Return the game of a section."""
        return find_game(section.game or self.file.game or "vampires")

    def side(self, section: Setting, name: str) -> int | None:
        """Return a side by the game's name for it; None for no name."""
        sides = [side.lower() for side in self.game(section).sides]
        if not name:
            return None
        if name.lower() not in sides:
            raise UnknownName("side", name, sides)
        return sides.index(name.lower())

    def seat(self, section: Setting, side: int | None) -> str:
        """Return the addition to a player's name that says which side it has; nothing for either side."""
        if side is None:
            return ""
        name = self.game(section).sides[side]
        return f", as {name.lower() if len(name) > 1 else name}"

    def conditions(self, section: Setting) -> Conditions:
        """Return the conditions of a section: its own, else the study's, else the usual."""
        game = self.game(section)

        def given(name: str, usual: Any) -> Any:
            own = getattr(section, name)
            whole = getattr(self.file, name)
            return own if own is not None else whole if whole is not None else usual

        maps = tuple(
            name
            for one in listed(_split(given("maps", ALL)))
            for name in (game.setups() if one == ALL else (one,))
        )
        dice = game.abilities.random
        conditions = Conditions(
            game.name,
            tuple(dict.fromkeys(maps)),
            seconds=given("time", TIME),
            plies=given("plies", None),
            think=given("think", None),
            opening=given("opening", DICE_OPENING if dice else OPENING),
            generator=given("generator", ""),
            from_setup=given("from_map", True),
            calm=given("calm", 0),
        )
        if not self.quick:
            return conditions
        ends = tuple(dict.fromkeys((conditions.setups[0], conditions.setups[-1])))
        plies = conditions.opening + conditions.calm + QUICK_PLIES
        return conditions._replace(setups=ends, plies=plies, think=QUICK_TIME, most=QUICK_TIME)

    def pairs(self, section: Setting) -> int:
        """Return the number of pairs for each pairing of a section."""
        return 1 if self.quick else max(1, (section.games or self.games) // 2)

    @property
    def games(self) -> int:
        """The games for each pairing, where a section does not say otherwise."""
        return 2 if self.quick else self._games or self.file.games or GAMES

    def mirror(self, name: str) -> MirrorSection:
        """Return the mirror section of that name."""
        return next(one for one in self.sections if isinstance(one, MirrorSection) and one.name == name)

    # What a command asks

    @property
    def about_games(self) -> tuple[str, ...]:
        """The games that are played in it."""
        return tuple(dict.fromkeys(self.game(section).name for section in self.sections))

    @property
    def work(self) -> tuple[Work, ...]:
        """The kinds of tasks of its sections."""
        return tuple(dict.fromkeys(work for section in self.sections for work in section.work))

    def check(self, where: str) -> None:
        """Raise `NoctagonError` that names every player and claim that cannot be played."""
        wrong: dict[str, None] = {}
        for section in self.sections:
            place = f"section {section.title or section.name!r}: " if len(self.sections) > 1 else ""
            try:
                game = self.game(section)
                section.check(self)
            except NoctagonError as error:
                wrong[f"{place}{error}"] = None
                continue
            for player, part in section.players():
                try:
                    spec = PlayerSpec.parse(self.spec(player))
                    check_player(spec, game)
                except NoctagonError as error:
                    wrong[f"{place}{part}: player {player!r}: {_reason(error, player)}"] = None
        if wrong:
            several = [f"{where}: {len(wrong)} things are wrong:"] if len(wrong) > 1 else []
            raise NoctagonError(
                "\n  ".join([*several, *wrong]) if several else f"{where}: {next(iter(wrong))}"
            )

    def check_maps(self) -> None:
        """Raise `NoctagonError` for a map that cannot be played; the rules have to be loaded."""
        for section in self.sections:
            conditions = self.conditions(section)
            game = find_game(conditions.game)
            for setup in conditions.setups:
                Start(setup).state(game, game.make_rules(plies=conditions.plies))

    def chosen(self, only: str) -> list[Section]:
        """Return the wanted sections: all, or one by name."""
        names = [section.name for section in self.sections]
        if only and only not in names:
            raise UnknownName(f"section of the study {self.name}", only, names)
        return [section for section in self.sections if not only or section.name == only]

    def tasks(self, only: str = "") -> list[Task]:
        """Return all wanted work, each piece once, in the order of playing."""
        sections = {section.name: section for section in self.chosen(only)}
        tasks: list[Task] = []
        for stage in self.file.stages or [[name] for name in sections]:
            queues = [queue for name in stage if name in sections for queue in sections[name].queues(self)]
            for turn in zip_longest(*queues):
                tasks += [task for task in turn if task is not None]
        return list(dict.fromkeys(tasks))

    def schedule(self, store: ResultsFile) -> WantedTasks:
        """Return what decides which of this work is still wanted, while results come in."""
        return WantedTasks([one for section in self.sections for one in section.series(self)], store.results)

    def edited(self, tasks: Sequence[Task], store: ResultsFile) -> list[str]:
        """Return the players whose programs have changed since games of theirs were kept."""
        wanted = {task for task in tasks if isinstance(task, GameTask) and task.versions}
        known = {msgspec.structs.replace(task, versions=()) for task in wanted - store.results.keys()}
        found: dict[str, None] = {}
        for task in store.results:
            if not isinstance(task, GameTask) or task in wanted:
                continue
            if msgspec.structs.replace(task, versions=()) in known:
                for player, version in zip(task.players, task.versions, strict=False):
                    if version and version != program_version(player):
                        found[self.who(player)] = None
        return list(found)

    # The report

    def blocks(self, store: ResultsFile, *, written_by: str) -> list[Block]:
        """Return the report on the results so far, and on nothing else."""
        report = Report(self.name)
        for section in self.sections:
            if not any(task in store.results for task in section.tasks(self)) and not section.claims:
                continue
            report.heading(section.title or section.name)
            report.text(section.text)
            section.write(self, store.results, report)
        write_faults(self, store.results, report)
        head: list[Block] = [Heading(self.file.title or self.name, 1)]
        head += [
            Text(text)
            for text in (self.file.about, _begun(written_by, store.origin), self._conditions_text())
            if text
        ]
        if len(self.file.players) > 0:
            head.append(Bullets([f"`{name}` is `{spec}`" for name, spec in self.file.players.items()]))
        return [*head, *self._summary(report), *report.filled()]

    def _summary(self, report: Report) -> Iterator[Block]:
        """Yield the table of all verdicts, their number, and the conclusions that hold."""
        if not report.findings:
            return
        yield Heading("Claims and verdicts")
        yield Text(tally(report.findings))
        sourced = any(one.source for one in report.findings)
        titles = ["claim", *(["source"] if sourced else []), "figures", "verdict"]
        rows = [
            [one.says, *([one.source] if sourced else []), one.figure, one.mark] for one in report.findings
        ]
        yield TableBlock(titles, rows, len(titles))
        verdicts = {one.name: one.verdict for one in report.findings if one.name}
        for conclusion in self.file.conclusions:
            if all(verdicts.get(name) == verdict for name, verdict in conclusion.when.items()):
                yield Text(fill_in(conclusion.text, report.figures))

    def _conditions_text(self) -> str:
        """Return the conditions in words: those of the study, which a section may change."""
        by_game: dict[str, Conditions] = {}
        whole = self.conditions(self.file)
        for section in self.sections:
            conditions = self.conditions(section)
            if conditions.game not in by_game or conditions == whole:
                by_game[conditions.game] = conditions
        ending = any(isinstance(section, ClaimsSection) and section.least for section in self.sections)
        rule = (
            " A series with a least number of starts ends after it as soon as Wald's sequential probability ratio test "
            "decides its claims, with errors of at most 5 %; the intervals take no account of that."
            if ending
            else ""
        )
        played = " ".join(self._describe(conditions) for conditions in by_game.values())
        return (
            "Conditions: paired games, the same start and the same dice twice with the sides swapped. "
            f"{played} A draw is half a point. Intervals are Wilson's at 95 %, with the pair as the unit (the game "
            "where one side counts alone). A claim is confirmed if the whole interval lies above what it needs, "
            "refuted if all of it lies below, undecided otherwise, leaning to the side of the score."
            f"{rule}"
        )

    def _describe(self, conditions: Conditions) -> str:
        game = find_game(conditions.game)
        setups = conditions.setups
        named = f": {', '.join(setups)}" if 1 < len(setups) <= MOST_NAMED else ""
        where = f"on {len(setups)} maps{named}" if len(setups) > 1 else f"from {setups[0]}"
        moves = f"{conditions.opening} random move{'s'[: conditions.opening != 1]} that cost neither side anything"
        if conditions.calm:
            moves += f" and leave neither side a forced win within {conditions.calm} plies"
        opening = f"; every game begins after {moves}" if conditions.opening else ""
        if conditions.opening and conditions.from_setup:
            opening = f"; each map's first pair begins at the map itself, the others after {moves}"
        think = f" (the package's own players think for {conditions.think:g} s)" if conditions.think else ""
        limit = f", {conditions.plies} plies at most" if conditions.plies else ""
        return (
            f"{game.title}: {self.games} games for each pairing {where}{opening}; {conditions.seconds:g} s a turn"
            f"{think}{limit}."
        )

    def write(self, store: ResultsFile, folder: Path, *, written_by: str, page: bool = True) -> list[Path]:
        """Write the report as Markdown with its pictures, and with `page` as one HTML file; return their paths."""
        blocks = self.blocks(store, written_by=written_by)
        folder.mkdir(parents=True, exist_ok=True)
        files = {f"{self.name}.md": markdown(blocks)}
        if page:
            files[f"{self.name}.html"] = html(blocks)
        files |= {block.file: f"{block.svg}\n" for block in blocks if isinstance(block, Picture)}
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        return [folder / name for name in files]


def _split(maps: str | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(split_maps(maps)) if isinstance(maps, str) else maps


def _begun(written_by: str, origin: Origin | None) -> str:
    begun = (
        f", begun on {origin.date} with noctagon {origin.noctagon}, Python {origin.python}, {origin.machine}"
        if origin
        else ""
    )
    return f"Written by {written_by}{begun}."


def _reason(error: NoctagonError, player: str) -> str:
    """Return what is wrong with a player, without naming it twice."""
    return str(error).removeprefix(f"player {player!r}: ")


def _without_time(spec: str) -> str:
    """Return a spec without its time; one that is not well formed stays as it is, to be refused later."""
    try:
        read = PlayerSpec.parse(spec)
    except NoctagonError:
        return spec
    options = {name: value for name, value in read.options.items() if name != "time"}
    return spec if read.command else str(msgspec.structs.replace(read, options=options))


def short(spec: str) -> str:
    """Return a player's name with its options, without the time.

    >>> short("alphabeta:depth=2,time=0.1")
    'alphabeta depth=2'
    """
    read = PlayerSpec.parse(spec)
    if read.command or read.path:
        return spec
    kept = [f"{name}={value}" for name, value in read.options.items() if name != "time"]
    return " ".join((read.name, *kept))
