"""What was reached of a promise: an estimate beside a bound, and the verdict on several of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mc import Estimate
from reports.finding import Claim, Finding
from reports.study import Study
from theory.evidence import Evidence, Outcome, Verdict

__all__ = ["Reached", "judged"]


@dataclass(frozen=True, slots=True)
class Reached:
    """An estimate of something that is promised to be at most `promised`; `what` says it in words."""

    what: str
    estimate: Estimate
    promised: float

    @property
    def share(self) -> float:
        """The estimate over the promise."""
        return self.estimate.value / self.promised

    @property
    def refutes(self) -> bool:
        """Whether the whole interval lies above the promise."""
        return self.estimate.low > self.promised

    @property
    def interval(self) -> str:
        """The interval to four significant digits."""
        return f"[{self.estimate.low:.4g}, {self.estimate.high:.4g}]"

    def __str__(self) -> str:
        one = self.estimate
        return (
            f"{self.what}: {one.value:.4g} in {self.interval} at confidence 1 - {one.failure:.0e} ({one.n:,} runs), "
            f"promised at most {self.promised:.4g}"
        )


def judged(study: Study, claim: Claim, rows: Sequence[Reached]) -> Finding:
    """REFUTED if some interval lies above what is promised, else UNDECIDED."""
    scope = f"{len(rows)} simulations, failure probability {study.failure:.0e} for the whole report"
    most = max(rows, key=lambda row: row.estimate.low / row.promised)
    if most.refutes:
        witness = {
            "what": most.what,
            "n": most.estimate.n,
            "seed": study.seed,
            "low": most.estimate.low,
            "high": most.estimate.high,
            "promised": most.promised,
        }
        return Finding(
            claim,
            Verdict(Outcome.REFUTED, Evidence.STATISTICAL, scope, f"Above the promise, {most}.", witness),
        )
    detail = f"Closest, {most}. Nothing found above the promise, which proves nothing."
    return Finding(claim, study.undecided(scope, detail))
