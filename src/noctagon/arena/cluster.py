"""Games on other machines: an executor on a Dask cluster whose workers play as this process would."""

from __future__ import annotations

import logging
import platform
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from concurrent.futures import CancelledError, Executor, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple, ParamSpec, TypeVar

from noctagon.arena.bout import Bout
from noctagon.arena.versions import version_of
from noctagon.core.game import NoctagonError
from noctagon.core.player import PlayerSpec
from noctagon.core.registry import find_game
from noctagon.processes.executor import WorkersLost
from noctagon.processes.seats import make_seat

R = TypeVar("R")
P = ParamSpec("P")

CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 10.0
"""Seconds within which the scheduler has to list its workers."""
ARRIVAL_SECONDS = 10.0
"""Seconds that a cluster may be without workers when a tournament begins."""
RECOUNT_SECONDS = 1.0

_ASK = f"__import__('importlib').import_module({__name__!r}).Terms.here()[:]"
"""Expression for the versions of another process; where it has no such module, the error is its answer."""


class Terms(NamedTuple):
    """Versions that must be the same on both sides: otherwise the games would be others than were asked for."""

    python: str
    noctagon: str

    @classmethod
    def here(cls) -> Terms:
        return cls(
            ".".join(platform.python_version_tuple()[:2]), version_of(PlayerSpec("random")).partition(" ")[2]
        )


class Cluster(Executor):
    """An executor that plays on the workers of a Dask cluster, one game a worker.

    The scheduler gives a game whose worker vanishes to another one; a game that loses several workers fails with
    `BrokenProcessPool`, as that of a local worker does. Without the scheduler everything fails with `WorkersLost`.
    """

    def __init__(self, client: Any, address: str) -> None:
        self.address = address
        self._client = client
        self._executor = client.get_executor(pure=False)
        self._terms = Terms.here()
        self._running: set[Future[Any]] = set()
        self._lock = threading.Lock()
        self._counted = float("-inf")
        self._slots = 1

    def slots(self) -> int:
        """Return how many games the current workers play at once; 1 without workers, for the next one to arrive."""
        if time.monotonic() - self._counted > RECOUNT_SECONDS:
            self._slots = max(1, len(self._workers()))
            self._counted = time.monotonic()
        return self._slots

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        promised: Future[R] = Future()
        promised.set_running_or_notify_cancel()
        with self._explained():
            played = self._executor.submit(_perform, self._terms, partial(fn, *args, **kwargs))
        with self._lock:
            self._running.add(promised)
        played.add_done_callback(partial(self._done, promised))
        return promised

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if cancel_futures or not wait:
            self.kill()
        with self._lock:
            running = set(self._running)
        futures.wait(running)

    def kill(self) -> None:
        """Cancel everything; the workers finish the games they are playing, and their results are dropped."""
        with self._lock:
            running, self._running = self._running, set()
        for promised in running:
            promised.set_exception(CancelledError())
        self._executor.shutdown(wait=False)

    def prepare(self, games: Sequence[str]) -> None:
        """Check every worker and have it load the rules of the games; raise `NoctagonError` if one does not fit.

        One worker of each machine goes first, since the others can read what it has compiled.
        """
        deadline = time.monotonic() + ARRIVAL_SECONDS
        while not (workers := self._workers()):
            if time.monotonic() > deadline:
                raise NoctagonError(f"the cluster at {self.address} has no workers; see docs/cluster.md")
            time.sleep(0.1)
        with self._explained():
            answers = self._client.run(eval, _ASK, on_error="return")
            scheduler = self._client.sync(self._ask_scheduler, callback_timeout=ANSWER_SECONDS)
        _compare(self._terms, f"the scheduler at {self.address}", scheduler)
        workers = self._workers()
        for worker, answer in answers.items():
            if worker in workers:
                _compare(self._terms, f"worker {worker}", answer)
        machines = [
            list(group) for _, group in groupby(sorted(workers), key=lambda worker: worker.rpartition(":")[0])
        ]
        self._introduce([machine[0] for machine in machines], games)
        self._introduce([worker for machine in machines for worker in machine[1:]], games)

    async def _ask_scheduler(self) -> object:
        try:
            return await self._client.run_on_scheduler(eval, _ASK)
        except OSError:
            raise
        except Exception as error:
            return error

    def _introduce(self, workers: Sequence[str], games: Sequence[str]) -> None:
        asked = {
            worker: self._client.get_executor(pure=False, workers=[worker]).submit(
                _perform, self._terms, partial(load, tuple(games))
            )
            for worker in workers
        }
        while asked:
            futures.wait(asked.values(), timeout=RECOUNT_SECONDS, return_when=futures.FIRST_COMPLETED)
            there = self._workers()
            for worker, answer in list(asked.items()):
                if answer.done():
                    del asked[worker]
                    self._explain(answer)
                elif (
                    worker not in there
                ):  # it has left; a worker that comes later is checked with its first game
                    asked.pop(worker).cancel()

    def _workers(self) -> dict[str, int]:
        """Return the number of threads of each worker."""
        with self._explained():
            found: dict[str, int] = self._client.sync(
                self._client.scheduler.ncores, workers=None, callback_timeout=ANSWER_SECONDS
            )
        return found

    def _done(self, promised: Future[Any], played: Future[Any]) -> None:
        with self._lock:
            if promised not in self._running:
                return
            self._running.discard(promised)
        try:
            self._explain(played)
        except Exception as error:
            promised.set_exception(error)
        else:
            promised.set_result(played.result())

    def _explain(self, played: Future[Any]) -> None:
        """Raise the error of a finished call, if it failed, in words that help."""
        from distributed import KilledWorker

        if played.cancelled():
            raise self._lost()
        error = played.exception()
        if isinstance(error, KilledWorker):
            raise BrokenProcessPool(str(error))
        if error is not None:
            raise error

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Raise `WorkersLost` instead of what Dask raises when the scheduler is gone."""
        try:
            yield
        except Exception as error:  # what Dask raises depends on how far its client has closed itself
            if isinstance(error, OSError) or self._client.status != "running":
                raise self._lost() from error
            raise

    def _lost(self) -> WorkersLost:
        return WorkersLost(
            f"the Dask scheduler at {self.address} is gone; all games that were finished are kept, and the same "
            f"command goes on once it is back"
        )


@contextmanager
def cluster_executor(address: str, games: Sequence[str] = ()) -> Iterator[Cluster]:
    """Connect to a Dask cluster by its scheduler's address, and have its workers load the rules of the games."""
    try:
        from distributed import Client
    except ImportError as error:
        raise NoctagonError("a cluster needs Dask: pip install 'noctagon[cluster]'") from error
    logger = logging.getLogger("distributed.client")
    before = logger.level
    logger.setLevel(logging.CRITICAL)  # Cluster raises what matters as an error
    try:
        try:
            client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise NoctagonError(
                f"no Dask scheduler answers at {address!r}: it is given as tcp://HOST:8786, and started by "
                f"`dask scheduler`; see docs/cluster.md"
            ) from error
        with client:
            cluster = Cluster(client, address)
            cluster.prepare(games)
            yield cluster
    finally:
        logger.setLevel(before)


