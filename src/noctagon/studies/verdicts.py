"""The verdict on each kind of claim, from the games of its series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from noctagon.arena.statistics import at_most, difference, score, share
from noctagon.studies.claims import (
    BETTER,
    Claim,
    JudgedClaim,
    Verdict,
    all_of,
    explain,
    explain_difference,
    judge,
    listed,
    percent,
)
from noctagon.studies.faults import count_faults
from noctagon.studies.section import Section
from noctagon.studies.series import Aim, Results, Series

if TYPE_CHECKING:
    from noctagon.studies.study import Study

Judged = tuple[Verdict, str, str, float]
"""A verdict, its figures, what they mean, and the score's distance from what the claim needs."""


def find_verdict(
    study: Study, section: Section, claim: Claim, series: Mapping[tuple[str, str], Series], results: Results
) -> JudgedClaim | None:
    """Return the verdict on a claim, None before there are figures."""
    judged = _judge(study, section, claim, series, results)
    if judged is None:
        return None
    verdict, figure, meaning, lead = judged
    own = {"confirmed": claim.confirmed, "refuted": claim.refuted, "undecided": claim.undecided}[verdict]
    says = claim.says or _says(study, section, claim)
    source = claim.source or section.source or study.source
    return JudgedClaim(
        says, source, verdict, figure, " ".join(filter(None, (meaning, own))), claim.name, lead
    )


def _judge(
    study: Study, section: Section, claim: Claim, series: Mapping[tuple[str, str], Series], results: Results
) -> Judged | None:
    if claim.faultless:
        return _judge_faults(study, claim, results)
    side = study.side(section, claim.side)
    aim = Aim(claim.bar, side)
    against = [series[claim.player, opponent] for opponent in listed(claim.opponent)]
    points = [one.points(aim, results) for one in against]
    if not all(points):
        return None
    whole = score([one for each in points for one in each])
    games = whole.pairs * (2 if side is None else 1)
    if claim.than:
        others = [series[claim.player, other].points(aim, results) for other in listed(claim.than)]
        if not all(others):
            return None
        lower = score([one for each in others for one in each])
        more = difference(whole, lower)
        figure = f"{more}: {whole} against these, {lower} against the others"
        return judge(more, claim.bar), figure, explain_difference(more, claim.bar), more.mean - claim.bar
    if claim.each and len(points) > 1:
        scores = dict(zip(listed(claim.opponent), map(score, points), strict=True))
        verdict = all_of([judge(one, claim.bar) for one in scores.values()])
        decisive = [name for name, one in scores.items() if judge(one, claim.bar) == verdict]
        worst = min(decisive, key=lambda name: scores[name].mean)
        low = scores[worst]
        least = f"at least {low}, against `{study.label(worst)}`"
        meaning = explain(low, claim.bar, low.pairs * (2 if side is None else 1))
        return verdict, least, meaning, low.mean - claim.bar
    if claim.on_maps is not None:
        return _judge_maps(study, section, claim, claim.on_maps, against, results)
    figure = f"{whole}, {games} game{'s'[: games != 1]}"
    return judge(whole, claim.bar), figure, explain(whole, claim.bar, games), whole.mean - claim.bar


def _judge_maps(
    study: Study, section: Section, claim: Claim, wanted: float, against: Sequence[Series], results: Results
) -> Judged:
    played = [series.played(results) for series in against]
    setups = study.conditions(section).setups
    on_maps = {setup: score([one for games in played for one in games.scores(setup)]) for setup in setups}
    good = share(sum(one.mean >= claim.bar for one in on_maps.values() if one.pairs), len(on_maps))
    worst = sorted(on_maps, key=lambda setup: on_maps[setup].mean)[:3]
    least = ", ".join(f"{setup} ({percent(on_maps[setup].mean)})" for setup in worst)
    figure = f"{percent(claim.bar)} or more on {good} of the maps"
    meaning = explain(good, wanted, len(on_maps)).partition(";")[0].removesuffix(".")
    number = f"{good.mean * len(on_maps):.0f} of {len(on_maps)} maps"
    meaning = f"{meaning}. It does so on {number}; least on {least}."
    return judge(good, wanted), figure, meaning, good.mean - wanted


def _judge_faults(study: Study, claim: Claim, results: Results) -> Judged | None:
    counts = count_faults(study, results)
    names = [study.who(study.spec(name)) for name in listed(claim.faultless)]
    found = [counts[name] for name in names if name in counts]
    turns, faults = int(sum(count[1] for count in found)), sum(sum(count[2:5]) for count in found)
    if not found:
        return None
    players = f"{len(found)} player{'s'[: len(found) != 1]}"
    figure = f"{faults:.0f} fault{'s'[: faults != 1]} in {turns:,} turns of {players}"
    if faults:
        return "refuted", figure, "", 0.0
    return "confirmed", f"{figure}, so fewer than {100 * at_most(turns):.2g} % of turns", "", 0.0


def _says(study: Study, section: Section, claim: Claim) -> str:
    """Return a claim as a sentence, made from its parts."""
    if claim.faultless:
        return f"no faults of {', '.join(f'`{study.label(name)}`' for name in listed(claim.faultless))}"
    player = f"`{study.label(claim.player)}`"
    opponents = [f"`{study.label(opponent)}`" for opponent in listed(claim.opponent)]
    others = ("each of " if claim.each and len(opponents) > 1 else "") + ", ".join(opponents)
    seat = study.seat(section, study.side(section, claim.side))
    if claim.than:
        than = ", ".join(f"`{study.label(other)}`" for other in listed(claim.than))
        return f"{player} scores more against {others} than against {than}{seat}"
    if claim.on_maps is not None:
        return (
            f"{player} scores {percent(claim.bar)} against {others} on {percent(claim.on_maps)} of the maps"
        )
    if claim.bar == BETTER:
        return f"{player} is better than {others}{seat}"
    return f"{player} scores {percent(claim.bar)} against {others}{seat}"


def claim_error(claim: Claim, *, early: bool) -> str:
    """Return what is wrong with a claim, nothing if it can be judged."""
    if claim.faultless:
        return "faultless and opponent are two claims" if claim.opponent or claim.player else ""
    if not claim.player or not claim.opponent:
        return f"{'opponent' if claim.player else 'player'} is missing"
    if not 0 <= claim.bar < 1:
        return f"at_least = {claim.bar:g} should be a share of the points, from 0 to less than 1"
    if claim.on_maps is not None and not 0 < claim.on_maps < 1:
        return f"on_maps = {claim.on_maps:g} should be a share of the maps, between 0 and 1"
    if sum((bool(claim.than), claim.each, claim.on_maps is not None)) > 1:
        return "than, each and on_maps do not go together"
    if early and ((len(claim.opponents) > 1 and not claim.each) or claim.on_maps is not None):
        return "least ends a series early, which several opponents together and on_maps do not allow"
    return ""
