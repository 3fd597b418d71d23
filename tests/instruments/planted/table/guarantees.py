"""Faults planted in guarantees, the drift, kappa and walks."""

from __future__ import annotations

from tests.instruments.planted.fault import Change, faults_in

__all__ = ["FAULTS"]

FAULTS = (
    *faults_in(
        "theory/guarantees.py",
        Change(
            "exponent = t * (self.rho - check_at_least_zero",
            "exponent = (t + 1) * (self.rho - check_at_least_zero",
            "the delta of RDP has the order as its factor",
            "unsound",
        ),
        Change(
            "factor = t * portable.log1p(1 / t) + portable.log1p(t)",
            "factor = t * portable.log1p(1 / t) + 1.001 * portable.log1p(t)",
            "the delta of RDP is small",
            "unsound",
        ),
        Change(
            "factor = t * portable.log1p(1 / t) + portable.log1p(t)",
            "factor = 0.0 * t",
            "the delta of RDP is Markov's",
            "loose",
        ),
        Change(
            "return KOV(self.epsilon, 0.0).hockey_stick",
            "return KOV(self.epsilon / 1.000000001, 0.0).hockey_stick",
            "the delta of pure DP is that of less",
            "unsound",
        ),
        Change(
            "pair = KOV(self.epsilon, self.delta_at_epsilon)",
            "pair = KOV(self.epsilon, self.delta_at_epsilon / 2)",
            "the delta of approximate DP is half",
            "unsound",
        ),
        Change(
            "return CKS.delta(self.rho, epsilon)",
            "return CKS.delta(self.rho / 2, epsilon)",
            "the delta of zCDP is that of half the budget",
            "unsound",
        ),
        Change(
            "return Gaussian(self.mu).hockey_stick",
            "return Gaussian(self.mu * (1 - 1e-9)).hockey_stick",
            "the delta of GDP is that of less",
            "unsound",
        ),
        Change(
            "return Gaussian(self.mu).trade_off(alpha)",
            "return Gaussian(self.mu / 2).trade_off(alpha)",
            "the trade-off of GDP is that of half",
            "unsound",
        ),
        Change(
            "return entropy_delta(self.rho, epsilon)",
            "return entropy_delta(self.rho / 2, epsilon)",
            "the delta of order 1 is that of half",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/drift.py",
        Change(
            "epsilon * portable.expm1(epsilon) / 2",
            "epsilon * portable.expm1(epsilon) / 2.0000001",
            "the drift is small",
            "unsound",
        ),
        Change(
            "epsilon * portable.expm1(epsilon) / 2",
            "epsilon * portable.expm1(epsilon)",
            "the drift is doubled",
            "loose",
        ),
        Change("(1 + 2.0**-50)", "(1 - 2.0**-50)", "the drift is rounded down", "unsound"),
        Change("(1 + 2.0**-50)", "(1 + 2.0**-20)", "the drift is raised by 1e-6", "loose"),
    ),
    *faults_in(
        "theory/realisation.py",
        Change(
            "epsilon - 1 / (sigma * sigma) + (",
            "epsilon - 1 / (2 * sigma * sigma) + (",
            "kappa has half of its drift",
            "unsound",
        ),
        Change(
            "+ special.ndtri(theta)) / sigma",
            "+ special.ndtri(theta) * (1 - 1e-6)) / sigma",
            "kappa has a smaller quantile",
            "unsound",
        ),
        Change(
            "+ special.ndtri(theta)) / sigma",
            "- special.ndtri(theta)) / sigma",
            "kappa has a wrong sign",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/confinement.py",
        Change(
            "z = (x[None, :] - x[:, None] - drift) / scale",
            "z = (x[None, :] - x[:, None] + drift) / scale",
            "the walk drifts back",
            "loose",
        ),
        Change(
            "drift=1 / (2 * sigma**2), scale",
            "drift=1 / (sigma**2), scale",
            "the losses drift twice as fast",
            "loose",
        ),
        Change(
            "steps=max(rounds - 2, 0)",
            "steps=max(rounds - 1, 0)",
            "one step more than needed",
            "equivalent",
            "what is beyond the last round is cut off",
        ),
        Change(
            "np.concatenate([[1.0], inside])", "inside", "the order of events of Algorithm 1 is lost", "loose"
        ),
        Change(
            "kernel = np.exp(-z * z / 2) / (scale * np.sqrt(2 * np.pi))",
            "kernel = np.exp(-z * z / 2) / (scale * np.sqrt(6.283))",
            "the density is off by 3e-5",
            "loose",
        ),
    ),
    *faults_in(
        "theory/relative_entropy.py",
        Change(
            "bound = (size + expm1_minus(",
            "bound = (size - expm1_minus(",
            "the delta of order 1 has a wrong sign",
            "unsound",
        ),
        Change(
            "near = -portable.expm1(-above) * s * rate",
            "near = -1.01 * portable.expm1(-above) * s * rate",
            "the multiplier is not the best",
            "loose",
        ),
        Change("square / 20 * (1", "square / 21 * (1", "a coefficient of a series is wrong", "loose"),
    ),
    *faults_in(
        "theory/thresholds/stopped_walk.py",
        Change("Gaussian(math.sqrt(2) * mu)", "Gaussian(2 * mu)", "two outputs count as four", "loose"),
        Change(
            "Gaussian(math.sqrt(rounds) * mu)",
            "Gaussian(rounds * mu)",
            "the parameters add instead of their squares",
            "loose",
        ),
        Change(
            "z = (step - mu * mu / 2) / mu",
            "z = (step - mu * mu) / mu",
            "the losses drift twice as fast",
            "loose",
        ),
    ),
)
