"""GaussianAccountant, which warns that it can be too low, is below the exact epsilon of one step by a factor of 5."""

from math import exp, log

from opacus.accountants import GaussianAccountant
from scipy.optimize import brentq
from scipy.stats import norm

q, s, delta = 0.01, 1.0, 1e-5
accountant = GaussianAccountant()
accountant.step(noise_multiplier=s, sample_rate=q)
got = accountant.get_epsilon(delta=delta)
cut = lambda e: s * s * log((exp(e) - 1 + q) / q) + 0.5  # noqa: E731 - where the loss is e
gap = lambda e: q * norm.sf((cut(e) - 1) / s) + (1 - q - exp(e)) * norm.sf(cut(e) / s) - delta  # noqa: E731
print(f"expected: at least {brentq(gap, 0.0, 20.0):.6f}")
print(f"got: {got:.6f}")
raise SystemExit(0 if got < 0.9 * brentq(gap, 0.0, 20.0) else 1)
