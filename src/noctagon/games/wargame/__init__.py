"""AI Wargame: an attacker and a defender, six units each on five by five cells; destroy the enemy's AI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noctagon.core.game import Abilities, Game, NoctagonError, Rules, State, UnknownName, WinningOdds
from noctagon.games.wargame.players import evaluation
from noctagon.games.wargame.rules import notation, units
from noctagon.games.wargame.rules.state import Action, WargameRules, WargameState

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from noctagon.core.game import Benchmark
    from noctagon.games.wargame.wire import WargameWire

__all__ = ["Action", "WargameGame", "WargameRules", "WargameState", "game"]


class WargameGame(Game[Action]):
    """The game as the rest of the package sees it."""

    name = "wargame"
    title = "AI Wargame"
    about = (
        "Attacker against defender on 5×5 cells: move, attack, repair, self-destruct; destroy the enemy's AI."
    )
    sides = units.SIDES
    abilities = Abilities(compiled=True)
    turn_seconds = 5.0
    late = "lose"
    rule_sets: Mapping[str, WargameRules] = {
        "document": WargameRules(),
        "engine": WargameRules(name="engine", limit_first=True),
    }
    evaluations: Mapping[str, evaluation.Heuristic] = {
        "e2": evaluation.e2,
        "e1": evaluation.e1,
        "e0": evaluation.e0,
        "champion": evaluation.champion,
        "assault": evaluation.assault,
        "bulwark": evaluation.bulwark,
        "onslaught": evaluation.onslaught,
        "health": evaluation.health,
        "turtle": evaluation.turtle,
    }
    odds = WinningOdds(-0.77, 0.0067)
    """Fitted to 11,400 positions of 200 games between players of all strengths, searched for 3000 nodes each."""
    judge = "champion:heuristic=onslaught"
    """One network for both sides. The champion attacks by one and defends by another, so that its chances change with
    the side to move by 12 % a turn where nothing happens; those of one network change by 2 %."""
    players = {
        "minimax": "noctagon.games.wargame.players.searchers:MinimaxPlayer",
        "alphabeta": "noctagon.games.wargame.players.searchers:AlphaBetaPlayer",
        "turtle": "noctagon.games.wargame.players.searchers:TurtlePlayer",
        "champion": "noctagon.games.wargame.players.searchers:ChampionPlayer",
    }
    commands = {
        "wargame": "noctagon.games.wargame.program.command:wargame",
        "prove": "noctagon.games.wargame.proofs.command:prove",
    }
    how_to_play = (
        "Each turn one unit acts: it moves to a free cell beside it, attacks an enemy beside it, repairs a friend, "
        "or destroys itself, which hurts all eight cells around it.\n"
        "In an attack both strike at once. A Virus kills an AI with one blow, a Tech hurts Viruses most.\n"
        "AI, Firewall and Program only move forwards (the Attacker's up or left, the Defender's down or right), and "
        "not while an enemy stands beside them. Virus and Tech go where they like.\n"
        "Destroy the other AI. If both stand at the turn limit, the Defender has won."
    )
    notation = (
        "On the board dA9 is the Defender's AI with full health (9). a is the Attacker,\n"
        "V a Virus, T a Tech, F a Firewall, P a Program.\n"
        "An action is two cells, unit and target: C4 C3. The target tells what it is:\n"
        "free, a move; an enemy, an attack; a friend, a repair; itself, self-destruction."
    )
    demo = ("alphabeta:heuristic=e2", "alphabeta:heuristic=e1")

    def load(self) -> None:
        from noctagon.compiled.jit import prepare

        prepare(
            "the AI Wargame rules",
            "noctagon.games.wargame.rules.kernel",
            "noctagon.games.wargame.players.evaluation_kernel",
            "noctagon.games.wargame.players.search_kernel",
        )

    def setups(self) -> Mapping[str, str]:
        return {"start": "the opening position: the defender top left, the attacker bottom right"}

    def initial(self, setup: str | None = None, rules: Rules | None = None) -> WargameState:
        """Return the opening position, or the one that a full text gives (`dA9 dT9 … a 0`)."""
        if setup is None or setup == "start":
            return self.parse_position(units.START, rules)
        if len(setup.split()) == 1:
            raise UnknownName("setup of wargame", setup, self.setups())
        return self.parse_position(setup, rules)

    def benchmarks(self, *, quick: bool = False) -> Sequence[Benchmark]:
        from noctagon.games.wargame.benchmarks import benchmarks

        return benchmarks(quick=quick)

    def wire(self) -> WargameWire:
        from noctagon.games.wargame.wire import WargameWire

        return WargameWire(self)

    def parse_action(self, text: str, state: State[Action]) -> Action:
        return notation.parse_action(text)

    def format_action(self, action: Action) -> str:
        return str(Action(*action))

    def parse_position(self, text: str, rules: Rules | None = None) -> WargameState:
        if rules is None:
            rules = self.rule_sets["document"]
        if not isinstance(rules, WargameRules):
            raise NoctagonError(f"AI Wargame is played by WargameRules, not {type(rules).__name__}")
        cells, side, ply = notation.parse_position(text)
        return WargameState(cells, side=side, ply=ply, rules=rules)

    def format_position(self, state: State[Action]) -> str:
        assert isinstance(state, WargameState)
        return notation.format_position(state.cells, state.side, state.ply)


game = WargameGame()
