"""The central limit as a filter: what rounds on samples, fixed in advance, reach beyond its promise."""

from __future__ import annotations

from collections.abc import Sequence

from filterproof.filters import suppress_unsound_warning
from filterproof.filters.accountants.repeats import repeats
from filterproof.filters.catalogue import CentralLimitFilter
from filterproof.filters.rules.potential import COMMON_RATES
from filterproof.mc.estimate.compare_filters import kept_mu
from filterproof.mc.examine.counterexample import sequence_counterexample
from filterproof.mc.examine.divergence import Divergence, exceeds
from filterproof.mc.examine.sequence import Sequence as Played
from filterproof.reports.finding import Claim, Finding, Told
from filterproof.reports.study import Study
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.numerics.decimals import below

POINT, MENU = (2.0, 1e-5), COMMON_RATES
#: More rounds than the filter grants of any mechanism looked at.
_MOST = 300_000


def central_limit(epsilon: float, delta: float) -> CentralLimitFilter:
    """The filter whose mu gives (epsilon, delta)-DP."""
    with suppress_unsound_warning():
        return CentralLimitFilter(kept_mu(epsilon, delta))


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    (epsilon, delta), menu = POINT, MENU
    study.on_progress("the central limit's filter beyond its promise")
    filt, measure = central_limit(epsilon, delta), Divergence.hockey_stick(epsilon)
    plays = [Played(((pair, n),)) for pair in menu if (n := repeats(filt, pair, most=_MOST))]
    low, most = max(((play.low(measure), play) for play in plays), key=lambda one: one[0])
    ((pair, n),) = most.steps
    scope = f"the {len(menu)} mechanisms of the menu, each asked for until it is denied"
    detail = (
        f"{n} of {pair!r} are granted and reach at least {below(low / delta, 3)} times the promised delta."
    )
    outcome, shown = Outcome.UNDECIDED, None
    if exceeds(low, measure.promised(filt.promise)) and most.admitted(filt):
        outcome, shown = Outcome.REFUTED, sequence_counterexample(filt, most, measure, low).to_data()
    verdict = Verdict(outcome, Evidence.CERTIFIED, scope, detail, shown)
    return Told((Finding(claims[0], verdict),))
