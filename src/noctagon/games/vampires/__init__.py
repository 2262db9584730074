"""Vampires vs Werewolves: two species on a grid, humans to convert, battles decided by dice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from noctagon.core.game import Abilities, Benchmark, Game, IllegalAction, Rules, State
from noctagon.games.vampires.maps.generated import generated_position
from noctagon.games.vampires.maps.map import GENERATED, bundled_maps, find_map, read_map
from noctagon.games.vampires.rules.notation import format_position, parse_position, parse_turn
from noctagon.games.vampires.rules.ruleset import HANDOUT, SERVER, VampiresRules
from noctagon.games.vampires.rules.state import VampiresState
from noctagon.games.vampires.rules.turn import Move, Turn, read_moves

if TYPE_CHECKING:
    from noctagon.core.maps import MapEditor
    from noctagon.games.vampires.wire import VampiresWire

__all__ = ["Move", "Turn", "VampiresGame", "VampiresRules", "VampiresState", "game"]


class _Evaluation:
    """An evaluation by name, with its `terms`; imported when first asked for."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, state: VampiresState) -> float:
        return _evaluations().__dict__[self.name](state)  # type: ignore[no-any-return]

    def terms(self, state: VampiresState) -> dict[str, float]:
        """Return the terms of the value, as the first player sees it."""
        return _evaluations().__dict__[f"{self.name}_terms"](state)  # type: ignore[no-any-return]


def _evaluations() -> ModuleType:
    return import_module("noctagon.games.vampires.champion.evaluation")


class VampiresGame(Game[Turn]):
    name = "vampires"
    title = "Vampires vs Werewolves"
    about = "Convert humans, outnumber the other species; turns are joint moves and battles are random."
    sides = ("Vampires", "Werewolves")
    abilities = Abilities(random=True, enumerable=False, skip=True, compiled=True)
    turn_seconds = 2.0
    game_seconds = 300.0
    late = "skip"
    rule_sets = {"handout": HANDOUT, "server": SERVER}
    evaluations = {"prospects": _Evaluation("prospects"), "population": _Evaluation("population")}
    generators = {
        "sensible": "a short list: towards houses and prey, away from hunters, in twos where it pays",
        "single": "one group moves, whole",
        "joint": "every group stays or moves, whole",
        "splits": "every group stays, moves, or splits in two, in all sizes",
        "targeted": "at most a dozen departures a group, each towards a house, a foe, a friend, or away",
        "all": "every legal turn, whole groups first",
    }
    how_to_play = (
        "In a turn you send as many creatures as you like from your cells to cells beside them; groups split and "
        "merge. A cell that creatures leave cannot be a target in the same turn.\n"
        "Humans join you when at least as many of you arrive as there are of them. Enemies die when you come with "
        "one and a half times their number, or more.\n"
        "With fewer you must fight; you see the odds before you commit. The side that loses a battle loses every "
        "creature in it.\n"
        "A species without creatures has lost. At the turn limit the larger one wins."
    )
    notation = (
        "V5 on the board are 5 Vampires, W5 are Werewolves, H5 is a house of 5 humans.\n"
        "A move is x,y>tx,ty:count, from a cell to one of the 8 around; x is the column.\n"
        "Without :count all go; a compass point may be the target, as in 4,3>NE.\n"
        "A turn is one or more moves with spaces between: 4,3>5,4:5 4,3>3,4:3 (a split)."
    )
    players = {
        name: f"noctagon.games.vampires.{where}"
        for name, where in {
            "random": "players.progression:RandomGroupPlayer",
            "conservative": "players.progression:ConservativePlayer",
            "smart-greedy": "players.progression:SmartGreedyPlayer",
            "smart": "players.progression:SmartPlayer",
            "smart-split": "players.progression:SmartSplitPlayer",
            "merge": "players.progression:MergePlayer",
            "report-2024": "players.report2024:Report2024Player",
            "subgroups": "players.subgroups:SubgroupsPlayer",
            "twilight": "players.twilight:TwilightPlayer",
            "mcts": "players.mcts:MctsPlayer",
            "champion": "champion.search:ChampionPlayer",
        }.items()
    }
    commands = {"maps": "noctagon.games.vampires.maps.command:app"}
    drawn_setups = GENERATED
    demo = ("alphabeta:depth=3", "alphabeta:depth=2")

    def load(self) -> None:
        from noctagon.compiled.jit import prepare

        prepare(
            f"the rules of {self.title}",
            "noctagon.games.vampires.rules.packing",
            "noctagon.games.vampires.champion.prospects",
        )

    def setups(self) -> Mapping[str, str]:
        return {name: found.about for name, found in bundled_maps().items()}

    def initial(self, setup: str | None = None, rules: Rules | None = None) -> VampiresState:
        if setup and setup.startswith(GENERATED):
            return generated_position(setup, _own(rules))
        found = find_map(setup) if setup else next(iter(bundled_maps().values()))
        return VampiresState.from_map(found, _own(rules))

    def setup_warnings(self, setup: str) -> Sequence[str]:
        is_file = setup.endswith(".xml") and setup not in bundled_maps()
        return read_map(setup)[1] if is_file else ()

    def map_editor(self) -> MapEditor[Any, Any, Any]:
        from noctagon.games.vampires.maps.editor import EDITOR

        return EDITOR

    def benchmarks(self, *, quick: bool = False) -> Sequence[Benchmark]:
        from noctagon.games.vampires.benchmarks import benchmarks

        return benchmarks(quick=quick)

    def wire(self) -> VampiresWire:
        from noctagon.games.vampires.wire import VampiresWire

        return VampiresWire(self)

    def parse_action(self, text: str, state: State[Turn]) -> Turn:
        assert isinstance(state, VampiresState)
        return parse_turn(text, state)

    def format_action(self, action: Turn) -> str:
        return " ".join(map(str, read_moves(action)))  # in the order it was given

    def parse_position(self, text: str, rules: Rules | None = None) -> VampiresState:
        return parse_position(text, _own(rules))

    def format_position(self, state: State[Turn]) -> str:
        assert isinstance(state, VampiresState)
        return format_position(state)


def _own(rules: Rules | None) -> VampiresRules:
    if rules is None:
        return HANDOUT
    if not isinstance(rules, VampiresRules):
        raise IllegalAction(f"these are not rules of Vampires vs Werewolves: {rules}")
    return rules


game = VampiresGame()
