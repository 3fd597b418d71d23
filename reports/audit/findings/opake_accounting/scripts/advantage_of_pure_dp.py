"""A mechanism that is (epsilon, 0)-DP is taken for one whose loss is epsilon whenever it is positive."""

import math

import opake.accounting as acc

mechanism = acc.eps_delta(0.1, 0.0)
expected, got = math.tanh(0.05), mechanism.advantage()
composed = (mechanism * 100).epsilon_at(1e-5)
print(
    f"expected: advantage = {expected:.6f}, that of randomized response, which no (0.1, 0)-DP mechanism exceeds"
)
print(f"got: {got:.6f}; and of 100 of them epsilon = {composed:.4f} at delta = 1e-5, the plain sum")
raise SystemExit(0 if got > 1.5 * expected else 1)
