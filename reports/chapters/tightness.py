"""How tight each filter's promise is: its worst case over a menu, enclosed, and thresholds calibrated by it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from filterproof.filters import (
    ApproximateDPFilter,
    BasicFilter,
    GaussianFilter,
    PrivacyFilter,
    RogersFilter,
    WhitehouseFilter,
)
from filterproof.mc import CalibratedThreshold, WorstCase
from filterproof.mc.examine.supremum import Supremum, supremum
from filterproof.mc.worst_case import worst_case
from filterproof.reports.finding import Claim, Finding, Table, Told
from filterproof.reports.html_repr.numbers import percent
from filterproof.reports.study import Study
from filterproof.theory.conversions import CKS, SIMPLE, gaussian_mu
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.numerics.decimals import above, below, interval
from filterproof.theory.pairs import KOV, DominatingPair, Gaussian, RandomizedResponse

EPSILON, DELTA = 1.0, 1e-5
GRID = tuple((epsilon, delta) for epsilon in (0.5, 1.0, 3.0) for delta in (1e-3, 1e-5, 1e-7))
ON_GAUSSIANS, BY_CKS = "GDP, on Gaussians", "B* by CKS"
#: Added to the names of rows whose menu has mechanisms with a delta; the other menus are pure.
DELTAS = "with deltas"
#: The smaller epsilon of the menu for the filter of Rogers et al.
ROGERS = 2.0**-7
#: The most steps into which a game divides the budget: a finer menu has a larger worst case.
UNITS = 4000
#: Rows of the table of thresholds with longer plays take a second or two to solve, too long for a quick report.
SHORT = 1000


@dataclass(frozen=True, slots=True)
class PlayedMenu:
    """A filter's promised delta, what all mechanisms lose, and its worst case over a menu."""

    name: str
    promised: float
    over_all: Supremum
    worst: WorstCase


@dataclass(frozen=True, slots=True)
class Bought:
    """A row of the table of calibrated thresholds, and its worst case, solved again."""

    row: CalibratedThreshold
    solved: WorstCase


def levels(budget: float, units: int) -> tuple[RandomizedResponse, ...]:
    """Randomised responses at multiples of a power of two, up to all of a zCDP budget in one request.

    Their charges add without rounding, so that equal spends are the same state of the game.
    """
    least = 2.0 ** math.ceil(math.log2(math.sqrt(2 * budget / units)))
    return tuple(RandomizedResponse(j * least) for j in range(1, int(math.sqrt(2 * budget) / least) + 1))


def tightness_filters(study: Study) -> list[PlayedMenu]:
    """Every filter with a promise at (EPSILON, DELTA) that the chapter compares, with the worst case of each."""
    budget = float(CKS.budget(EPSILON, DELTA))
    menu, coarse = levels(budget, units=200 if study.quick else UNITS), levels(budget, units=200)
    mu = float(gaussian_mu(EPSILON, DELTA))
    gaussians = tuple(Gaussian(mu * share) for share in (0.25, 0.5, 1.0))
    eighths = tuple(j / 8 for j in range(1, 9))
    least = coarse[0].epsilon
    basic, rogers = BasicFilter(EPSILON, DELTA), RogersFilter(EPSILON, DELTA)
    whitehouse = WhitehouseFilter(EPSILON, DELTA)
    table: tuple[tuple[str, PrivacyFilter, Sequence[DominatingPair]], ...] = (
        ("basic", basic, menu),
        (
            f"basic, {DELTAS}",
            basic,
            [*map(RandomizedResponse, eighths), *(KOV(e, DELTA / 4) for e in eighths)],
        ),
        # the rule K admits epsilons that sum past 1 only if they are small; sums of e (e^e - 1) are all different,
        # so a menu of more levels has too many states
        ("Rogers et al.", rogers, [RandomizedResponse(ROGERS), RandomizedResponse(2 * ROGERS)]),
        (f"Rogers et al., {DELTAS}", rogers, [RandomizedResponse(ROGERS), KOV(ROGERS, DELTA / 8)]),
        ("Whitehouse et al.", whitehouse, menu),
        (f"Whitehouse et al., {DELTAS}", whitehouse, [*coarse, KOV(least, DELTA / 8)]),
        ("B* by simple", ApproximateDPFilter(EPSILON, DELTA, SIMPLE), menu),
        (BY_CKS, ApproximateDPFilter(EPSILON, DELTA, CKS), menu),
        (ON_GAUSSIANS, GaussianFilter(mu), gaussians),
    )
    played = []
    for name, filt, requests in table:
        study.on_progress(f"worst case of {name}")
        worst = worst_case(filt, requests, epsilon=EPSILON)
        promised = float(filt.promise.delta(EPSILON))
        played.append(PlayedMenu(name, promised, supremum(filt, EPSILON), worst))
    return played


def _bought(study: Study) -> list[Bought]:
    rows = [row for row in CalibratedThreshold.table() if row.rounds < SHORT or not study.quick]
    finest = {(row.epsilon, row.delta): row for row in CalibratedThreshold.finest(rows)}
    bought = []
    for epsilon, delta in GRID:
        study.on_progress(f"solving the calibrated filter at ({epsilon:g}, {delta:g}) again")
        bought.append(Bought(finest[epsilon, delta], finest[epsilon, delta].recheck()))
    return bought


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    played, bought = tightness_filters(study), _bought(study)
    return Told(
        findings=(
            _kept(claims[0], [p for p in played if p.name != ON_GAUSSIANS]),
            _tight(claims[1], next(p for p in played if p.name == ON_GAUSSIANS)),
            _buys(claims[2], bought),
        ),
        tables=(worst_table(played), _rounds_table(bought)),
    )


