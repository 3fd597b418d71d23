"""PureDPMechanism.rdp is below the Renyi divergence of randomized response, which is (epsilon, 0)-DP."""

from math import exp, log

from prv_accountant import PureDPMechanism

epsilon, order = 1.0, 2.0
p, q = 1 / (1 + exp(-epsilon)), 1 / (1 + exp(epsilon))  # the answer is kept with probability p
exact = log(p**order * q ** (1 - order) + q**order * p ** (1 - order)) / (order - 1)
got = PureDPMechanism(epsilon).rdp(order)
print(f"expected: at least {exact:.6f}")
print(f"got: {got:.6f}")
raise SystemExit(0 if got < exact else 1)
