"""The study of the champions: whether they beat everybody else, how their strength grows, and what it costs."""

from __future__ import annotations

from noctagon.arena.starts import Start
from noctagon.games.vampires.maps.map import GENERATED, bundled_maps
from noctagon.studies.champions_sections import (
    AimsSection,
    CostSection,
    LadderSection,
    MirrorSection,
    Opponent,
    Setting,
)
from noctagon.studies.pairs import Conditions
from noctagon.studies.series import ABOVE, BELOW, ERROR, Aim
from noctagon.studies.study import Study

DRAWN = 20
"""So many maps drawn by chance are played beside the bundled ones."""
MAPS = (*bundled_maps(), *(f"{GENERATED}{number}" for number in range(1, DRAWN + 1)))
QUICK_MAPS = ("closet", f"{GENERATED}1")

EQUAL, LITTLE, MUCH = 0.2, 0.05, 0.5
"""Seconds for a turn of Vampires vs Werewolves: equal for both; for the champion and its opponent."""
WARGAME_EQUAL = 0.1
TIMES = (0.02, 0.05, 0.1, 0.2, 0.5)
TURTLES = 50
LEAST = 30
"""So many openings of AI Wargame are played in any case."""

STRONGEST = "merge"
OPPONENTS = {
    name: name
    for name in (
        STRONGEST,
        "smart-split",
        "smart",
        "smart-greedy",
        "conservative",
        "report-2024",
        "subgroups",
        "twilight",
        "mcts",
        "random",
    )
} | {"alphabeta": "alphabeta:depth=20"}

VAMPIRES = Conditions("vampires", MAPS, seconds=2.0, plies=80, think=EQUAL, opening=2, generator="single")
WARGAME = Conditions(
    "wargame",
    ("start",),
    seconds=5.0,
    plies=100,
    think=WARGAME_EQUAL,
    opening=4,
    from_setup=False,
    calm=8,
)
VARIED = WARGAME._replace(opening=12)
"""Longer openings, after which not every game ends at the turn limit."""


def with_quick(conditions: Conditions) -> Setting:
    """The conditions, and the same for a few very short games; calm openings still end before the turn limit."""
    setups = QUICK_MAPS if conditions.game == "vampires" else conditions.setups
    plies = conditions.opening + conditions.calm + 8
    return Setting(conditions, conditions._replace(setups=setups, plies=plies, think=0.005, most=0.005))


MIRROR = MirrorSection(with_quick(VAMPIRES._replace(opening=0)), player=f"champion:time={LITTLE:g}", games=10)
"""From the maps themselves, as in the first pair on each."""

VAMPIRES_EQUAL = AimsSection(
    "vampires-equal",
    title="Vampires vs Werewolves: at equal time",
    intro=(
        f"{EQUAL:g} s a turn for both, over all {len(MAPS)} maps. `{STRONGEST}` is the strongest player of the "
        "documents ([study](studies/vampires.md)); `alphabeta` is the one for every game, as deep as the time lets it."
    ),
    setting=with_quick(VAMPIRES),
    player=f"champion:time={EQUAL:g}",
    opponents={
        name: Opponent(spec, (Aim(0.9 if name == STRONGEST else 0.95),)) for name, spec in OPPONENTS.items()
    },
    least=len(MAPS),
    mirror=MIRROR,
    learnt=(
        "Of the points that are lost on generated maps nearly half go where both sides have eaten exactly half of the "
        "map, one group stands against one of the same size, and a battle is the toss of a coin "
        "([a ledger](champions-log.md#a-ledger-of-what-is-lost))."
    ),
)

VAMPIRES_TENTH = AimsSection(
    "vampires-tenth",
    title="Vampires vs Werewolves: with a tenth of the time",
    intro=f"{LITTLE:g} s a turn for the champion, {MUCH:g} s for its opponents.",
    setting=with_quick(VAMPIRES._replace(think=MUCH)),
    player=f"champion:time={LITTLE:g}",
    opponents={name: Opponent(spec, (Aim(0.8),)) for name, spec in OPPONENTS.items()},
    least=len(MAPS),
    mirror=MIRROR,
)

WARGAME_EQUAL_TIME = AimsSection(
    "wargame-equal",
    title="AI Wargame: at equal time",
    intro=(
        f"{WARGAME_EQUAL:g} s a turn for both, after {WARGAME.opening} random moves that cost nobody anything and "
        f"leave nobody a forced win within {WARGAME.calm} plies; each opening with both sides. The opponents look as "
        "deep as the time lets them."
    ),
    setting=with_quick(WARGAME),
    player=f"champion:time={WARGAME_EQUAL:g}",
    opponents={
        f"{search} {heuristic}": Opponent(
            f"{search}:heuristic={heuristic},depth=50", (Aim(0.98, 0), Aim(0.98, 1))
        )
        for search in ("alphabeta", "minimax")
        for heuristic in ("e2", "e1", "e0")
    },
    least=LEAST,
    learnt=(
        "Attacks that fail do so slowly, not for want of tactics: what helped last was a second opinion of where a "
        "position leads ([what was tried](champions-log.md#tenth-round-a-second-opinion))."
    ),
)

