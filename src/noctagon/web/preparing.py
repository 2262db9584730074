"""Compilation in the background, while the page is open: each game's rules, then its champion, once on each machine.

Processes of their own compile, and report how far they are. The server's own process only loads the finished rules,
in a thread. Whoever needs a part that is not ready waits for it, or gets `NotReady`, which says how far it is.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import msgspec

from noctagon.core.game import NoctagonError
from noctagon.core.player import PlayerSpec
from noctagon.core.registry import broken_games, find_game, game_names
from noctagon.processes.calls import Call
from noctagon.processes.worker_pool import Busy, WorkerPool
from noctagon.processes.workers import CallFailed
from noctagon.web.messages.preparing import Part, PartState, PartView, PreparationView

PATIENCE = 2.0
"""Seconds that a request waits for what is not ready: loading what was compiled before takes less."""
HANDOVER = 0.0005
"""Seconds after which a thread that loads lets the event loop answer a request; Python's usual 5 ms add up."""
CHAMPION = "champion"
THOUGHT_SECONDS = 0.05


class NotReady(Busy):
    """Something is still being compiled; the sentence says how far it is."""


class Compiled(msgspec.Struct, frozen=True):
    """Progress of a compilation: the functions so far, and how many there are (0: not known yet)."""

    functions: int
    total: int


