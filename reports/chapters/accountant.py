"""The accountant's stopping rule against adversaries that choose the next mechanism by what was released."""

from __future__ import annotations

from collections.abc import Sequence

from filterproof.mc.examine.counterexample import menu_counterexample
from filterproof.mc.examine.divergence import Divergence, exceeds
from filterproof.reports.finding import Claim, Finding, Told
from filterproof.reports.pages.page_subjects import ACCOUNTANT
from filterproof.reports.study import Study
from filterproof.theory.evidence import Outcome, Verdict
from filterproof.theory.numerics.decimals import above, below

GATHERS = True


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    """The game of the filter's page, which is solved before."""
    worst, filt = study.games[ACCOUNTANT.name].main, ACCOUNTANT.make()
    scope = f"{worst.scope}; a menu of two mechanisms"
    detail = (
        f"The worst adaptive adversary reaches between {below(worst.low / worst.promised, 5)} and "
        f"{above(worst.high / worst.promised, 5)} times the promised delta, in at most {worst.rounds} rounds."
    )
    outcome, shown = Outcome.UNDECIDED, None
    if exceeds(worst.low, worst.promised):
        measure = Divergence.hockey_stick(worst.epsilon)
        outcome = Outcome.REFUTED
        shown = menu_counterexample(
            filt, ACCOUNTANT.menu, measure, rounds=None, low=worst.low, high=worst.high
        ).to_data()
    return Told((Finding(claims[0], Verdict(outcome, worst.evidence, scope, detail, shown)),))