def _kept(claim: Claim, played: Sequence[PlayedMenu]) -> Finding:
    evidence = Evidence.weakest(*(p.worst.evidence for p in played))
    scope = "every adaptive adversary over the menus shown, both directions"
    for p in played:
        if (low := max(p.worst.low, p.over_all.low)) > p.promised * (1 + 1e-11):
            counterexample = {"filter": p.name, "low": low, "promised": p.promised}
            return Finding(claim, Verdict(Outcome.REFUTED, evidence, scope, str(p.worst), counterexample))
    for p in played:
        if p.worst.high > p.promised:
            detail = f"The enclosure of {p.name} straddles its promise: {p.worst}."
            return Finding(claim, Verdict(Outcome.UNDECIDED, evidence, scope, detail))
    published = next(p for p in played if p.name == "B* by simple")
    cks = next(p for p in played if p.name == BY_CKS)
    detail = (
        f"The filter with B* by CKS is tight for zCDP mechanisms, {percent(cks.over_all.low / cks.promised, below)} of "
        f"what it promises at least; loose for the pure ones that the theorem speaks of, "
        f"{percent(cks.worst.high / cks.promised, above)}. With the published B* these are "
        f"{percent(published.over_all.high / DELTA)} and {percent(published.worst.high / DELTA)}."
    )
    return Finding(claim, Verdict(Outcome.HOLDS, evidence, scope, detail))


def _tight(claim: Claim, gdp: PlayedMenu) -> Finding:
    scope = gdp.worst.scope
    width = (gdp.worst.high - gdp.worst.low) / gdp.promised
    detail = f"Enclosed in {interval(gdp.worst.low, gdp.worst.high, 7)}, promised {gdp.promised:.7g}."
    if gdp.worst.low > gdp.promised or gdp.worst.high < gdp.promised:
        counterexample = {"low": gdp.worst.low, "high": gdp.worst.high, "promised": gdp.promised}
        return Finding(claim, Verdict(Outcome.REFUTED, gdp.worst.evidence, scope, detail, counterexample))
    outcome = Outcome.HOLDS if width < 1e-3 else Outcome.UNDECIDED
    return Finding(claim, Verdict(outcome, gdp.worst.evidence, scope, detail))


def _buys(claim: Claim, bought: Sequence[Bought]) -> Finding:
    evidence = Evidence.weakest(*(b.solved.evidence for b in bought))
    over = [100 * (b.row.gain - 1) for b in bought]
    over_cks = [100 * (b.row.gain_over_cks - 1) for b in bought]
    kept = all(b.solved.high <= b.row.delta for b in bought)
    detail = (
        f"Over the nine promises the calibrated threshold exceeds that of CKS by {min(over_cks):.1f} to "
        f"{max(over_cks):.1f} %, and the published one by {min(over):.0f} to {max(over):.0f} %."
    )
    outcome = Outcome.HOLDS if kept and min(over_cks) > 0 else Outcome.UNDECIDED
    scope = bought[GRID.index((EPSILON, DELTA))].row.filter().scope + "; alike at the other promises"
    return Finding(claim, Verdict(outcome, evidence, scope, detail))


def worst_table(played: Sequence[PlayedMenu]) -> Table:
    """What all mechanisms lose, and the worst case over a menu, both certified, beside the promise."""
    return Table(
        f"At epsilon = {EPSILON:g}, certified: what all mechanisms that a filter covers lose, the worst case over a "
        "menu of its own, mostly pure, and the promise over that.",
        (
            *("filter", "promise", "all mechanisms, at least", "at most"),
            *("this menu, at least", "at most", "promise / menu"),
        ),
        tuple(
            (
                *(p.name, f"{p.promised:.3g}", below(p.over_all.low), above(p.over_all.high)),
                *(below(p.worst.low), above(p.worst.high), _slack(p)),
            )
            for p in played
        ),
        align="lrrrrrr",
    )


def _slack(played: PlayedMenu) -> str:
    """Promise over worst case, or words if the worst case is 0."""
    if not played.worst.low > 0:
        return f"no loss exceeds {EPSILON:g}"
    return f"{played.promised / played.worst.high:.3g}"


def _rounds_table(bought: Sequence[Bought]) -> Table:
    def cells(row: CalibratedThreshold) -> dict[str, str]:
        cks = float(CKS.budget(row.epsilon, row.delta))
        published, by_cks = (math.floor(2 * budget / row.step**2) for budget in (row.published, cks))
        return {
            "promise": f"({row.epsilon:g}, {row.delta:g})",
            "B* simple": f"{row.published:.6g}",
            "B* CKS": f"{cks:.6g}",
            "calibrated": f"{row.threshold:.6g}",
            "Gaussian ceiling": f"{float(gaussian_mu(row.epsilon, row.delta)) ** 2 / 2:.6g}",
            "level": f"{row.step:.6g}",
            "rounds, simple": f"{published}",
            "rounds, CKS": f"{by_cks}",
            "rounds, calibrated": f"{row.rounds}",
            "over simple": f"+{100 * (row.rounds / published - 1):.0f} %",
        }

    return Table.of(
        "Thresholds of the approximate-DP filter, and the rounds of randomised response at the least level that each "
        "allows; the worst cases of the calibrated ones were solved for this page.",
        (cells(one.row) for one in bought),
        align="lrrrrrrrrr",
    )
