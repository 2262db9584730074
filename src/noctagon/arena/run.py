"""Running a tournament: every game is stored when it ends, and no stored game is played again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path

import msgspec

from noctagon.arena.bout import Bout, Finished
from noctagon.arena.ledger import Ledger
from noctagon.arena.meetings import Fixture, Meeting
from noctagon.arena.plan import Plan, changes, stored_plan
from noctagon.arena.running import play_shown
from noctagon.arena.store.store import Store
from noctagon.arena.tournament import Tournament
from noctagon.core.game import NoctagonError
from noctagon.processes.executor import ProcessExecutor, run_all


class Run(Ledger):
    """A tournament that is played into a store.

    Stored games count where their conditions are those of the current plan. `stale` are those that do not, and
    `changes` says what has changed since.
    """

    def __init__(self, tournament: Tournament, store: Store) -> None:
        self.tournament = tournament
        self.store = store
        self.todo: deque[Bout] = deque()
        self.withheld: dict[str, None] = {}
        """Reasons why games were withheld, each once."""
        stored = store.finished(tournament.plan.name)
        self._by_key = {(game.slot, game.key): game for game in stored}
        self._bouts: dict[str, Bout] = {}
        super().__init__(tournament.plan)
        counted = {(game.slot, game.key) for game in self.games.values()}
        self.stale = [game for game in stored if (game.slot, game.key) not in counted]
        self.changes = [*_changes(store, self.plan), *_other_programs(self.stale, tournament)]

    def resume(self, *, accept: bool = False) -> list[str]:
        """Save the plan in the store; return what has changed since it was saved last.

        Raises `NoctagonError` where stored games no longer fit the plan; with `accept` they are set aside.
        """
        if self.stale and not accept:
            what = "".join(f"\n  {change}" for change in self.changes) or "\n  the conditions of its games"
            count = len(self.stale)
            raise NoctagonError(
                f"{self.plan.name} has changed since {count} of its games were played:{what}\n"
                f"With --accept-changes {'they are' if count > 1 else 'it is'} set aside{self._after_that()}; "
                f"under another name it is another tournament."
            )
        aside = [(game.slot, game.key) for game in self.stale]
        self.store.set_aside(self.plan.name, aside)
        for which in aside:  # a later round may have the same game again, which is then played
            del self._by_key[which]
        self.stale = []
        self.store.save_plan(self.plan.name, self.plan.game, msgspec.json.encode(self.plan))
        return self.changes

    def play(
        self,
        executor: Executor | None = None,
        *,
        slots: Callable[[], int] | None = None,
        shown_in: Path | None = None,
        look: Callable[[Collection[Bout], int], None] | None = None,
        keep: Callable[[Finished], None] | None = None,
    ) -> None:
        """Play what is left, in processes of this machine or by an executor that plays `slots()` games at once.

        Running games are shown in the folder `shown_in`; `keep` gets each game once it is in the store. Ctrl-C waits
        for the running games, a second one does not; both raise `KeyboardInterrupt`, and the same call goes on later.
        """
        at_once = slots or (lambda: self.tournament.concurrency)

        def next_bout(running: Collection[Bout]) -> Bout | None:
            return self._next() if len(running) < at_once() else None

        if not self.is_over:
            with executor or ProcessExecutor(self.tournament.concurrency, [self.plan.game]) as pool:
                perform = (
                    partial(play_shown, tournament=self.plan.name, folder=shown_in) if shown_in else Bout.play
                )

                def add(bout: Bout, game: Finished) -> None:
                    self._add(game)
                    if keep is not None:
                        keep(game)

                run_all(pool, perform, next_bout, add, look=look)
            if self.withheld:
                raise NoctagonError(
                    "\n".join([*self.withheld, "All games that do not wait for that are played."])
                )

    def _after_that(self) -> str:
        """Say what happens to games that are set aside: those that the plan still has are played again."""
        again = sum(game.slot in self.fixtures for game in self.stale)
        if again == len(self.stale):
            return " and played again"
        if again == 0 and self.schedule.whole:
            return ", and the plan has no such games any more"
        return ", and those that the plan still has are played again"

    def _next(self) -> Bout | None:
        """Return the next game; games of a program that has been edited meanwhile are withheld."""
        while self.todo:
            bout = self.todo.popleft()
            if self.is_off(bout.slot):
                continue
            try:
                for entrant in bout.entrants:
                    entrant.check_program()
            except NoctagonError as reason:
                self.withheld[str(reason)] = None
            else:
                return bout
        return None

    def _add(self, game: Finished) -> None:
        self.count(self.store.keep(game, self.plan.name))
        if not self.schedule.whole and self.is_played:
            self._draw()

    def _enter(self, meeting: Meeting) -> None:
        bouts = self.tournament.bouts(meeting)
        self._bouts |= {bout.slot: bout for bout in bouts}
        super()._enter(meeting)
        self.todo += [bout for bout in bouts if bout.slot not in self.games]

    def _recall(self, fixture: Fixture) -> Finished | None:
        return self._by_key.get((fixture.slot, self._bouts[fixture.slot].key))


def _changes(store: Store, plan: Plan) -> list[str]:
    """Describe what has changed since the plan was stored last."""
    before = store.plan(plan.name)
    if before is None:
        return []
    try:
        return changes(stored_plan(before.name, before.plan), plan)
    except NoctagonError as error:  # the current plan is about to replace it
        return [str(error)]


def _other_programs(stale: Sequence[Finished], tournament: Tournament) -> list[str]:
    """Return a line for each player whose program is not the one that played these games."""
    now = {entrant.name: entrant for entrant in tournament.entrants}
    changed: dict[str, None] = {}
    for game in stale:
        for name, spec, version in zip(game.players, game.specs, game.versions, strict=True):
            if name in now and now[name].spec == spec and now[name].version != version:
                changed[f"{name}: its program has changed"] = None
    return list(changed)
