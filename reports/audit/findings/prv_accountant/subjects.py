"""The accountant of prv-accountant, which is made for its mechanisms and then asked for how often each was used."""

from __future__ import annotations

from collections import Counter
from typing import Any

from filters.adapters.accountant import from_accountant
from mc.accountants.accountant_subject import AccountantSubject
from mc.accountants.law_answers import subject_of
from theory.guarantees import ApproxDP
from theory.pairs import SubsampledGaussian

__all__ = ["prv"]

_NOISES = (SubsampledGaussian(0.125, 1.0), SubsampledGaussian(0.125, 2.0))


class _Uses:
    """How often each mechanism was used; the accountant is made when it is asked."""

    def __init__(self) -> None:
        self.uses: Counter[SubsampledGaussian] = Counter()

    def compose(self, pair: SubsampledGaussian, count: int) -> None:
        self.uses[pair] += count

    def get_epsilon(self, delta: float) -> float:
        if not self.uses:
            return 0.0
        from prv_accountant import PoissonSubsampledGaussianMechanism, PRVAccountant

        prvs = [
            PoissonSubsampledGaussianMechanism(
                noise_multiplier=float(pair.sigma), sampling_probability=float(pair.q)
            )
            for pair in self.uses
        ]
        counts = list(self.uses.values())
        accountant = PRVAccountant(
            prvs=prvs, max_self_compositions=counts, eps_error=0.05, delta_error=delta / 1000
        )
        low, _, high = accountant.compute_epsilon(delta=delta, num_self_compositions=counts)
        assert low <= high
        return float(high)


def prv() -> AccountantSubject:
    """Poisson-subsampled Gaussian noise of two sizes; its upper bound, at an error of .05 in epsilon."""

    def event(pair: Any) -> Any:
        return pair

    filt = from_accountant(_Uses, event, ApproxDP(2.0, 1e-5), menu=_NOISES)
    return subject_of(filt, tolerance=1e-1)