TURTLE = AimsSection(
    "turtle",
    title="AI Wargame: breaking the turtle",
    intro=(
        f"The champion attacks with {WARGAME_EQUAL:g} s a turn, `turtle` keeps its AI in the corner behind its Techs; "
        f"{TURTLES} openings as above, {WARGAME.plies} turns."
    ),
    setting=with_quick(WARGAME),
    player=f"champion:time={WARGAME_EQUAL:g}",
    opponents={"turtle": Opponent("turtle", (Aim(0.95, 0),))},
    least=TURTLES,
    most=TURTLES,
    one_way=True,
)

LADDERS = {"vampires": with_quick(VAMPIRES), "wargame": with_quick(VARIED)}

GROWTH = LadderSection(
    "growth",
    title="More time",
    intro=(
        "The champion against itself with less time, step by step; Elo adds up from the bottom. AI Wargame begins "
        f"after {VARIED.opening} random moves here, so that the games differ."
    ),
    along="seconds a turn",
    rungs={f"{seconds:g}": f"champion:time={seconds:g}" for seconds in TIMES},
    settings=LADDERS,
    pairs=40,
)

THREADS = LadderSection(
    "threads",
    title="More threads",
    intro=(
        f"The champion with two threads against itself with one, {TIMES[2]:g} s a turn; no other game is played "
        "meanwhile."
    ),
    along="threads",
    rungs={str(threads): f"champion:threads={threads},time={TIMES[2]:g}" for threads in (1, 2)},
    settings=LADDERS,
    pairs=40,
)


def map_starts(**options: int) -> list[Start]:
    """Three maps of a kind."""
    wish = ",".join(f"{name}={value}" for name, value in options.items())
    return [Start(f"{GENERATED}{wish},seed={seed}") for seed in (1, 2, 3)]


COST = CostSection(
    player="champion",
    seconds=0.5,
    rows={
        "vampires, rows and columns": (
            "vampires",
            {side: map_starts(side=side, houses=16) for side in (6, 10, 15, 30, 60, 120, 255)},
        ),
        "vampires, houses (30×30)": (
            "vampires",
            {houses: map_starts(side=30, houses=houses) for houses in (2, 8, 32, 100, 300)},
        ),
        "vampires, groups (30×30)": (
            "vampires",
            {groups: map_starts(side=30, houses=64, groups=groups) for groups in (1, 2, 4, 10, 40)},
        ),
        "wargame, random plies": (
            "wargame",
            {
                plies: [Start("start", number, plies, calm=8) for number in (1, 2, 3)]
                if plies
                else [Start("start")]
                for plies in (0, 4, 8, 16, 24)
            },
        ),
    },
)

STUDY = Study(
    name="champions",
    title="The champions",
    about=(
        "`champion` is the strongest player of each game. Here it plays everybody else, at equal time and at a tenth "
        "of it, and itself."
    ),
    conditions=VAMPIRES,
    quick_conditions=with_quick(VAMPIRES).quick,
    told=(
        "Conditions: paired games, the same start and the same dice seed twice with the sides swapped. Vampires vs "
        f"Werewolves: {len(bundled_maps())} bundled maps and {DRAWN} generated symmetric ones (`generated:N`, "
        f"drawn from its number wherever it is played), every map once before any map twice; after {VAMPIRES.plies} "
        "plies the larger population wins. A draw is half a point. Intervals are Wilson's at 95 %, with the pair as "
        "the unit (the game where sides are counted apart).\n\n"
        "A series goes on for {games} games at most, and may end before: after one pair on each map, or "
        f"{LEAST} openings of AI Wargame, it ends as soon as Wald's sequential probability ratio test, over the pairs "
        f"in the order in which they were drawn, tells a score {100 * BELOW:.0f} points below the aim from one "
        f"{100 * ABOVE:.0f} % of the way from the aim to all points, with errors of at most {100 * ERROR:.0f} %. The "
        "intervals take no account of that. An aim is *reached* by the mean score, and *confirmed* if the whole "
        "interval lies above it; *short of it* and *refuted* are the same from below."
    ),
    sections=[
        VAMPIRES_EQUAL,
        VAMPIRES_TENTH,
        MIRROR,
        WARGAME_EQUAL_TIME,
        TURTLE,
        GROWTH,
        THREADS,
        COST,
    ],
    folder="docs",
    games=4 * len(MAPS),
    more_games=("wargame",),
    stages=(
        ("cost", "mirror"),
        ("vampires-equal", "wargame-equal", "vampires-tenth", "turtle", "growth"),
        ("threads",),
    ),
    verdicts="What was aimed at, and what is reached",
    log="champions-log.md",
)
