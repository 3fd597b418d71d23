"""The training accountant of JAX Privacy, which is asked for the epsilon of so many updates."""

from __future__ import annotations

from typing import Any

from filters.adapters.accountant import from_accountant
from mc.accountants.accountant_subject import AccountantSubject
from mc.accountants.law_answers import subject_of
from theory.guarantees import ApproxDP
from theory.pairs import SubsampledGaussian

__all__ = ["training"]

_STEP = SubsampledGaussian(0.125, 1.0)
_SAMPLES = 800


class _Updates:
    """How many updates were made; the epsilon of as many is asked of the library."""

    def __init__(self) -> None:
        self.params: Any = None
        self.updates = 0

    def compose(self, params: Any, count: int) -> None:
        self.params = params
        self.updates += count

    def get_epsilon(self, delta: float) -> float:
        from jax_privacy.accounting import accountants, analysis

        if not self.updates:
            return 0.0
        training = analysis.DpsgdTrainingAccountant(accountants.RdpAccountantConfig())
        return float(training.compute_epsilon(self.updates, self.params))


def training() -> AccountantSubject:
    """Updates of one size of Poisson-sampled batches, accounted by Renyi divergences."""

    def params(pair: Any) -> Any:
        from jax_privacy.accounting import analysis

        return analysis.DpParams(
            noise_multipliers=float(pair.sigma),
            num_samples=_SAMPLES,
            batch_size=round(float(pair.q) * _SAMPLES),
            delta=1e-5,
        )

    filt = from_accountant(_Updates, params, ApproxDP(8.0, 1e-5), menu=(_STEP,))
    return subject_of(filt)
