"""The study of Vampires vs Werewolves: what the three documents say of their players, put to the test."""

from __future__ import annotations

from noctagon.arena.starts import Start
from noctagon.games.vampires.maps.map import bundled_maps
from noctagon.studies.claims import GREAT, Claim
from noctagon.studies.pairs import Conditions
from noctagon.studies.sections import ClaimsSection, Method, TreeSection
from noctagon.studies.study import Study
from noctagon.studies.vampires_sections import (
    FaultsSection,
    SettingsSection,
    SituationsSection,
    SplittersSection,
    TurnTimeSection,
    VariedSection,
)

THINK = 0.02
"""Seconds for a turn, so that thousands of games are played within the hour."""
LONG = 0.04
"""Seconds for a turn where depth is what is asked about."""
MOST_NODES = 60_000

CONDITIONS = Conditions(
    "vampires", tuple(bundled_maps()), seconds=2.0, plies=80, think=THINK, opening=2, generator="single"
)
QUICK = Conditions(
    "vampires",
    ("closet",),
    seconds=2.0,
    plies=8,
    think=0.005,
    opening=2,
    generator="single",
    most=0.005,
)

PROGRESSION = ("random", "conservative", "smart-greedy", "smart", "smart-split", "merge")

LEARNT = {
    "tree": (
        "001's estimate is right for minimax, which grows by × {minimax factor} a ply; alpha-beta leaves × "
        "{alpha-beta factor}, with ordering × {alpha-beta, ordered factor}, and with the table × {alpha-beta, "
        "ordered, table factor}: half the exponent, as theory has it. Two more plies for nothing are worth more than "
        "any trick of the heuristic."
    ),
    "progression": (
        "The first leap is real ({conservative} against `random`): to look ahead at all is nearly everything. The "
        "next two steps are none: `smart-greedy` takes battles that `conservative` avoids and loses more than it "
        "gains by them ({smart-greedy}), and the sum of SmartScan is not a better heuristic than the simple one it "
        "replaced ({smart}), for along the way it counts what is near as well as what is eaten. Splitting "
        "({smart-split}) and merging ({merge}) help, though not by leaps. The maps tell why: splitting wins wherever "
        "there are many small houses (plains, wilds, crowd, duel) and loses where the parts meet the enemy at once "
        "(closet, tower)."
    ),
    "splitting": (
        "Three ways to split, by three teams, and each is worth some ten points of a hundred: {split}, {groups}, "
        "{subgroups}. To merge again is worth as much ({merging}): a player that splits needs both."
    ),
    "weights": (
        "Which way round the weights are makes no difference that {resource-first} could show: unit counts, at "
        "weight 10, decide almost every comparison. The contradiction in the document was harmless."
    ),
    "varied": (
        "`report-2024` is at its best where one group after the other can be eaten, and helpless where many houses "
        "call for several groups at once ({worst maps}): only its strongest group ever moves. That it adapts its "
        "weights does not make up for it."
    ),
    "depth-times": (
        "The claim is modest: even in Python, depth 3 takes at most {depth 3 slowest} s on any of these maps, and "
        "depth 5 at most {depth 5 slowest} s. With one group of eight steps there is room for two plies more; the "
        "authors stopped too early."
    ),
    "twilight": (
        "With this little time the depth matters less than the groups: one ply more is worth at most a few points "
        "({max_depth 3} for the third), a second group more ({max_groups 2}), a third hardly anything ({max_groups "
        "3}). The default of four plies pays only where there is time for it."
    ),
    "non-splitters": (
        "It does better against those who keep together ({against whole}) than against those who split ({against "
        "splitting}), so the speculation on the opponent's groups works; very strong it is not. Against `merge`, "
        "which splits and merges, it loses."
    ),
    "mcts": (
        "The next step that 000 asks for is one: {mcts-report} against its own player in the same time, and "
        "{mcts-random} against `random` with 0.02 s a turn. Its games against `random` are lost on the one map "
        "without humans and in the corridor, where there is nothing to plan."
    ),
    "faults": (
        "No illegal turn, no late one, no crash in {turns} turns of the six: what 001 says of its player holds for "
        "ours."
    ),
    "situations": (
        "Only `merge` was tuned to these, and only it meets all. To run when slightly ahead at the end is what "
        "nobody else does: it needs a rule of its own, or a search that sees the end."
    ),
}

