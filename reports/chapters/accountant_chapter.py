"""Accountants, which are no filters: each examined, and simulated by its own code beside what it guarantees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from filterproof.mc.examine.verification import verify
from filterproof.reports.chapters.accountant_examples import page_instances, page_simulations
from filterproof.reports.chapters.estimate_and_guarantee import EstimateAndGuarantee
from filterproof.reports.finding import Claim, Finding, key_from_name
from filterproof.reports.package_data import declared_tables
from filterproof.reports.study import Study
from filterproof.theory.evidence import Evidence, Outcome, Verdict

#: The keys of the pages.
PAGES = tuple(declared_tables("accountants", "page"))
#: The effort for each accountant, whose theorem needs no more.
_EFFORT = 0.01


@dataclass(frozen=True, slots=True)
class AccountantChapter:
    """The verdicts by class, and the simulations, of the accountants that share one page."""

    page: str
    verdicts: Mapping[str, Verdict]
    rows: tuple[EstimateAndGuarantee, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The verdict on each accountant's guarantee, as findings."""
        return tuple(
            Finding(_guarantee_claim(self.page, name), verdict) for name, verdict in self.verdicts.items()
        )

    @property
    def verdict(self) -> Verdict:
        """The verdict of which the least is known: REFUTED before UNDECIDED before HOLDS, then by evidence."""
        order = (Outcome.REFUTED, Outcome.UNDECIDED, Outcome.HOLDS)
        return min(
            self.verdicts.values(),
            key=lambda verdict: (order.index(verdict.outcome), -verdict.evidence.weakness_rank),
        )

    @property
    def failure(self) -> float:
        """The probability that some interval of this chapter misses, at most."""
        return sum(row.estimate.failure for row in self.rows)


def _guarantee_claim(page: str, name: str) -> Claim:
    """Return the claim that an accountant's guarantee holds."""
    title = declared_tables("accountants", "page")[page]["title"]
    words = name if name == title else f"{name}, of the {title.lower()}"
    return Claim(
        f"examined-{key_from_name(name)}", f"The guarantee of {words}", "its own code", Outcome.HOLDS
    )


def accountant_claims() -> tuple[Claim, ...]:
    """The claims of all accountants, in the order of the pages."""
    return tuple(
        _guarantee_claim(page, type(accountant).__name__)
        for page in PAGES
        for accountant in page_instances(page).values()
    )


def accountant_chapter(study: Study, page: str) -> AccountantChapter:
    """Examine and simulate the accountants of a page."""
    rows = tuple(
        EstimateAndGuarantee(what, work(), promised) for what, promised, work in page_simulations(study, page)
    )
    verdicts = {}
    for accountant in page_instances(page).values():
        exam = verify(accountant, effort=_EFFORT, seed=study.seed, stages=("certificate",))
        verdicts[exam.name] = exam.verdict
    above = next((row for row in rows if row.refutes), None)
    if above is not None:  # what a simulation refutes is refuted, whatever else is known
        verdicts = dict.fromkeys(verdicts, refuted_verdict(study, above))
    return AccountantChapter(page, verdicts, rows)


def refuted_verdict(study: Study, row: EstimateAndGuarantee) -> Verdict:
    """Return REFUTED, STATISTICAL for an estimate whose interval lies above the guarantee."""
    ends = {name: getattr(row.estimate, name) for name in ("n", "low", "high")}
    shown = {"what": row.what, "seed": study.seed, **ends, "promised": row.promised}
    scope = f"one simulation, failure probability {study.failure:.0e} for the whole report"
    return Verdict(Outcome.REFUTED, Evidence.STATISTICAL, scope, f"Above the guarantee, {row}.", shown)
