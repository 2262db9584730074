"""Players by their specs: the parser, the registry, options, and how the first of them play."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctagon.core.clock import Clock
from noctagon.core.game import BadNotation, Game, NoctagonError, UnknownName
from noctagon.core.player import GameStart, PlayerSpec, Resign, Undo, command_words
from noctagon.core.registry import find_game
from noctagon.games.vampires import VampiresState
from noctagon.games.wargame import WargameState
from noctagon.players import describe_player, make_player, player_names
from noctagon.players.human import HumanPlayer, wrapped

VAMPIRES = find_game("vampires")
WARGAME = find_game("wargame")

names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,10}", fullmatch=True)
values = st.from_regex(r"[A-Za-z0-9._/+-]{1,8}", fullmatch=True)
options = st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), values, max_size=3)


@given(names, options, st.sampled_from(["", "bots/mine.py", "C:\\bots\\mine.py", "/a b/c.py"]))
def test_spec_round_trip(name: str, options: dict[str, str], path: str) -> None:
    spec = PlayerSpec(name, options, path)
    assert PlayerSpec.parse(str(spec)) == spec


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (
            r'"C:\Program Files\java.exe" -jar bots\ada.jar',
            [r"C:\Program Files\java.exe", "-jar", r"bots\ada.jar"],
        ),
        (r"'C:\my bots\ada.exe' x", [r"C:\my bots\ada.exe", "x"]),
        (r"ada.exe --fast", ["ada.exe", "--fast"]),
    ],
)
def test_the_words_of_a_command_on_windows(command: str, words: list[str]) -> None:
    assert command_words(command, posix=False) == words


def test_a_command_with_a_quote_that_does_not_end_is_told() -> None:
    with pytest.raises(BadNotation, match="cmd:sh -c 'x: No closing quotation"):
        command_words("sh -c 'x", posix=True)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "'' is not a name"),
        ("alpha beta", "is not a name"),
        ("mine:MyBot", "for a class of your own write the file too, as in mine.py:MyBot"),
        ("alphabeta:depth=3,nodes", "'nodes' is not of the form option=value"),
        ("alphabeta:depth=", "'depth=' is not of the form"),
        ("alphabeta:depth=3,depth=4", "the option 'depth' is given twice"),
        ("bots/mine.py", "say which class of the file plays, as in bots/mine.py:MyBot"),
        ("bots/mine.py:", "'' is not a name"),
    ],
)
def test_a_bad_spec_says_what_is_wrong(text: str, says: str) -> None:
    with pytest.raises(BadNotation) as caught:
        PlayerSpec.parse(text)
    assert says in str(caught.value)
    assert repr(text) in str(caught.value)


@given(st.text(max_size=40))
def test_any_text_is_a_spec_or_refused(text: str) -> None:
    try:
        spec = PlayerSpec.parse(text)
    except BadNotation:
        return
    assert PlayerSpec.parse(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("alphabet:depth=3", "did you mean alphabeta?"),
        ("zebra", "there are: alphabeta, champion, conservative, expectiminimax, greedy"),
        ("alphabeta:dept=3", "alphabeta has no option 'dept'; it has depth=3, nodes=0"),
        ("alphabeta:depth=deep", "depth=deep should be a whole number"),
        ("alphabeta:depth=0", "at least 1 ply ahead; it has depth=3, nodes=0"),
        ("alphabeta:time=soon", "time=soon should be a number"),
        ("alphabeta:heuristic=prospect", "did you mean prospects?"),
        ("greedy:generator=singel", "did you mean single?"),
        ("random:seed=1", "random has no option 'seed'; it has none"),
    ],
)
def test_a_player_that_cannot_be_made_says_why(text: str, says: str) -> None:
    with pytest.raises(NoctagonError) as caught:
        make_player(PlayerSpec.parse(text), VAMPIRES)
    assert says in str(caught.value)


def test_every_player_is_described() -> None:
    for game in (VAMPIRES, WARGAME):
        for name in player_names(game):
            about, _ = describe_player(name, game)
            assert about.endswith("."), name
    with pytest.raises(UnknownName):
        describe_player("nobody", WARGAME)


def test_alphabeta_weighs_chance() -> None:
    # 3 vampires can take the house of 3 for sure, or try their luck on 4 humans (P = 3/8).
    state = VampiresState(
        rows=1, columns=3, humans={(0, 0): 3, (2, 0): 4}, vampires={(1, 0): 3}, werewolves={}, ply=0
    )
    far = VampiresState(
        rows=9, columns=9, humans={(0, 0): 3, (2, 0): 4}, vampires={(1, 0): 3}, werewolves={(8, 8): 3}
    )
    assert state.result is not None
    player = make_player(PlayerSpec.parse("alphabeta:depth=1,heuristic=population"), VAMPIRES)
    decision = player.choose(far, Clock(None))
    assert [tuple(move) for move in decision.action] == [(1, 0, 3, 0, 0)]
    assert decision.thought.score == 3.0


@pytest.mark.parametrize("game", [VAMPIRES, WARGAME], ids=lambda game: game.name)
def test_node_limits_make_a_search_repeatable(game: Any) -> None:
    player = make_player(PlayerSpec.parse("alphabeta:depth=9,nodes=300"), game)
    one, other = player.choose(game.initial(), Clock(None)), player.choose(game.initial(), Clock(None))
    assert one.action == other.action
    assert one.thought.nodes == other.thought.nodes <= 300


@pytest.mark.parametrize("generator", ["sensible", "single", "joint", "splits"])
def test_a_searcher_answers_whatever_the_generator_and_the_board(generator: str) -> None:
    rng = Random(3)
    cells = rng.sample([(x, y) for x in range(30) for y in range(30)], 180)
    state = VampiresState(
        rows=30,
        columns=30,
        humans={cell: rng.randint(1, 19) for cell in cells[:100]},
        vampires={cell: rng.randint(1, 30) for cell in cells[100:140]},
        werewolves={cell: rng.randint(1, 30) for cell in cells[140:]},
    )
    for text in ("alphabeta:depth=8", "greedy"):
        joined = f"{text}{',' if ':' in text else ':'}generator={generator}"
        player = make_player(PlayerSpec.parse(joined), VAMPIRES)
        player.start(GameStart(state), 0)
        assert player.choose(state, Clock(0.5)).action in state.actions()


def person(*lines: str) -> tuple[HumanPlayer, list[str]]:
    """A human player whose prompt is answered by a script."""
    player = HumanPlayer(WARGAME)
    said: list[str] = []
    script = iter(lines)

    def ask(prompt: str) -> str:
        said.append(prompt)
        try:
            return next(script)
        except StopIteration:
            raise EOFError from None

    player.ask, player.say = ask, said.append
    return player, said


def test_a_file_of_turns_may_begin_with_a_byte_order_mark() -> None:
    player, _ = person("\ufeffc4-c3")
    assert WARGAME.format_action(player.choose(WARGAME.initial(), Clock()).action) == "C4 C3"


def test_a_person_is_asked_again_until_the_action_is_legal() -> None:
    player, said = person("", "Z9 A0", "c4 c5", "A0 A1", "E4 E3", "c4-c3")
    assert WARGAME.format_action(player.choose(WARGAME.initial(), Clock()).action) == "C4 C3"
    warnings = [line for line in said if not line.endswith(": ")]
    assert len(warnings) == 4
    assert "Z9" in warnings[0]
    assert "rule 2" in warnings[2]


def test_a_person_gets_help_and_moves() -> None:
    player, said = person("help", "moves", "C4 C3")
    player.choose(WARGAME.initial(), Clock())
    assert "undo" in said[1]
    assert "C4 C3" in said[3]


def test_moves_say_what_they_are_and_none_loses_the_game_at_once() -> None:
    player, said = person("moves", "A0 B0")
    state = WargameState.from_units({"A0": "dA9", "A1": "dT9", "E4": "aA9"}, side=1)
    player.choose(state, Clock())
    assert said[1].split("\n")[-1] == "  A1 A1  self-destruct"
    assert "  A0 B0  move" in said[1]
    assert "A0 A0" not in said[1], "the AI's own end"
    hopeless = WargameState.from_units({"A0": "dA9", "E4": "aA9"}, ply=99, side=0)
    player, said = person("moves", "resign")
    with pytest.raises(Resign):
        player.choose(hopeless, Clock())
    assert "E4 D4  move" in said[1], "where everything loses, everything is told"


def test_what_a_person_is_told_breaks_between_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    player = HumanPlayer(WARGAME)
    script = iter(["not an action of this game at all", "C4 C3"])
    player.ask = lambda prompt: next(script)
    player.choose(WARGAME.initial(), Clock())
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    assert " ".join(lines).endswith("as in C4 C3 (the same one twice to self-destruct)")


@pytest.mark.parametrize("game", [VAMPIRES, WARGAME])
def test_help_tells_the_rules_the_notation_and_the_commands(game: Game[Any]) -> None:
    player, said = person("help", "resign")
    player.game = game
    with pytest.raises(Resign):
        player.choose(game.initial(), Clock())
    told = said[1].splitlines()
    assert [line[2:] for line in told if line.startswith("- ")] == game.how_to_play.splitlines()
    commands = [line.split("  ")[0] for line in told[told.index("") :] if "   " in line]
    odds = ["odds ACTION"] * game.abilities.random
    assert commands == ["moves", *odds, "undo", "resign, quit"]
    assert len(wrapped(said[1], 80).splitlines()) <= 23, "it fits a terminal, with the prompt below it"
    assert all(len(line) <= 80 for line in told if not line.startswith("- ")), "lines that are not wrapped"


def test_a_person_sees_the_odds() -> None:
    player, said = person("odds 0,0>1,1", "odds 0,0>1,0", "odds nonsense", "0,0>1,0")
    player.game = VAMPIRES
    state = VampiresState(rows=3, columns=3, humans={(1, 1): 6}, vampires={(0, 0): 3}, werewolves={(2, 2): 3})
    player.choose(state, Clock())
    assert said[1] == "3 against 6 humans at (1,1): 25%"
    assert said[3] == "Nothing is left to chance."
    assert said[5].startswith("Not understood")


def test_a_person_can_take_back_and_give_up() -> None:
    with pytest.raises(Undo):
        person("undo")[0].choose(WARGAME.initial(), Clock())
    with pytest.raises(Resign, match="resigned"):
        person("resign")[0].choose(WARGAME.initial(), Clock())
    with pytest.raises(Resign, match="the input ended"):
        person()[0].choose(WARGAME.initial(), Clock())
