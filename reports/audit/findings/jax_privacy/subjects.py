"""The training accountant of JAX Privacy, which is asked for the epsilon of so many updates."""

from typing import Any

from mc.accountants.accountant_subject import AccountantSubject
from theory.guarantees import ApproxDP
from theory.pairs import SubsampledGaussian

from ..shared.subjects import accountant

_SAMPLES = 800


class _Updates:
    """How many updates were made; the epsilon of as many is asked of the library."""

    params: Any = None
    updates = 0

    def compose(self, params: Any, count: int) -> None:
        self.params, self.updates = params, self.updates + count

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

    return accountant(_Updates, params, ApproxDP(8.0, 1e-5), (SubsampledGaussian(0.125, 1.0),))
