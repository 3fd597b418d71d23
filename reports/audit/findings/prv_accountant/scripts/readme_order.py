"""The README gives the noise multiplier first; the constructor takes the sampling probability first."""

from math import exp, log

from prv_accountant import PoissonSubsampledGaussianMechanism, PRVAccountant
from scipy.optimize import brentq
from scipy.stats import norm

noise_multiplier, sampling_probability, delta = 0.3, 0.9, 1e-5
s, q = noise_multiplier, sampling_probability
prv = PoissonSubsampledGaussianMechanism(noise_multiplier, sampling_probability)  # the order of the README
accountant = PRVAccountant(prv, eps_error=0.1, delta_error=1e-9, max_self_compositions=1)
low, estimate, high = accountant.compute_epsilon(delta, 1)
cut = lambda e: s * s * log((exp(e) - 1 + q) / q) + 0.5  # noqa: E731 - where the loss is e
gap = lambda e: q * norm.sf((cut(e) - 1) / s) + (1 - q - exp(e)) * norm.sf(cut(e) / s) - delta  # noqa: E731
print(f"expected: at least {brentq(gap, 1, 50):.4f}")
print(f"got: upper bound {high:.4f}")
raise SystemExit(0 if high < brentq(gap, 1, 50) else 1)
