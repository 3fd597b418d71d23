"""get_approxRDP(delta, alpha) hands its two arguments on in the other order."""

from math import exp, log

from autodp.mechanism_zoo import PureDP_Mechanism

delta, alpha = 1e-6, 10.0
got = PureDP_Mechanism(eps=1.0).get_approxRDP(delta, alpha)
keep, lie = 1 / (1 + exp(-1.0)), 1 / (1 + exp(1.0))  # randomized response, which is (1, 0)-DP
p, q = (keep - delta) / (1 - delta), lie / (1 - delta)  # the most that events of probability delta can help
least = log(p**alpha * q ** (1 - alpha)) / (alpha - 1)
print(f"expected: at least {least:.5f}")
print(f"got: {got:.9f}")
raise SystemExit(0 if got < least else 1)
