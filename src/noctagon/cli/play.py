"""`noctagon play`: watch two players in a game, or summarise several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from noctagon.cli.recording import RECORD, STORE, Recorder

if TYPE_CHECKING:
    from noctagon.core.game import Game, Rules
    from noctagon.core.match import Match
    from noctagon.core.player import PlayerSpec
    from noctagon.core.seat import Seat

GAME = typer.Argument(help="Which game (see noctagon games).")
PLAYER = typer.Argument(
    help="Who plays: NAME[:option=value,…] (see noctagon players), PATH.py:CLASS, cmd:COMMAND, or human.",
    show_default=False,
)


def play(
    game: Annotated[str, GAME] = "vampires",
    first: Annotated[str | None, PLAYER] = None,
    second: Annotated[str | None, PLAYER] = None,
    map: Annotated[  # noqa: A002 - the option's name
        str,
        typer.Option(
            metavar="NAME",
            help="The map (a bundled one, generated:N or an .xml file) or opening. \\[duel; wargame: start]",
            show_default=False,
        ),
    ] = "",
    rules: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The rule set: handout or server; wargame: document or engine. \\[the first]",
            show_default=False,
        ),
    ] = "",
    majority: Annotated[
        bool, typer.Option("--majority", help="Holding over half of the cells wins.")
    ] = False,
    seed: Annotated[int | None, typer.Option(help="Makes chance repeatable.", show_default=False)] = None,
    time: Annotated[
        float | None, typer.Option(help="Seconds for a turn. [2; wargame: 5]", show_default=False)
    ] = None,
    plies: Annotated[
        int | None,
        typer.Option(help="Maximum number of turns. [200; wargame: 100]", show_default=False),
    ] = None,
    duration: Annotated[
        float | None,
        typer.Option(
            help="Seconds after which a game is decided. [300; wargame, or with a person: never]",
            show_default=False,
        ),
    ] = None,
    games: Annotated[int, typer.Option(help="Number of games, sides swapped every other one.")] = 1,
    record: Annotated[str | None, RECORD] = None,
    store: Annotated[str | None, STORE] = None,
    json: Annotated[
        bool, typer.Option("--json", help="One JSON line a game on stdout, nothing else.")
    ] = False,
    board: Annotated[bool, typer.Option("--board/--no-board", help="Draw the board.")] = True,
    delay: Annotated[
        float | None, typer.Option(min=0, max=3600, help="Seconds to look at each turn.", show_default=False)
    ] = None,
) -> None:
    """Watch two players, or play yourself: noctagon play vampires human greedy."""
    import asyncio
    import random
    import signal
    import sys

    from noctagon.core.game import NoctagonError
    from noctagon.core.player import PlayerSpec
    from noctagon.terminal import interrupt

    found = _find_game(game)
    one, other = found.demo
    specs = (
        PlayerSpec.parse(one if first is None else first),
        PlayerSpec.parse(other if second is None else second),
    )
    if games < 1:
        raise NoctagonError(f"--games {games}: at least one game is played")
    if time is not None and not 0 < time < 86400:
        raise NoctagonError(f"--time {time:g}: a turn takes more than 0 seconds, and less than a day")
    if duration is not None and not duration > 0:
        raise NoctagonError(f"--duration {duration:g}: a game takes more than 0 seconds")
    if (json or games > 1) and any(spec.name == "human" and not spec.path for spec in specs):
        raise NoctagonError(
            "a person needs a board, not --json"
            if json
            else f"--games {games}: a person plays one game at a time"
        )
    chosen = found.make_rules(rules or None, plies=plies, majority=majority or None)
    if seed is None:
        seed = random.SystemRandom().randrange(10**6)
    recorder = Recorder(record, store)
    session = _Session(
        found, specs, map, chosen, time, duration, seed, recorder, json=json, board=board, delay=delay
    )
    signal.signal(signal.SIGINT, interrupt)
    try:
        asyncio.run(session.run(games))
    except KeyboardInterrupt:
        kept = f"; what was played is in {recorder.places}" if recorder.places else ""
        print(f"noctagon: interrupted{kept}", file=sys.stderr)
        raise typer.Exit(130) from None


class _Session:
    """The settings of all games of a series."""

    def __init__(
        self,
        game: Game[Any],
        specs: tuple[PlayerSpec, PlayerSpec],
        setup: str,
        rules: Rules,
        time: float | None,
        duration: float | None,
        seed: int,
        recorder: Recorder,
        *,
        json: bool,
        board: bool,
        delay: float | None,
    ) -> None:
        self.game = game
        self.specs = specs
        self.setup = setup
        self.rules = rules
        self.time = time
        self.duration = duration
        self.seed = seed
        self.recorder = recorder
        self.json = json
        self.board = board
        self.delay = delay

    async def run(self, games: int) -> None:
        import sys

        from noctagon.processes.seats import check_start, open_seats

        # Report a bad map before anything is compiled.
        state = self.game.initial(self.setup or None, self.rules)
        for spec in self.specs:
            check_start(spec, self.game, state)
        for warning in self.game.setup_warnings(self.setup):
            print(f"noctagon: {self.setup}, {warning}", file=sys.stderr)
        async with open_seats(self.specs, self.game) as seats:  # and so is a bad player
            with self.recorder:
                self.game.load()
                if games == 1 and not self.json:
                    await self._watch(seats)
                else:
                    await self._series(seats, games)

    def match(self, number: int, seats: tuple[Seat, Seat]) -> tuple[Match, tuple[Seat, Seat]]:
        """Make game `number` of a series: odd ones with the sides swapped, on the seed of the one before."""
        import datetime

        from noctagon.core.clock import TimeControl
        from noctagon.core.match import Match

        swap = number % 2 == 1
        specs = self.specs[::-1] if swap else self.specs
        seats = (seats[1], seats[0]) if swap else seats
        match = Match(
            self.game,
            self.game.initial(self.setup or None, self.rules),
            setup=self.setup,
            players=(str(specs[0]), str(specs[1])),
            time=TimeControl(turn=self.time or self.game.turn_seconds, total=self._total(seats)),
            seed=self.seed + number // 2,
            date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            untimed=[side for side in (0, 1) if not seats[side].timed],
        )
        return match, seats

    def _total(self, seats: tuple[Seat, Seat]) -> float | None:
        """Return the seconds for the whole game; with a person there is no limit unless one is given."""
        usual = self.game.game_seconds if all(seat.timed for seat in seats) else None
        return self.duration if self.duration is not None else usual

    async def _watch(self, seats: tuple[Seat, Seat]) -> None:
        import time

        from noctagon.cli.watch import PromptScreen, choose_screen
        from noctagon.core.seat import drive

        match, seats = self.match(0, seats)
        person = not all(seat.timed for seat in seats)
        kind = choose_screen(board=self.board, person=person)
        screen = kind(self.game, match.state, match.players, match.time.turn, board=self.board)
        if isinstance(screen, PromptScreen):
            screen.persons = match.untimed
        pause = self.delay if self.delay is not None else (0.25 if screen.live else 0.0)

        def listen(event: Any) -> None:
            screen.listen(event)
            if pause:
                time.sleep(pause)

        try:
            with screen:
                await drive(match, seats, listen)
        finally:
            self.save(match, seats)
        self._explain(match, seats)
        saved = f" · record in {self.recorder.places}" if self.recorder.keeps else ""
        print(f"{match.setup} · {self.rules.name} rules · --seed {self.seed} plays it again{saved}")

    async def _series(self, seats: tuple[Seat, Seat], games: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        from noctagon.cli.summary import Summary, json_line
        from noctagon.core.seat import drive

        summary = Summary(self.specs, self.game)
        progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            disable=self.json or not Console(stderr=True).is_terminal,
        )
        try:
            with progress:
                task = progress.add_task("playing", total=games)
                for number in range(games):
                    match, order = self.match(number, seats)
                    try:
                        await drive(match, order)
                    finally:
                        self.save(match, order)
                    self._explain(match, order)
                    if self.json:
                        print(json_line(match), flush=True)
                    summary.add(match, swapped=number % 2 == 1)
                    progress.update(task, advance=1, description=summary.line())
        finally:
            if not self.json and summary.games:
                Console().print(summary.table())

    def save(self, match: Match, seats: tuple[Seat, Seat]) -> None:
        """Keep a game where that is wanted, also one that was broken off."""
        if not self.recorder.keeps or not (match.turns or match.result):
            return
        from msgspec.structs import replace

        from noctagon.arena.bout import finished_game
        from noctagon.arena.versions import version_of
        from noctagon.core.player import PlayerSpec
        from noctagon.core.seat import logs_of

        first, second = (version_of(PlayerSpec.parse(spec)) for spec in match.players)
        game = finished_game(match.record(), match.states)
        self.recorder.keep(replace(game, versions=(first, second), logs=logs_of(match, seats)))

    def _explain(self, match: Match, seats: tuple[Seat, Seat]) -> None:
        """Print the logs for the authors of players that crashed, were late or played illegal turns."""
        import sys

        from noctagon.core.seat import logs_of
        from noctagon.core.text import plain

        for seat, player, log in zip(seats, match.players, logs_of(match, seats), strict=True):
            if log.rstrip():
                print(
                    *map(plain, (f"--- {player} ---", *log.rstrip().splitlines())), sep="\n", file=sys.stderr
                )
            seat.log = ""


def _find_game(name: str) -> Game[Any]:
    from noctagon.core.game import NoctagonError, UnknownName
    from noctagon.core.registry import find_game, game_names
    from noctagon.players import FOR_EVERY_GAME

    try:
        return find_game(name)
    except UnknownName as error:
        if name.partition(":")[0] in FOR_EVERY_GAME or ".py:" in name:
            raise NoctagonError(
                f"name the game before the players: noctagon play {game_names()[0]} {name}"
            ) from error
        raise
