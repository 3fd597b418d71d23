"""With several selections the lower bound on epsilon is that of another scheme, and above the truth."""

from math import exp, log

import numpy as np
from PLD_accounting import gaussian_allocation_epsilon_range
from scipy.optimize import brentq
from scipy.stats import norm

# two of three steps at random, noise 1: the density ratio is (ab + c(a + b)) / 3; over c in closed form
x = np.linspace(-8, 10, 721)
a, mass = np.exp(x - 0.5)[:, None], np.outer(norm.pdf(x), norm.pdf(x)) / 40**2
ab, sums = a * a.T, a + a.T
edge = lambda k: np.log(np.maximum(k - ab, 1e-300) / sums) + 0.5  # noqa: E731
price = lambda k: (mass * ((ab - k) * norm.sf(edge(k)) + sums * norm.sf(edge(k) - 1))).sum() / 3  # noqa: E731
expected = brentq(lambda epsilon: log(price(3 * exp(epsilon)) / 1e-5), 1.0, 12.0)
upper, got = gaussian_allocation_epsilon_range(delta=1e-5, sigma=1.0, num_steps=3, num_selected=2)
print(f"expected: at most {expected:.5f}\ngot: {got:.5f}, and the upper bound {upper:.5f}")
raise SystemExit(0 if got > expected + 0.05 else 1)
