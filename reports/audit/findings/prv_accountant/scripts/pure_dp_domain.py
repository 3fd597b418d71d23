"""The upper bound for 20 randomized responses of epsilon 5 is 70, and the exact epsilon is 99.999999."""

from math import comb, exp

from prv_accountant import PRVAccountant, PureDPMechanism
from scipy.optimize import brentq

level, count, delta = 5.0, 20, 1e-6
accountant = PRVAccountant(PureDPMechanism(level), 0.1, 1e-9, max_self_compositions=count)
low, estimate, high = accountant.compute_epsilon(delta, count)
p = 1 / (1 + exp(-level))  # the probability of the true answer
law = [(level * (2 * k - count), comb(count, k) * p**k * (1 - p) ** (count - k)) for k in range(count + 1)]
exact = brentq(lambda e: sum(w * (1 - exp(e - loss)) for loss, w in law if loss > e) - delta, 0, 99.9999999)
print(f"expected: at least {exact:.6f}")
print(f"got: upper bound {high:.4f}, with eps_error 0.1 and delta_error 1e-9")
raise SystemExit(0 if high < exact else 1)
