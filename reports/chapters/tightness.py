"""How tight the guarantees are: worst cases over menus, enclosed, and thresholds calibrated by them."""

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
from filterproof.reports.finding import Claim, Finding
from filterproof.reports.html_repr.numbers import format_share
from filterproof.reports.study import Study
from filterproof.theory.conversions import BUN_STEINKE, CKS, max_gaussian_mu
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.numerics.decimals import format_down, format_up, interval
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

CLAIMS = (
    Claim(
        "tightness-kept",
        "The guarantees of eight filters, against the worst adversary on a menu",
        "solved here",
        Outcome.HOLDS,
    ),
    Claim(
        "tightness-gdp",
        "The worst case of the GDP filter on Gaussians is its guarantee, to 1 in 1000",
        "solved here; Koskela, Tobaben & Honkela, Theorem 11",
        Outcome.HOLDS,
    ),
    Claim(
        "tightness-calibrated",
        "A calibrated threshold above every published conversion, at nine guarantees",
        "solved here",
        Outcome.HOLDS,
    ),
)


@dataclass(frozen=True, slots=True)
class FilterTightness:
    """A filter's guaranteed delta, its supremum over all mechanisms and its worst case over a menu."""

    name: str
    promised: float
    over_all: Supremum
    worst: WorstCase


def randomized_response_menu(budget: float, units: int) -> tuple[RandomizedResponse, ...]:
    """Return randomised responses whose zCDP charges add without rounding, up to the budget.

    Their charges add without rounding, so that equal spends are the same state of the game.
    """
    least = 2.0 ** math.ceil(math.log2(math.sqrt(2 * budget / units)))
    return tuple(RandomizedResponse(j * least) for j in range(1, int(math.sqrt(2 * budget) / least) + 1))


def filter_tightness_rows(study: Study) -> list[FilterTightness]:
    """Return the guaranteed delta and the worst cases of each compared filter at (EPSILON, DELTA)."""
    budget = float(CKS.budget(EPSILON, DELTA))
    menu, coarse = (
        randomized_response_menu(budget, units=200 if study.quick else UNITS),
        randomized_response_menu(budget, units=200),
    )
    mu = float(max_gaussian_mu(EPSILON, DELTA))
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
        ("B* by simple", ApproximateDPFilter(EPSILON, DELTA, BUN_STEINKE), menu),
        (BY_CKS, ApproximateDPFilter(EPSILON, DELTA, CKS), menu),
        (ON_GAUSSIANS, GaussianFilter(mu), gaussians),
    )
    over_all = {
        id(filt): supremum(filt, EPSILON)
        for filt in {id(table_filter): table_filter for _, table_filter, _ in table}.values()
    }
    return [
        FilterTightness(
            name,
            float(filt.promise.delta(EPSILON)),
            over_all[id(filt)],
            worst_case(filt, requests, epsilon=EPSILON),
        )
        for name, filt, requests in table
    ]


def tightness_findings(study: Study) -> tuple[Finding, ...]:
    """The worst cases of nine filters over menus, and the calibrated thresholds, solved again."""
    guarantee_claim, gdp, calibrated = CLAIMS
    played = filter_tightness_rows(study)
    return (
        _guarantees_kept(
            guarantee_claim, [played_menu for played_menu in played if played_menu.name != ON_GAUSSIANS]
        ),
        _gdp_tightness(gdp, next(played_menu for played_menu in played if played_menu.name == ON_GAUSSIANS)),
        _calibrated_threshold_finding(calibrated),
    )


def _guarantees_kept(claim: Claim, played: Sequence[FilterTightness]) -> Finding:
    """Return the finding that no worst case exceeds its filter's guarantee."""
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
        f"The filter with B* by CKS is tight for zCDP mechanisms, "
        f"{format_share(cks.over_all.low / cks.promised, format_down)} of "
        f"what it promises at least; loose for the pure ones that the theorem speaks of, "
        f"{format_share(cks.worst.high / cks.promised, format_up)}. With the published B* these are "
        f"{format_share(published.over_all.high / DELTA)} and {format_share(published.worst.high / DELTA)}."
    )
    return Finding(claim, Verdict(Outcome.HOLDS, evidence, scope, detail))


def _gdp_tightness(claim: Claim, gdp: FilterTightness) -> Finding:
    """Return the finding that the GDP filter's worst case on Gaussians equals its guarantee."""
    scope = gdp.worst.scope
    width = (gdp.worst.high - gdp.worst.low) / gdp.promised
    detail = f"Enclosed in {interval(gdp.worst.low, gdp.worst.high, 7)}, promised {gdp.promised:.7g}."
    if gdp.worst.low > gdp.promised or gdp.worst.high < gdp.promised:
        counterexample = {"low": gdp.worst.low, "high": gdp.worst.high, "promised": gdp.promised}
        return Finding(claim, Verdict(Outcome.REFUTED, gdp.worst.evidence, scope, detail, counterexample))
    outcome = Outcome.HOLDS if width < 1e-3 else Outcome.UNDECIDED
    return Finding(claim, Verdict(outcome, gdp.worst.evidence, scope, detail))


def _calibrated_threshold_finding(claim: Claim) -> Finding:
    """Return the finding that calibrated thresholds exceed the published conversions."""
    finest = {
        (row.epsilon, row.delta): row for row in CalibratedThreshold.finest(CalibratedThreshold.table())
    }
    rows = [finest[at] for at in GRID]
    here = finest[EPSILON, DELTA]
    solved = here.recheck()
    over = [100 * (row.gain - 1) for row in rows]
    over_cks = [100 * (row.gain_over_cks - 1) for row in rows]
    detail = (
        f"At nine recorded guarantees the calibrated threshold exceeds that of CKS by {min(over_cks):.1f} to "
        f"{max(over_cks):.1f} %, and the published one by {min(over):.0f} to {max(over):.0f} %; that at "
        f"({EPSILON:g}, {DELTA:g}) was solved again here."
    )
    outcome = Outcome.HOLDS if solved.high <= here.delta and min(over_cks) > 0 else Outcome.UNDECIDED
    return Finding(claim, Verdict(outcome, solved.evidence, here.filter().scope, detail))
