"""A simulated estimate and the bound that is guaranteed for it."""

from __future__ import annotations

from dataclasses import dataclass

from filterproof.mc import Estimate
from filterproof.reports.html_repr import numbers
from filterproof.theory.numerics import decimals


@dataclass(frozen=True, slots=True)
class EstimateAndGuarantee:
    """A simulated estimate of `what`, and the bound that the accountant guarantees for it."""

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
        """The interval to four significant digits, its ends rounded outwards."""
        return decimals.interval(self.estimate.low, self.estimate.high, 4)

    @property
    def comparison_text(self) -> str:
        """The estimate as a share of the guaranteed bound, in words."""
        if self.refutes:
            return "ABOVE the guarantee"
        if self.estimate.value <= 0:
            most = numbers.format_share(self.estimate.high / self.promised, decimals.format_up)
            return f"never seen; {most} of the guarantee at the upper end"
        open_to_both = ", which lies within the interval" if self.share > 1 else ""
        return f"{numbers.format_share(self.share)} of the guarantee{open_to_both}"

    def __str__(self) -> str:
        est = self.estimate
        return (
            f"{self.what}: {est.value:.4g} in {self.interval} at confidence 1 - {decimals.format_failure(est.failure)} "
            f"({est.n:,} runs), guaranteed at most {self.promised:.4g}"
        )
