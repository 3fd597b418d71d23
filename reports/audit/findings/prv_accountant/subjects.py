"""The accountant of prv-accountant, which is made for its mechanisms and then asked for how often each was used."""

from collections import Counter

from mc.accountants.accountant_subject import AccountantSubject
from theory.guarantees import ApproxDP
from theory.pairs import SubsampledGaussian

from ..shared.subjects import accountant


class _Uses(Counter[SubsampledGaussian]):
    """How often each mechanism was used; the accountant is made when it is asked."""

    def compose(self, pair: SubsampledGaussian, count: int) -> None:
        self[pair] += count

    def get_epsilon(self, delta: float) -> float:
        if not self:
            return 0.0
        from prv_accountant import PoissonSubsampledGaussianMechanism, PRVAccountant

        prvs = [
            PoissonSubsampledGaussianMechanism(
                noise_multiplier=float(pair.sigma), sampling_probability=float(pair.q)
            )
            for pair in self
        ]
        counts = list(self.values())
        accounting = PRVAccountant(
            prvs=prvs, max_self_compositions=counts, eps_error=0.05, delta_error=delta / 1000
        )
        low, _, high = accounting.compute_epsilon(delta=delta, num_self_compositions=counts)
        assert low <= high
        return float(high)


def prv() -> AccountantSubject:
    """Poisson-subsampled Gaussian noise of two sizes; its upper bound, at an error of .05 in epsilon."""
    menu = SubsampledGaussian(0.125, 1.0), SubsampledGaussian(0.125, 2.0)
    return accountant(_Uses, lambda pair: pair, ApproxDP(2.0, 1e-5), menu, tolerance=1e-1)