CLOSING = (
    "What we learnt: looking ahead, splitting for many small houses and coming together again are what wins this "
    "game; finer heuristics for one group are not. Much of what the documents report as progress is within the noise "
    "of a few games, which is all their authors could play. What we would change: let the search see the whole turn "
    "of all groups (not the strongest alone), value a position rather than sum up moves on the way to it, measure "
    "every change by some hundred paired games before keeping it, and write the whole thing in something fast: at "
    "0.02 s a turn these players see three plies, at the course's 2 s perhaps five."
)

TREE = TreeSection(
    title="The tree: nodes and time by depth",
    intro=(
        "{positions} starting positions searched to each depth, every step of a single whole group being a move, as "
        "for 001's first players; with the evaluation `prospects`. 001 calls the leaves depth 1, so its "
        "8^(d−1) is 8 to the power of the plies looked ahead; borders and corners leave fewer than 8 steps."
    ),
    game="vampires",
    methods={
        "minimax": Method("minimax:generator=single", MOST_NODES),
        "alpha-beta": Method("alphabeta:generator=single,order=false,table=false", MOST_NODES),
        "alpha-beta, ordered": Method("alphabeta:generator=single,order=true,table=false", MOST_NODES),
        "alpha-beta, ordered, table": Method("alphabeta:generator=single", MOST_NODES),
    },
    starts=[Start(setup) for setup in ("duel", "islands", "split", "middle")],
    depths=range(1, 7),
    quick_depths=range(1, 4),
    said={"001: 8^(d−1)": lambda plies: 8.0**plies},
    learnt=LEARNT.get("tree", ""),
)

PROGRESS = ClaimsSection(
    "progression",
    title="001: each player against its predecessor",
    intro=(
        "The six players of 001 in the order they were written. Where the document speaks of a great leap, the "
        f"score is held to {100 * GREAT:.0f} %; elsewhere a step forward is anything above the half."
    ),
    claims=[
        Claim(
            "conservative",
            "`conservative` is a great leap forward from `random`",
            "001 §1",
            "conservative",
            "random",
            GREAT,
        ),
        Claim(
            "smart-greedy",
            "`smart-greedy` is better than the too protective `conservative`",
            "001 §1",
            "smart-greedy",
            "conservative",
        ),
        Claim(
            "smart",
            "the sum of SmartScan is the better heuristic: `smart` beats `smart-greedy`",
            "001 §5",
            "smart",
            "smart-greedy",
        ),
        Claim(
            "smart-split",
            "splitting is the next great leap: `smart-split` beats `smart`",
            "001 §1",
            "smart-split",
            "smart",
            GREAT,
        ),
        Claim("merge", "`merge` mends what `smart-split` fails at", "001 §1", "merge", "smart-split"),
    ],
    learnt=LEARNT.get("progression", ""),
)

SPLITTING = ClaimsSection(
    "splitting",
    title="What splitting and merging are worth",
    intro="The same player with and without: splitting, merging, three groups, subgroups.",
    claims=[
        Claim("split", "splitting helps (001's way)", "001 §2", "smart-split", "smart"),
        Claim("merging", "merging helps (001's way)", "001 §5", "merge", "smart-split"),
        Claim(
            "groups",
            "three groups are better than one (003's way)",
            "003",
            "twilight:max_groups=3",
            "twilight:max_groups=1",
        ),
        Claim(
            "subgroups",
            "the division into subgroups would have helped",
            "000 §4.2",
            "subgroups",
            "report-2024",
        ),
    ],
    learnt=LEARNT.get("splitting", ""),
)