class Preparation:
    """The parts of the games that are compiled in the background.

    `compile_part` compiles a part, usually in a process of its own, and yields the progress. `find_folder` returns the
    folder in which marks say what is compiled, or None; it is called in a thread.
    """

    def __init__(
        self,
        *,
        compile_part: Callable[[str, Part], AsyncIterator[Compiled]] | None = None,
        find_folder: Callable[[], Path | None] | None = None,
    ) -> None:
        self.parts: dict[tuple[str, Part], PreparedPart] = {}
        for name in game_names():
            game = find_game(name)
            self.parts[name, "rules"] = PreparedPart(name, "rules", f"the rules of {game.title}")
            if CHAMPION in game.players:
                self.parts[name, "champion"] = PreparedPart(name, "champion", f"the champion of {game.title}")
        self._compile_part = compile_part or self._in_worker
        self._find_folder = find_folder or mark_folder
        self._loading = asyncio.Lock()
        self._pool = WorkerPool(1, (), queue=len(self.parts))  # which has helpers, one for each further core
        self._work: asyncio.Task[None] | None = None
        self._announced = False

    def begin(self) -> None:
        """Begin to compile and load, in the background."""
        for why in broken_games().values():
            _say(f"{why}; it is left out")
        self._work = asyncio.create_task(self._prepare(), name="preparation")

    async def close(self) -> None:
        """Stop compiling; what is finished is kept."""
        if self._work is not None:
            self._work.cancel()
            await asyncio.wait([self._work])
        await self._pool.close()

    # Asking.

    @property
    def ready(self) -> bool:
        """True once everything is compiled, or has failed to be."""
        return all(part.over.is_set() for part in self.parts.values())

    @property
    def games(self) -> list[str]:
        """The names of all games."""
        return list(dict.fromkeys(part.game for part in self.parts.values()))

    @property
    def playable(self) -> list[str]:
        """The names of the games whose rules are loaded."""
        return [game for (game, part), found in self.parts.items() if part == "rules" and found.over.is_set()]

    def has(self, game: str, part: Part) -> bool:
        """Return whether a part can be used without waiting; a game without such a part never waits for it."""
        return (game, part) not in self.parts or self.parts[game, part].over.is_set()

    def has_player(self, game: str, player: str) -> bool:
        """Return whether a player can be used without waiting."""
        return self.has(game, "rules") and (
            PlayerSpec.parse(player).name != CHAMPION or self.has(game, "champion")
        )

    async def rules_compiled(self) -> None:
        """Wait until the rules of all games are compiled, though perhaps not yet loaded into this process."""
        for (_, part), found in self.parts.items():
            if part == "rules":
                await found.compiled.wait()

    async def finished(self) -> None:
        """Wait until every part can be used."""
        for part in self.parts.values():
            await part.over.wait()

    async def wait_for_player(self, game: str, player: str) -> None:
        """Wait until a player can be used, however long that takes."""
        part: Part = "champion" if PlayerSpec.parse(player).name == CHAMPION else "rules"
        if (game, part) in self.parts:
            await self.parts[game, part].over.wait()

    async def need(self, game: str | None = None, part: Part = "rules") -> None:
        """Wait a moment until a part of a game, or of all games, can be used; raise `NotReady` if it takes longer."""
        wanted = [one for one in self.parts.values() if one.part == part and game in (None, one.game)]
        try:
            async with asyncio.timeout(PATIENCE):
                for one in wanted:
                    await one.over.wait()
        except TimeoutError:
            late = next((one for one in wanted if not one.over.is_set()), wanted[0])
            raise NotReady(_sentence(late)) from None

    async def need_any(self, game: str = "") -> None:
        """Wait a moment until the game, or any game if none is named, can be played; raise `NotReady` otherwise."""
        if game:
            await self.need(game)
            return
        rules = [one for one in self.parts.values() if one.part == "rules"]
        waiting = [asyncio.ensure_future(one.over.wait()) for one in rules]
        done, _ = await asyncio.wait(waiting, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        for one in waiting:
            one.cancel()
        if not done:
            raise NotReady(_sentence(min(rules, key=lambda one: one.state != "compiling")))

    async def need_player(self, game: str, player: str) -> None:
        """Wait a moment until a game and one of its players can be used; raise `NotReady` if it takes longer."""
        await self.need(game)
        if PlayerSpec.parse(player).name == CHAMPION:
            await self.need(game, "champion")

    def view(self) -> PreparationView:
        return PreparationView(self.ready, [part.view() for part in self.parts.values()])

    # Compiling.

    async def _prepare(self) -> None:
        began = time.monotonic()
        interval = sys.getswitchinterval()
        sys.setswitchinterval(HANDOVER)
        try:
            await self._prepare_games()
        except Exception as error:  # nobody must wait for ever
            _say(f"the games cannot be compiled beforehand: {type(error).__name__}: {error}")
            for part in self.parts.values():
                part.end()
        finally:
            sys.setswitchinterval(interval)
        if self._announced:
            _say(f"everything is compiled, after {time.monotonic() - began:.0f} s")

    async def _prepare_games(self) -> None:
        folder = await asyncio.to_thread(self._find_folder)
        await asyncio.gather(*(self._prepare_game(game, folder) for game in self.games))
        await self._pool.close()  # its processes have compiled, and take a few hundred MB each
        await asyncio.to_thread(_complete)

    async def _prepare_game(self, game: str, folder: Path | None) -> None:
        rules = self.parts[game, "rules"]
        await self._prepare_part(rules, folder)
        rules.compiled.set()
        try:
            async with self._loading:  # one after the other: the first game can be played sooner
                await asyncio.to_thread(self._load_reporting, rules, asyncio.get_running_loop())
        except Exception as error:
            rules.fail(error)
        rules.end()
        if (champion := self.parts.get((game, "champion"))) is not None:
            await self._prepare_part(champion, folder)
            champion.end()

    def _load_reporting(self, rules: PreparedPart, loop: asyncio.AbstractEventLoop) -> None:
        """Load a game's rules into this process; report the progress if they have to be compiled here after all."""

        def report(progress: Compiled) -> None:
            loop.call_soon_threadsafe(rules.progressed, progress)

        with _watched(report):
            load_rules(rules.game)

    def _in_worker(self, game: str, part: Part) -> AsyncIterator[Compiled]:
        return self._pool.stream(Call(compile_part_of, game, part))

    async def _prepare_part(self, part: PreparedPart, folder: Path | None) -> None:
        """Let a process compile a part, unless that was done before."""
        mark = None if folder is None else folder / f"{part.game}-{part.part}-compiled"
        if mark is None or mark.exists():
            return  # where nothing can be kept, each process compiles for itself
        if not self._announced:
            self._announced = True
            _say("compiling for this machine, this one time only; the page says how far it is")
        try:
            async for progress in self._compile_part(part.game, part.part):
                part.progressed(progress)
        except (CallFailed, NoctagonError) as error:
            part.fail(error)
            return
        with contextlib.suppress(OSError):
            mark.touch()


class PreparedPart:
    """A part of a game, and how far it is."""

    def __init__(self, game: str, part: Part, what: str) -> None:
        self.game = game
        self.part = part
        self.what = what
        self.state: PartState = "waiting"
        self.over = asyncio.Event()
        """Set when it can be used: it is ready, or compiling it has failed and each process does so itself."""
        self.compiled = asyncio.Event()
        """Set before that, when it is compiled and kept, or compiling it has failed."""
        self.functions = 0
        self.total = 0
        self._began = 0.0

    def progressed(self, progress: Compiled) -> None:
        if self.state != "compiling" or progress.functions <= self.functions:  # the next group of functions
            self._began = time.monotonic()
        self.state = "compiling"
        self.functions, self.total = progress.functions, progress.total

    def fail(self, error: Exception) -> None:
        self.state = "failed"
        _say(f"{self.what}: {error}")

    def end(self) -> None:
        if self.state != "failed":
            self.state = "ready"
        self.compiled.set()
        self.over.set()

    @property
    def left(self) -> float | None:
        """The estimated number of seconds until it is ready."""
        if self.state != "compiling" or not 1 < self.functions < self.total:
            return None
        return (time.monotonic() - self._began) / self.functions * (self.total - self.functions)

    def text(self) -> str:
        """Return how far it is, in words."""
        if self.state == "waiting":
            return "waits for its turn"
        if self.state == "compiling":
            if 0 < self.total <= self.functions:
                return f"{self.functions} functions, now they are tried out"
            if not self.functions:
                return "begins"
            of = f" of {self.total}" if self.total else ""
            left = "" if self.left is None else f", about {max(1, round(self.left))} s left"
            return f"{self.functions}{of} functions{left}"
        return "ready" if self.state == "ready" else "could not be compiled beforehand"

    def view(self) -> PartView:
        return PartView(
            game=self.game,
            part=self.part,
            what=self.what,
            state=self.state,
            functions=self.functions,
            total=self.total or None,
            left=self.left,
            text=self.text(),
        )


def _say(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # a closed error stream is no reason to fail
        print(f"noctagon: {text}", file=sys.stderr, flush=True)


def _sentence(part: PreparedPart) -> str:
    return f"{part.what} must be compiled first, this one time only: {part.text()}; try again in a moment"


def mark_folder() -> Path | None:
    """Return the folder of compiled code, in which marks say what is complete; with other code there is another."""
    from noctagon.compiled import cache

    return cache.folder()


def import_compiler() -> None:
    """Import the compiler, which takes longer than anything else that is imported."""
    from noctagon.compiled import jit  # noqa: F401


def load_rules(game: str) -> None:
    """Take a game's compiled rules into this process."""
    find_game(game).load()


def _complete() -> None:
    """Take what is compiled for positions of any size into this process."""
    from noctagon.compiled import jit

    jit.complete()


# What runs in a worker process.


def compile_part_of(game: str, part: Part) -> Iterator[Compiled]:
    """Compile a part of a game; yield the progress."""
    progress: queue.SimpleQueue[Compiled | None] = queue.SimpleQueue()
    errors: list[BaseException] = []

    def work() -> None:
        try:
            with _watched(progress.put), _silent():
                load_rules(game) if part == "rules" else try_champion(game)
        except BaseException as error:
            errors.append(error)
        finally:
            progress.put(None)

    threading.Thread(target=work, daemon=True).start()
    yield Compiled(0, 0)
    while (told := progress.get()) is not None:
        yield told
    if errors:
        raise errors[0]


def try_champion(game: str) -> None:
    """Let a game's champion think for a moment, about a position of any size."""
    from noctagon.compiled import jit
    from noctagon.web.analysing import analyse, check_analysis

    position = find_game(game)
    checked = check_analysis(game, position.format_position(position.initial()), None, CHAMPION)
    for _ in analyse(checked, lines=2, seconds=THOUGHT_SECONDS):
        pass
    jit.complete()


@contextlib.contextmanager
def _watched(report: Callable[[Compiled], None]) -> Iterator[None]:
    """Report the progress of whatever is compiled in this process."""
    from noctagon.compiled import jit

    def watch(what: str, done: int, total: int) -> None:
        report(Compiled(done, total))

    jit.watchers.append(watch)
    try:
        yield
    finally:
        jit.watchers.remove(watch)


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Keep what is announced from the terminal, where several processes would write into one line."""
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):  # noqa: PTH123
        yield
