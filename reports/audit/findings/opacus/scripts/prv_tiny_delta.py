"""The upper bound of PRVAccountant is below the exact epsilon of 100 000 Gaussians at delta 1e-12."""

from math import exp, sqrt

from opacus.accountants import PRVAccountant
from scipy.optimize import brentq
from scipy.stats import norm

sigma, steps, delta = 1000.0, 100_000, 1e-12
accountant = PRVAccountant()
accountant.history = [(sigma, 1.0, steps)]  # as left by so many calls of step
got, mu = accountant.get_epsilon(delta=delta), sqrt(steps) / sigma
exact = brentq(
    lambda e: norm.cdf(mu / 2 - e / mu) - exp(e + norm.logcdf(-mu / 2 - e / mu)) - delta, 1, 4, xtol=1e-9
)
print(f"expected: at least {exact:.6f}, the exact epsilon of N({mu:.6f}, 1) against N(0, 1)")
print(f"got: {got:.6f}")
raise SystemExit(0 if got < exact else 1)
