"""How many rounds of a fixed plan the potential filter grants when rates and noise may change."""

from __future__ import annotations

import math

from filterproof.filters.accountants.repeats import count_grants
from filterproof.filters.catalogue import PotentialFilter
from filterproof.filters.rules.potential import COMMON_RATES
from filterproof.mc import Composition
from filterproof.mc.estimate.filter_ranking import MAX_ROUNDS
from filterproof.reports.finding import Claim, Finding
from filterproof.reports.study import Study
from filterproof.theory.evidence import Evidence, Outcome, Verdict

EPSILON, DELTA = 2.0, 1e-5
#: The share of a plan of 100 rounds or more that the claim names.
SHARE = 0.9


CLAIM = Claim(
    "rates-nine-tenths",
    "PotentialFilter grants at least nine tenths of the rounds of a fixed plan, and no more than the plan may have "
    "(q = .01, .02 at sigma = 1 and .05 at 1.5, epsilon = 2, delta = 1e-5)",
    "this project",
    Outcome.HOLDS,
)


def potential_filter_findings(study: Study) -> tuple[Finding, ...]:
    """Compare the rounds that PotentialFilter grants with the rounds that a fixed plan may have."""
    menu = COMMON_RATES
    filt = PotentialFilter(EPSILON, DELTA, menu)
    rounds = [count_grants(filt, pair, most=MAX_ROUNDS) for pair in menu]
    counts, short, broken = [], [], []
    for pair, n in zip(menu, rounds, strict=True):
        counts.append(f"{n} of {pair!r}")
        longer = math.ceil(n / SHARE)
        if not Composition({pair: longer}).delta(EPSILON).low > DELTA:
            short.append(f"{counts[-1]}, of which {longer} are not known to break the promise")
        if n and not Composition({pair: n}).delta(EPSILON).high <= DELTA:
            broken.append(counts[-1])
    scope = f"the {len(menu)} mechanisms of the menu, each asked for until it is denied"
    outcome = Outcome.UNDECIDED if broken or short else Outcome.HOLDS
    detail = f"Granted: {', '.join(counts)}. A plan of a ninth more of any of them breaks the promise."
    if broken or short:
        what, which = ("More than delta", broken) if broken else ("Not nine tenths", short)
        detail = f"{what}: {'; '.join(which)}."
    verdict = Verdict(outcome, Evidence.CERTIFIED, scope, detail)
    return (Finding(CLAIM, verdict),)