def load(games: Sequence[str]) -> None:
    """Load the rules of games."""
    for game in games:
        find_game(game).load()


def _compare(terms: Terms, who: str, answer: object) -> None:
    """Raise `NoctagonError` if a process has other versions, or cannot say which."""
    if answer == terms:
        return
    if isinstance(answer, tuple):
        theirs = Terms(*answer)
        fault = f"has Python {theirs.python} and noctagon {theirs.noctagon}"
    else:
        fault = f"has no noctagon that can play here ({type(answer).__name__}: {answer})"
    raise NoctagonError(
        f"{who} {fault}; this is Python {terms.python} and noctagon {terms.noctagon}: install the same on both"
    )


def _perform(terms: Terms, call: partial[R]) -> R:
    """Make a call on a worker, after checking that the worker fits."""
    from distributed import get_worker

    worker = get_worker()
    me = f"worker {worker.address} ({platform.node()})"
    _compare(terms, me, Terms.here())
    if worker.state.nthreads != 1:
        raise NoctagonError(
            f"{me} has {worker.state.nthreads} threads: games that share a process take each other's time; start it "
            f"with --nthreads 1, and --nworkers as many as there are cores"
        )
    try:
        for argument in call.args:
            if isinstance(argument, Bout):
                _check_programs(argument)
        return call()
    except NoctagonError as error:  # as plain text: the error itself may not be serialisable
        raise NoctagonError(f"{me}: {error}") from None


def _check_programs(bout: Bout) -> None:
    """Raise if a player's program cannot be started here: the fault is this machine's, and must not cost the game."""
    for entrant in bout.entrants:
        spec = PlayerSpec.parse(entrant.spec)
        if spec.path or spec.command:
            make_seat(spec, find_game(bout.game))
