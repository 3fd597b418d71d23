"""The upper bound for 3000 Gaussians at delta 2e-13 is below the exact epsilon, by 21 times eps_error."""

from math import exp, sqrt

from prv_accountant import GaussianMechanism, PRVAccountant
from scipy.optimize import brentq
from scipy.stats import norm

sigma, count, delta = 30.0, 3000, 2e-13
accountant = PRVAccountant(GaussianMechanism(sigma), 0.01, delta / 1000, max_self_compositions=count)
low, estimate, high = accountant.compute_epsilon(delta, count)
mu = sqrt(count) / sigma
exact = brentq(lambda e: norm.cdf(mu / 2 - e / mu) - exp(e + norm.logcdf(-mu / 2 - e / mu)) - delta, 9, 20)
print(f"expected: at least {exact:.4f}")
print(f"got: upper bound {high:.4f}, with eps_error 0.01")
raise SystemExit(0 if high < exact else 1)