WEIGHTS = ClaimsSection(
    "weights",
    title="000: which way round the dynamic weights",
    intro=(
        "Algorithm 5 stresses attacks early and houses late; section 5.1.4 says the opposite. Both, against each "
        "other."
    ),
    claims=[
        Claim(
            "resource-first",
            "houses first, then attacks (§5.1.4) is better than Algorithm 5",
            "000 §5.1.4",
            "report-2024:weights=resource-first",
            "report-2024:weights=algorithm-5",
        )
    ],
    learnt=LEARNT.get("weights", ""),
)

VARIED = VariedSection(
    "varied",
    title="000: report-2024 in varied configurations",
    intro="`report-2024` on every map, against three players that do not split either.",
    says="excels in varied configurations",
    source="000 §6.2.1",
    claims=[
        Claim("report-greedy", "`report-2024` is better than `greedy`", "", "report-2024", "greedy"),
        Claim(
            "report-conservative",
            "`report-2024` is better than `conservative`",
            "",
            "report-2024",
            "conservative",
        ),
        Claim("report-smart", "`report-2024` is better than `smart`", "", "report-2024", "smart"),
    ],
    learnt=LEARNT.get("varied", ""),
)

TWILIGHT = SettingsSection(
    "twilight",
    title="003: twilight's depth and groups",
    intro=(
        f"Each value of a setting against the one before it. For the depth each player has {LONG:g} s a turn, which is "
        "seldom enough for four plies on the large maps; the depth that was reached is the average."
    ),
    settings={
        "max_depth": [f"twilight:max_depth={depth},time={LONG:g}" for depth in (1, 2, 3, 4)],
        "max_groups": [f"twilight:max_groups={groups}" for groups in (1, 2, 3)],
    },
    learnt=LEARNT.get("twilight", ""),
)

MCTS = ClaimsSection(
    "mcts",
    title="000 §7: Monte Carlo tree search",
    intro="The next step that 000 asks for, at equal time.",
    claims=[
        Claim("mcts-random", "`mcts` scores 95 % against `random`", "000 §7", "mcts", "random", 0.95),
        Claim(
            "mcts-report",
            "`mcts` is better than `report-2024` at equal time",
            "000 §7",
            "mcts",
            "report-2024",
        ),
    ],
    learnt=LEARNT.get("mcts", ""),
)

STUDY = Study(
    name="vampires",
    title="Vampires vs Werewolves: what the documents claim",
    about=(
        "Three documents describe players of this game: the 2024 report (000), the 2019 report (001) and the README "
        "of Twilight (003). Here are their players, playing."
    ),
    conditions=CONDITIONS,
    quick_conditions=QUICK,
    told=(
        "Conditions: paired games, the same start and the same dice seed twice with the sides swapped; {setups} "
        "bundled maps, each as often, at least {games} games for every claim; on each map the first pair begins at "
        "the map's start, the others after one random step of each side that risks nothing. {think} s of thinking "
        "a turn for whoever searches (unless said otherwise) under a referee's clock of {seconds} s; after {plies} "
        "plies the larger population wins. A score counts a draw as half; its 95 % interval takes the pair as the "
        "unit (Wilson's, with the pairs' own variance). A claim is confirmed if the whole interval is above what it "
        "is held to, refuted if all of it is below, undecided otherwise."
    ),
    sections=[
        TREE,
        PROGRESS,
        SPLITTING,
        WEIGHTS,
        VARIED,
        TurnTimeSection(
            player="report-2024",
            depths=(3, 4, 5),
            source="000 §6.2.1",
            learnt=LEARNT.get("depth-times", ""),
        ),
        TWILIGHT,
        SplittersSection(
            player="twilight",
            whole=("conservative", "smart", "report-2024"),
            splitting=("smart-split", "merge", "subgroups"),
            matched=("smart", "smart-split"),
            source="003",
            learnt=LEARNT.get("non-splitters", ""),
        ),
        MCTS,
        FaultsSection(players=PROGRESSION, source="001", learnt=LEARNT.get("faults", "")),
        SituationsSection(
            players=(*PROGRESSION, "report-2024", "subgroups", "twilight", "mcts"),
            learnt=LEARNT.get("situations", ""),
        ),
    ],
    closing=CLOSING,
)
